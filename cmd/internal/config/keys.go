package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"lookout/client"
	"lookout/theme"
)

// A KeySpec describes one key of the configuration: its type and its meaning. Its value is in the field of a struct
// that has its name as tag. Parsing, validation, the schema and the documentation are made from lists of them.
type KeySpec struct {
	Name        string
	in          any // the struct, empty
	choices     []string
	check       func(string) error
	fatal       bool   // a mistake in it stops lookout from starting
	example     string // as TOML
	DefaultText string // used if the key is missing
	Flag        string // the flag with the same meaning, and Env, the variable
	Env         string
	Description string
}

// key returns a key that is described with an example of its value.
func key(name, example, about string) KeySpec {
	return KeySpec{Name: name, example: example, Description: about}
}

func (s KeySpec) byDefault(text string) KeySpec              { s.DefaultText = text; return s }
func (s KeySpec) flag(name string) KeySpec                   { s.Flag = name; return s }
func (s KeySpec) env(name string) KeySpec                    { s.Env = name; return s }
func (s KeySpec) oneOf(choices ...string) KeySpec            { s.choices = choices; return s }
func (s KeySpec) checkedBy(check func(string) error) KeySpec { s.check = check; return s }
func (s KeySpec) grave() KeySpec                             { s.fatal = true; return s }

// keysOf says in which struct some keys are.
func keysOf(in any, keys []KeySpec) []KeySpec {
	for i := range keys {
		keys[i].in = in
	}
	return keys
}

// value returns a pointer to the value of the key in a struct: *string, *bool or *[]string. It is nil if no field has
// the tag.
func (s KeySpec) value(in any) any {
	fields := reflect.ValueOf(in).Elem()
	for i := range fields.NumField() {
		if fields.Type().Field(i).Tag.Get("toml") == s.Name {
			return fields.Field(i).Addr().Interface()
		}
	}
	return nil
}

// accountNamePattern matches account names, which are also file names.
const accountNamePattern = `^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`

// Patterns that are compiled when they are needed first.
var (
	accountName  = pattern(accountNamePattern)
	apiVersion   = pattern(`/v\d[^/]*/*$`)             // at the end of an address
	tokenLike    = pattern(`[0-9A-Fa-f]{32,}`)         // is not to be repeated in a message
	variableName = pattern(`^[A-Za-z_][A-Za-z0-9_]*$`) // of the environment
)

func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// IsAccountName reports whether a name can be an account's name.
func IsAccountName(name string) bool { return accountName().MatchString(name) }

// TopLevelKeys returns the keys at the top of the file.
func TopLevelKeys() []KeySpec {
	return keysOf(&File{}, []KeySpec{
		key("theme", `"auto"`, "Colours: auto, "+strings.Join(theme.Names(), ", ")+", or a theme from [themes]. auto, "+
			"contrast and colorblind are dark unless the terminal reports a light background.").
			byDefault("auto").flag("theme"),
		key("ascii", "false", "Use only ASCII characters.").
			byDefault("true if the locale is not UTF-8, otherwise false").flag("ascii"),
		key("no_motion", "false",
			"Do not briefly highlight a row that is new, has changed, or was acted on.").
			byDefault("false").flag("no-motion"),
		key("linear", "false",
			"For screen readers: print line by line, one item at a time, and never redraw anything.").
			byDefault("false").flag("linear"),
		key("refresh", `"20s"`, "Time between refreshes of the visible pane, at least 5s.").
			byDefault("20s").checkedBy(func(v string) error { _, err := parseRefresh(v); return err }).flag("refresh"),
		key("notify", `["bell", "osc9"]`,
			"How to announce problems: with the bell, or with a notification from the terminal (OSC 9 "+
				"or OSC 777; tmux needs allow-passthrough). Services and issues are read at least every "+
				"minute, whichever pane is visible.").
			byDefault("none").oneOf(notifyWays()...),
		key("account", `"production"`, "The account to start with.").
			byDefault("the only account").flag("account").env("LOOKOUT_ACCOUNT").grave(),
	})
}

