package dashboard

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/ui/terminal/termtest"
)

// Whatever is pasted or sent in a flood, nothing is changed, and keys work at once afterwards.
func TestFloodsOfInput(t *testing.T) {
	t.Parallel()
	noise := make([]byte, 1<<20)
	dice := rand.New(rand.NewPCG(1, 13))
	for i := range noise {
		// these keys end or suspend the program, as they should
		for noise[i] = byte(dice.IntN(256)); noise[i] == 3 || noise[i] == 0x1a; {
			noise[i] = byte(dice.IntN(256))
		}
	}
	for name, c := range map[string]struct{ before, sent, after, gone string }{
		"5 MB bracketed":       {"3/", "\x1b[200~" + strings.Repeat("x", 5<<20) + "\x1b[201~", "<enter>", ""},
		"5 MB into a list":     {"3", "\x1b[200~" + strings.Repeat("D\ry", 5<<20/3) + "\x1b[201~", "", ""},
		"newline, q and y":     {"3D", "\x1b[200~\nq\ny\n\x1b[201~", "<esc>", "Delete service"},
		"a paste in a paste":   {"3", "\x1b[200~D\x1b[200~y\x1b[201~", "\x1b[201~", ""},
		"the end is lost":      {"3", "\x1b[200~Dy\r", "", ""},
		"64 parameters":        {"3", "\x1b[" + strings.Repeat("1;", 64) + "m", "", ""},
		"200,000 parameters":   {"3", "\x1b[" + strings.Repeat("1;", 200_000) + "m", "", ""},
		"200 KB raw in a form": {"3n", strings.Repeat("raw text D y q ", 200<<10/15), "<ctrl+s>", ""},
		"200 KB raw in a list": {"3", strings.Repeat("raw D\ry\rq", 200<<10/9), "", ""},
		"a megabyte of noise": {
			"3",
			"\x1b[200~" + strings.ReplaceAll(string(noise), "\x1b", "") + "\x1b[201~",
			"",
			"",
		},
		"reports of a terminal": {
			"3/", "\x1b]11;rgb:0/0/0\a\x1b[?62;22c\x1b[?1u\x1bP1$r0m\x1b\\\x1b[?2026;2$y\x1b[12;40R", "<enter>", "",
		},
	} {
		faulttest.RunCase(t, "E13", name, func(t *testing.T) {
			t.Parallel()
			termtest.InFakeTime(t, func(t *testing.T) {
				api := emulator.New(emulator.Options{Token: "demo"})
				v := startDashboard(t, api, 120, 36)
				v.WaitFor("Services ─ 14")
				v.Type(c.before)
				v.WaitFor("cdn-origin")
				if c.gone != "" {
					v.WaitFor(c.gone)
				}
				v.Type(c.sent)
				if name == "200 KB raw in a form" {
					v.WaitFor("raw text")
				}
				if strings.Contains(name, "raw") {
					v.BytesAfter(200 * time.Millisecond) // what follows a burst at once belongs to it
				}
				if name == "the end is lost" {
					time.Sleep(2500 * time.Millisecond) // the guard ends it after two seconds
				}
				v.Type(c.after)
				if c.gone != "" {
					v.WaitGone(c.gone)
				}
				if name == "200 KB raw in a form" {
					v.WaitFor("cut at 100000 characters")
					return
				}
				// A program that has stood still for a second, on a busy machine, drops what was typed meanwhile.
				for n := 0; n < 300 && !strings.Contains(v.Screen(), "Go to"); n++ {
					v.Type(":")
					v.BytesAfter(200 * time.Millisecond)
				}
				v.WaitFor("Go to")
				if n := len(api.Ledger()); n != 0 {
					t.Errorf("%d changes", n)
				}
			})
		})
	}
}

