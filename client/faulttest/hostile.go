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

// HostileStrings are hostile strings of some categories, or of all where none is named, of a collection that may lie
// beside the project; nil where it does not.
func HostileStrings(t testing.TB, categories ...string) (texts []string) {
	t.Helper()
	data := readBesideProject("shared/reliability/nasty.json")
	if data == nil {
		t.Log("the collection of hostile strings is not here: a few built in are used")
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

// readBesideProject is a file in the folder that holds the project; nil where there is none.
func readBesideProject(name string) []byte {
	for up := "."; len(up) < 20; up = filepath.Join(up, "..") {
		if _, err := os.Stat(filepath.Join(up, "go.mod")); err != nil {
			continue
		}
		data, err := os.ReadFile(filepath.Join(up, "..", name))
		if err != nil {
			return nil
		}
		return data
	}
	return nil
}

// expand undoes the collection's shorthands: bytes as digits, a text many times, a text many times between two others.
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
