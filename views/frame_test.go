package views_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/theme"
	"lookout/ui/shell"
	"lookout/ui/terminal"
	"lookout/ui/uitest"
)

// requireFrameSize fails unless the frame has exactly this size, and makes it the size of the harness.
func (r *harness) requireFrameSize(width, height int) {
	r.Helper()
	r.width, r.height = width, height
	r.requireExactFrame()
}

// The frame of every pane has exactly the size of the terminal, also with a question, the help or a form in front, and
// while the size changes quickly.
func TestFrame_hasTerminalSize(t *testing.T) {
	sizes := []screenSize{{1, 1}, {3, 2}, {20, 5}, {40, 10}, {60, 16}, {80, 24}, {200, 50}, {1000, 500}}
	panes := slices.Concat(paneKeys, []paneText{
		{keys: "1"},
		{keys: "7"},
		{keys: ": transfers <enter>"},
		{keys: ": journal <enter>"},
	})
	for i, pane := range panes {
		faulttest.RunCase(t, "E6", "pane "+pane.keys, func(t *testing.T) {
			t.Parallel()
			startProgram(t, emulator.Options{}, screenSize{80, 24}, func(r *harness) {
				r.pressAll(pane.keys)
				for j, front := range []string{"", "?", "n", "D", "a"} {
					if front != "" && !faulttest.InSample(2, i, j) {
						continue
					}
					r.press(front)
					for _, size := range sizes {
						if size.width == 1000 && front != "" {
							continue
						}
						r.send(tea.WindowSizeMsg{Width: size.width, Height: size.height})
						r.requireFrameSize(size.width, size.height)
						if size == (screenSize{20, 5}) {
							r.requireText("lookout needs 40×10")
						}
					}
					r.press("<esc>", "<esc>")
				}
			})
		})
	}
	for seed := range uint64(4) {
		faulttest.RunCase(t, "E6", fmt.Sprintf("storm %d", seed), func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{80, 24}, func(r *harness) {
				dice := rand.New(rand.NewPCG(seed, 6))
				for n := range 300 {
					w, h := 1+dice.IntN(220), 1+dice.IntN(60)
					r.shell.Update(tea.WindowSizeMsg{Width: w, Height: h})
					r.requireFrameSize(w, h)
					if n%20 == 0 {
						r.press([]string{"3", "D", "<esc>", "?", "<esc>", "4", "n", "<esc>", "8"}[dice.IntN(9)])
					}
				}
			})
		})
	}
}

// A question cannot be answered while part of it is hidden.
func TestConfirm_needsVisibleText(t *testing.T) {
	t.Parallel()
	for _, d := range []struct{ name, keys, word, says string }{
		{"service", "3 / edge-router <enter> D ~", "edge-router", "nobody will be alerted to"},
		{"credential", "5 / db2-root <enter> D ~", "db2-root", "support staff lose"},
		{"contact", "4 / Ada <enter> D ~", "y", "Support can no longer call"},
		{"key", "9 / finance <enter> D ~", "finance", "lose access at once"},
		{"bucket", "8 / scratch <enter> D ~", "scratch", "It must be empty"},
		{"many", "4 A D ~", "9", "9 rows"},
		{"emptying", "8 / acme-www <enter> X ~", "7", "for good: "},
		{"cancelling", "8 : cancel <enter> ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~", "acme-prod", "FOR GOOD"},
	} {
		for _, size := range []screenSize{{40, 10}, {40, 14}, {60, 12}, {30, 30}, {44, 11}} {
			faulttest.RunCase(t, "E7", fmt.Sprintf("%s at %dx%d", d.name, size.width, size.height), func(t *testing.T) {
				startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
					r.pressAll(d.keys)
					r.send(tea.WindowSizeMsg{Width: size.width, Height: size.height})
					screen := r.screen()
					r.press(d.word, "<enter>")
					r.wait(3 * time.Second)
					bare := strings.NewReplacer("│", "", " ", "", "\n", "").Replace
					answer := map[bool]string{true: "no, leave it", false: "Type " + d.word}[d.word == "y"]
					all := bare(screen)
					whole := strings.Contains(all, bare(d.says)) && strings.Contains(all, bare(answer))
					if n := len(r.appliedOperations()); n > 0 && !whole {
						r.Errorf("answered although it could not be read:\n%s", screen)
					}
				})
			})
		}
	}
}

