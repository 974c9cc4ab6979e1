package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"lookout/client"
)

// A Mistake of the configuration, with its place.
type Mistake struct {
	Position
	Text  string
	Fatal bool // the start is refused
}

// A Position is a line and a column, from 1.
type Position struct{ Line, Column int }

// Mistakes are all that is wrong with a file, in its order.
type Mistakes []Mistake

// Fatal are those with which the program does not start.
func (m Mistakes) Fatal() Mistakes {
	return slices.DeleteFunc(slices.Clone(m), func(one Mistake) bool { return !one.Fatal })
}

// AsError is the mistakes as one error about a file, nil without any.
func (m Mistakes) AsError(path string) error {
	var all []error
	for _, one := range m {
		all = append(all, fmt.Errorf("%s:%d:%d: %s", path, one.Line, one.Column, one.Text))
	}
	return errors.Join(all...)
}

// configParser turns a document into a file and keeps what is wrong.
type configParser struct {
	positions Positions
	errs      Mistakes
	knownKeys []knownKey
}

// Parse reads a configuration. What is wrong is left out of it and told.
func Parse(data []byte) (File, Mistakes) {
	if m, huge := checkConfigSize(string(data)); huge {
		return File{}, Mistakes{m}
	}
	var document map[string]any
	if err := toml.Unmarshal(data, &document); err != nil {
		return File{}, Mistakes{syntaxError(err)}
	}
	r := &configParser{positions: FindPositions(data), knownKeys: knownKeys()}
	cfg := File{Accounts: map[string]AccountConfig{}, Keys: map[string][]string{}}
	tables := []string{"accounts", "keys", "themes", "columns"}
	top := maps.Clone(document)
	for _, name := range tables {
		delete(top, name)
	}
	assignKeys(r, nil, TopLevelKeys(), &cfg, top, tables...)
	r.parseAccounts(&cfg, document["accounts"])
	r.parseKeys(&cfg, document["keys"])
	r.parseThemes(&cfg, document["themes"])
	r.parseColumns(&cfg, document["columns"])
	if _, known := cfg.Accounts[cfg.Account]; cfg.Account != "" && !known {
		r.addError(
			true,
			[]string{"account"},
			fmt.Sprintf("there is no account %q; there is %s", client.Clean(cfg.Account), joinNames(cfg.Accounts)),
		)
	}
	slices.SortStableFunc(r.errs, func(a, b Mistake) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return cfg, r.errs
}

// Bounds of a configuration: the reader of TOML needs the square of a key's parts.
const (
	maxConfigBytes = 1 << 20
	maxKeyParts    = 100
)

// checkConfigSize finds what no configuration needs and what would cost gigabytes to read.
func checkConfigSize(text string) (Mistake, bool) {
	if len(text) > maxConfigBytes {
		return Mistake{Position{1, 1}, "the file is larger than 1 MB: is it a configuration?", true}, true
	}
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		n++
		line, _, _ = strings.Cut(line, "#")
		if name, _, _ := strings.Cut(line, "="); strings.Count(name, ".") > maxKeyParts {
			return Mistake{Position{n, 1}, fmt.Sprintf("a key of more than %d parts", maxKeyParts), true}, true
		}
	}
	return Mistake{}, false
}

// syntaxError is a text that is no TOML.
func syntaxError(err error) Mistake {
	var e *toml.DecodeError
	if !errors.As(err, &e) {
		return Mistake{Position{1, 1}, client.Clean(err.Error()), true}
	}
	line, column := e.Position()
	text := client.Clean(strings.TrimPrefix(e.Error(), "toml: "))
	return Mistake{Position{max(1, line), max(1, column)}, text, true}
}

func (r *configParser) addError(grave bool, key []string, text string) {
	r.errs = append(r.errs, Mistake{r.positions.At(key...), client.Clean(strings.Join(key, ".")) + ": " + text, grave})
}

// addValueError reports a value that is not accepted: at the element of the list where it is one, else at the key.
func (r *configParser) addValueError(fatal bool, key []string, err error) {
	r.addError(fatal, key, err.Error())
	var e *elementError
	if errors.As(err, &e) {
		r.errs[len(r.errs)-1].Position = r.positions.Element(e.index, key...)
	}
}

