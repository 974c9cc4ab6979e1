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
	"lookout/views"
)

func configCommand(f *flags) *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "The configuration: make, show, check, edit",
		Args:  noArgs,
		Long:  "The program reads its configuration and never writes it unasked.",
		RunE:  requireSubcommand,
	}
	f.addAccountFlags(c.PersistentFlags())
	sub := func(use, about string, args cobra.PositionalArgs, run func(*cobra.Command, []string) error) *cobra.Command {
		one := &cobra.Command{
			Use:   use,
			Short: about,
			Args:  args,
			RunE:  run,
		}
		c.AddCommand(one)
		return one
	}
	sub("path", "Say where the configuration is", noArgs, func(c *cobra.Command, _ []string) error {
		path, _ := configPath(f)
		fmt.Fprintln(c.OutOrStdout(), path)
		return nil
	})
	sub(
		"init",
		"Write a configuration with every key explained, where there is none",
		noArgs,
		func(c *cobra.Command, _ []string) error { return initConfig(c, f) },
	)
	sub(
		"show",
		"Show every key: its value, and where that comes from",
		noArgs,
		func(c *cobra.Command, _ []string) error { return showConfig(c, f) },
	)
	sub(
		"validate [FILE]",
		"Tell every mistake with its file, line and column",
		argsFromUse,
		func(c *cobra.Command, args []string) error { return validateConfig(c, f, args) },
	)
	sub(
		"edit",
		"Open it in $VISUAL or $EDITOR, and check it afterwards",
		noArgs,
		func(c *cobra.Command, _ []string) error { return editConfig(c, f) },
	)
	sub(
		"schema",
		"Write its JSON schema",
		noArgs,
		func(c *cobra.Command, _ []string) error { return writeJSON(c.OutOrStdout(), configSchema(), "  ") },
	)
	remove := false
	keep := sub(
		"token",
		"Put an account's token into the system's keyring",
		noArgs,
		func(c *cobra.Command, _ []string) error { return runConfigToken(c, f, remove) },
	)
	keep.Flags().BoolVar(&remove, "remove", false, "take it out again")
	return c
}

// writePrivateFile writes a new file for its owner alone: it has its name when it is whole. What is there is never
// touched.
func writePrivateFile(path, text string) error {
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
	file, err := createPrivateFile(part)
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

// createConfig writes a configuration where there is none.
func createConfig(path, text string) error {
	err := writePrivateFile(path, text)
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
	if err := createConfig(path, configTemplate()); err != nil {
		return err
	}
	fmt.Fprintf(c.OutOrStdout(), "%s is written; lookout config edit opens it, lookout doctor checks it\n", path)
	return nil
}

// configTemplate is a configuration in which every key is told and commented out.
func configTemplate() string {
	var b strings.Builder
	b.WriteString("# The configuration of lookout. lookout config validate checks it.\n")
	for _, s := range topLevelKeys() {
		s.writeTemplate(&b)
	}
	b.WriteString("\n# An account; there may be several.\n# [accounts.production]\n")
	for _, s := range accountKeys() {
		s.writeTemplate(&b)
	}
	for _, t := range configTables() {
		fmt.Fprintf(&b, "\n# %s\n# %s\n", t.description, strings.ReplaceAll(t.example, "\n", "\n# "))
	}
	fmt.Fprintf(&b, "\n# %s\n# [keys]\n# \"services.disable\" = [\"d\", \"x\"]\n", keysDescription)
	return b.String()
}

func (s configKey[T]) writeTemplate(b *strings.Builder) {
	fmt.Fprintf(
		b,
		"\n# %s\n# It takes %s; without it: %s.\n# %s = %s\n",
		s.description,
		s.typeName(),
		s.defaultText,
		s.name,
		s.example,
	)
}

// effectiveValue is a key as config show tells it.
type effectiveValue struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	From  string `json:"from"`
}

