package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"lookout/client"
	"lookout/theme"
)

// A setting is one key of the configuration: where its value goes, what it may be, what it means. Reading, checking, the schema and the
// documentation are made from the lists of them.
type setting[T any] struct {
	name    string
	into    func(*T) any // *string, *bool or *[]string
	choices []string
	check   func(string) error
	grave   bool   // a mistake in it refuses the start
	example string // as TOML
	absent  string // what holds without it
	flag    string // that says the same, and env, the variable that does
	env     string
	about   string
}

// accountNames is the pattern of names of accounts: they are fit for names of files.
const accountNames = `^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`

// isAccountName reports whether a name is of the pattern.
func isAccountName(name string) bool { return regexp.MustCompile(accountNames).MatchString(name) }

// topSettings are the keys at the top of the file.
func topSettings() []setting[file] {
	return []setting[file]{
		{name: "theme", into: func(f *file) any { return &f.Theme }, example: `"auto"`, absent: "auto", flag: "theme",
			about: "Colours: auto, " + strings.Join(theme.Names(), ", ") + ", or one of [themes]. auto is light where the terminal says that its background is light, else dark; contrast and colorblind follow the background too."},
		{name: "ascii", into: func(f *file) any { return &f.ASCII }, example: "false", absent: "false, true where the locale is not UTF-8", flag: "ascii",
			about: "Draw with ASCII characters alone."},
		{name: "linear", into: func(f *file) any { return &f.Linear }, example: "false", absent: "false", flag: "linear",
			about: "For screen readers: lines are added beneath, nothing is drawn over, one item is told at a time."},
		{name: "refresh", into: func(f *file) any { return &f.Refresh }, check: func(v string) error { _, err := interval(v); return err }, example: `"20s"`, absent: "20s", flag: "refresh",
			about: "Time between refreshes of the pane in front, at least 5s."},
		{name: "notify", into: func(f *file) any { return &f.Notify }, choices: notifyWays(), example: `["bell", "osc9"]`, absent: "none",
			about: "How news of trouble is told beside the screen: the bell, or a notification of the terminal (OSC 9 or OSC 777, through tmux with allow-passthrough). Services and issues are then read every minute, whatever pane is in front."},
		{name: "account", into: func(f *file) any { return &f.Account }, grave: true, example: `"production"`, absent: "the only account", flag: "account", env: "LOOKOUT_ACCOUNT",
			about: "The account to start with."},
	}
}

// accountSettings are the keys of [accounts.NAME].
func accountSettings() []setting[accountBlock] {
	return []setting[accountBlock]{
		{name: "base_url", into: func(a *accountBlock) any { return &a.BaseURL }, check: baseURL, grave: true, example: `"https://api.linode.com/v4"`, absent: "must be there", flag: "base-url", env: "LOOKOUT_BASE_URL",
			about: "Address of the API, ending with its version: https, or http on this machine alone."},
		{name: "dialect", into: func(a *accountBlock) any { return &a.Dialect }, choices: []string{string(client.DialectDocument), string(client.DialectProvider)}, grave: true, example: `"provider"`,
			absent: "provider for the provider's own host, else document", about: "How paths are spelt."},
		{name: "token_command", into: func(a *accountBlock) any { return &a.TokenCommand }, grave: true, example: `["pass", "show", "linode"]`, absent: "none",
			about: "A program and its arguments that print the token; no shell reads them, and they have 10 s."},
		{name: "token_file", into: func(a *accountBlock) any { return &a.TokenFile }, check: absolute, grave: true, example: `"~/.config/lookout/production.token"`, absent: "none", flag: "token-file",
			about: "A file that holds the token, readable by its owner alone. ~/ is the home folder."},
		{name: "token_env", into: func(a *accountBlock) any { return &a.TokenEnv }, grave: true, example: `"LINODE_TOKEN"`, absent: "none", flag: "token-env",
			about: "An environment variable that holds the token. LOOKOUT_TOKEN is read in any case."},
		{name: "keyring", into: func(a *accountBlock) any { return &a.Keyring }, grave: true, example: "true", absent: "false",
			about: "The token is in the system's keyring; lookout config token puts it there."},
		{name: "linode_cli", into: func(a *accountBlock) any { return &a.LinodeCLI }, grave: true, example: `"ops"`, absent: "none",
			about: "Take the token of this user from the configuration of linode-cli each time; default is its default user. It is not copied."},
		{name: "protected", into: func(a *accountBlock) any { return &a.Protected }, grave: true, example: "true", absent: "false",
			about: "The word PROD stands beside the account's name."},
		{name: "read_only", into: func(a *accountBlock) any { return &a.ReadOnly }, grave: true, example: "false", absent: "false", flag: "read-only", env: "LOOKOUT_READ_ONLY",
			about: "Refuse every change, where requests are made."},
		{name: "color", into: func(a *accountBlock) any { return &a.Color }, choices: slices.Sorted(maps.Keys(tones())), example: `"red"`, absent: "the theme's",
			about: "Colour of the account's name in the head line."},
		{name: "word", into: func(a *accountBlock) any { return &a.Word }, check: accountWord, example: `"STAGING"`, absent: "none",
			about: "A word of at most 12 letters beside the account's name in the head line, in its colour."},
		{name: "notify_on", into: func(a *accountBlock) any { return &a.NotifyOn }, choices: append(notifyRules(), noRule), example: `["service leaves ok", "new issue"]`, absent: "both, where notify says how",
			about: "What is told by the ways of notify."},
	}
}

