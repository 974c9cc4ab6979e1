package emulator

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// call sends an API request in memory and returns its status, 0 for a lost connection, and its answer.
func call(t *testing.T, e *Emulator, line, body string) (status int, answer map[string]any) {
	t.Helper()
	method, path, _ := strings.Cut(line, " ")
	req, err := http.NewRequest(method, "http://x.invalid/v4"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer t")
	res, err := e.RoundTrip(req)
	if err != nil {
		return 0, nil
	}
	defer res.Body.Close()
	data, _ := io.ReadAll(res.Body)
	_ = json.Unmarshal(data, &answer)
	return res.StatusCode, answer
}

// inject adds a fault of the command line.
func inject(t *testing.T, e *Emulator, spec string) {
	t.Helper()
	if err := e.InjectSpec(spec); err != nil {
		t.Fatal(err)
	}
}

// A change whose answer is lost is applied later, at its own time and once, whatever the failure is.
func TestFault_late(t *testing.T) {
	for spec, want := range map[string]int{
		"POST /object-storage/keys late=15s":                     504,
		"POST /object-storage/keys status=500 late=15s":          500,
		"POST /object-storage/keys reset late=15s":               0,
		"POST /object-storage/keys html status=502 late=15s":     502,
		"POST /object-storage/keys delay=20s status=504 late=5s": 504,
	} {
		synctest.Test(t, func(t *testing.T) {
			e := New(Options{Token: "t"})
			inject(t, e, spec+" times=1")
			start, before := time.Now(), len(e.keys)
			late := 15 * time.Second
			if strings.HasSuffix(spec, "late=5s") {
				late = 5 * time.Second
			}
			if status, _ := call(t, e, "POST /object-storage/keys", `{"label":"x"}`); status != want {
				t.Errorf("%s: status %d, want %d", spec, status, want)
			}
			time.Sleep(time.Until(start.Add(late - 1)))
			if n := len(e.Ledger()); n != 0 && time.Since(start) < late {
				t.Errorf("%s: applied early", spec)
			}
			time.Sleep(time.Minute)
			_, keys := call(t, e, "GET /object-storage/keys", "")
			if n := len(keys["data"].([]any)); n != before+1 {
				t.Errorf("%s: %d keys, want one more than %d", spec, n, before)
			}
			ledger := e.Ledger()
			if len(ledger) != 1 || ledger[0].Time.Sub(start) != late || ledger[0].Op != "create key" {
				t.Errorf("%s: %+v", spec, ledger)
			}
			if e.RequestCount("create key") > 1 {
				t.Errorf("%s: %d requests", spec, e.RequestCount("create key"))
			}
		})
	}
}

// A late change that is not valid when its time comes is not applied; late changes keep the order of their times.
func TestFault_late_order(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := New(Options{Token: "t"})
		inject(t, e, "PUT /managed/services/2 late=30s")
		inject(t, e, "POST /managed/services/2/disable late=10s")
		inject(t, e, "DELETE /managed/services/3 late=10s")
		call(t, e, "PUT /managed/services/2", `{"label":"renamed"}`)
		call(t, e, "POST /managed/services/2/disable", "")
		call(t, e, "DELETE /managed/services/3", "")
		call(t, e, "DELETE /managed/services/3", "")
		time.Sleep(time.Minute)
		var ops []string
		for _, a := range e.Ledger() {
			ops = append(ops, a.Op)
		}
		want := "[disable service delete service update service]"
		if fmt.Sprint(ops) != want {
			t.Errorf("%v, want %s", ops, want)
		}
		_, s := call(t, e, "GET /managed/services/2", "")
		if s["label"] != "renamed" || s["status"] != "disabled" {
			t.Errorf("%v", s)
		}
	})
}

