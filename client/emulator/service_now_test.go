package emulator

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// newNow returns an emulator of the service as it is today.
func newNow(seed string) *Emulator {
	return New(Options{Token: "t", Service: ServiceNow, Seed: seed})
}

// rowOf returns the row of a list whose members have these values, or nil.
func rowOf(list map[string]any, want map[string]any) map[string]any {
	rows, _ := list["data"].([]any)
	for _, row := range rows {
		row := row.(map[string]any)
		matches := true
		for name, value := range want {
			matches = matches && row[name] == value
		}
		if matches {
			return row
		}
	}
	return nil
}

// Newer buckets have no cluster: their region names them in every path. Two may have one label in two regions.
func TestServiceNow_newerBuckets(t *testing.T) {
	e := newNow("")
	_, list := call(t, e, "GET /object-storage/buckets?page_size=500", "")
	london := rowOf(list, map[string]any{"label": "telemetry", "region": "gb-lon"})
	singapore := rowOf(list, map[string]any{"label": "telemetry", "region": "sg-sin-2"})
	if london == nil || singapore == nil {
		t.Fatalf("%v", list)
	}
	if london["cluster"] != "" || london["endpoint_type"] != "E3" ||
		london["s3_endpoint"] != "gb-lon-1.objects.example" {
		t.Errorf("%v", london)
	}
	older := rowOf(list, map[string]any{"label": "acme-www"})
	if older["cluster"] != "us-east-1" || older["region"] != "us-east" || older["endpoint_type"] != "E0" {
		t.Errorf("%v", older)
	}
	for line, want := range map[string]int{
		"GET /object-storage/buckets/gb-lon/telemetry":             200,
		"GET /object-storage/buckets/gb-lon":                       200,
		"GET /object-storage/buckets/gb-lon-1":                     200,
		"GET /object-storage/buckets/gb-lon-1/telemetry":           404,
		"GET /object-storage/buckets/us-east-1/acme-www":           200,
		"GET /object-storage/buckets/us-east/acme-www":             200,
		"GET /object-storage/buckets/gb-lon/telemetry/ssl":         200,
		"GET /object-storage/buckets/gb-lon/telemetry/access":      200,
		"GET /object-storage/buckets/gb-lon/telemetry/object-list": 200,
		"GET /object-storage/buckets/nowhere/telemetry":            404,
	} {
		if status, answer := call(t, e, line, ""); status != want {
			t.Errorf("%s: %d %v, want %d", line, status, answer, want)
		}
	}
	_, certificate := call(t, e, "GET /object-storage/buckets/gb-lon/telemetry/ssl", "")
	_, access := call(t, e, "GET /object-storage/buckets/gb-lon/telemetry/access", "")
	if state, there := certificate["ssl"]; !there || state != nil || access["cors_enabled"] != nil {
		t.Errorf("%v %v", certificate, access)
	}
	body := `{"region":"gb-lon","label":"made-here"}`
	if _, b := call(t, e, "POST /object-storage/buckets", body); b["cluster"] != "" || b["region"] != "gb-lon" {
		t.Errorf("%v", b)
	}
	if status, _ := call(t, e, "DELETE /object-storage/buckets/gb-lon/made-here", ""); status != 200 {
		t.Errorf("status %d", status)
	}
	for _, body := range []string{
		`{"label":"abc"}`, `{"label":"abc","region":"x"}`, `{"label":"abc","cluster":"gb-lon-1"}`,
	} {
		if status, _ := call(t, e, "POST /object-storage/buckets", body); status != 400 {
			t.Errorf("%s: status %d", body, status)
		}
	}
}

// The object URLs of a newer bucket work, too.
func TestServiceNow_objectURL(t *testing.T) {
	e := newNow("")
	_, link := call(t, e, "POST /object-storage/buckets/sg-sin-2/telemetry/object-url", `{"name":"index.html"}`)
	req, _ := http.NewRequest("GET", fmt.Sprint(link["url"]), nil)
	res, err := e.RoundTrip(req)
	if err != nil || res.StatusCode != 200 {
		t.Fatalf("%+v, %v", res, err)
	}
	_, _ = io.Copy(io.Discard, res.Body)
	res.Body.Close()
}

