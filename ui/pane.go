// Package ui holds the types that panes are written with: Pane, Box, Action, Store. It knows no resource and no API.
package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client/lists"
	"lookout/theme"
)

// Pane is one view of the account: it draws itself into a box and says what can be done.
type Pane interface {
	Name() string           // "services": the tab, the palette entry, the prefix of its actions' names
	Info() Info             // what it tells about itself
	Actions() []Action      // what can be done here and now, nearest first
	Update(tea.Msg) tea.Cmd // input that no action took: filter text, paste, wheel, click
	View(Box) string        // fills the box; the shell fits what does not
	Refresh()               // reads what it shows again
}

// Box is the space that a pane has in a frame, and how to draw in it.
type Box struct {
	Width, Height int
	Focused       bool
	TextOnly      bool // no drawings: charts show only their figures
	Motion        bool // rows that have just changed are tinted
	Theme         *theme.Theme
	Now           time.Time
}

// DrawRow draws the lines that show a row outside a table, on the tint of the tone Flash if the row has just changed.
func (b Box) DrawRow(changed bool, draw func(Box) []string) []string {
	if !changed || !b.Motion {
		return draw(b)
	}
	var around theme.EscapeCodes
	b.Theme, around = b.Theme.OnFlash()
	lines := draw(b)
	for n, line := range lines {
		lines[n] = around.Open + Pad(line, b.Width) + around.Close
	}
	return lines
}

// Info is what a pane tells about itself, for the lines around it.
type Info struct {
	Crumb         string          // its name in the breadcrumbs once it is on a stack: "issue 823"
	Typing        bool            // text can be typed in it: no key is a command
	Freshness     lists.Freshness // of its rows; Loaded without a time if it reads nothing
	ReadOnRequest bool            // it is read again only when the user asks, not by the clock
	HighlightLeft time.Duration   // how long rows that have just changed are still tinted; 0 if none is
	Status        func() []string // mode and counts, the most important first: "3 of 14", "2 marked"; nil for none
	Missing       func() []string // names the lists that it joins with and lacks: "contacts: 503"; nil for none
}

// Closer is a pane that cancels its requests when it is taken off the stack.
type Closer interface{ OnClose() }

// Loader is a pane that reads what its last frame lacked.
type Loader interface{ LoadMissing() }

// AutoRefresher is a pane that reads less when the clock refreshes it than when the user does.
type AutoRefresher = lists.Poller

// TabPlacement is where a tab stands in the tab bar.
type TabPlacement struct {
	Area string // "Managed": tabs of an area stand together, and collapse to its name where there is no room
	Key  string // the key that brings it to the front; "" takes the next digit that is free
}

// BookmarkProvider is a pane with bookmarks that the palette offers.
type BookmarkProvider interface{ Bookmarks() []Action }

// ListPane is a pane with the rows of a list, which the palette offers too.
type ListPane interface {
	Pane
	RowFinder
	Badge() (text string, importance theme.Tone) // stands on its tab: "3"
	Settled() bool                               // the rows are all there and in order: keys that wait for them may go
	Select(id string) bool                       // moves the cursor to a row, and reports whether it is there
	Hides(RowRef) bool                           // reports whether the filter hides a row
	RowlessActions() []Action                    // those that need no row, offered from everywhere: "new contact"
	ColumnNames() []string
	ChooseColumns(names []string) (unknown []string)
	SaveState() PaneState
	RestoreState(PaneState)
}

// RowFinder is the rows of a pane as the palette finds them. Find returns at most limit rows, with clean labels, and
// Action an action on one row: "disable web-1".
type RowFinder interface {
	Find(text string, limit int) []PaletteRow
	Version() int  // changes with the rows
	Loaded() bool  // they have been read
	EnsureLoaded() // reads them, unless somebody has asked for them
	ActionNames() []string
	Action(name, id string) (Action, bool)
}

// PaletteRow is a row that the palette offers.
type PaletteRow struct {
	Label   string      // "billing-api"
	FoundBy string      // what fits the text better than the label: "ticket 48213"
	ID      string      // identity in its pane
	Open    func() Pane // opened over its pane; nil opens nothing
}

// Notification is something that the user should know without having asked.
type Notification struct {
	Rule string // its kind: "new issue"
	Text string
	Tone theme.Tone
}

// PaneState is what the user has chosen in a pane. It is kept while another account is shown.
type PaneState struct {
	Filter  string
	SortBy  string // title of a column; empty is the pane's own order
	Reverse bool
	Row     string // identity of the row under the cursor
}

// Refresher is anything that can be read again: a pane or a store.
type Refresher = lists.Refresher

