package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/testenv"
)

// recordedCommands are the command lines for the recorded operations. {1}, {2} are the values of the path's names,
// {name} and {acl} members of the request, PAIR the files of a certificate. An operation without a command is not one
// of the document's.
func recordedCommands() map[string]string {
	const bucket = "/object-storage/buckets/{clusterId}/{bucket}"
	return map[string]string{
		"GET /object-storage/buckets":                 "buckets list",
		"POST /object-storage/buckets":                "buckets create {place}/{label}",
		"GET /object-storage/buckets/{clusterId}":     "buckets list --cluster {1}",
		"GET " + bucket:                               "buckets get {1}/{2}",
		"DELETE " + bucket:                            "buckets delete {1}/{2} --yes",
		"POST " + bucket + "/access":                  "buckets access {1}/{2} --acl private",
		"PUT " + bucket + "/access":                   "buckets access {1}/{2} --acl private --cors=false",
		"GET " + bucket + "/object-acl":               "objects acl {1}/{2} {name}",
		"PUT " + bucket + "/object-acl":               "objects acl {1}/{2} {name} {acl}",
		"GET " + bucket + "/object-list":              "objects list {1}/{2}",
		"POST " + bucket + "/object-url":              "objects link {1}/{2} {name} --method DELETE",
		"GET " + bucket + "/ssl":                      "certificates get {1}/{2}",
		"POST " + bucket + "/ssl":                     "certificates upload {1}/{2} PAIR",
		"DELETE " + bucket + "/ssl":                   "certificates delete {1}/{2} --yes",
		"POST /object-storage/cancel":                 "storage cancel --yes=account",
		"GET /object-storage/clusters":                "clusters list",
		"GET /object-storage/keys":                    "keys list",
		"POST /object-storage/keys":                   "keys create {label} --unlimited",
		"GET /object-storage/keys/{keyId}":            "keys get {1}",
		"PUT /object-storage/keys/{keyId}":            "keys rename {1} fresh",
		"DELETE /object-storage/keys/{keyId}":         "keys revoke {1} --yes",
		"GET /object-storage/transfer":                "transfer",
		"GET /managed/contacts":                       "contacts list",
		"GET /managed/contacts/{contactId}":           "contacts get {1}",
		"POST /managed/contacts":                      "contacts create --name fresh --email a@example.org",
		"PUT /managed/contacts/{contactId}":           "contacts update {1} --name fresh",
		"GET /managed/credentials":                    "credentials list",
		"GET /managed/credentials/{credentialId}":     "credentials get {1}",
		"GET /managed/credentials/sshkey":             "ssh key",
		"GET /managed/issues":                         "issues list",
		"GET /managed/issues/{issueId}":               "issues get {1}",
		"GET /managed/instance-settings":              "ssh list",
		"GET /managed/instance-settings/{instanceId}": "ssh get {1}",
		"PUT /managed/instance-settings/{instanceId}": "ssh set {1} --port 99",
		"GET /managed/services":                       "services list",
		"GET /managed/services/{serviceId}":           "services get {1}",
		"PUT /managed/services/{serviceId}":           "services update {1} --label fresh",
		"POST /managed/services/{serviceId}/disable":  "services disable {1}",
	}
}

// sentMembers are the members that the commands change, and what they send. The recordings were made with other values.
func sentMembers() map[string]map[string]any {
	return map[string]map[string]any{
		"PUT /object-storage/keys/{keyId}":            {"label": "fresh"},
		"PUT /managed/contacts/{contactId}":           {"name": "fresh"},
		"PUT /managed/instance-settings/{instanceId}": {"ssh": map[string]any{"port": 99}},
		"PUT /managed/services/{serviceId}":           {"label": "fresh"},
		"POST /managed/services/{serviceId}/disable":  {"status": "disabled"},
	}
}

// withSentMembers returns a recording whose answer has what the command sends: with other values, the outcome would be
// unknown. All else is as it was recorded.
func withSentMembers(t *testing.T, x *faulttest.RecordedExchange) *faulttest.RecordedExchange {
	t.Helper()
	sent := sentMembers()[x.Operation()]
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

// commandFor returns the command line for a recording, and nil if its operation is not one of the document's.
func commandFor(t *testing.T, x *faulttest.RecordedExchange) []string {
	line, known := recordedCommands()[x.Operation()]
	if !known {
		return nil
	}
	var values map[string]any
	if json.Unmarshal(x.RequestBody, &values) != nil || values == nil {
		values = map[string]any{}
	}
	for name, value := range x.Query {
		values[name] = value
	}
	for i, value := range x.Segments() {
		values[fmt.Sprint(i+1)] = value
	}
	values["place"] = values["cluster"]
	if values["place"] == nil {
		values["place"] = values["region"]
	}
	for name, value := range values {
		line = strings.ReplaceAll(line, "{"+name+"}", fmt.Sprint(value))
	}
	if strings.Contains(line, "PAIR") {
		dir := testenv.WriteCertificate(t, x.Segments()[1])
		line = strings.ReplaceAll(line, "PAIR", filepath.Join(dir, "cert.pem")+" "+filepath.Join(dir, "key.pem"))
	}
	return append(strings.Fields(line), "-o", "json")
}

// Every recorded answer of the document's operations is printed as JSON with all its members and no others.
func TestRecordings_printedFieldByField(t *testing.T) {
	t.Parallel()
	all := faulttest.Recordings(t, "shared/api/recorded/object-storage")
	for _, x := range faulttest.Recordings(t, "shared/api/examples") { // of the document; Managed was never recorded
		if strings.HasPrefix(x.Template, "/managed/") {
			x.Template = strings.NewReplacer(
				"linode-settings", "instance-settings", "{linodeId}", "{instanceId}",
			).Replace(x.Template)
			x.Path = strings.ReplaceAll(x.Path, "linode-settings", "instance-settings")
			all = append(all, x)
		}
	}
	printed := map[string]int{}
	for _, set := range [][]*faulttest.RecordedExchange{faulttest.OwnRecordings(t, "/"), all} {
		for _, x := range set {
			if line := commandFor(t, x); line != nil {
				printed[x.Operation()]++
				t.Run(x.Name, func(t *testing.T) { checkReplayed(t, line, withSentMembers(t, x), set) })
			}
		}
	}
	for op := range recordedCommands() {
		if printed[op] == 0 {
			t.Errorf("no recording of %s was printed", op)
		}
	}
}

// checkReplayed runs a command line on a recording, and on others of its set for what else is read.
func checkReplayed(t *testing.T, line []string, x *faulttest.RecordedExchange, set []*faulttest.RecordedExchange) {
	t.Helper()
	r := newTestEnv(t, emulator.Options{Service: emulator.ServiceNow})
	replay := &faulttest.ReplayServer{First: x, Others: set, Next: r.API}
	if last := path.Base(x.Template); x.Method == http.MethodPost && last != "access" && last != "disable" {
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
