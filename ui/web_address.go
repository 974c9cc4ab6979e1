package ui

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// A WebAddress is an address that may be given to a browser. It is plain ASCII and has no user information, so that
// the host on the screen is the host that the browser opens.
type WebAddress struct {
	URL  string
	Host string // with its port, names of other scripts in punycode: "xn--bcher-kva.example"
}

// ParseWebAddress checks an address that a server may have written. Only http and https can be opened.
func ParseWebAddress(raw string) (WebAddress, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return WebAddress{}, errors.New("it is not a valid address")
	case u.Scheme != "https" && u.Scheme != "http":
		return WebAddress{}, errors.New("only http and https addresses can be opened")
	case u.Hostname() == "" || u.Opaque != "":
		return WebAddress{}, errors.New("it has no host")
	}
	if u.Host = punycode(u.Host); u.Host == "" {
		return WebAddress{}, errors.New("its host is not a valid name")
	}
	u.User, u.RawQuery = nil, escapeUnsafe(u.RawQuery)
	return WebAddress{URL: u.String(), Host: u.Host}, nil
}

// punycode returns a host in lower case as ASCII; "" if it cannot be written so. The standard library has IDNA only
// inside net/http: writing a request encodes its host, or writes nothing.
func punycode(host string) string {
	var written strings.Builder
	r := http.Request{Method: http.MethodGet, URL: &url.URL{Path: "/"}, Host: strings.ToLower(host)}
	_ = r.Write(&written)
	_, rest, _ := strings.Cut(written.String(), "\r\nHost: ")
	encoded, _, _ := strings.Cut(rest, "\r\n")
	for _, c := range []byte(encoded) {
		if c <= ' ' || c >= 0x7f {
			return ""
		}
	}
	return encoded
}

// escapeUnsafe escapes the bytes of a query that have no place in an address: url.Parse leaves a query as it is.
func escapeUnsafe(query string) string {
	var b strings.Builder
	for _, c := range []byte(query) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"'<>\\^`{|}", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
