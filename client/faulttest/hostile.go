package faulttest

import (
	"encoding/hex"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// HostileStrings returns the hostile strings of some categories, or of all categories if none is given. They come from
// a collection that may lie next to the project; without it, HostileStrings returns nil.
func HostileStrings(t testing.TB, categories ...string) (texts []string) {
	t.Helper()
	data := readBesideProject("shared/reliability/nasty.json")
	if data == nil {
		t.Log("the collection of hostile strings is missing; the test uses its own strings")
		return nil
	}
	var all map[string][]string
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	if len(categories) == 0 {
		categories = slices.Sorted(maps.Keys(all))
	}
	for _, c := range categories {
		for _, s := range all[c] {
			texts = append(texts, expand(s))
		}
	}
	return texts
}

// readBesideProject reads a file next to the project folder. It returns nil if there is none.
func readBesideProject(name string) []byte {
	data, err := os.ReadFile(filepath.Join(besideProject(), name))
	if err != nil {
		return nil
	}
	return data
}

// expand expands the collection's shorthands: "hex:" for bytes, "rep:" for a repeated text, "pat:" for a repeated text
// between two others.
func expand(s string) string {
	if h, ok := strings.CutPrefix(s, "hex:"); ok {
		b, _ := hex.DecodeString(h)
		return string(b)
	}
	if r, ok := strings.CutPrefix(s, "rep:"); ok {
		n, unit, _ := strings.Cut(r, ":")
		k, _ := strconv.Atoi(n)
		return strings.Repeat(unit, k)
	}
	if r, ok := strings.CutPrefix(s, "pat:"); ok {
		n, rest, _ := strings.Cut(r, ":")
		k, _ := strconv.Atoi(n)
		if p := strings.SplitN(rest, "|", 3); len(p) == 3 {
			return p[0] + strings.Repeat(p[1], k) + p[2]
		}
	}
	return s
}
