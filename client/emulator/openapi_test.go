package emulator

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lookout/client/faulttest"
	"lookout/client/optest"
)

// A yamlReader reads as much of YAML as the document of the API uses: blocks of mappings, lists and texts. A reader of
// all of YAML would be a dependency for one test.
type yamlReader struct{ lines []string }

var yamlKey = regexp.MustCompile(`^('[^']*'|[^'\s:][^:]*):(?: +(.*))?$`)

// block reads the lines that are indented by at least a number of blanks.
func (y *yamlReader) block(indent int) any {
	members, list := map[string]any{}, []any(nil)
	for len(y.lines) > 0 {
		line := y.lines[0]
		text := strings.TrimLeft(line, " ")
		at := len(line) - len(text)
		switch {
		case text == "" || text[0] == '#':
			y.lines = y.lines[1:]
			continue
		case at < indent, list != nil && at == indent && !strings.HasPrefix(text, "- "):
			return cmpBlock(members, list)
		}
		if item, is := strings.CutPrefix(text, "- "); is {
			y.lines[0] = strings.Repeat(" ", at+2) + item
			if yamlKey.MatchString(item) {
				list = append(list, y.block(at+2))
				continue
			}
			y.lines = y.lines[1:]
			list = append(list, strings.Trim(item, "'\""))
			continue
		}
		found := yamlKey.FindStringSubmatch(text)
		y.lines = y.lines[1:]
		if found == nil {
			continue // the rest of a text in several lines
		}
		name, value := strings.Trim(found[1], "'"), found[2]
		switch {
		case value == "" && len(y.lines) > 0 && strings.HasPrefix(strings.TrimLeft(y.lines[0], " "), "- "):
			members[name] = y.block(at) // a list may be as far left as its name
		case value == "" || value[0] == '|' || value[0] == '>':
			members[name] = y.block(at + 1)
		default:
			members[name] = strings.Trim(value, "'\"")
		}
	}
	return cmpBlock(members, list)
}

func cmpBlock(members map[string]any, list []any) any {
	if list != nil {
		return list
	}
	return members
}

// openAPI is the document of the API.
type openAPI map[string]any

// at returns what is at a path of names; nil if there is nothing.
func (d openAPI) at(from any, names ...string) any {
	for _, name := range names {
		members, _ := from.(map[string]any)
		from = members[name]
	}
	return from
}

// properties returns the members of a schema: its own, those that it refers to and those of its parts.
func (d openAPI) properties(schema any) map[string]any {
	all := map[string]any{}
	if ref, is := d.at(schema, "$ref").(string); is {
		return d.properties(d.at(map[string]any(d), strings.Split(strings.TrimPrefix(ref, "#/"), "/")...))
	}
	parts, _ := d.at(schema, "allOf").([]any)
	if choices, is := d.at(schema, "oneOf").([]any); is {
		parts = choices[:1] // the usual answer comes first
	}
	for _, part := range parts {
		maps.Copy(all, d.properties(part))
	}
	own, _ := d.at(schema, "properties").(map[string]any)
	maps.Copy(all, own)
	return all
}

// requireMembers fails unless an answer has exactly the members of its schema.
func (d openAPI) requireMembers(t *testing.T, where string, schema, answer any) {
	t.Helper()
	if ref, is := d.at(schema, "$ref").(string); is {
		schema = d.at(map[string]any(d), strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
	}
	switch answer := answer.(type) {
	case []any:
		for i, item := range answer {
			d.requireMembers(t, fmt.Sprintf("%s[%d]", where, i), d.at(schema, "items"), item)
		}
	case map[string]any:
		known := d.properties(schema)
		for name := range answer {
			if known[name] == nil {
				t.Errorf("%s: the document has no member %s", where, name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(known)) {
			value, sent := answer[name]
			if !sent && d.at(known[name], "writeOnly") == nil {
				t.Errorf("%s: the emulator does not send %s", where, name)
			}
			d.requireMembers(t, where+"."+name, known[name], value)
		}
	}
}

// The emulator serves every operation of the document, and answers reads with exactly the members that it lists.
func TestEmulator_followsTheOpenAPIDocument(t *testing.T) {
	data, err := os.ReadFile("../../../shared/api/openapi.yaml")
	if err != nil {
		faulttest.RunCase(t, "H5", "the OpenAPI document", func(t *testing.T) {
			t.Skip("it is not beside the project")
		})
		return
	}
	reader := yamlReader{strings.Split(string(data), "\n")}
	document := openAPI(reader.block(0).(map[string]any))
	paths := document["paths"].(map[string]any)
	e := New(Options{Token: "t", Seed: "demo"})
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		for _, method := range []string{"get", "post", "put", "delete"} {
			operation := document.at(paths[path], method)
			if operation == nil {
				continue
			}
			name := strings.ToUpper(method) + " " + path
			faulttest.RunCase(t, "H5", name, func(t *testing.T) {
				o, _ := optest.Find(strings.ToUpper(method), path)
				if !e.Serves(o.Name) {
					t.Fatal("the emulator does not serve it")
				}
				if method != "get" {
					return
				}
				url := "https://x.test/v4" + o.Fill(path)
				if strings.HasSuffix(path, "object-acl") {
					url += "?name=README.txt"
				}
				req, err := http.NewRequest(http.MethodGet, url, nil)
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Authorization", "Bearer t")
				res, err := e.RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				defer res.Body.Close()
				var answer any
				if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || res.StatusCode != http.StatusOK {
					t.Fatalf("%d, %v, %v", res.StatusCode, answer, err)
				}
				schema := document.at(operation, "responses", "200", "content", "application/json", "schema")
				document.requireMembers(t, "the answer", schema, answer)
			})
		}
	}
}
