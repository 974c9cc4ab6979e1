package views_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"lookout/client/certtest"
	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/ui/shell"
)

// recordedRow is an object of a recorded answer.
type recordedRow = map[string]any

// shownRecording says how a pane shows the answer to an operation.
type shownRecording struct {
	keys  string                          // typed with spaces between them; <wait> waits
	rows  func(*harness, recordedRow)     // compares the details of every row; nil if there are none
	texts func(body recordedRow) []string // must be on the screen
}

// recordedPanes are the panes for the recorded operations of the document. DIR holds a certificate.
func recordedPanes() map[string]shownRecording {
	const bucket = "/object-storage/buckets/{clusterId}/{bucket}"
	text := func(texts ...string) func(recordedRow) []string {
		return func(recordedRow) []string { return texts }
	}
	return map[string]shownRecording{
		"GET /object-storage/buckets":             {"8", compareRows(bucketLines), nil},
		"GET /object-storage/buckets/{clusterId}": {"8", compareRows(bucketLines), nil},
		"GET " + bucket:                           {"8 i", compareDetail(bucketLines), nil},
		"GET " + bucket + "/object-list":          {"8 / acme-www <enter> <enter>", compareRows(objectLines), nil},
		"GET " + bucket + "/object-acl": {
			"8 / acme-www <enter> <enter> / index <enter> <enter> x", nil,
			func(body recordedRow) []string { return []string{body["acl"].(string)} },
		},
		"GET " + bucket + "/ssl":           {"8 c", nil, text("a certificate is set")},
		"GET /object-storage/clusters":     {"0", compareRows(clusterLines), nil},
		"GET /object-storage/keys":         {"9", compareRows(keyLines), nil},
		"GET /object-storage/keys/{keyId}": {"9 <enter>", compareDetail(keyLines), nil},
		"GET /object-storage/transfer": {
			"0", nil, func(body recordedRow) []string {
				return []string{"transfer " + humanize.Bytes(uint64(body["used"].(float64))) + " of"}
			},
		},
		"POST " + bucket + "/object-url": {
			"8 / acme-www <enter> <enter> / index <enter> L <ctrl+s>", nil,
			func(body recordedRow) []string { return []string{body["url"].(string)} },
		},
	}
}

// replayed runs the program on a recording, and on the emulated account for everything else.
func replayed(t *testing.T, x *faulttest.RecordedExchange, apply bool, test func(*harness, recordedRow)) {
	replay := &faulttest.ReplayServer{First: x, Apply: apply}
	o := programOptions{size: screenSize{300, 60}, transport: func(next http.RoundTripper) http.RoundTripper {
		replay.Next = next
		return replay
	}}
	o.emulator.Service = emulator.ServiceNow
	if strings.HasSuffix(x.Template, "/buckets") || strings.HasSuffix(x.Template, "/{clusterId}") {
		o.emulator.Seed = "empty" // because the program merges several lists
	}
	if strings.HasSuffix(x.Template, "/{clusterId}") { // read only if the list of all buckets fails
		o.configure = func(r *harness, _ *shell.Options) {
			r.emu.InjectFault("GET /object-storage/buckets", emulator.Fault{Status: http.StatusBadRequest})
		}
	}
	runProgram(t, o, func(r *harness) {
		var body recordedRow
		if err := json.Unmarshal(x.Body, &body); err != nil {
			t.Fatal(err)
		}
		test(r, body)
		if !replay.Used.Load() {
			t.Errorf("nobody asked for the recording\n%s", r.screen())
		}
	})
}

func (r *harness) pressFlow(flow string) {
	r.Helper()
	for _, key := range strings.Fields(flow) {
		if key == "<wait>" {
			r.wait(11 * time.Second)
			continue
		}
		r.press(key)
	}
}

// recordings returns the project's own recordings of Object Storage, and those beside the project.
func recordings(t *testing.T) []*faulttest.RecordedExchange {
	t.Helper()
	return append(
		faulttest.OwnRecordings(t, "/object-storage/"),
		faulttest.Recordings(t, "shared/api/recorded/object-storage")...,
	)
}

// Every recorded answer to a reading of the document's operations is shown with all its members and no others.
func TestRecordings_shownFieldByField(t *testing.T) {
	t.Parallel()
	shown := map[string]int{}
	for _, x := range recordings(t) {
		c, ok := recordedPanes()[x.Operation()]
		if !ok {
			continue
		}
		shown[x.Operation()]++
		t.Run(x.Name, func(t *testing.T) {
			replayed(t, x, false, func(r *harness, body recordedRow) {
				r.pressFlow(c.keys)
				r.requireNoText("REDACTED", "null", "<nil>", "%!")
				switch {
				case x.Status >= http.StatusBadRequest:
					r.requireText(body["errors"].([]any)[0].(recordedRow)["reason"].(string))
				case c.rows != nil:
					c.rows(r, body)
				default:
					r.requireText(c.texts(body)...)
				}
			})
		})
	}
	for op := range recordedPanes() {
		if shown[op] == 0 {
			t.Errorf("no recording of %s was shown", op)
		}
	}
}

