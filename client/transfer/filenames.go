package transfer

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"lookout/client"
)

// A NameError is a name that no file of this program may have. It is told, and never changed silently.
type NameError struct {
	Name   client.Text
	Reason string
}

// Error is one line.
func (e *NameError) Error() string {
	return fmt.Sprintf("%s cannot be a file here: %s", e.Name, e.Reason)
}

// maxNameBytes is the most bytes that file systems take for one name.
const maxNameBytes = 255

// isPartName reports whether a name has the form of those of unfinished downloads: it ends with 16 digits of an
// identity.
func isPartName(name string) bool {
	const digits = 16
	rest, found := strings.CutSuffix(name, ".part")
	at := len(rest) - digits - 1
	return found && at >= 0 && rest[at] == '.' && strings.ToLower(rest[at:]) == rest[at:] && isHex(rest[at+1:])
}

// isWindowsDevice reports whether Windows gives a name to a device, whatever follows a dot.
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

// CheckPath says why a path with slashes, relative to a folder, may not be made there; nil where it may. The rules are
// those of all systems at once, so that what was fetched on one can be copied to another.
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
		return "it begins with a slash"
	case strings.HasSuffix(name, "/"):
		return "it ends with a slash, as names of folders do"
	case !utf8.ValidString(name):
		return "it is no valid UTF-8"
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
		return "it holds an empty folder name"
	case s == "." || s == "..":
		return "it holds " + s + ", which leads elsewhere"
	case strings.ContainsFunc(s, unicode.IsControl):
		return "it holds control characters"
	case strings.ContainsAny(s, `\:`):
		return `it holds \ or :, which lead elsewhere on some systems`
	case strings.HasSuffix(s, ".") || strings.HasSuffix(s, " "):
		return "a part of it ends with a dot or a space, which some systems drop"
	case isWindowsDevice(strings.ToLower(strings.TrimRight(device, " "))):
		return client.Clean(s) + " is a device on some systems"
	case len(s) > maxNameBytes:
		return fmt.Sprintf("a part of it is %d bytes long; %d is the most", len(s), maxNameBytes)
	case isPartName(s):
		return "it has the form of an unfinished download of this program"
	}
	return ""
}

// DefaultFileName is the file name to propose for an object: what stands behind its last slash.
func DefaultFileName(name string) (string, error) {
	leaf := name[strings.LastIndexByte(name, '/')+1:]
	if leaf == "" {
		return "", &NameError{client.NewText(name), pathProblem(name)}
	}
	return leaf, CheckPath(leaf)
}

// A PlannedFile is an object with the file that it would become.
type PlannedFile struct {
	Object client.Object
	Path   string // with slashes, relative to the folder
	Hidden bool   // the file or a folder of its path begins with a dot
}

// A Plan is what the download of all objects below a prefix would do.
type Plan struct {
	Files         []PlannedFile
	Skipped       []*NameError // objects that cannot be files, or not beside another
	FolderMarkers int          // empty objects that stand for folders: there is nothing to download
	Bytes         int64        // of Files together
}

// NewPlan says which files the objects below a prefix become. Their paths begin behind the prefix's last slash. Of two
// that one folder cannot hold on every system, such as a and a/b, or A and a, the one that comes first in the list
// stays.
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
			reason = "its size is not known"
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

// pathSet are the files and folders of a plan by their names without case.
type pathSet map[string]pathEntry

type pathEntry struct {
	name   string
	folder bool
}

// add takes a file with its folders, or says what stands in its way.
func (t pathSet) add(name string) string {
	for at := name; at != "."; at = path.Dir(at) {
		folder := at != name
		other, there := t[foldCase(at)]
		switch {
		case !there || folder && other.folder && other.name == at:
		case other.name != at:
			return fmt.Sprintf("it differs from %s by case alone", client.Clean(other.name))
		case folder:
			return fmt.Sprintf("%s is a file here and a folder for it", client.Clean(at))
		default:
			return fmt.Sprintf("%s is a folder already, or the same file", client.Clean(at))
		}
	}
	for at := name; at != "."; at = path.Dir(at) {
		t[foldCase(at)] = pathEntry{at, at != name}
	}
	return ""
}

// foldCase is a name with every letter in the smallest form that differs from it by case alone.
func foldCase(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		return least
	}, s)
}
