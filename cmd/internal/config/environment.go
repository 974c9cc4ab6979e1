package config

import (
	"errors"
	"os"
	"slices"
	"strings"

	"lookout/client"
	"lookout/cmd/internal/exit"
)

// CheckGODEBUG refuses debugging that would write the token: Go's HTTP/2 tells every header when it is asked to.
func CheckGODEBUG() error {
	for setting := range strings.SplitSeq(os.Getenv("GODEBUG"), ",") {
		if name, value, _ := strings.Cut(strings.TrimSpace(setting), "="); name == "http2debug" && value != "0" {
			return exit.Usage(
				errors.New("GODEBUG asks for http2debug, which writes the token where it can be read: unset it"),
			)
		}
	}
	return nil
}

// TokenVariables are the environment variables that hold tokens, as far as flags and configuration name them.
func TokenVariables(f *Flags) []string {
	names := []string{"LOOKOUT_TOKEN"}
	if f.TokenEnv != "" {
		names = append(names, f.TokenEnv)
	}
	if _, data, err := Read(f); err == nil {
		cfg, _ := Parse(data)
		for _, block := range cfg.Accounts {
			if block.TokenEnv != "" {
				names = append(names, block.TokenEnv)
			}
		}
	}
	return names
}

// EnvironWithout is the environment for another program: ours, but for some variables.
func EnvironWithout(names []string) []string {
	return slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(names, name)
	})
}

// ScrubEnvironment makes the environment fit for what the dashboard starts, and for the libraries beneath it: no token,
// and no traces in files. The tokens are kept for accounts that are opened later.
func (f *Flags) ScrubEnvironment() {
	f.savedTokens = map[string]client.Secret{}
	for _, name := range TokenVariables(f) {
		f.savedTokens[name] = client.NewSecret(strings.TrimSpace(os.Getenv(name)))
		_ = os.Unsetenv(name)
	}
	for _, name := range []string{"TEA_TRACE", "TEA_DEBUG"} {
		_ = os.Unsetenv(name)
	}
}
