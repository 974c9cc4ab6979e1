package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"lookout/cmd/internal/config"
	"lookout/cmd/internal/dashboard"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
	"lookout/views/resource"
)

func configCommand(f *config.Flags) *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "Create, show, check and edit the configuration",
		Args:  NoArgs,
		Long: "Create, show, check and edit the configuration. lookout changes it only when you ask it to.\n\n" +
			config.Help(),
		Example: indentExamples("lookout config init\nlookout config edit\nlookout config validate"),
		RunE:    requireSubcommand,
	}
	f.AddAccountFlags(c.PersistentFlags())
	sub := func(
		use, about, examples string, args cobra.PositionalArgs, run func(*cobra.Command, []string) error,
	) *cobra.Command {
		one := &cobra.Command{
			Use:     use,
			Short:   about,
			Example: indentExamples(examples),
			Args:    args,
			RunE:    run,
		}
		c.AddCommand(one)
		return one
	}
	sub("path", "Print the path of the configuration", "lookout config path", NoArgs,
		func(c *cobra.Command, _ []string) error {
			path, _ := config.Path(f)
			if err := config.CheckHome(f); err != nil {
				return exit.Usage(err)
			}
			fmt.Fprintln(c.OutOrStdout(), path)
			return nil
		})
	sub("init", "Write a new configuration with every key explained", "lookout config init", NoArgs,
		withFlags(f, initConfig))
	show := sub("show", "Show every setting, its value and where the value comes from",
		"lookout config show -a production\nlookout config show --filter '!from:default'", NoArgs, nil)
	printsRows(show, []resource.ColumnDefinition[*effectiveValue]{
		{Name: "key", Value: func(s *effectiveValue) string { return s.Key }},
		{Name: "value", Value: func(s *effectiveValue) string { return s.Value }},
		{Name: "from", Value: func(s *effectiveValue) string { return s.From }},
	}, func(c *cobra.Command, _ []string) (iter.Seq[*effectiveValue], error) { return effectiveValues(c, f) })
	validate := sub("validate [FILE]", "Report every mistake with its file, line and column",
		"lookout config validate new.toml\nlookout config validate", ArgsFromUse,
		func(c *cobra.Command, args []string) error { return validateConfig(c, f, args) })
	completeArgs(validate, completeFiles)
	sub("edit", "Edit the configuration with $VISUAL or $EDITOR, then check it", "EDITOR=nano lookout config edit",
		NoArgs, withFlags(f, editConfig))
	sub("schema", "Print the configuration's JSON schema", "lookout config schema > lookout.schema.json", NoArgs,
		func(c *cobra.Command, _ []string) error {
			return output.WriteJSON(c.OutOrStdout(), config.Schema(), "  ")
		})
	return c
}

// withFlags adapts a function that needs the flags but no arguments to a command.
func withFlags(f *config.Flags, run func(*cobra.Command, *config.Flags) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, _ []string) error { return run(c, f) }
}

func initConfig(c *cobra.Command, f *config.Flags) error {
	path, _ := config.Path(f)
	if err := config.CheckHome(f); err != nil {
		return exit.Usage(err)
	}
	if err := config.Create(path, config.Template()); err != nil {
		return err
	}
	fmt.Fprintf(c.OutOrStdout(), "%s was created; lookout config edit opens it, lookout doctor checks it\n", path)
	return nil
}

// effectiveValue is a row of config show: a key, its value and where the value comes from.
type effectiveValue struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	From  string `json:"from"`
}

// effectiveValues returns every setting.
func effectiveValues(c *cobra.Command, f *config.Flags) (iter.Seq[*effectiveValue], error) {
	path, data, err := config.Read(f)
	if err != nil {
		return nil, exit.Usage(err)
	}
	cfg, wrong := config.Parse(data)
	if len(wrong.Fatal()) > 0 {
		return nil, exit.Usage(wrong.AsError(path))
	}
	if err := wrong.AsError(path); err != nil {
		fmt.Fprintf(c.ErrOrStderr(), "lookout: %v\n", err)
	}
	var document map[string]any
	if err := toml.Unmarshal(data, &document); err != nil {
		return nil, exit.Usage(err)
	}
	rows, err := collectEffectiveValues(c, f, cfg, document, config.FindPositions(data))
	if err != nil {
		return nil, exit.Usage(err)
	}
	return slices.Values(rows), nil
}