// assignKeys takes a table's values by the settings that there are.
func assignKeys[T any](
	r *configParser,
	at []string,
	known []KeySpec[T],
	into *T,
	table map[string]any,
	more ...string,
) {
	names := more
	for _, s := range known {
		names = append(names, s.Name)
		value, there := table[s.Name]
		if !there {
			continue
		}
		if err := s.assign(into, value); err != nil {
			r.addValueError(s.fatal, append(slices.Clone(at), s.Name), err)
		}
	}
	for name := range table {
		if !slices.Contains(names, name) {
			r.addUnknownKey(append(slices.Clone(at), name), names)
		}
	}
}

// addUnknownKey tells of a key that is not known where it stands, and which is meant. It is grave where that one is:
// what chooses account, token or safety is not passed over because it is misspelt, or in another table than its own.
func (r *configParser) addUnknownKey(key []string, here []string) {
	var like knownKey
	text := "this key is unknown"
	name, least := key[len(key)-1], maxEditDistance
	for _, k := range r.knownKeys {
		d := editDistance(strings.ToLower(name), k.name)
		if d < least || d == least && d < maxEditDistance && k.fatal && !like.fatal {
			least, like = d, k
		}
	}
	switch {
	case least == maxEditDistance:
	case slices.Contains(here, like.name):
		text += fmt.Sprintf("; is %q meant?", like.name)
	case like.name == name:
		text += "; it belongs " + like.location
	default:
		text += fmt.Sprintf("; is %q meant? It belongs %s", like.name, like.location)
	}
	r.addError(like.fatal, key, text)
}

// misplacedKey tells of a key of account, token or safety in a table of other things, and reports whether it is one.
func (r *configParser) misplacedKey(key []string) bool {
	bare := strings.NewReplacer("_", "", "-", "")
	name := bare.Replace(strings.ToLower(key[len(key)-1]))
	grave := slices.ContainsFunc(r.knownKeys, func(k knownKey) bool { return k.fatal && bare.Replace(k.name) == name })
	if grave {
		r.addUnknownKey(key, nil)
	}
	return grave
}

// A knownKey is a key of the configuration, and where it stands.
type knownKey struct {
	name, location string
	fatal          bool
}

// knownKeys are the keys at the top, those of accounts, and the names of tables.
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
		keys = append(keys, knownKey{s.Name, "beneath [accounts.NAME]", s.fatal})
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
		r.addError(true, []string{"accounts"}, "a table for each account is needed, as [accounts.production]")
		return
	}
	for name, value := range table {
		at := []string{"accounts", name}
		block, ok := value.(map[string]any)
		switch {
		case !ok:
			r.addError(true, at, "a table is needed, as [accounts.production]")
			continue
		case !IsAccountName(name):
			r.addError(true, at, "an account's name is made of letters, digits, dots, - and _")
		}
		var a AccountConfig
		assignKeys(r, at, AccountKeys(), &a, block)
		if _, there := block["base_url"]; !there {
			r.addError(true, at, "base_url is missing")
		}
		if ways := tokenSourceKeys(block); len(ways) > 1 {
			r.addError(true, append(at, ways[1]), fmt.Sprintf("there is %s too; keep one of them", ways[0]))
		}
		cfg.Accounts[name] = a
	}
}

// tokenSourceKeys are the keys of a block that say where the token is.
func tokenSourceKeys(block map[string]any) []string {
	var ways []string
	for _, name := range []string{"token_file", "token_command", "token_env", "keyring", "linode_cli"} {
		if value, there := block[name]; there && value != false {
			ways = append(ways, name)
		}
	}
	return ways
}

// parseKeys reads [keys].
func (r *configParser) parseKeys(cfg *File, value any) {
	table, ok := value.(map[string]any)
	if !ok && value != nil {
		r.addError(false, []string{"keys"}, `a table is needed, as [keys] with "services.disable" = ["d"]`)
	}
	for name, value := range table {
		list, err := stringList(value)
		pane, action, dotted := strings.Cut(name, ".")
		switch {
		case r.misplacedKey([]string{"keys", name}):
		case err != nil:
			r.addError(
				false,
				[]string{"keys", name},
				`a list of keys is needed in quotes, as "services.disable" = ["d"]`,
			)
		case !dotted || pane == "" || action == "":
			r.addError(false, []string{"keys", name}, `PANE.ACTION is needed, as "services.disable"`)
		default:
			cfg.Keys[name] = list
		}
	}
}