// AccountKeys returns the keys of [accounts.NAME].
func AccountKeys() []KeySpec {
	return keysOf(&AccountConfig{}, []KeySpec{
		key("base_url", `"https://api.linode.com/v4"`,
			"Address of the API, ending in its version, such as /v4. It begins with https://, or with "+
				"http:// for a server on this machine.").
			byDefault("required").checkedBy(CheckBaseURL).flag("base-url").env("LOOKOUT_BASE_URL").grave(),
		key("dialect", `"provider"`, "Which variant of the API the server has: as specified, or as the provider "+
			"runs it, with support tickets and some different paths.").
			byDefault("provider for the provider's own host, else document").
			oneOf(string(client.DialectDocument), string(client.DialectProvider)).grave(),
		key("token_command", `["pass", "show", "linode"]`,
			"A program and its arguments, run without a shell; it prints the token.").
			byDefault("none").grave(),
		key("token_timeout", `"30s"`, "How long token_command may take, from 1s to 5m.").
			byDefault("10s").checkedBy(func(v string) error { _, err := parseTokenTimeout(v); return err }),
		key("token_file", `"~/.config/lookout/production.token"`,
			"A file that holds the token, readable only by its owner. ~/ stands for the home folder.").
			byDefault("none").checkedBy(CheckAbsolutePath).flag("token-file").grave(),
		key("token_env", `"LINODE_TOKEN"`,
			"An environment variable that holds the token. LOOKOUT_TOKEN takes precedence.").
			byDefault("none").checkedBy(checkVariableName).flag("token-env").grave(),
		key("keyring", "true",
			"Read the token from the system's keyring, where \"lookout accounts token\" stores it.").
			byDefault("false").grave(),
		key("linode_cli", `"ops"`,
			"A user of linode-cli, whose token is read from linode-cli's configuration and never copied; "+
				"\"default\" means its default user.").
			byDefault("none").checkedBy(checkNotToken).grave(),
		key("protected", "true", "Show PROD beside the account's name, and ask before every change.").
			byDefault("false").grave(),
		key("read_only", "false", "Refuse every change except creating download links.").
			byDefault("false").flag("read-only").env("LOOKOUT_READ_ONLY").grave(),
		key("color", `"red"`, "Colour of the account's name on the first line.").
			byDefault("the theme's").oneOf(AccountColors()...),
		key("word", `"STAGING"`,
			"A word of at most 12 characters beside the account's name on the first line, in its colour.").
			byDefault("none").checkedBy(checkAccountWord),
		key("notify_on", `["service leaves ok", "new issue"]`, "The events to announce; \"notify\" says how.").
			byDefault("all, if notify is set").oneOf(append(notifyRules(), noRule)...),
	})
}

// KeysDescription is what the table of rebound keys means.
const KeysDescription = "A list of keys for each action. An action is written PANE.ACTION; docs/keys.md lists the " +
	"names, and so does the help in lookout (press ?). If two actions of a pane have the same key, the first in " +
	"that help has it, and lookout says so when it starts."

// CheckBaseURL returns an error unless an address may receive the token: over https, or on this machine.
func CheckBaseURL(v string) error {
	_, err := client.New(v, client.NewSecret("x"))
	return err
}

// missingVersion says that an address does not end in the version of the API, and what to do; "" if it does. It does
// not repeat the address, which may be a token in the wrong place. It is only a warning: behind a proxy, such an
// address may be right.
func missingVersion(base string) string {
	if base == "" || apiVersion().MatchString(base) || CheckBaseURL(base) != nil {
		return ""
	}
	return "the API address does not end in a version; append /v4, unless your proxy adds it"
}

// AddressProblem returns what is wrong with an address from the flags or the environment; "" if nothing is. Parse
// reports addresses in the configuration.
func (s Settings) AddressProblem() string {
	if s.BaseURL == s.Source.BaseURL {
		return ""
	}
	return missingVersion(s.BaseURL)
}

// checkAccountWord accepts a short word that is none of the labels that lookout itself shows.
func checkAccountWord(v string) error {
	switch {
	case !IsAccountName(v) || len(v) > 12:
		return fmt.Errorf("%q is not a word of 1 to 12 letters, digits, dots, - and _", v)
	case slices.Contains([]string{"PROD", "DEMO", "FAULT"}, strings.ToUpper(v)):
		return fmt.Errorf("lookout uses %q itself; protected = true shows PROD", v)
	}
	return nil
}

