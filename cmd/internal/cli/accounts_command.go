package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lookout/client"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/keep"
	"lookout/cmd/internal/output"
	"lookout/cmd/internal/setup"
	"lookout/views/resource"
)

// accountsCommand manages the accounts of the configuration.
func accountsCommand(f *config.Flags) *cobra.Command {
	c := &cobra.Command{
		Use:   "accounts",
		Short: "Add, list, check, rename and remove accounts, choose one, and replace tokens",
		Args:  NoArgs,
		Long: "Changes the accounts in the configuration, and leaves the rest of the file unchanged.\n" +
			"Tokens are typed without being echoed, or read from standard input; they are never passed as arguments.",
		Example: indentExamples(
			"lookout accounts add staging\nlookout accounts list\nlookout accounts token production < new.token\n" +
				"lookout accounts use production\nlookout accounts check -o json",
		),
	}
	listsAccounts(c, f)
	c.PersistentFlags().StringVar(
		&f.Config,
		"config",
		"",
		"configuration file (default $XDG_CONFIG_HOME/lookout/config.toml)",
	)
	config.CompleteFile(c.PersistentFlags(), "config")
	c.AddCommand(addAccountCommand(f), listAccountsCommand(f))
	for _, one := range []*cobra.Command{
		useAccountCommand(f), checkAccountsCommand(f), accountTokenCommand(f), renameAccountCommand(f),
		removeAccountCommand(f),
	} {
		one.ValidArgsFunction = f.CompleteAccount
		c.AddCommand(one)
	}
	return c
}

// An accountFile is the configuration as it was read, to be changed.
type accountFile struct {
	path string
	data []byte
	env  config.Environment
	config.File
}

// readAccountFile reads the configuration. One with mistakes that stop lookout from starting is not changed.
func readAccountFile(f *config.Flags) (accountFile, error) {
	path, data, err := config.Read(f)
	if err = cmp.Or(config.CheckHome(f), err); err != nil {
		return accountFile{}, exit.Usage(err)
	}
	cfg, wrong := config.Parse(data)
	if err := wrong.Fatal().AsError(path); err != nil {
		return accountFile{}, exit.Usage(err)
	}
	return accountFile{path, data, f.Env, cfg}, nil
}

// names returns the names of the accounts.
func (a accountFile) names() []string { return slices.Sorted(maps.Keys(a.Accounts)) }

// find returns the name of an account that a command line gives; without one, that of the only account. An empty name
// is given, too: the variable of a script that is not set.
func (a accountFile) find(args []string) (string, error) {
	name := a.Account
	if len(args) > 0 {
		name = args[0]
	}
	if _, known := a.Accounts[name]; known {
		return name, nil
	}
	switch names := a.names(); {
	case len(names) == 0:
		return "", exit.Usage(config.ErrNoAccount)
	case len(args) == 0 && len(names) == 1:
		return names[0], nil
	case len(args) == 0:
		return "", exit.Usage(exit.Advise(config.ErrSeveralAccounts, "name one: "+strings.Join(names, ", ")))
	default:
		return "", exit.WithCode(exit.CodeNotFound, exit.Advise(
			fmt.Errorf("the configuration has no account %q", client.Clean(name)), "it has "+strings.Join(names, ", "),
		))
	}
}

// readAccount reads the configuration, and finds the account that a command line gives.
func readAccount(f *config.Flags, args []string) (file accountFile, name string, err error) {
	if file, err = readAccountFile(f); err == nil {
		name, err = file.find(args)
	}
	return file, name, err
}

// settings returns the settings of an account of the file. The error is about the environment.
func (a accountFile) settings(f *config.Flags, name string) (config.Settings, error) {
	flags := *f
	flags.Account, flags.AccountOnly = name, name != ""
	s, err := config.Resolve(a.File, &flags)
	if err != nil {
		return s, exit.Usage(err)
	}
	return s, nil
}

