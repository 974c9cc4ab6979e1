package rules

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"lookout/cmd/internal/testenv"
)

// TestLineLength allows 120 columns, with tabs of 4, also in tests.
func TestLineLength(t *testing.T) {
	long := map[string][]string{}
	for _, name := range goFiles(t) {
		text, err := os.ReadFile(filepath.Join(testenv.RepoRoot(t), name))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for line := range strings.Lines(string(text)) {
			n++
			line = strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    ")
			if columns := utf8.RuneCountInString(line); columns > 120 {
				place := fmt.Sprintf("%s:%d: %d columns", name, n, columns)
				long[path.Dir(name)] = append(long[path.Dir(name)], place)
			}
		}
	}
	for _, places := range long {
		t.Errorf("wrap these lines at 120 columns:\n%s", strings.Join(places, "\n"))
	}
}

// TestDocuments_haveNoConflictMarkers looks for merges of pages that nobody finished; the compiler finds those of code.
func TestDocuments_haveNoConflictMarkers(t *testing.T) {
	root := testenv.RepoRoot(t)
	for _, name := range filesWithSuffix(t, ".md") {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(line, "<<<<<<< ") || strings.HasPrefix(line, ">>>>>>> ") {
				t.Errorf("%s:%d: %s", name, n+1, line)
			}
		}
	}
}

// goFiles returns the paths of all Go files below the top of the repository.
func goFiles(t *testing.T) []string { return filesWithSuffix(t, ".go") }

// filesWithSuffix returns the paths of the files below the top of the repository whose names end with suffix.
func filesWithSuffix(t *testing.T, suffix string) (names []string) {
	t.Helper()
	root := testenv.RepoRoot(t)
	err := filepath.WalkDir(root, func(file string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "dist"):
			return filepath.SkipDir
		case !d.IsDir() && strings.HasSuffix(file, suffix):
			name, err := filepath.Rel(root, file)
			names = append(names, filepath.ToSlash(name))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
