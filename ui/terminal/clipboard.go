package terminal

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
	"unicode/utf16"

	tea "charm.land/bubbletea/v2"
)

// Copy sends text to the clipboard: inside tmux through tmux, else through the terminal (OSC 52, which also works over
// ssh); and, if the program runs on the user's machine, through a command of the system as well. None of them confirms
// that the text arrived. sent makes the message that names the receivers; err says why tmux did not take the text. A
// secret does not stay in a buffer of tmux.
func Copy(text string, secret bool, sent func(receivers string, err error) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		tmux := os.Getenv("TMUX") != ""
		var err error
		if tmux {
			err = writeTmux(text, secret)
		}
		receivers, through := "tmux", output{}
		if !tmux || err != nil {
			receivers = "the terminal"
			through.bytes = osc52(text, tmux, strings.HasPrefix(os.Getenv("TERM"), "screen"))
		}
		if os.Getenv("SSH_CONNECTION") == "" {
			if name, err := writeSystemClipboard(text); err == nil { // else the terminal remains
				receivers += " and " + name
			}
		}
		return tea.BatchMsg{
			func() tea.Msg { return through },
			func() tea.Msg { return sent(receivers, err) },
		}
	}
}

// writeTmux gives text to the tmux around this program, which sends it to its terminal. It works whatever tmux's option
// set-clipboard says, and needs tmux 3.2. The text goes to standard input, never into the arguments. A secret gets a
// buffer of its own, which is deleted at once.
func writeTmux(text string, secret bool) error {
	args := []string{"load-buffer", "-w", "-"}
	if secret {
		buffer := fmt.Sprint("lookout-", os.Getpid())
		args = []string{"load-buffer", "-w", "-b", buffer, "-", ";", "delete-buffer", "-b", buffer}
	}
	_, err := runTmux(text, args...)
	return err
}

// runTmux runs a command of the tmux around this program and returns what it prints.
func runTmux(input string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), clipboardTimeout)
	defer cancel()
	c := exec.CommandContext(ctx, "tmux", args...)
	c.Stdin, c.Env, c.WaitDelay = strings.NewReader(input), childEnviron(), time.Second
	out, err := c.Output()
	return strings.TrimSpace(string(out)), err
}

// osc52 returns the sequence that sets the clipboard, wrapped so that tmux or screen pass it on.
func osc52(text string, tmux, screen bool) string {
	sequence := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\a"
	if tmux {
		return sequence + wrapPassthrough(sequence, tmux, screen)
	}
	return wrapPassthrough(sequence, tmux, screen)
}

// clipboardTimeout is how long a clipboard command may take.
const clipboardTimeout = 5 * time.Second

// clipboardCommands returns the commands that put their standard input on the clipboard, the most likely one first.
func clipboardCommands() (commands [][]string) {
	switch runtime.GOOS {
	case "darwin":
		return [][]string{{"pbcopy"}}
	case "windows":
		return [][]string{{"clip.exe"}}
	}
	if os.Getenv("WAYLAND_DISPLAY") != "" {
		commands = append(commands, []string{"wl-copy"})
	}
	return append(
		commands,
		[]string{"xclip", "-in", "-selection", "clipboard"},
		[]string{"xsel", "--input", "--clipboard"},
		[]string{"termux-clipboard-set"},
		[]string{"clip.exe"}, // Windows' own, inside WSL
	)
}

// ClipboardCommand returns the name of the command that puts text on the system's clipboard; "" if none is installed.
func ClipboardCommand() string {
	for _, command := range clipboardCommands() {
		if _, err := exec.LookPath(command[0]); err == nil {
			return command[0]
		}
	}
	return ""
}

// TmuxOption returns the value of a global option of the tmux around this program; "" if tmux does not tell.
func TmuxOption(name string) string {
	value, err := runTmux("", "show-options", "-gqv", name)
	if err != nil {
		return ""
	}
	return value
}

// TmuxVersion returns the version of tmux, "3.3a", and whether it takes copies; "" if there is none.
func TmuxVersion() (version string, takesCopies bool) {
	text, err := runTmux("", "-V")
	if err != nil {
		return "", false
	}
	version = strings.TrimPrefix(text, "tmux ")
	var major, minor int
	n, _ := fmt.Sscanf(strings.TrimLeft(version, "abcdefghijklmnopqrstuvwxyz-"), "%d.%d", &major, &minor)
	return version, n == 2 && (major > 3 || major == 3 && minor >= 2)
}

// writeSystemClipboard puts text on the clipboard with the first command that is installed, and returns its name. The
// text, which may be a secret, goes to its standard input, never into its arguments.
func writeSystemClipboard(text string) (name string, err error) {
	for _, command := range clipboardCommands() {
		path, err := exec.LookPath(command[0])
		if err != nil {
			continue
		}
		if command[0] == "clip.exe" {
			text = utf16Text(text)
		}
		ctx, cancel := context.WithTimeout(context.Background(), clipboardTimeout)
		defer cancel()
		c := exec.CommandContext(ctx, path, command[1:]...)
		c.Stdin, c.Env = strings.NewReader(text), childEnviron()
		return command[0], c.Run()
	}
	return "", errors.New("no clipboard command found; install wl-copy, xclip or xsel")
}

// utf16Text encodes text as UTF-16 with a byte order mark. clip.exe reads anything else in the system's code page.
func utf16Text(text string) string {
	out := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(text)) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	return string(out)
}
