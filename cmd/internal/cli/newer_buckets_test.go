package cli

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/cmd/internal/testenv"
)

// Script commands name a bucket without a cluster by its region, and the commands that work for other buckets work for
// it.
func TestNewerBuckets_scripts(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{Service: emulator.ServiceDocument}) // the rest adds what that service lacks
	newer := faulttest.NewerEndpointTransport{Next: r.API, Clusters: map[string]string{"us-east": "us-east-1"}}
	r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
		newer.ServeHTTP(w, req)
		return true
	})
	file := filepath.Join(r.Home, "file")
	r.Write(file, "content")
	pair := testenv.WriteCertificate(t, "cdn.acme.net")
	for _, line := range []string{
		"buckets get us-east/acme-backups",
		"buckets create us-east/fresh",
		"buckets access us-east/fresh --acl public-read --cors=false --yes",
		"buckets access us-east/fresh --acl private",
		"objects put us-east/fresh new.txt " + file,
		"objects list us-east/fresh",
		"objects du us-east/fresh",
		"objects acl us-east/fresh new.txt public-read --yes",
		"objects link us-east/fresh new.txt",
		"objects get us-east/fresh new.txt " + file + ".copy",
		"objects rm us-east/fresh new.txt --yes",
		"buckets delete us-east/fresh --yes",
		"certificates upload us-east/cdn.acme.net " + filepath.Join(pair, "cert.pem") + " " +
			filepath.Join(pair, "key.pem"),
		"certificates delete us-east/cdn.acme.net --yes",
		"keys create reader --bucket us-east/acme-backups:read_only",
	} {
		r.MustRun(strings.Fields(line)...)
	}
	for line, want := range map[string]string{
		"buckets list -o csv":                        "us-east,acme-backups,",
		"keys list -o csv":                           "us-east/acme-backups:read_only",
		"buckets get us-east/acme-backups -o json":   `"s3_endpoint": "us-east-1.objects.example"`,
		"buckets get us-east/acme-backups -o ndjson": `"endpoint_type":"E3"`,
	} {
		if out := r.MustRun(strings.Fields(line)...).Out; !strings.Contains(out, want) {
			t.Errorf("%s: %q is not in %s", line, want, out)
		}
	}
}

// A member that is missing from an answer is null in JSON and empty in CSV, not 0 or false.
func TestMissingMembers_scripts(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
		body := map[string]string{
			"/v4/object-storage/buckets/us-east-1/old": `{"label":"old","cluster":"us-east-1"}`,
			"/v4/object-storage/keys/7":                `{"id":7,"label":"old","access_key":"A"}`,
		}[req.URL.Path]
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(body))
		return body != ""
	})
	for line, want := range map[string]string{
		"buckets get us-east-1/old -o ndjson": `"objects":null,"size":null,"region":null,"endpoint_type":null`,
		"buckets get us-east-1/old -o csv":    "us-east-1,old,,,,,,,",
		"keys get 7 -o ndjson":                `"limited":null,"bucket_access":null,"regions":null`,
		"keys get 7 -o csv":                   "7,old,A,,,,",
	} {
		if out := r.MustRun(strings.Fields(line)...).Out; !strings.Contains(out, want) {
			t.Errorf("%s: %q is not in %s", line, want, out)
		}
	}
}
