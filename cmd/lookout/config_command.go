package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"
	"github.com/zalando/go-keyring"

	"lookout/client"
	"lookout/ui/shell"
)

func configCommand(f *flags) *cobra.Command {
	c := &cobra.Command{Use: "config", Short: "The configuration: make, show, check, edit", Args: nothing,
		Long: "The program reads its configuration and never writes it unasked.",
		RunE: needsCommand}
	f.ofAccount(c.PersistentFlags())
	sub := func(use, about string, args cobra.PositionalArgs, run func(*cobra.Command, []string) error) *cobra.Command {
		one := &cobra.Command{Use: use, Short: about, Args: args, RunE: run}
		c.AddCommand(one)
		return one
	}
	sub("path", "Say where the configuration is", nothing, func(c *cobra.Command, _ []string) error {
		path, _ := configPath(f)
		fmt.Fprintln(c.OutOrStdout(), path)
		return nil
	})
	sub("init", "Write a configuration with every key explained, where there is none", nothing, func(c *cobra.Command, _ []string) error { return initConfig(c, f) })
	sub("show", "Show every key: its value, and where that comes from", nothing, func(c *cobra.Command, _ []string) error { return showConfig(c, f) })
	sub("validate [FILE]", "Tell every mistake with its file, line and column", exactly, func(c *cobra.Command, args []string) error { return validateConfig(c, f, args) })
	sub("edit", "Open it in $VISUAL or $EDITOR, and check it afterwards", nothing, func(c *cobra.Command, _ []string) error { return editConfig(c, f) })
	sub("schema", "Write its JSON schema", nothing, func(c *cobra.Command, _ []string) error { return writeJSON(c.OutOrStdout(), schema(), "  ") })
	remove := false
	keep := sub("token", "Put an account's token into the system's keyring", nothing, func(c *cobra.Command, _ []string) error { return keepToken(c, f, remove) })
	keep.Flags().BoolVar(&remove, "remove", false, "take it out again")
	return c
}

// writeOwn writes a new file for its owner alone: it has its name when it is whole. What is there is never touched.
func writeOwn(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if _, err := os.Lstat(path); err == nil {
		return &fs.PathError{Op: "write", Path: path, Err: fs.ErrExist}
	}
	part := path + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a run that was killed
		return err
	}
	file, err := newFile(part)
	if err != nil {
		return err
	}
	defer os.Remove(part)
	_, err = file.WriteString(text)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Link(part, path); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return os.Rename(part, path) // this file system has no links
}

// newConfig writes a configuration where there is none.
func newConfig(path, text string) error {
	err := writeOwn(path, text)
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("configuration: %s is there already; lookout config edit opens it", path)
	case err != nil:
		return fmt.Errorf("configuration: %w", err)
	}
	return nil
}

func initConfig(c *cobra.Command, f *flags) error {
	path, _ := configPath(f)
	if err := newConfig(path, explained()); err != nil {
		return err
	}
	fmt.Fprintf(c.OutOrStdout(), "%s is written; lookout config edit opens it, lookout doctor checks it\n", path)
	return nil
}

// explained is a configuration in which every key is told and commented out.
func explained() string {
	var b strings.Builder
	b.WriteString("# The configuration of lookout. lookout config validate checks it.\n")
	for _, s := range topSettings() {
		s.explain(&b)
	}
	b.WriteString("\n# An account; there may be several.\n# [accounts.production]\n")
	for _, s := range accountSettings() {
		s.explain(&b)
	}
	for _, t := range tables() {
		fmt.Fprintf(&b, "\n# %s\n# %s\n", t.about, strings.ReplaceAll(t.example, "\n", "\n# "))
	}
	fmt.Fprintf(&b, "\n# %s\n# [keys]\n# \"services.disable\" = [\"d\", \"x\"]\n", aboutKeys)
	return b.String()
}

func (s setting[T]) explain(b *strings.Builder) {
	fmt.Fprintf(b, "\n# %s\n# It takes %s; without it: %s.\n# %s = %s\n", s.about, s.kind(), s.absent, s.name, s.example)
}

// shownSetting is a key as config show tells it.
type shownSetting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	From  string `json:"from"`
}