// compareRows compares the details of all rows of a list, one after the other, with the recorded rows.
func compareRows(lines func(recordedRow) []string) func(*harness, recordedRow) {
	return func(r *harness, body recordedRow) {
		r.Helper()
		var got, want []string
		r.press("g")
		for _, row := range body["data"].([]any) {
			want = append(want, squeezed(lines(row.(recordedRow))))
			got = append(got, squeezed(r.detail(true)))
			r.press("<down>")
		}
		if last := squeezed(r.detail(true)); len(got) > 0 && last != got[len(got)-1] {
			r.Errorf("there is one more row:\n%s", last)
		}
		slices.Sort(got)
		slices.Sort(want)
		for i := range want {
			if got[i] != want[i] {
				r.Errorf("the details are\n%s\nwant\n%s", got[i], want[i])
			}
		}
	}
}

// compareDetail compares the details that fill the screen with a recorded row.
func compareDetail(lines func(recordedRow) []string) func(*harness, recordedRow) {
	return func(r *harness, body recordedRow) {
		r.Helper()
		got, want := squeezed(r.detail(false)), squeezed(lines(body))
		if got != want {
			r.Errorf("the details are\n%s\nwant\n%s", got, want)
		}
	}
}

// detail returns the lines about a row, at the right of its list or on the whole screen, up to the rows of other lists.
func (r *harness) detail(beside bool) (lines []string) {
	borders := strings.NewReplacer("─", "", "│", "", "╭", "", "╮", "", "╰", "", "╯", "")
	for _, line := range r.paneLines() {
		if beside {
			if around := strings.IndexAny(line, "╭│╰"); around == 1 { // the column with the folder around it
				line = line[around+len("│"):]
				line = line[max(0, strings.IndexAny(line, "╮│╯"))+len("│"):]
			}
			line = line[max(0, strings.IndexAny(line, "╭│╰")):]
			if first, width := utf8.DecodeRuneInString(line); strings.ContainsRune("╭│╰", first) {
				line = line[width:]
				line = line[:max(0, strings.IndexAny(line, "╮│╯"))] // what follows are the boxes of the third column
			}
		}
		switch line = strings.Join(strings.Fields(borders.Replace(line)), " "); {
		case line == "keys that reach it", line == "buckets", line == "content":
			return lines
		case line != "":
			lines = append(lines, line)
		}
	}
	return lines
}

// squeezed joins the lines of a detail without blanks: long names wrap. The border names the kind of the row if its
// name is too long for it.
func squeezed(lines []string) string {
	return strings.TrimPrefix(strings.ReplaceAll(strings.Join(lines, ""), " ", ""), "objects")
}

// bucketLines returns what is to be shown about a bucket.
func bucketLines(b recordedRow) []string {
	lines := []string{b["label"].(string), "cluster " + orText(b["cluster"], "none")}
	for _, member := range []struct{ title, name string }{
		{"region", "region"}, {"endpoint", "endpoint_type"}, {"S3 host", "s3_endpoint"},
	} {
		if value, ok := b[member.name].(string); ok {
			lines = append(lines, member.title+" "+value)
		}
	}
	size := "unknown"
	if n, ok := b["size"].(float64); ok {
		size = humanize.IBytes(uint64(n))
	}
	created, _, _ := strings.Cut(b["created"].(string), "T")
	return append(
		lines, "host name "+b["hostname"].(string), "created "+created, "objects "+orText(b["objects"], "unknown"),
		"size "+size,
	)
}

// orText returns a value as text, or another text if it is empty or missing.
func orText(value any, absent string) string {
	if value == nil || value == "" {
		return absent
	}
	return fmt.Sprint(value)
}

func clusterLines(c recordedRow) []string {
	state := map[any]string{"available": "● available"}[c["status"]]
	return []string{
		c["id"].(string),
		"state " + orText(state, fmt.Sprint("? ", c["status"])),
		"region " + c["region"].(string),
		"domain " + c["domain"].(string),
		"static site " + c["static_site_domain"].(string),
	}
}

func objectLines(o recordedRow) []string {
	n := int64(o["size"].(float64))
	size := humanize.IBytes(uint64(n))
	if n >= 1024 {
		size += " (" + humanize.Comma(n) + " bytes)"
	}
	modified, err := time.Parse(time.RFC3339, o["last_modified"].(string))
	if err != nil {
		return nil
	}
	return []string{
		o["name"].(string),
		"in acme-www us-east-1",
		"size " + size,
		"modified " + modified.UTC().Format("2006-01-02 15:04:05 UTC"),
		"etag " + o["etag"].(string),
		"owner " + o["owner"].(string),
	}
}

