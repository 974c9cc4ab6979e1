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

// own are the program's actions as they were made last, and what they were made for.
type own struct {
	actions []ui.Action
	paused  bool
	undo    *ui.Action
}

// program are the actions that are there in every pane. They are asked for with every key and made when they change.
func (s *Shell) program() []ui.Action {
	if paused := s.clock.paused(); s.own.actions == nil || s.own.paused != paused || s.own.undo != s.news.undo {
		s.own = own{s.granted(s.rebound("program", s.programActions())), paused, s.news.undo}
	}
	return s.own.actions
}

// bare are the program's actions where a pane stands alone.
func (s *Shell) bare() []ui.Action {
	return []ui.Action{
		{Key: ui.Bind("refresh", "r"), Do: func() tea.Cmd { return tea.Batch(s.pane().Refresh(), s.clock.arm(s)) }},
		{Key: ui.Bind("suspend", "ctrl+z"), Do: terminal.Suspend},
		{Key: ui.Bind("quit", "q"), Do: func() tea.Cmd { return terminal.Quit(0) }},
	}
}

// choosePlace puts the palette in front.
func (s *Shell) choosePlace() tea.Cmd {
	p := newPalette()
	p.find(s)
	s.push(p)
	return nil
}

func (s *Shell) programActions() []ui.Action {
	act := func(name, about string, show bool, do func() tea.Cmd, keys ...string) ui.Action {
		return ui.Action{Key: ui.Bind(name, keys...), Group: "program", About: about, Show: show, Do: do}
	}
	pause := "pause refreshing"
	if s.clock.paused() {
		pause = "go on refreshing"
	}
	actions := []ui.Action{
		act("help", "all keys of this pane; typing searches them", true, func() tea.Cmd { s.push(newHelp(s.actions())); return nil }, "?"),
		act("all actions", "what can be done here", true, func() tea.Cmd { s.push(s.allActions()); return nil }, "a"),
		act("go to", "panes, actions and rows by name", true, s.choosePlace, ":", "ctrl+p"),
		act("refresh", "", false, func() tea.Cmd { return s.resume(s.pane().Refresh) }, "r"),
		act("refresh all", "", false, func() tea.Cmd { return s.resume(s.refreshAll) }, "R"),
		act(pause, "nothing moves until it goes on", false, func() tea.Cmd { return s.clock.pause(s) }, "p"),
		act("hide values", "hosts, addresses, phones, keys and long numbers become dots: for a shared screen", false, func() tea.Cmd { s.hidden = !s.hidden; return nil }, "H"),
		act("messages", "what the news lines said", false, func() tea.Cmd { s.push(&sheet{name: "Messages", text: s.news.all(s)}); return nil }, "m"),
		act("back", "where the last jump came from", false, s.jump, "ctrl+o"),
		act("forward", "undoes the last way back", false, s.forward, "alt+o"),
		act("up", "one level", false, s.back, "esc"),
		act("switch account", "to another account of the configuration", false, func() tea.Cmd { s.push(s.accountMenu()); return nil }, "C"),
		act("mouse on or off", "off lets the terminal select text", false, func() tea.Cmd { s.mouse = !s.mouse; return nil }, "M"),
		act("suspend", "", false, terminal.Suspend, "ctrl+z"),
		act("quit", "", false, s.quit, "q"),
	}
	if s.o.Token != nil {
		actions = append(actions, act("new token", "another token of the same account, for this run", false, func() tea.Cmd { s.askToken(); return nil }, "T"))
	}
	if len(s.o.Accounts) < 2 {
		i := slices.IndexFunc(actions, func(a ui.Action) bool { return a.Name() == "switch account" })
		actions[i].Off = "there is one account; the configuration can hold more"
	}
	if s.news.undo != nil {
		u := *s.news.undo
		actions = append(actions, ui.Action{Key: ui.Bind("undo: "+u.Name(), "u"), Group: "program", Change: u.Change, Do: func() tea.Cmd {
			s.news.undo = nil
			return u.Do()
		}})
	}
	for i, t := range s.tabs {
		if i < 10 {
			actions = append(actions, ui.Action{Key: ui.Bind(t.stack[0].Name(), fmt.Sprint((i+1)%10)), Group: "panes", Do: func() tea.Cmd { return s.toTab(i) }})
		}
	}
	return actions
}

// toTab brings a tab to the front as it was left.
func (s *Shell) toTab(i int) tea.Cmd {
	if i == s.front {
		for len(s.tabs[i].stack) > 1 {
			s.pop(s.tabs[i])
		}
		return nil
	}
	s.remember()
	s.front = i
	return s.clock.arm(s)
}

// quit leaves from the top, and goes up from anywhere else.
func (s *Shell) quit() tea.Cmd {
	if len(s.tabs[s.front].stack) > 1 {
		return s.back()
	}
	leave := func() tea.Cmd { return terminal.Quit(0) }
	if losses := s.losses(); len(losses) > 0 {
		return s.ask(ui.Action{Key: ui.Bind("quit"), Do: leave, Ask: &ui.Question{Title: "Quit", Text: strings.Join(losses, " "), Yes: "quit"}})
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

func (s *Shell) allActions() *menu {
	m := &menu{name: "Actions"}
	for _, a := range s.actions() {
		if a.Group != "move" && a.Group != "panes" {
			m.actions = append(m.actions, a)
		}
	}
	return m
}

// browse opens an address where there is a browser, and shows it elsewhere.
func browse(url string) tea.Cmd {
	return func() tea.Msg {
		browser.Stdout, browser.Stderr = io.Discard, io.Discard
		if err := browser.OpenURL(url); err != nil {
			return ui.Show{Title: "No browser here: the address", Text: url}
		}
		return ui.Say{Text: "opened in the browser", Tone: theme.Good}
	}
}

// runProgram lends the terminal to another program. Its arguments are a list; no shell reads them.
func runProgram(x ui.Exec) tea.Cmd {
	return terminal.Exec(exec.Command(x.Name, x.Args...), func(err error) tea.Msg {
		if err != nil {
			return ui.Say{Text: x.Name + " ended: " + err.Error(), Tone: theme.Warn}
		}
		return ui.Say{Text: x.Name + " ended", Tone: theme.Good}
	})
}
