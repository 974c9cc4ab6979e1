package config

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/theme"
)

// Flags are what the command line says beside a command's own.
type Flags struct {
	Config      string
	Account     string
	BaseURL     string
	TokenFile   string
	TokenEnv    string
	ReadOnly    bool
	Refresh     refreshFlag
	Theme       string
	ASCII       bool
	NoMouse     bool
	Linear      bool
	savedTokens map[string]client.Secret // of the environment's variables that have been unset
	View        string
	LogFile     string
	Version     bool
	AccountOnly bool // the account's block alone says where it is and which token it has
}

// AddAccountFlags are the flags of commands that work on a real account.
func (f *Flags) AddAccountFlags(set *pflag.FlagSet) {
	set.StringVar(&f.Config, "config", "", "configuration file (default $XDG_CONFIG_HOME/lookout/config.toml)")
	set.StringVarP(&f.Account, "account", "a", "", "account of the configuration")
	set.StringVar(&f.BaseURL, "base-url", "", "address of the API, ending with its version")
	set.StringVar(&f.TokenFile, "token-file", "", "file that holds the token, readable by its owner alone")
	set.StringVar(&f.TokenEnv, "token-env", "", "environment variable that holds the token, as LINODE_TOKEN")
}

// AddScreenFlags are the flags of the dashboard, on a real account or an invented one.
func (f *Flags) AddScreenFlags(set *pflag.FlagSet) {
	set.StringVar(
		&f.Theme,
		"theme",
		"",
		"colours: auto, "+strings.Join(theme.Names(), ", ")+", or one of the configuration",
	)
	set.BoolVar(&f.ASCII, "ascii", false, "draw with ASCII characters alone")
	set.BoolVar(&f.NoMouse, "no-mouse", false, "leave the mouse to the terminal")
	set.BoolVar(
		&f.Linear,
		"linear",
		false,
		"for screen readers: lines are added, nothing is drawn over, one item is told at a time",
	)
	set.StringVar(&f.View, "view", "", "pane to start with: overview, issues, services, …")
	set.Var(&f.Refresh, "refresh", "time between refreshes of the pane in front, at least 5s (default 20s)")
	set.StringVar(&f.LogFile, "log-file", "", "write faults of the program itself to this file")
}

// parseRefresh is a time between refreshes: at least 5 s, so that a night does not eat the budget.
func parseRefresh(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 5*time.Second {
		return 0, fmt.Errorf("%q is no time of at least 5s, as in \"20s\"", text)
	}
	return d, nil
}

// A refreshFlag is the time between refreshes as a flag; it takes what the configuration takes.
type refreshFlag time.Duration

// Set reads a time of at least 5 s.
func (p *refreshFlag) Set(text string) error {
	d, err := parseRefresh(text)
	*p = refreshFlag(d)
	return err
}

// String is the time; nothing where none is set.
func (p *refreshFlag) String() string {
	if *p == 0 {
		return ""
	}
	return time.Duration(*p).String()
}

// Type is what help calls the value.
func (*refreshFlag) Type() string { return "duration" }
