package main

import (
	"cmp"
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

// A configKey is one key of the configuration: where its value goes, what it may be, what it means. Reading, checking,
// the schema and the documentation are made from the lists of them.
type configKey[T any] struct {
	name        string
	target      func(*T) any // *string, *bool or *[]string
	choices     []string
	check       func(string) error
	fatal       bool   // a mistake in it refuses the start
	example     string // as TOML
	defaultText string // what holds without it
	flag        string // that says the same, and env, the variable that does
	env         string
	description string
}

// accountNamePattern is the pattern of names of accounts: they are fit for names of files.
const accountNamePattern = `^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`

// isAccountName reports whether a name is of the pattern.
func isAccountName(name string) bool { return regexp.MustCompile(accountNamePattern).MatchString(name) }

// topLevelKeys are the keys at the top of the file.
func topLevelKeys() []configKey[configFile] {
	return []configKey[configFile]{
		{
			name:        "theme",
			target:      func(f *configFile) any { return &f.Theme },
			example:     `"auto"`,
			defaultText: "auto",
			flag:        "theme",
			description: "Colours: auto, " + strings.Join(
				theme.Names(),
				", ",
			) + ", or one of [themes]. auto is light where the terminal says that its background is light, else " +
				"dark; contrast and colorblind follow the background too.",
		},
		{
			name:        "ascii",
			target:      func(f *configFile) any { return &f.ASCII },
			example:     "false",
			defaultText: "false, true where the locale is not UTF-8",
			flag:        "ascii",
			description: "Draw with ASCII characters alone.",
		},
		{
			name:        "linear",
			target:      func(f *configFile) any { return &f.Linear },
			example:     "false",
			defaultText: "false",
			flag:        "linear",
			description: "For screen readers: lines are added beneath, nothing is drawn over, one item is told at a " +
				"time.",
		},
		{
			name:        "refresh",
			target:      func(f *configFile) any { return &f.Refresh },
			check:       func(v string) error { _, err := parseRefresh(v); return err },
			example:     `"20s"`,
			defaultText: "20s",
			flag:        "refresh",
			description: "Time between refreshes of the pane in front, at least 5s.",
		},
		{
			name:        "notify",
			target:      func(f *configFile) any { return &f.Notify },
			choices:     notifyWays(),
			example:     `["bell", "osc9"]`,
			defaultText: "none",
			description: "How news of trouble is told beside the screen: the bell, or a notification of the " +
				"terminal (OSC 9 or OSC 777, through tmux with allow-passthrough). Services and issues are then " +
				"read every minute, whatever pane is in front.",
		},
		{
			name:        "account",
			target:      func(f *configFile) any { return &f.Account },
			fatal:       true,
			example:     `"production"`,
			defaultText: "the only account",
			flag:        "account",
			env:         "LOOKOUT_ACCOUNT",
			description: "The account to start with.",
		},
	}
}

// accountKeys are the keys of [accounts.NAME].
func accountKeys() []configKey[accountConfig] {
	return []configKey[accountConfig]{
		{
			name:        "base_url",
			target:      func(a *accountConfig) any { return &a.BaseURL },
			check:       checkBaseURL,
			fatal:       true,
			example:     `"https://api.linode.com/v4"`,
			defaultText: "must be there",
			flag:        "base-url",
			env:         "LOOKOUT_BASE_URL",
			description: "Address of the API, ending with its version: https, or http on this machine alone.",
		},
		{
			name:        "dialect",
			target:      func(a *accountConfig) any { return &a.Dialect },
			choices:     []string{string(client.DialectDocument), string(client.DialectProvider)},
			fatal:       true,
			example:     `"provider"`,
			defaultText: "provider for the provider's own host, else document",
			description: "How paths are spelt.",
		},
		{
			name:        "token_command",
			target:      func(a *accountConfig) any { return &a.TokenCommand },
			fatal:       true,
			example:     `["pass", "show", "linode"]`,
			defaultText: "none",
			description: "A program and its arguments that print the token; no shell reads them, and they have 10 s.",
		},
		{
			name:        "token_file",
			target:      func(a *accountConfig) any { return &a.TokenFile },
			check:       checkAbsolutePath,
			fatal:       true,
			example:     `"~/.config/lookout/production.token"`,
			defaultText: "none",
			flag:        "token-file",
			description: "A file that holds the token, readable by its owner alone. ~/ is the home folder.",
		},
		{
			name:        "token_env",
			target:      func(a *accountConfig) any { return &a.TokenEnv },
			fatal:       true,
			example:     `"LINODE_TOKEN"`,
			defaultText: "none",
			flag:        "token-env",
			description: "An environment variable that holds the token. LOOKOUT_TOKEN is read in any case.",
		},
		{
			name:        "keyring",
			target:      func(a *accountConfig) any { return &a.Keyring },
			fatal:       true,
			example:     "true",
			defaultText: "false",
			description: "The token is in the system's keyring; lookout config token puts it there.",
		},
		{
			name:        "linode_cli",
			target:      func(a *accountConfig) any { return &a.LinodeCLI },
			fatal:       true,
			example:     `"ops"`,
			defaultText: "none",
			description: "Take the token of this user from the configuration of linode-cli each time; default is " +
				"its default user. It is not copied.",
		},
		{
			name:        "protected",
			target:      func(a *accountConfig) any { return &a.Protected },
			fatal:       true,
			example:     "true",
			defaultText: "false",
			description: "The word PROD stands beside the account's name.",
		},
		{
			name:        "read_only",
			target:      func(a *accountConfig) any { return &a.ReadOnly },
			fatal:       true,
			example:     "false",
			defaultText: "false",
			flag:        "read-only",
			env:         "LOOKOUT_READ_ONLY",
			description: "Refuse every change, where requests are made.",
		},
		{
			name:        "color",
			target:      func(a *accountConfig) any { return &a.Color },
			choices:     slices.Sorted(maps.Keys(accountColors())),
			example:     `"red"`,
			defaultText: "the theme's",
			description: "Colour of the account's name in the head line.",
		},
		{
			name:        "word",
			target:      func(a *accountConfig) any { return &a.Label },
			check:       checkAccountWord,
			example:     `"STAGING"`,
			defaultText: "none",
			description: "A word of at most 12 letters beside the account's name in the head line, in its colour.",
		},
		{
			name:        "notify_on",
			target:      func(a *accountConfig) any { return &a.NotifyOn },
			choices:     append(notifyRules(), noRule),
			example:     `["service leaves ok", "new issue"]`,
			defaultText: "both, where notify says how",
			description: "What is told by the ways of notify.",
		},
	}
}

// keysDescription is what the table of rebound keys means.
const keysDescription = "Keys of actions, several for each. docs/keys.md and ? in the program name them: PANE.ACTION."

func checkBaseURL(v string) error {
	_, err := client.New(v, client.NewSecret("x"))
	return err
}

// checkAccountWord is short and cannot be taken for what the program says of an account itself.
func checkAccountWord(v string) error {
	switch {
	case !isAccountName(v) || len(v) > 12:
		return fmt.Errorf("%q is no word of 1 to 12 letters, digits, dots, - and _", v)
	case slices.Contains([]string{"PROD", "DEMO", "FAULT"}, strings.ToUpper(v)):
		return fmt.Errorf("%q is said by the program itself; protected = true says PROD", v)
	}
	return nil
}

func checkAbsolutePath(v string) error {
	if !filepath.IsAbs(v) && !strings.HasPrefix(v, "~/") {
		return fmt.Errorf("%q depends on where the program is started: begin it with / or ~/", v)
	}
	return nil
}

// expandHome is a path with ~/ spelt out.
func expandHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return path
}