// Without colours, no frame has a colour, and words tell the states. With sixteen colours, frames use only the colours
// of the terminal.
func TestTheme_limitedColours(t *testing.T) {
	t.Parallel()
	for _, colours := range []colorprofile.Profile{colorprofile.ASCII, colorprofile.ANSI} {
		for _, pane := range slices.Concat(paneKeys, []paneText{{keys: "1"}, {keys: "7"}}) {
			faulttest.RunCase(t, "E9", fmt.Sprintf("colours %v, pane %s", colours, pane.keys), func(t *testing.T) {
				startWithOptions(t, emulator.Options{}, screenSize{120, 36}, func(r *harness, o *shell.Options) {
					look, err := theme.New("light", colours, false)
					if err != nil {
						t.Fatal(err)
					}
					o.Theme = look
				}, func(r *harness) {
					r.pressAll(pane.keys)
					frame := r.shell.Frame().Content
					for _, part := range strings.Split(frame, "\x1b[")[1:] {
						style, _, _ := strings.Cut(part, "m")
						if hasForbiddenColour(style, colours) {
							r.Fatalf("the frame has the colour %q, which profile %v forbids", style, colours)
						}
					}
					if pane.keys == "3" {
						r.requireText("ok", "problem", "disabled", "pending")
					}
				})
			})
		}
	}
}

// hasForbiddenColour reports whether a style has any colour, for a terminal without colours, or a colour that is not
// the terminal's own.
func hasForbiddenColour(style string, colours colorprofile.Profile) bool {
	for code := range strings.SplitSeq(style, ";") {
		colour := len(code) == 2 && strings.ContainsAny(code[:1], "349") || len(code) == 3
		if colour && colours == colorprofile.ASCII || code == "38" || code == "48" {
			return true
		}
	}
	return false
}

// serverTextFields returns the members of answers that hold text from the server, and where they are shown: a pane and
// a column, or the details if the column is empty.
func serverTextFields() []struct{ pane, member, column string } {
	return []struct{ pane, member, column string }{
		{"4", "name", "name"},
		{"4", "email", "e-mail"},
		{"4", "group", "group"},
		{"4", "primary", "phone"},
		{"4", "secondary", "second phone"},
		{"4", "updated", "updated"},
		{"5", "label", "label"},
		{"5", "last_decrypted", "last decrypted"},
		{"3", "label", "label"},
		{"3", "service_type", "type"},
		{"3", "address", "address"},
		{"3", "body", ""},
		{"3", "consultation_group", "group"},
		{"3", "notes", ""},
		{"3", "region", ""},
		{"3", "status", "state"},
		{"3", "created", ""},
		{"3", "updated", "updated"},
		{"2", "label", "about"},
		{"2", "url", ""},
		{"2", "type", ""},
		{"2", "created", "age"},
		{"6", "label", "instance"},
		{"6", "user", "user"},
		{"6", "ip", "address"},
		{"6", "group", ""},
		{"8", "label", "bucket"},
		{"8", "cluster", "cluster"},
		{"8", "hostname", "host name"},
		{"8", "created", "created"},
		{"8", "region", ""},
		{"9", "label", "label"},
		{"9", "access_key", "access key"},
		{"9", "bucket_name", "reaches"},
		{"9", "permissions", "reaches"},
		{"9", "cluster", ""},
		{"0", "id", "cluster"},
		{"0", "domain", "domain"},
		{"0", "region", "region"},
		{"0", "status", "state"},
		{"0", "static_site_domain", ""},
		{"8o", "name", "name"},
		{"8o", "last_modified", "modified"},
		{"8o", "owner", ""},
	}
}

