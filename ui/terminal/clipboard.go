package terminal

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
	"unicode/utf16"

	tea "charm.land/bubbletea/v2"
)

// Copy puts text on the clipboard: through the terminal (OSC 52, which also works over ssh) and, if the program runs on
// the user's machine, through a command of the system.
func Copy(text string) tea.Cmd {
	return func() tea.Msg {
		if os.Getenv("SSH_CONNECTION") == "" {
			_ = writeSystemClipboard(text) // without such a command, OSC 52 remains
		}
		return output{bytes: osc52(text, os.Getenv("TMUX") != "", strings.HasPrefix(os.Getenv("TERM"), "screen"))}
	}
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
	ctx, cancel := context.WithTimeout(context.Background(), clipboardTimeout)
	defer cancel()
	c := exec.CommandContext(ctx, "tmux", "show-options", "-gqv", name)
	c.Env, c.WaitDelay = childEnviron(), time.Second
	out, err := c.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// writeSystemClipboard puts text on the clipboard with the first command that is installed. The text, which may be a
// secret, goes to its standard input, never into its arguments.
func writeSystemClipboard(text string) error {
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
		return c.Run()
	}
	return errors.New("no clipboard command found; install wl-copy, xclip or xsel")
}

// utf16Text encodes text as UTF-16 with a byte order mark. clip.exe reads anything else in the system's code page.
func utf16Text(text string) string {
	out := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(text)) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	return string(out)
}
