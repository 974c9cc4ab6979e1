package terminal

import (
	"os"
	"slices"
	"strings"
)

// childEnviron returns the environment for child processes: without variables that may hold a token. The program
// removes the tokens that it knows of when it starts; this covers all others.
func childEnviron() []string {
	return slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return strings.Contains(strings.ToUpper(name), "TOKEN")
	})
}
