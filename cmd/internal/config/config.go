// Package config reads, checks and describes the configuration: the file, its accounts and where their tokens are.
package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/adrg/xdg"

	"lookout/client"
	"lookout/cmd/internal/debuglog"
	"lookout/cmd/internal/exit"
	"lookout/theme"
	"lookout/ui"
)

// File holds what a configuration file says. keys.go declares its keys.
type File struct {
	Theme    string `toml:"theme"`
	ASCII    bool   `toml:"ascii"`
	NoMotion bool   `toml:"no_motion"`
	Linear   bool   `toml:"linear"`
	Refresh  string `toml:"refresh"`
	Account  string `toml:"account"` // the one to start with
	Accounts map[string]AccountConfig
	Keys     map[string][]string // "services.disable" = ["d"]
	Themes   map[string]theme.CustomTheme
	Columns  map[string][]string // "services" = ["status", "label"]
	Commands []ui.CustomCommand
	Notify   []string `toml:"notify"`
}

// AccountConfig is one account of the configuration.
type AccountConfig struct {
	BaseURL      string   `toml:"base_url"`
	Dialect      string   `toml:"dialect"`       // document or provider
	TokenFile    string   `toml:"token_file"`    // readable by its owner alone
	TokenCommand []string `toml:"token_command"` // a program and its arguments; no shell reads them
	TokenTimeout string   `toml:"token_timeout"` // how long TokenCommand may take; "" is 10s
	TokenEnv     string   `toml:"token_env"`     // name of an environment variable
	Keyring      bool     `toml:"keyring"`       // the token is in the system's keyring
	LinodeCLI    string   `toml:"linode_cli"`    // user of linode-cli whose token is used
	Protected    bool     `toml:"protected"`
	ReadOnly     bool     `toml:"read_only"`
	Color        string   `toml:"color"`
	Label        string   `toml:"word"`
	NotifyOn     []string `toml:"notify_on"`
}

// Settings are the settings of a run. Flags take precedence over the environment, the environment over the account's
// block, and that over the rest of the file.
type Settings struct {
	AccountConfig
	Account       string
	Color         theme.Tone
	Theme         string
	ASCII         bool
	NoMotion      bool
	Linear        bool
	Refresh       time.Duration
	Keys          map[string][]string
	Themes        map[string]theme.CustomTheme
	Columns       map[string][]string
	Notify        []string
	TokenOverride tokenSource // a token that flags or environment choose
	env           Environment
	savedTokens   map[string]client.Secret // see flags
	tokenNames    []string                 // see TokenVariables
	debugLog      *debuglog.Log            // of the requests of all clients; nil for none
	Demo          bool
	NoPlace       error    // why there is no place for files; see CheckHome
	NotRecorded   error    // why changes cannot be recorded, and are not possible; see Connect
	Source        FileInfo // of the settings that are in the configuration
	accountUser
}

// A FileInfo says where in a file settings come from.
type FileInfo struct {
	Path     string
	BaseURL  string         // of the account in the file; "" if the file does not have the account
	Data     []byte         // the whole file
	KeyLines map[string]int // where keys are bound: "services.disable"
	Commands []ui.CustomCommand
}

// ErrNoAccount says that neither flags, environment nor configuration name an account.
var ErrNoAccount = exit.Advise(
	errors.New("no account is configured"),
	"add one with lookout accounts add, or set LOOKOUT_BASE_URL (such as https://api.linode.com/v4) and "+
		"LOOKOUT_TOKEN; lookout demo needs neither",
)

// ErrSeveralAccounts says that the configuration has several accounts and none was chosen.
var ErrSeveralAccounts = errors.New("the configuration has several accounts")

// Path returns the path of the configuration, and whether the user chose it. It is "" if there is no place for one.
func Path(f *Flags) (path string, chosen bool) {
	if path := cmp.Or(f.Config, f.Env.Get("LOOKOUT_CONFIG")); path != "" {
		return path, true
	}
	folder := f.Env.ConfigFolder()
	if folder == "" {
		return "", false
	}
	return filepath.Join(folder, "config.toml"), false
}

// ConfigFolder returns the folder of the configuration, unless the user chose its path; "" if there is no place for it.
func (e Environment) ConfigFolder() string { return e.folder("XDG_CONFIG_HOME", xdg.ConfigHome) }

