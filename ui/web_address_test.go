package ui

import "testing"

// The host that is shown is the host that is opened: in punycode, without user information, over http or https only.
func TestParseWebAddress(t *testing.T) {
	for raw, want := range map[string]WebAddress{
		"https://cloud.linode.com/a/1":           {"https://cloud.linode.com/a/1", "cloud.linode.com"},
		"https://CLOUD.linode.com/":              {"https://cloud.linode.com/", "cloud.linode.com"},
		"https://cloud.linode.com@evil.example/": {"https://evil.example/", "evil.example"},
		"https://user:pw@evil.example:8443/x":    {"https://evil.example:8443/x", "evil.example:8443"},
		"https://bücher.example/":                {"https://xn--bcher-kva.example/", "xn--bcher-kva.example"},
		"https://clоud.linode.com/":              {"https://xn--clud-65d.linode.com/", "xn--clud-65d.linode.com"},
		"http://127.0.0.1:8080/a?b=c%20d#e":      {"http://127.0.0.1:8080/a?b=c%20d#e", "127.0.0.1:8080"},
		"http://[::1]:8080/":                     {"http://[::1]:8080/", "[::1]:8080"},
		"https://x.example/a?q=\u202e'\" é":      {"https://x.example/a?q=%E2%80%AE%27%22%20%C3%A9", "x.example"},
		"https://x.example/\u202ea#\u200b":       {"https://x.example/%E2%80%AEa#%E2%80%8B", "x.example"},
	} {
		if got, err := ParseWebAddress(raw); err != nil || got != want {
			t.Errorf("%q: %+v, %v", raw, got, err)
		}
	}
	for _, raw := range []string{
		"", "x", "/support", "//evil.example/", "javascript:alert(1)", "file:///etc/passwd", "ftp://x.example/",
		"https://", "https:///x", "https:evil.example", "https://evil.example\\@cloud.linode.com/",
		"https://evil.example\x00/", "https://a b.example/", "https://@/", "-x",
		"https://evil.example%2f.linode.com/", "https://:443/", "https://xn--ü.example/",
	} {
		if got, err := ParseWebAddress(raw); err == nil {
			t.Errorf("%q is opened as %+v", raw, got)
		}
	}
}
