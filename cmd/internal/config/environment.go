package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"lookout/client"
	"lookout/cmd/internal/exit"
)

// An Environment holds variables that take the place of the process's, so that tests can run commands side by side. The
// home folder and the terminal are always the process's.
type Environment map[string]string

// Get returns the value of a variable; "" if it is not set.
func (e Environment) Get(name string) string {
	if value, ok := e[name]; ok {
		return value
	}
	return os.Getenv(name)
}

// without returns all variables but some, for another program.
func (e Environment) without(names []string) []string {
	environ := os.Environ()
	for name, value := range e {
		environ = append(environ, name+"="+value)
	}
	return slices.DeleteFunc(environ, func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(names, name)
	})
}

// folder returns lookout's folder for a kind of the user's files, below the one that a variable names or its default.
// It is "" if neither HOME nor the variable says where that is: lookout would write into the root folder.
func (e Environment) folder(variable, byDefault string) string {
	if path := e[variable]; filepath.IsAbs(path) {
		return filepath.Join(path, "lookout")
	}
	if runtime.GOOS != "windows" && os.Getenv("HOME") == "" && !filepath.IsAbs(os.Getenv(variable)) {
		return ""
	}
	return filepath.Join(byDefault, "lookout")
}

// CheckGODEBUG rejects a debug setting that would print the token: with http2debug, Go prints every header.
func CheckGODEBUG() error {
	for setting := range strings.SplitSeq(os.Getenv("GODEBUG"), ",") {
		if name, value, _ := strings.Cut(strings.TrimSpace(setting), "="); name == "http2debug" && value != "0" {
			return exit.Usage(errors.New("GODEBUG contains http2debug, which would print the token; unset it"))
		}
	}
	return nil
}

// CheckHome returns an error if nothing says where the configuration or the journals are. What only reads the API needs
// neither.
func CheckHome(f *Flags) error {
	var missing []string
	if path, _ := Path(f); path == "" {
		missing = append(missing, "XDG_CONFIG_HOME")
	}
	if f.Env.StateFolder() == "" {
		missing = append(missing, "XDG_STATE_HOME")
	}
	if len(missing) == 0 {
		return nil
	}
	return exit.Advise(
		errors.New("HOME is empty, so there is no place for files"), "set HOME, or "+strings.Join(missing, " and "),
	)
}

// builtInTokenVariables returns the variables in which lookout and the provider's own tools look for a token.
func builtInTokenVariables() []string {
	return []string{"LOOKOUT_TOKEN", "LINODE_TOKEN", "LINODE_CLI_TOKEN"}
}

// TokenVariables returns the environment variables that hold tokens: the built-in ones, and those that flags and
// configuration name.
func TokenVariables(f *Flags) []string {
	var cfg File
	if _, data, err := Read(f); err == nil {
		cfg, _ = Parse(data)
	}
	return tokenVariables(cfg, f)
}

func tokenVariables(cfg File, f *Flags) []string {
	names := builtInTokenVariables()
	if f.TokenEnv != "" {
		names = append(names, f.TokenEnv)
	}
	for _, block := range cfg.Accounts {
		if block.TokenEnv != "" {
			names = append(names, block.TokenEnv)
		}
	}
	return names
}

// EnvironWithoutTokens returns the environment without tokens, for another program.
func (f *Flags) EnvironWithoutTokens() []string { return f.Env.without(TokenVariables(f)) }

// EnvironWithTokens returns the environment as it was before ScrubEnvironment, for this program in another process.
func (f *Flags) EnvironWithTokens() []string {
	environ := f.Env.without(nil)
	for name, token := range f.savedTokens {
		if !token.IsZero() {
			environ = append(environ, name+"="+token.Reveal())
		}
	}
	return environ
}

// ScrubEnvironment removes tokens and the trace variables of libraries from the environment, for programs that the
// dashboard starts. It saves the tokens for accounts that are opened later, unless only the demo is shown.
func (f *Flags) ScrubEnvironment(demo bool) {
	f.savedTokens = map[string]client.Secret{}
	for _, name := range TokenVariables(f) {
		if !demo {
			f.savedTokens[name] = client.NewSecret(strings.TrimSpace(f.Env.Get(name)))
		}
		_ = os.Unsetenv(name)
	}
	for _, name := range []string{"TEA_TRACE", "TEA_DEBUG"} {
		_ = os.Unsetenv(name)
	}
}

// EnvironmentVariables are the environment variables that lookout reads.
var EnvironmentVariables = []struct{ Name, Meaning string }{
	{"LOOKOUT_TOKEN", "the token; takes precedence over the account's block"},
	{"LOOKOUT_BASE_URL", "address of the API"},
	{"LOOKOUT_ACCOUNT", "account to use, as named in the configuration"},
	{"LOOKOUT_CONFIG", "the configuration file"},
	{"LOOKOUT_READ_ONLY", "1 means --read-only"},
	{"HTTPS_PROXY, NO_PROXY, SSL_CERT_FILE", "proxies and trusted certificates, with their usual meaning"},
	{"NO_COLOR, COLORTERM, TERM, LANG", "what the terminal can show"},
	{"VISUAL, EDITOR", "the editor for \"lookout config edit\""},
}

// EnvironmentHelp returns the list of environment variables for help texts.
func EnvironmentHelp() string {
	var b strings.Builder
	b.WriteString("Environment:")
	for _, v := range EnvironmentVariables {
		fmt.Fprintf(&b, "\n  %-36s  %s", v.Name, v.Meaning)
	}
	return b.String()
}
