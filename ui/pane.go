// Package ui is the vocabulary that panes are written in: sets of rows, lists, forms, actions, charts. It knows no resource and no API.
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
	Words         bool // no drawings: charts are told by their figures
	Theme         *theme.Theme
	Now           time.Time
}

// Typer is a pane that may have the keyboard for text. While Typing no key is a command.
type Typer interface{ Typing() bool }

// Leaver is a pane that wants to know that it was taken off the stack: it cancels what it asked.
type Leaver interface{ Leave() }

// Teller is a pane that says how fresh its rows are.
type Teller interface{ Fresh() Freshness }

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
	Find(text string, limit int) []Target
}

// Hider is a pane that may hide a row by a filter.
type Hider interface{ Hides(Row) bool }

// A Target is somewhere the palette can go.
type Target struct {
	Label string // "billing-api"
	ID    string // identity in its pane
}

// A Notice is news of something that somebody should know of though they did not ask.
type Notice struct {
	Rule string // what kind it is: "new issue"
	Text string
	Tone theme.Tone
}

// Kept is what the user has chosen in a pane: kept while its account is away.
type Kept struct {
	Filter  string
	Sort    string // title of a column; empty is the pane's own order
	Reverse bool
	Row     string // identity of the row at the cursor
}

// Keeper is a pane whose choices can be kept and made again.
type Keeper interface {
	Keep() Kept
	Restore(Kept)
}

// Refresher is anything that can be asked again: a pane or a set.
type Refresher interface{ Refresh() tea.Cmd }

// What a pane may ask of the shell. Each is a message: return it from a command.
type (
	// Say is a line of news. Undo, when it is there, is offered with it.
	Say struct {
		Text string
		Tone theme.Tone
		Undo *Action
		Row  Row // what it is about, where that is one row that should be in sight now
	}
	// Row is a row of a set, by its identity; an empty one is none.
	Row struct {
		Set any
		ID  string
	}
	// Open pushes a pane on the tab's stack.
	Open struct{ Pane Pane }
	// Close takes the front pane off the tab's stack.
	Close struct{}
	// Enter puts a form in front.
	Enter struct{ Form Form }
	// Ask puts the question of an action in front, or does the action where it asks nothing.
	Ask struct{ Action Action }
	// Goto switches to the tab of a name and puts its cursor on a row. An empty ID leaves the cursor alone. Then, where there is one, is opened on it.
	Goto struct {
		Pane, ID string
		Then     Pane
	}
	// Copy puts text on the clipboard. What names it in the news: "e-mail address".
	Copy struct{ Text, What string }
	// Browse opens an address in the browser, or shows it where there is none.
	Browse struct{ URL string }
	// Menu puts a choice of actions in front.
	Menu struct {
		Title   string
		Actions []Action
	}
	// Again reads the front pane anew.
	Again struct{}
	// Show puts text in front that can be scrolled and copied: a row as JSON, a call sheet.
	Show struct{ Title, Text string }
)

// Copied is a text that the copy menu offers: a command line, a request.
type Copied struct{ Name, Key, Text string }

// Once puts a secret in front that nobody can read a second time. It is drawn as dots, and it is gone once it is closed.
type Once struct {
	Title  string
	Text   string        // what it is, above
	Lines  [][2]string   // what belongs to it and is no secret: label, value
	What   string        // "secret key"
	Reveal func() string // the secret
	Saves  []Save
}

// A Save is one form in which a secret can be written to a file.
type Save struct {
	Name  string // "rclone remote"
	Path  string // proposed
	Write func(path string) error
}

// Send is a command that delivers one message at once.
func Send(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }

// News is a command that says text in a tone.
func News(tone theme.Tone, text string) tea.Cmd { return Send(Say{Text: text, Tone: tone}) }

// Exec lends the terminal to another program, named with a list of arguments that no shell reads.
type Exec struct {
	Name string
	Args []string
}
