package journal

import (
	"strings"

	"lookout/client/statefile"
)

// StateFile returns the file beside a journal that remembers what was seen of its account. Beside a journal in memory
// it is kept nowhere.
func (j *Journal) StateFile() statefile.StateFile {
	return StateFileAt(j.path)
}

// StateFileAt returns the file beside the journal with a path; of a journal in memory, whose path is empty, it is kept
// nowhere.
func StateFileAt(path string) statefile.StateFile {
	if path == "" {
		return statefile.StateFile{}
	}
	return statefile.New(strings.TrimSuffix(path, ".journal") + ".state")
}
