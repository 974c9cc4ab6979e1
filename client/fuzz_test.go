package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"lookout/client/faulttest"
)

// bodies returns seeds: valid answers, and valid answers with damage.
var bodies = []string{
	`{"data":[{"id":1,"label":"x"}],"page":1,"pages":1,"results":1}`,
	`{"data":null}`,
	`{"DATA":[]}`,
	`{"data":[],"data":[]}`,
	`[]`,
	`null`,
	``,
	`{}`,
	`{"id":1,"label":"x","status":"ok","updated":"2026-01-02T03:04:05"}`,
	`{"id":"x","label":1,"phone":{"primary":null},"ssh":{"access":true,"port":1e99}}`,
	`{"data":{"cpu":[{"x":1521483600000,"y":2},{"x":1,"true":null}]}}`,
	`{"data":["Graphs are not yet available."]}`,
	`{"data":[{"name":"a","size":1e30}],"is_truncated":true,"next_marker":"a"}`,
	`{"errors":[{"reason":"bad","field":"label"},7,null]}`,
	`{"secret_key":"[REDACTED]","bucket_access":[{"cluster":1}]}`,
	"{\"id\":1,\"label\":\"\xff\\ud800\\u0000\"}",
	`{"url":"https://x/?Signature=y","exists":null}`,
	`{"used":1}`,
	`{"ssl":null}`,
	strings.Repeat(`[`, 10_001),
	strings.Repeat(`{"a":`, 10_001),
}

// responseTypes returns a value of each type that answers are decoded into.
func responseTypes() []any {
	return []any{
		&Page[*Contact]{},
		&Page[*Credential]{},
		&Page[*Issue]{},
		&Page[*Instance]{},
		&Page[*Service]{},
		&Page[*Bucket]{},
		&Page[*Cluster]{},
		&Page[*AccessKey]{},
		&ObjectPage{},
		&ManagedStats{},
		&Contact{},
		&Credential{},
		&Issue{},
		&Instance{},
		&Service{},
		&Bucket{},
		&Cluster{},
		&AccessKey{},
		&ObjectACL{},
		&SSHKey{},
		&PresignedURL{},
		&TransferUsage{},
		&CertificateStatus{},
		&Ticket{},
		&noContent{},
	}
}

// No answer makes a decoder panic, whatever the type. An answer that is accepted is an object, an accepted list has
// data, and their values can be shown and sent back.
func FuzzAnswers(f *testing.F) {
	faulttest.ReportCase(f, "J2", "FuzzAnswers")
	for _, body := range bodies {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, into := range responseTypes() {
			if decode(body, into) != nil {
				continue
			}
			var object map[string]json.RawMessage
			if json.Unmarshal([]byte(strings.TrimPrefix(strings.TrimSpace(string(body)), "\ufeff")), &object) != nil ||
				object == nil {
				t.Errorf("%T passes for %q", into, body)
			}
			if data := reflect.ValueOf(into).Elem().FieldByName("Data"); data.IsValid() &&
				!strings.HasPrefix(strings.TrimSpace(string(object["data"])), "[") {
				t.Errorf("%T has no data: %q", into, body)
			}
			if what := unsafeForTerminal(
				fmt.Sprintf("%v", renderedTexts(reflect.ValueOf(into).Elem(), 0)),
			); what != "" {
				t.Errorf("%T shows %s of %q", into, what, body)
			}
		}
		reasons, what := parseErrorBody(
			&response{status: 400, header: http.Header{"Content-Type": {string(body)}}, body: body}, nil,
		)
		e := &Error{
			Op:      "x",
			Status:  400,
			Reasons: reasons,
			Detail:  what,
			Host:    "h",
		}
		if odd := unsafeForTerminal(e.Error() + e.Short() + e.Advice()); odd != "" || len(e.Error()) > 8000 {
			t.Errorf("an error shows %s of %q", odd, body)
		}
	})
}

// renderedTexts returns all texts of a value as they are displayed.
func renderedTexts(v reflect.Value, depth int) (texts []string) {
	if depth > 4 {
		return nil
	}
	if s, ok := v.Interface().(fmt.Stringer); ok {
		return []string{s.String()}
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				texts = append(texts, renderedTexts(v.Field(i), depth+1)...)
			}
		}
	case reflect.Slice:
		for i := range min(v.Len(), 3) {
			texts = append(texts, renderedTexts(v.Index(i), depth+1)...)
		}
	}
	return texts
}

