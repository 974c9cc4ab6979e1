package dashboard

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"lookout/client/emulator"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/testenv"
	"lookout/ui"
	"lookout/ui/terminal/termtest"
)

// recordingProgram writes a program that keeps its arguments, its standard input and its environment in a folder, and
// then runs some lines of sh.
func recordingProgram(t *testing.T, lines string) (program, folder string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("there is no sh")
	}
	folder = t.TempDir()
	program = filepath.Join(folder, "program")
	text := "#!/bin/sh\ncd " + folder + "\nprintf '%s\\n' \"$#\" \"$@\" > args\nenv > env\ncat > row\n" + lines + "\n"
	testenv.WriteProgram(t, program, text)
	return program, folder
}

// startWithCommand starts the dashboard with an action of the user's on services.
func startWithCommand(
	t *testing.T, c ui.CustomCommand, account config.AccountConfig, change func(*emulator.Emulator),
) *termtest.VirtualTerminal {
	t.Helper()
	api := emulator.New(emulator.Options{Token: "demo"})
	if change != nil {
		change(api)
	}
	c.Pane, c.Key, c.Name = "services", "x", "runbook"
	s, err := newTestShell(t, api, config.Settings{
		AccountConfig: account,
		Account:       "acme-prod",
		Theme:         "dark",
		Source:        config.FileInfo{Commands: []ui.CustomCommand{c}},
	})
	if err != nil {
		t.Fatal(err)
	}
	v := termtest.New(t, 120, 36, s)
	v.WaitFor("Services ─ 14")
	v.Type("3", "/", "web-1", "<enter>")
	v.WaitFor("1 of 14")
	return v
}

// An action of the user's is in the hint line where those of lookout leave room: on a narrow screen they come first.
func TestCustomCommand_isHinted(t *testing.T) {
	t.Parallel()
	termtest.InFakeTime(t, func(t *testing.T) {
		v := startWithCommand(t, ui.CustomCommand{Argv: []string{"true"}}, config.AccountConfig{}, nil)
		v.WaitFor("s sort  enter details  x runbook  ? help")
		v = startWithCommand(t, ui.CustomCommand{Argv: []string{"true"}}, config.AccountConfig{ReadOnly: true}, nil)
		v.WaitFor("enter details  ? help")
		if strings.Contains(v.Screen(), "runbook") {
			t.Error("read-only mode offers a command that may change something")
		}
	})
}

func readFile(t *testing.T, folder, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// An action of the user's runs its program with the row's values as single arguments and the row on standard input; no
// token is in its environment.
func TestCustomCommand_getsTheRowAndNoToken(t *testing.T) {
	t.Setenv("LINODE_TOKEN", "a-token-of-another-program")
	program, folder := recordingProgram(t, "echo; printf '\\033[31mplan for web-1\\033[0m\\nsecond line\\n'")
	v := startWithCommand(t, ui.CustomCommand{
		Argv:   []string{program, "--service={label}", "{address}", "a b;$(c)", "{id} {status}"},
		Output: ui.OutputMessage,
	}, config.AccountConfig{}, nil)
	v.Type("x")
	v.WaitFor("web-1: runbook: plan for web-1")
	want := "4\n--service=web-1\nhttps://web-1.acme.net/\na b;$(c)\n4 ok\n"
	if got := readFile(t, folder, "args"); got != want {
		t.Errorf("arguments %q", got)
	}
	var row struct {
		ID    int
		Label string
	}
	if err := json.Unmarshal([]byte(readFile(t, folder, "row")), &row); err != nil || row.ID != 4 ||
		row.Label != "web-1" {
		t.Errorf("%+v, %v", row, err)
	}
	if strings.Contains(readFile(t, folder, "env"), "a-token-of") {
		t.Error("the program gets a token")
	}
}

// The output can be a dialog; a program that fails is reported with what it says.
func TestCustomCommand_dialogAndFailure(t *testing.T) {
	program, _ := recordingProgram(t, "printf 'first\\nsecond \\342\\200\\256line\\n'")
	v := startWithCommand(
		t,
		ui.CustomCommand{Argv: []string{program}, Output: ui.OutputDialog},
		config.AccountConfig{},
		nil,
	)
	v.Type("x")
	v.WaitFor("web-1: runbook")
	v.WaitFor("second")
	failing, _ := recordingProgram(t, "echo no such host >&2; exit 3")
	v = startWithCommand(
		t,
		ui.CustomCommand{Argv: []string{failing}, Output: ui.OutputMessage},
		config.AccountConfig{},
		nil,
	)
	v.Type("x")
	v.WaitFor("web-1: runbook: exit status 3: no such host")
}

// In read-only mode only a harmless command runs. On a protected account every command asks first.
func TestCustomCommand_readOnlyAndProtected(t *testing.T) {
	program, folder := recordingProgram(t, "echo done")
	ran := func() bool {
		_, err := os.Stat(filepath.Join(folder, "args"))
		return err == nil
	}
	command := ui.CustomCommand{Argv: []string{program, "{label}"}, Output: ui.OutputMessage}
	v := startWithCommand(t, command, config.AccountConfig{ReadOnly: true}, nil)
	v.Type("x")
	v.WaitFor("read-only mode")
	v = startWithCommand(t, command, config.AccountConfig{Protected: true}, nil)
	v.Type("x")
	v.WaitFor("which is protected, this runs")
	if ran() {
		t.Fatal("it ran without an answer")
	}
	v.Type("<esc>")
	v.WaitIdle(0)
	harmless := command
	harmless.Harmless = true
	v = startWithCommand(t, harmless, config.AccountConfig{ReadOnly: true, Protected: true}, nil)
	v.Type("x")
	v.WaitFor("which is protected, this runs")
	if ran() {
		t.Fatal("a harmless one ran without an answer")
	}
	v.WaitFor("y yes, run")
	v.Type("y")
	v.WaitFor("web-1: runbook: done")
	v = startWithCommand(t, harmless, config.AccountConfig{ReadOnly: true}, nil)
	v.Type("x")
	v.WaitFor("web-1: runbook: done")
}

// A value that a program could take for an option is refused where it would begin an argument.
func TestCustomCommand_noOptionFromTheRow(t *testing.T) {
	c := ui.CustomCommand{Argv: []string{"program", "{label}", "--x={label}"}}
	value := func(string) string { return "--delete-everything" }
	if argv, err := c.Expand(value); err == nil || !strings.Contains(err.Error(), "{label} begins with -") {
		t.Errorf("%q, %v", argv, err)
	}
	c.Argv = []string{"program", "--", "--x={label} {id}"}
	if argv, err := c.Expand(value); err != nil || argv[2] != "--x=--delete-everything --delete-everything" {
		t.Errorf("%q, %v", argv, err)
	}
}
