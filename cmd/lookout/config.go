package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/adrg/xdg"

	"lookout/client"
	"lookout/theme"
)

// file is the configuration file. Its keys are told in keys.go.
type file struct {
	Theme    string
	ASCII    bool
	Linear   bool
	Refresh  string
	Account  string // the one to start with
	Accounts map[string]accountBlock
	Keys     map[string][]string // "services.disable" = ["d"]
	Themes   map[string]theme.CustomTheme
	Columns  map[string][]string // "services" = ["state", "label"]
	Notify   []string
}

// accountBlock is one account of the configuration.
type accountBlock struct {
	BaseURL      string
	Dialect      string   // document or provider
	TokenFile    string   // readable by its owner alone
	TokenCommand []string // a program and its arguments; no shell reads them
	TokenEnv     string   // name of an environment variable
	Keyring      bool     // the token is in the system's keyring
	LinodeCLI    string   // user of the provider's own CLI, whose token is read from its configuration
	Protected    bool
	ReadOnly     bool
	Color        string
	Word         string
	NotifyOn     []string
}

// settings are what a run goes by: flags before environment before the account's block before the file.
type settings struct {
	accountBlock
	Account string
	Color   theme.Tone
	Theme   string
	ASCII   bool
	Linear  bool
	Refresh time.Duration
	Keys    map[string][]string
	Themes  map[string]theme.CustomTheme
	Columns map[string][]string
	Notify  []string
	path    string                   // of the configuration
	given   token                    // a token that flags or environment choose
	tokens  map[string]client.Secret // see flags
	demo    bool
}

// errNoAccount is a run that nobody told which account to look at.
var errNoAccount = errors.New("no account is configured. Set LOOKOUT_BASE_URL (as https://api.linode.com/v4) and LOOKOUT_TOKEN, write an account into the configuration (lookout config init), or try: lookout demo")

// errSeveral is a run that has to be told which of several accounts to look at.
var errSeveral = errors.New("the configuration has several accounts")

// configPath is where the configuration is, and whether somebody chose the place.
func configPath(f *flags) (path string, chosen bool) {
	if path := orElse(f.config, os.Getenv("LOOKOUT_CONFIG")); path != "" {
		return path, true
	}
	return filepath.Join(xdg.ConfigHome, "lookout", "config.toml"), false
}

// read is the configuration's text; a file that is not there is empty unless somebody chose it.
func readConfig(f *flags) (path string, data []byte, err error) {
	path, chosen := configPath(f)
	data, err = os.ReadFile(path)
	if (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)) && !chosen {
		return path, nil, nil
	}
	if err != nil {
		return path, nil, fmt.Errorf("configuration: %w", err)
	}
	return path, data, trusted(path)
}

// trusted refuses a configuration that anybody may change: it says where the token goes, and what is run to get it.
func trusted(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fmt.Errorf("configuration: %w", err)
	case foreign(info):
		return fmt.Errorf("configuration: %s is another user's; use one of your own", path)
	case runtime.GOOS != "windows" && info.Mode().IsRegular() && info.Mode().Perm()&0o002 != 0:
		return fmt.Errorf("configuration: anybody may change it (mode %04o); first: chmod o-w %s", info.Mode().Perm(), path)
	}
	return nil
}

// load reads the configuration and lays environment and flags over it. A mistake that only spoils the looks is told and passed over.
func load(f *flags, complaints io.Writer) (settings, error) {
	path, data, err := readConfig(f)
	if err != nil {
		return settings{}, err
	}
	cfg, wrong := parse(data)
	if err := wrong.grave().in(path); err != nil {
		return settings{}, err
	}
	if err := wrong.in(path); err != nil {
		fmt.Fprintf(complaints, "lookout: %v\n", err)
	}
	s, err := choose(cfg, f)
	s.path = path
	return s, err
}

// tones are the colours that an account's name may have, as the theme's own.
func tones() map[string]theme.Tone {
	return map[string]theme.Tone{"green": theme.Good, "yellow": theme.Warn, "red": theme.Bad, "blue": theme.Info, "cyan": theme.Accent, "magenta": theme.Marked}
}

// interval is a time between refreshes: at least 5 s, so that a night does not eat the budget.
func interval(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 5*time.Second {
		return 0, fmt.Errorf("%q is no time of at least 5s, as in \"20s\"", text)
	}
	return d, nil
}

// A pace is the time between refreshes as a flag; it takes what the configuration takes.
type pace time.Duration

// Set reads a time of at least 5 s.
func (p *pace) Set(text string) error {
	d, err := interval(text)
	*p = pace(d)
	return err
}

// String is the time; nothing where none is set.
func (p *pace) String() string {
	if *p == 0 {
		return ""
	}
	return time.Duration(*p).String()
}

// Type is what help calls the value.
func (*pace) Type() string { return "duration" }

// choose lays flags over environment over the account's block.
func choose(cfg file, f *flags) (settings, error) {
	name := orElse(f.account, orElse(os.Getenv("LOOKOUT_ACCOUNT"), cfg.Account))
	block, known := cfg.Accounts[name]
	if name != "" && !known {
		return settings{}, fmt.Errorf("the configuration has no account %q; it has %s", name, namesOf(cfg.Accounts))
	}
	if name == "" && len(cfg.Accounts) == 1 {
		for name, block = range cfg.Accounts {
		}
	}
	s := settings{accountBlock: block, Account: orElse(name, "account"), Color: tones()[block.Color], Theme: orElse(f.theme, cfg.Theme), ASCII: cfg.ASCII || f.ascii, Linear: cfg.Linear || f.linear, Keys: cfg.Keys,
		Themes: cfg.Themes, Columns: cfg.Columns, Notify: cfg.Notify, tokens: f.tokens}
	if !f.alone {
		s.BaseURL = orElse(f.baseURL, orElse(os.Getenv("LOOKOUT_BASE_URL"), s.BaseURL))
		s.given = given(f)
	}
	demanded, err := readOnlyDemanded()
	if err != nil {
		return settings{}, err
	}
	s.ReadOnly = s.ReadOnly || f.readOnly || demanded
	s.Refresh, _ = interval(cfg.Refresh)
	if f.refresh > 0 {
		s.Refresh = time.Duration(f.refresh)
	}
	switch {
	case s.BaseURL == "" && len(cfg.Accounts) > 1:
		return s, fmt.Errorf("%w: choose one with -a, of %s", errSeveral, namesOf(cfg.Accounts))
	case s.BaseURL == "":
		return s, errNoAccount
	}
	return s, nil
}

// readOnlyDemanded reports what LOOKOUT_READ_ONLY says. One that cannot be understood is an error: it was meant to forbid something.
func readOnlyDemanded() (bool, error) {
	text := os.Getenv("LOOKOUT_READ_ONLY")
	if text == "" {
		return false, nil
	}
	on, err := strconv.ParseBool(text)
	if err != nil {
		return false, fmt.Errorf("LOOKOUT_READ_ONLY=%s is not true or false: set it to one of them, or unset it", client.Clean(text))
	}
	return on, nil
}

func orElse(text, absent string) string {
	if text == "" {
		return absent
	}
	return text
}
