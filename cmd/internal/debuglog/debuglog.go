// Package debuglog writes the requests of a command and their answers, without secrets.
package debuglog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
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
	out   io.Writer
	token client.Secret
	base  string // of the API; other addresses are signed, and their bodies are objects

	mu   sync.Mutex
	last int // number of the last request
}

// New returns a log of requests to the API at a base URL, which hides the token wherever a server repeats it.
func New(out io.Writer, base string, token client.Secret) *Log {
	return &Log{out: out, base: strings.TrimRight(base, "/") + "/", token: token}
}

// Wrap returns a transport whose requests are written.
func (l *Log) Wrap(next http.RoundTripper) http.RoundTripper { return &loggingTransport{next, l} }

// printf writes one line.
func (l *Log) printf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if token := l.token.Reveal(); token != "" {
		text = strings.ReplaceAll(text, token, mask)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = io.WriteString(l.out, visible.Show(text)+"\n")
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
	log  *Log
}

// RoundTrip implements http.RoundTripper.
func (t *loggingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	n, begun := t.log.next(), time.Now()
	address := req.URL.String()
	ours := strings.HasPrefix(address, t.log.base)
	if !ours {
		address = withoutQuery(address)
	}
	t.log.printf("#%d > %s %s", n, req.Method, address)
	if ours && req.Body != nil {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		t.log.printf("#%d > %s", n, Redact(body))
		req = req.Clone(req.Context())
		req.Body = io.NopCloser(bytes.NewReader(body))
	}
	res, err := t.next.RoundTrip(req)
	took := time.Since(begun).Round(time.Millisecond)
	if err != nil {
		t.log.printf("#%d < no answer after %v: %s", n, took, errorText(err))
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
	if failed, is := err.(*url.Error); is {
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
	b.log.printf("#%d < %s", b.number, Redact(b.text.Bytes()))
}

// mask replaces secrets.
const mask = "•••"

// Redact returns a body as one line of JSON in which secrets are dots, cut after maxBody bytes. Anything but JSON is
// named by its size alone: nobody knows what is in it.
func Redact(body []byte) string {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if len(body) == 0 {
		return "0 bytes"
	}
	if err := decoder.Decode(&value); err != nil || decoder.More() {
		return fmt.Sprintf("%d bytes that are not JSON", len(body))
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(redactValue(value)); err != nil {
		return fmt.Sprintf("%d bytes", len(body))
	}
	text := strings.TrimSpace(string(visible.EscapeJSON(out.Bytes())))
	if len(text) > maxBody {
		return strings.ToValidUTF8(text[:maxBody], "") + fmt.Sprintf("… (%d bytes)", len(body))
	}
	return text
}

// redactValue returns a value with the secrets in it replaced.
func redactValue(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, inner := range value {
			if inner != nil && isSecret(name) {
				value[name] = mask
				continue
			}
			value[name] = redactValue(inner)
		}
	case []any:
		for i := range value {
			value[i] = redactValue(value[i])
		}
	case string:
		if u, err := url.Parse(value); err == nil && u.Scheme != "" && u.RawQuery != "" {
			return withoutQuery(value)
		}
	}
	return value
}

// isSecret reports whether a member holds a secret, judging by its name. Members that nobody knows yet are taken for
// one if their name sounds like it.
func isSecret(name string) bool {
	name = strings.ToLower(name)
	for _, part := range [...]string{"secret", "password", "passphrase", "token", "private", "username"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}
