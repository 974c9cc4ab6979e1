package terminal

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"lookout/client/faulttest"
)

// overlongSequence returns a control sequence in out that has more parameters than any terminal sends, or "".
func overlongSequence(out []byte) string {
	for _, part := range bytes.Split(out, []byte("\x1b"))[1:] {
		if len(part) == 0 || part[0] != '[' {
			continue
		}
		end := slices.IndexFunc(part[1:], func(c byte) bool { return c >= 0x40 || c < 0x20 })
		if end < 0 {
			end = len(part) - 1
		}
		if n := bytes.Count(part[:1+end], []byte(";")) + bytes.Count(part[:1+end], []byte(":")); n >= maxParameters {
			return string(part[:1+end])
		}
	}
	return ""
}

// Reports of the terminal are dropped, even late or in pieces. Keys that look like the beginning of one are not.
func TestInputFilter_dropsReports(t *testing.T) {
	for name, c := range map[string]struct{ in, out string }{
		"foreground colour, BEL": {"a\x1b]10;rgb:1e1e/1e1e/2e2e\ab", "ab"},
		"foreground colour, ST":  {"a\x1b]10;rgb:ffff/ffff/ffff\x1b\\b", "ab"},
		"mode report":            {"a\x1bP1$r0 q\x1b\\b", "ab"},
		"terminal's name":        {"a\x1bP>|xterm(390)\x1b\\b", "ab"},
		"term capability":        {"a\x1bP1+r544e=787465726d\x1b\\b", "ab"},
		"graphics":               {"a\x1b_Gi=31;OK\x1b\\b", "ab"},
		"clipboard":              {"a\x1b]52;c;cGFzdGVk\ab", "ab"},
		"status":                 {"a\x1b[0nb", "ab"},
		"status in a paste":      {"\x1b[200~a\x1b[0nb\x1b[201~", "\x1b[200~ab\x1b[201~"},
		"ended by ctrl+c":        {"a\x1b]11;rgb\x03b", "a\x03b"},
		"ended by a sequence":    {"a\x1b]11;rgb\x1b[Ab", "a\x1b[Ab"},
		"alt and a bracket":      {"\x1b]x", "\x1b]x"},
		"alt+P":                  {"\x1bPx", "\x1bPx"},
		"very long":              {"a\x1b]11;" + strings.Repeat("x", 5000) + "\ab", "ab"},
	} {
		faulttest.RunCase(t, "E14", name, func(t *testing.T) {
			whole := filterChunks(c.in)
			if whole != c.out {
				t.Errorf("%q", whole)
			}
			withoutEscapes := strings.NewReplacer("\x1b", "")
			first := strings.IndexByte(c.in, 0x1b) + 3
			for cut := max(3, first); cut < min(len(c.in), 60); cut++ {
				got := filterChunks(c.in[:cut], c.in[cut:])
				if withoutEscapes.Replace(got) != withoutEscapes.Replace(whole) {
					t.Errorf("cut at %d: %q", cut, got)
				}
			}
		})
	}
}

// For any bytes in any pieces, the filter holds little back, passes no overlong sequence on, ends every paste, and does
// not change plain text.
func FuzzInputFilter(f *testing.F) {
	faulttest.ReportCase(f, "J11", "FuzzInputFilter")
	for _, seed := range []string{
		"plain",
		"\x1b[A",
		"\x1b[" + strings.Repeat("1;", 40) + "m",
		"\x1b[200~paste\x1b[201~",
		"\x1b[200~never ends",
		"\x1b]11;rgb:0/0/0\x1b\\",
		"\x1bPx\x1b\x1b[",
		"\x1b[<0;1;1M",
		"\x9b1m",
		"é日\x1b",
	} {
		f.Add([]byte(seed), uint8(3))
		f.Add([]byte(seed+seed), uint8(1))
	}
	f.Fuzz(func(t *testing.T, in []byte, size uint8) {
		g := newInputFilter(nil)
		var out []byte
		for rest := in; len(rest) > 0; {
			n := min(len(rest), int(size)+1)
			out = append(out, g.filter(rest[:n])...)
			rest = rest[n:]
			if len(g.pending) > maxSequenceBytes || len(g.backgroundReport) > maxSequenceBytes ||
				g.parameters > maxParameters+1 {
				t.Fatalf("%d and %d bytes are held, %d counted", len(g.pending), len(g.backgroundReport), g.parameters)
			}
		}
		if len(out) > len(in) {
			t.Errorf("%d bytes become %d", len(in), len(out))
		}
		if !bytes.ContainsRune(in, 0x1b) && !bytes.Equal(in, out) {
			t.Errorf("plain %q becomes %q", in, out)
		}
		if long := overlongSequence(out); long != "" && g.pasteBytes < 0 && !bytes.Contains(in, pasteStart) {
			t.Errorf("%q passes in %q", long, out)
		}
		go func() { // reads the end of a paste, as the loop does
			buffer := make([]byte, 64)
			for {
				if _, err := g.Read(buffer); err != nil {
					return
				}
			}
		}()
		g.handleIdle()
		g.pipeWriter.Close()
		if g.pasteBytes >= 0 || g.state == inReport {
			t.Error("a paste or a report has no end")
		}
	})
}
