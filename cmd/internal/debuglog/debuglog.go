// Package debuglog writes the requests of a command and their answers, without secrets.
package debuglog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"lookout/client"
	"lookout/client/visible"
)

// maxBody is how many bytes of a body are written.
const maxBody = 2000

// A Log writes what is sent and received. Headers are left out, except for those of the rate limit: the token is in
// one of them.
type Log struct {
	out io.Writer

	mu      sync.Mutex
	last    int      // number of the last request
	secrets []string // the tokens, and the secrets that were sent: servers may repeat them
}

// New returns a log.
func New(out io.Writer) *Log { return &Log{out: out} }

// Observer returns a function that makes a transport write its requests to the API at a base URL. The log hides the
// token wherever a server repeats it.
func (l *Log) Observer(base string, token client.Secret) func(http.RoundTripper) http.RoundTripper {
	l.remember(token.Reveal())
	base = strings.TrimRight(base, "/") + "/"
	return func(next http.RoundTripper) http.RoundTripper { return &loggingTransport{next, base, l} }
}

// printf writes one line.
func (l *Log) printf(format string, args ...any) {
	text := l.hide(fmt.Sprintf(format, args...))
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = io.WriteString(l.out, visible.Show(text)+"\n")
}

// minSecret is the length in bytes from which secrets are looked for in other texts: shorter ones are parts of words.
const minSecret = 6

// hide returns a text without the secrets that are known.
func (l *Log) hide(text string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, secret := range l.secrets {
		if len(secret) >= minSecret {
			text = strings.ReplaceAll(text, secret, mask)
		}
	}
	return text
}

// remember keeps a secret that the log must not show anywhere.
func (l *Log) remember(secret string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.secrets, secret) {
		l.secrets = append(l.secrets, secret)
	}
}

// next returns the number of a new request.
func (l *Log) next() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	return l.last
}

// A loggingTransport writes each attempt of each request.
type loggingTransport struct {
	next http.RoundTripper
	base string // of the API; other addresses are signed, and their bodies are objects
	log  *Log
}

// RoundTrip implements http.RoundTripper.
func (t *loggingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	n, begun := t.log.next(), time.Now()
	address := req.URL.String()
	ours := strings.HasPrefix(address, t.base)
	if !ours {
		address = withoutQuery(address)
	}
	t.log.printf("#%d > %s %s", n, req.Method, address)
	if ours && req.Body != nil {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		t.log.printf("#%d > %s", n, t.log.Redact(body))
		req = req.Clone(req.Context())
		req.Body = io.NopCloser(bytes.NewReader(body))
	}
	res, err := t.next.RoundTrip(req)
	took := time.Since(begun).Round(time.Millisecond)
	if err != nil {
		t.log.printf("#%d < no response after %v: %s", n, took, errorText(err))
		return nil, err
	}
	line := fmt.Sprintf("#%d < %s in %v", n, res.Status, took)
	for _, name := range []string{"Content-Type", "Retry-After", "X-RateLimit-Limit", "X-RateLimit-Remaining"} {
		if value := res.Header.Get(name); value != "" {
			line += "; " + strings.ToLower(name) + ": " + value
		}
	}
	t.log.printf("%s", line)
	if ours {
		res.Body = &loggedBody{ReadCloser: res.Body, log: t.log, number: n}
	}
	return res, nil
}

// errorText returns why there is no answer, without the address that net/http adds.
func errorText(err error) string {
	if failed, is := errors.AsType[*url.Error](err); is {
		return failed.Err.Error()
	}
	return err.Error()
}

// withoutQuery returns an address without its query, which may be a signature.
func withoutQuery(address string) string {
	before, _, found := strings.Cut(address, "?")
	if !found {
		return address
	}
	return before + "?" + mask
}

// A loggedBody writes an answer once it was read.
type loggedBody struct {
	io.ReadCloser
	log    *Log
	number int
	text   bytes.Buffer
	done   bool
}

// Read implements io.Reader.
func (b *loggedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.text.Write(p[:n])
	if err != nil {
		b.write()
	}
	return n, err
}

// Close implements io.Closer.
func (b *loggedBody) Close() error {
	b.write()
	return b.ReadCloser.Close()
}

func (b *loggedBody) write() {
	if b.done {
		return
	}
	b.done = true
	b.log.printf("#%d < %s", b.number, b.log.Redact(b.text.Bytes()))
}

// mask replaces secrets.
const mask = "•••"

// Redact returns a body as one line of JSON in which secrets are dots, cut after maxBody bytes. Anything but JSON is
// named by its size alone: nobody knows what is in it.
func (l *Log) Redact(body []byte) string {
	switch {
	case len(body) == 0:
		return "0 bytes"
	case !json.Valid(body):
		return fmt.Sprintf("%d bytes that are not JSON", len(body))
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := errors.Join(err, encoder.Encode(l.redactValue(value))); err != nil {
		return fmt.Sprintf("%d bytes", len(body))
	}
	text := strings.TrimSpace(string(visible.EscapeJSON(out.Bytes())))
	if len(text) > maxBody {
		return strings.ToValidUTF8(text[:maxBody], "") + fmt.Sprintf("… (%d bytes)", len(body))
	}
	return text
}

// redactValue returns a value with the secrets in it replaced, and remembers them.
func (l *Log) redactValue(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, inner := range value {
			if inner == nil || !isSecret(name) {
				value[name] = l.redactValue(inner)
				continue
			}
			if text, ok := inner.(string); ok && !strings.Contains(strings.ToLower(name), "username") {
				l.remember(text)
			}
			value[name] = mask
		}
	case []any:
		for i := range value {
			value[i] = l.redactValue(value[i])
		}
	case string:
		if u, err := url.Parse(value); err == nil && u.Scheme != "" && u.RawQuery != "" {
			value = withoutQuery(value)
		}
		return l.hide(value)
	}
	return value
}

// isSecret reports whether a member holds a secret, judging by its name. Members that nobody knows yet are taken for
// one if their name sounds like it.
func isSecret(name string) bool {
	name = strings.ToLower(name)
	for _, part := range [...]string{"secret", "password", "passphrase", "token", "private", "username", "signature"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}