func addAccountCommand(f *config.Flags) *cobra.Command {
	protected, color, tokenFile, untested := false, "", "", false
	c := &cobra.Command{
		Use:   "add [NAME]",
		Short: "Ask for an account's address and token, test them, and add the account",
		Args:  ArgsFromUse,
		Long: "Says where to create a token and which scopes it needs, tests it, shows what it allows in each pane, " +
			"and writes the configuration once you agree.\nA token that you paste is kept in a file that only you " +
			"can read or in the keyring; any other token can stay where it is, for example in a variable.\n" +
			"With --token-file, or if standard input is not a terminal, it asks no questions. It reads the " +
			"token from the file (which is not moved) or from standard input, tests it and writes the " +
			"configuration.\n" +
			"With --read-only, the account is added as read-only: lookout refuses every change except creating " +
			"download links.",
		Example: indentExamples("lookout accounts add production --protected --color red\n" +
			"lookout accounts add staging --token-file ~/staging.token\nlookout accounts add staging < token"),
		RunE: func(c *cobra.Command, args []string) error {
			file, err := readAccountFile(f)
			if err != nil {
				return err
			}
			if color != "" && !slices.Contains(config.AccountColors(), color) {
				return exit.Usage(fmt.Errorf(
					"--color %q: use %s", client.Clean(color), strings.Join(config.AccountColors(), ", "),
				))
			}
			_, asks := output.AsTerminal(c.InOrStdin())
			if asks = asks && tokenFile == ""; !asks && len(args) == 0 {
				return exit.Usage(errors.New("NAME is required with --token-file or without a terminal"))
			}
			w := setup.NewWizard(c, f)
			w.Taken, w.Name = file.names(), cmp.Or(args...)
			if w.Name != "" {
				if err := setup.CheckNewName(w.Name, w.Taken); err != nil {
					return exit.Usage(fmt.Errorf("NAME %s: %w", client.Clean(w.Name), err))
				}
			}
			for _, key := range []struct {
				name string
				on   bool
			}{{"protected", protected}, {"read_only", f.ReadOnly}} {
				if key.on {
					w.Keys += key.name + " = true\n"
				}
			}
			if color != "" {
				w.Keys += fmt.Sprintf("color = %q\n", color)
			}
			if asks {
				return w.AddAccount(c.Context())
			}
			var token client.Secret
			if tokenFile == "" {
				s := &scriptSession{in: c.InOrStdin(), errOut: c.ErrOrStderr()}
				if token, err = s.readSecret(c.Context(), "", "token"); err != nil {
					return exit.Advise(err, "give it on standard input, or with --token-file")
				}
			}
			text, err := w.AddUnattended(c.Context(), tokenFile, token, untested)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(c.OutOrStdout(), text)
			return err
		},
	}
	c.Flags().StringVar(&f.BaseURL, "base-url", "", config.BaseURLUsage)
	c.Flags().StringVar(
		&tokenFile, "token-file", "", "file that holds the token, readable only by its owner; ask nothing",
	)
	config.CompleteFile(c.Flags(), "token-file")
	c.Flags().BoolVar(
		&untested, "untested", false, "do not test the token; only with --token-file or a token on standard input",
	)
	c.Flags().BoolVar(&protected, "protected", false, "show PROD beside the name, and ask before every change")
	c.Flags().StringVar(&color, "color", "", "colour of the name: "+strings.Join(config.AccountColors(), ", "))
	config.CompleteValues(c.Flags(), "color", config.AccountColors()...)
	return c
}

// A listedAccount is an account of the configuration as accounts list prints it.
type listedAccount struct {
	Name      string `json:"name"`
	BaseURL   string `json:"base_url"`
	Token     string `json:"token"` // where it is
	Protected bool   `json:"protected"`
	ReadOnly  bool   `json:"read_only"`
	Color     string `json:"color"`
	Start     bool   `json:"start"` // lookout starts with it
}

// printsRows makes a command print rows, with the flags of all lists. The rows are pointers, which share its code.
func printsRows[T any](
	c *cobra.Command, columns []resource.ColumnDefinition[T],
	rows func(*cobra.Command, []string) (iter.Seq[T], error),
) {
	p, selection, erased := &output.Printer{}, &output.RowQuery{}, resource.EraseColumns(columns)
	p.AddFlags(c.Flags())
	selection.AddFlags(c.Flags())
	completeRowFlags(c.Flags(), erased)
	c.RunE = func(c *cobra.Command, args []string) error {
		p.Out = c.OutOrStdout()
		if err := errors.Join(p.Check(erased), selection.Check(erased)); err != nil {
			return err
		}
		ctx := c.Context() // rows ends a context of its own once everything is read
		found, err := rows(c, args)
		if err != nil {
			return err
		}
		return output.WriteRows(ctx, *p, erased, selection.Rows(erased, func(yield func(any, error) bool) {
			for row := range found {
				if !yield(row, nil) {
					return
				}
			}
		}, time.Now()))
	}
}

