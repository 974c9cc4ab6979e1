package shell

import (
	"os/exec"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/cli/browser"

	"lookout/client/visible"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/terminal"
)

// programActions builds the actions that every pane has. They are read with every key and rebuilt only when they
// change.
type programActions struct {
	built ui.Memo[programState, []ui.Action]
}

// programState is what the program's actions depend on.
type programState struct {
	paused bool
	undo   *ui.Action
	noUndo string // why there is none
}

// actions returns the program's actions with the user's keys.
func (p *programActions) actions(s *Shell) []ui.Action {
	now := programState{s.clock.paused(), s.status.current.Undo, s.status.noUndo}
	return p.built.Get(now, func() []ui.Action { return s.policy.apply("program", p.build(s)) })
}

// build returns the actions in the order in which help lists them.
func (p *programActions) build(s *Shell) []ui.Action {
	pause := "pause refreshing"
	if s.clock.paused() {
		pause = "resume refreshing"
	}
	show := func(open func() dialog) func() tea.Cmd {
		return func() tea.Cmd { s.dialogs.push(open()); return nil }
	}
	travel := func(move func() bool, end string) func() tea.Cmd {
		return func() tea.Cmd {
			if !move() {
				return showPaneStatus(theme.Info, end)
			}
			return nil
		}
	}
	const goToAbout = `find a pane, row, ticket or phone number, or run an action on a row: "disable web-1"`
	help := func() dialog { return newHelpDialog(s.pane().Name(), s.actions()) }
	all := func() dialog { return actionsMenu(s.pane().Name(), s.actions()) }
	messages := func() dialog { return newTextDialog("Messages", s.status.historyText(s.o.Location)) }
	mouse := func() tea.Cmd { s.mouse = !s.mouse; return nil }
	refresh := func() tea.Cmd { return s.refreshNow(s.pane().Refresh) }
	refreshAll := func() tea.Cmd { return s.refreshNow(s.tabs.refreshAll) }
	togglePause := func() tea.Cmd { return s.clock.togglePause(s) }
	back := travel(s.tabs.goBack, "no earlier place to go back to")
	forward := travel(s.tabs.goForward, "nothing to go forward to")
	actions := []ui.Action{
		programAction("help", "all keys of this pane; type to search them", show(help), "?"),
		programAction(allActionsName, "everything this pane can do", show(all), "a"),
		programAction(goToName, goToAbout, show(s.newPalette), ":", "ctrl+p"),
		programAction("refresh", "", refresh, "r"),
		programAction("refresh all", "", refreshAll, "R"),
		programAction(pause, "stop the automatic reads until you press the key again", togglePause, "p"),
		programAction(messagesName, "all status messages so far", show(messages), "m"),
		programAction("back", "return to where you last jumped from", back, "ctrl+o"),
		programAction("forward", "go forward again after going back", forward, "alt+o"),
		programAction("up", "go back up one level", s.goUp, "esc"),
		s.o.AccountInfo.allAccountsAction(),
		s.switchAccountAction(),
		programAction("mouse on or off", "turn it off to select text with the terminal", mouse, "M"),
		programAction(suspendName, "", terminal.Suspend, "ctrl+z"),
		programAction("quit", "", func() tea.Cmd { return p.quit(s) }, "q"),
	}
	for i := range 3 {
		actions[i].ShowInHints = true
	}
	if s.o.TokenForm != nil {
		about := "use another token for the same account until you quit"
		ask := func() tea.Cmd { s.openTokenForm(); return nil }
		actions = append(actions, programAction("new token", about, ask, "T"))
	}
	actions = append(actions, s.undoAction())
	for i, key := range s.tabKeys() {
		if key != "" {
			a := s.tabAction(i)
			a.Key = ui.Bind(a.Name(), key)
			actions = append(actions, a)
		}
	}
	return actions
}

// switchAccountAction offers the other accounts.
func (s *Shell) switchAccountAction() ui.Action {
	menu := func() tea.Cmd { s.dialogs.push(s.o.AccountInfo.accountMenu()); return nil }
	a := programAction("switch account", "choose another account from the configuration", menu, "C")
	if a.ShowInHints = len(s.o.Accounts) >= 2; !a.ShowInHints {
		a.DisabledReason = "there is only one account · the configuration can hold more"
	}
	return a
}