func showConfig(c *cobra.Command, f *flags) error {
	path, data, err := readConfig(f)
	if err != nil {
		return usage(err)
	}
	cfg, wrong := parse(data)
	if len(wrong.grave()) > 0 {
		return usage(wrong.in(path))
	}
	if err := wrong.in(path); err != nil {
		fmt.Fprintf(c.ErrOrStderr(), "lookout: %v\n", err)
	}
	var document map[string]any
	if _, err := toml.Decode(string(data), &document); err != nil {
		return usage(err)
	}
	rows, err := settingsShown(c, f, cfg, document, places(string(data)))
	if err != nil {
		return usage(err)
	}
	shown := make([]any, len(rows))
	for i, row := range rows {
		shown[i] = row
	}
	return writeTable(c.OutOrStdout(), plainly([]column[shownSetting]{
		{name: "key", cell: func(s shownSetting) string { return s.Key }},
		{name: "value", cell: func(s shownSetting) string { return s.Value }},
		{name: "from", cell: func(s shownSetting) string { return s.From }},
	}), shown, 0)
}

// settingsShown are the settings at the top and those of the account that is chosen, or of all where none is.
func settingsShown(c *cobra.Command, f *flags, cfg file, document map[string]any, at map[string]place) ([]shownSetting, error) {
	s, err := choose(cfg, f)
	names := []string{s.Account}
	switch {
	case errors.Is(err, errSeveral):
		names = slices.Sorted(maps.Keys(cfg.Accounts))
	case err != nil && !errors.Is(err, errNoAccount):
		return nil, err
	}
	rows := shownSettings(c, topSettings(), nil, document, at)
	accounts, _ := document["accounts"].(map[string]any)
	for _, name := range names {
		block, _ := accounts[name].(map[string]any)
		own := settings{accountBlock: cfg.Accounts[name], Account: name, given: s.given}
		rows = append(rows, shownSettings(c, accountSettings(), []string{"accounts", name}, block, at)...)
		rows = append(rows, shownSetting{"token of " + name, "(not shown)", own.source().source}, shownSetting{"journal of " + name, own.journalPath(), "-"})
	}
	return rows, nil
}

// shownSettings says of each setting what holds and why: flag, variable, line of the file, or nobody: then the default.
func shownSettings[T any](c *cobra.Command, list []setting[T], in []string, table map[string]any, at map[string]place) []shownSetting {
	var rows []shownSetting
	for _, s := range list {
		key := append(slices.Clone(in), s.name)
		row := shownSetting{strings.Join(key, "."), s.absent, "default"}
		if v, there := table[s.name]; there {
			row.Value, row.From = fmt.Sprint(v), fmt.Sprintf("line %d", at[joined(key)].line)
		}
		if v := os.Getenv(s.env); s.env != "" && v != "" {
			row.Value, row.From = v, "$"+s.env
		}
		if flag := c.Flags().Lookup(s.flag); flag != nil && flag.Changed {
			row.Value, row.From = flag.Value.String(), "--"+s.flag
		}
		rows = append(rows, row)
	}
	return rows
}

func validateConfig(c *cobra.Command, f *flags, args []string) error {
	if len(args) == 1 {
		f.config = args[0]
	}
	path, data, err := readConfig(f)
	if err != nil {
		return usage(err)
	}
	if data == nil {
		fmt.Fprintf(c.OutOrStdout(), "there is none at %s; lookout config init writes one\n", path)
		return nil
	}
	if err := allMistakes(c.Context(), data).in(path); err != nil {
		return usage(err)
	}
	fmt.Fprintf(c.OutOrStdout(), "%s: no mistakes\n", path)
	return nil
}

// allMistakes are those of the text, and those that show only when the program is put together: actions that are not there, keys bound twice.
func allMistakes(ctx context.Context, data []byte) mistakes {
	cfg, wrong := parse(data)
	if len(cfg.Keys)+len(cfg.Columns) == 0 {
		return wrong
	}
	at := places(string(data))
	program, account, err := still(ctx, nil)
	if err != nil {
		return append(wrong, mistake{place{1, 1}, err.Error(), true})
	}
	wrong = append(wrong, wrongColumns(account.Lists(), cfg.Columns, at)...)
	var known []string
	for _, k := range program.KeyBindings() {
		known = append(known, k.Name())
	}
	for name := range cfg.Keys {
		if !slices.Contains(known, name) {
			wrong = append(wrong, mistake{at[joined([]string{"keys", name})], fmt.Sprintf("keys.%q: there is no such action%s", client.Clean(name), nearest(name, known)), false})
		}
	}
	_, _, err = still(ctx, cfg.Keys)
	if all, several := err.(interface{ Unwrap() []error }); several {
		for _, one := range all.Unwrap() {
			wrong = append(wrong, mistake{whereBound(one, at), "keys: " + one.Error(), true})
		}
	}
	slices.SortStableFunc(wrong, func(a, b mistake) int {
		return cmp.Or(a.line-b.line, a.column-b.column, strings.Compare(a.text, b.text))
	})
	return wrong
}

