//go:build !windows

package terminal

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// clipboardTools are the commands that take the clipboard's text from their standard input, the likeliest first.
func clipboardTools() (tools [][]string) {
	if runtime.GOOS == "darwin" {
		return [][]string{{"pbcopy"}}
	}
	if os.Getenv("WAYLAND_DISPLAY") != "" {
		tools = append(tools, []string{"wl-copy"})
	}
	return append(
		tools,
		[]string{"xclip", "-in", "-selection", "clipboard"},
		[]string{"xsel", "--input", "--clipboard"},
		[]string{"termux-clipboard-set"},
		[]string{"clip.exe"},
	)
}

// writeSystemClipboard puts text on the system's clipboard by the first tool that is there. It looks when it is asked
// to: github.com/atotto/clipboard looks through every folder of PATH before main, which some file systems take long
// for.
func writeSystemClipboard(text string) error {
	for _, tool := range clipboardTools() {
		path, err := exec.LookPath(tool[0])
		if err != nil {
			continue
		}
		c := exec.Command(path, tool[1:]...)
		c.Stdin = strings.NewReader(text)
		return c.Run()
	}
	return errors.New("no tool for the clipboard is installed: wl-copy, xclip or xsel")
}