func listAccountsCommand(f *config.Flags) *cobra.Command {
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the accounts in the configuration; the same as lookout accounts",
		Args:    NoArgs,
		Example: indentExamples("lookout accounts list --columns name,token\nlookout accounts list -o json"),
	}
	listsAccounts(c, f)
	return c
}

// listsAccounts makes a command list the accounts.
func listsAccounts(c *cobra.Command, f *config.Flags) {
	printsRows(c, []resource.ColumnDefinition[*listedAccount]{
		{Name: "name", Value: func(a *listedAccount) string { return a.Name }},
		{Name: "base_url", Value: func(a *listedAccount) string { return a.BaseURL }},
		{Name: "token", Value: func(a *listedAccount) string { return a.Token }},
		{Name: "protected", Value: func(a *listedAccount) string { return fmt.Sprint(a.Protected) }},
		{Name: "read_only", Value: func(a *listedAccount) string { return fmt.Sprint(a.ReadOnly) }},
		{Name: "color", Value: func(a *listedAccount) string { return a.Color }},
		{Name: "start", Value: func(a *listedAccount) string { return fmt.Sprint(a.Start) }},
	}, func(*cobra.Command, []string) (iter.Seq[*listedAccount], error) {
		file, err := readAccountFile(f)
		var rows []*listedAccount
		for _, name := range file.names() {
			s, wrong := file.settings(f, name)
			err = cmp.Or(err, wrong)
			rows = append(rows, &listedAccount{
				Name:      name,
				BaseURL:   s.BaseURL,
				Token:     s.TokenSource().Description,
				Protected: s.Protected,
				ReadOnly:  s.ReadOnly,
				Color:     file.Accounts[name].Color,
				Start:     name == file.Account || len(file.Accounts) == 1,
			})
		}
		return slices.Values(rows), err
	})
}

func useAccountCommand(f *config.Flags) *cobra.Command {
	return &cobra.Command{
		Use:     "use NAME",
		Short:   "Choose the account that lookout uses without -a",
		Args:    ArgsFromUse,
		Example: indentExamples("lookout accounts use production"),
		RunE: func(c *cobra.Command, args []string) error {
			file, name, err := readAccount(f, args)
			if err != nil {
				return err
			}
			after, err := config.SetStartAccount(file.data, name)
			if err == nil && name != file.Account {
				err = config.Replace(file.path, file.data, after)
			}
			if err != nil {
				return err
			}
			text := "lookout starts with account " + name
			if other := f.Env.Get("LOOKOUT_ACCOUNT"); other != "" && other != name {
				text += ", but LOOKOUT_ACCOUNT=" + client.Clean(other) + " overrides it in this shell"
			}
			_, err = fmt.Fprintln(c.OutOrStdout(), text)
			return err
		},
	}
}

func checkAccountsCommand(f *config.Flags) *cobra.Command {
	c := &cobra.Command{
		Use:   "check [NAME]",
		Short: "Test the token of one account, or of all",
		Args:  ArgsFromUse,
		Long: "Reads the token and the first rows of every list, and changes nothing. The exit code is that of " +
			"the first failure: 3 for the token, 6 for the connection.",
		Example: indentExamples("lookout accounts check production\nlookout accounts check --filter '!state:ok'"),
	}
	f.AddDebugFlag(c.Flags())
	code := exit.CodeOK
	printsRows(c, []resource.ColumnDefinition[*setup.AccountCheck]{
		{Name: "account", Value: func(a *setup.AccountCheck) string { return a.Account }},
		{Name: "state", Value: func(a *setup.AccountCheck) string { return string(a.State) }},
		{Name: "user", Value: func(a *setup.AccountCheck) string { return a.User }},
		{Name: "text", Value: func(a *setup.AccountCheck) string { return a.Text }, IsClean: true},
		{Name: "next", Value: func(a *setup.AccountCheck) string { return a.Next }, IsClean: true},
	}, func(c *cobra.Command, args []string) (iter.Seq[*setup.AccountCheck], error) {
		file, err := readAccountFile(f)
		if err != nil {
			return nil, err
		}
		closeDebug, err := f.OpenDebug(c.ErrOrStderr())
		if err != nil {
			return nil, err
		}
		names, err := file.toCheck(args)
		return func(yield func(*setup.AccountCheck) bool) {
			defer closeDebug()
			for _, name := range names {
				result := setup.AccountCheck{Account: name, State: "failed", Code: exit.CodeUsage}
				if s, err := file.settings(f, name); err != nil {
					result.Text = err.Error()
				} else {
					result = setup.CheckAccount(c.Context(), s)
				}
				if code = cmp.Or(code, result.Code); !yield(&result) {
					return
				}
			}
		}, err
	})
	return withExitCode(c, &code)
}