// Hostile strings in any field of any answer leave the frame intact: it keeps its size, holds only text and styles, and
// the header, the tabs, the hints and the rows stay in place. Each row of the account has a different string.
func TestFrame_hostileFields(t *testing.T) {
	texts := hostileStrings(
		t, "ansi_csi", "ansi_osc_dcs", "c0_c1", "crash_parser", "bidi_invisible", "width", "invalid_utf8",
		"identity_lookalike", "contact_fields",
	)
	for n, field := range serverTextFields() {
		if !faulttest.InSample(3, n) {
			continue
		}
		faulttest.RunCase(t, "E11", field.pane+" "+field.member, func(t *testing.T) {
			t.Parallel()
			at := n * 7
			var one sync.Mutex // answers come several at once
			s := &rewritingTransport{rewrite: func(body []byte) []byte {
				one.Lock()
				defer one.Unlock()
				return replaceMember(body, field.member, texts, &at)
			}}
			startProgram(t, emulator.Options{}, screenSize{140, 40}, func(r *harness) {
				if strings.HasSuffix(field.pane, "o") {
					s.hold = true
					r.press("8", "/", "acme-www", "<enter>")
					s.hold = false
					r.press("<enter>")
				} else {
					r.press(field.pane)
				}
				base := strings.Split(r.screen(), "\n")
				for range 10 {
					r.press("r", "j")
					r.requireCleanFrame(base)
				}
				linear := shell.NewLinearScreen(r.shell)
				dialogs := "<enter> <esc> e <tab> <tab> <tab> <tab> <tab> <esc> <esc> D <esc> Y <esc> : <esc> V <esc>"
				for _, key := range strings.Fields(dialogs) {
					r.press(key)
					r.requireCleanFrame(nil)
					requireCleanText(t, linear.Frame().LinearText)
				}
			}, s)
		})
	}
}

// requireCleanFrame fails unless the frame has its size and holds only text and styles. If base is not nil, the lines
// around the pane must equal those of base.
func (r *harness) requireCleanFrame(base []string) {
	r.Helper()
	frame := r.shell.Frame()
	screen := ansi.Strip(frame.Content)
	requireCleanText(r.T, screen+frame.Title)
	lines := strings.Split(screen, "\n")
	if len(lines) != r.height {
		r.Fatalf("%d lines for a height of %d", len(lines), r.height)
	}
	for n, line := range lines {
		if w := ansi.StringWidth(line); w != r.width {
			r.Fatalf("line %d is %d cells wide, not %d: %q", n+1, w, r.width, line)
		}
	}
	if base == nil {
		return
	}
	if lines[2] != "" && lines[2] != base[2] {
		r.Fatalf("the line below the tabs has changed:\n%s\n%s", lines[2], base[2])
	}
	seam := strings.Index(base[3], "│")
	if seam < 0 {
		return
	}
	x := ansi.StringWidth(base[3][:seam])
	for n := 3; n < len(lines)-2; n++ {
		if ansi.Cut(lines[n], x, x+1) != "│" {
			r.Fatalf("line %d is moved:\n%s", n+1, lines[n])
		}
	}
}

// requireCleanText fails if a text holds a character that could move, hide or restyle others. Between emoji a joiner is
// allowed.
func requireCleanText(t testing.TB, text string) {
	t.Helper()
	before := rune(0)
	for _, c := range text {
		hidden := unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Cs, unicode.Co)
		if hidden && c != '\n' && (c != '\u200d' || before < 0x2600) {
			t.Fatalf("%U is in the text: %.300q", c, text)
		}
		before = c
	}
}

// replaceMember replaces the value of every member with this name by the next text.
func replaceMember(body []byte, member string, texts []string, at *int) []byte {
	return faulttest.ReplaceValues(body, func(name string, value any) []byte {
		if _, isText := value.(string); name != member || !isText && value != nil {
			return nil
		}
		*at++
		return []byte(texts[*at%len(texts)])
	})
}

