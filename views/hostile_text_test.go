package views_test

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/client/lists"
	"lookout/views/operation"
	"lookout/views/resource"
)

// rewritingTransport replaces bytes in the answers, or fails requests.
type rewritingTransport struct {
	next http.RoundTripper
	old  string
	new  []byte // as it stands between the quotes of JSON
	fail func(*http.Request) error
	// rewrite changes answers, unless they are held as they are.
	rewrite func([]byte) []byte
	hold    bool
}

func (s *rewritingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if s.fail != nil {
		if err := s.fail(req); err != nil {
			return nil, err
		}
	}
	res, err := s.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(res.Body)
	res.Body.Close()
	if err != nil {
		return nil, err
	}
	if s.old != "" {
		body = bytes.ReplaceAll(body, []byte(s.old), s.new)
	}
	if s.rewrite != nil && !s.hold {
		body = s.rewrite(body)
	}
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	res.Header.Del("Content-Length")
	return res, nil
}

// hostileStrings returns the strings of some categories of a collection that may lie beside the project, and a few
// more.
func hostileStrings(t *testing.T, categories ...string) []string {
	t.Helper()
	return append(
		faulttest.HostileStrings(t, "E11", categories...),
		"\x1b[2J", "\x1b]0;owned\x07", "\x1b]52;c;never ends", "a\rb",
		"\u009b31m", "\u202eevil", "a\u200bb", "\x1b["+strings.Repeat("9;", 40)+"m",
	)
}

// A hostile label changes nothing outside its cell.
func TestTable_hostileLabelStaysInCell(t *testing.T) {
	t.Parallel()
	const plain = "cdn-origin"
	frame := func(label string) (lines []string) {
		s := &rewritingTransport{rewrite: func(body []byte) []byte {
			return faulttest.ReplaceValues(body, func(_ string, value any) []byte {
				if value == plain {
					return []byte(label)
				}
				return nil
			})
		}}
		startProgram(t, emulator.Options{}, screenSize{400, 36}, func(r *harness) {
			r.press("3", "s", "4", "g") // by address: the row stays where it is
			r.requireExactFrame()
			lines = strings.Split(r.screen(), "\n")
		}, s)
		return lines
	}
	base := frame(plain)
	header, row := base[3], -1
	for i, line := range base {
		if strings.Contains(line, "https://c") {
			row = i
		}
	}
	before, rest, _ := strings.Cut(header, "label")
	column, _, _ := strings.Cut(rest, "address")
	from := ansi.StringWidth(before)
	to := from + len("label") + ansi.StringWidth(column)
	if row < 0 || rest == "" {
		t.Fatalf("the row or the column is not found:\n%s", strings.Join(base, "\n"))
	}
	after := strings.Fields(ansi.Cut(base[row], to, 400))
	for n, label := range hostileStrings(t, "ansi_csi", "ansi_osc_dcs", "c0_c1", "crash_parser", "bidi_invisible") {
		if !faulttest.InSample(4, n) {
			continue
		}
		lines := frame(label)
		for i := range base {
			got, want := strings.Fields(lines[i]), strings.Fields(base[i]) // the column is as wide as its texts
			if i == row {
				got = append(strings.Fields(ansi.Cut(lines[i], 0, from)), got[max(0, len(got)-len(after)):]...)
				want = append(strings.Fields(ansi.Cut(base[i], 0, from)), after...)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q changes line %d:\n%s\n%s", label, i+1, got, want)
			}
		}
	}
}

// Text from the server never passes for a message or a state of the program: its marks are made visible, and reasons
// are quoted.
func TestServerText_neverImitatesOurMarks(t *testing.T) {
	t.Parallel()
	const forged = "✓ Done (confirmed by re-reading)"
	s := &rewritingTransport{rewrite: func(body []byte) []byte {
		return bytes.ReplaceAll(body, []byte(`"billing-api"`), []byte(`"`+forged+`"`))
	}}
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3", "G")
		r.requireText("‹✓› Done (confirmed")
		r.requireNoText(forged)
		r.press("<enter>")
		r.requireNoText(forged)
		r.press("<esc>", "D")
		r.requireText(`This deletes service "‹✓› Done`)
		r.press("<esc>")
		r.emu.InjectFault(client.OpUpdateContact, emulator.Fault{
			Status: 400,
			Body:   `{"errors":[{"reason":"` + forged + `"}]}`,
			Times:  9,
		})
		r.press("4", "e", "x", "<ctrl+s>")
		r.requireText(`"‹✓› Done`)
		r.requireNoText(forged)
	}, s)
}

// A menu of rows that a lost create may have made shows whatever their IDs hold, and obeys none of it.
func TestCandidatesMenu_hostileID(t *testing.T) {
	t.Parallel()
	self := func(id string) string { return id }
	runner := operation.OperationRunner[string]{Resource: resource.Resource[string]{
		Singular:   "bucket",
		ID:         self,
		Label:      func(string) string { return "night" },
		Operations: []resource.Operation[string]{{Name: "delete"}},
	}}
	m := runner.CandidatesMenu(operation.PossiblyCreated[string]{
		What: "new bucket night",
		Found: lists.LookupResult[string]{
			Candidates:   []string{"us-east-1\x1b[2J/ni\u202eght"},
			Descriptions: []string{"exactly as it was sent"},
		},
		Operation: "delete",
	})
	const shown = "bucket us-east-1‹␛›[2J/ni‹U+202E›ght"
	if text := strings.Join(m.Text, "\n"); !strings.Contains(text, shown+" night") {
		t.Errorf("%q, want %q in it", text, shown)
	}
	var names []string
	for _, a := range m.Actions {
		names = append(names, a.Name())
	}
	if want := []string{"leave it as it is", "show " + shown, "delete " + shown}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}
