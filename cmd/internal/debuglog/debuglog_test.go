package debuglog_test

import (
	"strings"
	"testing"

	"lookout/cmd/internal/debuglog"
)

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
		"":                                                   `0 bytes`,
		`{"big":12345678901234567890,"text":"\u001b[2J<b>"}`: `{"big":12345678901234567890,"text":"\u001b[2J<b>"}`,
	} {
		if got := debuglog.Redact([]byte(body)); got != want {
			t.Errorf("%s becomes %s, not %s", body, got, want)
		}
	}
	long := debuglog.Redact([]byte(`{"a":"` + strings.Repeat("é", 5000) + `"}`))
	if len(long) > 2100 || !strings.HasSuffix(long, "… (10008 bytes)") {
		t.Errorf("%d bytes: %q", len(long), long[len(long)-30:])
	}
}