// Dialogs, panes, refreshes and faults leave no memory and no goroutines behind.
func TestProgram_longUseLeaksNothing(t *testing.T) {
	faulttest.RunCase(t, "I3", "1500 dialogs, 150 panes, 150 refreshes", func(t *testing.T) {
		startProgram(t, emulator.Options{}, screenSize{80, 24}, func(r *harness) {
			use := func(n int) {
				for i := range n {
					r.launch(r.shell.Update(uitest.Keys("?a:m")[i%4]))
					if i%16 < 4 {
						r.shell.Frame()
					}
					r.launch(r.shell.Update(uitest.Key("<esc>")))
				}
				for i := range n / 10 {
					r.press(string(rune('0'+i%10)), "r")
				}
			}
			use(1000) // fills every cache
			r.wait(2 * time.Minute)
			requireNoGrowth := r.measureResources(128 << 10)
			use(1500)
			r.wait(2 * time.Minute)
			requireNoGrowth()
		})
	})
	faults := []emulator.Fault{
		{Status: 503, Times: 2},
		{Reset: true, Times: 1},
		{CutAfter: 5, Times: 1},
		{Status: 429, RetryAfter: "3", Times: 1},
		{HTML: true, Times: 1},
	}
	faulttest.RunCase(t, "I2", "faults and keys for a while on a fake clock", func(t *testing.T) {
		startProgram(t, emulator.Options{SimulateIncidents: true}, screenSize{100, 30}, func(r *harness) {
			dice := rand.New(rand.NewPCG(1, 2))
			use := func() {
				for range 90 {
					if dice.IntN(5) == 0 {
						r.emu.ClearFaults()
						r.emu.InjectFault("*", faults[dice.IntN(len(faults))])
					}
					r.press(string("1234567890jkg?"[dice.IntN(14)]), "<esc>")
					r.wait(10 * time.Second)
				}
				r.emu.ClearFaults()
				r.press("r")
				r.wait(2 * time.Minute)
				r.requireText("live")
			}
			use() // fills every cache
			requireNoGrowth := r.measureResources(128 << 10)
			use()
			requireNoGrowth()
		})
	})
}

// measureResources measures the heap and the goroutines. It returns a function that fails if there are more goroutines,
// or if the heap has grown by more than a number of bytes.
func (r *harness) measureResources(growth uint64) (requireNoGrowth func()) {
	before, routines := heapInUse(), runtime.NumGoroutine()
	return func() {
		r.Helper()
		if after := heapInUse(); after > before+growth {
			r.Errorf("%d KiB on the heap, %d before", after>>10, before>>10)
		}
		if now := runtime.NumGoroutine(); now > routines {
			r.Errorf("%d goroutines, %d before", now, routines)
		}
	}
}

// fuzzMessage returns the message of the terminal that a byte of the fuzzer stands for.
func fuzzMessage(b byte) tea.Msg {
	keys := []string{
		"j", "k", "g", "G", "/", "s", "v", "A", "D", "d", "E", "t", "e", "n", "a", ":", "?", "r", "R", "p", "m",
		"M", "o", "f", "c", "x", "X", "w", "U", "L", "T", "u", "V", "Y", "q", "i", "h", "l", "<esc>", "<tab>", "<up>",
		"<down>", "<left>", "<right>", "<backspace>", "<space>", "<pgdown>", "<ctrl+o>", "1", "2", "3", "4", "5", "6",
		"7", "8", "9", "0",
	}
	switch {
	case int(b) < len(keys):
		return uitest.Key(keys[b])
	case b < 80:
		return tea.PasteMsg{Content: []string{"y\n", "acme-prod\r", "7", "\x1b[2J", strings.Repeat("long ", 100)}[b%5]}
	case b < 110:
		return tea.WindowSizeMsg{Width: 1 + int(b)*3%200, Height: 1 + int(b)*7%60}
	case b < 140:
		return tea.MouseClickMsg{X: int(b) * 5 % 100, Y: int(b) % 30, Button: tea.MouseLeft}
	case b < 150:
		return tea.MouseWheelMsg{X: 5, Y: 5, Button: tea.MouseWheelDown}
	case b < 160:
		return []tea.Msg{
			tea.FocusMsg{},
			tea.BlurMsg{},
			terminal.ResumedMsg{},
			terminal.SuspendUnavailableMsg{},
			terminal.OutputStalledMsg{DroppedBytes: 3},
		}[b%5]
	}
	return nil
}