func keyLines(k recordedRow) []string {
	lines := []string{
		k["label"].(string),
		fmt.Sprintf("id %.0f", k["id"]),
		"access key " + k["access_key"].(string),
		"secret key shown once, when the key was created",
	}
	if regions, ok := k["regions"].([]any); ok {
		lines = append(lines, "works in")
		for _, region := range regions {
			region := region.(recordedRow)
			line := fmt.Sprint(region["id"], " ", region["s3_endpoint"])
			lines = append(lines, strings.TrimSpace(line+" "+orText(region["endpoint_type"], "")))
		}
	}
	grants, _ := k["bucket_access"].([]any)
	switch {
	case k["limited"] == false:
		return append(lines, "reaches", "everything")
	case len(grants) == 0:
		return append(lines, "reaches", "nothing")
	}
	headings := map[any]string{"read_only": "reaches (read only)", "read_write": "reaches (read and write)"}
	for _, first := range grants {
		permissions := first.(recordedRow)["permissions"]
		heading := headings[permissions]
		delete(headings, permissions)
		for _, grant := range grants {
			if grant := grant.(recordedRow); heading != "" && grant["permissions"] == permissions {
				place := orText(grant["cluster"], orText(grant["region"], ""))
				lines = append(lines, heading, fmt.Sprint(grant["bucket_name"], " in ", place))
				heading = " "
			}
		}
	}
	return lines
}

// Every recorded answer to a change is shown: what was created with all its members, what was refused with its reason.
func TestRecordings_changesAreShown(t *testing.T) {
	t.Parallel()
	const bucket = "/object-storage/buckets/{clusterId}/{bucket}"
	certificate, key := certtest.New("cdn.acme.net").Write(t)
	upload := "8 / cdn.acme <enter> c U " + certificate + " <tab> " + key + " <ctrl+s>"
	type shownChange struct {
		keys, message string
		then          string                     // leads to what was created or changed
		lines         func(recordedRow) []string // what is then shown about it
	}
	cases := map[string]shownChange{
		"POST /object-storage/buckets": {"8 n fresh <ctrl+s>", "created", "/ LABEL <enter>", bucketLines},
		"DELETE " + bucket: {
			keys: "8 / scratch <enter> D <wait> scratch <enter>", message: "scratch: deleted",
		},
		"POST " + bucket + "/access": {
			keys: "8 / cdn.acme <enter> x <right> <ctrl+s> <wait> cdn.acme.net <enter>", message: "access is now",
		},
		"PUT " + bucket + "/access": {
			keys:    "8 / cdn.acme <enter> x <right> <tab> <right> <ctrl+s> <wait> cdn.acme.net <enter>",
			message: "access is now",
		},
		"PUT " + bucket + "/object-acl": {
			keys:    "8 / acme-www <enter> <enter> / index <enter> c <right> <ctrl+s> <wait> y",
			message: "access is now",
		},
		"POST " + bucket + "/ssl": {keys: upload, message: "a certificate is set"},
		"DELETE " + bucket + "/ssl": {
			keys: upload + " <wait> D <wait> cdn.acme.net <enter>", message: "none is set",
		},
		"POST /object-storage/cancel": {
			keys:    "8 : cancel <enter> <wait> acme-prod <enter>",
			message: "Object Storage is not enabled on your account",
		},
		"POST /object-storage/keys": {
			"9 n fresh <ctrl+s> <wait> y", "LABEL", "<esc> kept <enter> / LABEL <enter>", keyLines,
		},
		"PUT /object-storage/keys/{keyId}": {"9 / finance <enter> e -2 <ctrl+s>", "saved", "/ LABEL <enter>", keyLines},
		"DELETE /object-storage/keys/{keyId}": {
			keys: "9 / finance <enter> D <wait> finance <enter>", message: "finance: revoked",
		},
	}
	shown := map[string]int{}
	for _, x := range recordings(t) {
		c, ok := cases[x.Operation()]
		if !ok {
			continue
		}
		shown[x.Operation()]++
		t.Run(x.Name, func(t *testing.T) {
			replayed(t, x, true, func(r *harness, body recordedRow) {
				label, _ := body["label"].(string)
				r.pressFlow(c.keys)
				r.wait(time.Second)
				r.requireText(strings.ReplaceAll(c.message, "LABEL", label))
				if c.lines == nil {
					return
				}
				if secret, ok := body["secret_key"].(string); ok && x.Method == http.MethodPost {
					r.press("r")
					r.requireText("secret key    " + secret)
				}
				r.pressFlow(strings.ReplaceAll(c.then, "LABEL", label))
				got, want := squeezed(r.detail(true)), squeezed(c.lines(body))
				if got != want {
					r.Errorf("the details are\n%s\nwant\n%s\n%s", got, want, r.screen())
				}
			})
		})
	}
	for op := range cases {
		if shown[op] == 0 {
			t.Errorf("no recording of %s was shown", op)
		}
	}
}