// collectEffectiveValues returns the keys at the top and those of the chosen account, or of all accounts if none is
// chosen.
func collectEffectiveValues(
	c *cobra.Command, f *config.Flags, cfg config.File, document map[string]any, at config.Positions,
) ([]*effectiveValue, error) {
	s, err := config.Resolve(cfg, f)
	names := []string{s.Account}
	switch {
	case errors.Is(err, config.ErrSeveralAccounts):
		names = slices.Sorted(maps.Keys(cfg.Accounts))
	case err != nil && !errors.Is(err, config.ErrNoAccount):
		return nil, err
	}
	rows := effectiveTableValues(c, config.TopLevelKeys(), nil, document, at)
	accounts, _ := document["accounts"].(map[string]any)
	for _, name := range names {
		block, _ := accounts[name].(map[string]any)
		own := s
		if _, known := cfg.Accounts[name]; known {
			flags := *f
			flags.Account = name
			own, _ = config.Resolve(cfg, &flags) // an account without an address has a journal, too
		}
		rows = append(rows, effectiveTableValues(c, config.AccountKeys(), []string{"accounts", name}, block, at)...)
		rows = append(
			rows, &effectiveValue{"token of " + name, "(not shown)", own.TokenSource().Description},
			&effectiveValue{"journal of " + name, own.JournalPath(), "-"},
		)
	}
	return rows, nil
}

// effectiveTableValues returns the value of each key of a table and its source: a flag, a variable, a line of the file,
// or the default.
func effectiveTableValues(
	c *cobra.Command, list []config.KeySpec, in []string, table map[string]any, at config.Positions,
) []*effectiveValue {
	var rows []*effectiveValue
	for _, s := range list {
		key := append(slices.Clone(in), s.Name)
		row := &effectiveValue{strings.Join(key, "."), s.DefaultText, "default"}
		if v, there := table[s.Name]; there {
			row.Value, row.From = fmt.Sprint(v), fmt.Sprintf("line %d", at.At(key...).Line)
		}
		if v := flagsOf(c).Env.Get(s.Env); s.Env != "" && v != "" {
			row.Value, row.From = v, "$"+s.Env
		}
		if flag := c.Flags().Lookup(s.Flag); flag != nil && flag.Changed {
			row.Value, row.From = flag.Value.String(), "--"+s.Flag
		}
		rows = append(rows, row)
	}
	return rows
}

func validateConfig(c *cobra.Command, f *config.Flags, args []string) error {
	if len(args) == 1 {
		f.Config = args[0]
	}
	path, data, err := config.Read(f)
	if err != nil {
		return exit.Usage(err)
	}
	if data == nil {
		fmt.Fprintf(c.OutOrStdout(), "there is no configuration at %s; lookout config init writes one\n", path)
		return nil
	}
	if err := dashboard.CheckConfig(c.Context(), data).AsError(path); err != nil {
		return exit.Usage(err)
	}
	fmt.Fprintf(c.OutOrStdout(), "%s: no mistakes\n", path)
	return nil
}

func editConfig(c *cobra.Command, f *config.Flags) error {
	path, _ := config.Path(f)
	if err := config.CheckHome(f); err != nil {
		return exit.Usage(err)
	}
	editor := []string{"vi"}
	for _, name := range []string{"EDITOR", "VISUAL"} { // the last that is not blank counts
		if words := strings.Fields(f.Env.Get(name)); len(words) > 0 {
			editor = words
		}
	}
	in, ok := output.AsTerminal(c.InOrStdin())
	if !ok {
		return exit.Usage(fmt.Errorf("an editor needs a terminal, but standard input is not one; the file is %s", path))
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := config.Create(path, config.Template()); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(c.Context(), editor[0], append(editor[1:], path)...)
	cmd.Env = f.EnvironWithoutTokens()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, c.OutOrStdout(), c.ErrOrStderr()
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt) // ctrl+c is for the editor, which has the terminal
	defer signal.Stop(interrupts)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("editor %s: %w; set EDITOR to choose another", editor[0], err)
	}
	return validateConfig(c, f, nil)
}
