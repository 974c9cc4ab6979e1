package transfer

import (
	"crypto/rand"
	"fmt"
	"os"
	"path"
	"runtime"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"lookout/client"
)

// A NameError reports a name that lookout does not use for a local file. Names are never changed silently.
type NameError struct {
	Name   client.Text
	Reason string
}

// Error returns the message on one line.
func (e *NameError) Error() string {
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

// CheckPath returns a *NameError if a slash-separated relative path cannot be a file on this system.
func CheckPath(name string) error {
	if reason := pathProblem(name, onWindows); reason != "" {
		return &NameError{client.NewText(name), reason}
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
		return fmt.Sprintf("a part of it is %d bytes long, but the limit is %d", len(s), maxNameBytes)
	case isPartName(s):
		return "it looks like a partial download of lookout"
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
		return "a part of it ends with a dot or a space, which Windows removes"
	case isWindowsDevice(strings.ToLower(strings.TrimRight(device, " "))):
		return client.Clean(s) + " is the name of a device on Windows"
	}
	return ""
}

// DefaultFileName returns the file name to suggest for an object: the part after its last slash.
func DefaultFileName(name string) (string, error) {
	leaf := name[strings.LastIndexByte(name, '/')+1:]
	if leaf == "" {
		return "", &NameError{client.NewText(name), pathProblem(name, onWindows)}
	}
	return leaf, CheckPath(leaf)
}

// A PlannedFile is an object and the file to create for it.
type PlannedFile struct {
	Object client.Object
	Path   string // slash-separated and relative to the folder
	Hidden bool   // a part of the path starts with a dot
}

// A Plan lists the files that downloading all objects below a prefix would create.
type Plan struct {
	Files         []PlannedFile
	Skipped       []*NameError // objects that cannot be files, or conflict with another file
	FolderMarkers int          // empty objects that represent folders; there is nothing to download
	Bytes         int64        // total size of Files
}

// NewPlan returns the files that the objects below a prefix become. Their paths are relative to the prefix's last
// slash. If two objects cannot both exist in one folder, such as a and a/b, or A and a where case makes no difference,
// the first one in the list is kept. foldsCase reports whether it makes none; it is called only if that matters.
func NewPlan(prefix string, objects []client.Object, foldsCase func() bool) Plan {
	var p Plan
	cut := strings.LastIndexByte(prefix, '/') + 1
	taken := pathSet{
		folders:   map[string]bool{},
		folded:    map[string]string{},
		foldsCase: sync.OnceValue(foldsCase),
	}
	for _, o := range objects {
		name := o.Name.Raw()
		if o.IsPrefix() || !strings.HasPrefix(name, prefix[:cut]) {
			continue
		}
		if strings.HasSuffix(name, "/") && o.Size == 0 {
			p.FolderMarkers++
			continue
		}
		local := name[cut:]
		reason := pathProblem(local, onWindows)
		if reason == "" && o.Size < 0 {
			reason = "its size is unknown"
		}
		if reason == "" {
			reason = taken.add(local)
		}
		if reason != "" {
			p.Skipped = append(p.Skipped, &NameError{o.Name, reason})
			continue
		}
		p.Files = append(p.Files, PlannedFile{o, local, strings.HasPrefix(local, ".") || strings.Contains(local, "/.")})
		p.Bytes += o.Size
	}
	return p
}

// pathSet holds the files and folders of a plan.
type pathSet struct {
	folders   map[string]bool   // by name: whether it is a folder
	folded    map[string]string // names by their case-folded names
	foldsCase func() bool
}

// add adds a file and its folders, or returns the reason why it conflicts with another.
func (t pathSet) add(name string) string {
	for at := name; at != "."; at = path.Dir(at) {
		isFolder, there := t.folders[at]
		other, similar := t.folded[foldCase(at)]
		switch {
		case there && isFolder && at != name:
		case there && at != name:
			return fmt.Sprintf("%s is already a file and cannot also be a folder", client.Clean(at))
		case there:
			return fmt.Sprintf("%s is already a file or folder", client.Clean(at))
		case similar && t.foldsCase():
			return fmt.Sprintf("it differs from %s only in case", client.Clean(other))
		}
	}
	for at := name; at != "."; at = path.Dir(at) {
		t.folders[at], t.folded[foldCase(at)] = at != name, at
	}
	return ""
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
