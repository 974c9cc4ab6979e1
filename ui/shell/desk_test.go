package shell

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"lookout/theme"
	"lookout/ui"
)

// desks is a desk with accounts of one pane each, whose questions can be held back.
type desks struct {
	*testing.T
	desk   *Desk
	mu     sync.Mutex
	ended  map[string]int
	asked  chan context.Context // of the last question
	answer chan struct{}        // holds questions back where it is there
	lose   []string
	fail   error
}

func newDesks(t *testing.T) *desks {
	t.Helper()
	d := &desks{T: t, ended: map[string]int{}, asked: make(chan context.Context, 100)}
	var err error
	if d.desk, err = NewDesk(t.Context(), d.session(t.Context(), "alpha"), func(ctx context.Context, name string) (Session, error) {
		return d.session(context.WithoutCancel(ctx), name), d.fail
	}); err != nil {
		t.Fatal(err)
	}
	d.send(tea.WindowSizeMsg{Width: 100, Height: 24})
	d.run(d.desk.Init())
	return d
}

func (d *desks) session(ctx context.Context, name string) Session {
	ctx, cancel := context.WithCancel(ctx)
	look, err := theme.New("dark", theme.None, false)
	if err != nil {
		d.Fatal(err)
	}
	set := ui.NewSet(ctx, ui.Source[string]{Name: "things", ID: func(s string) string { return s }, Fetch: func(ctx context.Context, _ string) (ui.Page[string], error) {
		d.asked <- ctx
		if d.answer != nil {
			<-d.answer
		}
		return ui.Page[string]{Rows: []string{name + "-one", name + "-two"}}, nil
	}})
	cell := func(s string, _ ui.Box) (string, theme.Tone) { return s, theme.Strong }
	list := &ui.List[string]{Title: "things", Set: set, Columns: []ui.Column[string]{{Title: "name", Min: 10, Cell: cell}}}
	other := &ui.List[string]{Title: "others", Set: set, Columns: list.Columns}
	return Session{Options: Options{Panes: []ui.Pane{list, other}, Theme: look, Account: name, Accounts: []string{"alpha", "beta"}, Location: time.UTC, Context: ctx,
		Leaving: func() []string { return d.lose }}, Close: func() {
		cancel()
		d.mu.Lock()
		defer d.mu.Unlock()
		d.ended[name]++
	}}
}

// run runs a command and what follows; timers and answers that are held back are left alone.
func (d *desks) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	answer := make(chan tea.Msg, 1)
	go func() { answer <- cmd() }()
	select {
	case msg := <-answer:
		if batch, ok := msg.(tea.BatchMsg); ok {
			for _, one := range batch {
				d.run(one)
			}
		} else if msg != nil {
			d.send(msg)
		}
	case <-time.After(20 * time.Millisecond):
	}
}

func (d *desks) send(msg tea.Msg) {
	cmd := d.desk.Update(msg)
	d.screen()
	d.run(cmd)
}

func (d *desks) press(keys ...string) {
	for _, k := range keys {
		msg := tea.KeyPressMsg{Code: []rune(k)[0], Text: k}
		switch k {
		case "enter":
			msg = tea.KeyPressMsg{Code: tea.KeyEnter}
		case "esc":
			msg = tea.KeyPressMsg{Code: tea.KeyEscape}
		}
		d.send(msg)
	}
}

func (d *desks) screen() string { return ansi.Strip(d.desk.Frame().Content) }

func (d *desks) see(text string) {
	d.Helper()
	if !strings.Contains(d.screen(), text) {
		d.Errorf("not on the screen: %q\n%s", text, d.screen())
	}
}

func (d *desks) miss(text string) {
	d.Helper()
	if strings.Contains(d.screen(), text) {
		d.Errorf("still on the screen: %q\n%s", text, d.screen())
	}
}

func TestNothingOfTheOldAccountIsLeft(t *testing.T) {
	d := newDesks(t)
	d.see("alpha-one")
	late := d.desk.tag(ui.News(theme.Good, "alpha's news"))
	d.answer = make(chan struct{})
	for len(d.asked) > 0 {
		<-d.asked
	}
	d.press("r")
	old := <-d.asked
	close(d.answer)
	d.press("C", "2")
	d.see("beta-one")
	d.miss("alpha")
	d.desk.endings.Wait()
	if old.Err() == nil || d.ended["alpha"] != 1 {
		t.Errorf("the old account's question goes on (%v); ended %d times", old.Err(), d.ended["alpha"])
	}
	d.run(late)
	d.miss("alpha's news")
	d.desk.Close()
	if d.ended["beta"] != 1 || d.ended["alpha"] != 1 {
		t.Errorf("ended: %v", d.ended)
	}
}

func TestEachAccountKeepsItsOwnState(t *testing.T) {
	d := newDesks(t)
	d.press("/", "t", "w", "o", "enter", "s", "1", "2")
	d.press("C", "2")
	d.see("beta-one")
	d.press("C", "1")
	if name := d.desk.pane().Name(); name != "others" {
		t.Errorf("back in %s", name)
	}
	d.press("1")
	d.see("/two")
	d.miss("alpha-one")
	d.desk.Close()
}

func TestLeavingAsksAboutWhatEnds(t *testing.T) {
	d := newDesks(t)
	d.lose = []string{"2 transfers are unfinished."}
	d.press("C", "2")
	d.see("2 transfers are unfinished.")
	d.press("y")
	d.see("alpha")
	for _, open := range d.desk.dialogs {
		if q, ok := open.(*question); ok {
			d.send(armed{q, q.tries})
		}
	}
	d.press("n")
	d.see("alpha-one")
	if d.desk.o.Account != "alpha" {
		t.Error("it ended all the same")
	}
	d.desk.Close()
}

// What came up while the other account was being opened is not taken away.
func TestASecretThatComesUpMeanwhileStays(t *testing.T) {
	d := newDesks(t)
	way := &opening{account: "beta", cancel: func() {}}
	d.desk.way = way
	d.desk.push(way)
	d.send(ui.Once{Title: "New key", What: "secret", Reveal: func() string { return "x" }})
	d.send(opened{way: way, session: d.session(t.Context(), "beta")})
	d.see("New key")
	if d.desk.o.Account != "alpha" {
		t.Error("the secret was taken away")
	}
	d.desk.Close()
	if d.ended["beta"] != 1 {
		t.Error("the session that nobody wanted goes on")
	}
}

func TestAnAccountThatCannotBeOpenedChangesNothing(t *testing.T) {
	d := newDesks(t)
	d.fail = errors.New("there is no token")
	d.press("C", "2")
	d.see("account beta cannot be opened: there is no token")
	d.see("alpha-one")
	d.desk.Close()
}
