package ui

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A CustomCommand is an action that the user has added to a list in the configuration: it runs a program on the row
// under the cursor.
type CustomCommand struct {
	Pane     string   `toml:"pane"`
	Key      string   `toml:"key"`
	Name     string   `toml:"name"`
	Argv     []string `toml:"command"`  // program and arguments with placeholders like {label}; no shell reads them
	Output   string   `toml:"output"`   // where the program's output goes: one of CustomCommandOutputs
	Harmless bool     `toml:"harmless"` // changes nothing, so read-only mode allows it
	Line     int      // where the configuration has it
}

// Where the output of a CustomCommand goes.
const (
	OutputMessage  = "message"  // its first line
	OutputDialog   = "dialog"   // the beginning
	OutputTerminal = "terminal" // the program has the terminal until it ends
)

// CustomCommandOutputs returns where the output of a CustomCommand can go.
func CustomCommandOutputs() []string { return []string{OutputMessage, OutputDialog, OutputTerminal} }

// A CustomCommandHost is a list that takes CustomCommands.
type CustomCommandHost interface {
	AddCustomCommand(CustomCommand)
	RowFields() []string // names of placeholders
}

// RunCustomCommandMsg runs a CustomCommand on a row.
type RunCustomCommandMsg struct {
	Command CustomCommand
	Argv    []string // without placeholders
	Row     string   // as JSON, for standard input
	Label   string   // what the row is called
	Err     error    // why it cannot be run
}

// placeholderPattern matches a placeholder.
const placeholderPattern = `\{([a-z_ ]+)\}`

// Placeholders returns the names of the placeholders of a CustomCommand.
func (c CustomCommand) Placeholders() []string {
	var names []string
	for _, found := range regexp.MustCompile(placeholderPattern).FindAllStringSubmatch(strings.Join(c.Argv, "\n"), -1) {
		names = append(names, found[1])
	}
	return names
}

// shells are programs that read the argument after -c, or after /c or -Command, as a script.
var shells = []string{"sh", "bash", "zsh", "dash", "ash", "ksh", "fish", "cmd", "powershell", "pwsh"}

// ScriptPlaceholder returns the first placeholder in a script that the command gives to a shell; "" if there is none. A
// shell would run commands that somebody wrote into a label.
func (c CustomCommand) ScriptPlaceholder() string {
	if len(c.Argv) == 0 {
		return ""
	}
	program := strings.TrimSuffix(strings.ToLower(filepath.Base(c.Argv[0])), ".exe")
	if !slices.Contains(shells, program) {
		return ""
	}
	for i, arg := range c.Argv[1:] {
		option := strings.ToLower(arg)
		isScript := option == "/c" || option == "-command" ||
			strings.HasPrefix(option, "-") && strings.HasSuffix(option, "c")
		if isScript && i+2 < len(c.Argv) {
			return regexp.MustCompile(placeholderPattern).FindString(c.Argv[i+2])
		}
	}
	return ""
}

// Expand returns the arguments with the values of a row. A value never becomes more than one argument, or a part of
// one, and none at the beginning of an argument begins with -: the program could take it for an option.
func (c CustomCommand) Expand(value func(name string) string) ([]string, error) {
	pattern := regexp.MustCompile(placeholderPattern)
	argv := make([]string, len(c.Argv))
	for i, arg := range c.Argv {
		argv[i] = pattern.ReplaceAllStringFunc(arg, func(found string) string {
			return value(strings.Trim(found, "{}"))
		})
		at := pattern.FindStringIndex(arg)
		if at != nil && at[0] == 0 && strings.HasPrefix(argv[i], "-") {
			return nil, fmt.Errorf("%s begins with -, which %s could take for an option", arg[:at[1]], c.Argv[0])
		}
		if strings.Contains(argv[i], "\x00") {
			return nil, fmt.Errorf("%s contains a character that is not allowed in an argument", arg)
		}
	}
	return argv, nil
}
