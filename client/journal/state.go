package journal

import (
	"strings"

	"lookout/client/statefile"
)

// Path returns the path of the journal's file, "" for a journal in memory.
func (j *Journal) Path() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return ""
	}
	return j.path
}

// StateFile returns the file beside a journal that remembers what was seen of its account. Beside a journal in memory
// it is kept nowhere.
func StateFile(j *Journal) statefile.StateFile {
	path := j.Path()
	if path == "" {
		return statefile.StateFile{}
	}
	return StateFileAt(path)
}

// StateFileAt returns the file beside the journal with a path.
func StateFileAt(path string) statefile.StateFile {
	return statefile.New(strings.TrimSuffix(path, ".journal") + ".state")
}