// whereBound is the line that binds the key of a clash.
func whereBound(clash error, at map[string]place) place {
	var c *shell.KeyConflictError
	if errors.As(clash, &c) {
		for _, action := range []string{c.OtherAction, c.Action} {
			if p, here := at[joined([]string{"keys", c.Pane + "." + action})]; here {
				return p
			}
		}
	}
	return at["keys"]
}

// editorChosen is the program that edits, with its arguments. A variable of blanks alone chooses none.
func editorChosen() []string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if words := strings.Fields(os.Getenv(name)); len(words) > 0 {
			return words
		}
	}
	return []string{"vi"}
}

func editConfig(c *cobra.Command, f *flags) error {
	path, _ := configPath(f)
	editor := editorChosen()
	in, ok := terminalOf(c.InOrStdin())
	if !ok {
		return usage(fmt.Errorf("an editor needs a terminal, and standard input is none; the file is %s", path))
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := newConfig(path, explained()); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(c.Context(), editor[0], append(editor[1:], path)...)
	cmd.Env = without(tokenVariables(f))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, c.OutOrStdout(), c.ErrOrStderr()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("editor %s: %w; EDITOR chooses another", editor[0], err)
	}
	return validateConfig(c, f, nil)
}

// schema is the JSON schema of the configuration.
func schema() map[string]any {
	account := properties(accountSettings())
	top := properties(topSettings())
	top["accounts"] = map[string]any{"type": "object", "propertyNames": map[string]any{"pattern": accountNames},
		"additionalProperties": map[string]any{"type": "object", "additionalProperties": false, "required": []string{"base_url"}, "properties": account}}
	for _, t := range tables() {
		top[t.name] = t.schema
	}
	top["keys"] = map[string]any{"type": "object", "description": aboutKeys, "additionalProperties": list()}
	return map[string]any{"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Configuration of lookout", "type": "object", "additionalProperties": false, "properties": top}
}

func list() map[string]any {
	return map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
}

func properties[T any](settings []setting[T]) map[string]any {
	out := map[string]any{}
	for _, s := range settings {
		var none T
		one := map[string]any{"type": "string"}
		switch s.into(&none).(type) {
		case *bool:
			one = map[string]any{"type": "boolean"}
		case *[]string:
			one = list()
			if len(s.choices) > 0 {
				one["items"] = map[string]any{"type": "string", "enum": s.choices}
			}
		}
		if one["type"] == "string" && len(s.choices) > 0 {
			one["enum"] = s.choices
		}
		one["description"] = s.about
		out[s.name] = one
	}
	return out
}

// keepToken puts a token into the keyring. It is typed without being shown, or read from standard input.
func keepToken(c *cobra.Command, f *flags, remove bool) error {
	s, err := load(f, c.ErrOrStderr())
	if err != nil {
		return usage(err)
	}
	if remove {
		_, err := inTime(c.Context(), func() (struct{}, error) { return struct{}{}, keyring.Delete(keyringService, s.Account) })
		if err != nil {
			return fmt.Errorf("keyring: %w", err)
		}
		fmt.Fprintf(c.OutOrStdout(), "the token of %s is out of the keyring\n", s.Account)
		return nil
	}
	t, err := (&session{in: c.InOrStdin(), err: c.ErrOrStderr()}).secret(c.Context(), "", "token")
	if err != nil {
		return err
	}
	if err := toKeyring(c.Context(), s.Account, t); err != nil {
		return err
	}
	fmt.Fprintf(c.OutOrStdout(), "the token of %s is in the keyring", s.Account)
	if !s.Keyring {
		fmt.Fprint(c.OutOrStdout(), "; keyring = true in its block uses it")
	}
	fmt.Fprintln(c.OutOrStdout())
	return nil
}
