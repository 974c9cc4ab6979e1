package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"lookout/client"
	"lookout/client/visible"
)

// A Mistake is an error in the configuration, with its position.
type Mistake struct {
	Position
	Text  string
	Fatal bool // makes doctor fail; one that Parse returns stops lookout from starting
}

// A Position is a line and a column of a configuration file, counted from 1.
type Position struct{ Line, Column int }

// Mistakes are all mistakes of a file, in its order.
type Mistakes []Mistake

// Fatal returns the mistakes that stop lookout from starting.
func (m Mistakes) Fatal() Mistakes {
	return slices.DeleteFunc(slices.Clone(m), func(one Mistake) bool { return !one.Fatal })
}

// AsError joins the mistakes into one error with the file's path; nil if there are none.
func (m Mistakes) AsError(path string) error {
	var all []error
	for _, text := range m.Texts(path) {
		all = append(all, errors.New(text))
	}
	return errors.Join(all...)
}

// Texts returns the mistakes with their places in the file with a path.
func (m Mistakes) Texts(path string) (texts []string) {
	for _, one := range m {
		texts = append(texts, fmt.Sprintf("%s:%d:%d: %s", path, one.Line, one.Column, one.Text))
	}
	return texts
}

// configParser converts a document into a File and collects the mistakes.
type configParser struct {
	positions Positions
	errs      Mistakes
	knownKeys []knownKey
}

// Parse reads a configuration. It leaves out wrong values and reports them.
func Parse(data []byte) (File, Mistakes) {
	if m, huge := checkConfigSize(string(data)); huge {
		return File{}, Mistakes{m}
	}
	var document map[string]any
	if err := toml.Unmarshal(data, &document); err != nil {
		return File{}, Mistakes{syntaxError(string(data), err)}
	}
	r := &configParser{positions: FindPositions(data), knownKeys: knownKeys()}
	cfg := File{Accounts: map[string]AccountConfig{}, Keys: map[string][]string{}}
	tables := []string{"accounts", "keys", "themes", "columns", "commands"}
	top := maps.Clone(document)
	for _, name := range tables {
		delete(top, name)
	}
	t := parsedTable{values: top, otherKeys: tables}
	assignKeys(r, t, TopLevelKeys(), &cfg)
	r.parseAccounts(&cfg, document["accounts"])
	r.parseKeys(&cfg, document["keys"])
	r.parseThemes(&cfg, document["themes"])
	r.parseColumns(&cfg, document["columns"])
	r.parseCommands(&cfg, document["commands"])
	if _, known := cfg.Accounts[cfg.Account]; cfg.Account != "" && !known {
		r.addError(
			true,
			[]string{"account"},
			fmt.Sprintf(
				"there is no account %q; the accounts are %s", client.Clean(cfg.Account), joinNames(cfg.Accounts),
			),
		)
	}
	sort.SliceStable(r.errs, func(i, j int) bool {
		a, b := r.errs[i], r.errs[j]
		return cmp.Or(a.Line-b.Line, a.Column-b.Column) < 0
	})
	return cfg, r.errs
}

// Limits of a configuration.
const (
	maxConfigBytes = 1 << 20
	maxKeyParts    = 100
)

// checkConfigSize rejects files that no configuration needs and that would take long to parse.
func checkConfigSize(text string) (Mistake, bool) {
	switch {
	case len(text) > maxConfigBytes:
		return Mistake{Position{1, 1}, "the file is larger than 1 MB; is it a configuration?", true}, true
	case strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff"):
		return Mistake{Position{1, 1}, "the file is UTF-16 text; save it as UTF-8", true}, true
	}
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		n++
		line, _, _ = strings.Cut(line, "#")
		if name, _, _ := strings.Cut(line, "="); strings.Count(name, ".") > maxKeyParts {
			return Mistake{Position{n, 1}, fmt.Sprintf("a key has more than %d parts", maxKeyParts), true}, true
		}
	}
	return Mistake{}, false
}

