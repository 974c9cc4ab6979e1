package emulator

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// The encoder of listings writes the same bytes as encoding/json.
func TestListBody_encode_matchesEncodingJSON(t *testing.T) {
	e := New(Options{Now: func() time.Time { return time.Unix(1_790_000_000, 0) }})
	for _, b := range append(e.buckets, New(Options{Seed: "large"}).buckets...) {
		b.loadObjects().put(newObject("<a>&\"\\\u2028\xff\t é", "", "", time.Unix(0, 0)))
		for _, delimiter := range []string{"", "/"} {
			for marker, n := "", 0; n < 4; n++ {
				entries, next := b.loadObjects().list("", delimiter, marker, 37)
				l := listBody{Data: entries, Truncated: next != ""}
				if marker = next; next != "" {
					l.Next = &next
				}
				if l.Data == nil {
					l.Data = []objectEntry{}
				}
				if want, err := json.Marshal(l); err != nil || string(l.encode()) != string(want) {
					t.Fatalf("%s: %s\nis not\n%s", b.label, l.encode(), want)
				}
			}
		}
	}
}

func TestGeneratedName(t *testing.T) {
	for _, i := range []int{0, 7, 99, 100, 10_000, 123_456, 999_999} {
		if want := fmt.Sprintf("data/%03d/%03d/object-%06d.bin", i/10_000, i/100%100, i); generatedName(i) != want {
			t.Errorf("%d is called %s, not %s", i, generatedName(i), want)
		}
	}
}

// A store with generated objects lists the same as one with stored objects.
func TestObjectStore_allFrom_isSorted(t *testing.T) {
	names := []string{"a", "c", "e", "g"}
	s := newObjectStore()
	s.generated = objectGenerator{
		len(names),
		func(i int) *object { return newGeneratedObject(names[i], 1, time.Time{}) },
	}
	s.count = len(names)
	for _, n := range []string{"b", "e", "z"} {
		s.put(newObject(n, "", "", time.Time{}))
	}
	s.remove("c")
	walk := ""
	for o := range s.allFrom("") {
		walk += o.name
	}
	if walk != "abegz" {
		t.Errorf("the walk went %s", walk)
	}
	walk = ""
	for o := range s.allFrom("b0") {
		walk += o.name
	}
	if walk != "egz" {
		t.Errorf("the walk went %s", walk)
	}
}

// BenchmarkListPage encodes a page of 500 objects out of a million.
func BenchmarkListPage(b *testing.B) {
	e := New(Options{Seed: "large"})
	s := e.buckets[0].loadObjects()
	marker := ""
	for b.Loop() {
		entries, next := s.list("", "", marker, 500)
		_ = listBody{Data: entries, Truncated: next != "", Next: &next}.encode()
		marker = next
	}
}
