package account

import (
	"testing"
)

// fakeVersion is the version of a store.
type fakeVersion int

func (e *fakeVersion) Version() int { return int(*e) }

// Memo computes a value once, and again when the version of a source has changed.
func TestMemo_recomputedWhenSourceChanges(t *testing.T) {
	a := New(t.Context(), Options{})
	var services, issues fakeVersion
	made := 0
	ask := func() int {
		return Memo(a, "both", func() int { made++; return made }, &services, &issues)
	}
	for _, c := range []struct {
		change func()
		want   int
	}{{func() {}, 1}, {func() {}, 1}, {func() { issues++ }, 2}, {func() {}, 2}, {func() { services++ }, 3}} {
		c.change()
		if got := ask(); got != c.want {
			t.Errorf("made %d times, want %d", got, c.want)
		}
	}
}