// A late upload and a late deletion at a pre-signed URL are applied later, too.
func TestFault_late_objects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := New(Options{Token: "t"})
		send := func(method, name string) {
			body := fmt.Sprintf(`{"name":%q,"method":%q}`, name, method)
			if method == "PUT" {
				body = strings.Replace(body, "}", `,"content_type":"text/plain"}`, 1)
			}
			_, link := call(t, e, "POST /object-storage/buckets/us-east-1/acme-www/object-url", body)
			req, _ := http.NewRequest(method, link["url"].(string), strings.NewReader("hello"))
			req.Header.Set("Content-Type", "text/plain")
			res, err := e.RoundTrip(req)
			if err != nil || res.StatusCode != 504 {
				t.Fatalf("%+v, %v", res, err)
			}
			res.Body.Close()
		}
		inject(t, e, "PUT /us-east-1/acme-www/* late=15s")
		inject(t, e, "object delete late=25s")
		send("PUT", "late.txt")
		send("DELETE", "index.html")
		b := e.bucket("us-east-1", "acme-www")
		for _, step := range []struct {
			wait      time.Duration
			put, kept bool
		}{
			{14 * time.Second, false, true},
			{2 * time.Second, true, true},
			{10 * time.Second, true, false},
		} {
			time.Sleep(step.wait)
			e.Ledger()
			put, kept := b.loadObjects().get("late.txt") != nil, b.loadObjects().get("index.html") != nil
			if put != step.put || kept != step.kept {
				t.Errorf("after %s: put %t, kept %t", step.wait, put, kept)
			}
		}
	})
}

// A stale replica answers with the account as it was, at each moment, and changes go to the current one.
func TestFault_stale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := New(Options{Token: "t"})
		inject(t, e, "GET /managed/services* stale=30s")
		label := func() string {
			status, s := call(t, e, "GET /managed/services/2", "")
			return fmt.Sprint(status, " ", s["label"], " ", s["status"])
		}
		rename := func(to string) { call(t, e, "PUT /managed/services/2", `{"label":"`+to+`"}`) }
		expect := func(want string) {
			t.Helper()
			if got := label(); got != want {
				t.Errorf("%s: %q, want %q", time.Now().Format(time.TimeOnly), got, want)
			}
		}
		rename("one")
		time.Sleep(10 * time.Second)
		rename("two")
		call(t, e, "POST /managed/services/2/disable", "")
		expect("200 billing-web ok")
		time.Sleep(20 * time.Second)
		expect("200 one ok")
		call(t, e, "POST /managed/services/2/enable", "")
		time.Sleep(10 * time.Second)
		expect("200 two disabled")
		call(t, e, "DELETE /managed/services/2", "")
		time.Sleep(29 * time.Second)
		expect("200 two pending")
		time.Sleep(time.Second)
		expect("404 <nil> <nil>")
		if n := len(e.history.states); n > 3 {
			t.Errorf("%d copies of the account are kept", n)
		}
	})
}

// With alternate, every other read comes from the stale replica, and lists, buckets and objects are stale as well.
func TestFault_stale_alternate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := New(Options{Token: "t"})
		inject(t, e, "GET * stale=30s alternate")
		count := func() any {
			_, list := call(t, e, "GET /object-storage/buckets/ap-south-1", "")
			return list["results"]
		}
		call(t, e, "DELETE /object-storage/buckets/ap-south-1/scratch", "")
		if a, b, c := count(), count(), count(); a != 4.0 || b != 3.0 || c != 4.0 {
			t.Errorf("%v, %v, %v buckets", a, b, c)
		}
		time.Sleep(30 * time.Second)
		if a, b := count(), count(); a != 3.0 || b != 3.0 {
			t.Errorf("after 30 s: %v, %v buckets", a, b)
		}
	})
}

