package client_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/certtest"
	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/client/journal"
)

// Each canary is a secret of one kind that must never be displayed. The token is as long as real ones, so that code
// that cuts long texts cuts it too.
const (
	canaryToken    = "canary/token+0f3a9c71e5d2b8467ad1c3e59b0264f8d7e1a3c5b9f20846e7d"
	canaryUser     = "canary-user-7d1e"
	canaryPassword = `canary"pass<word>&9b2c`
)

// canaries look for secrets in every form in which they may be written.
type canaries []string

func newCanaries(secrets ...string) (c canaries) {
	for _, s := range secrets {
		quoted, _ := json.Marshal(s)
		c = append(
			c, s, strings.Trim(string(quoted), `"`), url.QueryEscape(s), url.PathEscape(s),
			hex.EncodeToString([]byte(s)), strings.ToUpper(hex.EncodeToString([]byte(s))),
			base64.StdEncoding.EncodeToString([]byte(s)), base64.URLEncoding.EncodeToString([]byte(s)),
			fmt.Sprintf("%q", s),
		)
	}
	return c
}

// canaryPair is a certificate with its key, which is a secret.
var canaryPair = sync.OnceValues(certtest.New("cdn.acme.net").PEM)

// fragmentLen is how many bytes of a long secret in a row are a part of it that counts.
const fragmentLen = 12

// fragments are parts of a secret: whatever shows a third more than one of them shows one of them.
func fragments(secret string) (all []string) {
	for from := 0; from+fragmentLen <= len(secret); from += fragmentLen / 3 {
		all = append(all, secret[from:from+fragmentLen])
	}
	return all
}

func (c canaries) checkAbsent(t *testing.T, where, text string) {
	t.Helper()
	for _, form := range c {
		if i := strings.Index(text, form); i >= 0 {
			t.Errorf("a secret in %s: …%.120s", where, text[max(0, i-60):])
			return
		}
	}
}

var verbs = []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T", "%t", "%o", "%c", "%U", "%e"}

// allRenderings is a value in every way in which a program may write it down.
func allRenderings(v any) string {
	var b strings.Builder
	for _, verb := range verbs {
		fmt.Fprintf(&b, verb+"\n", v)
	}
	if data, err := json.Marshal(v); err == nil {
		b.Write(data)
	}
	for _, h := range []slog.Handler{slog.NewTextHandler(&b, nil), slog.NewJSONHandler(&b, nil)} {
		slog.New(h).Info("x", "v", v, slog.Any("w", v))
	}
	func() {
		defer func() { fmt.Fprint(&b, recover()) }()
		panic(fmt.Sprint(v))
	}()
	return b.String()
}

// A canaryClient is a client whose secrets are all canaries, with everything that it writes.
type canaryClient struct {
	client   *client.Client
	journal  string
	log      *bytes.Buffer
	canaries canaries
}

