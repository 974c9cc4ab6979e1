package debuglog_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"lookout/client"
	"lookout/cmd/internal/debuglog"
)

// A roundTripper answers requests.
type roundTripper func(*http.Request) *http.Response

// RoundTrip implements http.RoundTripper.
func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req), nil }

// exchange returns what a log writes about a request and its answer.
func exchange(t *testing.T, request, answer string) string {
	t.Helper()
	const base = "https://api.example/v4"
	var out strings.Builder
	transport := debuglog.New(&out).Observer(base, client.NewSecret("the-token-of-this-account"))(
		roundTripper(func(req *http.Request) *http.Response {
			sent, err := io.ReadAll(req.Body)
			if err != nil || string(sent) != request {
				t.Errorf("sent %q, %v", sent, err)
			}
			return &http.Response{Status: "400 Bad Request", Body: io.NopCloser(strings.NewReader(answer))}
		}),
	)
	req, err := http.NewRequestWithContext(
		t.Context(), http.MethodPost, base+"/managed/credentials", strings.NewReader(request),
	)
	if err != nil {
		t.Fatal(err)
	}
	res, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if got, err := io.ReadAll(res.Body); err != nil || string(got) != answer {
		t.Errorf("received %q, %v", got, err)
	}
	return out.String()
}

// A server that repeats the token, or a secret of the request, does not bring it into the log: neither in a sentence,
// nor at the place where a long answer is cut.
func TestLog_hidesWhatServersRepeat(t *testing.T) {
	request := `{"label":"db","password":"hunter\"2-hunter"}`
	log := exchange(t, request, `{"errors":[{"reason":"hunter\"2-hunter is too short for db"}]}`)
	if strings.Contains(log, "hunter") || !strings.Contains(log, "••• is too short for db") {
		t.Error(log)
	}
	for before := range 80 {
		text := strings.Repeat("x", 1940+before)
		log := exchange(t, request, `{"errors":[{"reason":"`+text+`the-token-of-this-account","field":"a"}]}`)
		if strings.Contains(log, "the-t") {
			t.Fatalf("%d: %s", before, log)
		}
	}
}

// redact returns a body as a log writes it.
func redact(body string) string {
	return debuglog.New(io.Discard).Redact([]byte(body))
}

// Secrets of a body are dots, wherever they stand. The query of an address is one: it may sign it.
func TestRedact(t *testing.T) {
	for body, want := range map[string]string{
		`{"label":"a","password":"p1","username":"u1"}`:      `{"label":"a","password":"•••","username":"•••"}`,
		`{"data":[{"secret_key":"s","access_key":"a"}]}`:     `{"data":[{"access_key":"a","secret_key":"•••"}]}`,
		`{"private_key":{"deep":"x"},"new_token_2":["x"]}`:   `{"new_token_2":"•••","private_key":"•••"}`,
		`{"url":"https://h/b/o?Signature=x&Expires=1"}`:      `{"url":"https://h/b/o?•••"}`,
		`{"address":"https://acme.net/","password":null}`:    `{"address":"https://acme.net/","password":null}`,
		`<html>secret</html>`:                                `19 bytes that are not JSON`,
		`{"a":1}{"password":"p"}`:                            `23 bytes that are not JSON`,
		`1]{"password":"p"}`:                                 `18 bytes that are not JSON`,
		"":                                                   `0 bytes`,
		`{"big":12345678901234567890,"text":"\u001b[2J<b>"}`: `{"big":12345678901234567890,"text":"\u001b[2J<b>"}`,
	} {
		if got := redact(body); got != want {
			t.Errorf("%s becomes %s, not %s", body, got, want)
		}
	}
	long := redact(`{"a":"` + strings.Repeat("é", 5000) + `"}`)
	if len(long) > 2100 || !strings.HasSuffix(long, "… (10008 bytes)") {
		t.Errorf("%d bytes: %q", len(long), long[len(long)-30:])
	}
}
