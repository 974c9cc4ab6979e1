package config

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"lookout/client"
	"lookout/cmd/internal/exit"
)

// CheckGODEBUG rejects a debug setting that would print the token: with http2debug, Go prints every header.
func CheckGODEBUG() error {
	for setting := range strings.SplitSeq(os.Getenv("GODEBUG"), ",") {
		if name, value, _ := strings.Cut(strings.TrimSpace(setting), "="); name == "http2debug" && value != "0" {
			return exit.Usage(errors.New("GODEBUG contains http2debug, which would print the token; unset it"))
		}
	}
	return nil
}

// hasPlace reports whether HOME, or the variable itself, says where a kind of the user's files is. Without either they
// would be looked for in the root folder, and written there.
func hasPlace(variable string) bool {
	return runtime.GOOS == "windows" || os.Getenv("HOME") != "" || filepath.IsAbs(os.Getenv(variable))
}

// CheckHome returns an error if nothing says where the configuration or the journals are. What only reads the API needs
// neither.
func CheckHome(f *Flags) error {
	var missing []string
	if path, _ := Path(f); path == "" {
		missing = append(missing, "XDG_CONFIG_HOME")
	}
	if StateFolder() == "" {
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

// EnvironWithout returns the environment without some variables, for another program.
func EnvironWithout(names []string) []string {
	return slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(names, name)
	})
}

// EnvironWithTokens returns the environment as it was before ScrubEnvironment, for this program in another process.
func (f *Flags) EnvironWithTokens() []string {
	environ := os.Environ()
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
			f.savedTokens[name] = client.NewSecret(strings.TrimSpace(os.Getenv(name)))
		}
		_ = os.Unsetenv(name)
	}
	for _, name := range []string{"TEA_TRACE", "TEA_DEBUG"} {
		_ = os.Unsetenv(name)
	}
}
