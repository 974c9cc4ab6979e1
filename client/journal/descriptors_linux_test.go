package journal

import (
	"path/filepath"
	"runtime/debug"
	"strconv"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/faulttest"
)

// A journal closes every file and folder that it opens, also those that it or another process compacts, and those that
// it syncs and reads for the history, without help from the garbage collector.
func TestJournal_closesItsFiles(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	path := filepath.Join(t.TempDir(), "journal")
	use := func() {
		j, err := openWithSegments(path, "a", time.Now, 5000)
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		other, err := Open(path, "a", time.Now)
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		for i := range 40 {
			recordChange(t, j, client.OpEnableService, strconv.Itoa(i))
		}
		for _, j := range []*Journal{j, other} {
			if _, err := j.CatchUp(); err != nil {
				t.Fatal(err)
			}
		}
		if len(j.segments) == 0 {
			t.Fatal("it was not compacted")
		}
		h, more := j.History(), true
		for n := 0; more; n++ {
			if _, more, err = h.Page(n); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 2 {
		use()
	}
	if n := faulttest.OpenFiles(t, filepath.Dir(path)); n != 0 {
		t.Errorf("%d files are still open", n)
	}
}

// If the file that has taken the journal's place cannot be read, the journal says so and keeps what it knows.
func TestJournal_CatchUp_unreadableReplacement(t *testing.T) {
	j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
	recordChange(t, j, client.OpDisableService, "7")
	j.path = "/proc/self/mem" // a regular file whose beginning nobody can read
	if _, err := j.CatchUp(); err == nil {
		t.Error("it is read")
	}
	if _, held := j.ActiveWindow("7"); !held {
		t.Error("the changes are forgotten")
	}
}