func showConfig(c *cobra.Command, f *flags) error {
	path, data, err := readConfig(f)
	if err != nil {
		return usageError(err)
	}
	cfg, wrong := parseConfig(data)
	if len(wrong.fatal()) > 0 {
		return usageError(wrong.asError(path))
	}
	if err := wrong.asError(path); err != nil {
		fmt.Fprintf(c.ErrOrStderr(), "lookout: %v\n", err)
	}
	var document map[string]any
	if _, err := toml.Decode(string(data), &document); err != nil {
		return usageError(err)
	}
	rows, err := collectEffectiveValues(c, f, cfg, document, keyPositions(string(data)))
	if err != nil {
		return usageError(err)
	}
	shown := make([]any, len(rows))
	for i, row := range rows {
		shown[i] = row
	}
	return writeTable(c.OutOrStdout(), eraseColumns([]column[effectiveValue]{
		{name: "key", cell: func(s effectiveValue) string { return s.Key }},
		{name: "value", cell: func(s effectiveValue) string { return s.Value }},
		{name: "from", cell: func(s effectiveValue) string { return s.From }},
	}), shown, 0)
}

// collectEffectiveValues are the settings at the top and those of the account that is chosen, or of all where none is.
func collectEffectiveValues(
	c *cobra.Command,
	f *flags,
	cfg configFile,
	document map[string]any,
	at map[string]position,
) ([]effectiveValue, error) {
	s, err := resolveSettings(cfg, f)
	names := []string{s.Account}
	switch {
	case errors.Is(err, errSeveralAccounts):
		names = slices.Sorted(maps.Keys(cfg.Accounts))
	case err != nil && !errors.Is(err, errNoAccount):
		return nil, err
	}
	rows := effectiveTableValues(c, topLevelKeys(), nil, document, at)
	accounts, _ := document["accounts"].(map[string]any)
	for _, name := range names {
		block, _ := accounts[name].(map[string]any)
		own := settings{accountConfig: cfg.Accounts[name], Account: name, tokenOverride: s.tokenOverride}
		rows = append(rows, effectiveTableValues(c, accountKeys(), []string{"accounts", name}, block, at)...)
		rows = append(
			rows,
			effectiveValue{"token of " + name, "(not shown)", own.tokenSource().description},
			effectiveValue{"journal of " + name, own.journalPath(), "-"},
		)
	}
	return rows, nil
}

// effectiveTableValues says of each setting what holds and why: flag, variable, line of the file, or nobody: then the
// default.
func effectiveTableValues[T any](
	c *cobra.Command,
	list []configKey[T],
	in []string,
	table map[string]any,
	at map[string]position,
) []effectiveValue {
	var rows []effectiveValue
	for _, s := range list {
		key := append(slices.Clone(in), s.name)
		row := effectiveValue{strings.Join(key, "."), s.defaultText, "default"}
		if v, there := table[s.name]; there {
			row.Value, row.From = fmt.Sprint(v), fmt.Sprintf("line %d", at[joinKey(key)].line)
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
		return usageError(err)
	}
	if data == nil {
		fmt.Fprintf(c.OutOrStdout(), "there is none at %s; lookout config init writes one\n", path)
		return nil
	}
	if err := checkConfig(c.Context(), data).asError(path); err != nil {
		return usageError(err)
	}
	fmt.Fprintf(c.OutOrStdout(), "%s: no mistakes\n", path)
	return nil
}

// checkConfig are those of the text, and those that show only when the program is put together: actions that are not
// there, keys bound twice.
func checkConfig(ctx context.Context, data []byte) configErrors {
	cfg, wrong := parseConfig(data)
	if len(cfg.Keys)+len(cfg.Columns) == 0 {
		return wrong
	}
	at := keyPositions(string(data))
	program, account, err := newFrozenDemo(ctx, nil)
	if err != nil {
		return append(wrong, configError{position{1, 1}, err.Error(), true})
	}
	wrong = append(wrong, checkColumns(views.ColumnChoosers(account), cfg.Columns, at)...)
	var known []string
	for _, k := range program.KeyBindings() {
		known = append(known, k.Name())
	}
	for name := range cfg.Keys {
		if !slices.Contains(known, name) {
			wrong = append(
				wrong,
				configError{
					at[joinKey([]string{"keys", name})],
					fmt.Sprintf("keys.%q: there is no such action%s", client.Clean(name), suggestion(name, known)),
					false,
				},
			)
		}
	}
	_, _, err = newFrozenDemo(ctx, cfg.Keys)
	if all, several := err.(interface{ Unwrap() []error }); several {
		for _, one := range all.Unwrap() {
			wrong = append(wrong, configError{bindingPosition(one, at), "keys: " + one.Error(), true})
		}
	}
	slices.SortStableFunc(wrong, func(a, b configError) int {
		return cmp.Or(a.line-b.line, a.column-b.column, strings.Compare(a.text, b.text))
	})
	return wrong
}

// bindingPosition is the line that binds the key of a clash.
func bindingPosition(clash error, at map[string]position) position {
	var c *shell.KeyConflictError
	if errors.As(clash, &c) {
		for _, action := range []string{c.OtherAction, c.Action} {
			if p, here := at[joinKey([]string{"keys", c.Pane + "." + action})]; here {
				return p
			}
		}
	}
	return at["keys"]
}

// editorCommand is the program that edits, with its arguments. A variable of blanks alone chooses none.
func editorCommand() []string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if words := strings.Fields(os.Getenv(name)); len(words) > 0 {
			return words
		}
	}
	return []string{"vi"}
}

