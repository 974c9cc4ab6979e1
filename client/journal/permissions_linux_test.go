package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"lookout/client"
	"lookout/client/faulttest"
)

// A user who may read a journal, but not write it, sees what others add, also after they have compacted it.
func TestJournal_CatchUp_compactedButReadOnly(t *testing.T) {
	t.Chdir(t.TempDir()) // users other than root cannot name what is in it by its full path
	writer := openSmall(t, "j", testTime)
	readOnly := func() {
		if err := os.Chmod("j", 0o444); err != nil {
			t.Fatal(err)
		}
	}
	recordChange(t, writer, client.OpDisableService, "7")
	readOnly()
	var j *Journal
	faulttest.WithoutRoot(t, func() { j = OpenForReading("j", "a", testTime, errors.New("why not")) })
	defer j.Close()
	for n := range 12 {
		recordChange(t, writer, client.OpEnableService, fmt.Sprint(100+n))
	}
	readOnly()
	faulttest.WithoutRoot(t, func() { checkCatchUp(t, j, true) })
	if j.Len() != 13 || writer.lastFile == 0 {
		t.Errorf("%d changes", j.Len())
	}
}

// A compaction that fails leaves no file open.
func TestJournal_compact_failureClosesItsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	if err := os.WriteFile(segmentPath(path, 1), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	j := openSmall(t, path, testTime)
	openFiles := func() int {
		files, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	before := openFiles()
	for n := range 12 {
		recordChange(t, j, client.OpEnableService, fmt.Sprint(n))
	}
	if after := openFiles(); after != before || j.lastFile != 0 {
		t.Errorf("%d files are open, and were %d; %d older files", after, before, j.lastFile)
	}
}
