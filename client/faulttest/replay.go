package faulttest

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// A RecordedExchange is a request that was sent to the real service, with its answer.
type RecordedExchange struct {
	Name        string
	Method      string
	Path        string
	Template    string `json:"path_template"` // the path with {names}
	Query       map[string]string
	RequestBody json.RawMessage `json:"request_body"`
	Status      int
	Headers     map[string]any  `json:"response_headers"`
	Body        json.RawMessage `json:"response_body"` // JSON, or a JSON string with a page
}

// ownRecordings are answers written by hand, in every shape in which the real service was seen to send them.
//
//go:embed testdata/recordings.json
var ownRecordings []byte

// OwnRecordings returns the recordings of the project: those whose path begins with a prefix.
func OwnRecordings(t *testing.T, prefix string) (all []*RecordedExchange) {
	t.Helper()
	if err := json.Unmarshal(ownRecordings, &all); err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(x *RecordedExchange) bool { return !strings.HasPrefix(x.Path, prefix) })
}

// Recordings returns the recordings in folders that may lie next to the project, as "shared/api/recorded". If there are
// none, it reports a case of row H5 as missing.
func Recordings(t testing.TB, folders ...string) (all []*RecordedExchange) {
	t.Helper()
	for _, folder := range folders {
		names, _ := filepath.Glob(filepath.Join(besideProject(), folder, "*.json"))
		for _, name := range names {
			data, err := os.ReadFile(name)
			x := &RecordedExchange{Name: filepath.Base(name)}
			if err == nil {
				err = json.Unmarshal(data, x)
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			x.Template = strings.TrimSuffix(x.Template, "/")
			all = append(all, x)
		}
		if len(names) == 0 {
			reportMissing(t, "H5", t.Name()+": recordings in "+folder)
		}
	}
	return all
}

// besideProject returns the folder that the project folder is in.
func besideProject() string {
	for up := "."; len(up) < 20; up = filepath.Join(up, "..") {
		if _, err := os.Stat(filepath.Join(up, "go.mod")); err == nil {
			return filepath.Join(up, "..")
		}
	}
	return "."
}

// Operation returns the method and the template: "GET /object-storage/keys/{keyId}".
func (x *RecordedExchange) Operation() string { return x.Method + " " + x.Template }

// Segments returns the values of the names in the template.
func (x *RecordedExchange) Segments() (values []string) {
	path := strings.Split(strings.TrimSuffix(x.Path, "/"), "/")
	for i, name := range strings.Split(x.Template, "/") {
		if strings.HasPrefix(name, "{") && i < len(path) {
			values = append(values, path[i])
		}
	}
	return values
}

// RoundTrip answers with the recording.
func (x *RecordedExchange) RoundTrip(r *http.Request) (*http.Response, error) {
	h := http.Header{}
	for name, v := range x.Headers {
		switch v := v.(type) {
		case string:
			h.Set(name, v)
		case []any:
			for _, one := range v {
				h.Add(name, one.(string))
			}
		}
	}
	h.Del("Content-Length")
	body := []byte(x.Body)
	var text string
	if json.Unmarshal(body, &text) == nil {
		body = []byte(text)
	}
	return &http.Response{
		StatusCode: x.Status,
		Header:     h,
		Body:       io.NopCloser(bytes.NewReader(body)),
		Request:    r,
	}, nil
}

// A ReplayServer is a server that answers with recordings.
type ReplayServer struct {
	First  *RecordedExchange   // answers every request of its operation
	Others []*RecordedExchange // answer other operations, those with the same path before those with the same template
	Next   http.RoundTripper   // answers what was never recorded
	Apply  bool                // requests that First answers also reach Next, whose answers are dropped
	Used   atomic.Bool         // First has answered; requests come side by side
}

// RoundTrip answers with a recording of the operation.
func (p *ReplayServer) RoundTrip(r *http.Request) (*http.Response, error) {
	path := strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/v4"), "/")
	if p.First.Method == r.Method && matchesTemplate(p.First.Template, path) {
		p.Used.Store(true)
		if p.Apply {
			if res, err := p.Next.RoundTrip(r); err == nil {
				_, _ = io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}
		}
		return p.First.RoundTrip(r)
	}
	var found *RecordedExchange
	for _, x := range p.Others {
		if x.Method != r.Method || x.Status != http.StatusOK || !matchesTemplate(x.Template, path) {
			continue
		}
		if found == nil || strings.TrimSuffix(x.Path, "/") == path {
			found = x
		}
	}
	if found != nil {
		return found.RoundTrip(r)
	}
	return p.Next.RoundTrip(r)
}

// ServeHTTP answers as RoundTrip does.
func (p *ReplayServer) ServeHTTP(w http.ResponseWriter, req *http.Request) { serve(p, w, req) }

func matchesTemplate(template, path string) bool {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		if want[i] != got[i] && !strings.HasPrefix(want[i], "{") {
			return false
		}
	}
	return true
}