func editConfig(c *cobra.Command, f *flags) error {
	path, _ := configPath(f)
	editor := editorCommand()
	in, ok := asTerminal(c.InOrStdin())
	if !ok {
		return usageError(fmt.Errorf("an editor needs a terminal, and standard input is none; the file is %s", path))
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := createConfig(path, configTemplate()); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(c.Context(), editor[0], append(editor[1:], path)...)
	cmd.Env = environWithout(tokenVariables(f))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, c.OutOrStdout(), c.ErrOrStderr()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("editor %s: %w; EDITOR chooses another", editor[0], err)
	}
	return validateConfig(c, f, nil)
}

// configSchema is the JSON schema of the configuration.
func configSchema() map[string]any {
	account := schemaProperties(accountKeys())
	top := schemaProperties(topLevelKeys())
	top["accounts"] = map[string]any{"type": "object", "propertyNames": map[string]any{"pattern": accountNamePattern},
		"additionalProperties": map[string]any{
			"type":                 "object",
			"additionalProperties": false,
			"required":             []string{"base_url"},
			"properties":           account,
		}}
	for _, t := range configTables() {
		top[t.name] = t.schema
	}
	top["keys"] = map[string]any{
		"type":                 "object",
		"description":          keysDescription,
		"additionalProperties": stringListSchema(),
	}
	return map[string]any{
		"$schema":              "https://json-schema.org/draft/2020-12/schema",
		"title":                "Configuration of lookout",
		"type":                 "object",
		"additionalProperties": false,
		"properties":           top,
	}
}

func stringListSchema() map[string]any {
	return map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
}

func schemaProperties[T any](settings []configKey[T]) map[string]any {
	out := map[string]any{}
	for _, s := range settings {
		var none T
		one := map[string]any{"type": "string"}
		switch s.target(&none).(type) {
		case *bool:
			one = map[string]any{"type": "boolean"}
		case *[]string:
			one = stringListSchema()
			if len(s.choices) > 0 {
				one["items"] = map[string]any{"type": "string", "enum": s.choices}
			}
		}
		if one["type"] == "string" && len(s.choices) > 0 {
			one["enum"] = s.choices
		}
		one["description"] = s.description
		out[s.name] = one
	}
	return out
}

// saveToken puts a token into the keyring. It is typed without being shown, or read from standard input.
func runConfigToken(c *cobra.Command, f *flags, remove bool) error {
	s, err := loadSettings(f, c.ErrOrStderr())
	if err != nil {
		return usageError(err)
	}
	if remove {
		_, err := withKeyringTimeout(
			c.Context(),
			func() (struct{}, error) { return struct{}{}, keyring.Delete(keyringService, s.Account) },
		)
		if err != nil {
			return fmt.Errorf("keyring: %w", err)
		}
		fmt.Fprintf(c.OutOrStdout(), "the token of %s is out of the keyring\n", s.Account)
		return nil
	}
	t, err := (&scriptSession{in: c.InOrStdin(), errOut: c.ErrOrStderr()}).readSecret(c.Context(), "", "token")
	if err != nil {
		return err
	}
	if err := saveKeyringToken(c.Context(), s.Account, t); err != nil {
		return err
	}
	fmt.Fprintf(c.OutOrStdout(), "the token of %s is in the keyring", s.Account)
	if !s.Keyring {
		fmt.Fprint(c.OutOrStdout(), "; keyring = true in its block uses it")
	}
	fmt.Fprintln(c.OutOrStdout())
	return nil
}
