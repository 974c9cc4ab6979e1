package views

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/client/journal"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/shell"
	"lookout/ui/uitest"
)

// writeJournal writes n changes as released versions do, a minute apart. Every thousandth has no outcome.
func writeJournal(t *testing.T, path string, n int) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	out := bufio.NewWriterSize(file, 1<<20)
	defer out.Flush()
	for i := range n {
		data, err := json.Marshal(map[string]any{"intent": map[string]any{
			"id":   fmt.Sprint("old-", i),
			"time": time.Now().Add(time.Duration(i-n) * time.Minute),
			"change": client.Change{
				Op:       client.OpUpdateContact,
				Method:   "PUT",
				Path:     "/v4/managed/contacts/1",
				Resource: "contact",
				ID:       "1",
				Label:    fmt.Sprint("contact ", i),
				Before:   map[string]any{"name": "before"},
				Body:     map[string]any{"name": "after"},
			},
		}})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(out, "%s\n", data)
		if i%1000 != 0 {
			fmt.Fprintf(out, "{\"id\":\"old-%d\",\"outcome\":%q}\n", i, client.Applied)
		}
	}
}

// newJournalShell returns the program with a journal on the disk, its journal pane in front.
func newJournalShell(t *testing.T, path string) *shell.Shell {
	t.Helper()
	j, err := journal.Open(path, "a", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	api, err := client.New(
		"https://api.example.test/v4", client.NewSecret("t"),
		client.WithTransport(emulator.New(emulator.Options{Token: "t"})), client.WithRecorder(j),
	)
	if err != nil {
		t.Fatal(err)
	}
	look, err := theme.New("dark", colorprofile.TrueColor, false)
	if err != nil {
		t.Fatal(err)
	}
	loop := &ui.EventLoop{}
	a := account.New(t.Context(), account.Options{Executor: loop, API: api, Journal: j, Location: time.UTC})
	s, err := shell.New(
		shell.Options{Panes: Panes(a), Loop: loop, Theme: look, Preferences: shell.Preferences{StartPane: "journal"}},
	)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// With 100,000 changes in the journal, a key in any pane costs no more than 2 ms, before and after the older changes
// were read, and drawing a frame at rest no more than 1 ms.
func TestJournal_manyChangesDoNotFreezeTheLoop(t *testing.T) {
	n := 20_000
	if os.Getenv("LOOKOUT_LONG") != "" {
		n = 100_000
	}
	path := filepath.Join(t.TempDir(), "j")
	writeJournal(t, path, n)
	s := loop{newJournalShell(t, path), make(chan tea.Msg, 1000)}
	s.run(s.Init())
	s.run(s.Update(tea.WindowSizeMsg{Width: 120, Height: 40}))
	s.wait(300 * time.Millisecond)
	check := func(what string) {
		faulttest.RunCase(t, "I5", fmt.Sprint(n, " changes, ", what), func(t *testing.T) {
			for _, key := range uitest.Keys("jk3j") {
				press := func() time.Duration { return s.press(key) }
				if took := fastestOf(15, press); took > 2*time.Millisecond*slowMachine {
					t.Errorf("key %s takes %v", key, took)
				}
			}
			draw := func() time.Duration {
				began := time.Now()
				s.Frame()
				return time.Since(began)
			}
			if took := fastestOf(20, draw); took > time.Millisecond*slowMachine {
				t.Errorf("a frame takes %v", took)
			}
		})
	}
	check("first page")
	began := time.Now()
	for _, key := range uitest.Keys(":journal<enter>G") {
		s.press(key)
	}
	oldest := func() bool { return strings.Contains(ansi.Strip(s.Frame().Content), "contact 19 ") }
	for !oldest() && time.Since(began) < 5*time.Minute {
		s.wait(20 * time.Millisecond)
	}
	t.Logf("all pages read in %v", time.Since(began))
	if !oldest() {
		t.Errorf("the oldest changes are not there:\n%s", ansi.Strip(s.Frame().Content))
	}
	check("every page")
}

// slowMachine is how many times slower a machine that runs other tests may be.
const slowMachine = 4

// A loop runs a program's commands as Bubble Tea does.
type loop struct {
	*shell.Shell
	messages chan tea.Msg
}

// run starts a command. Its message is handled when the loop waits.
func (l loop) run(cmd tea.Cmd) {
	if cmd != nil {
		go func() { l.messages <- cmd() }()
	}
}

// wait handles messages until none arrives for a while.
func (l loop) wait(idle time.Duration) {
	for {
		select {
		case msg := <-l.messages:
			if batch, ok := msg.(tea.BatchMsg); ok {
				for _, cmd := range batch {
					l.run(cmd)
				}
			} else if msg != nil {
				l.run(l.Update(msg))
			}
		case <-time.After(idle):
			return
		}
	}
}

// press types a key, and returns how long it takes until its frame is there.
func (l loop) press(k tea.KeyPressMsg) time.Duration {
	began := time.Now()
	cmd := l.Update(k)
	l.Frame()
	took := time.Since(began)
	l.run(cmd)
	l.wait(0)
	return took
}

// fastestOf returns the shortest time that several calls report: other programs can make a call slow, but not fast.
func fastestOf(calls int, call func() time.Duration) time.Duration {
	fastest := call()
	for range calls - 1 {
		fastest = min(fastest, call())
	}
	return fastest
}

// Taking up what earlier runs have left reads none of the older changes in the event loop. Their file is gone here, so
// reading it is reported as a problem: by the commands, and not before they run.
func TestJournal_openingReadsNoOlderChanges(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "j")
	writeJournal(t, path, 20_000)
	open := func() *journal.Journal {
		j, err := journal.Open(path, "a", time.Now)
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	open().Close() // the first start moves the older changes to a file of their own
	j := open()
	t.Cleanup(func() { j.Close() })
	if err := os.Remove(path + ".000001"); err != nil {
		t.Fatal(err)
	}
	api, err := client.New(
		"https://api.example.test/v4", client.NewSecret("t"),
		client.WithTransport(emulator.New(emulator.Options{Token: "t"})), client.WithRecorder(j),
	)
	if err != nil {
		t.Fatal(err)
	}
	loop := &ui.EventLoop{}
	a := account.New(t.Context(), account.Options{Executor: loop, API: api, Journal: j, Location: time.UTC})
	OnOpen(a)
	if err := j.Problem(); err != nil {
		t.Errorf("the event loop has read older changes: %v", err)
	}
	loop.Take()
	a.WatchEarlierChanges()
	if loop.Take()(); j.Problem() == nil {
		t.Error("the command has read no older changes")
	}
}
