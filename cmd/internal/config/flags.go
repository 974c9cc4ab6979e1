package config

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/cmd/internal/debuglog"
	"lookout/cmd/internal/exit"
	"lookout/theme"
)

// Flags holds the flags that several commands share.
type Flags struct {
	Config      string
	Account     string
	BaseURL     string
	TokenFile   string
	TokenEnv    string
	ReadOnly    bool
	DryRun      bool // changes are printed instead of sent
	NoColor     bool
	Debug       string // file to which requests and answers are written; DebugToStderr is standard error
	Refresh     refreshFlag
	Theme       string
	ASCII       bool
	NoMouse     bool
	NoMotion    bool
	Linear      bool
	debugLog    *debuglog.Log            // see OpenDebug
	savedTokens map[string]client.Secret // of environment variables that were unset
	View        string
	LogFile     string
	AccountOnly bool // address and token come only from the account's block
	Env         Environment
}

// BaseURLUsage explains --base-url.
const BaseURLUsage = "API address with its version, such as https://api.linode.com/v4"

// AddAccountFlags adds the flags of commands that use a real account.
func (f *Flags) AddAccountFlags(set *pflag.FlagSet) {
	set.StringVar(&f.Config, "config", "", "configuration file (default $XDG_CONFIG_HOME/lookout/config.toml)")
	set.StringVarP(&f.Account, "account", "a", "", "account to use, as named in the configuration")
	set.StringVar(&f.BaseURL, "base-url", "", BaseURLUsage)
	set.StringVar(&f.TokenFile, "token-file", "", "file that holds the token, readable only by its owner")
	set.StringVar(&f.TokenEnv, "token-env", "", "environment variable that holds the token, such as LINODE_TOKEN")
	CompleteFile(set, "config")
	CompleteFile(set, "token-file")
	CompleteFlag(set, "account", f.CompleteAccount)
}

// ChoosesAccount reports whether flags or environment choose an account, or say how to reach one.
func (f *Flags) ChoosesAccount() bool {
	return cmp.Or(
		f.Account, f.BaseURL, f.TokenFile, f.TokenEnv,
		f.Env.Get("LOOKOUT_ACCOUNT"), f.Env.Get("LOOKOUT_BASE_URL"), f.Env.Get("LOOKOUT_TOKEN"),
	) != ""
}

// AddDryRunFlag adds the flag of commands that change something.
func (f *Flags) AddDryRunFlag(set *pflag.FlagSet) {
	set.BoolVar(
		&f.DryRun,
		"dry-run",
		false,
		"print what would change, and change nothing; requests are printed as curl commands with secrets masked",
	)
}

// DebugToStderr is the value of --debug without a file.
const DebugToStderr = "-"

// AddDebugFlag adds the flag of commands that can write their requests.
func (f *Flags) AddDebugFlag(set *pflag.FlagSet) {
	set.StringVar(
		&f.Debug, "debug", "", "write each request and response to standard error, or to a file with --debug=FILE; "+
			"secrets are masked",
	)
	set.Lookup("debug").NoOptDefVal = DebugToStderr
}

// OpenDebug opens what --debug names. All clients of settings that are resolved later write their requests to it. The
// caller must call close in the end.
func (f *Flags) OpenDebug(errOut io.Writer) (close func(), err error) {
	switch f.Debug {
	case "":
		return func() {}, nil
	case DebugToStderr:
		f.debugLog = debuglog.New(errOut)
		return func() {}, nil
	}
	file, err := AppendPrivateFile(f.Debug)
	if err != nil {
		return nil, exit.Usage(fmt.Errorf("--debug: %w", err))
	}
	f.debugLog = debuglog.New(file)
	return func() { _ = file.Close() }, nil
}

// AccountArgs returns the flags that select configuration, account and token, for another process.
func (f *Flags) AccountArgs() []string {
	var args []string
	add := func(name, value string, isPath bool) {
		if whole, err := filepath.Abs(value); isPath && value != "" && err == nil {
			value = whole
		}
		if value != "" {
			args = append(args, name, value)
		}
	}
	add("--config", f.Config, true)
	add("--account", f.Account, false)
	add("--base-url", f.BaseURL, false)
	add("--token-file", f.TokenFile, true)
	add("--token-env", f.TokenEnv, false)
	if f.ReadOnly {
		args = append(args, "--read-only")
	}
	return args
}

// AddScreenFlags adds the flags of the dashboard and the demo. panes are the names of those that can come first.
func (f *Flags) AddScreenFlags(set *pflag.FlagSet, panes []string) {
	set.StringVar(
		&f.Theme, "theme", "", "colours: auto, "+strings.Join(theme.Names(), ", ")+
			", or one defined in the configuration",
	)
	set.BoolVar(&f.ASCII, "ascii", false, "use only ASCII characters")
	set.BoolVar(&f.NoMotion, "no-motion", false, "do not briefly highlight changed rows")
	set.BoolVar(&f.NoMouse, "no-mouse", false, "leave the mouse to the terminal")
	set.BoolVar(&f.Linear, "linear", false, "for screen readers: print plain lines, one item at a time")
	set.StringVar(&f.View, "view", "", "pane to start with: "+strings.Join(panes, ", "))
	set.Var(&f.Refresh, "refresh", "time between refreshes of the visible pane, at least 5s (default 20s)")
	set.StringVar(&f.LogFile, "log-file", "", "write crashes and internal errors to this file")
	CompleteFlag(set, "theme", f.CompleteTheme)
	CompleteValues(set, "view", panes...)
	CompleteFile(set, "log-file")
}

// CompleteAccount completes the name of an account of the configuration.
func (f *Flags) CompleteAccount(
	*cobra.Command, []string, string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	return AccountNames(f), cobra.ShellCompDirectiveNoFileComp
}

// CompleteTheme completes the name of a theme: a built-in one, or one of the configuration.
func (f *Flags) CompleteTheme(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	_, data, _ := Read(f)
	cfg, _ := Parse(data)
	return append([]string{"auto"}, ThemeNames(cfg.Themes)...), cobra.ShellCompDirectiveNoFileComp
}

// parseRefresh parses the time between refreshes: at least 5 s, so that a dashboard left open keeps within the rate
// limit.
func parseRefresh(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 5*time.Second {
		return 0, fmt.Errorf("%q is not a duration of at least 5s, such as \"20s\"", text)
	}
	return d, nil
}

// A refreshFlag is the time between refreshes as a flag, with the same bounds as in the configuration.
type refreshFlag time.Duration

// Set parses a duration of at least 5 s.
func (p *refreshFlag) Set(text string) error {
	d, err := parseRefresh(text)
	*p = refreshFlag(d)
	return err
}

// String returns the duration; "" if it is not set.
func (p *refreshFlag) String() string {
	if *p == 0 {
		return ""
	}
	return time.Duration(*p).String()
}

// Type returns the name of the value in the help.
func (*refreshFlag) Type() string { return "duration" }
