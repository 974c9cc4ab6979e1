package secondopinion

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os/exec"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/linode/linodego"
)

// A session is one emulated account and the client that uses it.
type session struct {
	service string // as --service says
	address string
	place   string // names the first cluster in paths
	client  linodego.Client
	urls    []string // of the requests since the last check
	answers [][]byte // to them
	seen    map[expectedDifference]bool
}

// startSession starts "lookout emulate" until the test ends.
func startSession(t *testing.T, program, service string) *session {
	t.Helper()
	c := exec.CommandContext(t.Context(), program, "emulate", "--listen", "127.0.0.1:0", "--service", service)
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Wait() }) // the context, which ends first, kills the process
	line, _ := bufio.NewReader(out).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSuffix(line, "/v4\n"), "listening on ")
	if !ok {
		t.Fatalf("lookout emulate wrote %q", line)
	}
	s := &session{service: service, address: address, place: "us-east-1"}
	if service == "now" {
		s.place = "us-east"
	}
	s.client = s.newClient("demo")
	return s
}

func (s *session) newClient(token string) linodego.Client {
	c := linodego.NewClient(&http.Client{Transport: s})
	c.SetBaseURL(s.address).SetAPIVersion("v4").SetToken(token)
	return c
}

// RoundTrip sends a request and keeps the answer. For listings of objects, linodego writes the names of the query as
// those of its fields (Marker, PageSize), which the API ignores, so they are written here as the API has them.
func (s *session) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/object-list") {
		r = r.Clone(r.Context())
		query := url.Values{}
		for name, values := range r.URL.Query() {
			query[strings.ToLower(strings.Replace(name, "PageSize", "page_size", 1))] = values
		}
		r.URL.RawQuery = query.Encode()
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(res.Body)
	res.Body.Close()
	res.Body = io.NopCloser(bytes.NewReader(body))
	s.urls, s.answers = append(s.urls, r.URL.RequestURI()), append(s.answers, body)
	return res, err
}

// check compares what linodego decoded with the answers since the last check, and returns the URLs of their requests.
func (s *session) check(t *testing.T, kind string, decoded any, err error) (urls []string) {
	t.Helper()
	answers := s.answers
	urls, s.urls, s.answers = s.urls, nil, nil
	if err != nil || len(answers) == 0 {
		t.Fatalf("%s: %v, %d answers", kind, err, len(answers))
	}
	var answer any
	var rows []any
	for _, data := range answers {
		if answer, err = decode(data); err != nil {
			t.Fatal(err)
		}
		page, _ := answer.(map[string]any)
		if _, list := page["pages"]; list {
			rows = append(rows, page["data"].([]any)...)
			answer = rows
		}
	}
	value, err := members(decoded)
	if err == nil {
		err = compare(kind, answer, value, func(difference string) { s.report(t, difference) })
	}
	if err != nil {
		t.Error(err)
	}
	return urls
}

// report fails the test because of a difference that is not expected.
func (s *session) report(t *testing.T, difference string) {
	t.Helper()
	for _, e := range expectedDifferences {
		same, err := path.Match(e.pattern, difference)
		if err == nil && same && (e.service == "" || e.service == s.service) {
			s.seen[e] = true
			return
		}
	}
	t.Error(difference)
}

// checkError checks that linodego decoded an error answer with a status, whose first error is about a field.
func (s *session) checkError(t *testing.T, status int, field string, err error) {
	t.Helper()
	var decoded *linodego.Error
	if !errors.As(err, &decoded) || decoded.Code != status {
		t.Fatalf("%v instead of status %d", err, status)
	}
	var answer linodego.APIError
	d := json.NewDecoder(bytes.NewReader(s.answers[len(s.answers)-1]))
	d.DisallowUnknownFields()
	s.urls, s.answers = nil, nil
	if err := d.Decode(&answer); err != nil || len(answer.Errors) == 0 || answer.Errors[0].Reason == "" {
		t.Fatalf("%v, %+v", err, answer)
	}
	if answer.Errors[0].Field != field || decoded.Message != answer.Error() {
		t.Errorf("%q instead of an error of %q", decoded.Message, field)
	}
}

// compare compares an answer with what linodego decoded from it. It calls report for each member that only one of them
// has, and returns an error for a member with two values.
func compare(at string, answer, decoded any, report func(string)) error {
	switch answer := answer.(type) {
	case map[string]any:
		other, _ := decoded.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(other)) {
			if _, there := answer[name]; !there {
				report(at + "." + name + " is missing")
			}
		}
		for _, name := range slices.Sorted(maps.Keys(answer)) {
			value, known := other[name]
			if !known {
				report(at + "." + name + " is unknown to linodego")
			} else if err := compare(at+"."+name, answer[name], value, report); err != nil {
				return err
			}
		}
		return nil
	case []any:
		other, _ := decoded.([]any)
		if len(answer) != len(other) {
			return fmt.Errorf("%s: the answer has %d values, linodego %d", at, len(answer), len(other))
		}
		for i := range answer {
			if err := compare(at, answer[i], other[i], report); err != nil {
				return err
			}
		}
		return nil
	case nil:
		if slices.Contains([]any{"", json.Number("0"), false}, decoded) {
			report(at + " is null")
			return nil
		}
	}
	if !reflect.DeepEqual(answer, decoded) && !sameTime(answer, decoded) {
		return fmt.Errorf("%s: the answer has %v, linodego %v", at, answer, decoded)
	}
	return nil
}

// sameTime reports whether two values are one time, written in two ways.
func sameTime(a, b any) bool {
	x, errX := time.Parse(time.RFC3339, fmt.Sprint(a))
	y, errY := time.Parse(time.RFC3339, fmt.Sprint(b))
	return errX == nil && errY == nil && x.Equal(y)
}

// members returns a value of linodego as JSON would be decoded. It adds the times that linodego decodes but does not
// encode.
func members(value any) (any, error) {
	v := reflect.Indirect(reflect.ValueOf(value))
	if v.Kind() == reflect.Slice {
		all := []any{}
		for i := range v.Len() {
			one, err := members(v.Index(i).Interface())
			if err != nil {
				return nil, err
			}
			all = append(all, one)
		}
		return all, nil
	}
	data, err := json.Marshal(v.Interface())
	if err != nil {
		return nil, err
	}
	decoded, err := decode(data)
	object, _ := decoded.(map[string]any)
	for i := 0; object != nil && i < v.NumField(); i++ {
		field := v.Type().Field(i)
		if at, ok := v.Field(i).Interface().(*time.Time); ok && at != nil && field.Tag.Get("json") == "-" {
			object[strings.ToLower(field.Name)] = at.Format("2006-01-02T15:04:05")
		}
	}
	return decoded, err
}

// decode decodes JSON and keeps numbers as they are written.
func decode(data []byte) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	err = d.Decode(&value)
	return value, err
}
