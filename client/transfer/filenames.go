package transfer

import (
	"fmt"
	"path"
	"strings"
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

// CheckPath returns a *NameError if a slash-separated relative path is not a valid file name on every supported system,
// so that a downloaded file can be copied to any of them.
func CheckPath(name string) error {
	if reason := pathProblem(name); reason != "" {
		return &NameError{client.NewText(name), reason}
	}
	return nil
}

func pathProblem(name string) string {
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
	}
	return ""
}

func segmentProblem(s string) string {
	device, _, _ := strings.Cut(s, ".")
	switch {
	case s == "":
		return "it contains an empty folder name"
	case s == "." || s == "..":
		return "it contains " + s + ", which is outside the folder"
	case strings.ContainsFunc(s, unicode.IsControl):
		return "it contains control characters"
	case strings.ContainsAny(s, `\:`):
		return `it contains \ or :, which have a special meaning on some systems`
	case strings.HasSuffix(s, ".") || strings.HasSuffix(s, " "):
		return "a part of it ends with a dot or a space, which some systems remove"
	case isWindowsDevice(strings.ToLower(strings.TrimRight(device, " "))):
		return client.Clean(s) + " is a device name on some systems"
	case len(s) > maxNameBytes:
		return fmt.Sprintf("a part of it is %d bytes long, but the limit is %d", len(s), maxNameBytes)
	case isPartName(s):
		return "it looks like a partial download of lookout"
	}
	return ""
}

// DefaultFileName returns the file name to suggest for an object: the part after its last slash.
func DefaultFileName(name string) (string, error) {
	leaf := name[strings.LastIndexByte(name, '/')+1:]
	if leaf == "" {
		return "", &NameError{client.NewText(name), pathProblem(name)}
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
// slash. If two objects cannot both exist in one folder on every system, such as a and a/b, or A and a, the first one
// in the list is kept.
func NewPlan(prefix string, objects []client.Object) Plan {
	var p Plan
	cut := strings.LastIndexByte(prefix, '/') + 1
	taken := pathSet{}
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
		reason := pathProblem(local)
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

// pathSet holds the files and folders of a plan, keyed by their case-folded names.
type pathSet map[string]pathEntry

type pathEntry struct {
	name   string
	folder bool
}

// add adds a file and its folders, or returns the reason why it conflicts with another.
func (t pathSet) add(name string) string {
	for at := name; at != "."; at = path.Dir(at) {
		folder := at != name
		other, there := t[foldCase(at)]
		switch {
		case !there || folder && other.folder && other.name == at:
		case other.name != at:
			return fmt.Sprintf("it differs from %s only in case", client.Clean(other.name))
		case folder:
			return fmt.Sprintf("%s is already a file and cannot also be a folder", client.Clean(at))
		default:
			return fmt.Sprintf("%s is already a file or folder", client.Clean(at))
		}
	}
	for at := name; at != "."; at = path.Dir(at) {
		t[foldCase(at)] = pathEntry{at, at != name}
	}
	return ""
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