// syntaxError returns what the TOML parser says of a document, with a suggestion.
func syntaxError(document string, err error) Mistake {
	var e *toml.DecodeError
	if !errors.As(err, &e) {
		return Mistake{Position{1, 1}, client.Clean(err.Error()), true}
	}
	line, column := e.Position()
	at := Position{max(1, line), max(1, column)}
	text := strings.ReplaceAll(client.Clean(strings.TrimPrefix(e.Error(), "toml: ")), ": ", ", ")
	if name, i := visible.FindBlank(strings.Split(document, "\n")[at.Line-1]); name != "" {
		text += fmt.Sprintf("; remove the invisible character %s in column %d", name, i+1)
	} else if strings.Contains(text, "value") || strings.Contains(text, "quoted") {
		text += `; a value is true, false, a list or a text in quotes, as in theme = "dark"`
	}
	return Mistake{at, text, true}
}

func (r *configParser) addError(grave bool, key []string, text string) {
	r.errs = append(r.errs, Mistake{r.positions.At(key...), client.Clean(strings.Join(key, ".")) + ": " + text, grave})
}

// addValueError reports a value that is not accepted, at the element if one element of a list is wrong.
func (r *configParser) addValueError(fatal bool, key []string, err error) {
	r.addError(fatal, key, err.Error())
	var e *elementError
	if errors.As(err, &e) {
		r.errs[len(r.errs)-1].Position = r.positions.Element(e.index, key...)
	}
}

// A parsedTable is a table of the document with its path.
type parsedTable struct {
	path      []string
	values    map[string]any
	otherKeys []string // known keys that others read
}

// assignKeys stores the values of a table and reports unknown keys.
func assignKeys(r *configParser, t parsedTable, known []KeySpec, into any) {
	names := t.otherKeys
	for _, s := range known {
		names = append(names, s.Name)
		value, there := t.values[s.Name]
		if !there {
			continue
		}
		if name, _ := visible.FindBlank(fmt.Sprint(value)); name != "" {
			text := "contains the invisible character " + name + "; remove it"
			r.addError(s.fatal, append(slices.Clone(t.path), s.Name), text)
			continue
		}
		if err := s.assign(into, value); err != nil {
			r.addValueError(s.fatal, append(slices.Clone(t.path), s.Name), err)
		}
	}
	for name := range t.values {
		if !slices.Contains(names, name) {
			r.addUnknownKey(append(slices.Clone(t.path), name), names)
		}
	}
}

// addUnknownKey reports an unknown key and the key that was probably meant. It is fatal if that one is: a misspelt or
// misplaced setting for account, token or safety must not be ignored.
func (r *configParser) addUnknownKey(key []string, here []string) {
	var like knownKey
	text := "unknown key"
	name, least := key[len(key)-1], maxEditDistance
	for _, k := range r.knownKeys {
		d := editDistance(strings.ToLower(name), k.name)
		if d < least || d == least && d < maxEditDistance && k.fatal && !like.fatal {
			least, like = d, k
		}
	}
	switch {
	case slices.Contains([]string{"token", "api_token", "access_token", "api_key", "apikey"}, strings.ToLower(name)):
		text += "; a token is never in this file; lookout accounts token stores it and names its place here"
	case least == maxEditDistance:
		text += "; remove it"
	case slices.Contains(here, like.name):
		text += fmt.Sprintf("; did you mean %q?", like.name)
	case like.name == name:
		text += "; it belongs " + like.location
	default:
		text += fmt.Sprintf("; did you mean %q? It belongs %s", like.name, like.location)
	}
	r.addError(like.fatal, key, text)
}

// misplacedKey reports whether a key is a setting for account, token or safety that stands in the wrong table, and adds
// the mistake.
func (r *configParser) misplacedKey(key []string) bool {
	bare := strings.NewReplacer("_", "", "-", "")
	name := bare.Replace(strings.ToLower(key[len(key)-1]))
	grave := slices.ContainsFunc(r.knownKeys, func(k knownKey) bool { return k.fatal && bare.Replace(k.name) == name })
	if grave {
		r.addUnknownKey(key, nil)
	}
	return grave
}

