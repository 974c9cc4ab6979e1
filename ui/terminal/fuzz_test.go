package terminal

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"lookout/client/faultrig"
)

// crowded is a control sequence with more parameters than any terminal sends; "" where there is none.
func crowded(out []byte) string {
	for _, part := range bytes.Split(out, []byte("\x1b"))[1:] {
		if len(part) == 0 || part[0] != '[' {
			continue
		}
		end := slices.IndexFunc(part[1:], func(c byte) bool { return c >= 0x40 || c < 0x20 })
		if end < 0 {
			end = len(part) - 1
		}
		if n := bytes.Count(part[:1+end], []byte(";")) + bytes.Count(part[:1+end], []byte(":")); n >= mostParameters {
			return string(part[:1+end])
		}
	}
	return ""
}

// Whatever bytes a terminal sends, in two pieces: little is held, no flood passes, a paste can be ended, plain text is what it was.
func FuzzInputGuard(f *testing.F) {
	faultrig.Report(f, "J11", "FuzzInputGuard")
	for _, s := range []string{"", "plain", "\x1b[A", "\x1b[200~x\x1b[201~", "\x1b[200~x", "\x1b[" + strings.Repeat("1;", 40) + "m", "\x1b[1;\x1b[A", "\x1b]0;x\a", "\x1bP+q\x1b\\", "\x9b31m", "\x1b[<0;1;1M", "\x1b[?62;1c", "\xff\x03"} {
		f.Add([]byte(s), []byte(s), 1)
	}
	f.Fuzz(func(t *testing.T, first, second []byte, at int) {
		g := newGuard(nil)
		out := append(bytes.Clone(g.filter(first)), g.filter(second)...)
		if len(g.held) > longest {
			t.Errorf("%d bytes are held", len(g.held))
		}
		if len(out) > len(first)+len(second) {
			t.Errorf("%q %q become %q", first, second, out)
		}
		if flood := crowded(out); flood != "" {
			t.Errorf("%q %q let %q through", first, second, flood)
		}
		if in := append(bytes.Clone(first), second...); !bytes.Contains(in, []byte{0x1b}) && !bytes.Equal(in, out) {
			t.Errorf("plain %q becomes %q", in, out)
		}
		after := append(g.filter([]byte("\x03\x1b[201~")), g.filter([]byte("jk"))...)
		if g.paste >= 0 || !bytes.HasSuffix(after, []byte("jk")) {
			t.Errorf("%q %q leave the keyboard deaf: %q", first, second, after)
		}
		if at >= 0 && at <= len(first) { // a chunk cut in two is the same keys
			whole, cut := newGuard(nil), newGuard(nil)
			plain := func(b []byte) string { return strings.ReplaceAll(string(b), "\x1b", "") }
			a, b := whole.filter(first), append(bytes.Clone(cut.filter(first[:at])), cut.filter(first[at:])...)
			if plain(a) != plain(b) {
				t.Errorf("%q is %q, and cut at %d %q", first, a, at, b)
			}
		}
	})
}
