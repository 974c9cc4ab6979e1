package client

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"lookout/client/faulttest"
)

// A fixedResponse is a transport with one answer, which a test can change.
type fixedResponse struct{ body string }

func (s *fixedResponse) RoundTrip(req *http.Request) (*http.Response, error) {
	return faulttest.Respond(200, s.body)(nil, req)
}

// A page with the same bytes returns the same rows in a new slice; a page that differs in one byte is decoded.
// Answers that may hold a secret are not cached.
func TestResponseCache(t *testing.T) {
	wire := &fixedResponse{}
	c, err := New("https://x/v4", NewSecret("t"), WithTransport(wire))
	if err != nil {
		t.Fatal(err)
	}
	services := func(status string) *Service {
		t.Helper()
		wire.body = `{"data":[{"id":1,"status":"` + status + `","timeout":"x"}],"page":1,"pages":1,"results":1}`
		p, err := c.Services.List(t.Context(), 1)
		if err != nil || len(p.Data) != 1 || string(p.Data[0].Status) != status || len(p.Warnings) != 1 ||
			p.Warnings[0] == "" {
			t.Fatalf("%+v, %v", p, err)
		}
		row := p.Data[0]
		p.Data[0], p.Warnings[0] = nil, "" // the caller's own
		return row
	}
	first := services("ok")
	if again := services("ok"); again != first {
		t.Error("the same answer was decoded twice")
	}
	if other := services("problem"); other == first {
		t.Error("another answer gave the old rows")
	}
	services("ok")
	wire.body = `{"data":[{"id":1,"secret_key":"s3cret"}],"page":1,"pages":1,"results":1}`
	one, _ := c.Keys.List(t.Context(), 1)
	two, _ := c.Keys.List(t.Context(), 1)
	if one.Data[0] == two.Data[0] {
		t.Error("a key with its secret is kept")
	}
	if held := fmt.Sprintf("%+v", c.pages.cache.pages); strings.Contains(held, "list keys") ||
		!strings.Contains(held, "list services") {
		t.Errorf("held: %s", held)
	}
	wire.body = `{"data":[],"page":1,"pages":1,"results":0}`
	for n := range 3 * maxCachedPages {
		_, _ = c.Services.List(t.Context(), n+1)
	}
	if n := len(c.pages.cache.pages); n > maxCachedPages {
		t.Errorf("%d pages are held", n)
	}
}
