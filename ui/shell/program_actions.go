package shell

import (
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/cli/browser"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/terminal"
)

// actionCache are the program's actions as they were made last, and what they were made for.
type actionCache struct {
	actions []ui.Action
	paused  bool
	undo    *ui.Action
}

// programActions are the actions that are there in every pane. They are asked for with every key and made when they
// change.
func (s *Shell) programActions() []ui.Action {
	if paused := s.clock.paused(); s.actionCache.actions == nil || s.actionCache.paused != paused ||
		s.actionCache.undo != s.news.undo {
		s.actionCache = actionCache{
			s.applyReadOnly(s.applyKeyOverrides("program", s.buildProgramActions())),
			paused,
			s.news.undo,
		}
	}
	return s.actionCache.actions
}

// paneOnlyActions are the program's actions where a pane stands alone.
func (s *Shell) paneOnlyActions() []ui.Action {
	return []ui.Action{
		{
			Key: ui.Bind("refresh", "r"),
			Do:  func() tea.Cmd { return tea.Batch(s.pane().Refresh(), s.clock.schedule(s)) },
		},
		{Key: ui.Bind("suspend", "ctrl+z"), Do: terminal.Suspend},
		{Key: ui.Bind("quit", "q"), Do: func() tea.Cmd { return terminal.Quit(0) }},
	}
}

// openPalette puts the palette in front.
func (s *Shell) openPalette() tea.Cmd {
	p := newPaletteDialog()
	p.updateEntries(s)
	s.push(p)
	return nil
}

func (s *Shell) buildProgramActions() []ui.Action {
	act := func(name, about string, show bool, do func() tea.Cmd, keys ...string) ui.Action {
		return ui.Action{
			Key:         ui.Bind(name, keys...),
			Group:       "program",
			Description: about,
			ShowInHints: show,
			Do:          do,
		}
	}
	pause := "pause refreshing"
	if s.clock.paused() {
		pause = "go on refreshing"
	}
	actions := []ui.Action{
		act(
			"help",
			"all keys of this pane; typing searches them",
			true,
			func() tea.Cmd { s.push(newHelpDialog(s.actions())); return nil },
			"?",
		),
		act("all actions", "what can be done here", true, func() tea.Cmd { s.push(s.actionsMenu()); return nil }, "a"),
		act("go to", "panes, actions and rows by name", true, s.openPalette, ":", "ctrl+p"),
		act("refresh", "", false, func() tea.Cmd { return s.refreshNow(s.pane().Refresh) }, "r"),
		act("refresh all", "", false, func() tea.Cmd { return s.refreshNow(s.refreshAll) }, "R"),
		act(pause, "nothing moves until it goes on", false, func() tea.Cmd { return s.clock.togglePause(s) }, "p"),
		act(
			"hide values",
			"hosts, addresses, phones, keys and long numbers become dots: for a shared screen",
			false,
			func() tea.Cmd { s.valuesHidden = !s.valuesHidden; return nil },
			"H",
		),
		act(
			"messages",
			"what the news lines said",
			false,
			func() tea.Cmd { s.push(&textDialog{name: "Messages", text: s.news.historyText(s)}); return nil },
			"m",
		),
		act("back", "where the last jump came from", false, s.goBack, "ctrl+o"),
		act("forward", "undoes the last way back", false, s.goForward, "alt+o"),
		act("up", "one level", false, s.goUp, "esc"),
		act(
			"switch account",
			"to another account of the configuration",
			false,
			func() tea.Cmd { s.push(s.accountMenu()); return nil },
			"C",
		),
		act(
			"mouse on or off",
			"off lets the terminal select text",
			false,
			func() tea.Cmd { s.mouse = !s.mouse; return nil },
			"M",
		),
		act("suspend", "", false, terminal.Suspend, "ctrl+z"),
		act("quit", "", false, s.quit, "q"),
	}
	if s.o.TokenForm != nil {
		actions = append(
			actions,
			act(
				"new token",
				"another token of the same account, for this run",
				false,
				func() tea.Cmd { s.openTokenForm(); return nil },
				"T",
			),
		)
	}
	if len(s.o.Accounts) < 2 {
		i := slices.IndexFunc(actions, func(a ui.Action) bool { return a.Name() == "switch account" })
		actions[i].DisabledReason = "there is one account; the configuration can hold more"
	}
	if s.news.undo != nil {
		u := *s.news.undo
		actions = append(actions, ui.Action{
			Key:    ui.Bind("undo: "+u.Name(), "u"),
			Group:  "program",
			Writes: u.Writes,
			Do: func() tea.Cmd {
				s.news.undo = nil
				return u.Do()
			},
		})
	}
	for i, t := range s.tabs {
		if i < 10 {
			actions = append(
				actions,
				ui.Action{
					Key:   ui.Bind(t.stack[0].Name(), fmt.Sprint((i+1)%10)),
					Group: "panes",
					Do:    func() tea.Cmd { return s.switchTab(i) },
				},
			)
		}
	}
	return actions
}

// switchTab brings a tab to the front as it was left.
func (s *Shell) switchTab(i int) tea.Cmd {
	if i == s.front {
		for len(s.tabs[i].stack) > 1 {
			s.popPane(s.tabs[i])
		}
		return nil
	}
	s.pushHistory()
	s.front = i
	return s.clock.schedule(s)
}

// quit leaves from the top, and goes up from anywhere else.
func (s *Shell) quit() tea.Cmd {
	if len(s.tabs[s.front].stack) > 1 {
		return s.goUp()
	}
	leave := func() tea.Cmd { return terminal.Quit(0) }
	if losses := s.leaveWarnings(); len(losses) > 0 {
		return s.askQuestion(
			ui.Action{
				Key:     ui.Bind("quit"),
				Do:      leave,
				Confirm: &ui.Confirmation{Title: "Quit", Text: strings.Join(losses, " "), ConfirmLabel: "quit"},
			},
		)
	}
	return leave()
}

func (s *Shell) refreshAll() tea.Cmd {
	var cmds []tea.Cmd
	for _, t := range s.tabs {
		cmds = append(cmds, t.top().Refresh())
	}
	return tea.Batch(cmds...)
}

func (s *Shell) actionsMenu() *menuDialog {
	m := &menuDialog{name: "Actions"}
	for _, a := range s.actions() {
		if a.Group != "move" && a.Group != "panes" {
			m.actions = append(m.actions, a)
		}
	}
	return m
}

// openBrowser opens an address where there is a browser, and shows it elsewhere.
func openBrowser(url string) tea.Cmd {
	return func() tea.Msg {
		browser.Stdout, browser.Stderr = io.Discard, io.Discard
		if err := browser.OpenURL(url); err != nil {
			return ui.ShowTextMsg{Title: "No browser here: the address", Text: url}
		}
		return ui.NewsMsg{Text: "opened in the browser", Tone: theme.Good}
	}
}

// runProgram lends the terminal to another program. Its arguments are a list; no shell reads them.
func runProgram(x ui.ExecMsg) tea.Cmd {
	return terminal.Exec(exec.Command(x.Name, x.Args...), func(err error) tea.Msg {
		if err != nil {
			return ui.NewsMsg{Text: x.Name + " ended: " + err.Error(), Tone: theme.Warn}
		}
		return ui.NewsMsg{Text: x.Name + " ended", Tone: theme.Good}
	})
}