// Some answers leave members out, and an answer to a creation that names a cluster has no endpoint.
func TestServiceNow_missingMembers(t *testing.T) {
	e := newNow("")
	_, b := call(t, e, "GET /object-storage/buckets/us-east-1/archive-2019", "")
	if b["label"] != "archive-2019" || slices.ContainsFunc(slices.Collect(maps.Keys(b)), func(name string) bool {
		return name == "size" || name == "objects"
	}) {
		t.Errorf("%v", b)
	}
	_, b = call(t, e, "POST /object-storage/buckets", `{"cluster":"us-east-1","label":"with-cluster"}`)
	if _, there := b["endpoint_type"]; there || b["region"] != "us-east" || b["size"] != 0.0 {
		t.Errorf("%v", b)
	}
}

// A change of an object's ACL is answered with {} and done.
func TestServiceNow_objectACL(t *testing.T) {
	e := newNow("")
	const path = " /object-storage/buckets/us-east-1/acme-www/object-acl"
	status, answer := call(t, e, "PUT"+path, `{"name":"index.html","acl":"public-read"}`)
	if status != 200 || len(answer) != 0 {
		t.Errorf("%d %v", status, answer)
	}
	if _, acl := call(t, e, "GET"+path+"?name=index.html", ""); acl["acl"] != "public-read" {
		t.Errorf("%v", acl)
	}
}

// Keys have regions, and no answer but that of the creation has a secret.
func TestServiceNow_keys(t *testing.T) {
	e := newNow("")
	body := `{"label":"x","bucket_access":[{"region":"gb-lon","bucket_name":"telemetry","permissions":"read_only"}]}`
	_, k := call(t, e, "POST /object-storage/keys", body)
	want := `{"access":[{"bucket_name":"telemetry","cluster":"","permissions":"read_only","region":"gb-lon"}],` +
		`"regions":[{"endpoint_type":"E3","id":"gb-lon","s3_endpoint":"gb-lon-1.objects.example"}]}`
	got, _ := json.Marshal(map[string]any{"access": k["bucket_access"], "regions": k["regions"]})
	if string(got) != want || k["secret_key"] == redacted {
		t.Errorf("%s, want %s", got, want)
	}
	_, list := call(t, e, "GET /object-storage/keys", "")
	for _, row := range list["data"].([]any) {
		row := row.(map[string]any)
		if row["secret_key"] != redacted || row["regions"] == nil {
			t.Errorf("%v", row)
		}
	}
	_, k = call(t, e, fmt.Sprintf("PUT /object-storage/keys/%v", k["id"]), `{"label":"y"}`)
	if k["label"] != "y" || k["secret_key"] != redacted || len(k["regions"].([]any)) != 1 {
		t.Errorf("%v", k)
	}
	if _, answer := call(t, e, "GET /object-storage/keys/1", ""); !strings.Contains(fmt.Sprint(answer), "access key") {
		t.Errorf("%v", answer)
	}
}

// A second cancellation is refused, until a new bucket or key enables Object Storage again.
func TestServiceNow_secondCancel(t *testing.T) {
	e := newNow("")
	for i, want := range []int{200, 400, 200} {
		if i == 2 {
			call(t, e, "POST /object-storage/buckets", `{"cluster":"us-east-1","label":"again"}`)
		}
		status, answer := call(t, e, "POST /object-storage/cancel", "")
		if status != want || want == 400 && !strings.Contains(fmt.Sprint(answer), "Object Storage is not enabled") {
			t.Errorf("%d: %d %v, want %d", i, status, answer, want)
		}
	}
	if _, s := call(t, e, "GET /account/settings", ""); s["object_storage"] != "disabled" {
		t.Errorf("%v", s)
	}
}