// A fault that no request can match, and a word that does not exist, are refused.
func TestInjectSpec(t *testing.T) {
	e := New(Options{Token: "t"})
	for _, spec := range []string{
		"GET /managed/services status=503 times=3",
		"GET /managed/services/* status=503",
		"GET /managed/services/7 html",
		"* /managed/services* reset",
		"GET * cut=10",
		"* delay=2s",
		"POST /object-storage/keys status=504 late=15s",
		"POST /managed/credentials/31/revoke applied reset",
		"GET /managed/linode-settings stale=1m alternate",
		"GET /object-storage/buckets/us-east-1/*/object-list retry-after=7 status=429",
		"GET /object-storage/buckets/eu-central-1* status=503",
		"PUT /us-east-1/acme-www/a/b/c.txt late=5s",
		"GET /us-east-1/* status=500",
		"disable service applied status=500",
		"object get cut=5",
		"view ticket status=403",
		"GET /support/tickets/* status=403",
	} {
		if err := e.InjectSpec(spec); err != nil {
			t.Error(err)
		}
	}
	for spec, want := range map[string]string{
		"GET /manged/services status=503":              `did you mean "GET /managed/services"?`,
		"POST /managed/services/7/disabel reset":       `did you mean "POST /managed/services/7/disable"?`,
		"GET /managed/service status=503":              `did you mean "GET /managed/services"?`,
		"PATCH /managed/services status=503":           `did you mean "`,
		"DELETE /managed/stats status=500":             `did you mean "GET /managed/stats"?`,
		"/managed/services status=503":                 `did you mean "GET /managed/services"?`,
		"GET /object-storage/bucket* status=503":       "",
		"GET /object-store/buckets* status=503":        `did you mean "GET /object-storage/buckets`,
		"GET /us-west-9/acme-www/index.html reset":     "no request matches",
		"disable services status=500":                  `did you mean "disable service"?`,
		"GET /managed/services stats=503":              `unknown word "stats=503"`,
		"GET /managed/services status=503 rest":        `unknown word "rest"`,
		"GET /managed/services status=503 reset=yes":   `unknown word "reset=yes"`,
		"GET /managed/services status=abc":             "status=abc is not a positive number",
		"GET /managed/services status=99":              "not a status",
		"GET /managed/services delay=5":                "delay=5 is not a duration",
		"GET /managed/services delay=-5s":              "delay=-5s is not a duration",
		"GET /managed/services times=-1":               "times=-1 is not a positive number",
		"GET /managed/services late=5s":                "late= is for changes",
		"POST /managed/services stale=5s":              "stale= is for reads",
		"POST /managed/services late=5s applied reset": "use either applied or late=",
		"GET /managed/services alternate":              "alternate needs stale=",
		"status=503":                                   "missing request",
		"":                                             "missing request",
	} {
		n := len(e.faults)
		err := e.InjectSpec(spec)
		switch {
		case want == "" && err != nil:
			t.Error(err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, want %s", spec, err, want)
		case want != "" && len(e.faults) != n:
			t.Errorf("%q: injected in spite of the error", spec)
		}
	}
}

// With old-row, the answer to a change shows the row as it was. The change is applied at once, late or never.
func TestFault_oldRow(t *testing.T) {
	for spec, applied := range map[string]time.Duration{
		"* old-row times=1":          time.Hour,
		"* old-row applied times=1":  0,
		"* old-row late=15s times=1": 15 * time.Second,
	} {
		for _, change := range []string{"PUT /managed/contacts/11", "PUT /managed/services/9"} {
			member := map[bool]string{true: "name", false: "label"}[strings.Contains(change, "contacts")]
			synctest.Test(t, func(t *testing.T) {
				e := New(Options{Token: "t"})
				_, row := call(t, e, strings.Replace(change, "PUT", "GET", 1), "")
				inject(t, e, spec)
				status, answer := call(t, e, change, `{"`+member+`":"other"}`)
				if status != http.StatusOK || answer[member] != row[member] || row[member] == nil {
					t.Errorf(
						"%s, %s: status %d, %s = %v, want the old %v",
						spec, change, status, member, answer[member], row[member],
					)
				}
				time.Sleep(min(applied, time.Minute))
				_, now := call(t, e, strings.Replace(change, "PUT", "GET", 1), "")
				if done := now[member] == "other"; done != (applied < time.Minute) {
					t.Errorf("%s, %s: %v after %v", spec, change, now[member], applied)
				}
			})
		}
	}
}
