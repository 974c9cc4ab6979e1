package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"
	"github.com/zalando/go-keyring"
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

func initConfig(c *cobra.Command, f *flags) error {
	path, _ := configPath(f)
	if err := createConfig(path, configTemplate()); err != nil {
		return err
	}
	fmt.Fprintf(c.OutOrStdout(), "%s is written; lookout config edit opens it, lookout doctor checks it\n", path)
	return nil
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
	return writeTable(c.OutOrStdout(), eraseColumns([]columnDefinition[effectiveValue]{
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
