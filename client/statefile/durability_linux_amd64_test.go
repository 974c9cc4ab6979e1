package statefile_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lookout/client/faulttest"
	"lookout/client/statefile"
)

// A power cut leaves the old file or the new one: the content is on the disk before it gets its name, and the name is
// on the disk before Replace returns.
func TestStateFile_Replace_durable(t *testing.T) {
	calls := faulttest.TraceFileCalls(t, func(folder string) {
		if err := statefile.New(filepath.Join(folder, "acme.state")).Replace([]byte("text")); err != nil {
			t.Fatal(err)
		}
	})
	for i, call := range calls {
		if verb, name, _ := strings.Cut(call, " "); strings.HasSuffix(name, ".part") {
			calls[i] = verb + " part"
		}
	}
	if want := []string{"write part", "sync part", "rename", "sync folder"}; !slices.Equal(calls, want) {
		t.Errorf("%q, want %q", calls, want)
	}
}
