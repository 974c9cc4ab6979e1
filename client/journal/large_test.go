package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/faulttest"
)

// A journal of several years opens quickly, and a change takes little space.
func TestOpen_largeFile(t *testing.T) {
	faulttest.RunCase(t, "I5", "20,000 changes", func(t *testing.T) {
		const changes = 20_000
		path := filepath.Join(t.TempDir(), "j")
		var b bytes.Buffer
		for i := range changes {
			for _, l := range []record{{Intent: &Entry{
				ID:      fmt.Sprint("old-", i),
				Time:    testTime(),
				Account: "a",
				Change:  disableChange(fmt.Sprint(i%50), "billing-api"),
			}}, {ID: fmt.Sprint("old-", i), Outcome: client.Applied}} {
				data, err := json.Marshal(l)
				if err != nil {
					t.Fatal(err)
				}
				b.Write(append(data, '\n'))
			}
		}
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		j := openJournal(t, path)
		took := time.Since(start)
		t.Logf("%d changes: %d KB, read in %v", changes, b.Len()>>10, took)
		if n := len(j.Entries(time.Time{})); n != changes || j.UnreadableLines() != 0 ||
			len(j.DisabledServices()) != 50 {
			t.Errorf("%d changes, %d torn, %d holds", n, j.UnreadableLines(), len(j.DisabledServices()))
		}
		if b.Len()/changes > 1024 || took > 10*time.Second {
			t.Errorf("%d bytes for a change, read in %v", b.Len()/changes, took)
		}
	})
}
