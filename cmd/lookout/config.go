package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/adrg/xdg"

	"lookout/client"
	"lookout/theme"
)

// file is the configuration file.
type file struct {
	Theme    string                  `toml:"theme"`
	ASCII    bool                    `toml:"ascii"`
	Refresh  string                  `toml:"refresh"`
	Account  string                  `toml:"account"` // the one to start with
	Accounts map[string]accountBlock `toml:"accounts"`
	Keys     map[string][]string     `toml:"keys"` // "services.disable" = ["d"]
}

// accountBlock is one account of the configuration.
type accountBlock struct {
	BaseURL      string   `toml:"base_url"`
	Dialect      string   `toml:"dialect"`       // document or provider
	TokenFile    string   `toml:"token_file"`    // readable by its owner alone
	TokenCommand []string `toml:"token_command"` // a program and its arguments; no shell reads them
	Protected    bool     `toml:"protected"`
	ReadOnly     bool     `toml:"read_only"`
	Color        string   `toml:"color"`
}

// settings are what a run goes by: flags before environment before the account's block before the file.
type settings struct {
	Account      string
	BaseURL      string
	Dialect      string
	TokenFile    string
	TokenCommand []string
	Protected    bool
	ReadOnly     bool
	Color        theme.Tone
	Theme        string
	ASCII        bool
	Refresh      time.Duration
	Keys         map[string][]string
	demo         bool
}

// load reads the configuration and lays environment and flags over it.
func load(f *flags) (settings, error) {
	path := orElse(f.config, orElse(os.Getenv("LOOKOUT_CONFIG"), filepath.Join(xdg.ConfigHome, "lookout", "config.toml")))
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && f.config == "" && os.Getenv("LOOKOUT_CONFIG") == "" {
		data, err = nil, nil
	}
	if err != nil {
		return settings{}, fmt.Errorf("configuration: %w", err)
	}
	cfg, err := parse(path, data)
	if err != nil {
		return settings{}, err
	}
	return choose(cfg, f)
}

// parse reads a configuration. Every mistake is told with its place.
func parse(path string, data []byte) (file, error) {
	var cfg file
	meta, err := toml.Decode(string(data), &cfg)
	if err != nil {
		var p toml.ParseError
		if errors.As(err, &p) {
			return cfg, fmt.Errorf("%s:%d:%d: %s", path, p.Position.Line, p.Position.Col, p.Message)
		}
		return cfg, fmt.Errorf("%s: %w", path, err)
	}
	var wrong []error
	for _, key := range meta.Undecoded() {
		wrong = append(wrong, fmt.Errorf("%s:%d: the key %q is unknown%s", path, lineOf(data, key), key, nearest(key[len(key)-1])))
	}
	bad := func(key toml.Key, format string, args ...any) {
		wrong = append(wrong, fmt.Errorf("%s:%d: %s: %s", path, lineOf(data, key), key, fmt.Sprintf(format, args...)))
	}
	if cfg.Theme != "" && cfg.Theme != "auto" && !slices.Contains(theme.Names(), cfg.Theme) {
		bad(toml.Key{"theme"}, "%q is no theme; choose auto, %s", cfg.Theme, strings.Join(theme.Names(), ", "))
	}
	if _, err := interval(cfg.Refresh); err != nil {
		bad(toml.Key{"refresh"}, "%v", err)
	}
	for name, a := range cfg.Accounts {
		switch {
		case a.Dialect != "" && a.Dialect != string(client.Document) && a.Dialect != string(client.Provider):
			bad(toml.Key{"accounts", name, "dialect"}, "%q is no dialect; choose document or provider", a.Dialect)
		case a.TokenFile != "" && len(a.TokenCommand) > 0:
			bad(toml.Key{"accounts", name, "token_command"}, "there is a token_file too; keep one of them")
		case a.Color != "" && tones()[a.Color] == theme.Plain:
			bad(toml.Key{"accounts", name, "color"}, "%q is no colour; choose green, yellow, red, blue, cyan or magenta", a.Color)
		case a.BaseURL == "":
			bad(toml.Key{"accounts", name}, "base_url is missing")
		}
	}
	return cfg, errors.Join(wrong...)
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

// lineOf is the line that a key stands on; toml tells it for what it could not read alone.
func lineOf(data []byte, key toml.Key) int {
	table, name := strings.Join(key[:len(key)-1], "."), key[len(key)-1]
	in := ""
	for i, line := range bytes.Split(data, []byte("\n")) {
		text := strings.TrimSpace(string(line))
		if strings.HasPrefix(text, "[") {
			in = strings.Trim(text, "[] ")
			if in == key.String() {
				return i + 1
			}
			continue
		}
		left, _, found := strings.Cut(text, "=")
		if found && in == table && strings.Trim(strings.TrimSpace(left), `"'`) == name {
			return i + 1
		}
	}
	return 1
}

// nearest offers the known key that is most like an unknown one.
func nearest(key string) string {
	known := []string{"theme", "ascii", "refresh", "account", "accounts", "keys", "base_url", "dialect", "token_file", "token_command", "protected", "read_only", "color"}
	best, least := "", 4
	for _, k := range known {
		if d := distance(key, k); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; is %q meant?", best)
}

// distance is how many letters must be changed, added or taken to make one word another.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := before
			if a[i-1] != b[j-1] {
				cost = min(before, row[j], row[j-1]) + 1
			}
			before, row[j] = row[j], cost
		}
	}
	return row[len(b)]
}

