package journal

import (
	"errors"
	"fmt"
	"os"
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
