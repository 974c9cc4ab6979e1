package emulator

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"lookout/client/faulttest"
)

// A shape holds what is at each place of some answers ("data[].label"): how often there is a value of each type.
type shape map[string]map[string]int

// add adds a value at a place and all that it holds.
func (s shape) add(place string, value any) {
	kind := fmt.Sprintf("%T", value)
	switch value := value.(type) {
	case map[string]any:
		kind = "object"
		for name, member := range value {
			s.add(place+"."+name, member)
		}
	case []any:
		kind = "array"
		for _, element := range value {
			s.add(place+"[]", element)
		}
	}
	if s[place] == nil {
		s[place] = map[string]int{}
	}
	s[place][kind]++
}

// count returns how often there is a value at a place.
func (s shape) count(place string) (n int) {
	for _, times := range s[place] {
		n += times
	}
	return n
}

// objects returns how many objects could have the member at a place; 0 for the elements of an array.
func (s shape) objects(place string) int {
	if place == "" || strings.HasSuffix(place, "[]") {
		return 0
	}
	return s[place[:strings.LastIndex(place, ".")]]["object"]
}

// unkind are members that the emulator sometimes leaves out of a list, as the service did of the answer for one bucket.
var unkind = []string{".data[].size", ".data[].objects"}

// requireLike fails where a value has a member that the recorded ones never have, where it lacks one that they always
// have, and where a member has a type that was never recorded.
func (s shape) requireLike(t *testing.T, recorded shape) {
	t.Helper()
	for place, kinds := range s {
		if recorded.objects(place) > 0 && recorded.count(place) == 0 {
			t.Errorf("%s was never recorded", place)
		}
		for kind := range kinds {
			if recorded.count(place) > recorded[place]["<nil>"] && recorded[place][kind] == 0 && kind != "<nil>" {
				t.Errorf("%s is of type %s, but was recorded as %v", place, kind, recorded[place])
			}
		}
	}
	for place := range recorded {
		always := recorded.count(place) == recorded.objects(place)
		if always && s.count(place) < s.objects(place) && !slices.Contains(unkind, place) {
			t.Errorf("%s is missing, but was always recorded", place)
		}
	}
}

// decodeShape returns the shape of an answer.
func decodeShape(t *testing.T, data []byte) shape {
	t.Helper()
	var answer any
	if err := json.Unmarshal(data, &answer); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	s := shape{}
	s.add("", answer)
	return s
}

// replay sends a recorded request with the names and ids of the emulated account.
func replay(t *testing.T, e *Emulator, x *faulttest.RecordedExchange) (status int, data []byte) {
	t.Helper()
	key := fmt.Sprint(newNow("").account.keys[0].ID)
	names := []string{
		"plain-photos", "cdn.acme.net", "older-photos", "cdn.acme.net", "oldest-photos", "archive-2019",
		"sunset.jpg", "index.html", "eu-north", "gb-lon",
		"contacts/41", "contacts/11", "credentials/51", "credentials/31", "issues/61", "issues/823",
		"services/81", "services/1", "settings/901", "settings/70001", "keys/71", "keys/" + key,
		"keys/73", "keys/" + key,
	}
	if x.Name == "deleted bucket" { // an empty one
		names = append([]string{"us-east-1/plain-photos", "ap-south-1/scratch"}, names...)
	}
	values, query := strings.NewReplacer(names...), url.Values{}
	for name, value := range x.Query {
		query.Set(name, values.Replace(value))
	}
	body := values.Replace(string(x.RequestBody))
	if body == "null" {
		body = ""
	}
	address := "https://x.test/v4" + values.Replace(x.Path) + "?" + query.Encode()
	req, err := http.NewRequest(x.Method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer t")
	res, err := e.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if data, err = io.ReadAll(res.Body); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, data
}

// The emulator answers every request that was recorded with the recorded status, and with the same members of the same
// types.
func TestEmulator_answersAsRecorded(t *testing.T) {
	all := faulttest.OwnRecordings(t, "/")
	operation := func(x *faulttest.RecordedExchange) string { return fmt.Sprint(x.Operation(), x.Status) }
	recorded := map[string]shape{}
	for _, x := range all {
		if recorded[operation(x)] == nil {
			recorded[operation(x)] = shape{}
		}
		var answer any
		if err := json.Unmarshal(x.Body, &answer); err != nil {
			t.Fatalf("%s: %v", x.Name, err)
		}
		recorded[operation(x)].add("", answer)
	}
	for _, x := range all {
		if x.Name == "new certificate" {
			continue // its certificate was not recorded
		}
		faulttest.RunCase(t, "H5", "as recorded, "+x.Name, func(t *testing.T) {
			e := newNow("")
			if x.Name == "cancelled twice" {
				replay(t, e, x)
			}
			status, data := replay(t, e, x)
			if status != x.Status {
				t.Fatalf("%d %s, recorded as %d %s", status, data, x.Status, x.Body)
			}
			decodeShape(t, data).requireLike(t, recorded[operation(x)])
		})
	}
}