// withExitCode makes a command that printed everything end with an exit code.
func withExitCode(c *cobra.Command, code *int) *cobra.Command {
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		err := run(c, args)
		if err == nil && *code != exit.CodeOK {
			err = exit.WithCode(*code, nil)
		}
		return err
	}
	return c
}

// toCheck returns the names of the accounts to check: the one that is given, or all. Without any, "" is the one that
// the environment describes.
func (a accountFile) toCheck(args []string) ([]string, error) {
	names := a.names()
	if len(args) == 0 && len(names) > 0 {
		return names, nil
	}
	if len(args) == 0 && a.env.Get("LOOKOUT_BASE_URL") != "" {
		return []string{""}, nil
	}
	name, err := a.find(args)
	return []string{name}, err
}

func accountTokenCommand(f *config.Flags) *cobra.Command {
	store, untested := "", false
	c := &cobra.Command{
		Use:   "token [NAME]",
		Short: "Replace an account's token in its file or in the keyring",
		Args:  ArgsFromUse,
		Long: "Reads the new token from the terminal, without showing it, or from standard input; tests it; and " +
			"stores it where the old one is.\nA token that the API rejects is not stored. If the old one comes from " +
			"elsewhere, such as a variable or a program, --store puts the new one into a file or the system's keyring.",
		Example: indentExamples(
			"lookout accounts token staging --store keyring < new.token\nlookout accounts token production < new.token",
		),
		RunE: func(c *cobra.Command, args []string) error {
			return replaceToken(c, f, args, store, untested)
		},
	}
	c.Flags().StringVar(&store, "store", "", "where to store the token: file, keyring (default: where the old one is)")
	config.CompleteValues(c.Flags(), "store", "file", "keyring")
	c.Flags().BoolVar(&untested, "untested", false, "store the token without testing it")
	return c
}

// replaceToken reads a token, tries it and stores it.
func replaceToken(c *cobra.Command, f *config.Flags, args []string, store string, untested bool) error {
	file, name, err := readAccount(f, args)
	if err != nil {
		return err
	}
	s, err := file.settings(f, name)
	if err != nil {
		return err
	}
	place, err := file.tokenPlace(s, store)
	if err != nil {
		return err
	}
	if _, typed := output.AsTerminal(c.InOrStdin()); typed {
		for _, line := range setup.TokenHelp(s.BaseURL) {
			fmt.Fprintln(c.ErrOrStderr(), line)
		}
	}
	token, err := (&scriptSession{in: c.InOrStdin(), errOut: c.ErrOrStderr()}).readSecret(c.Context(), "", "token")
	if err != nil {
		return err
	}
	said, user := "not tried", ""
	if !untested {
		result := setup.CheckToken(c.Context(), s, token)
		if result.Code != exit.CodeOK {
			return exit.WithCode(result.Code, exit.Advise(
				fmt.Errorf("the token was not stored: %s", result.Text), result.Next,
			))
		}
		user = result.User
		said = strings.TrimPrefix(user+", "+result.Text, ", ")
	}
	if err := place.store(c.Context(), file, name, token); err != nil {
		return err
	}
	old, err := file.removeOldToken(c.Context(), name, place)
	if err != nil {
		return fmt.Errorf(
			"the token of %s is in %s, but the old one was not removed (%w)",
			name,
			place.description,
			err,
		)
	}
	if other := s.ReplaceTokenUser(token, user); other != nil {
		old += "; " + other.Error()
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "the token of %s is in %s (%s)%s\n", name, place.description, said, old)
	return err
}

// removeOldToken removes the token that lookout kept for an account in another place than the new one, and says so. A
// file that is not lookout's own stays, and is named.
func (a accountFile) removeOldToken(ctx context.Context, name string, place tokenPlace) (said string, err error) {
	before := a.Accounts[name]
	switch own := a.OwnTokenFile(a.path, name); {
	case place.line == "": // it is where the old one was
		return "", nil
	case before.Keyring:
		return "; the old one was removed from the keyring", config.RemoveKeyringToken(ctx, name)
	case own != "":
		if err = os.Remove(own); errors.Is(err, os.ErrNotExist) {
			return "", nil
		}
		return "; the old one in " + own + " is removed", err
	case before.TokenFile != "":
		return "; the file " + before.TokenFile + " stays: remove it if nothing else uses it", nil
	}
	return "", nil
}