// A knownKey is a key of the configuration and where it belongs.
type knownKey struct {
	name, location string
	fatal          bool
}

// knownKeys returns the keys at the top, those of accounts, and the names of tables.
func knownKeys() []knownKey {
	const top = "at the top, above the first [table]"
	keys := []knownKey{{"accounts", top, true}, {"keys", top, false}}
	for _, t := range Tables() {
		keys = append(keys, knownKey{t.Name, top, false})
	}
	for _, s := range TopLevelKeys() {
		keys = append(keys, knownKey{s.Name, top, s.fatal})
	}
	for _, s := range AccountKeys() {
		keys = append(keys, knownKey{s.Name, "in [accounts.NAME]", s.fatal})
	}
	return keys
}

// parseAccounts reads [accounts.NAME].
func (r *configParser) parseAccounts(cfg *File, value any) {
	if value == nil {
		return
	}
	table, ok := value.(map[string]any)
	if !ok {
		r.addError(true, []string{"accounts"}, "expected a table for each account, such as [accounts.production]")
		return
	}
	for name, value := range table {
		at := []string{"accounts", name}
		block, ok := value.(map[string]any)
		switch {
		case !ok:
			r.addError(true, at, "expected a table, such as [accounts.production]")
			continue
		case !IsAccountName(name):
			r.addError(true, at, "an account's name has only letters, digits, dots, - and _, and at most 64 of them")
		}
		var a AccountConfig
		assignKeys(r, parsedTable{path: at, values: block}, AccountKeys(), &a)
		if _, there := block["base_url"]; !there {
			r.addError(true, at, `base_url is missing; add base_url = "https://api.linode.com/v4"`)
		}
		if text := missingVersion(a.BaseURL); text != "" {
			r.addError(false, append(at, "base_url"), text)
		}
		if ways := tokenSourceKeys(block); len(ways) > 1 {
			r.addError(true, append(at, ways[1]), fmt.Sprintf("%s is set too; keep one of them", ways[0]))
		}
		cfg.Accounts[name] = a
	}
}

// tokenKeys are the keys of an account that can say where its token is.
var tokenKeys = []string{"token_file", "token_command", "token_env", "keyring", "linode_cli"}

// tokenSourceKeys returns the keys of a block that say where the token is.
func tokenSourceKeys(block map[string]any) []string {
	var ways []string
	for _, name := range tokenKeys {
		if value, there := block[name]; there && value != false {
			ways = append(ways, name)
		}
	}
	return ways
}

// table returns the value of a key if it is a table, and reports one that is not.
func (r *configParser) table(value any, name, otherwise string) map[string]any {
	table, ok := value.(map[string]any)
	if !ok && value != nil {
		r.addError(false, []string{name}, otherwise)
	}
	return table
}

// parseKeys reads [keys].
func (r *configParser) parseKeys(cfg *File, value any) {
	const expected = `expected a table, such as [keys] with "services.disable" = ["d"]`
	for name, value := range r.table(value, "keys", expected) {
		list, err := stringList(value)
		pane, action, dotted := strings.Cut(name, ".")
		switch {
		case r.misplacedKey([]string{"keys", name}):
		case err != nil:
			r.addError(
				false, []string{"keys", name}, `expected a list of keys in quotes, such as "services.disable" = ["d"]`,
			)
		case !dotted || pane == "" || action == "":
			r.addError(false, []string{"keys", name}, `expected PANE.ACTION, such as "services.disable"`)
		default:
			usable := []string{}
			for i, key := range list {
				if err := checkKeyName(key); err != nil {
					r.addValueError(false, []string{"keys", name}, &elementError{i, err})
					continue
				}
				usable = append(usable, key)
			}
			if len(usable) > 0 || len(list) == 0 {
				cfg.Keys[name] = usable
			}
		}
	}
}
