package client

import (
	"encoding/json"
	"maps"
	"reflect"
)

// A Patch is the members of an update that were changed, and nothing else. A cleared member is null.
type Patch map[string]any

// Diff compares two requests of a kind member by member. Objects within are compared inside.
func Diff[R any](before, after R) Patch { return diffMembers(members(before), members(after)) }

// members are a request as it would be sent.
func members(request any) map[string]any {
	data, err := json.Marshal(request)
	if err != nil {
		return nil
	}
	var m map[string]any
	if json.Unmarshal(data, &m) != nil {
		return nil
	}
	return m
}

func diffMembers(before, after map[string]any) Patch {
	patch := Patch{}
	for name, value := range after {
		old, had := before[name]
		inner, isObject := value.(map[string]any)
		was, wasObject := old.(map[string]any)
		switch {
		case had && reflect.DeepEqual(old, value):
		case isObject && wasObject:
			patch[name] = map[string]any(diffMembers(was, inner))
		default:
			patch[name] = value
		}
	}
	for name := range maps.Keys(before) {
		if _, kept := after[name]; !kept {
			patch[name] = nil
		}
	}
	return patch
}