// A tokenPlace is where a token is stored.
type tokenPlace struct {
	path        string // of the file; "" is the keyring
	line        string // for the account's block; "" if it says so already
	description string
}

// tokenPlace returns where a new token of an account goes: where the old one is, unless store says otherwise.
func (a accountFile) tokenPlace(s config.Settings, store string) (tokenPlace, error) {
	own := filepath.Join(filepath.Dir(a.path), s.Account+".token")
	ring := tokenPlace{description: "the system's keyring"}
	switch {
	case store != "" && store != "file" && store != "keyring":
		return tokenPlace{}, exit.Usage(fmt.Errorf("--store %q: use file or keyring", client.Clean(store)))
	case store == "keyring" && !s.Keyring:
		ring.line = "keyring = true"
		return ring, nil
	case store == "keyring" || store == "" && s.Keyring:
		return ring, nil
	case s.TokenFile != "":
		return tokenPlace{path: s.TokenFile, description: "the file " + s.TokenFile}, nil
	case store == "" && s.TokenSource().Description != config.NoTokenSource:
		return tokenPlace{}, exit.Usage(exit.Advise(
			fmt.Errorf("the token of %s comes from %s", s.Account, s.TokenSource().Description),
			"replace it there, or move it here with --store file or --store keyring",
		))
	}
	if other := a.UserOfTokenFile(own, s.Account); other != "" {
		return tokenPlace{}, exit.Usage(exit.Advise(
			fmt.Errorf("%s already exists and holds the token of %s", own, other), "use --store keyring",
		))
	}
	return tokenPlace{own, fmt.Sprintf("token_file = %q", own), "the file " + own}, nil
}

// store stores a token, and then says in the configuration where it is.
func (p tokenPlace) store(ctx context.Context, file accountFile, name string, token client.Secret) error {
	after := file.data
	if p.line != "" {
		var err error
		if after, err = config.SetTokenPlace(file.data, name, p.line); err != nil {
			return err
		}
	}
	var err error
	if p.path == "" {
		err = config.SaveKeyringToken(ctx, name, token)
	} else {
		err = config.ReplaceTokenFile(p.path, token)
	}
	if err != nil || p.line == "" {
		return err
	}
	if err := config.Replace(file.path, file.data, after); err != nil {
		return exit.Advise(err, "the token is already in "+p.description+": run the command again")
	}
	return nil
}

func renameAccountCommand(f *config.Flags) *cobra.Command {
	return &cobra.Command{
		Use:   "rename NAME NEW",
		Short: "Rename an account, its journal and its other state files",
		Args:  ArgsFromUse,
		Long: "Renames the account in the configuration, its journals and other state files, and its token in the " +
			"keyring or in NAME.token beside the configuration. Other token files keep their names.\n" +
			"First quit every instance of lookout that uses this account.",
		Example: indentExamples("lookout accounts rename staging test"),
		RunE: func(c *cobra.Command, args []string) error {
			file, from, err := readAccount(f, args[:1])
			if err != nil {
				return err
			}
			if err := setup.CheckNewName(args[1], file.names()); err != nil {
				return exit.Usage(fmt.Errorf("NEW %s: %w", client.Clean(args[1]), err))
			}
			if _, running := keep.Running(f.Env.StateFolder()); running {
				return exit.Advise(errors.New("lookout keep is running, and writes to the journals"), "stop it first")
			}
			if err := file.rename(c.Context(), from, args[1]); err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "account %s is now %s\n", from, args[1])
			return err
		},
	}
}

// rename renames an account: first what can be renamed back, and the configuration last.
func (a accountFile) rename(ctx context.Context, from, to string) error {
	after, err := config.RenameAccount(a.data, from, to)
	if err != nil {
		return err
	}
	ring := a.Accounts[from].Keyring
	forget := func(name string) error {
		if !ring {
			return nil
		}
		return config.RemoveKeyringToken(context.WithoutCancel(ctx), name)
	}
	if ring {
		if err := config.CopyKeyringToken(ctx, from, to); err != nil {
			return notRenamed(err)
		}
	}
	after, remove, err := a.copyTokenFile(after, from, to)
	if err != nil {
		return notRenamed(err, forget(to))
	}
	undo, err := a.env.RenameStateFiles(from, to)
	if err != nil {
		return notRenamed(err, remove(to), forget(to))
	}
	if err := config.Replace(a.path, a.data, after); err != nil {
		return notRenamed(err, undo(), remove(to), forget(to))
	}
	if err := errors.Join(forget(from), remove(from)); err != nil {
		return fmt.Errorf("account %s is now %s, but its token is also under the old name (%w)", from, to, err)
	}
	return nil
}