// typeName names what a key takes.
func (s configKey[T]) typeName() string {
	var none T
	switch s.target(&none).(type) {
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

// assign puts a value into its place, or says why not.
func (s configKey[T]) assign(in *T, value any) error {
	switch into := s.target(in).(type) {
	case *bool:
		v, ok := value.(bool)
		if !ok {
			return fmt.Errorf("%s is needed", s.typeName())
		}
		*into = v
	case *[]string:
		v, err := stringList(value)
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

// stringList is a list of texts.
func stringList(value any) ([]string, error) {
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

func joinNames[T any](m map[string]T) string {
	return cmp.Or(strings.Join(slices.Sorted(maps.Keys(m)), ", "), "none")
}

// maxEditDistance is a distance from which on no word is meant by another.
const maxEditDistance = 4

// suggestion offers the known word that is most like an unknown one.
func suggestion(word string, known []string) string {
	best, least := "", maxEditDistance
	for _, k := range known {
		if d := editDistance(word, k); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; is %q meant?", best)
}

// editDistance is how many letters must be changed, added or taken to make one word another; maxEditDistance stands for
// more where their lengths tell so.
func editDistance(a, b string) int {
	if d := len(a) - len(b); max(d, -d) >= maxEditDistance {
		return maxEditDistance
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
