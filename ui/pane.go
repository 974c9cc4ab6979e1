// Package ui is the vocabulary that panes are written in: sets of rows, lists, forms, actions, charts. It knows no
// resource and no API.
package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
)

// A Pane is one window on the state. It draws what it is told to draw into and says what can be done.
type Pane interface {
	Name() string           // "services": the tab, the palette entry, the prefix of its actions' names
	Actions() []Action      // what can be done here and now, nearest first
	Update(tea.Msg) tea.Cmd // input that no action took: filter text, paste, wheel, click
	View(Box) string        // fills the box; Box.Fit may be left to the shell
	Refresh() tea.Cmd       // ask again for what it shows
}

// A Box is the room a pane has in this frame, and the light in it.
type Box struct {
	Width, Height int
	Focused       bool
	TextOnly      bool // no drawings: charts are told by their figures
	Theme         *theme.Theme
	Now           time.Time
}

// Typer is a pane that may have the keyboard for text. While Typing no key is a command.
type Typer interface{ Typing() bool }

// Closer is a pane that wants to know that it was taken off the stack: it cancels what it asked.
type Closer interface{ OnClose() }

// FreshnessReporter is a pane that says how fresh its rows are.
type FreshnessReporter interface{ Freshness() Freshness }

// Poller is a pane that asks for less when the clock asks than when somebody does.
type Poller interface{ Poll() tea.Cmd }

// Badger is a pane with something to say on its tab: a count ("3") and how much it matters.
type Badger interface {
	Badge() (string, theme.Tone)
}

// Crumber is a pane on a stack that says where it stands: "issue 823".
type Crumber interface{ Crumb() string }

// Selector is a pane that can put its cursor on the row with an identity. It says whether it has the row.
type Selector interface{ Select(id string) bool }

// Finder is a pane whose rows the palette may offer. Labels are clean and at most limit are given.
type Finder interface {
	Find(text string, limit int) []SearchResult
}

// ColumnChooser is a pane with columns that the user can choose and put in order.
type ColumnChooser interface {
	Name() string
	ColumnNames() []string
	ChooseColumns(names []string) (unknown []string)
}

// Hider is a pane that may hide a row by a filter.
type Hider interface{ Hides(RowRef) bool }

// A SearchResult is somewhere the palette can go.
type SearchResult struct {
	Label string // "billing-api"
	ID    string // identity in its pane
}

// A Notice is news of something that somebody should know of though they did not ask.
type Notice struct {
	Rule string // what kind it is: "new issue"
	Text string
	Tone theme.Tone
}

// PaneState is what the user has chosen in a pane: kept while its account is away.
type PaneState struct {
	Filter  string
	SortBy  string // title of a column; empty is the pane's own order
	Reverse bool
	Row     string // identity of the row at the cursor
}

// StateSaver is a pane whose choices can be kept and made again.
type StateSaver interface {
	SaveState() PaneState
	RestoreState(PaneState)
}

// Refresher is anything that can be asked again: a pane or a set.
type Refresher interface{ Refresh() tea.Cmd }

// What a pane may ask of the shell. Each is a message: return it from a command.
type (
	// NewsMsg is a line of news. Undo, when it is there, is offered with it.
	NewsMsg struct {
		Text string
		Tone theme.Tone
		Undo *Action
		Row  RowRef // what it is about, where that is one row that should be in sight now
	}
	// RowRef is a row of a set, by its identity; an empty one is none.
	RowRef struct {
		Store any
		ID    string
	}
	// OpenPaneMsg pushes a pane on the tab's stack.
	OpenPaneMsg struct{ Pane Pane }
	// ClosePaneMsg takes the front pane off the tab's stack.
	ClosePaneMsg struct{}
	// RunActionMsg puts the question of an action in front, or does the action where it asks nothing.
	RunActionMsg struct{ Action Action }
	// GoToMsg switches to the tab of a name and puts its cursor on a row. An empty ID leaves the cursor alone. Then,
	// where there is one, is opened on it.
	GoToMsg struct {
		Pane, ID string
		ThenOpen Pane
	}
	// CopyMsg puts text on the clipboard. What names it in the news: "e-mail address".
	CopyMsg struct{ Text, Label string }
	// OpenURLMsg opens an address in the browser, or shows it where there is none.
	OpenURLMsg struct{ URL string }
	// Menu puts a choice of actions in front.
	Menu struct {
		Title   string
		Actions []Action
	}
	// RefreshMsg reads the front pane anew.
	RefreshMsg struct{}
	// ShowTextMsg puts text in front that can be scrolled and copied: a row as JSON, a call sheet.
	ShowTextMsg struct{ Title, Text string }
)

// CopyItem is a text that the copy menu offers: a command line, a request.
type CopyItem struct{ Name, Key, Text string }

// OneTimeSecret puts a secret in front that nobody can read a second time. It is drawn as dots, and it is gone once it
// is closed.
type OneTimeSecret struct {
	Title   string
	Text    string        // what it is, above
	Details [][2]string   // what belongs to it and is no secret: label, value
	Name    string        // "secret key"
	Reveal  func() string // the secret
	Formats []ExportFormat
}

// A ExportFormat is one form in which a secret can be written to a file.
type ExportFormat struct {
	Name  string // "rclone remote"
	Path  string // proposed
	Write func(path string) error
}

// Send is a command that delivers one message at once.
func Send(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }

// ShowNews is a command that says text in a tone.
func ShowNews(tone theme.Tone, text string) tea.Cmd { return Send(NewsMsg{Text: text, Tone: tone}) }

// ExecMsg lends the terminal to another program, named with a list of arguments that no shell reads.
type ExecMsg struct {
	Name string
	Args []string
}
