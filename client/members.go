package client

import (
	"encoding/json"
	"strings"
)

// FlattenJSON returns the members of a body by their paths ("phone.primary"), each as text. A cleared member is
// "(empty)".
func FlattenJSON(body any) map[string]string {
	data, _ := json.Marshal(body)
	all, members := map[string]string{}, map[string]any{}
	_ = json.Unmarshal(data, &members) // a body that is no object has no members
	flattenInto(all, "", members)
	return all
}

func flattenInto(all map[string]string, path string, members map[string]any) {
	for member, value := range members {
		if inner, isObject := value.(map[string]any); isObject {
			flattenInto(all, path+member+".", inner)
			continue
		}
		all[path+member] = formatJSONValue(value)
	}
}

// formatJSONValue returns a JSON value as text for a reader.
func formatJSONValue(value any) string {
	switch v := value.(type) {
	case nil:
		return "(empty)"
	case string:
		return orElse(v, "(empty)")
	}
	data, _ := json.Marshal(value) // it was read from JSON
	return string(data)
}

// MembersMatch reports whether an object has all these members. Absent, null, 0, empty and no elements count as equal,
// and so do addresses that differ only in the fragment, which the API does not keep.
func MembersMatch(now, members map[string]string) bool {
	comparable := func(member, text string) string {
		if text == "0" || text == "(empty)" || text == "false" || text == "[]" {
			return ""
		}
		if member == "address" {
			text, _, _ = strings.Cut(text, "#")
		}
		return text
	}
	for member, value := range members {
		if comparable(member, now[member]) != comparable(member, value) {
			return false
		}
	}
	return true
}
