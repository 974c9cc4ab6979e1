package transfer

import (
	"crypto/rand"
	"fmt"
	"os"
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"

	"lookout/client"
)

// A LocalNameError reports a name that lookout does not use for a local file. Names are never changed silently.
type LocalNameError struct {
	Name   client.ServerText
	Reason string
}

// Error returns the message on one line.
func (e *LocalNameError) Error() string {
	return fmt.Sprintf("%s cannot be a local file: %s", e.Name, e.Reason)
}

// maxNameBytes is the longest file name that file systems accept, in bytes.
const maxNameBytes = 255

// isPartName reports whether a name is that of a partial download: NAME.<16 hex digits>.part.
func isPartName(name string) bool {
	const digits = 16
	rest, found := strings.CutSuffix(name, ".part")
	at := len(rest) - digits - 1
	return found && at >= 0 && rest[at] == '.' && strings.ToLower(rest[at:]) == rest[at:] && isHex(rest[at+1:])
}

// isWindowsDevice reports whether Windows reserves a lower-case name for a device.
func isWindowsDevice(name string) bool {
	switch name {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return true
	}
	number, found := strings.CutPrefix(name, "com")
	if !found {
		number, found = strings.CutPrefix(name, "lpt")
	}
	return found && utf8.RuneCountInString(number) == 1 && strings.Contains("0123456789¹²³", number)
}

// onWindows selects the rules of Windows for file names, which are stricter than those of other systems.
const onWindows = runtime.GOOS == "windows"

// CheckPath returns a *LocalNameError if a slash-separated relative path cannot be a file on this system.
func CheckPath(name string) error {
	if reason := pathProblem(name, onWindows); reason != "" {
		return &LocalNameError{client.NewText(name), reason}
	}
	return nil
}

// pathProblem returns why a path cannot be a file, by the rules of Windows or of other systems.
func pathProblem(name string, windows bool) string {
	switch {
	case name == "":
		return "it is empty"
	case strings.HasPrefix(name, "/"):
		return "it starts with a slash"
	case strings.HasSuffix(name, "/"):
		return "it ends with a slash, like a folder name"
	case !utf8.ValidString(name):
		return "it is not valid UTF-8"
	}
	for segment := range strings.SplitSeq(name, "/") {
		if reason := segmentProblem(segment); reason != "" {
			return reason
		}
		if reason := windowsProblem(segment); windows && reason != "" {
			return reason
		}
	}
	return ""
}

func segmentProblem(s string) string {
	switch {
	case s == "":
		return "it contains an empty folder name"
	case s == "." || s == "..":
		return "it contains " + s + ", which is outside the folder"
	case strings.ContainsRune(s, 0):
		return "it contains a zero byte"
	case len(s) > maxNameBytes:
		return fmt.Sprintf("part of it is %d bytes long, but the limit is %d", len(s), maxNameBytes)
	case isPartName(s):
		return "it looks like one of lookout's partial downloads"
	}
	return ""
}

// windowsProblem returns why a part of a path cannot be a name on Windows.
func windowsProblem(s string) string {
	device, _, _ := strings.Cut(s, ".")
	switch {
	case strings.ContainsFunc(s, unicode.IsControl):
		return "it contains control characters"
	case strings.ContainsAny(s, `\:<>"|?*`):
		return `it contains one of \ : < > " | ? *, which Windows does not allow`
	case strings.HasSuffix(s, ".") || strings.HasSuffix(s, " "):
		return "part of it ends in a dot or a space, which Windows removes"
	case isWindowsDevice(strings.ToLower(strings.TrimRight(device, " "))):
		return client.Clean(s) + " is the name of a device on Windows"
	}
	return ""
}

// DefaultFileName returns the file name to suggest for an object: the part after its last slash.
func DefaultFileName(name string) (string, error) {
	leaf := name[strings.LastIndexByte(name, '/')+1:]
	if leaf == "" {
		return "", &LocalNameError{client.NewText(name), pathProblem(name, onWindows)}
	}
	return leaf, CheckPath(leaf)
}

// FoldsCase reports whether a folder takes names that differ only in case for one name. It creates and removes an empty
// file to find out; if that fails it reports true.
func FoldsCase(folder string) bool {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return true
	}
	defer root.Close()
	probe := ".lookout-A" + rand.Text()
	f, err := root.OpenFile(probe, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return true
	}
	f.Close()
	_, err = root.Lstat(strings.ToLower(probe))
	_ = root.Remove(probe)
	return err == nil
}

// foldCase maps every letter to the smallest letter that differs from it only in case.
func foldCase(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		return least
	}, s)
}