// copyTokenFile copies the token file that lookout keeps under an account's name, and returns the configuration that
// names the copy, and the function that removes the file of a name. Any other token file stays as it is.
func (a accountFile) copyTokenFile(data []byte, from, to string) (_ []byte, remove func(string) error, err error) {
	own, old := a.OwnTokenFile(a.path, from), a.Accounts[from].TokenFile
	stem, named := strings.CutSuffix(old, from+".token")
	if info, err := os.Lstat(own); err != nil || !info.Mode().IsRegular() || !named {
		return data, func(string) error { return nil }, nil
	}
	folder := filepath.Dir(own)
	token, err := os.ReadFile(own)
	if err == nil {
		err = config.WritePrivateFile(filepath.Join(folder, to+".token"), string(token))
	}
	if err != nil {
		return nil, nil, err
	}
	remove = func(name string) error { return os.Remove(filepath.Join(folder, name+".token")) }
	after, err := config.SetTokenPlace(data, to, fmt.Sprintf("token_file = %q", stem+to+".token"))
	if err != nil {
		return nil, nil, errors.Join(err, remove(to))
	}
	return after, remove, nil
}

// notRenamed returns the error of a rename, after everything that it had done was undone.
func notRenamed(err error, undone ...error) error {
	if failed := errors.Join(undone...); failed != nil {
		return exit.Advise(
			err, "part of it was renamed and could not be renamed back ("+exit.Text(failed)+"): run the command again",
		)
	}
	return exit.Advise(err, "nothing was renamed")
}

func removeAccountCommand(f *config.Flags) *cobra.Command {
	yes := false
	c := &cobra.Command{
		Use:     "remove NAME",
		Aliases: aliasesOf("remove"),
		Short:   "Remove an account from the configuration, and the token that lookout stores for it",
		Args:    ArgsFromUse,
		Long: "Removes the account's block from the configuration, its token from the keyring, and " +
			"NAME.token beside the configuration. Other token files and the journal are kept.\n" +
			"The token itself stays valid: revoke it at the provider if nothing else uses it.",
		Example: indentExamples("lookout accounts remove staging"),
		RunE: func(c *cobra.Command, args []string) error {
			file, name, err := readAccount(f, args)
			if err != nil {
				return err
			}
			return file.remove(c, f, name, yes)
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "do not ask for confirmation; required if standard input is not a terminal")
	return c
}

// remove removes an account after a yes.
func (a accountFile) remove(c *cobra.Command, f *config.Flags, name string, yes bool) error {
	after, err := config.RemoveAccount(a.data, name)
	if err != nil {
		return err
	}
	s, err := a.settings(f, name)
	if err != nil {
		return err
	}
	token, effect := a.OwnTokenFile(a.path, name), "This removes account "+name+" from "+a.path
	if token != "" {
		effect += ", and its token file " + token
	}
	if s.Keyring {
		effect += ", and its token from the keyring"
	}
	if !yes {
		if _, ok := output.AsTerminal(c.InOrStdin()); !ok {
			return exit.Usage(fmt.Errorf("%s, but standard input is not a terminal; add --yes", asSentence(effect)))
		}
		asker := &scriptSession{in: c.InOrStdin(), errOut: c.ErrOrStderr(), settings: s}
		agreed, err := asker.promptForWord(c.Context(), client.ConsentQuestion{Effect: effect, Word: name})
		if err != nil || !agreed {
			return cmp.Or(err, error(exit.WithCode(exit.CodeFailure, setup.ErrCancelled)))
		}
	}
	if err := config.Replace(a.path, a.data, after); err != nil {
		return err
	}
	if s.Keyring {
		err = config.RemoveKeyringToken(c.Context(), name)
	}
	if token != "" {
		if gone := os.Remove(token); !errors.Is(gone, os.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	if err != nil {
		return fmt.Errorf("account %s was removed, but its token was not (%w)", name, err)
	}
	stays := "its journal stays at " + s.JournalPath()
	if token == "" && s.TokenFile != "" {
		stays += ", and its token in " + s.TokenFile
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "account %s is removed; %s\n", name, stays)
	return err
}
