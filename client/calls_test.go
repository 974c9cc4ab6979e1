package client

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"lookout/client/emulator"
	"lookout/client/faulttest"
)

// Nothing that a client does keeps another call waiting. This is the first test of the package, because a call that
// never returns would stop any other.
func TestClient_nothingHangs(t *testing.T) {
	e := emulator.New(emulator.Options{Token: "t"})
	c, err := New("https://api.example.test/v4", NewSecret("t"), WithTransport(e), WithoutRetries())
	if err != nil {
		t.Fatal(err)
	}
	ctx, link := context.Background(), &RenewableURL{}
	object := ObjectRef{Cluster: "us-east-1", Bucket: "acme-www", Name: "index.html"}
	calls := []struct {
		Name string
		Do   func()
	}{
		{"SetToken", func() { _ = c.SetToken(NewSecret("t"), true) }},
		{"RateLimit", func() { c.RateLimit() }},
		{"Scopes", func() { c.Scopes() }},
		{"Services.List", func() { _, _ = c.Services.List(ctx, 1) }},
		{"Services.All", func() {
			for range c.Services.All(ctx) {
			}
		}},
		{"Services.Get", func() { _, _ = c.Services.Get(ctx, 99_999) }},
		{"Objects.Pages", func() {
			for range c.Objects.Pages(ctx, ObjectQuery{Cluster: object.Cluster, Bucket: object.Bucket}) {
			}
		}},
		{"Objects.Get", func() {
			if res, err := c.Objects.Get(ctx, object, GetObjectOptions{Link: link}); err == nil {
				res.Body.Close()
			}
		}},
		{"DisableService", func() { _, _ = Confirmed(c, OpDisableService, 1).DisableService(ctx, 1) }},
		{"a busy API", func() {
			e.InjectFault("list issues", emulator.Fault{Status: http.StatusServiceUnavailable})
			_, _ = c.Issues.List(ctx, 1)
		}},
		{"a refused token", func() {
			_ = c.SetToken(NewSecret(strings.Repeat("x", 64)), true)
			_, _ = c.Issues.List(ctx, 1)
			_, _ = c.Issues.List(ctx, 1)
		}},
		{"Resume", c.Resume},
	}
	faulttest.RequireReturns(t, calls)
}