// Read returns the text of the configuration. A missing file is empty unless the user chose its path.
func Read(f *Flags) (path string, data []byte, err error) {
	path, chosen := Path(f)
	if path == "" {
		return "", nil, CheckHome(f)
	}
	data, err = readFile(path)
	if (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)) && !chosen {
		return path, nil, nil
	}
	if err != nil {
		return path, nil, exit.Advise(fmt.Errorf("configuration: %w", err), adviceOnReading(path, err))
	}
	return path, data, checkConfigPermissions(path)
}

// errNotRegular means that the configuration is a pipe or a device, which may never end.
var errNotRegular = errors.New("is not a regular file")

// readFile returns the text of a configuration, without the mark that some editors put before it.
func readFile(path string) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errNotRegular}
	}
	data, err := os.ReadFile(path)
	return bytes.TrimPrefix(data, []byte("\ufeff")), err
}

// adviceOnReading says what to do about a configuration that cannot be read.
func adviceOnReading(path string, err error) string {
	info, statErr := os.Stat(path)
	switch {
	case statErr == nil && info.IsDir():
		return "move that folder away, or choose a file with --config"
	case errors.Is(err, errNotRegular):
		return "choose a file with --config"
	case errors.Is(err, fs.ErrPermission):
		return "make " + path + " readable by you"
	}
	return "lookout config init writes one; lookout config path prints its path"
}

// checkConfigPermissions rejects a configuration that others can change: it says where the token goes and which program
// prints it.
func checkConfigPermissions(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fmt.Errorf("configuration: %w", err)
	case OwnedByOther(info):
		return exit.Advise(fmt.Errorf("configuration: %s belongs to another user", path), "use a file of your own")
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o002 != 0:
		return exit.Advise(
			fmt.Errorf("configuration: anybody can change it (mode %04o)", info.Mode().Perm()),
			"run chmod o-w "+path+" first",
		)
	}
	return nil
}

// Load reads the configuration and applies environment and flags. Cosmetic mistakes are reported and ignored. Mistakes
// in account, token or safety settings are errors. Without a place for a configuration, flags and environment must say
// enough.
func Load(f *Flags, complaints io.Writer) (Settings, error) {
	path, data, err := Read(f)
	if err != nil && path != "" {
		return Settings{}, err
	}
	cfg, wrong := Parse(data)
	if err := wrong.Fatal().AsError(path); err != nil {
		return Settings{}, err
	}
	if err := wrong.AsError(path); err != nil {
		fmt.Fprintf(complaints, "lookout: %v\n", err)
	}
	noPlace := err
	s, err := Resolve(cfg, f)
	if err != nil && noPlace != nil {
		return s, noPlace
	}
	if text := s.AddressProblem(); text != "" {
		fmt.Fprintf(complaints, "lookout: %s\n", text)
	}
	s.Source = FileInfo{
		BaseURL:  s.Source.BaseURL,
		Path:     path,
		Data:     data,
		KeyLines: KeyLines(cfg, FindPositions(data)),
		Commands: cfg.Commands,
	}
	return s, err
}

// LoadGeneral is Load for all accounts of the configuration together. The settings have none of them.
func LoadGeneral(f *Flags, complaints io.Writer) (Settings, error) {
	here := *f
	here.AccountOnly = true
	s, err := Load(&here, complaints)
	if errors.Is(err, ErrSeveralAccounts) {
		err = nil
	}
	s.AccountConfig, s.Account = AccountConfig{}, ""
	return s, err
}

// KeyLines returns the lines in which keys are bound.
func KeyLines(cfg File, at Positions) map[string]int {
	lines := make(map[string]int, len(cfg.Keys))
	for name := range cfg.Keys {
		lines[name] = at.At("keys", name).Line
	}
	return lines
}

// AccountNames returns the names of the accounts in the configuration; none if it cannot be read.
func AccountNames(f *Flags) []string {
	_, data, err := Read(f)
	if err != nil {
		return nil
	}
	cfg, _ := Parse(data)
	return slices.Sorted(maps.Keys(cfg.Accounts))
}

// LoadAccount reads an account from the configuration again. Address and token from flags or environment belong to the
// account that the program started with; no other account uses them.
func LoadAccount(f *Flags, name string) (Settings, error) {
	here := *f
	here.Account, here.BaseURL, here.TokenFile, here.TokenEnv = name, "", "", ""
	here.AccountOnly = true
	return Load(&here, io.Discard)
}