// Messages by which a pane asks the shell for something. A pane returns them from a command.
type (
	// StatusMsg shows a status message, and offers Undo unless it is nil. Undo.Object names the rows.
	StatusMsg struct {
		Text          string
		Tone          theme.Tone
		Undo          *Action
		NoUndo        string          // why a change that ReportsChange has no Undo; "" says that it cannot be undone
		ReportsChange bool            // something was changed or may have been, so no older change can be undone
		Row           RowRef          // the one row that it is about, if any
		Work          *BackgroundWork // the message is shown as long as this lasts; nil shows it for a while
		OnlyForPane   bool            // the message goes as soon as another pane or dialog is in front
		Outdated      func() bool     // called just before the message is shown: true drops it; nil drops nothing
		ShowsProgress bool            // it says that work has begun: the progress follows, if there is room
	}
	// WorkEndedMsg removes the message about work that has ended, and delivers its result.
	WorkEndedMsg struct {
		Work   *BackgroundWork
		Result tea.Msg
	}
	// StatusListMsg shows several status messages; the last one stays in sight.
	StatusListMsg []StatusMsg
	// RowRef names a row of a store. The zero RowRef names none.
	RowRef struct {
		Store any
		ID    string
	}
	// OpenPaneMsg opens a pane on the tab's stack.
	OpenPaneMsg struct{ Pane Pane }
	// ClosePaneMsg closes the pane on top of the tab's stack.
	ClosePaneMsg struct{}
	// RunActionMsg asks an action's question, or runs the action if it has none.
	RunActionMsg struct{ Action Action }
	// GoToMsg switches to the tab with a name and moves its cursor to a row, unless ID is empty. Then it opens
	// ThenOpen, unless that is nil.
	GoToMsg struct {
		Pane, ID string
		ThenOpen Pane
	}
	// CopyMsg sends text, whole, to the clipboard. Label names it in the message: "e-mail address".
	CopyMsg struct {
		Text, Label string
		Secret      bool // it must not stay in the buffers of programs that pass it on
	}
	// OpenURLMsg opens an address in the browser, or shows it if there is none. The shell asks first unless it knows
	// the host.
	OpenURLMsg struct{ URL string }
	// OpenMenuMsg opens a choice of actions.
	OpenMenuMsg struct {
		Title   string
		Text    []string // sentences above the actions
		Actions []Action
	}
	// SwitchAccountMsg asks for another account, by its name.
	SwitchAccountMsg struct {
		Account string
		Reopen  bool // the account in front cannot go on: it is opened again without a question
	}
	// RefreshMsg refreshes the pane in front.
	RefreshMsg struct{}
	// ShowTextMsg opens text that can be scrolled and copied: a row as JSON, a call sheet.
	ShowTextMsg struct{ Title, Text string }
)

// CopyItem is text that the copy menu offers: a command line, a request.
type CopyItem struct{ Name, Key, Text string }

// ShowSecretMsg is the message that shows a secret which the API returns only once. It is drawn as dots, and forgotten
// once its dialog is closed.
type ShowSecretMsg struct {
	Title   string
	Text    string        // what it is, above it
	Details [][2]string   // label and value of what belongs to it and is not secret
	Name    string        // "secret key"
	Reveal  func() string // returns the secret
	Formats []SecretFileFormat
	// Closed is called after the user has closed the dialog; kept is set if the secret was saved to a file, or if the
	// user has typed that it is kept elsewhere. May be nil.
	Closed func(kept bool) tea.Cmd
}

// SecretFileFormat is one way to write a secret to a file.
type SecretFileFormat struct {
	Name  string // "rclone remote"
	Path  string // proposed
	Write func(path string) error
}

// Send returns a command that delivers a message at once.
func Send(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }

// ClosePane returns a command that closes the pane in front.
func ClosePane() tea.Cmd { return Send(ClosePaneMsg{}) }

// ShowStatus returns a command that shows a status message in a tone.
func ShowStatus(tone theme.Tone, text string) tea.Cmd { return Send(StatusMsg{Text: text, Tone: tone}) }

// ReportChange shows how a change that cannot be undone has ended.
func ReportChange(tone theme.Tone, text string) tea.Cmd {
	return Send(StatusMsg{Text: text, Tone: tone, ReportsChange: true})
}

// BackgroundWork is work that a status message reports until it has ended. Only the event loop may use it.
type BackgroundWork struct {
	Ended bool
	Shown bool // its message was shown; what follows replaces that, unless another message has
}

// WhileWorking returns a command that works off the event loop, and shows a status message until the work has ended.
func WhileWorking(text string, work tea.Cmd) tea.Cmd {
	w := &BackgroundWork{}
	return tea.Batch(
		Send(StatusMsg{Text: text, Tone: theme.Info, Work: w}),
		func() tea.Msg { return WorkEndedMsg{w, work()} },
	)
}

// ProgressInterval is the time between two reports of work.
const ProgressInterval = 100 * time.Millisecond

// WhileReporting is WhileWorking with a message that changes: progress says how far the work is. It runs on the event
// loop.
func WhileReporting(progress func() string, work tea.Cmd) tea.Cmd {
	w := &BackgroundWork{}
	return tea.Batch(Send(workProgressed{w, progress}), func() tea.Msg { return WorkEndedMsg{w, work()} })
}

// workProgressed says that work may have come further.
type workProgressed struct {
	work     *BackgroundWork
	progress func() string
}

// Deliver reports the progress, again and again until the work has ended.
func (m workProgressed) Deliver() tea.Cmd {
	if m.work.Ended {
		return nil
	}
	return tea.Batch(
		Send(StatusMsg{Text: m.progress(), Tone: theme.Info, Work: m.work}),
		tea.Tick(ProgressInterval, func(time.Time) tea.Msg { return m }),
	)
}

// RunProgramMsg lends the terminal to another program. No shell reads its arguments.
type RunProgramMsg struct {
	Name string
	Args []string
}
