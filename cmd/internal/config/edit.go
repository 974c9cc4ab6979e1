package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"lookout/client"
	"lookout/client/statefile"
	"lookout/cmd/internal/exit"
)

// An accountBlock is where [accounts.NAME] stands in a file: from its header to the header of the next table.
type accountBlock struct {
	lines       []string
	header, end int           // the first line, and the one after the last
	keys        []writtenLine // in their order
}

// A writtenLine is a key of a block, and the line it begins on.
type writtenLine struct {
	name string
	line int
}

// findBlock finds an account's block. It returns an error if the account is written in another way than as a table of
// its own: such files are for their owner's editor alone.
func findBlock(data []byte, name string) (b accountBlock, err error) {
	b.lines = strings.SplitAfter(string(data), "\n")
	b.header, b.end = -1, len(b.lines)
	f := positionFinder{found: Positions{}, lines: lineStarts(data)}
	f.parser.Reset(data)
	for f.parser.NextExpression() {
		e := f.parser.Expression()
		key, at := f.keyOf(e)
		switch {
		case e.Kind == unstable.Table && b.header < 0 && slices.Equal(key, []string{"accounts", name}):
			b.header = at
		case b.header < 0 || b.end < len(b.lines):
		case e.Kind == unstable.KeyValue && len(key) == 1:
			b.keys = append(b.keys, writtenLine{key[0], at})
		case e.Kind == unstable.Table || e.Kind == unstable.ArrayTable:
			b.end = at
		}
	}
	if err := f.parser.Error(); err != nil {
		return b, fmt.Errorf("configuration: %s", client.Clean(err.Error()))
	}
	if b.header < 0 {
		return b, exit.Advise(
			fmt.Errorf("configuration: there is no table [accounts.%s] of its own", quoteKey(name)),
			"lookout config edit opens the file",
		)
	}
	for b.end > b.header+1 && isBlankOrComment(b.lines[b.end-1]) { // what is above a table belongs to it
		b.end--
	}
	return b, nil
}

// keyOf returns the key of an expression and its line, from 0.
func (f *positionFinder) keyOf(e *unstable.Node) (key []string, line int) {
	if e.Kind != unstable.Table && e.Kind != unstable.ArrayTable && e.Kind != unstable.KeyValue {
		return nil, 0
	}
	for parts := e.Key(); parts.Next(); {
		node := parts.Node()
		if key == nil {
			line, _ = f.place(node)
			line--
		}
		key = append(key, string(node.Data))
	}
	return key, line
}

// isBlankOrComment reports whether a line says nothing to a program.
func isBlankOrComment(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || strings.HasPrefix(line, "#")
}

// quoteKey returns a name as a key of TOML: one with a dot would be read as two keys.
func quoteKey(name string) string {
	if strings.Contains(name, ".") {
		return fmt.Sprintf("%q", name)
	}
	return name
}

// AccountBlock returns the text of a new account's block. The line says where its token is; "" says nothing.
func AccountBlock(name, baseURL, tokenLine string) string {
	text := fmt.Sprintf("[accounts.%s]\nbase_url = %q\n", quoteKey(name), baseURL)
	if tokenLine != "" {
		text += tokenLine + "\n"
	}
	return text
}

// ReadText returns the text of the configuration at a path; nil if there is none.
func ReadText(path string) ([]byte, error) {
	data, err := readFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return data, nil
}

// AddAccount returns a configuration, or a new one if before is nil, with an account's block at its end, and the lines
// that were added. The configuration's only account stays the one that lookout starts with, so that commands without -a
// keep working.
func AddAccount(before []byte, name, block string) (after []byte, added string, err error) {
	var old, own struct {
		Account  string
		Accounts map[string]any
	}
	if err := errors.Join(toml.Unmarshal(before, &old), toml.Unmarshal([]byte(block), &own)); err != nil {
		return nil, "", fmt.Errorf("configuration: %w", err)
	}
	only, start, gap := "", "", ""
	if old.Account == "" && len(old.Accounts) == 1 {
		only = slices.Collect(maps.Keys(old.Accounts))[0]
		start = fmt.Sprintf("account = %q # lookout starts with it\n\n", only)
	}
	if before != nil {
		gap = "\n"
	}
	after = []byte(start + string(before) + gap + block)
	return after, start + block, checkEdit(before, after, func(document, accounts map[string]any) {
		if only != "" {
			document["account"] = only
		}
		accounts[name] = own.Accounts[name]
	})
}

// RemoveAccount returns a configuration without an account, and without choosing it. Nothing else changes.
func RemoveAccount(data []byte, name string) ([]byte, error) {
	b, err := findBlock(data, name)
	if err != nil {
		return nil, err
	}
	above := b.header
	for above > 0 && strings.HasPrefix(strings.TrimSpace(b.lines[above-1]), "#") { // its own comment
		above--
	}
	if above == 0 {
		above = b.header // that of the file
	}
	after := []byte(strings.Join(slices.Concat(b.lines[:above], b.lines[b.end:]), ""))
	if chosen, _ := Parse(data); chosen.Account == name {
		after = setStart(after, "")
	}
	return after, checkEdit(data, after, func(document, accounts map[string]any) {
		delete(accounts, name)
		if document["account"] == name {
			delete(document, "account")
		}
	})
}