// At rest, the program rewrites only ages. Reading unchanged data again writes only that they are new.
func TestFewBytesAtRest(t *testing.T) {
	t.Parallel()
	at := func(t *testing.T, pane, text string) *termtest.VirtualTerminal {
		v := startDashboard(t, emulator.New(emulator.Options{Token: "demo"}), 120, 36)
		v.WaitFor("12 buckets")
		v.Type(pane)
		v.WaitFor(text)
		v.WaitIdle(300 * time.Millisecond)
		return v
	}
	runCase := func(name string, test func(*testing.T)) {
		faulttest.RunCase(t, "E15", name, func(t *testing.T) {
			t.Parallel()
			termtest.InFakeTime(t, test)
		})
	}
	runCase("at rest", func(t *testing.T) {
		v := at(t, "3", "edge-router")
		before := v.BytesWritten()
		if n := v.BytesAfter(2*time.Second) - before; n > 2*200 {
			t.Errorf("%d bytes in two seconds", n)
		}
	})
	runCase("read again", func(t *testing.T) {
		v := at(t, "3", "edge-router")
		before := v.BytesWritten()
		v.Type("r")
		if n := v.BytesAfter(500*time.Millisecond) - before; n > 400 {
			t.Errorf("%d bytes for a refresh without a change", n)
		}
	})
	runCase("a row down", func(t *testing.T) {
		v := at(t, "8", "acme-www")
		before := v.BytesWritten()
		v.Type("j")
		if n := v.BytesAfter(300*time.Millisecond) - before; n > 2048 {
			t.Errorf("%d bytes for a row down", n)
		}
	})
}

// A copied text goes to the clipboard in one sequence, written beside the frames. A secret goes there only when its key
// is pressed, and whole.
func TestClipboard(t *testing.T) {
	t.Setenv("SSH_CONNECTION", "somewhere") // the machine's own clipboard is left alone
	const newKey = "9«backup agent»n«New access key»night key<ctrl+s>«no, leave it»y«shown only once»"
	phone := func(*demoKeys) string { return "+1 555 0199" }
	for name, c := range map[string]struct {
		keys, says, env string
		copies          func(*demoKeys) string
		sequences       int
	}{
		"phone": {"4«Ada Wong»y", "sent to the terminal", "", phone, 1},
		"secret": {
			newKey + "y", "secret key: sent to the terminal", "", (*demoKeys).secret, 1,
		},
		"in a tmux that does not take it": {"4«Ada Wong»y", "but tmux may drop it", "TMUX", phone, 2},
		"not asked": {
			newKey + "<esc>discard<enter>", "backup agent", "", nil, 0,
		},
	} {
		faulttest.RunCase(t, "F12", name, func(t *testing.T) {
			if c.env != "" {
				t.Setenv(c.env, "x")
			}
			termtest.InFakeTime(t, func(t *testing.T) {
				api := &demoKeys{Emulator: emulator.New(emulator.Options{Token: "demo"})}
				v := startDashboard(t, api, 120, 36)
				v.WaitFor("12 buckets")
				playKeys(v, c.keys)
				v.WaitFor(c.says)
				const sequence = "\x1b]52;"
				v.WaitOutput(sequence, c.sequences) // beside the frame that says so: before it or after
				var copied []string
				for i, part := range strings.Split(v.Output(), sequence) {
					if i == 0 {
						continue
					}
					encoded, _, ended := strings.Cut(strings.TrimPrefix(part, "c;"), "\a")
					text, err := base64.StdEncoding.DecodeString(encoded)
					if err != nil || !ended {
						t.Errorf("not a sequence for the clipboard: %.100q", part)
					}
					copied = append(copied, string(text))
				}
				if len(copied) != c.sequences {
					t.Errorf("copied %q, want %d sequences", copied, c.sequences)
				}
				for _, text := range copied {
					if text != c.copies(api) {
						t.Errorf("copied %q, want %q", text, c.copies(api))
					}
				}
				if secret := api.secret(); c.sequences == 0 && (secret == "" || strings.Contains(v.Screen(), secret)) {
					t.Errorf("the secret %q is still on the screen:\n%s", secret, v.Screen())
				}
			})
		})
	}
}

// demoKeys is an emulator that remembers the last secret key that it gave out.
type demoKeys struct {
	*emulator.Emulator
	last atomic.Pointer[string]
}

// RoundTrip answers as the emulator does.
func (k *demoKeys) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := k.Emulator.RoundTrip(r)
	if err != nil || r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/keys") {
		return res, err
	}
	body, err := io.ReadAll(res.Body)
	res.Body = io.NopCloser(bytes.NewReader(body))
	var key struct {
		SecretKey string `json:"secret_key"`
	}
	if json.Unmarshal(body, &key) == nil {
		k.last.Store(&key.SecretKey)
	}
	return res, err
}

// secret returns the last secret key; "" if there was none.
func (k *demoKeys) secret() string {
	if last := k.last.Load(); last != nil {
		return *last
	}
	return ""
}
