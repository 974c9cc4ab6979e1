package views

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/faulttest"
	"lookout/client/lists"
	"lookout/theme"
	"lookout/ui"
	"lookout/views/managed"
)

// listTransport answers GET requests with the rows of the list whose path they end with. Every other list is empty.
type listTransport map[string]string

func (l listTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	rows := ""
	for path, body := range l {
		if strings.HasSuffix(r.URL.Path, path) {
			rows = body
		}
	}
	return &http.Response{
		StatusCode: http.StatusOK,
		Request:    r,
		Header:     http.Header{"Content-Type": {"application/json"}},
		Body:       io.NopCloser(strings.NewReader(`{"data":[` + rows + `],"page":1,"pages":1,"results":2}`)),
	}, nil
}

// A service may have a problem without an issue, and an issue on the screen may be gone. The program does not make up a
// row.
func TestJoins_missingRow(t *testing.T) {
	t.Parallel()
	api, err := client.New("https://api.example.test/v4", client.NewSecret("t"), client.WithTransport(listTransport{
		"/managed/services": `{"id":1,"label":"web","status":"problem"},{"id":2,"label":"db","status":"problem"}`,
		"/managed/issues":   `{"id":7,"created":"2026-01-02T03:04:05","services":[2]}`}))
	if err != nil {
		t.Fatal(err)
	}
	a := account.New(t.Context(), account.Options{Executor: &lists.Inline{}, API: api, Location: time.UTC})
	a.Services().Refresh()
	a.Issues().Refresh()
	web, found := a.Services().Get("1")
	if !found {
		t.Fatal("the service was not read")
	}
	rows := a.Incidents().Alerts()
	if len(rows) != 2 || rows[0].Service != web || rows[0].Incident != nil || rows[1].Incident == nil {
		t.Errorf("%d are broken, and not that one first of which nothing else is known: %v", len(rows), rows)
	}
	if _, found := a.Incidents().Of(9); found {
		t.Error("an issue that is gone is an incident")
	}
	if text, _ := managed.OpenIssueCell(a, web, ui.Box{Theme: &theme.Theme{}}); text != "" {
		t.Errorf("an issue is shown: %q", text)
	}
	for _, act := range managed.ServiceShortcuts(a) {
		if act.Name != "open issue" {
			continue
		}
		if said, is := act.Message(web).(ui.StatusMsg); !is || said.Text == "" {
			t.Errorf("it opens %v", act.Message(web))
		}
	}
}

// A key is stored without its secret, whatever the server sent. The row that arrived does not change.
func TestKeys_storedWithoutSecret(t *testing.T) {
	t.Parallel()
	answer := faulttest.Respond(http.StatusOK, `{"id":5,"label":"reader","access_key":"AK","secret_key":"canary"}`)
	api, err := client.New(
		"https://api.example.test/v4",
		client.NewSecret("t"),
		client.WithTransport(
			faulttest.NewTransport(nil, answer, answer, faulttest.Respond(http.StatusForbidden, `{}`)),
		),
	)
	if err != nil {
		t.Fatal(err)
	}
	a := account.New(t.Context(), account.Options{Executor: &lists.Inline{}, API: api, Location: time.UTC})
	if kept, err := a.FetchKey(t.Context(), 5); err != nil || !kept.SecretKey.IsZero() ||
		kept.Label.Raw() != "reader" {
		t.Errorf("%+v, %v", kept, err)
	}
	came, err := api.Keys.Get(t.Context(), 5)
	if err != nil || came.SecretKey.IsZero() {
		t.Fatalf("the answer has no secret to leave out: %v", err)
	}
	if kept := account.WithoutSecret(came); kept == came || !kept.SecretKey.IsZero() || came.SecretKey.IsZero() {
		t.Error("the row that arrived was changed")
	}
	if none, err := a.FetchKey(t.Context(), 5); err == nil || none != nil {
		t.Errorf("%+v, %v", none, err)
	}
}

// In a row of several services, only the one that is down because of the incident is red.
func TestIssues_onlyServiceInTroubleIsRed(t *testing.T) {
	t.Parallel()
	api, err := client.New("https://api.example.test/v4", client.NewSecret("t"), client.WithTransport(listTransport{
		"/managed/services": `{"id":1,"label":"web","status":"problem"},{"id":2,"label":"db","status":"ok"}`,
		"/managed/issues":   `{"id":7,"created":"2026-01-02T03:04:05","services":[2,1]}`,
	}))
	if err != nil {
		t.Fatal(err)
	}
	a := account.New(t.Context(), account.Options{Executor: &lists.Inline{}, API: api, Location: time.UTC})
	a.Services().Refresh()
	a.Issues().Refresh()
	tones := map[string]theme.Tone{}
	look := &theme.Theme{Glyphs: theme.Glyphs{Problem: "▲"}}
	for _, s := range managed.AffectedSpans(a, a.Issues().At(0), ui.Box{Theme: look}) {
		tones[s.Text] = s.Tone
	}
	if tones["▲ web"] != theme.Bad || tones["db"] != theme.Plain || len(tones) != 3 {
		t.Errorf("drawn as %v", tones)
	}
}
