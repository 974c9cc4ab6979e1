package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/client/optest"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/testenv"
)

// sentMembers are the members that the commands change, and what they send. The recordings were made with other values.
func sentMembers() map[string]map[string]any {
	return map[string]map[string]any{
		"update credential":   {"label": "fresh"},
		"update key":          {"label": "fresh"},
		"update contact":      {"name": "fresh"},
		"update SSH settings": {"ssh": map[string]any{"port": 99}},
		"update service":      {"label": "fresh"},
		"disable service":     {"status": "disabled"},
	}
}

// withSentMembers returns a recording whose answer has what the command sends: with other values, the outcome would be
// unknown. All else is as it was recorded.
func withSentMembers(t *testing.T, op string, x *faulttest.RecordedExchange) *faulttest.RecordedExchange {
	t.Helper()
	sent := sentMembers()[op]
	if x.Status != http.StatusOK || sent == nil {
		return x
	}
	var body map[string]any
	if err := json.Unmarshal(x.Body, &body); err != nil {
		t.Fatal(err)
	}
	setMembers(t, body, sent)
	changed := *x
	var err error
	if changed.Body, err = json.Marshal(body); err != nil {
		t.Fatal(err)
	}
	return &changed
}

// setMembers sets members that an object has.
func setMembers(t *testing.T, object, members map[string]any) {
	t.Helper()
	for name, value := range members {
		if within, isObject := value.(map[string]any); isObject {
			setMembers(t, object[name].(map[string]any), within)
			continue
		}
		if _, has := object[name]; !has {
			t.Errorf("the recording has no %s", name)
		}
		object[name] = value
	}
}

// commandFor returns the command line for a recording of an operation, with the values of its request.
func commandFor(t *testing.T, o optest.Operation, x *faulttest.RecordedExchange) []string {
	var body map[string]any
	_ = json.Unmarshal(x.RequestBody, &body) // if there is one
	values := maps.Clone(x.Query)
	if values == nil {
		values = map[string]string{}
	}
	for name, value := range body {
		values[name] = fmt.Sprint(value)
	}
	for i, value := range x.Segments() {
		values[fmt.Sprint(i+1)] = value
	}
	values["place"] = cmp.Or(values["cluster"], values["region"])
	dir := testenv.WriteCertificate(t, cmp.Or(values["2"], "any.example"))
	for name, file := range map[string]string{
		"certificate": "cert.pem", "key": "key.pem", "password-file": "password",
	} {
		values[name] = filepath.Join(dir, file)
	}
	if err := os.WriteFile(values["password-file"], []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	line := append(strings.Fields(o.Line(values)), "-o", "json")
	switch {
	case o.Name == client.OpCancelObjectStorage:
		line = append(line, "--yes=acme")
	case o.Method != http.MethodGet:
		line = append(line, "--yes")
	}
	return line
}

// Every recorded answer of the document's operations is printed as JSON with all its members and no others.
func TestRecordings_printedFieldByField(t *testing.T) {
	t.Parallel()
	all := faulttest.Recordings(t, "shared/api/recorded/object-storage")
	for _, x := range faulttest.Recordings(t, "shared/api/examples") { // of the document; Managed was never recorded
		if strings.HasPrefix(x.Template, "/managed/") {
			all = append(all, x)
		}
	}
	printed := map[string]bool{}
	for _, set := range [][]*faulttest.RecordedExchange{faulttest.OwnRecordings(t, "/"), all} {
		for _, x := range set {
			o, known := optest.Find(x.Method, x.Template)
			if known && o.Name != "view stats" && o.Name != "view access" { // those are printed in another form
				printed[o.Name] = true
				line := commandFor(t, o, x)
				t.Run(x.Name, func(t *testing.T) { checkReplayed(t, o, line, withSentMembers(t, o.Name, x), set) })
			}
		}
	}
	for _, o := range optest.Documented() {
		if len(all) > 0 && !printed[o.Name] && o.Name != "view stats" && o.Name != "view cluster" {
			t.Errorf("no recording of %s was printed", o.Name)
		}
	}
}

// checkReplayed runs a command line on a recording, and on others of its set for what else is read.
func checkReplayed(
	t *testing.T, o optest.Operation, line []string, x *faulttest.RecordedExchange, set []*faulttest.RecordedExchange,
) {
	t.Helper()
	r := newTestEnv(t, emulator.Options{Service: emulator.ServiceNow})
	if !strings.Contains(x.Template, "/instance-settings") { // the document's name
		r.useProviderDialect()
	}
	replay := &faulttest.ReplayServer{First: x, Others: set, Next: r.API}
	if strings.HasPrefix(o.Name, "create ") || o.Name == "upload certificate" {
		replay.Others = []*faulttest.RecordedExchange{{ // what is created was not there before
			Method:   http.MethodGet,
			Template: "/object-storage/buckets/{clusterId}/{bucket}/ssl",
			Status:   http.StatusOK,
			Body:     json.RawMessage(`{"ssl":false}`),
		}}
	}
	r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
		replay.ServeHTTP(w, req)
		return true
	})
	got := r.Run(line...)
	if !replay.Used.Load() {
		t.Fatalf("%v: did not ask for the recording: %+v", line, got)
	}
	checkPrinted(t, x, got)
}

