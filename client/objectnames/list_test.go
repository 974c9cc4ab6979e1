package objectnames

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// A list holds each name once and in order, however the names came, and takes a few bytes for each.
func TestList(t *testing.T) {
	names := make([]string, 1000)
	for i := range names {
		names[i] = fmt.Sprintf("logs/2026/11/%03d/%05d.gz", i/10, i)
	}
	names = append(names, "logs/", "logs/\xff", "logs/2026/11/000/00000.gz.sig")
	slices.Sort(names)
	mixed := slices.Concat(names, names[:300])
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
	for how, added := range map[string][]string{"in order": names, "mixed": mixed} {
		b := NewSortedNamesBuilder("us-east-1/photos")
		for i, name := range added {
			b.Add(ObjectEntry{name, int64(i%3) - 1})
		}
		l := b.List()
		var got []string
		for o := range l.From(0) {
			got = append(got, o.Name)
		}
		if !slices.Equal(got, names) || l.Len() != len(names) || l.Prefix() != "logs/" || l.Bytes() == 0 {
			t.Errorf("%s: %d of %d names, prefix %q", how, len(got), len(names), l.Prefix())
		}
		for i, name := range names {
			next := ""
			for o := range l.From(i) {
				next = o.Name
				break
			}
			if !l.Contains(name) || l.Contains(name+"\x00") || l.Contains(name[:len(name)-1]) && name != "logs/\xff" ||
				next != name {
				t.Fatalf("%s: %q, from %d %q", how, name, i, next)
			}
		}
		if l.Contains("a") || l.Contains("z") || NewSortedNamesBuilder("b").List().Contains("") {
			t.Errorf("%s: it contains what was not added", how)
		}
	}
}

// What is read from a file is not trusted.
func TestDecode(t *testing.T) {
	names := []string{"b", "", "a/1", "a/2", "a/\xff"}
	text := Encode(names)
	if got, err := Decode(text); err != nil || !slices.Equal(got, names) {
		t.Errorf("%q, %v", got, err)
	}
	for n := range len(text) {
		if got, err := Decode(text[:n]); err == nil && len(got) == len(names) {
			t.Errorf("%d bytes of %d pass for the whole", n, len(text))
		}
	}
	for _, bad := range []string{
		"\x01\x00\x00", "\x00\x05ab\x00", "\xff", "\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
	} {
		if got, err := Decode([]byte(bad)); err == nil {
			t.Errorf("%q: %q", bad, got)
		}
	}
}
