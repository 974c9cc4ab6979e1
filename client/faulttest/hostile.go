package faulttest

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// HostileStrings returns the hostile strings of some categories, or of all categories if none is given. They come from
// a collection that may lie next to the project. Without it, HostileStrings returns nil and reports a case of the row
// as missing: the test has only its own strings.
func HostileStrings(t testing.TB, id string, categories ...string) (texts []string) {
	t.Helper()
	data := readBesideProject("shared/reliability/nasty.json")
	if data == nil {
		reportMissing(t, id, t.Name()+": the collection of hostile strings")
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

// ReplaceValues returns a JSON answer with other strings in place of its strings, numbers, booleans and nulls. replace
// gets such a value, decoded, and the name of the member that holds it; what it returns may be invalid UTF-8, and nil
// leaves the value as it is. Anything but JSON is returned as it is.
func ReplaceValues(answer []byte, replace func(member string, value any) []byte) []byte {
	var value any
	if json.Unmarshal(answer, &value) != nil {
		return answer
	}
	return appendReplaced(nil, "", value, replace)
}

// appendReplaced appends a member's value as JSON.
func appendReplaced(out []byte, member string, value any, replace func(string, any) []byte) []byte {
	switch v := value.(type) {
	case map[string]any:
		out = append(out, '{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(appendJSONString(out, []byte(name)), ':')
			out = appendReplaced(out, name, v[name], replace)
		}
		return append(out, '}')
	case []any:
		out = append(out, '[')
		for i, element := range v {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendReplaced(out, member, element, replace)
		}
		return append(out, ']')
	}
	if text := replace(member, value); text != nil {
		return appendJSONString(out, text)
	}
	data, _ := json.Marshal(value) // it was decoded from JSON
	return append(out, data...)
}

// appendJSONString appends a string as JSON. It keeps the bytes even if they are not valid UTF-8.
func appendJSONString(out, text []byte) []byte {
	out = append(out, '"')
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c < 0x20:
			out = fmt.Appendf(out, `\u%04x`, c)
		default:
			out = append(out, c)
		}
	}
	return append(out, '"')
}