// The limits are enforced and reported. The document's service only reports them.
func TestServiceNow_limits(t *testing.T) {
	for line, want := range map[string]struct {
		limit  int
		window time.Duration
	}{
		"GET /managed/contacts":           {800, 2 * time.Minute},
		"GET /managed/stats":              {50, time.Minute},
		"GET /object-storage/keys":        {750, time.Second},
		"POST /managed/services/2/enable": {800, 2 * time.Minute},
	} {
		method, path, _ := strings.Cut(line, " ")
		synctest.Test(t, func(t *testing.T) {
			for _, service := range []string{ServiceNow, ServiceDocument} {
				if service == ServiceDocument && path == "/managed/stats" {
					continue // it counts them with all others
				}
				e := New(Options{Token: "t", Service: service, Seed: "empty"})
				send := func() (int, http.Header) {
					req, _ := http.NewRequest(method, "http://x.invalid/v4"+path, nil)
					req.Header.Set("Authorization", "Bearer t")
					res, err := e.RoundTrip(req)
					if err != nil {
						t.Fatal(err)
					}
					_, _ = io.Copy(io.Discard, res.Body)
					res.Body.Close()
					return res.StatusCode, res.Header
				}
				for i := range want.limit {
					status, header := send()
					if remaining := header.Get("X-RateLimit-Remaining"); status == 429 ||
						remaining != fmt.Sprint(want.limit-1-i) {
						t.Fatalf("%s: request %d: %d, %s remain", line, i, status, remaining)
					}
				}
				status, header := send()
				if (status == 429) != (service == ServiceNow) ||
					header.Get("X-RateLimit-Limit") != fmt.Sprint(want.limit) {
					t.Errorf("%s: %d %v", line, status, header)
				}
				after, err := time.ParseDuration(header.Get("Retry-After") + "s")
				if err != nil || after <= 0 || after > want.window {
					t.Errorf("%s: Retry-After %s", line, header.Get("Retry-After"))
				}
				time.Sleep(after)
				if status, _ := send(); status == 429 {
					t.Errorf("%s: still refused after Retry-After", line)
				}
			}
		})
	}
}

// Contacts can be filtered by their group. Every other filter is an error, and the document's service ignores them.
func TestServiceNow_filter(t *testing.T) {
	for _, c := range []struct {
		service, path, filter string
		status, results       int
	}{
		{ServiceNow, "/managed/contacts", `{"group":"billing"}`, 200, 2},
		{ServiceNow, "/managed/contacts", `{"group":"nobody"}`, 200, 0},
		{ServiceNow, "/managed/contacts", `{}`, 200, 9},
		{ServiceNow, "/managed/contacts", `{"name":"Ada Wong"}`, 400, 0},
		{ServiceNow, "/managed/contacts", `{"group":"billing","name":"Ada Wong"}`, 400, 0},
		{ServiceNow, "/managed/contacts", `{"+order_by":"name"}`, 400, 0},
		{ServiceNow, "/managed/contacts", `group=billing`, 400, 0},
		{ServiceNow, "/managed/services", `{"group":"billing"}`, 400, 0},
		{ServiceNow, "/object-storage/keys", `{"label":"ci"}`, 400, 0},
		{ServiceDocument, "/managed/contacts", `{"name":"Ada Wong"}`, 200, 9},
	} {
		e := New(Options{Token: "t", Service: c.service})
		req, _ := http.NewRequest("GET", "http://x.invalid/v4"+c.path, nil)
		req.Header.Set("Authorization", "Bearer t")
		req.Header.Set("X-Filter", c.filter)
		res, err := e.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		var answer struct {
			Results int
			Errors  []errorReason
		}
		_ = json.NewDecoder(res.Body).Decode(&answer)
		res.Body.Close()
		if res.StatusCode != c.status || answer.Results != c.results ||
			c.status == 400 && answer.Errors[0].Field != "X-Filter" {
			t.Errorf("%+v: %d %+v", c, res.StatusCode, answer)
		}
	}
}
