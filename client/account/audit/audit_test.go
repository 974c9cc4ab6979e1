package audit

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"lookout/client"
	"lookout/client/faulttest"
	"lookout/client/journal"
	"lookout/client/window"
)

// requestLog counts the requests of an account with one disabled service and 40 buckets. Each answer takes a second.
type requestLog struct {
	access, certificates, all, inFlight, mostInFlight atomic.Int32
}

// answer answers a request.
func (l *requestLog) answer(_ http.RoundTripper, r *http.Request) (*http.Response, error) {
	l.all.Add(1)
	for now := l.inFlight.Add(1); ; {
		most := l.mostInFlight.Load()
		if now <= most || l.mostInFlight.CompareAndSwap(most, now) {
			break
		}
	}
	defer l.inFlight.Add(-1)
	time.Sleep(time.Second)
	var rows []string
	switch path := strings.TrimSuffix(r.URL.Path, "/"); {
	case strings.HasSuffix(path, "/access"):
		l.access.Add(1)
		return faulttest.Respond(http.StatusOK, `{"acl":"private","cors_enabled":false}`)(nil, r)
	case strings.HasSuffix(path, "/ssl"):
		l.certificates.Add(1)
		return faulttest.Respond(http.StatusOK, `{"ssl":false}`)(nil, r)
	case strings.HasSuffix(path, "/managed/services"):
		rows = append(rows, `{"id":7,"label":"web-1","status":"disabled"}`)
	case strings.HasSuffix(path, "/object-storage/buckets"):
		for i := range 40 {
			rows = append(rows, fmt.Sprintf(`{"label":"bucket-%d","cluster":"us-east-1"}`, i))
		}
	}
	return faulttest.Respond(http.StatusOK, fmt.Sprintf(
		`{"data":[%s],"page":1,"pages":1,"results":%d}`, strings.Join(rows, ","), len(rows),
	))(nil, r)
}

// client returns a client of the account.
func (l *requestLog) client(t *testing.T) *client.Client {
	t.Helper()
	c, err := client.New(
		"https://x/v4", client.NewSecret("t"), client.WithTransport(faulttest.NewTransport(nil, l.answer)),
	)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// allBut returns the names of the checks other than one.
func allBut(name string) []string {
	return slices.DeleteFunc(Checks(), func(other string) bool { return other == name })
}

// A service is found that nothing will enable: it has no maintenance window, one without an end, or one that is over.
func TestRun_offWithoutEnd(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		windows map[string]window.Window
		want    checkState
		text    string
	}{
		"no window": {nil, Found, "no end time is on record"},
		"no end": {
			map[string]window.Window{"7": {Since: now}},
			Found,
			"since 2026-03-04, with no end time",
		},
		"not over yet": {map[string]window.Window{"7": {End: now.Add(time.Minute)}}, OK, ""},
		"over": {
			map[string]window.Window{"7": {End: now.Add(-time.Hour)}},
			Found,
			"its maintenance window ended 2026-03-04 04:00 UTC",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				said, err := Run(t.Context(), new(requestLog).client(t), Options{
					Windows: c.windows,
					Now:     now,
					Ignore:  allBut("off-without-end"),
				})
				if err != nil || len(said) != 1 || said[0].State != c.want || !strings.Contains(said[0].Text, c.text) {
					t.Errorf("%+v, %v", said, err)
				}
			})
		})
	}
}

// A certificate that was uploaded from this machine is found once it has expired, whatever else the journal is read
// for.
func TestRun_certificates(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 0, 0, 0, time.UTC)
	j := journal.NewInMemory(func() time.Time { return now.AddDate(0, -3, 0) })
	id, err := j.RecordIntent(t.Context(), client.Change{
		Op:       client.OpUploadCertificate,
		Resource: "certificate",
		ID:       "us-east-1/www.acme.net",
		Body:     map[string]any{"expires": now.AddDate(0, 0, -1)},
	})
	if err != nil {
		t.Fatal(err)
	}
	j.RecordOutcome(id, client.Applied, nil)
	answer := func(_ http.RoundTripper, r *http.Request) (*http.Response, error) {
		body := `{"data":[],"page":1,"pages":1,"results":0}`
		switch path := strings.TrimSuffix(r.URL.Path, "/"); {
		case strings.HasSuffix(path, "/access"):
			body = `{"acl":"private","cors_enabled":false}`
		case strings.HasSuffix(path, "/ssl"):
			body = `{"ssl":true}`
		case strings.HasSuffix(path, "/object-storage/buckets"):
			body = `{"data":[{"label":"www.acme.net","cluster":"us-east-1"}],"page":1,"pages":1,"results":1}`
		}
		return faulttest.Respond(http.StatusOK, body)(nil, r)
	}
	c, err := client.New(
		"https://x/v4", client.NewSecret("t"), client.WithTransport(faulttest.NewTransport(nil, answer)),
	)
	if err != nil {
		t.Fatal(err)
	}
	said, err := Run(t.Context(), c, Options{Now: now, Journal: j})
	if err != nil || !slices.ContainsFunc(said, func(r CheckResult) bool {
		return r.State == Found && strings.Contains(r.Text, "expired on 2026-03-03")
	}) {
		t.Errorf("%+v, %v", said, err)
	}
}

// What is read of each bucket is read side by side, but never too much at once, and only if a check needs it.
func TestRun_requests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all requestLog
		begun := time.Now()
		options := Options{Now: begun, Journal: journal.NewInMemory(time.Now)}
		if _, err := Run(t.Context(), all.client(t), options); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); took > 25*time.Second || all.access.Load() != 40 ||
			all.certificates.Load() != 40 {
			t.Errorf("%d and %d requests took %v", all.access.Load(), all.certificates.Load(), took)
		}
		if most := all.mostInFlight.Load(); most > maxParallelReads {
			t.Errorf("%d requests at once", most)
		}
	})
	for name, want := range map[string][3]int32{ // all requests, those for access, those for certificates
		"public-bucket":   {41, 40, 0},
		"certificate":     {41, 0, 40},
		"off-without-end": {1, 0, 0},
		"no-phone":        {2, 0, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			var some requestLog
			if _, err := Run(t.Context(), some.client(t), Options{
				Ignore:  allBut(name),
				Journal: journal.NewInMemory(time.Now),
			}); err != nil {
				t.Fatal(err)
			}
			if got := [3]int32{some.all.Load(), some.access.Load(), some.certificates.Load()}; got != want {
				t.Errorf("%s: %v requests, want %v", name, got, want)
			}
		})
	}
}
