package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"lookout/client"
)

// A mistake of the configuration, with its place.
type mistake struct {
	place
	text  string
	grave bool // the start is refused
}

// A place is a line and a column, from 1.
type place struct{ line, column int }

// mistakes are all that is wrong with a file, in its order.
type mistakes []mistake

// grave are those with which the program does not start.
func (m mistakes) grave() mistakes {
	return slices.DeleteFunc(slices.Clone(m), func(one mistake) bool { return !one.grave })
}

// in is the mistakes as one error about a file, nil without any.
func (m mistakes) in(path string) error {
	var all []error
	for _, one := range m {
		all = append(all, fmt.Errorf("%s:%d:%d: %s", path, one.line, one.column, one.text))
	}
	return errors.Join(all...)
}

// reader turns a document into a file and keeps what is wrong.
type reader struct {
	places map[string]place
	wrong  mistakes
	known  []knownKey
}

// parse reads a configuration. What is wrong is left out of it and told.
func parse(data []byte) (file, mistakes) {
	if m, huge := unreasonable(string(data)); huge {
		return file{}, mistakes{m}
	}
	var document map[string]any
	if _, err := toml.Decode(string(data), &document); err != nil {
		return file{}, mistakes{syntax(err)}
	}
	r := &reader{places: places(string(data)), known: knownKeys()}
	cfg := file{Accounts: map[string]accountBlock{}, Keys: map[string][]string{}}
	tables := []string{"accounts", "keys", "themes", "columns"}
	top := maps.Clone(document)
	for _, name := range tables {
		delete(top, name)
	}
	fill(r, nil, topSettings(), &cfg, top, tables...)
	r.accounts(&cfg, document["accounts"])
	r.keys(&cfg, document["keys"])
	r.themes(&cfg, document["themes"])
	r.columns(&cfg, document["columns"])
	if _, known := cfg.Accounts[cfg.Account]; cfg.Account != "" && !known {
		r.bad(true, []string{"account"}, fmt.Sprintf("there is no account %q; there is %s", client.Clean(cfg.Account), namesOf(cfg.Accounts)))
	}
	slices.SortStableFunc(r.wrong, func(a, b mistake) int {
		if a.line != b.line {
			return a.line - b.line
		}
		return a.column - b.column
	})
	return cfg, r.wrong
}

// Bounds of a configuration: the reader of TOML needs the square of a key's parts.
const (
	largestConfig = 1 << 20
	mostKeyParts  = 100
)

// unreasonable finds what no configuration needs and what would cost gigabytes to read.
func unreasonable(text string) (mistake, bool) {
	if len(text) > largestConfig {
		return mistake{place{1, 1}, "the file is larger than 1 MB: is it a configuration?", true}, true
	}
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		n++
		line, _, _ = strings.Cut(line, "#")
		if name, _, _ := strings.Cut(line, "="); strings.Count(name, ".") > mostKeyParts {
			return mistake{place{n, 1}, fmt.Sprintf("a key of more than %d parts", mostKeyParts), true}, true
		}
	}
	return mistake{}, false
}

// syntax is a text that is no TOML.
func syntax(err error) mistake {
	var p toml.ParseError
	if !errors.As(err, &p) {
		return mistake{place{1, 1}, err.Error(), true}
	}
	return mistake{place{max(1, p.Position.Line), max(1, p.Position.Col)}, client.Clean(p.Message), true}
}

func (r *reader) bad(grave bool, key []string, text string) {
	at, known := r.places[joined(key)]
	if !known {
		at = place{1, 1}
	}
	r.wrong = append(r.wrong, mistake{at, client.Clean(strings.Join(key, ".")) + ": " + text, grave})
}

// fill takes a table's values by the settings that there are.
func fill[T any](r *reader, at []string, known []setting[T], into *T, table map[string]any, more ...string) {
	names := more
	for _, s := range known {
		names = append(names, s.name)
		value, there := table[s.name]
		if !there {
			continue
		}
		if err := s.take(into, value); err != nil {
			r.bad(s.grave, append(slices.Clone(at), s.name), err.Error())
		}
	}
	for name := range table {
		if !slices.Contains(names, name) {
			r.unknown(append(slices.Clone(at), name), names)
		}
	}
}

// unknown tells of a key that is not known where it stands, and which is meant. It is grave where that one is: what chooses account, token or
// safety is not passed over because it is misspelt, or in another table than its own.
func (r *reader) unknown(key []string, here []string) {
	var like knownKey
	text := "this key is unknown"
	name, least := key[len(key)-1], tooFar
	for _, k := range r.known {
		d := distance(strings.ToLower(name), k.name)
		if d < least || d == least && d < tooFar && k.grave && !like.grave {
			least, like = d, k
		}
	}
	switch {
	case least == tooFar:
	case slices.Contains(here, like.name):
		text += fmt.Sprintf("; is %q meant?", like.name)
	case like.name == name:
		text += "; it belongs " + like.belongs
	default:
		text += fmt.Sprintf("; is %q meant? It belongs %s", like.name, like.belongs)
	}
	r.bad(like.grave, key, text)
}

// astray tells of a key of account, token or safety in a table of other things, and reports whether it is one.
func (r *reader) astray(key []string) bool {
	bare := strings.NewReplacer("_", "", "-", "")
	name := bare.Replace(strings.ToLower(key[len(key)-1]))
	grave := slices.ContainsFunc(r.known, func(k knownKey) bool { return k.grave && bare.Replace(k.name) == name })
	if grave {
		r.unknown(key, nil)
	}
	return grave
}