// SetStartAccount returns a configuration in which lookout starts with an account.
func SetStartAccount(data []byte, name string) ([]byte, error) {
	after := setStart(data, name)
	return after, checkEdit(data, after, func(document, _ map[string]any) { document["account"] = name })
}

// setStart writes which account lookout starts with, and keeps the comment behind it; "" removes the line.
func setStart(data []byte, name string) []byte {
	line, lines := fmt.Sprintf("account = %q", name), strings.SplitAfter(string(data), "\n")
	at := FindPositions(data)
	n := at.At("account").Line - 1
	switch {
	case !at.Has("account"):
		return slices.Concat([]byte(line+"\n\n"), data)
	case name == "":
		lines[n] = ""
	default:
		if end := strings.IndexAny(lines[n], "#\r\n"); end >= 0 {
			if lines[n][end] == '#' {
				line += " "
			}
			line += lines[n][end:]
		}
		lines[n] = line
	}
	return []byte(strings.Join(lines, ""))
}

// RenameAccount returns a configuration in which an account has another name.
func RenameAccount(data []byte, from, to string) ([]byte, error) {
	b, err := findBlock(data, from)
	if err != nil {
		return nil, err
	}
	_, comment, _ := strings.Cut(b.lines[b.header], "]")
	b.lines[b.header] = "[accounts." + quoteKey(to) + "]" + comment
	after := []byte(strings.Join(b.lines, ""))
	if chosen, _ := Parse(data); chosen.Account == from {
		after = setStart(after, to)
	}
	return after, checkEdit(data, after, func(document, accounts map[string]any) {
		accounts[to] = accounts[from]
		delete(accounts, from)
		if document["account"] == from {
			document["account"] = to
		}
	})
}

// SetTokenPlace returns a configuration in which a line says where an account's token is, in place of all others that
// do: `keyring = true`.
func SetTokenPlace(data []byte, name, line string) ([]byte, error) {
	b, err := findBlock(data, name)
	if err != nil {
		return nil, err
	}
	lines := slices.Clone(b.lines[:b.header+1])
	for i, k := range b.keys {
		end := b.end
		if i+1 < len(b.keys) {
			end = b.keys[i+1].line
		}
		if i == 0 {
			lines = append(lines, b.lines[b.header+1:k.line]...)
		}
		from := k.line
		if slices.Contains(tokenKeys, k.name) { // but not the comment above the next key
			for from = end; isBlankOrComment(b.lines[from-1]); {
				from--
			}
		}
		lines = append(lines, b.lines[from:end]...)
	}
	if last := len(lines) - 1; !strings.HasSuffix(lines[last], "\n") {
		lines[last] += "\n"
	}
	lines = slices.Concat(lines, []string{line + "\n"}, b.lines[b.end:])
	after := []byte(strings.Join(lines, ""))
	var value map[string]any
	if err := toml.Unmarshal([]byte(line), &value); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return after, checkEdit(data, after, func(_, accounts map[string]any) {
		block := accounts[name].(map[string]any)
		for _, way := range tokenKeys {
			delete(block, way)
		}
		maps.Copy(block, value)
	})
}

// checkEdit returns an error unless a changed configuration says exactly what it should: what it said before, with one
// change of the document and its accounts.
func checkEdit(before, after []byte, change func(document, accounts map[string]any)) error {
	want, got := map[string]any{}, map[string]any{}
	err := errors.Join(toml.Unmarshal(before, &want), toml.Unmarshal(after, &got))
	if err == nil {
		accounts, _ := want["accounts"].(map[string]any)
		if accounts == nil {
			accounts = map[string]any{}
		}
		change(want, accounts)
		if want["accounts"] = accounts; len(accounts) == 0 {
			delete(want, "accounts")
		}
	}
	if err != nil || !reflect.DeepEqual(want, got) {
		return exit.Advise(
			errors.New("configuration: it is written in a form that lookout cannot edit"),
			"lookout config edit opens the file",
		)
	}
	return nil
}

// Replace replaces the text of a configuration, unless it has changed since it was read. If before is nil, there was
// none, and it creates one.
func Replace(path string, before, after []byte) error {
	if before == nil {
		return Create(path, string(after))
	}
	if whole, err := filepath.EvalSymlinks(path); err == nil {
		path = whole
	}
	now, err := readFile(path)
	switch {
	case err != nil:
		return fmt.Errorf("configuration: %w", err)
	case !bytes.Equal(now, before):
		return errors.New("configuration: another program has just changed the file, so the change was not saved")
	}
	if err := statefile.New(path).Replace(after); err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	return nil
}

// ReplaceTokenFile replaces the token in a file that only its owner can read, or writes a new one.
func ReplaceTokenFile(path string, token client.Secret) error {
	path = expandHome(path)
	if _, err := os.Lstat(path); err == nil {
		if err := checkPrivateFile("token file", path); err != nil {
			return err
		}
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(folder, filepath.Base(path))
	}
	if whole, err := filepath.EvalSymlinks(path); err == nil {
		path = whole
	}
	if err := statefile.New(path).Replace([]byte(token.Reveal() + "\n")); err != nil {
		return fmt.Errorf("token file: %w", err)
	}
	return nil
}