// choose lays flags over environment over the account's block.
func choose(cfg file, f *flags) (settings, error) {
	name := orElse(f.account, orElse(os.Getenv("LOOKOUT_ACCOUNT"), cfg.Account))
	block, known := cfg.Accounts[name]
	if name != "" && !known {
		return settings{}, fmt.Errorf("the configuration has no account %q", name)
	}
	if name == "" && len(cfg.Accounts) == 1 {
		for name, block = range cfg.Accounts {
		}
	}
	s := settings{Account: orElse(name, "account"), BaseURL: block.BaseURL, Dialect: block.Dialect, TokenFile: block.TokenFile, TokenCommand: block.TokenCommand,
		Protected: block.Protected, Color: tones()[block.Color], ReadOnly: block.ReadOnly || f.readOnly, Theme: orElse(f.theme, cfg.Theme), ASCII: cfg.ASCII || f.ascii, Keys: cfg.Keys}
	s.BaseURL = orElse(f.baseURL, orElse(os.Getenv("LOOKOUT_BASE_URL"), s.BaseURL))
	s.TokenFile = orElse(f.tokenFile, s.TokenFile)
	s.Refresh, _ = interval(cfg.Refresh)
	if f.refresh > 0 {
		s.Refresh = f.refresh
	}
	if on, err := strconv.ParseBool(os.Getenv("LOOKOUT_READ_ONLY")); err == nil && on {
		s.ReadOnly = true
	}
	if s.BaseURL == "" {
		return s, errors.New("no account is configured. Set LOOKOUT_BASE_URL (as https://api.linode.com/v4) and LOOKOUT_TOKEN, or try: lookout demo")
	}
	return s, nil
}

// token is the account's token: from a flag's file, the environment, the account's file, or its command.
func (s settings) token(ctx context.Context) (client.Secret, error) {
	if t := os.Getenv("LOOKOUT_TOKEN"); t != "" {
		return client.NewSecret(strings.TrimSpace(t)), nil
	}
	switch {
	case s.TokenFile != "":
		return tokenFrom(s.TokenFile)
	case len(s.TokenCommand) > 0:
		return tokenBy(ctx, s.TokenCommand)
	}
	return client.Secret{}, errors.New("there is no token: set LOOKOUT_TOKEN, give --token-file, or write token_file or token_command into the account's block")
}

// tokenFrom reads a file that nobody else may read.
func tokenFrom(path string) (client.Secret, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return client.Secret{}, fmt.Errorf("token file: %w", err)
	case !info.Mode().IsRegular():
		return client.Secret{}, fmt.Errorf("token file: %s is no plain file", path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return client.Secret{}, fmt.Errorf("token file: others may read it (mode %04o); first: chmod 600 %s", info.Mode().Perm(), path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return client.Secret{}, fmt.Errorf("token file: %w", err)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return client.Secret{}, fmt.Errorf("token file: %s is empty", path)
	}
	return client.NewSecret(string(bytes.TrimSpace(data))), nil
}

// tokenBy takes the token from a program's output.
func tokenBy(ctx context.Context, command []string) (client.Secret, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, command[0], command[1:]...).Output()
	if err != nil {
		return client.Secret{}, fmt.Errorf("token_command %s: %w", command[0], err)
	}
	return client.NewSecret(string(bytes.TrimSpace(out))), nil
}

func orElse(text, absent string) string {
	if text == "" {
		return absent
	}
	return text
}