// A knownKey is a key of the configuration, and where it stands.
type knownKey struct {
	name, belongs string
	grave         bool
}

// knownKeys are the keys at the top, those of accounts, and the names of tables.
func knownKeys() []knownKey {
	const top = "at the top, above the first [table]"
	keys := []knownKey{{"accounts", top, true}, {"keys", top, false}}
	for _, t := range tables() {
		keys = append(keys, knownKey{t.name, top, false})
	}
	for _, s := range topSettings() {
		keys = append(keys, knownKey{s.name, top, s.grave})
	}
	for _, s := range accountSettings() {
		keys = append(keys, knownKey{s.name, "beneath [accounts.NAME]", s.grave})
	}
	return keys
}

// accounts reads [accounts.NAME].
func (r *reader) accounts(cfg *file, value any) {
	if value == nil {
		return
	}
	table, ok := value.(map[string]any)
	if !ok {
		r.bad(true, []string{"accounts"}, "a table for each account is needed, as [accounts.production]")
		return
	}
	for name, value := range table {
		at := []string{"accounts", name}
		block, ok := value.(map[string]any)
		switch {
		case !ok:
			r.bad(true, at, "a table is needed, as [accounts.production]")
			continue
		case !isAccountName(name):
			r.bad(true, at, "an account's name is made of letters, digits, dots, - and _")
		}
		var a accountBlock
		fill(r, at, accountSettings(), &a, block)
		if _, there := block["base_url"]; !there {
			r.bad(true, at, "base_url is missing")
		}
		if ways := waysOf(block); len(ways) > 1 {
			r.bad(true, append(at, ways[1]), fmt.Sprintf("there is %s too; keep one of them", ways[0]))
		}
		cfg.Accounts[name] = a
	}
}

// waysOf are the keys of a block that say where the token is.
func waysOf(block map[string]any) []string {
	var ways []string
	for _, name := range []string{"token_file", "token_command", "token_env", "keyring", "linode_cli"} {
		if value, there := block[name]; there && value != false {
			ways = append(ways, name)
		}
	}
	return ways
}

// keys reads [keys].
func (r *reader) keys(cfg *file, value any) {
	table, ok := value.(map[string]any)
	if !ok && value != nil {
		r.bad(false, []string{"keys"}, `a table is needed, as [keys] with "services.disable" = ["d"]`)
	}
	for name, value := range table {
		list, err := texts(value)
		pane, action, dotted := strings.Cut(name, ".")
		switch {
		case r.astray([]string{"keys", name}):
		case err != nil:
			r.bad(false, []string{"keys", name}, `a list of keys is needed in quotes, as "services.disable" = ["d"]`)
		case !dotted || pane == "" || action == "":
			r.bad(false, []string{"keys", name}, `PANE.ACTION is needed, as "services.disable"`)
		default:
			cfg.Keys[name] = list
		}
	}
}

func joined(key []string) string { return strings.Join(key, "\x00") }

// places finds where each key and each table of a valid document begins.
func places(text string) map[string]place {
	found := map[string]place{}
	var table []string
	open := "" // the end of a text of many lines
	depth := 0 // of brackets that are open
	note := func(key []string, at place) {
		for n := 1; n <= len(key); n++ {
			if _, known := found[joined(key[:n])]; !known {
				found[joined(key[:n])] = at
			}
		}
	}
	for i, line := range strings.Split(text, "\n") {
		at := place{i + 1, 1 + len(line) - len(strings.TrimLeft(line, " \t"))}
		inside := open != "" || depth > 0
		rest := strings.TrimSpace(line)
		switch {
		case inside || rest == "" || rest[0] == '#':
		case rest[0] == '[':
			table, _ = keyOf(strings.TrimLeft(rest, "[ \t"))
			note(table, at)
			continue
		default:
			key, after := keyOf(rest)
			note(append(slices.Clone(table), key...), at)
			line = after
		}
		open, depth = skip(line, open, depth)
	}
	return found
}

// keyOf reads a key that may be dotted and quoted, and gives what follows it.
func keyOf(text string) (key []string, rest string) {
	var word strings.Builder
	quote := byte(0)
	for i := range len(text) {
		c := text[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote == 0 && c == '.':
			key = append(key, word.String())
			word.Reset()
		case quote == 0 && (c == '=' || c == ']'):
			return append(key, word.String()), text[i:]
		case quote == 0 && (c == ' ' || c == '\t'):
		default:
			word.WriteByte(c)
		}
	}
	return append(key, word.String()), ""
}

// skip follows values over the end of a line: texts of many lines, and lists.
func skip(line, open string, depth int) (string, int) {
	for len(line) > 0 {
		if open != "" {
			_, after, closed := strings.Cut(line, open)
			if !closed {
				break
			}
			line, open = after, ""
			continue
		}
		switch {
		case strings.HasPrefix(line, `"""`), strings.HasPrefix(line, "'''"):
			line, open = line[3:], line[:3]
			continue
		case line[0] == '"', line[0] == '\'':
			line = afterQuote(line)
			continue
		case line[0] == '#':
			return open, depth
		case line[0] == '[', line[0] == '{':
			depth++
		case line[0] == ']', line[0] == '}':
			depth = max(0, depth-1)
		}
		line = line[1:]
	}
	return open, depth
}

// afterQuote is what follows a text in quotes.
func afterQuote(line string) string {
	for i := 1; i < len(line); i++ {
		if line[i] == '\\' && line[0] == '"' {
			i++
			continue
		}
		if line[i] == line[0] {
			return line[i+1:]
		}
	}
	return ""
}