// aboutKeys is what the table of rebound keys means.
const aboutKeys = "Keys of actions, several for each. docs/keys.md and ? in the program name them: PANE.ACTION."

func baseURL(v string) error {
	_, err := client.New(v, client.NewSecret("x"))
	return err
}

// accountWord is short and cannot be taken for what the program says of an account itself.
func accountWord(v string) error {
	switch {
	case !isAccountName(v) || len(v) > 12:
		return fmt.Errorf("%q is no word of 1 to 12 letters, digits, dots, - and _", v)
	case slices.Contains([]string{"PROD", "DEMO", "FAULT"}, strings.ToUpper(v)):
		return fmt.Errorf("%q is said by the program itself; protected = true says PROD", v)
	}
	return nil
}

func absolute(v string) error {
	if !filepath.IsAbs(v) && !strings.HasPrefix(v, "~/") {
		return fmt.Errorf("%q depends on where the program is started: begin it with / or ~/", v)
	}
	return nil
}

// homely is a path with ~/ spelt out.
func homely(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return path
}

// kind names what a key takes.
func (s setting[T]) kind() string {
	var none T
	switch s.into(&none).(type) {
	case *bool:
		return "true or false"
	case *[]string:
		if len(s.choices) > 0 {
			return "a list of " + strings.Join(s.choices, ", ")
		}
		return "a list of texts"
	}
	if len(s.choices) > 0 {
		return strings.Join(s.choices, ", ")
	}
	return "a text"
}

// take puts a value into its place, or says why not.
func (s setting[T]) take(in *T, value any) error {
	switch into := s.into(in).(type) {
	case *bool:
		v, ok := value.(bool)
		if !ok {
			return fmt.Errorf("%s is needed", s.kind())
		}
		*into = v
	case *[]string:
		v, err := texts(value)
		if err != nil || len(v) == 0 || v[0] == "" {
			return fmt.Errorf("a list of texts is needed, as %s", s.example)
		}
		for _, one := range v {
			if len(s.choices) > 0 && !slices.Contains(s.choices, one) {
				return fmt.Errorf("%q is none of %s", one, strings.Join(s.choices, ", "))
			}
		}
		*into = v
	case *string:
		v, ok := value.(string)
		switch {
		case !ok:
			return fmt.Errorf("a text is needed, as %s", s.example)
		case len(s.choices) > 0 && !slices.Contains(s.choices, v):
			return fmt.Errorf("%q is none of %s", v, strings.Join(s.choices, ", "))
		case s.check != nil:
			if err := s.check(v); err != nil {
				return err
			}
		}
		*into = v
	}
	return nil
}

// texts is a list of texts.
func texts(value any) ([]string, error) {
	list, ok := value.([]any)
	if !ok {
		return nil, fmt.Errorf("no list")
	}
	out := make([]string, len(list))
	for i, v := range list {
		if out[i], ok = v.(string); !ok {
			return nil, fmt.Errorf("no text")
		}
	}
	return out, nil
}

func namesOf[T any](m map[string]T) string {
	return orElse(strings.Join(slices.Sorted(maps.Keys(m)), ", "), "none")
}

// tooFar is a distance from which on no word is meant by another.
const tooFar = 4

// nearest offers the known word that is most like an unknown one.
func nearest(word string, known []string) string {
	best, least := "", tooFar
	for _, k := range known {
		if d := distance(word, k); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; is %q meant?", best)
}

// distance is how many letters must be changed, added or taken to make one word another; tooFar stands for more where their lengths tell so.
func distance(a, b string) int {
	if d := len(a) - len(b); max(d, -d) >= tooFar {
		return tooFar
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := before
			if a[i-1] != b[j-1] {
				cost = min(before, row[j], row[j-1]) + 1
			}
			before, row[j] = row[j], cost
		}
	}
	return row[len(b)]
}