// programAction returns an action of the group "program".
func programAction(name, about string, do func() tea.Cmd, keys ...string) ui.Action {
	return ui.Action{
		Key:         ui.Bind(name, keys...),
		Group:       "program",
		Description: about,
		Do:          do,
	}
}

// Names of actions that do not list themselves.
const (
	allActionsName = "all actions"
	goToName       = "go to"
)

// suspendName is the action that gives the terminal to the shell.
const suspendName = "suspend"

// suspends reports whether a key suspends the program: in front of a dialog or where text is typed too, unless it is a
// character.
func (p *programActions) suspends(s *Shell, k tea.KeyPressMsg) bool {
	if k.Text != "" {
		return false
	}
	a, found := actionOf(k, slices.Values(p.here(s)))
	return found && a.ID() == suspendName
}

// here returns the program's actions for what is shown: everything, or one pane alone.
func (p *programActions) here(s *Shell) []ui.Action {
	if s.o.PaneOnly {
		return p.paneOnlyActions(s)
	}
	return p.actions(s)
}

// messagesName is the action that shows all messages.
const messagesName = "messages"

// undoName is the name under which the configuration binds the key for undo.
const undoName = "undo"

// undoAction undoes the last change, or says why nothing can be undone.
func (s *Shell) undoAction() ui.Action {
	a := programAction(undoName, "undo the last change, up to a minute after it", nil, "u")
	undo := s.status.current.Undo
	if a.Writes = true; undo == nil {
		a.DisabledReason = "nothing to undo" + wording.WithPrefix("; ", s.status.noUndo)
		return a
	}
	a.ShownName, a.Writes, a.OpensView = "undo: "+undo.Name(), undo.Writes, undo.OpensView
	a.Do = func() tea.Cmd {
		s.status.endUndo()
		return undo.Do()
	}
	return a
}

// programKey returns the key of an action of the program, as it is shown.
func (s *Shell) programKey(name, key string) string {
	if keys := s.policy.keys["program."+name]; len(keys) > 0 {
		return ui.KeyLabel(keys[0])
	}
	return key
}

// tabGroup is the group of the actions that bring a tab to the front.
const tabGroup = "panes"

// tabAction brings a tab to the front.
func (s *Shell) tabAction(i int) ui.Action {
	return ui.Action{
		Key:   ui.Bind(s.tabs.list[i].name()),
		Group: tabGroup,
		Do: func() tea.Cmd {
			s.tabs.switchTo(i)
			return nil
		},
	}
}

// paneOnlyActions returns the program's actions for a pane that is shown alone.
func (p *programActions) paneOnlyActions(s *Shell) []ui.Action {
	refresh := func() tea.Cmd {
		s.pane().Refresh()
		return s.clock.schedule(s)
	}
	return []ui.Action{
		{Key: ui.Bind("refresh", "r"), Do: refresh},
		{Key: ui.Bind(suspendName, "ctrl+z"), Do: terminal.Suspend},
		{Key: ui.Bind("quit", "q"), Do: func() tea.Cmd { return terminal.Quit(0) }},
	}
}

// quit leaves the program from the top level, and goes up one level from anywhere else.
func (p *programActions) quit(s *Shell) tea.Cmd {
	if len(s.tabs.current().stack) > 1 {
		return s.goUp()
	}
	leave := ui.Action{Key: ui.Bind("quit"), Do: func() tea.Cmd { return terminal.Quit(0) }}
	losses := s.leaveWarnings()
	if len(losses) == 0 {
		return s.startAction(leave)
	}
	if handOver := s.handOver(); handOver != nil {
		leave.Key = ui.Bind("quit anyway", "y")
		return ui.Send(ui.OpenMenuMsg{
			Title:   "Quit",
			Text:    losses,
			Actions: []ui.Action{*handOver, leave, {Key: ui.Bind("stay", "n"), Do: func() tea.Cmd { return nil }}},
		})
	}
	leave.Confirm = &ui.Confirmation{Title: "Quit", Text: strings.Join(losses, " "), ConfirmLabel: "quit"}
	return s.startAction(leave)
}