func newCanaryClient(t *testing.T, transport http.RoundTripper) *canaryClient {
	t.Helper()
	v := &canaryClient{journal: filepath.Join(t.TempDir(), "j"), log: &bytes.Buffer{}}
	_, key := canaryPair()
	secrets := append(fragments(canaryToken), canaryToken, canaryUser, canaryPassword, key)
	for line := range strings.Lines(key) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "-----") {
			secrets = append(secrets, line)
		}
	}
	v.canaries = newCanaries(secrets...)
	j, err := journal.Open(v.journal, "a", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	v.client, err = client.New(
		"https://api.example.test/v4", client.NewSecret(canaryToken), client.WithTransport(transport),
		client.WithRecorder(j),
	)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// checkOutput checks everything that was written.
func (v *canaryClient) checkOutput(t *testing.T, err error) {
	t.Helper()
	for e := err; e != nil; e = errors.Unwrap(e) {
		v.canaries.checkAbsent(t, fmt.Sprintf("the error (%T)", e), allRenderings(e))
		if value, ok := e.(*client.Error); ok {
			v.canaries.checkAbsent(
				t, "the error's value",
				allRenderings(*value)+fmt.Sprint(value.Fields(), value.Why(), value.Short(), value.Advice()),
			)
		}
	}
	data, readErr := os.ReadFile(v.journal)
	if readErr != nil {
		t.Fatal(readErr)
	}
	v.canaries.checkAbsent(t, "the journal", string(data))
	v.canaries.checkAbsent(t, "the log", v.log.String())
	v.canaries.checkAbsent(
		t, "the client",
		allRenderings(v.client)+allRenderings(v.client.Keys)+allRenderings(v.client.RateLimit())+v.client.Scopes(),
	)
}

func TestSecret_everyOperation(t *testing.T) {
	e := emulator.New(emulator.Options{Token: canaryToken})
	v := newCanaryClient(t, e)
	log.SetOutput(v.log)
	defer log.SetOutput(os.Stderr)
	for _, s := range operations(t) {
		faulttest.RunCase(t, "F5", s.op, func(t *testing.T) {
			err := s.call(t.Context(), v.client)
			if err != nil {
				t.Error(err)
			}
			v.checkOutput(t, err)
		})
	}
}

// echoFault answers with everything that it received.
func echoFault(status int, format string, headers ...string) faulttest.RoundTripFunc {
	return func(_ http.RoundTripper, r *http.Request) (*http.Response, error) {
		text := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		if r.Body != nil {
			body, _ := io.ReadAll(r.Body)
			var members map[string]any
			_ = json.Unmarshal(body, &members)
			for name, member := range members {
				text += fmt.Sprintf(" %s %v", name, member)
			}
		}
		quoted, _ := json.Marshal(text)
		var pairs []string
		for i := 0; i+1 < len(headers); i += 2 {
			pairs = append(
				pairs,
				headers[i],
				strings.ReplaceAll(
					headers[i+1], "ECHO", url.PathEscape(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")),
				),
			)
		}
		return faulttest.Respond(
			status, strings.ReplaceAll(format, "ECHO", strings.Trim(string(quoted), `"`)), pairs...,
		)(nil, r)
	}
}

// On every error path, no secret is displayed even if the server repeats what it received.
func TestSecret_errorPaths(t *testing.T) {
	t.Parallel()
	paths := map[string]faulttest.RoundTripFunc{
		"reason":   echoFault(400, `{"errors":[{"reason":"bad: ECHO","field":"password"}]}`),
		"field":    echoFault(422, `{"errors":[{"reason":"bad","field":"ECHO"}]}`),
		"401":      echoFault(401, `{"errors":[{"reason":"ECHO is not valid"}]}`, "X-OAuth-Scopes", "ECHO"),
		"403":      echoFault(403, `{"errors":[{"reason":"ECHO"}]}`, "X-Accepted-OAuth-Scopes", "ECHO"),
		"429":      echoFault(429, "ECHO", "Retry-After", "ECHO"),
		"500":      echoFault(500, `{"errors":[{"reason":"ECHO"}]}`),
		"502 page": echoFault(502, "<html><title>ECHO</title></html>", "Content-Type", "text/html"),
		"403 page": echoFault(
			403, "<html><title>Proxy refused Bearer ECHO</title></html>", "Content-Type", "text/html",
		),
		"200 page":      echoFault(200, "<html><title>ECHO</title></html>", "Content-Type", "text/html"),
		"200 text":      echoFault(200, `"ECHO"`),
		"302":           echoFault(302, "", "Location", "https://evil.example/ECHO?q=ECHO"),
		"302 host":      echoFault(302, "", "Location", "https://ECHO.example/"),
		"302 senseless": echoFault(302, "", "Location", "https://evil.example/%zzECHO"),
		"302 long host": echoFault(302, "", "Location", "https://"+strings.Repeat("long.", 14)+"ECHO.example/"),
		"content type":  echoFault(400, "x", "Content-Type", "ECHO"),
		"reset":         faulttest.Fail(transport("read")),
		"cut":           faulttest.ApplyThen(faulttest.Fail(transport("read"))),
	}
	all := operations(t)
	for i, name := range faulttest.Sorted(paths) {
		for _, row := range []string{"F7", "F15"} {
			if row == "F15" && !strings.ContainsAny(name, "0123456789") && name != "reason" && name != "field" {
				continue
			}
			for j, s := range all {
				if row == "F7" && name != "reason" && !faulttest.InSample(4, i, j) {
					continue
				}
				if row == "F15" && s.op != "create credential" && s.op != "change login" &&
					s.op != "upload certificate" {
					continue
				}
				faulttest.RunCaseInBubble(t, row, name+", "+s.op, func(t *testing.T) {
					v := newCanaryClient(
						t,
						faulttest.NewTransport(
							emulator.New(emulator.Options{Token: canaryToken, Seed: "empty"}), paths[name],
						),
					)
					v.checkOutput(t, s.call(t.Context(), v.client))
				})
			}
		}
	}
	faulttest.RunCase(t, "F15", "a label that is the token", func(t *testing.T) {
		v := newCanaryClient(
			t, faulttest.NewTransport(nil, faulttest.Respond(200, pageBody(`{"id":1,"label":"`+canaryToken+`"}`))),
		)
		p, err := v.client.Services.List(t.Context(), 1)
		if err != nil || len(p.Data) != 1 || p.Data[0].Label.IsZero() {
			t.Fatalf("%+v, %v", p, err)
		}
		v.canaries.checkAbsent(t, "a row", p.Data[0].Label.Raw()+allRenderings(p))
	})
}

// No exported value prints its secret with any verb, as JSON or in logs.
func TestSecret_formattedValues(t *testing.T) {
	e := emulator.New(emulator.Options{Token: canaryToken})
	c, err := client.New("https://api.example.test/v4", client.NewSecret(canaryToken), client.WithTransport(e))
	if err != nil {
		t.Fatal(err)
	}
	key, err := client.Confirmed(c, client.OpCreateKey).CreateKey(t.Context(), client.AccessKeyRequest{Label: "x"})
	if err != nil {
		t.Fatal(err)
	}
	link, err := client.Confirmed(
		c, client.OpCreateObjectURL, "us-east-1", "cdn.acme.net", "index.html",
	).CreateObjectURL(
		t.Context(), "us-east-1", "cdn.acme.net", client.PresignRequest{Name: "index.html", Method: "GET"},
	)
	if err != nil {
		t.Fatal(err)
	}
	secretKey, real := key.Secret()
	if !real || !strings.Contains(link.URL.Reveal(), "Signature=") {
		t.Fatal("the test has no secret to look for")
	}
	signed, err := url.Parse(link.URL.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	seen := newCanaries(
		append(
			fragments(canaryToken), canaryToken, canaryUser, canaryPassword, secretKey.Reveal(), link.URL.Reveal(),
			signed.Query().Get("Signature"),
		)...)
	request := client.CredentialRequest{
		Label:    "x",
		Username: client.NewSecret(canaryUser),
		Password: client.NewSecret(canaryPassword),
	}
	login := client.CredentialLoginUpdate{
		Username: client.NewSecret(canaryUser),
		Password: client.NewSecret(canaryPassword),
	}
	for name, v := range map[string]any{
		"secret":              client.NewSecret(canaryToken),
		"pointer to a secret": &request.Password,
		"key":                 *key,
		"pointer to " +
			"a key": key,
		"signed URL":         link,
		"credential request": request,
		"login":              login,
		"client":             c,
		"client's part":      c.Credentials,
		"page":               client.Page[*client.AccessKey]{Data: []*client.AccessKey{key}},
		"map":                map[string]any{"a": login, "b": []any{&request}},
		"change":             client.Change{Op: "x", Body: map[string]any{"password": login.Password}},
	} {
		faulttest.RunCase(t, "F8", name, func(t *testing.T) { seen.checkAbsent(t, name, allRenderings(v)) })
	}
}

// The token is sent only over https or to this machine, and never in an address.
func TestNew_rejectsUnsafeBaseURL(t *testing.T) {
	for base, fine := range map[string]bool{
		"https://api.linode.com/v4":        true,
		"https://api.linode.com/v4/":       true,
		"https://[2001:db8::1]/v4":         true,
		"http://127.0.0.1:8080/v4":         true,
		"http://[::1]:1/v4":                true,
		"http://localhost:1/v4":            true,
		"http://127.9.9.9/v4":              true,
		"http://api.linode.com/v4":         false,
		"ftp://x/v4":                       false,
		"http://127.0.0.1.evil.example/v4": false,
		"http://localhost.evil/v4":         false,
		"http://2130706433/v4":             false,
		"http://0x7f.1/v4":                 false,
		"http://0.0.0.0/v4":                false,
		"http://[::]/v4":                   false,
		"http://[::ffff:8.8.8.8]/v4":       false,
		"http://10.0.0.1/v4":               false,
		"":                                 false,
		"api.linode.com/v4":                false,
		"//api.linode.com":                 false,
		"https://":                         false,
		"https://a b/":                     false,
		"javascript:x":                     false,
		"https://x/v4?a=b":                 false,
		"https://x/v4#a":                   false,
	} {
		faulttest.RunCase(t, "F4", fmt.Sprintf("%q", base), func(t *testing.T) {
			if _, err := client.New(base, client.NewSecret(canaryToken)); (err == nil) != fine {
				t.Errorf("%v", err)
			}
		})
	}
	for _, base := range []string{
		"https://user:canary-pw-11@x/v4", "https://canary-pw-11@x/v4", "http://u:canary-pw-11@127.0.0.1/v4",
		"https://x:canary-pw-11@y:bad/v4",
	} {
		faulttest.RunCase(t, "F1", strings.ReplaceAll(base, "canary-pw-11", "…"), func(t *testing.T) {
			_, err := client.New(base, client.NewSecret(canaryToken))
			if err == nil || strings.Contains(err.Error(), "canary-pw-11") ||
				strings.Contains(err.Error(), canaryToken) {
				t.Errorf("%v", err)
			}
		})
	}
	for _, odd := range []string{"a b", "a\nb", "a\x00", "tökén", "\x1b[2J", " lead", "trail\n"} {
		faulttest.RunCase(t, "F1", fmt.Sprintf("token %q", odd), func(t *testing.T) {
			if _, err := client.New("https://x/v4", client.NewSecret(odd)); err == nil ||
				strings.Contains(err.Error(), odd) {
				t.Errorf("%v", err)
			}
		})
	}
}

// A secretPattern matches secrets of one kind. Each contains mark, which is faster to search for.
type secretPattern struct {
	mark    string
	pattern *regexp.Regexp
}

func secretPatterns() []secretPattern {
	of := func(mark, form string) secretPattern { return secretPattern{mark, regexp.MustCompile(form)} }
	return []secretPattern{
		of("PRIVATE KEY-----", `-----BEGIN [A-Z ]*PRIVATE KEY-----\s*\n[A-Za-z0-9+/=\n]{60,}`),
		of("earer ", `[Bb]earer [0-9a-f]{64}`),
		of("token", `token["']?\s*[:=]\s*["']?[0-9a-f]{64}`),
		of("Signature=", `X-Amz-Signature=[0-9a-f]{64}`),
		of("Signature=", `[?&]Signature=[A-Za-z0-9+/%]{27,}(=|%3D)[^A-Za-z0-9]`),
		of("AKIA", `AKIA[0-9A-Z]{16}`),
		of("secret_key", `secret_key["']?\s*[:=]\s*["'][A-Za-z0-9+/]{40}["']`),
	}
}

// findSecret returns a text that looks like a real secret; nil if there is none.
func findSecret(shapes []secretPattern, text []byte) []byte {
	for _, s := range shapes {
		if !bytes.Contains(text, []byte(s.mark)) ||
			s.mark == "Signature=" && bytes.Contains(text, []byte("emulator.invalid")) {
			continue // what the emulator signs opens nothing
		}
		if found := s.pattern.Find(text); found != nil {
			return found
		}
	}
	return nil
}

// Nothing in the repository looks like a real secret.
func TestTheRepositoryHoldsNoSecrets(t *testing.T) {
	t.Parallel()
	shapes := secretPatterns()
	faulttest.RunCase(t, "F17", "every file", func(t *testing.T) {
		read := 0
		err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == ".git" || d.Name() == "dist"):
				return filepath.SkipDir
			case d.IsDir() || strings.HasSuffix(path, ".png") || strings.HasSuffix(path, ".gif"):
				return nil
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			read++
			if m := findSecret(shapes, data); m != nil {
				t.Errorf("%s: %.40s…", path, m)
			}
			return nil
		})
		if err != nil || read < 50 {
			t.Errorf("%d files, %v", read, err)
		}
	})
	hex64, letters := strings.Repeat("0123456789abcdef", 4), strings.Repeat("Ab1+", 10)
	_, key := certtest.New("x.example").PEM()
	for name, planted := range map[string]string{
		"key":           key,
		"header":        "Authorization: Bearer " + hex64,
		"token":         `token = "` + hex64 + `"`,
		"signature":     "https://x/?X-Amz-Signature=" + hex64,
		"old signature": "https://x/o?Signature=" + letters[:27] + "%3D&Expires=1",
		"access key":    "AKIA" + strings.Repeat("A", 16),
		"secret key":    `{"secret_key": "` + letters + `"}`,
	} {
		faulttest.RunCase(t, "F17", "a planted "+name+" is found", func(t *testing.T) {
			if findSecret(shapes, []byte("x = "+planted)) == nil {
				t.Error("it is not")
			}
		})
	}
}
