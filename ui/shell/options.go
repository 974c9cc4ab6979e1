package shell

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client/lists"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
)

// Options configure the program for one account.
type Options struct {
	AccountInfo
	RateLimitHooks
	Preferences
	Notify          NotifyOptions
	Panes           []ui.Pane
	TabPlaces       map[string]ui.TabPlacement // area and key of tabs, by the names of their panes
	PaneOnly        bool                       // shows the first pane alone, without what is around it
	Theme           *theme.Theme
	Themes          ThemeChoices
	TokenForm       func() form.Form   // asks for another token; nil offers none
	RefreshInterval time.Duration      // of the pane in front; 0 never refreshes
	Now             func() time.Time   // nil is the wall clock
	Location        *time.Location     // nil is the local time zone
	OnOpen          func() tea.Cmd     // runs when the program starts
	Loop            *ui.EventLoop      // what holds the data asks for work through it; nil is none
	OnLargeLoad     func()             // runs outside the loop after a store has read many rows to their end
	Context         context.Context    // ends with the account; nil never ends
	LeaveWarnings   func() []string    // sentences about work that ends when the account is left
	HandOver        func() *ui.Action  // lets another process do that work and then quits; nil offers nothing
	Commands        []PaletteCommand   // additional entries of the palette
	Progress        func() ui.Progress // of the work under way
}

// AccountInfo says what the head line shows of an account, and what the account allows.
type AccountInfo struct {
	Account      string
	AccountTone  theme.Tone // of the account's name; Plain means Accent
	AccountLabel string     // the user's own label, shown beside the name
	Protected    bool       // the head line shows PROD; the panes ask before every change
	ReadOnly     bool
	// Safety says whether the account has become protected or read-only while the program runs; nil if it cannot.
	Safety      func() (protected, readOnly bool)
	NotRecorded string // why changes cannot be recorded, which makes the account read-only
	Demo        bool
	Banner      func() string   // a warning beside the name for as long as it lasts; "" shows none
	Accounts    []AccountChoice // accounts to switch to, this one included
	Overview    bool            // there is an overview of all accounts to switch to
	KnownHosts  []string        // opened in the browser without a question
	// AccountFreshness says how fresh each account is that the overview has read; nil for an account
	AccountFreshness func() map[string]lists.Freshness
	SelectAccount    func(previous string) // puts the overview's cursor on the account that was left; may be nil
	problems         map[string]string     // the last ones of the accounts; see RootModel
}

// An AccountChoice is an account that the user can switch to.
type AccountChoice struct {
	Name      string
	Tone      theme.Tone // of the name
	Label     string     // the user's own label
	Protected bool
	ReadOnly  bool
	Waits     string // what opening it waits for: "token_command pass, for at most 10s"; "" is a moment
}

// Badges returns what is special about the account.
func (a AccountChoice) Badges() (badges []theme.TitleSegment) {
	add := func(text string, tone theme.Tone) {
		if text != "" {
			badges = append(badges, theme.TitleSegment{Text: text, Tone: tone})
		}
	}
	add(a.Label, a.Tone)
	if a.Protected {
		add("PROD", theme.Bad)
	}
	if a.ReadOnly {
		add("read-only", theme.Warn)
	}
	return badges
}

// RateLimitHooks connect the program to the API's rate limit. Each may be nil.
type RateLimitHooks struct {
	RequestBudget func() string // "788 requests left"; "" shows nothing
	// RateLimitWait returns when requests go on, and how long the API asked to wait.
	RateLimitWait func() (until time.Time, asked time.Duration)
	// LowBudget returns how many requests are left, in words, if polls must slow down, and until when they must wait.
	LowBudget func() (text string, resume time.Time)
	RetryNow  func() // ends the wait: the user wants to know now
	// NextProbe returns until when what failed is not read again; zero if it is.
	NextProbe func() time.Time
	// WaitingSince returns since when requests wait because this machine has sent many; zero if none does.
	WaitingSince func() time.Time
}

// Preferences are the user's choices from the configuration and the command line.
type Preferences struct {
	Keys           map[string][]string // keys of actions: "services.disable"
	KeyLines       map[string]int      // the lines of the configuration that bind them
	Columns        map[string][]string // columns of lists by pane, in their order
	CustomCommands []ui.CustomCommand  // actions of lists that run a program; see CustomCommandProblem
	StartPane      string              // name of the pane to start with
	Mouse          bool

	ConfigPath  string          // path of the configuration; "" says nothing about its mistakes
	CheckConfig func() []string // what is wrong in it and is ignored, with file and line; may take a while

	NoMotion bool // nothing is tinted because it has just changed
}

// A PaletteCommand is an entry that the palette offers by its name alone, such as "theme light".
type PaletteCommand struct {
	Name string
	Kind string // shown beside the name
	Do   func() tea.Cmd
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = lists.WallTime
	}
	if o.Location == nil {
		o.Location = time.Local
	}
	if o.Context == nil {
		o.Context = context.Background()
	}
	if o.Loop == nil {
		o.Loop = &ui.EventLoop{}
	}
	return o
}
