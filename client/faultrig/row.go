package faultrig

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// list are the rows of docs/reliability.md: number, what goes wrong, what is open.
//
//go:embed rows.tsv
var list string

// A row is a line of the table.
type row struct{ id, what, open string }

var rows = sync.OnceValue(func() []row {
	var all []row
	for line := range strings.Lines(list) {
		cells := strings.SplitN(strings.TrimRight(line, "\n"), "\t", 3)
		all = append(all, row{cells[0], cells[1], cells[2]})
	}
	return all
})

// Row runs one case of a row as a sub-test, "A1 refused", and reports it.
func Row(t *testing.T, id, name string, f func(*testing.T)) {
	t.Helper()
	t.Run(id+" "+name, func(t *testing.T) {
		Report(t, id, name)
		f(t)
	})
}

// Timed is Row on the fake clock of a synctest bubble.
func Timed(t *testing.T, id, name string, f func(*testing.T)) {
	t.Helper()
	Row(t, id, name, func(t *testing.T) { synctest.Test(t, f) })
}

// Report counts a test, a case or the seeds of a fuzz target for a row when it ends. It writes to the folder that LOOKOUT_ROWS names;
// .ci/reliability makes docs/reliability.md from what is written.
func Report(t testing.TB, id, name string) {
	t.Helper()
	if !slices.ContainsFunc(rows(), func(r row) bool { return r.id == id }) {
		t.Fatalf("there is no row %s in client/faultrig/rows.tsv", id)
	}
	folder := os.Getenv("LOOKOUT_ROWS")
	if folder == "" {
		return
	}
	t.Cleanup(func() {
		result := "ok"
		switch {
		case t.Failed():
			result = "FAIL"
		case t.Skipped():
			result = "skip"
		}
		if err := report(folder, fmt.Sprintf("%s\t%s\t%q\t%s\n", id, room(), name, result)); err != nil {
			t.Errorf("the case is not counted: %v", err)
		}
	})
}

// Named is Report for a test whose name says its row, "TestDownloads/D1_a_cut_is_resumed/7_of_9". Others are not counted.
func Named(t testing.TB) {
	t.Helper()
	parts := strings.Split(t.Name(), "/")
	for i, part := range parts {
		id, rest, _ := strings.Cut(part, "_")
		if known := func(r row) bool { return r.id == id }; slices.ContainsFunc(rows(), known) {
			Report(t, id, strings.Join(append([]string{rest}, parts[i+1:]...), "/"))
			return
		}
	}
}

func report(folder, line string) error {
	file, err := os.OpenFile(filepath.Join(folder, fmt.Sprintf("%d.tsv", os.Getpid())), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := file.WriteString(line); err != nil {
		return err
	}
	return file.Close()
}

// room is the package under test, "client/journal".
func room() string {
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