// HideTokens replaces everything in a text that looks like a token: 32 hexadecimal digits or more.
func HideTokens(text string) string {
	return tokenLike().ReplaceAllString(text, client.NewSecret("x").String())
}

// checkNotToken rejects a token in place of the name of its place, without repeating it.
func checkNotToken(v string) error {
	if HideTokens(v) != v {
		return errors.New(
			"this looks like a token, and tokens do not belong here; to store it, run lookout accounts token",
		)
	}
	return nil
}

// checkVariableName accepts the name of an environment variable.
func checkVariableName(v string) error {
	if err := checkNotToken(v); err != nil {
		return err
	}
	if !variableName().MatchString(v) {
		return errors.New("this is not the name of an environment variable, such as LINODE_TOKEN")
	}
	return nil
}

// CheckAbsolutePath returns an error unless a path begins with / or ~/. A token in its place is refused without
// repeating it.
func CheckAbsolutePath(v string) error {
	if err := checkNotToken(v); err != nil {
		return err
	}
	if !filepath.IsAbs(v) && !strings.HasPrefix(v, "~/") {
		return fmt.Errorf("%q is a relative path; begin it with / or ~/", v)
	}
	return nil
}

// expandHome replaces ~/ by the home folder.
func expandHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return path
}

// HasChoices reports whether a key takes only certain words.
func (s KeySpec) HasChoices() bool { return len(s.choices) > 0 }

// TypeName describes the values of a key.
func (s KeySpec) TypeName() string {
	switch s.value(s.in).(type) {
	case *bool:
		return "true or false"
	case *[]string:
		if len(s.choices) > 0 {
			return `a list of "` + strings.Join(s.choices, `", "`) + `"`
		}
		return "a list of strings"
	}
	if len(s.choices) > 0 {
		return strings.Join(s.choices, ", ")
	}
	return "a string"
}

// assign stores a value, or returns why it is not accepted.
func (s KeySpec) assign(in, value any) error {
	switch into := s.value(in).(type) {
	case *bool:
		v, ok := value.(bool)
		if !ok {
			return fmt.Errorf("expected %s", s.TypeName())
		}
		*into = v
	case *[]string:
		v, err := stringList(value)
		if err != nil || len(v) == 0 || v[0] == "" {
			return fmt.Errorf("expected a list of strings, such as %s", s.example)
		}
		for i, one := range v {
			if len(s.choices) > 0 && !slices.Contains(s.choices, one) {
				return &elementError{i, notOneOf(one, s.choices)}
			}
		}
		*into = v
	case *string:
		v, ok := value.(string)
		switch {
		case !ok:
			return fmt.Errorf("expected a string, such as %s", s.example)
		case len(s.choices) > 0 && !slices.Contains(s.choices, v):
			return notOneOf(v, s.choices)
		case s.check != nil:
			if err := s.check(v); err != nil {
				return err
			}
		}
		*into = v
	}
	return nil
}

// An elementError is an element of a list that is not accepted.
type elementError struct {
	index int
	error
}

// stringList converts a TOML list of strings.
func stringList(value any) ([]string, error) {
	list, ok := value.([]any)
	if !ok {
		return nil, errors.New("not a list")
	}
	out := make([]string, len(list))
	for i, v := range list {
		if out[i], ok = v.(string); !ok {
			return nil, errors.New("not a string")
		}
	}
	return out, nil
}

func joinNames[T any](m map[string]T) string {
	return cmp.Or(strings.Join(slices.Sorted(maps.Keys(m)), ", "), "none")
}

// notOneOf returns the error of a word that is none of the known ones.
func notOneOf(word string, known []string) error {
	return fmt.Errorf("%q is not one of %s%s", client.Clean(word), strings.Join(known, ", "), Suggestion(word, known))
}

// maxEditDistance is the distance at which two words are no longer taken for each other.
const maxEditDistance = 4

// Suggestion returns a question with the known word that is closest to an unknown one; "" if none is close.
func Suggestion(word string, known []string) string {
	best, least := "", maxEditDistance
	for _, k := range known {
		if d := editDistance(word, k); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// editDistance returns the Levenshtein distance of two words; maxEditDistance if their lengths differ by that much.
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