// Reading a list ends, whatever it says about pages and markers.
func FuzzPaging(f *testing.F) {
	faulttest.ReportCase(f, "J12", "FuzzPaging")
	f.Add([]byte(bodies[0]), []byte(`{"data":[{"id":2}],"page":2,"pages":3}`))
	f.Add(
		[]byte(`{"data":[{"id":1}],"page":1,"pages":1000000000}`),
		[]byte(`{"data":[{"id":1}],"page":1,"pages":1000000000}`),
	)
	f.Add(
		[]byte(`{"data":[{"name":"a"}],"is_truncated":true,"next_marker":"a"}`),
		[]byte(`{"data":[],"is_truncated":true,"next_marker":"a"}`),
	)
	f.Fuzz(func(t *testing.T, first, second []byte) {
		var asked atomic.Int32
		w := faulttest.NewTransport(nil, func(_ http.RoundTripper, r *http.Request) (*http.Response, error) {
			switch n := asked.Add(1); {
			case n == 1:
				return faulttest.Respond(200, string(first))(nil, r)
			case n > 100:
				return nil, errors.New("too many requests")
			}
			return faulttest.Respond(200, string(second))(nil, r)
		})
		c, err := New("https://x/v4", NewSecret("t"), WithTransport(w))
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range c.Services.All(t.Context()) {
			if err != nil {
				break
			}
		}
		if asked.Load() > 2+maxPagesInFlight {
			t.Errorf("%d requests for two answers", asked.Load())
		}
		p, err := c.Objects.List(t.Context(), ObjectQuery{Cluster: "c", Bucket: "b", Marker: "m"})
		if err == nil && (p.NextMarker == "m" || !p.Truncated && p.NextMarker != "") {
			t.Errorf("goes on at %q", p.NextMarker)
		}
	})
}

// No secret is displayed, wherever a server repeats it.
func FuzzRedact(f *testing.F) {
	faulttest.ReportCase(f, "J7", "FuzzRedact")
	const canary = "canary-0f3a9c71e5d2"
	f.Add(400, `{"errors":[{"reason":"`, `"}]}`, "application/json", "")
	f.Add(302, "", "", "", "https://")
	f.Add(200, "<title>", "</title>", "text/html", "")
	f.Add(200, `{"id":1,"label":"`, `"}`, "", "")
	f.Fuzz(func(t *testing.T, status int, before, after, kind, where string) {
		if status < 200 || status > 599 || status == 429 || status >= 500 {
			return
		}
		h := []string{
			"Content-Type",
			kind + canary,
			"Location",
			where + canary,
			"X-OAuth-Scopes",
			before + canary,
			"X-Accepted-OAuth-Scopes",
			canary + after,
			"Retry-After",
			canary,
		}
		c, err := New(
			"https://x/v4", NewSecret(canary),
			WithTransport(faulttest.NewTransport(nil, faulttest.Respond(status, before+canary+after, h...))),
		)
		if err != nil {
			t.Fatal(err)
		}
		row, err := c.Services.Get(t.Context(), 1)
		if row == nil {
			row = &Service{}
		}
		if shown := fmt.Sprintf("%v %+v %#v %s %v", err, err, err, row.Label, c.Scopes()); strings.Contains(
			shown, canary,
		) {
			t.Errorf("%d %q %q: %s", status, before, after, shown)
		}
	})
}

// A key, service or contact that is sent back equals what was received, and Diff of equal values is empty.
func FuzzRequests(f *testing.F) {
	faulttest.ReportCase(f, "J2", "FuzzRequests")
	for _, body := range bodies {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var s Service
		if decode(body, &s) == nil {
			if patch := Diff(s.Request(), s.Request()); len(patch) != 0 {
				t.Errorf("%v of %q", patch, body)
			}
			other := s.Request()
			other.Timeout++
			if patch := Diff(s.Request(), other); len(patch) != 1 {
				t.Errorf("%v of %q", patch, body)
			}
		}
		var k Contact
		if decode(body, &k) == nil && len(Diff(k.Request(), k.Request())) != 0 {
			t.Errorf("an unedited contact changes: %q", body)
		}
	})
}

// A valid base URL is https or this machine, and no error contains a password.
func FuzzBase(f *testing.F) {
	faulttest.ReportCase(f, "J4", "FuzzBase")
	for _, base := range []string{
		"https://api.linode.com/v4", "http://127.0.0.1/v4", "https://u:hunter22@x/v4", "http://localhost.evil/",
		"https://x:y@z:bad", "\x00", "https://[::1",
	} {
		f.Add(base)
	}
	f.Fuzz(func(t *testing.T, base string) {
		u, err := parseBase(base)
		if err == nil && (u.User != nil || u.Host == "" || u.Scheme != "https" && !loopback(u.Hostname())) {
			t.Errorf("%q passes", base)
		}
		rest := strings.ReplaceAll(base, ":hunter22@", "")
		leaks := err != nil && strings.Contains(err.Error(), "hunter22") && !strings.Contains(rest, "hunter22")
		if leaks || err != nil && unsafeForTerminal(err.Error()) != "" {
			t.Errorf("%q: %v", base, err)
		}
	})
}

