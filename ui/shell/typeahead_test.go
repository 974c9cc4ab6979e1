package shell

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/table"
	"lookout/ui/uitest"
)

// Letters typed right after a key that opens a form go to the form, not to the list below. An action that takes long
// does not delay them, and nothing delays ctrl+c.
func TestTypeahead_goesToOpenedDialog(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		name := ""
		b := newShellTest(t, func(o *Options) {
			l := o.Panes[0].(*table.List[string])
			l.RowActions = append(
				l.RowActions,
				table.RowAction[string]{Keys: []string{"n"}, Name: "new", Form: func([]string) form.Form {
					return form.Form{
						Title:       "New thing",
						SubmitLabel: "make",
						Fields:      []form.Field{form.Text("name", "Name", &name)},
					}
				}},
			)
		})
		key := func(k rune) tea.Cmd { return b.shell.Update(uitest.Key(string(k))) }
		opens := key('n')
		for _, k := range "Dyn" {
			b.run(key(k))
		}
		b.run(b.shell.Update(tea.PasteMsg{Content: "-1"}))
		if strings.Contains(b.screen(), "goes.") {
			t.Fatalf("a letter was a command:\n%s", b.screen())
		}
		b.run(opens)
		if screen := b.screen(); !strings.Contains(screen, "New thing") || !strings.Contains(screen, "Dyn-1") ||
			strings.Contains(screen, "goes.") {
			t.Fatalf("the letters are lost or were commands:\n%s", screen)
		}
		b.press("<esc><esc>")
		opens = key('n')
		b.run(key('D'))
		b.run(b.shell.Update(actionOpened{n: b.shell.typeahead.actionNumber})) // the timeout
		if !strings.Contains(b.screen(), "Thing alpha goes.") {
			t.Errorf("a key waits forever:\n%s", b.screen())
		}
		b.press("<esc>")
		b.run(opens)
		if !strings.Contains(b.screen(), "New thing") {
			t.Errorf("the form that came late is lost:\n%s", b.screen())
		}
		b.press("<esc>")
		key('n')
		if cmd := b.shell.Update(uitest.Key("<ctrl+c>")); cmd == nil {
			t.Error("ctrl+c waits")
		}
	})
}

// A waitingPane is a list with an action that waits for rows, and one that changes something.
type waitingPane struct {
	*table.List[string]
	waitsFor string
	done     []string
}

func (p *waitingPane) Actions() []ui.Action {
	do := func(name string) func() tea.Cmd {
		return func() tea.Cmd {
			p.done = append(p.done, name)
			return nil
		}
	}
	return append(
		p.List.Actions(), ui.Action{Key: ui.Bind("open the first", "W"), Do: do("another")},
		ui.Action{Key: ui.Bind("open the next", "w"), WaitsFor: p.waitsFor, Do: do("open")},
		ui.Action{Key: ui.Bind("erase", "E"), WaitsFor: p.waitsFor, Writes: true, Do: do("erase")},
	)
}

// An action that waits for rows runs once they are there. It does not run if the user presses esc or a key that changes
// something, or if a dialog has opened meanwhile.
func TestTypeahead_waitsForRows(t *testing.T) {
	for name, c := range map[string]struct {
		meanwhile func(*shellTest)
		want      string
	}{
		"nothing": {func(*shellTest) {}, "open"},
		"esc":     {func(b *shellTest) { b.press("<esc>") }, ""},
		"a dialog": {func(b *shellTest) {
			b.run(ui.Send(ui.OpenMenuMsg{Title: "Menu", Actions: []ui.Action{{Key: ui.Bind("leave", "l")}}}))
		}, ""},
		"a change": {func(b *shellTest) { b.press("E") }, "erase"},
	} {
		t.Run(name, func(t *testing.T) {
			runInBubble(t, func(t *testing.T) {
				var p *waitingPane
				b := newShellTest(t, func(o *Options) {
					p = &waitingPane{List: o.Panes[0].(*table.List[string]), waitsFor: "things"}
					o.Panes[0] = p
				})
				if b.press("w"); len(p.done) > 0 || !strings.Contains(b.screen(), "waiting for the things") {
					t.Fatalf("it does not wait: %q\n%s", p.done, b.screen())
				}
				c.meanwhile(b)
				p.waitsFor = ""
				b.run(b.shell.Update(tea.FocusMsg{}))
				if got := strings.Join(p.done, " "); got != c.want {
					t.Errorf("done: %q, not %q\n%s", got, c.want, b.screen())
				}
			})
		})
	}
}

// The time for which keys wait begins with the action: on a busy machine, an action may begin long after its key.
func TestTypeahead_waitsForActionToBegin(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, nil)
		both := b.shell.awaitAction(ui.Action{Do: ui.ClosePane})().(tea.BatchMsg)
		timeout := make(chan tea.Msg, 1)
		go func() { timeout <- both[1]() }()
		time.Sleep(time.Minute)
		select {
		case <-timeout:
			t.Error("keys no longer wait, before the action has begun")
		default:
		}
		if opened, ok := both[0]().(actionOpened); !ok || opened.msg == nil {
			t.Errorf("the action brings %+v", opened)
		}
		time.Sleep(typeaheadTimeout + time.Millisecond)
		select {
		case <-timeout:
		default:
			t.Error("keys wait forever")
		}
	})
}
