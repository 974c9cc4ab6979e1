package client

import (
	"net/http"
	"strings"
	"testing"
)

// In an answer, secrets from 16 bytes on are replaced, and in a text about the request those from 3 bytes on: shorter
// ones would destroy what they are a part of by chance.
func TestRedactor_lengths(t *testing.T) {
	for length, want := range map[int][2]bool{
		2:  {false, false},
		3:  {true, false},
		15: {true, false},
		16: {true, true},
	} {
		secret := strings.Repeat("s", length)
		m := newRedactor(NewSecret(secret))
		text, body := m.redactText("a "+secret), string(m.redactBody([]byte("a "+secret)))
		if strings.Contains(text, secret) == want[0] || strings.Contains(body, secret) == want[1] {
			t.Errorf("%d bytes: %q in a text, %q in an answer", length, text, body)
		}
	}
}

// The token goes to the API's own scheme, host and port, and to nothing that only begins alike.
func TestAuthTransport_onlyTheAPIsOwnHost(t *testing.T) {
	for url, own := range map[string]bool{
		"https://api.example.test/v4/x":      true,
		"https://api.example.test:443/v4/x":  false,
		"https://api.example.test.evil/v4/x": false,
		"https://api.example.evil/v4/x":      false,
		"http://api.example.test/v4/x":       false,
		"https://API.example.test/v4/x":      false,
		"httpsx://api.example.test/v4/x":     false,
	} {
		sent := ""
		auth := &authTransport{scheme: "https", host: "api.example.test", tokens: newTokens(NewSecret("canary"))}
		auth.next = transportFunc(func(r *http.Request) (*http.Response, error) {
			sent = r.Header.Get("Authorization")
			return nil, http.ErrUseLastResponse
		})
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, _ = auth.RoundTrip(r); (sent == "Bearer canary") != own || r.Header.Get("Authorization") != "" {
			t.Errorf("%s gets %q", url, sent)
		}
	}
}

type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A token that was replaced must not be shown either: an answer to an older request may repeat it.
func TestTokens_earlierOnesAreRedacted(t *testing.T) {
	c, err := New("https://api.example.test/v4", NewSecret("first-token-of-the-account"))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.SetToken(NewSecret("second-token-of-the-account"), true); err != nil {
		t.Fatal(err)
	}
	for _, token := range []string{"first-token-of-the-account", "second-token-of-the-account"} {
		if got := c.tokens.redactor().redactText("unknown token " + token); strings.Contains(got, token) {
			t.Errorf("%q", got)
		}
	}
}

// The scopes are those of the document ("Authentication"): reads need read_only and changes read_write, and so do two
// views. Nothing is said of the two operations of clusters, and other areas are not in the document.
func TestRequiredScope(t *testing.T) {
	writes := map[string]bool{"view contact": true, "view credential": true}
	for op, o := range operations() {
		area, level := "object_storage", "read_only"
		switch {
		case strings.HasPrefix(o.document.path, "/managed/"):
			area = "account"
		case !strings.HasPrefix(o.document.path, "/object-storage/"):
			continue
		}
		if o.document.method != http.MethodGet || writes[op] {
			level = "read_write"
		}
		want := area + ":" + level
		if strings.HasPrefix(o.document.path, "/object-storage/clusters") {
			want = ""
		}
		if got := RequiredScope(op); got != want {
			t.Errorf("%s needs %q, want %q", op, got, want)
		}
	}
}