// accountColors maps the colours of an account's name to the theme's tones.
func accountColors() map[string]theme.Tone {
	return map[string]theme.Tone{
		"green":   theme.Good,
		"yellow":  theme.Warn,
		"red":     theme.Bad,
		"blue":    theme.Info,
		"cyan":    theme.Accent,
		"magenta": theme.Marked,
	}
}

// OwnTokenFile returns the token file that lookout keeps for an account beside the configuration, under the account's
// name; "" if its token is elsewhere, or another account uses the file too.
func (f File) OwnTokenFile(configPath, account string) string {
	own := filepath.Join(filepath.Dir(configPath), account+".token")
	if filepath.Clean(expandHome(f.Accounts[account].TokenFile)) != own || f.UserOfTokenFile(own, account) != "" {
		return ""
	}
	return own
}

// UserOfTokenFile returns another account whose token is in a file; "" if there is none.
func (f File) UserOfTokenFile(path, except string) string {
	for _, name := range slices.Sorted(maps.Keys(f.Accounts)) {
		if name != except && filepath.Clean(expandHome(f.Accounts[name].TokenFile)) == filepath.Clean(path) {
			return name
		}
	}
	return ""
}

// AccountColors returns the colours that an account's name can have.
func AccountColors() []string { return slices.Sorted(maps.Keys(accountColors())) }

// Resolve applies the account's block, the environment and the flags, in this order.
func Resolve(cfg File, f *Flags) (Settings, error) {
	name := cmp.Or(f.Account, f.Env.Get("LOOKOUT_ACCOUNT"), cfg.Account)
	block, known := cfg.Accounts[name]
	if name != "" && !known {
		return Settings{}, exit.Advise(
			fmt.Errorf("the configuration has no account %q", client.Clean(name)), "it has "+joinNames(cfg.Accounts),
		)
	}
	if name == "" && len(cfg.Accounts) == 1 {
		for name, block = range cfg.Accounts { // the only one
		}
	}
	s := Settings{
		AccountConfig: block,
		Account:       cmp.Or(name, "account"),
		Color:         accountColors()[block.Color],
		Theme:         cmp.Or(f.Theme, cfg.Theme),
		ASCII:         cfg.ASCII || f.ASCII,
		NoMotion:      cfg.NoMotion || f.NoMotion,
		Linear:        cfg.Linear || f.Linear,
		Keys:          cfg.Keys,
		Themes:        cfg.Themes,
		Columns:       cfg.Columns,
		Notify:        cfg.Notify,
		env:           f.Env,
		savedTokens:   f.savedTokens,
		debugLog:      f.debugLog,
		tokenNames:    tokenVariables(cfg, f),
		NoPlace:       CheckHome(f),
		Source:        FileInfo{BaseURL: block.BaseURL},
	}
	if !f.AccountOnly {
		s.BaseURL = cmp.Or(f.BaseURL, f.Env.Get("LOOKOUT_BASE_URL"), s.BaseURL)
		s.TokenOverride = tokenFromFlags(f)
	}
	s.tokenUser = s.userOfToken()
	demanded, err := readOnlyFromEnv(f.Env)
	if err != nil {
		return Settings{}, err
	}
	s.ReadOnly = s.ReadOnly || f.ReadOnly || demanded
	s.Refresh, _ = parseRefresh(cfg.Refresh)
	if f.Refresh > 0 {
		s.Refresh = time.Duration(f.Refresh)
	}
	switch {
	case s.BaseURL == "" && len(cfg.Accounts) > 1:
		return s, exit.Advise(
			ErrSeveralAccounts,
			"choose one with -a: "+joinNames(cfg.Accounts)+", or for good with lookout accounts use NAME",
		)
	case s.BaseURL == "":
		return s, ErrNoAccount
	}
	return s, nil
}

// readOnlyFromEnv returns LOOKOUT_READ_ONLY. A value that is not a boolean is an error: it was meant to forbid
// something.
func readOnlyFromEnv(env Environment) (bool, error) {
	text := env.Get("LOOKOUT_READ_ONLY")
	if text == "" {
		return false, nil
	}
	on, err := strconv.ParseBool(text)
	if err != nil {
		return false, exit.Advise(
			fmt.Errorf("LOOKOUT_READ_ONLY=%s is neither true nor false", client.Clean(text)),
			"set it to one of them, or unset it",
		)
	}
	return on, nil
}

// AccountArgs returns the arguments that select the account; none if it is in no configuration.
func (s Settings) AccountArgs() []string {
	if s.Demo || s.Source.BaseURL == "" {
		return nil
	}
	return []string{"-a", s.Account}
}
