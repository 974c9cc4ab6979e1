package cli

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lookout/client/emulator"
	"lookout/cmd/internal/testenv"
)

// A keyFile is a certificate and its private key for a test.
type keyFile struct {
	certificate, key string // PEM
	secret           string // a line of the key that nothing may print
}

func newKeyFile(t *testing.T) keyFile {
	t.Helper()
	folder := testenv.WriteCertificate(t, "cdn.acme.net")
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	key := read("key.pem")
	return keyFile{read("cert.pem"), key, strings.Split(key, "\n")[1]}
}

// checkMasked reports a text that holds the key.
func (k keyFile) checkMasked(t *testing.T, where, text string) {
	t.Helper()
	if at := strings.Index(text, k.secret); at >= 0 {
		t.Errorf("%s: the private key is shown: …%.120q", where, text[max(0, at-40):])
	}
}

// A certificate file that also holds the private key is common (cat host.crt host.key). Neither a dry run nor a log
// shows the key, and it is not sent as part of the certificate.
func TestCertificatesUpload_fileWithKey(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	k := newKeyFile(t)
	all, key := filepath.Join(r.Home, "all.pem"), filepath.Join(r.Home, "host.key")
	r.Write(all, k.certificate+k.key)
	r.Write(key, k.key)
	var sent struct {
		Certificate string `json:"certificate"`
		PrivateKey  string `json:"private_key"`
	}
	r.Intercept(func(_ http.ResponseWriter, req *http.Request) bool {
		if req.Method == http.MethodPost && strings.HasSuffix(req.URL.Path, "/ssl") {
			body, _ := io.ReadAll(req.Body)
			_ = json.Unmarshal(body, &sent)
			req.Body = io.NopCloser(strings.NewReader(string(body)))
		}
		return false
	})
	for name, second := range map[string]string{"key in its own file": key, "one file for both": all} {
		upload := []string{"certificates", "upload", "us-east-1/cdn.acme.net", all, second, "--replace"}
		log := filepath.Join(t.TempDir(), "log")
		dry := r.MustRun(append(upload, "--dry-run")...)
		k.checkMasked(t, name+", dry run", dry.Out+dry.Err)
		done := r.MustRun(append(upload, "--debug="+log)...)
		k.checkMasked(t, name, done.Out+done.Err+r.ReadTree(filepath.Dir(log)))
		k.checkMasked(t, name+", files of lookout", r.ReadTree(filepath.Join(r.Home, "state")))
		if sent.Certificate != k.certificate || sent.PrivateKey != k.key {
			t.Errorf("%s: sent as certificate: %q", name, strings.ReplaceAll(sent.Certificate, k.secret, "THE KEY"))
		}
	}
}

// A private key is masked in every output, whatever member holds it, and what is sent is not altered.
func TestPrivateKeys_maskedInEveryOutput(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	k := newKeyFile(t)
	notes := "login with\r\n" + k.key + "call Ada before 09:00"
	body, err := json.Marshal(map[string]string{"notes": notes})
	if err != nil {
		t.Fatal(err)
	}
	stored := ""
	r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
		if req.Method != http.MethodPut {
			return false
		}
		got, _ := io.ReadAll(req.Body)
		var members struct{ Notes, Label string }
		_ = json.Unmarshal(got, &members)
		if members.Label == "echo" {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			reason, _ := json.Marshal("this is not allowed: " + k.key)
			_, _ = io.WriteString(w, `{"errors":[{"field":"label","reason":`+string(reason)+`}]}`)
			return true
		}
		stored = members.Notes
		req.Body = io.NopCloser(strings.NewReader(string(got)))
		return false
	})
	log := filepath.Join(r.Home, "log")
	update := []string{"api", "PUT", "/managed/services/4", "--input", "-", "--debug=" + log}
	check := func(result testenv.CommandResult, line ...string) {
		t.Helper()
		k.checkMasked(t, strings.Join(line, " "), result.Out+result.Err)
	}
	check(r.RunWithInput(string(body), append(update, "--dry-run")...), "dry run")
	check(r.RunWithInput(string(body), update...), update...)
	if stored != notes {
		t.Errorf("the notes were sent as %q", strings.ReplaceAll(stored, k.secret, "THE KEY"))
	}
	masked := "-----BEGIN PRIVATE KEY-----•••-----END PRIVATE KEY-----"
	for _, line := range [][]string{
		{"services", "get", "4"},
		{"services", "get", "4", "-o", "json"},
		{"services", "list", "-o", "ndjson"},
		{"services", "list", "-o", "csv", "--columns", "notes"},
		{"services", "list", "-o", "json", "--jq", ".[].notes"},
		{"services", "get", "4", "--jq", "[.notes]"},
		{"api", "GET", "/managed/services/4", "--debug=" + log},
		{"journal", "list", "-o", "json"},
	} {
		result := r.MustRun(line...)
		check(result, line...)
		if !strings.Contains(result.Out, masked) {
			t.Errorf("%v does not show that there is a key:\n%s", line, result.Out)
		}
	}
	for _, line := range [][]string{
		{"services", "list", "--columns", "notes"},
		{"services", "list", "--filter", "notes:" + k.secret},
		{"status"}, {"handover"}, {"audit"}, {"journal", "list"},
		{"services", "update", "4", "--label", "echo", "--debug=" + log},
	} {
		result := r.Run(line...)
		check(testenv.CommandResult{Out: strings.ReplaceAll(result.Out+result.Err, "notes:"+k.secret, "")}, line...)
	}
	k.checkMasked(t, "files of lookout", r.ReadTree(filepath.Join(r.Home, "state")))
	k.checkMasked(t, "log", r.ReadTree(r.Home))
}
