package faulttest

import (
	_ "embed"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// rowsTSV holds the rows of docs/reliability.md: ID, what is tested in a few words, a note, and a bug that makes a case
// of the row fail, as somebody has seen. The page shows only the first two.
//
//go:embed rows.tsv
var rowsTSV string

// A row is one line of docs/reliability.md.
type row struct{ id, what, note, bug string }

var rows = sync.OnceValue(func() []row {
	var all []row
	for line := range strings.Lines(rowsTSV) {
		cells := strings.SplitN(strings.TrimRight(line, "\n"), "\t", 4)
		all = append(all, row{cells[0], cells[1], cells[2], cells[3]})
	}
	return all
})

// RunCase runs one case of a row as the subtest "A1 refused" and reports it.
func RunCase(t *testing.T, id, name string, f func(*testing.T)) {
	t.Helper()
	t.Run(id+" "+name, func(t *testing.T) {
		ReportCase(t, id, name)
		f(t)
	})
}

// RunCaseInBubble is RunCase on the fake clock of a synctest bubble.
func RunCaseInBubble(t *testing.T, id, name string, f func(*testing.T)) {
	t.Helper()
	RunCase(t, id, name, func(t *testing.T) { synctest.Test(t, f) })
}

// ReportCase reports the result of a test, a case or the seeds of a fuzz target for a row when the test ends. It writes
// to the folder in LOOKOUT_ROWS; .ci/reliability creates docs/reliability.md from these reports.
func ReportCase(t testing.TB, id, name string) {
	t.Helper()
	reportAtEnd(t, id, name, func() string {
		switch {
		case t.Failed():
			return "FAIL"
		case t.Skipped():
			return "skip"
		}
		return "ok"
	})
}

// reportMissing reports a case that cannot run because something is not available.
func reportMissing(t testing.TB, id, name string) {
	t.Helper()
	t.Log("missing: ", name)
	reportAtEnd(t, id, name, func() string { return "skip" })
}

func reportAtEnd(t testing.TB, id, name string, result func() string) {
	t.Helper()
	if !slices.ContainsFunc(rows(), func(r row) bool { return r.id == id }) {
		t.Fatalf("client/faulttest/rows.tsv has no row %s", id)
	}
	folder := os.Getenv("LOOKOUT_ROWS")
	if folder == "" {
		return
	}
	t.Cleanup(func() {
		test, _, _ := strings.Cut(t.Name(), "/")
		line := fmt.Sprintf("%s\t%s.%s\t%q\t%s\n", id, packageUnderTest(), test, name, result())
		if err := appendReport(folder, line); err != nil {
			t.Errorf("cannot report the case: %v", err)
		}
	})
}

// SkipUnlessLong skips a test that is too slow for every run of go test, unless LOOKOUT_LONG is set, as .ci/run long,
// .ci/nightly and .ci/reliability do.
func SkipUnlessLong(t testing.TB) {
	t.Helper()
	if os.Getenv("LOOKOUT_LONG") == "" {
		t.Skip("a long test: set LOOKOUT_LONG=1 to run it")
	}
}

// InSample reports whether a case of a long table is to run, by its place on each of the table's axes: one in oneIn
// cases, along diagonals, so that each row and each column at least oneIn long keeps a case. With LOOKOUT_LONG, all of
// them run.
func InSample(oneIn int, place ...int) bool {
	sum := 0
	for _, at := range place {
		sum += at
	}
	return os.Getenv("LOOKOUT_LONG") != "" || sum%oneIn == 0
}

// Sorted returns the names of a table's column in order, so that their places are always the same.
func Sorted[V any](column map[string]V) []string { return slices.Sorted(maps.Keys(column)) }

// ReportByName is ReportCase for a test whose name contains the row, such as
// "TestManager_Download/D1_a_cut_is_resumed/7_of_9". It ignores other tests.
func ReportByName(t testing.TB) {
	t.Helper()
	parts := strings.Split(t.Name(), "/")
	for i, part := range parts {
		id, rest, _ := strings.Cut(part, "_")
		if known := func(r row) bool { return r.id == id }; slices.ContainsFunc(rows(), known) {
			ReportCase(t, id, strings.Join(append([]string{rest}, parts[i+1:]...), "/"))
			return
		}
	}
}

func appendReport(folder, line string) error {
	file, err := os.OpenFile(
		filepath.Join(folder, fmt.Sprintf("%d.tsv", os.Getpid())), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600,
	)
	if err != nil {
		return err
	}
	if _, err := file.WriteString(line); err != nil {
		return err
	}
	return file.Close()
}

// packageUnderTest returns the package being tested, such as "client/journal".
func packageUnderTest() string {
	here, err := os.Getwd()
	if err != nil {
		return "?"
	}
	for up := here; up != filepath.Dir(up); up = filepath.Dir(up) {
		if _, err := os.Stat(filepath.Join(up, "go.mod")); err == nil {
			name, _ := filepath.Rel(up, here)
			return filepath.ToSlash(name)
		}
	}
	return "?"
}