// answerKeys are the keys that answer a question or send a form. They are pressed only if the fuzzer chooses so.
var answerKeys = []string{"y", "<enter>", "<ctrl+s>"}

// Whatever the user presses, pastes, clicks and resizes, the program does not panic and every frame has its size. A
// protected account changes only after a question or a form was answered, and the journal holds each change once.
func FuzzProtected(f *testing.F) {
	faulttest.ReportCase(f, "J10", "FuzzProtected")
	f.Add([]byte("\x33\x08\x33\x0a\x0b"), false)
	f.Add([]byte{51, 8, 200, 62, 63, 64, 39, 52, 7, 8, 62}, false)
	f.Add([]byte{51, 9, 250, 251, 252, 51, 10, 250, 53, 11, 250}, true)
	for seed := range uint64(12) {
		dice := rand.New(rand.NewPCG(seed, 10))
		seq := make([]byte, 60)
		for i := range seq {
			seq[i] = byte(dice.IntN(256))
		}
		f.Add(seq, seed%2 == 0)
	}
	f.Fuzz(func(t *testing.T, sequence []byte, answering bool) {
		sequence = sequence[:min(len(sequence), 200)]
		startWithOptions(t, emulator.Options{}, screenSize{100, 30}, setProtected, func(r *harness) {
			w, h := 100, 30
			for _, b := range sequence {
				msg := fuzzMessage(b)
				switch {
				case msg == nil && b >= 240 && answering:
					r.press(answerKeys[int(b)%len(answerKeys)])
				case msg == nil:
					r.wait(time.Second)
				default:
					if size, ok := msg.(tea.WindowSizeMsg); ok {
						w, h = size.Width, size.Height
					}
					r.send(msg)
				}
				r.requireFrameSize(w, h)
			}
			if !answering {
				r.requireNoChanges()
			}
			if changes, entries := len(r.appliedOperations()), len(r.journal.Entries(time.Time{})); changes > entries {
				r.Errorf("%d changes, %d in the journal", changes, entries)
			}
		})
	})
}

// Green is for shapes: no pane paints a word green, where nothing needs anybody.
func TestTheme_greenIsForShapes(t *testing.T) {
	t.Parallel()
	for _, pane := range slices.Concat(paneKeys, []paneText{{keys: "1"}, {keys: "2 <enter>"}}) {
		t.Run(pane.keys, func(t *testing.T) {
			startWithOptions(t, emulator.Options{}, screenSize{160, 40}, func(r *harness, o *shell.Options) {
				look, err := theme.New("dark", colorprofile.TrueColor, false)
				if err != nil {
					t.Fatal(err)
				}
				o.Theme, r.theme = look, look
			}, func(r *harness) {
				r.pressAll(pane.keys)
				open := r.theme.Codes(theme.Good).Open
				parts := strings.Split(r.shell.Frame().Content, open)[1:]
				if (pane.keys == "1" || pane.keys == "3") && len(parts) == 0 {
					t.Error("nothing is green: this test looks for the wrong colour")
				}
				for _, part := range parts {
					green, _, _ := strings.Cut(part, "\x1b[")
					if strings.ContainsFunc(green, unicode.IsLetter) {
						t.Errorf("green words: %q", green)
					}
				}
			})
		})
	}
}