// Whatever the text of a segment, the request goes to the intended path.
func FuzzPlaces(f *testing.F) {
	faulttest.ReportCase(f, "J4", "FuzzPlaces")
	for _, s := range []string{"us-east-1", "..", ".", "a/b", "%2e%2e", "a?b", "\n", "..;", "@x", ":80"} {
		f.Add(s, "b")
		f.Add("c", s)
	}
	f.Fuzz(func(t *testing.T, cluster, bucket string) {
		var got *url.URL
		sent := errors.New("sent")
		w := faulttest.NewTransport(nil, func(_ http.RoundTripper, r *http.Request) (*http.Response, error) {
			got = r.URL
			return nil, sent
		})
		c, err := New("https://x/v4", NewSecret("t"), WithTransport(w))
		if err != nil {
			t.Fatal(err)
		}
		_ = Confirmed(c, OpDeleteBucket, cluster, bucket).DeleteBucket(context.Background(), cluster, bucket)
		if got == nil {
			return
		}
		parts := strings.Split(got.EscapedPath(), "/")
		if got.Host != "x" || got.RawQuery != "" || len(parts) != 6 ||
			strings.Join(parts[:4], "/") != "/v4/object-storage/buckets" ||
			parts[4] == ".." ||
			parts[5] == ".." ||
			parts[4] == "." ||
			parts[5] == "." {
			t.Errorf("%q and %q go to %s", cluster, bucket, got)
		}
	})
}

// Any bytes as a timestamp or a text are kept or refused, without a panic.
func FuzzCells(f *testing.F) {
	faulttest.ReportCase(f, "J2", "FuzzCells")
	for _, s := range []string{
		`"2018-01-01T00:01:01"`, `"x"`, `"\ud83d\ude00"`, `"\u12`, `null`, `1e400`, `"\`, "\"\xff\\n\"",
		`{"x":1e300,"y":-1}`, `{"x":"1"}`, `"" `,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var at Timestamp
		_ = at.UnmarshalJSON(data)
		for _, p := range parseSeries([]byte("[" + string(data) + "]")) {
			if math.IsInf(p.Value, 0) {
				t.Errorf("%q is a point of %v", data, p.Value)
			}
		}
		var s Secret
		_ = s.UnmarshalJSON(data)
		var text ServerText
		if !json.Valid(data) || text.UnmarshalJSON(data) != nil || text.raw == "" {
			return
		}
		var plain string
		if json.Unmarshal(data, &plain) == nil && strings.ToValidUTF8(text.raw, "") == text.raw && plain != text.raw &&
			!strings.Contains(plain, "\ufffd") {
			t.Errorf("%q is read as %q, not %q", data, text.raw, plain)
		}
	})
}

// The scanner finds the same parts of objects and lists as encoding/json, and none in anything else. No text makes it
// panic.
func FuzzParts(f *testing.F) {
	faulttest.ReportCase(f, "J2", "FuzzParts")
	for _, body := range append(bodies, ` { "a" : [ { "]" : "\\" } , "}" ] , "\u0061" : -1.5e3 , "b" : { } , "c" : `+
		`null , "a\"" : "\"," } `, `[ 1 , "a,b" , [ ] , {} ]`, `{"a":1`, `{"a"`, `[,]`, `["\`, `{"a":}`) {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got := map[string][]byte{}
		objectErr := readMembers(body, got)
		var list [][]byte
		listErr := eachElement(body, func(value []byte) error { list = append(list, value); return nil })
		if !json.Valid(body) || !utf8.Valid(body) {
			return
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal(body, &object); (err == nil && object != nil) != (objectErr == nil) ||
			err == nil && len(object) != len(got) {
			t.Fatalf("%q: %v beside %v, %d members beside %d", body, objectErr, err, len(got), len(object))
		}
		for name, value := range object {
			if string(got[name]) != string(value) {
				t.Errorf("%q: %q is %q, not %q", body, name, got[name], value)
			}
		}
		var elements []json.RawMessage
		if err := json.Unmarshal(body, &elements); (err == nil && elements != nil) != (listErr == nil) ||
			err == nil && len(elements) != len(list) {
			t.Fatalf("%q: %v beside %v, %d elements beside %d", body, listErr, err, len(list), len(elements))
		}
		for n, value := range elements {
			if string(list[n]) != string(value) {
				t.Errorf("%q: element %d is %q, not %q", body, n, list[n], value)
			}
		}
	})
}
