package objectindex

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"lookout/client"
)

// hostileNames are names at the limits of the encoding, each once.
func hostileNames() (names []string) {
	names = []string{"", "\x00", "\x00\x00", "\xff", "\xff\xfe", "a", "a\x00", "a\x00\x00", "a\x00b", "é", "\xc3", "€/"}
	for _, n := range []int{6, 7, 8, 13, 14, 15, 127, 128, 253, 254, 255, 256, 257, 1023, 1024, 70_000} {
		same := strings.Repeat("n", n)
		names = append(names, same, same+"\x00", same+"z", "y"+same, same[1:]+"Ä")
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// checkNames fails unless an index of names has them, finds them, and filters and sorts them as plain strings are.
func checkNames(t *testing.T, names []string, filter string) {
	t.Helper()
	s := New()
	var halfway *Snapshot
	for i, name := range names {
		if i == len(names)/2 {
			halfway = s.Snapshot()
		}
		s.Append([]*client.Object{{Name: client.NewText(name), Size: int64(i), Owner: client.NewText("me")}})
	}
	for i, name := range names {
		if got := s.At(i).Name.Raw(); got != name {
			t.Fatalf("name %d is %.80q, not %.80q", i, got, name)
		}
		if at, held := s.Index(name); !held || at != i {
			t.Fatalf("%.80q is at %d, %v, not %d", name, at, held, i)
		}
		for _, other := range []string{name + "\x00", name[:max(0, len(name)-1)], name[:len(name)/2] + "-" + name} {
			if at, held := s.Index(other); held && names[at] != other {
				t.Fatalf("%.80q was found in the place of %.80q", other, names[at])
			}
		}
	}
	for i := range halfway.Len() {
		if got := halfway.Name(i); got != names[i] {
			t.Fatalf("name %d of the snapshot is %.80q, not %.80q", i, got, names[i])
		}
	}
	still := s.Snapshot()
	checkFilter(t, still, filter)
	want := make([]int32, len(names))
	for i := range want {
		want[i] = int32(i)
	}
	slices.SortFunc(want, func(a, b int32) int { return strings.Compare(names[a], names[b]) })
	if got, err := still.Sort(t.Context(), ByName, false, nil, nil); err != nil || !slices.Equal(got, want) {
		t.Errorf("the names are sorted as %v, not %v, %v", got, want, err)
	}
}

// Names of any bytes and lengths are the same afterwards, in order and out of order, across blocks and chunks.
func TestIndex_hostileNames(t *testing.T) {
	t.Parallel()
	names := hostileNames()
	checkNames(t, names, "z")
	slices.Reverse(names)
	checkNames(t, names, "\x00")
	for i := range chunkRows + blockNames {
		names = append(names, fmt.Sprintf("%s/%d", strings.Repeat("folder", i%40), i))
	}
	checkNames(t, names, "r/40")
}

// Many names whose beginnings are the same are sorted by what follows, group by group.
func TestSnapshot_Sort_equalBeginnings(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range 20_000 {
		names = append(names, fmt.Sprintf("folder/%d/%d", i*7919%3, i*7919%20_000))
	}
	checkNames(t, append(names, "g", "folder/", "folder/1/"), "/1999")

	s := New()
	s.Append([]*client.Object{{Name: client.NewText("long name")}, {Name: client.NewText("a")}})
	got, err := s.Snapshot().Sort(t.Context(), ByName, false, []int32{1, 0, 1, 0}, nil)
	if err != nil || !slices.Equal(got, []int32{1, 1, 0, 0}) {
		t.Errorf("positions that are there twice are sorted as %v, %v", got, err)
	}
}

func FuzzIndex_names(f *testing.F) {
	for _, name := range hostileNames()[:60] {
		f.Add([]byte("first\nfirst/"+name+"\n"+name+"second\n"+name), byte('\n'), name)
	}
	f.Fuzz(func(t *testing.T, text []byte, separator byte, filter string) {
		var names []string
		seen := map[string]bool{}
		for part := range bytes.SplitSeq(text, []byte{separator}) {
			if name := string(part); !seen[name] {
				seen[name], names = true, append(names, name)
			}
		}
		checkNames(t, names, filter)
	})
}