// ownMembers are members of our output that repeat what was asked for.
var ownMembers = map[string]bool{"name": true, "bucket": true, "cluster": true, "method": true, "expires": true}

// checkPrinted compares the output of a command with a recording.
func checkPrinted(t *testing.T, x *faulttest.RecordedExchange, got testenv.CommandResult) {
	t.Helper()
	var body map[string]any
	if err := json.Unmarshal(x.Body, &body); err != nil {
		t.Fatal(err)
	}
	if x.Status >= 400 {
		reason := body["errors"].([]any)[0].(map[string]any)["reason"].(string)
		want := map[int]int{400: exit.CodeFailure, 404: exit.CodeNotFound}[x.Status]
		if got.Code != want || !strings.Contains(got.Err, reason) {
			t.Errorf("%+v, want exit code %d and %q", got, want, reason)
		}
		return
	}
	if got.Code != exit.CodeOK {
		t.Fatalf("%+v", got)
	}
	if len(body) == 0 {
		if strings.Contains(got.Out, "{") && !strings.HasSuffix(x.Template, "/object-acl") { // this one is read again
			t.Errorf("%s is printed for {}", got.Out)
		}
		return
	}
	var out any
	if err := json.Unmarshal([]byte(got.Out), &out); err != nil {
		t.Fatalf("%v: %+v", err, got)
	}
	if rows, isList := body["data"]; isList {
		sameMembers(t, "", out, rows)
		return
	}
	printed, isObject := out.(map[string]any)
	if !isObject {
		t.Fatalf("%s is not an object", got.Out)
	}
	for name := range printed {
		if _, recorded := body[name]; !recorded && ownMembers[name] {
			delete(printed, name)
		}
	}
	sameMembers(t, "", printed, body)
}

// sameMembers fails where a printed value differs from the recorded one. A value that was not recorded may be printed
// as null. A redacted secret is not printed.
func sameMembers(t *testing.T, at string, printed, recorded any) {
	t.Helper()
	switch recorded := recorded.(type) {
	case map[string]any:
		object, _ := printed.(map[string]any)
		if recorded["secret_key"] == "[REDACTED]" {
			delete(recorded, "secret_key")
		}
		for name, value := range recorded {
			if _, there := object[name]; !there {
				t.Errorf("%s.%s: %v is lost", at, name, value)
				continue
			}
			sameMembers(t, at+"."+name, object[name], value)
		}
		for name, value := range object {
			if _, there := recorded[name]; !there && value != nil {
				t.Errorf("%s.%s: %v is invented", at, name, value)
			}
		}
	case []any:
		list, _ := printed.([]any)
		if len(list) != len(recorded) {
			t.Errorf("%s: %d values, want %d", at, len(list), len(recorded))
			return
		}
		for i := range recorded {
			sameMembers(t, fmt.Sprintf("%s[%d]", at, i), list[i], recorded[i])
		}
	default:
		if text, isText := recorded.(string); isText && printed == text+"Z" {
			return // a time: the API writes UTC without its zone
		}
		if !reflect.DeepEqual(printed, recorded) {
			t.Errorf("%s: %v, want %v", at, printed, recorded)
		}
	}
}