// openURL opens an address in the browser. If its host is neither the provider's nor the account's own, it asks first:
// a server may have written the address.
func (s *Shell) openURL(raw string) tea.Cmd {
	address, err := ui.ParseWebAddress(raw)
	if err != nil {
		return ui.ShowStatus(theme.Warn, "not opened in the browser: "+err.Error())
	}
	open := ui.Action{Key: ui.Bind("open it"), Do: func() tea.Cmd { return openBrowser(address.URL) }}
	if !slices.Contains(s.o.KnownHosts, address.Host) {
		open.Confirm = &ui.Confirmation{
			Title: "Open in the browser",
			Text: "This address leads to " + address.Host +
				", which is neither the provider's nor this account's host.",
		}
	}
	return s.startAction(open)
}

// openBrowser opens an address in the browser, or shows it if there is no browser. The program has redirected the
// browser's output, which would cover the screen.
func openBrowser(url string) tea.Cmd {
	return func() tea.Msg {
		if err := browser.OpenURL(url); err != nil {
			return ui.ShowTextMsg{Title: "No browser found: open this address", Text: url}
		}
		return ui.StatusMsg{Text: "opened in the browser", Tone: theme.Good}
	}
}

// runProgram lends the terminal to another program. Its arguments are a list; no shell reads them.
func runProgram(x ui.RunProgramMsg) tea.Cmd {
	line := visible.Show("lookout runs " + strings.Join(append([]string{x.Name}, x.Args...), " "))
	return terminal.Exec(exec.Command(x.Name, x.Args...), line, func(err error) tea.Msg {
		if err != nil {
			return ui.StatusMsg{Text: x.Name + " ended: " + err.Error(), Tone: theme.Warn}
		}
		return ui.StatusMsg{Text: x.Name + " ended", Tone: theme.Good}
	})
}

// runCustomCommand runs a program of the user's on a row. On a protected account it asks first.
func (s *Shell) runCustomCommand(msg ui.RunCustomCommandMsg) tea.Cmd {
	if msg.Err != nil {
		return ui.ShowStatus(theme.Warn, msg.Label+": "+msg.Command.Name+" was not run: "+visible.Show(msg.Err.Error()))
	}
	run := ui.Action{Key: ui.Bind(msg.Command.Name), Do: func() tea.Cmd { return s.startCustomCommand(msg) }}
	if s.o.Protected {
		run.Confirm = &ui.Confirmation{
			Title: msg.Command.Name + ": " + msg.Label,
			Text: "On the account " + s.o.Account + ", which is protected, this runs " + ui.ShellJoin(
				msg.Argv...) + ".",
			ConfirmLabel: "run",
		}
	}
	return s.startAction(run)
}

// startCustomCommand runs the program and shows its output where the user wants it.
func (s *Shell) startCustomCommand(msg ui.RunCustomCommandMsg) tea.Cmd {
	name := msg.Label + ": " + msg.Command.Name
	if msg.Command.Output == ui.OutputTerminal {
		return runProgram(ui.RunProgramMsg{Name: msg.Argv[0], Args: msg.Argv[1:]})
	}
	return ui.WhileWorking(name+" is running", func() tea.Msg {
		out, err := terminal.RunCommand(s.ctx, msg.Argv, msg.Row)
		out = showOutput(out)
		tone, ended := theme.Good, ""
		if err != nil {
			tone, ended = theme.Bad, ": "+err.Error()
		}
		if msg.Command.Output == ui.OutputDialog && out != "" {
			return ui.ShowTextMsg{Title: visible.Show(name + ended), Text: out}
		}
		first, _, _ := strings.Cut(out, "\n")
		if first == "" && err == nil {
			first = "ended without output"
		}
		if first != "" {
			ended += ": " + first
		}
		return ui.StatusMsg{Text: visible.Show(name + ended), Tone: tone}
	})
}

// showOutput returns what a program wrote as text that can be drawn: without colours, hidden characters made visible.
func showOutput(out string) string {
	out = strings.ReplaceAll(visible.MaskKeys(ansi.Strip(out)), "\t", "    ")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for i, line := range lines {
		lines[i] = visible.Show(strings.TrimRight(line, "\r "))
	}
	return strings.Join(lines, "\n")
}
