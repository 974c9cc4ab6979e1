package client_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/client/objectindex"
	"lookout/client/optest"
)

// readSteps returns the operations that are GETs.
func readSteps(t *testing.T) []operationCall {
	return operationsOf(t, func(op emulator.Route) bool { return op.Method == "GET" })
}

// newFaultClient returns a client whose requests meet faults in turn.
func newFaultClient(t *testing.T, faults ...faulttest.RoundTripFunc) (*client.Client, *faulttest.ScriptedTransport) {
	t.Helper()
	w := faulttest.NewTransport(&lazyEmulator{}, faults...)
	c, err := client.New("https://api.example.test/v4", client.NewSecret(token), client.WithTransport(w))
	if err != nil {
		t.Fatal(err)
	}
	return c, w
}

// A lazyEmulator creates the demo account at the first request.
type lazyEmulator struct {
	once     sync.Once
	emulator *emulator.Emulator
}

func (d *lazyEmulator) RoundTrip(r *http.Request) (*http.Response, error) {
	d.once.Do(func() { d.emulator = emulator.New(emulator.Options{Token: token}) })
	return d.emulator.RoundTrip(r)
}

func requireError(t *testing.T, err error) *client.Error {
	t.Helper()
	var e *client.Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is not an Error", err)
	}
	if e.Unknown() {
		t.Errorf("a read has an unknown outcome: %v", err)
	}
	return e
}

// Network errors are retried while that may help, described in words, and end within the timeout of the call.
func TestClient_read_networkErrors(t *testing.T) {
	t.Parallel()
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	missing := &net.DNSError{Err: "no such host", Name: "api.example.test", IsNotFound: true}
	servfail := &net.DNSError{Err: "server misbehaving", Name: "api.example.test", IsTemporary: true}
	silent := &net.DNSError{Err: "i/o timeout", Name: "api.example.test", IsTimeout: true}
	for _, s := range readSteps(t) {
		for _, f := range []struct {
			row, name, words string
			err              error
			sent             int
		}{
			{"A1", "refused", "refused", refused, 4},
			{"A2", "no such host", "no such host", missing, 1},
			{"A2", "resolver fails", "looked up", servfail, 4},
			{"A2", "resolver silent", "looked up", silent, 4},
			{"A6", "reset before headers", "cut", transport("read"), 4},
		} {
			faulttest.RunCaseInBubble(t, f.row, s.op+", "+f.name, func(t *testing.T) {
				c, w := newFaultClient(t, faulttest.Fail(f.err))
				start := time.Now()
				e := requireError(t, s.call(t.Context(), c))
				if len(w.Requests()) != f.sent || !strings.Contains(e.Error(), f.words) ||
					!strings.Contains(e.Error(), "api.example.test") ||
					!e.Offline() {
					t.Errorf("%d attempts: %v", len(w.Requests()), e)
				}
				if took := time.Since(start); took > 20*time.Second {
					t.Errorf("it took %v to say so", took)
				}
			})
		}
	}
}

// An answer that is cut off anywhere is requested again and never taken as complete.
func TestClient_read_truncatedBody(t *testing.T) {
	t.Parallel()
	for _, s := range readSteps(t) {
		for name, cut := range map[string]faulttest.RoundTripFunc{
			"at byte 0":            faulttest.CutBody(0),
			"at byte 1":            faulttest.CutBody(1),
			"in the middle":        faulttest.CutBodyHalfway(),
			"before the last byte": faulttest.CutBody(-1),
		} {
			faulttest.RunCaseInBubble(t, "A6", s.op+", cut "+name, func(t *testing.T) {
				c, w := newFaultClient(t, cut)
				e := requireError(t, s.call(t.Context(), c))
				if !strings.Contains(e.Error(), "cut") || len(w.Requests()) != 4 {
					t.Errorf("%v after %d requests", e, len(w.Requests()))
				}
			})
		}
		faulttest.RunCaseInBubble(t, "A6", s.op+", cut once", func(t *testing.T) {
			c, w := newFaultClient(t, faulttest.CutBodyHalfway(), faulttest.Pass)
			err := s.call(t.Context(), c)
			if err != nil && !errors.Is(err, client.ErrNotFound) || len(w.Requests()) != 2 {
				t.Errorf("%v after %d requests", err, len(w.Requests()))
			}
		})
	}
}

// newSingleFaultClient returns a client whose requests all meet one fault.
func newSingleFaultClient(t *testing.T, fault faulttest.RoundTripFunc) *client.Client {
	t.Helper()
	c, _ := newFaultClient(t, fault)
	return c
}

// JSON that ends too early is an error, however many rows are complete.
func TestDecode_truncatedJSON(t *testing.T) {
	t.Parallel()
	whole := `{"data":[{"id":1,"label":"a"},{"id":2,"label":"b"}],"page":1,"pages":1,"results":2}`
	for _, s := range readSteps(t) {
		for _, at := range []int{1, 10, len(whole) / 2, len(whole) - 1} {
			faulttest.RunCaseInBubble(t, "A8", fmt.Sprintf("%s, %d bytes", s.op, at), func(t *testing.T) {
				e := requireError(t, s.call(t.Context(), newSingleFaultClient(t, faulttest.Respond(200, whole[:at]))))
				if !strings.Contains(e.Error(), "not an API response") {
					t.Errorf("%v", e)
				}
			})
		}
	}
}

// foreignBodies are bodies with status 200 that do not come from this API.
var foreignBodies = map[string]string{
	"empty":             "",
	"a space":           " ",
	"null":              "null",
	"true":              "true",
	"a number":          "0",
	"a text":            `""`,
	"a list":            "[]",
	"an empty object":   "{}",
	"data null":         `{"data":null}`,
	"data a text":       `{"data":""}`,
	"data of null":      `{"data":[null]}`,
	"data of lists":     `{"data":[[]]}`,
	"data of numbers":   `{"data":[1]}`,
	"DATA":              `{"DATA":[]}`,
	"two data":          `{"data":[],"data":[{"id":1}]}`,
	"a word after":      `{"data":[]} x`,
	"two objects":       `{"data":[]}{"data":[]}`,
	"open list":         `{"data":[`,
	"open object":       `{"data":[{"id":1}`,
	"open text":         `{"data":[{"id":1,"label":"abc`,
	"open escape":       `{"data":[{"id":1,"label":"a\u00`,
	"single quotes":     `{'data':[]}`,
	"no quotes":         `{data:[]}`,
	"a comma too many":  `{"data":[],}`,
	"a comment":         `/*c*/{"data":[]}`,
	"UTF-16":            "\xff\xfe{\x00}\x00",
	"gzip unannounced":  "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03",
	"a page":            `<!DOCTYPE html><html><title>502 Bad` + "\x1b[2J" + ` Gateway</title></html>`,
	"XML":               `<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>`,
	"a sentence":        "upstream connect error",
	"NaN":               "NaN",
	"data NaN":          `{"data":NaN}`,
	"deep objects":      strings.Repeat(`{"a":`, 10001) + "1",
	"deep lists":        strings.Repeat("[", 100_001),
	"control in a text": "{\"data\":[{\"label\":\"\x01\"}]}",
	"errors with 200":   `{"errors":[{"reason":"no"}]}`,
}

func TestClient_read_foreignBody(t *testing.T) {
	t.Parallel()
	for _, s := range readSteps(t) {
		for name, body := range foreignBodies {
			faulttest.RunCaseInBubble(t, "A9", s.op+", "+name, func(t *testing.T) {
				kind := "application/json"
				if strings.HasPrefix(body, "<") {
					kind = "text/html"
				}
				e := requireError(
					t, s.call(t.Context(), newSingleFaultClient(t, faulttest.Respond(200, body, "Content-Type", kind))),
				)
				if words := e.Error(); !strings.Contains(words, "not an API response") ||
					strings.ContainsAny(words, "\x1b\n") ||
					len(words) > 250 {
					t.Errorf("%q", words)
				}
			})
		}
	}
}

// A list without data is an error, not an empty list.
func TestClient_read_listWithoutData(t *testing.T) {
	for _, s := range readSteps(t) {
		if !strings.HasPrefix(s.op, "list ") {
			continue
		}
		for _, body := range []string{
			`{"page":1,"pages":1,"results":0}`, `{"data":null}`, `{"data":[],"data":[]}`, `{"DATA":[]}`, `{"Data":[]}`,
			`{"data":{}}`,
		} {
			faulttest.RunCase(t, "A12", s.op+" "+body, func(t *testing.T) {
				if err := s.call(t.Context(), newSingleFaultClient(t, faulttest.Respond(200, body))); err == nil {
					t.Error("passes as a list")
				}
			})
		}
	}
}

// listWithinMemory calls with an answer that is too much, and bounds the memory that it takes.
func listWithinMemory(t *testing.T, c *client.Client, most uint64) error {
	t.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	_, err := c.Services.List(t.Context(), 1)
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > most {
		t.Errorf("%d MB were allocated", grown>>20)
	}
	if took > time.Minute { // two seconds are allowed; the race detector and a busy machine are slow
		t.Errorf("it took %v", took)
	}
	return err
}

type repeatReader struct{ unit string }

func (e repeatReader) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], e.unit)
	}
	return n, nil
}

func TestClient_read_oversizedBody(t *testing.T) {
	for name, body := range map[string]func() io.Reader{
		"an endless body": func() io.Reader { return repeatReader{" "} },
		"a gigabyte of a list": func() io.Reader {
			return io.MultiReader(strings.NewReader(`{"data":[`), io.LimitReader(repeatReader{"{},"}, 1<<30))
		},
		"a gigabyte of nesting": func() io.Reader { return io.LimitReader(repeatReader{"["}, 1<<30) },
	} {
		faulttest.RunCase(t, "A10", name, func(t *testing.T) {
			if err := listWithinMemory(t, newSingleFaultClient(t, faulttest.RespondStream(body)), 96<<20); err == nil ||
				!strings.Contains(err.Error(), "larger than 12 MB") {
				t.Errorf("%v", err)
			}
		})
	}
	faulttest.RunCase(t, "A10", "gzip of 67 MB", func(t *testing.T) {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = io.CopyN(z, repeatReader{" "}, 1<<20)
		z.Close()
		one := packed.String()
		for range 66 {
			packed.WriteString(one)
		}
		answer := "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Type: application/json\r\n" +
			fmt.Sprintf("Content-Length: %d\r\n\r\n", packed.Len()) + packed.String()
		c := newAddressClient(t, faulttest.Listen(t, faulttest.RespondRaw(answer)))
		if err := listWithinMemory(t, c, 96<<20); err == nil ||
			!strings.Contains(err.Error(), "larger than 12 MB") {
			t.Errorf("%v", err)
		}
	})
	faulttest.RunCase(t, "A10", "headers of 10 MB", func(t *testing.T) {
		page := fmt.Sprintf("Content-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(pageBody())) +
			pageBody()
		for headers, passes := range map[int]bool{10: true, 10_000: false} {
			answer := "HTTP/1.1 200 OK\r\n" + strings.Repeat("X-A: "+strings.Repeat("a", 1000)+"\r\n", headers) + page
			c := newAddressClient(t, faulttest.Listen(t, faulttest.RespondRaw(answer)))
			if err := listWithinMemory(t, c, 96<<20); (err == nil) != passes {
				t.Errorf("%d headers: %v", headers, err)
			}
		}
	})
	faulttest.RunCase(t, "A10", "12 MB to the byte", func(t *testing.T) {
		for size, passes := range map[int]bool{12 << 20: true, 12<<20 + 1: false} {
			body := pageBody()
			body += strings.Repeat(" ", size-len(body))
			c := newSingleFaultClient(t, faulttest.Respond(200, body))
			if _, err := c.Services.List(t.Context(), 1); (err == nil) != passes {
				t.Errorf("%d bytes: %v", size, err)
			}
		}
	})
	faulttest.RunCase(t, "A10", "10,000 empty rows", func(t *testing.T) {
		body := `{"data":[` + strings.Repeat("{},", 9_999) + `{}],"page":1,"pages":1,"results":10000}`
		if err := listWithinMemory(t, newSingleFaultClient(t, faulttest.Respond(200, body)), 32<<20); err != nil {
			t.Errorf("%v", err)
		}
	})
	faulttest.RunCase(t, "A10", "four million empty rows", func(t *testing.T) {
		body := `{"data":[` + strings.Repeat("{},", 3_999_999) + `{}],"page":1,"pages":1,"results":4000000}`
		c := newSingleFaultClient(t, faulttest.Respond(200, body))
		err := listWithinMemory(t, c, 96<<20)
		if err == nil || !strings.Contains(err.Error(), "more than 10,000 rows") {
			t.Errorf("%v", err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = c.Objects.List(t.Context(), client.ObjectQuery{Cluster: "c", Bucket: "b"})
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; err == nil || grown > 96<<20 {
			t.Errorf("objects: %d MB were allocated, %v", grown>>20, err)
		}
	})
	faulttest.RunCase(t, "A10", "200,000 numbers", func(t *testing.T) {
		body := `{"data":[` + strings.Repeat("0,", 199_999) + `0],"page":1,"pages":1,"results":200000}`
		if err := listWithinMemory(t, newSingleFaultClient(t, faulttest.Respond(200, body)), 128<<20); err == nil {
			t.Error("passes")
		}
	})
}

// newAddressClient returns a client of a local listener.
func newAddressClient(t *testing.T, address string, options ...client.Option) *client.Client {
	t.Helper()
	c, err := client.New("http://"+address+"/v4", client.NewSecret(token), options...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// sampleRows holds a valid row of every list.
var sampleRows = map[string]string{
	"list contacts": `{"id":7,"name":"a","email":"e","group":"g","phone":{"primary":"1","secondary":"2"},` +
		`"updated":"2026-01-02T03:04:05"}`,
	"list credentials": `{"id":7,"label":"a","last_decrypted":"2026-01-02T03:04:05"}`,
	"list issues": `{"id":7,"created":"2026-01-02T03:04:05","entity":{"id":1,"label":"l",` +
		`"type":"ticket","url":"/x"},"services":[1]}`,
	"list SSH settings": `{"id":7,"label":"a","group":"g","ssh":{"access":true,"user":"u","ip":"any","port":22}}`,
	"list services": `{"id":7,"label":"a","service_type":"url","address":"x","timeout":5,"body":"b",` +
		`"consultation_group":"g","credentials":[1],"notes":"n","region":"r","status":"ok",` +
		`"created":"2026-01-02T03:04:05","updated":"2026-01-02T03:04:05"}`,
	"list buckets": `{"cluster":"c","created":"2026-01-02T03:04:05","hostname":"h","label":"a",` +
		`"objects":1,"size":2,"region":"r"}`,
	"list buckets in cluster": `{"cluster":"c","created":"2026-01-02T03:04:05","hostname":"h","label":"a",` +
		`"objects":1,"size":2}`,
	"list clusters": `{"id":"c","domain":"d","region":"r","static_site_domain":"s","status":"available"}`,
	"list keys": `{"id":7,"label":"a","access_key":"k","secret_key":"[REDACTED]","limited":true,` +
		`"bucket_access":[{"cluster":"c","bucket_name":"b","permissions":"read_only"}]}`,
	"list objects": `{"name":"a","etag":"e","last_modified":"2026-01-02T03:04:05","owner":"o","size":1}`,
}

// objectJSON asks for a list and gives its rows as JSON, and its odd cells.
func objectJSON(t *testing.T, c *client.Client, op string) (rows string, odd []string, err error) {
	t.Helper()
	x := t.Context()
	var page any
	switch op {
	case "list contacts":
		page, err = asAny(c.Contacts.List(x, 1))
	case "list credentials":
		page, err = asAny(c.Credentials.List(x, 1))
	case "list issues":
		page, err = asAny(c.Issues.List(x, 1))
	case "list SSH settings":
		page, err = asAny(c.Instances.List(x, 1))
	case "list services":
		page, err = asAny(c.Services.List(x, 1))
	case "list buckets":
		page, err = asAny(c.Buckets.List(x, 1))
	case "list buckets in cluster":
		page, err = asAny(c.Buckets.ListInCluster(x, "c", 1))
	case "list clusters":
		page, err = asAny(c.Clusters.List(x, 1))
	case "list keys":
		page, err = asAny(c.Keys.List(x, 1))
	case "list objects":
		page, err = asAny(c.Objects.List(x, client.ObjectQuery{Cluster: "c", Bucket: "b"}))
	default:
		t.Fatalf("no list is called %s", op)
	}
	if err != nil {
		return "", nil, err
	}
	v := reflect.ValueOf(page)
	data, err := json.Marshal(v.FieldByName("Data").Interface())
	return string(data), v.FieldByName("Warnings").Interface().([]string), err
}

func asAny[T any](v T, err error) (any, error) { return v, err }

func pageBody(rows ...string) string {
	return fmt.Sprintf(
		`{"data":[%s],"page":1,"pages":1,"results":%d,"is_truncated":false,"next_marker":null}`,
		strings.Join(rows, ","), len(rows),
	)
}

// A value of a wrong type spoils its own cell only: it is reported, and the other rows are complete.
func TestPage_wrongTypeInEveryField(t *testing.T) {
	t.Parallel()
	values := map[string]string{
		"null":      "null",
		"a text":    `"x"`,
		"a number":  "1.5",
		"a switch":  "true",
		"a list":    `["x"]`,
		"an object": `{"x":1}`,
		"absent":    "",
		"huge":      `"` + strings.Repeat("x", 1<<16) + `"`,
	}
	for op, shape := range sampleRows {
		var members map[string]json.RawMessage
		if err := json.Unmarshal([]byte(shape), &members); err != nil {
			t.Fatal(err)
		}
		good, _, err := objectJSON(t, newSingleFaultClient(t, faulttest.Respond(200, pageBody(shape))), op)
		if err != nil {
			t.Fatalf("%s: %v", op, err)
		}
		for field := range members {
			for name, value := range values {
				faulttest.RunCase(t, "A11", op+", "+field+" "+name, func(t *testing.T) {
					odd := map[string]json.RawMessage{}
					for k, v := range members {
						odd[k] = v
					}
					odd[field] = json.RawMessage(value)
					if value == "" {
						delete(odd, field)
					}
					row, _ := json.Marshal(odd)
					rows, notes, err := objectJSON(
						t, newSingleFaultClient(t, faulttest.Respond(200, pageBody(string(row), shape))), op,
					)
					if err != nil {
						t.Fatalf("the list is lost: %v", err)
					}
					if !strings.HasSuffix(rows, strings.TrimPrefix(good, "[")) {
						t.Errorf("the row beside it suffers: %s", rows)
					}
					if name == "an object" && members[field][0] != '{' &&
						(len(notes) == 0 || !strings.Contains(strings.Join(notes, " "), field)) {
						t.Errorf("%s is not named: %v", field, notes)
					}
					if name == "null" && len(notes) != 0 {
						t.Errorf("null is odd: %v", notes)
					}
				})
			}
		}
	}
}

func TestPage_unknownEnumValues(t *testing.T) {
	for _, value := range []string{"new-state", "OK", "", "\x1b[31mok", "o\u200bk", strings.Repeat("x", 4000)} {
		quoted, _ := json.Marshal(value)
		for field, op := range map[string]string{
			"status":         "list services",
			"service_type":   "list services",
			"permissions":    "list keys",
			"cluster status": "list clusters",
		} {
			faulttest.RunCase(t, "A13", fmt.Sprintf("%s %.20q", field, value), func(t *testing.T) {
				body := map[string]string{
					"status":         `{"id":7,"status":%s}`,
					"service_type":   `{"id":7,"service_type":%s}`,
					"cluster status": `{"id":"c","status":%s}`,
					"permissions":    `{"id":7,"bucket_access":[{"permissions":%s}]}`,
				}[field]
				rows, odd, err := objectJSON(
					t, newSingleFaultClient(t, faulttest.Respond(200, pageBody(fmt.Sprintf(body, quoted)))), op,
				)
				if err != nil || len(odd) != 0 || !strings.Contains(rows, string(quoted)) {
					t.Errorf("%.200s %v %v", rows, odd, err)
				}
			})
		}
		faulttest.RunCase(t, "A13", fmt.Sprintf("acl %.20q", value), func(t *testing.T) {
			got, err := newSingleFaultClient(
				t, faulttest.Respond(200, `{"acl":`+string(quoted)+`,"acl_xml":""}`),
			).Objects.ACL(t.Context(), "c", "b", "n")
			if err != nil || string(got.ACL) != value || strings.ContainsAny(got.ACL.String(), "\x1b\u200b") {
				t.Errorf("%q %v", got.ACL, err)
			}
		})
	}
}

// Members that the document does not have are ignored, before and behind the others, however alike their names are.
func TestPage_unknownMembers(t *testing.T) {
	for op, shape := range sampleRows {
		for name, more := range map[string]string{
			"a member":             `"extra":1,"i":9,"labe":"B","na":"B","service_types":"B","secret_key_id":"B"`,
			"an object":            `"extra":{"id":9,"label":[{}]}`,
			"a member in capitals": `"ID":99,"Label":"B"`,
		} {
			faulttest.RunCase(t, "A14", op+", "+name, func(t *testing.T) {
				good, _, _ := objectJSON(t, newSingleFaultClient(t, faulttest.Respond(200, pageBody(shape))), op)
				end := len(shape) - 1
				for _, row := range []string{"{" + more + "," + shape[1:], shape[:end] + "," + more + "}"} {
					rows, odd, err := objectJSON(t, newSingleFaultClient(t, faulttest.Respond(200, pageBody(row))), op)
					if err != nil || rows != good || len(odd) != 0 {
						t.Errorf("%s, %v, %v", rows, odd, err)
					}
				}
			})
		}
	}
}

func TestTime_UnmarshalJSON(t *testing.T) {
	moment := time.Date(2018, 1, 1, 0, 1, 1, 0, time.UTC)
	for stamp, want := range map[string]time.Time{
		`"2018-01-01T00:01:01"`:       moment,
		`"2018-01-01T00:01:01Z"`:      moment,
		`"2018-01-01T02:01:01+02:00"`: moment,
		`"2018-01-01T00:01:01.000Z"`:  moment,
		`"2018-01-01 00:01:01"`:       moment,
		`"2018-01-01T00:01:01.5"`:     moment.Add(time.Second / 2),
		`"2018-01-01"`:                moment.Truncate(24 * time.Hour),
		`""`:                          {},
		`null`:                        {},
		`"0000-00-00T00:00:00"`:       {},
		`"2016-12-31T23:59:60"`:       {},
		`"10000-01-01T00:00:00"`:      {},
		`"yesterday"`:                 {},
		`"1514764861"`:                {},
		`"2018-13-01T00:00:00"`:       {},
		`"2018-02-30T00:00:00"`:       {},
		`"2018-01-01T25:00:00"`:       {},
		`"\u001b[2J"`:                 {},
		`"-2018-01-01T00:00:00"`:      {},
		`1514764861`:                  {},
		`{}`:                          {},
		`true`:                        {},
	} {
		faulttest.RunCase(t, "A15", stamp, func(t *testing.T) {
			p, err := newSingleFaultClient(
				t, faulttest.Respond(200, pageBody(`{"id":7,"label":"a","created":`+stamp+`}`)),
			).Services.List(t.Context(), 1)
			if err != nil || len(p.Data) != 1 || p.Data[0].Label.Raw() != "a" {
				t.Fatalf("the list is lost: %+v, %v", p, err)
			}
			if got := p.Data[0].Created; !got.Time().Equal(want) || got.Valid() != !want.IsZero() {
				t.Errorf("read as %v", got.Time())
			}
		})
	}
}

// Encoded as JSON, a time has a zone, whether it came with one or not. What is no time stays as it came.
func TestTime_MarshalJSON_hasZone(t *testing.T) {
	for stamp, want := range map[string]string{
		`"2018-01-01T00:01:01"`:         `"2018-01-01T00:01:01Z"`,
		`"2018-01-01T00:01:01Z"`:        `"2018-01-01T00:01:01Z"`,
		`"2018-01-01T02:01:01.5+02:00"`: `"2018-01-01T00:01:01.5Z"`,
		`"2018-01-01T00:01:01.000Z"`:    `"2018-01-01T00:01:01.000Z"`,
		`"2018-01-01 00:01:01"`:         `"2018-01-01T00:01:01Z"`,
		`"2018-01-01"`:                  `"2018-01-01T00:00:00Z"`,
		`"yesterday"`:                   `"yesterday"`,
		`"0000-00-00T00:00:00"`:         `"0000-00-00T00:00:00"`,
		`""`:                            `null`,
	} {
		var at client.Timestamp
		if err := json.Unmarshal([]byte(stamp), &at); err != nil {
			t.Fatal(err)
		}
		if got, err := json.Marshal(at); string(got) != want || err != nil {
			t.Errorf("%s becomes %s, %v; want %s", stamp, got, err, want)
		}
	}
}

func TestStats_malformed(t *testing.T) {
	gap := math.NaN()
	for body, want := range map[string][]float64{
		`{"data":{"cpu":[],"disk":[]}}`:                      {},
		`{"data":{}}`:                                        {},
		`{"data":{"cpu":null}}`:                              {},
		`{"data":{"cpu":"x"}}`:                               {},
		`{"data":{"cpu":[{"x":1521483600000,"y":0.42}]}}`:    {0.42},
		`{"data":{"cpu":[{"x":1521483600000,"true":0.42}]}}`: {0.42},
		`{"data":{"cpu":[{"x":1521483600000,` +
			`"other":0.42}]}}`: {0.42},
		`{"data":{"cpu":[{"x":1521483600000}]}}`:                                                           {gap},
		`{"data":{"cpu":[{"x":1521483600000,"y":null}]}}`:                                                  {gap},
		`{"data":{"cpu":[{"x":1521483600,"y":1}]}}`:                                                        {1},
		`{"data":{"cpu":[{"x":1.5214836e12,"y":1}]}}`:                                                      {1},
		`{"data":{"cpu":[{"x":1521483700000,"y":2},{"x":1521483600000,"y":1},{"x":1521483700000,"y":3}]}}`: {1, 2, 3},
		`{"data":{"cpu":[{"x":1521483600000,"y":"1"}]}}`:                                                   {gap},
		`{"data":{"cpu":[[1521483600000,0.4]]}}`:                                                           {},
		`{"data":{"cpu":[{"y":4}]}}`:                                                                       {},
		`{"data":{"cpu":[{"x":-1,` +
			`"y":0},{"x":9223372036854775807,"y":0}]}}`: {},
		`{"data":{"cpu":[{"x":1521483600000,"y":-5},{"x":1521483700000,"y":1e308},{"x":1521483800000,"y":1e999}]}}`: {
			-5,
			1e308,
			gap,
		},
	} {
		faulttest.RunCase(t, "A16", body, func(t *testing.T) {
			s, err := newSingleFaultClient(t, faulttest.Respond(200, body)).Stats.Get(t.Context())
			if err != nil || len(s.CPU) != len(want) {
				t.Fatalf("%+v, %v", s.CPU, err)
			}
			for i, p := range s.CPU {
				if p.Value != want[i] && !(math.IsNaN(p.Value) && math.IsNaN(want[i])) || p.At.Year() != 2018 {
					t.Errorf("point %d: %+v, not %v", i, p, want[i])
				}
			}
		})
	}
	faulttest.RunCase(t, "A16", "100,000 points", func(t *testing.T) {
		s, err := newSingleFaultClient(
			t,
			faulttest.Respond(
				200,
				`{"data":{"cpu":[`+strings.Repeat(`{"x":1521483600000,"y":1},`, 99_999)+`{"x":1521483600000,"y":1}]}}`,
			),
		).Stats.Get(t.Context())
		if err != nil || len(s.CPU) != 100_000 {
			t.Errorf("%d points, %v", len(s.CPU), err)
		}
	})
	for _, body := range []string{`{"data":null}`, `{"data":7}`, `{}`, `{"data":{"cpu":[]},"data":{}}`} {
		faulttest.RunCase(t, "A16", body, func(t *testing.T) {
			if s, err := newSingleFaultClient(t, faulttest.Respond(200, body)).Stats.Get(t.Context()); err == nil {
				t.Errorf("passes as %+v", s)
			}
		})
	}
}

// A pageServer answers with pages of a list that changes or contradicts itself.
type pageServer struct {
	answer   func(n int) (body string)
	mu       sync.Mutex
	requests int
}

func (p *pageServer) RoundTrip(r *http.Request) (*http.Response, error) {
	n := 0
	_, _ = fmt.Sscan(r.URL.Query().Get("page"), &n)
	p.mu.Lock()
	p.requests++
	p.mu.Unlock()
	return faulttest.Respond(200, p.answer(n))(nil, r)
}

// readAllPages returns all services of a list.
func readAllPages(t *testing.T, answer func(int) string) (ids []int, asked int, odd []string) {
	t.Helper()
	p := &pageServer{answer: answer}
	c, err := client.New("https://api.example.test/v4", client.NewSecret(token), client.WithTransport(p))
	if err != nil {
		t.Fatal(err)
	}
	for page, err := range client.Pages(t.Context(), c.Services.List) {
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range page.Data {
			ids = append(ids, s.ID)
		}
		odd = append(odd, page.Warnings...)
	}
	return ids, p.requests, odd
}

func TestPage_inconsistentPaging(t *testing.T) {
	row := func(page, pages, results any, ids ...int) string {
		var rows []string
		for _, id := range ids {
			rows = append(rows, fmt.Sprintf(`{"id":%d}`, id))
		}
		return fmt.Sprintf(
			`{"data":[%s],"page":%v,"pages":%v,"results":%v}`, strings.Join(rows, ","), page, pages, results,
		)
	}
	for _, lie := range []struct {
		row, name string
		answer    func(int) string
		most      int
		said      bool
	}{
		{"A18", "pages grow", func(n int) string { return row(n, n+1-n/5, 9, n) }, 7, true},
		{"A18", "pages shrink", func(n int) string { return row(n, 5-n, 9, n) }, 7, true},
		{"A18", "a page is gone", func(n int) string {
			if n == 3 {
				return row(n, 3, 9)
			}
			return row(n, 4, 9, n)
		}, 6, true},
		{"A18", "an item moves over", func(n int) string { return row(n, 2, 4, 2*n-1, 2*n-1) }, 4, false},
		{"A19", "a billion pages", func(n int) string { return row(n, 1_000_000_000, 1_000_000_000, n) }, 1000, true},
		{"A19", "minus one page", func(n int) string { return row(n, -1, -1, n) }, 1, false},
		{"A19", "no pages", func(n int) string { return row(n, 0, 0, n) }, 1, false},
		{"A19", "pages in words", func(n int) string { return row(`"1"`, `"2"`, 1, n) }, 1, true},
		{"A19", "always the first page", func(int) string { return row(1, 5, 9, 1) }, 5, true},
		{"A19", "a page too far", func(n int) string { return row(n+1, 5, 9, n) }, 1, true},
		{"A19", "empty in the middle", func(n int) string {
			if n == 2 {
				return row(2, 5, 9)
			}
			return row(n, 5, 9, n)
		}, 5, true},
		{"A19", "results and no rows", func(n int) string { return row(1, 1, 9) }, 1, true},
	} {
		faulttest.RunCase(t, lie.row, lie.name, func(t *testing.T) {
			_, asked, odd := readAllPages(t, lie.answer)
			if asked > lie.most {
				t.Errorf("%d requests", asked)
			}
			if said := len(odd) > 0; said != lie.said {
				t.Errorf("said: %v", odd)
			}
		})
	}
}

func TestObjects_List_badMarkers(t *testing.T) {
	for body, want := range map[string]struct {
		next string
		said bool
	}{
		`{"data":[],"is_truncated":true,"next_marker":null}`:                    {"", true},
		`{"data":[],"is_truncated":true,"next_marker":""}`:                      {"", true},
		`{"data":[{"name":"a"}],"is_truncated":true}`:                           {"", true},
		`{"data":[{"name":"a"}],"is_truncated":true,"next_marker":7}`:           {"", true},
		`{"data":[{"name":"m"}],"is_truncated":true,"next_marker":"m"}`:         {"", true}, // it was asked for
		`{"data":[{"name":"n"}],"is_truncated":true,"next_marker":"n"}`:         {"n", false},
		`{"data":[{"name":"a"}],"is_truncated":false,"next_marker":"a"}`:        {"", false},
		`{"data":[{"name":"a"}],"next_marker":"a"}`:                             {"", false},
		`{"data":[{"name":null}],"is_truncated":true,"next_marker":"\u0000"}`:   {"\x00", false},
		`{"data":[],"is_truncated":false,"is_truncated":true,"next_marker":""}`: {"error", false},
	} {
		faulttest.RunCase(t, "A20", body, func(t *testing.T) {
			p, err := newSingleFaultClient(
				t, faulttest.Respond(200, body),
			).Objects.List(t.Context(), client.ObjectQuery{Cluster: "c", Bucket: "b", Marker: "m"})
			if want.next == "error" {
				if err == nil {
					t.Errorf("passes as %+v", p)
				}
				return
			}
			if err != nil || p.NextMarker != want.next || len(p.Warnings) > 0 != want.said {
				t.Errorf("%+v, %v", p, err)
			}
		})
	}
}

// A list that shrinks or grows between two pages loses or repeats a row, and the caller learns of it.
func TestServices_All_listChanges(t *testing.T) {
	rows := func(from, to int) (all []string) {
		for id := from; id <= to; id++ {
			all = append(all, fmt.Sprintf(`{"id":%d}`, id))
		}
		return all
	}
	answer := func(page, pages, results int, rows []string) string {
		return fmt.Sprintf(
			`{"data":[%s],"page":%d,"pages":%d,"results":%d}`, strings.Join(rows, ","), page, pages, results,
		)
	}
	for name, c := range map[string]struct {
		second  string
		changed bool
	}{
		"a row of page 1 is deleted":            {answer(2, 2, 501, rows(502, 502)), true},
		"a row is added before":                 {answer(2, 2, 503, rows(500, 502)), true},
		"so many that a page is added":          {answer(2, 3, 502, rows(501, 502)), true},
		"nothing":                               {answer(2, 2, 502, rows(501, 502)), false},
		"so many are deleted that none is left": {answer(2, 1, 500, nil), true},
	} {
		faulttest.RunCase(t, "A18", name, func(t *testing.T) {
			p := &pageServer{answer: func(n int) string {
				if n == 1 {
					return answer(1, 2, 502, rows(1, 500))
				}
				return c.second
			}}
			api, err := client.New("https://api.example.test/v4", client.NewSecret(token), client.WithTransport(p))
			if err != nil {
				t.Fatal(err)
			}
			var failed error
			for _, err := range api.Services.All(t.Context()) {
				failed = err
			}
			if (failed != nil) != c.changed || c.changed && !strings.Contains(failed.Error(), "reload it") ||
				p.requests != 2 {
				t.Errorf("%v after %d requests", failed, p.requests)
			}
		})
	}
}

func TestListPage_fallsBackToSmallPages(t *testing.T) {
	refusal := faulttest.Respond(400, `{"errors":[{"field":"page_size","reason":"Must be 25-100"}]}`)
	faulttest.RunCase(t, "A21", "numbered list", func(t *testing.T) {
		c, w := newFaultClient(t, refusal, faulttest.Pass)
		for range 2 {
			if p, err := c.Services.List(t.Context(), 1); err != nil || len(p.Data) != 14 {
				t.Errorf("%v", err)
			}
		}
		seen := w.Requests()
		if len(seen) != 3 || !strings.Contains(seen[1].Query, "page_size=100") ||
			!strings.Contains(seen[2].Query, "page_size=100") {
			t.Errorf("asked %+v", seen)
		}
	})
	faulttest.RunCase(t, "A21", "object list", func(t *testing.T) {
		c, w := newFaultClient(t, refusal, faulttest.Pass)
		_, err := c.Objects.List(t.Context(), client.ObjectQuery{Cluster: "us-east-1", Bucket: "acme-www"})
		if err != nil || len(w.Requests()) != 2 {
			t.Errorf("%v after %d", err, len(w.Requests()))
		}
	})
	faulttest.RunCase(t, "A21", "walk", func(t *testing.T) {
		c, w := newFaultClient(t, refusal, faulttest.Pass)
		for page, err := range c.Objects.Pages(t.Context(), client.ObjectQuery{
			Cluster: "us-east-1",
			Bucket:  "acme-www",
		}) {
			if err != nil || len(page.Data) == 0 {
				t.Errorf("%d entries, %v", len(page.Data), err)
			}
		}
		if seen := w.Requests(); len(seen) != 2 || !strings.Contains(seen[1].Query, "page_size=100") {
			t.Errorf("asked %+v", seen)
		}
	})
	faulttest.RunCase(t, "A21", "count", func(t *testing.T) {
		c, _ := newFaultClient(t, refusal, faulttest.Pass)
		tally, err := objectindex.Count(
			t.Context(), c.Objects, client.ObjectQuery{Cluster: "us-east-1", Bucket: "acme-www"}, nil,
		)
		if err != nil || tally.Objects == 0 {
			t.Errorf("%+v, %v", tally, err)
		}
	})
	faulttest.RunCase(t, "A21", "walk, refused for good", func(t *testing.T) {
		c, w := newFaultClient(t, refusal)
		for _, err := range c.Objects.Pages(t.Context(), client.ObjectQuery{Cluster: "us-east-1", Bucket: "acme-www"}) {
			if requireError(t, err).Status != 400 || len(w.Requests()) != 2 {
				t.Errorf("%v after %d", err, len(w.Requests()))
			}
		}
	})
	faulttest.RunCase(t, "A21", "refused for good", func(t *testing.T) {
		c, w := newFaultClient(t, refusal)
		if _, err := c.Services.List(t.Context(), 1); requireError(t, err).Status != 400 || len(w.Requests()) != 2 {
			t.Errorf("%v after %d", err, len(w.Requests()))
		}
	})
	faulttest.RunCase(t, "A21", "another refusal", func(t *testing.T) {
		c, w := newFaultClient(t, faulttest.Respond(400, `{"errors":[{"field":"page","reason":"no"}]}`))
		if _, err := c.Services.List(t.Context(), 1); requireError(t, err).Status != 400 || len(w.Requests()) != 1 {
			t.Errorf("%v after %d", err, len(w.Requests()))
		}
	})
}

// Whatever a 429 asks for, a read reports that the API is busy, and six views send nothing during the pause: neither
// their first requests nor the repeats of reads that failed before.
func TestTransport_pausesAfter429(t *testing.T) {
	t.Parallel()
	for after, asked := range map[string]time.Duration{
		"1":                              time.Second,
		"5":                              5 * time.Second,
		"59":                             59 * time.Second,
		"60":                             time.Minute,
		"61":                             time.Minute, // nobody is kept waiting for longer
		"3600":                           time.Minute,
		"31536000":                       time.Minute,
		"9223372037":                     time.Minute,
		"18446744073709551616":           time.Minute,
		"1e18":                           time.Minute,
		"1.5":                            1500 * time.Millisecond,
		" 7":                             7 * time.Second,
		"Inf":                            time.Minute,
		"Wed, 21 Oct 2015 07:28:00 GMT":  time.Minute, // the bubble's clock begins in 2000
		"Fri, 31 Dec 2999 23:59:59 GMT":  time.Minute,
		"0":                              0, // this and all others ask for nothing that can be understood
		"-1":                             0,
		"-0":                             0,
		"0x10":                           0,
		"7s":                             0,
		"":                               0,
		"soon":                           0,
		"NaN":                            0,
		"Friday, 31-Dec-99 23:59:59 GMT": 0, // the past
		"1, 2":                           0,
		"١":                              0,
	} {
		faulttest.RunCaseInBubble(t, "A22", fmt.Sprintf("%q", after), func(t *testing.T) {
			c, w := newFaultClient(
				t, faulttest.Respond(429, `{"errors":[{"reason":"Too many requests"}]}`, "Retry-After", after),
			)
			_, err := c.Services.List(t.Context(), 1)
			if e := requireError(t, err); !errors.Is(err, client.ErrRateLimited) || e.RetryAfter < 0 ||
				e.RetryAfter > time.Minute {
				t.Errorf("%v", e)
			}
			if wait := time.Until(c.RateLimit().PausedUntil); wait > time.Minute {
				t.Errorf("waits %v", wait)
			}
			if n := len(w.Requests()); n > 4 {
				t.Errorf("%d attempts of one read", n)
			}
		})
		faulttest.RunCaseInBubble(t, "A22", fmt.Sprintf("%q, six views", after), func(t *testing.T) {
			checkSharedPause(t, after, asked)
		})
	}
	faulttest.RunCaseInBubble(t, "A22", "an hour, six views", func(t *testing.T) {
		for range 20 { // the views wake in any order
			c, w := newFaultClient(t, faulttest.Respond(429, "", "Retry-After", "3600"))
			for view, wait := range readInSixViews(t, c, client.ErrRateLimited) {
				if wait > time.Minute {
					t.Errorf("view %d waits %v", view, wait)
				}
			}
			if n := len(w.Requests()); n > 2 {
				t.Errorf("%d requests", n)
			}
		}
	})
	faulttest.RunCaseInBubble(t, "A22", "the API answers after the pause, six views", func(t *testing.T) {
		for range 20 {
			c, w := newFaultClient(
				t, faulttest.Respond(429, "", "Retry-After", "30"), faulttest.Respond(200, pageBody()),
			)
			for view, wait := range readInSixViews(t, c, nil) {
				if most := 31*time.Second - time.Duration(view)*time.Second; wait > most {
					t.Errorf("view %d waits %v, not at most %v", view, wait, most)
				}
			}
			if n := len(w.Requests()); n != 7 {
				t.Errorf("%d requests", n)
			}
		}
	})
	faulttest.RunCaseInBubble(t, "A22", "the user does not want to wait", func(t *testing.T) {
		c, _ := newFaultClient(t, faulttest.Respond(429, "", "Retry-After", "3600"), faulttest.Respond(200, pageBody()))
		_, _ = c.Services.List(t.Context(), 1)
		c.Resume()
		start := time.Now()
		var views sync.WaitGroup
		for range 3 {
			views.Go(func() { _, _ = c.Services.List(t.Context(), 1) })
		}
		if views.Wait(); time.Since(start) > 0 {
			t.Errorf("waits %v", time.Since(start))
		}
	})
	faulttest.RunCaseInBubble(t, "A22", "two headers", func(t *testing.T) {
		c, _ := newFaultClient(t, faulttest.Respond(429, "", "Retry-After", "7", "Retry-After", "3600"))
		if _, err := c.Services.List(t.Context(), 1); requireError(t, err).RetryAfter != 7*time.Second {
			t.Errorf("%v", err)
		}
	})
	faulttest.RunCaseInBubble(t, "A22", "a header on a good answer", func(t *testing.T) {
		c, _ := newFaultClient(t, faulttest.Respond(200, pageBody(), "Retry-After", "50"))
		_, _ = c.Services.List(t.Context(), 1)
		if !c.RateLimit().PausedUntil.IsZero() {
			t.Error("a good answer makes everybody wait")
		}
	})
	faulttest.RunCaseInBubble(t, "A22", "a change does not wait for reads", func(t *testing.T) {
		b := newChangeFixture(t, nil)
		b.wire.Interceptors = []faulttest.RoundTripFunc{faulttest.Respond(429, "", "Retry-After", "30"), faulttest.Pass}
		for range 8 {
			go func() { _, _ = b.client.Services.List(t.Context(), 1) }()
		}
		time.Sleep(time.Second)
		start := time.Now()
		if _, err := client.Confirmed(
			b.client, client.OpDisableService, 4,
		).DisableService(t.Context(), 4); err != nil ||
			time.Since(start) > time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

// readInSixViews reads the services six times, a second apart, and returns how long each read took. Each must end with
// an error that is want.
func readInSixViews(t *testing.T, c *client.Client, want error) (waits [6]time.Duration) {
	var views sync.WaitGroup
	for i := range waits {
		views.Go(func() {
			time.Sleep(time.Duration(i) * time.Second)
			start := time.Now()
			if _, err := c.Services.List(t.Context(), 1); !errors.Is(err, want) {
				t.Errorf("view %d: %v, want %v", i, err, want)
			}
			waits[i] = time.Since(start)
		})
	}
	views.Wait()
	return waits
}

// checkSharedPause fails if six views that refresh every ten seconds send a request during a pause that a 429 asked
// for.
func checkSharedPause(t *testing.T, after string, asked time.Duration) {
	var mu sync.Mutex
	var sent []time.Time
	answer := faulttest.Respond(429, "", "Retry-After", after)
	w := faulttest.NewTransport(nil, func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		mu.Lock()
		defer mu.Unlock()
		sent = append(sent, time.Now())
		return answer(next, r)
	})
	c, err := client.New("https://api.example.test/v4", client.NewSecret(token), client.WithTransport(w))
	if err != nil {
		t.Fatal(err)
	}
	end := time.Now().Add(time.Minute)
	var views sync.WaitGroup
	for i := range 6 {
		views.Go(func() {
			time.Sleep(time.Duration(i) * time.Second)
			for time.Now().Before(end) {
				_, _ = c.Services.List(t.Context(), 1)
				time.Sleep(10 * time.Second)
			}
		})
	}
	views.Wait()
	pause := max(time.Second, asked)
	for i, at := range sent[1:] {
		if gap := at.Sub(sent[i]); gap != 0 && gap < pause {
			t.Errorf("request %d is sent %v after a 429 that asked for %v", i+2, gap, asked)
		}
	}
	if most := 6 * int(time.Minute/pause+1); len(sent) > min(most, 24) {
		t.Errorf("%d requests in a minute", len(sent))
	}
}

// During ten minutes of failures, six views that refresh every ten seconds send at most sixty requests, spread out.
// Afterwards all of them recover within half a minute.
func TestTransport_retryBudget(t *testing.T) {
	t.Parallel()
	for _, status := range []int{500, 502, 503, 504} {
		faulttest.RunCaseInBubble(
			t, "A23", fmt.Sprint(status), func(t *testing.T) { checkRetryBudget(t, faulttest.Respond(status, "")) },
		)
	}
	faulttest.RunCaseInBubble(
		t, "A23", "reset", func(t *testing.T) { checkRetryBudget(t, faulttest.Fail(transport("read"))) },
	)
	faulttest.RunCaseInBubble(t, "A23", "a view that is well goes on", func(t *testing.T) {
		c, e := newEmulatedClient(t, emulator.Options{})
		e.InjectFault("view stats", emulator.Fault{Status: 500})
		for range 30 {
			_, _ = c.Stats.Get(t.Context())
			if _, err := c.Services.List(t.Context(), 1); err != nil {
				t.Fatalf("a healthy list fails: %v", err)
			}
			time.Sleep(10 * time.Second)
		}
	})
}

func checkRetryBudget(t *testing.T, fault faulttest.RoundTripFunc) {
	e := emulator.New(emulator.Options{Token: token})
	var mu sync.Mutex
	var sent []time.Time
	over := false
	w := faulttest.NewTransport(e, func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		mu.Lock()
		defer mu.Unlock()
		if over {
			return next.RoundTrip(r)
		}
		sent = append(sent, time.Now())
		return fault(next, r)
	})
	c, err := client.New("https://api.example.test/v4", client.NewSecret(token), client.WithTransport(w))
	if err != nil {
		t.Fatal(err)
	}
	views := []func(context.Context) error{
		func(x context.Context) error { return ignore(c.Services.List(x, 1)) },
		func(x context.Context) error { return ignore(c.Issues.List(x, 1)) },
		func(x context.Context) error { return ignore(c.Contacts.List(x, 1)) },
		func(x context.Context) error { return ignore(c.Stats.Get(x)) },
		func(x context.Context) error { return ignore(c.Buckets.List(x, 1)) },
		func(x context.Context) error { return ignore(c.Keys.List(x, 1)) },
	}
	poll := func(span time.Duration) (well int) {
		var group sync.WaitGroup
		good := make([]bool, len(views))
		for i, view := range views {
			group.Go(func() {
				for end := time.Now().Add(span); time.Now().Before(end); time.Sleep(10 * time.Second) {
					good[i] = view(t.Context()) == nil
				}
			})
		}
		group.Wait()
		for _, g := range good {
			if g {
				well++
			}
		}
		return well
	}
	if well := poll(10 * time.Minute); well != 0 || len(sent) > 60 {
		t.Errorf("%d views are well after %d requests", well, len(sent))
	}
	again := sent[len(views):] // the views begin together
	// without random waits they would all come at the same instant of this clock; with them, five come within 5 ms
	// once in a million runs
	for i := 4; i < len(again); i++ {
		if again[i].Sub(again[i-4]) < 5*time.Millisecond {
			t.Errorf("a burst of five requests within %v", again[i].Sub(again[i-4]))
		}
	}
	mu.Lock()
	over = true
	mu.Unlock()
	if well := poll(31 * time.Second); well != len(views) {
		t.Errorf("%d of %d views came back", well, len(views))
	}
}

func TestError_maintenance(t *testing.T) {
	for _, body := range []string{
		`{"errors":[{"reason":"Maintenance until 03:00` + `\u001b[2J` + `"}]}`,
		"<html><title>Down\x1b[2J for maintenance</title></html>",
	} {
		faulttest.RunCaseInBubble(t, "A24", body[:1], func(t *testing.T) {
			c, w := newFaultClient(t, faulttest.Respond(503, body, "X-Maintenance-Mode", "1"))
			_, err := c.Services.List(t.Context(), 1)
			if words := requireError(t, err).Error(); len(w.Requests()) != 1 ||
				!strings.Contains(strings.ToLower(words), "maintenance") ||
				strings.Contains(words, "\x1b") {
				t.Errorf("%d attempts: %q", len(w.Requests()), words)
			}
		})
	}
}

func TestClient_revokedToken(t *testing.T) {
	refusal := faulttest.Respond(401, `{"errors":[{"reason":"Invalid Token"}]}`, "X-OAuth-Scopes", "unknown")
	for name, faults := range map[string][]faulttest.RoundTripFunc{
		"at once":         {refusal},
		"after a success": {faulttest.Pass, refusal},
		"a page":          {faulttest.Respond(401, loginPageHTML, "Content-Type", "text/html")},
	} {
		faulttest.RunCaseInBubble(t, "A25", name, func(t *testing.T) {
			c, w := newFaultClient(t, faults...)
			for range len(faults) - 1 {
				if _, err := c.Services.List(t.Context(), 1); err != nil {
					t.Fatal(err)
				}
			}
			_, err := c.Services.List(t.Context(), 1)
			if e := requireError(t, err); !e.Unauthorized() || e.Advice() == "" || len(w.Requests()) != len(faults) ||
				strings.Contains(e.Error(), token) {
				t.Errorf("%v after %d", e, len(w.Requests()))
			}
			for range 5 { // other panes and polls
				_, err := c.Contacts.List(t.Context(), 1)
				if e := requireError(t, err); !e.Unauthorized() || len(w.Requests()) != len(faults) {
					t.Errorf("a read with a token that was rejected: %v after %d", e, len(w.Requests()))
				}
				time.Sleep(time.Minute)
			}
			c.Resume()
			_, _ = c.Contacts.List(t.Context(), 1)
			if len(w.Requests()) != len(faults)+1 {
				t.Errorf("a read that the user asked for is not sent")
			}
			if err := c.SetToken(client.NewSecret("another-token"), true); err != nil {
				t.Fatal(err)
			}
			_, _ = c.Contacts.List(t.Context(), 1)
			if len(w.Requests()) != len(faults)+2 {
				t.Errorf("a read with another token is not sent")
			}
		})
	}
}

// With each scope, each operation succeeds or is refused with the scope that it needs, after one request.
func TestError_RequiredScope(t *testing.T) {
	t.Parallel()
	for _, have := range []string{
		"account:read_only", "account:read_write", "object_storage:read_only", "object_storage:read_write",
		"events:read_only",
	} {
		c, e := newEmulatedClient(t, emulator.Options{Scopes: have})
		for _, s := range operations(t) {
			faulttest.RunCase(t, "A26", have+", "+s.op, func(t *testing.T) {
				need, before := optest.ByName(t, s.op).Scope, e.RequestCount(s.op)
				err := s.call(t.Context(), c)
				allowed := need == "" || need == have || have == strings.TrimSuffix(need, "read_only")+"read_write"
				if errors.Is(err, client.ErrDenied) == allowed || e.RequestCount(s.op) != before+1 {
					t.Errorf("allowed %v: %v after %d requests", allowed, err, e.RequestCount(s.op)-before)
				}
				if !allowed && (requireError(t, err).Unauthorized() || !strings.Contains(err.Error(), need)) {
					t.Errorf("%v does not name %s", err, need)
				}
			})
		}
	}
	for _, s := range operations(t) {
		faulttest.RunCase(t, "A26", "restricted user, "+s.op, func(t *testing.T) {
			c, e := newEmulatedClient(t, emulator.Options{RestrictedUser: true})
			managed := strings.HasPrefix(optest.ByName(t, s.op).Path, "/managed/")
			if err := s.call(t.Context(), c); errors.Is(err, client.ErrDenied) != managed || e.RequestCount(s.op) != 1 {
				t.Errorf("%v after %d requests", err, e.RequestCount(s.op))
			}
		})
	}
}

func TestParseErrorBody_odd(t *testing.T) {
	t.Parallel()
	bodies := map[string]string{
		"no errors":   `{"errors":[]}`,
		"null":        `{"errors":null}`,
		"an object":   `{"errors":{}}`,
		"a text":      `{"errors":"Invalid Token"}`,
		"texts":       `{"errors":["x"]}`,
		"empty":       `{"errors":[{}]}`,
		"reason null": `{"errors":[{"reason":null}]}`,
		"field null":  `{"errors":[{"field":null,"reason":"bad"}]}`,
		"field alone": `{"errors":[{"field":"label",` +
			`"reason":""}]}`,
		"unknown field":   `{"errors":[{"field":"no_such_field","reason":"bad"}]}`,
		"escapes":         `{"errors":[{"reason":"\u001b]0;owned\u0007"}]}`,
		"a number":        `{"errors":[{"reason":123}]}`,
		"error":           `{"error":"Unauthorized"}`,
		"message":         `{"message":"Forbidden"}`,
		"a word":          "Unauthorized",
		"data too":        `{"errors":[{"reason":"Label is already taken"}],"data":[]}`,
		"5000":            `{"errors":[` + strings.Repeat(`{"reason":"x"},`, 4999) + `{"reason":"x"}]}`,
		"200,000 letters": `{"errors":[{"reason":"` + strings.Repeat("A", 200_000) + `"}]}`,
		"long field":      `{"errors":[{"field":"` + strings.Repeat("A", 200_000) + `","reason":"x"}]}`,
		"nothing":         "",
		"null alone":      "null",
		"a list":          "[]",
		"token":           `{"errors":[{"reason":"` + token + ` is not valid"}]}`,
		"a page":          loginPageHTML,
	}
	for name, body := range bodies {
		for _, status := range []int{400, 401, 403, 404, 409, 422, 429, 500} {
			faulttest.RunCaseInBubble(t, "A27", fmt.Sprint(name, ", ", status), func(t *testing.T) {
				_, err := newSingleFaultClient(t, faulttest.Respond(status, body)).Services.List(t.Context(), 1)
				e := requireError(t, err)
				words := e.Error() + e.Why() + e.Advice() + e.Short()
				if e.Status != status || strings.ContainsAny(words, "\x1b\x07\n") || strings.Contains(words, token) ||
					len(e.Error()) > 1200 {
					t.Errorf("%d: %.300q", e.Status, words)
				}
				if name == "data too" && status == 400 && !strings.Contains(words, "already taken") ||
					name == "5000" && status == 400 && !strings.Contains(words, "4997 more") {
					t.Errorf("the reason is lost: %q", words)
				}
			})
		}
	}
}

// An answer with several choices is no answer, even if it looks like one.
func TestClient_refusesMultipleChoices(t *testing.T) {
	c := newSingleFaultClient(t, faulttest.Respond(http.StatusMultipleChoices, pageBody()))
	if page, err := c.Services.List(t.Context(), 1); err == nil {
		t.Errorf("read as %v", page.Data)
	}
}

// A redirect is an error: nothing is sent to its target, and a redirected change is not applied.
func TestClient_refusesRedirects(t *testing.T) {
	t.Parallel()
	const host = "api.example.test"
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, where := range []string{
			"https://evil.example/",
			"//evil.example/",
			`/\evil.example`,
			"http://" + host + "/",
			"https://" + host + ":444/",
			"https://" + host + ".evil.example/",
			"https://sub." + host + "/",
			"https://user:pw@" + host + "/",
			"https://" + host + "@evil.example/",
			"/v4/../../other",
			"/v4/managed/contacts",
			"?page=2",
			"#x",
			"",
			" ",
			"%",
			"javascript:x",
			"data:,x",
			"file:///etc/passwd",
			"http://[::1]/",
			"http://169.254.169.254/",
			"http://127.0.0.1:1/",
			"https://" + host + "/v4/x#\x1b]0;x\a",
			strings.Repeat("/a", 10_000),
			"https://evil.example/?" + token,
		} {
			faulttest.RunCaseInBubble(t, "A28", fmt.Sprintf("%d %.40q", status, where), func(t *testing.T) {
				b := newChangeFixture(t, faulttest.Respond(status, loginPageHTML, "Location", where))
				_, err := b.client.Services.List(t.Context(), 1)
				e := requireError(t, err)
				if words := e.Error(); !strings.Contains(words, "redirect") &&
					!strings.Contains(words, "connection failed") ||
					strings.ContainsAny(words, "\x1b\a") ||
					strings.Contains(words, token) ||
					len(words) > 300 {
					t.Errorf("%q", words)
				}
				_, err = client.Confirmed(b.client, client.OpDisableService, 4).DisableService(t.Context(), 4)
				var change *client.Error
				if !errors.As(err, &change) || !change.Unknown() || b.appliedChanges() != 0 {
					t.Errorf("a redirected change: %v", err)
				}
				for _, r := range b.wire.Requests() {
					if r.Host != host || r.Header.Get("Referer") != "" ||
						!strings.HasPrefix(r.Path, "/v4/managed/services") {
						t.Errorf("went to %s%s", r.Host, r.Path)
					}
				}
				if len(b.wire.Requests()) != 2 {
					t.Errorf("%d requests", len(b.wire.Requests()))
				}
			})
		}
	}
}

// When the wall clock jumps while reads wait, they wait at most a minute.
func TestTransport_clockJumps(t *testing.T) {
	for _, jump := range []time.Duration{8 * time.Hour, time.Hour, -time.Hour, -8 * time.Hour} {
		faulttest.RunCaseInBubble(t, "A32", jump.String(), func(t *testing.T) {
			clock := &faulttest.JumpingClock{}
			w := faulttest.NewTransport(
				emulator.New(emulator.Options{Token: token}), faulttest.Respond(429, "", "Retry-After", "40"),
				faulttest.Pass,
			)
			c, err := client.New(
				"https://api.example.test/v4", client.NewSecret(token), client.WithTransport(w),
				client.WithNow(clock.Now), client.WithTimeout(5*time.Minute),
			)
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				time.Sleep(time.Second)
				clock.Jump(jump)
			}()
			start := time.Now()
			if _, err := c.Services.List(t.Context(), 1); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Second)
			if _, err := c.Services.List(t.Context(), 1); err != nil {
				t.Error(err)
			}
			if took := time.Since(start); took > 2*time.Minute {
				t.Errorf("it took %v", took)
			}
		})
	}
}

func TestListPage_manyRows(t *testing.T) {
	t.Parallel()
	c, _ := newEmulatedClient(t, emulator.Options{Seed: "large"})
	faulttest.RunCase(t, "A33", "10,000 contacts", func(t *testing.T) {
		n := 0
		for _, err := range c.Contacts.All(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != 10_000 {
			t.Errorf("%d contacts", n)
		}
	})
	faulttest.RunCase(t, "A33", "labels of 5,000 letters", func(t *testing.T) {
		row := `{"id":1,"label":"` + strings.Repeat("é", 5000) + `"}`
		p, err := newSingleFaultClient(
			t, faulttest.Respond(200, pageBody(strings.Split(strings.Repeat(row+"|", 499)+row, "|")...)),
		).Services.List(t.Context(), 1)
		if err != nil || len(p.Data) != 500 || len(p.Data[499].Label.Raw()) != 10_000 {
			t.Errorf("%d rows, %v", len(p.Data), err)
		}
	})
}

// newProxyClient returns a client of an https address that uses a proxy.
func newProxyClient(t *testing.T, proxy string) *client.Client {
	t.Helper()
	via, err := url.Parse(proxy)
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(
		"https://api.example.test/v4", client.NewSecret(token), client.WithTimeout(600*time.Millisecond),
		client.WithTransport(&http.Transport{Proxy: http.ProxyURL(via), MaxResponseHeaderBytes: 1 << 20}),
	)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTransport_proxies(t *testing.T) {
	dead := faulttest.Listen(t, func(c net.Conn) { c.Close() })
	for name, proxy := range map[string]string{
		"dead": "http://user:pr0xy-canary@127.0.0.1:1",
		"cuts": "http://user:pr0xy-canary@" + dead,
		"407": "http://user:pr0xy-canary@" + faulttest.Listen(t, faulttest.RespondRaw("HTTP/1.1 407 "+
			"Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")),
		"answers a page": "http://user:pr0xy-canary@" + faulttest.Listen(t, faulttest.RespondRaw("HTTP/1.1 200 "+
			"OK\r\n\r\n<html>hello</html>")),
		"endless headers": "http://user:pr0xy-canary@" + faulttest.Listen(t, faulttest.RespondRaw("HTTP/1.1 200 "+
			"OK\r\n", writeRepeatedly("X-A: "+strings.Repeat("a", 1000)+"\r\n", 64<<20))),
	} {
		faulttest.RunCase(t, "A29", name, func(t *testing.T) {
			if name != "endless headers" { // the only one that takes memory, which is measured
				t.Parallel()
			}
			err := listWithinMemory(t, newProxyClient(t, proxy), 64<<20)
			e := requireError(t, err)
			refused := name == "dead" || name == "407"
			for range 5 {
				if !refused || !e.TimedOut() {
					break
				}
				// The time was over during an attempt, which says nothing about the proxy.
				e = requireError(t, listWithinMemory(t, newProxyClient(t, proxy), 64<<20))
			}
			if shown := fmt.Sprintf("%v %+v %#v %v", e, *e, e, e.Cause); strings.Contains(shown, "pr0xy-canary") ||
				strings.Contains(shown, token) {
				t.Errorf("a secret in %s", shown)
			}
			if !e.Offline() {
				t.Errorf("taken for an answer of the API: %v", e)
			}
			if refused && !strings.Contains(e.Error(), "the proxy ") {
				t.Errorf("the proxy is not named: %v", e)
			}
			_, err = client.Confirmed(
				newProxyClient(t, proxy), client.OpDisableService, 1,
			).DisableService(t.Context(), 1)
			if !errors.As(err, &e) || e.Outcome != client.NotSent {
				t.Errorf("a change that no proxy carried: %v", err)
			}
		})
	}
}

// writeRepeatedly writes a text over and over.
func writeRepeatedly(text string, bytes int) faulttest.ConnHandler {
	return func(c net.Conn) {
		for n := 0; n < bytes; n += len(text) {
			if _, err := c.Write([]byte(text)); err != nil {
				return
			}
		}
	}
}

// A response with odd framing is either read correctly or dropped and asked for again. Bytes left over from it are
// never taken for the answer to another request.
func TestTransport_framing(t *testing.T) {
	body := pageBody(`{"id":7,"label":"first"}`)
	next := pageBody(`{"id":8,"label":"second"}`)
	head := func(extra string) string {
		return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" + extra + "\r\n"
	}
	sized := func(b string) string { return head(fmt.Sprintf("Content-Length: %d\r\n", len(b))) + b }
	chunked := func(extra string) string { return head("Transfer-Encoding: chunked\r\n" + extra) }
	chunk := fmt.Sprintf("%x;ext=%s\r\n%s\r\n0\r\n", len(body), strings.Repeat("x", 100), body)
	foreign := sized(pageBody(`{"id":9,"label":"foreign"}`))
	for name, c := range map[string]struct{ answer, read string }{
		"a few 1xx":        {strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", 3) + sized(body), "first"},
		"an endless 1xx":   {strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n", 50_000), ""},
		"trailers":         {chunked("Trailer: X-A\r\n") + chunk + "X-A: b\r\n\r\n", "first"},
		"chunk extensions": {chunked("") + chunk + "\r\n", "first"},
		"an invalid chunk": {chunked("") + "zz\r\n" + body + "\r\n0\r\n\r\n", "second"},
		"two lengths": {
			head(fmt.Sprintf("Content-Length: %d\r\nContent-Length: 5\r\n", len(body))) + body, "second",
		},
		"a negative length":  {head("Content-Length: -5\r\n") + body, "second"},
		"more than its size": {sized(body) + foreign, "first"},
		"more after chunks":  {chunked("") + chunk + "\r\n" + foreign, "first"},
		"length and chunks": {
			head(fmt.Sprintf("Content-Length: %d\r\nTransfer-Encoding: chunked\r\n", len(body))) + chunk + "\r\n",
			"first",
		},
	} {
		faulttest.RunCase(t, "A30", name, func(t *testing.T) {
			t.Parallel()
			address := faulttest.Listen(
				t, faulttest.RespondRaw(c.answer, faulttest.RespondRaw(sized(next))), faulttest.RespondRaw(sized(next)),
			)
			api := newAddressClient(t, address, client.WithTimeout(8*time.Second))
			for i, want := range []string{c.read, "second"} {
				p, err := api.Services.List(t.Context(), 1)
				if want == "" && requireError(t, err).Offline() {
					continue
				}
				if err != nil || len(p.Data) != 1 || p.Data[0].Label.Raw() != want {
					t.Errorf("read %d: %+v, %v; want %q", i+1, p, err, want)
				}
			}
		})
	}
}

// When one of three clusters always fails and the retry budget is spent, the other two are still read: only the failing
// path is held back.
func TestTransport_failuresArePerPath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, e := newEmulatedClient(t, emulator.Options{})
		e.InjectFault("GET /object-storage/buckets/eu-central-1*", emulator.Fault{Status: 503})
		for range 40 {
			_, bad := c.Buckets.ListInCluster(t.Context(), "eu-central-1", 1)
			_, one := c.Buckets.ListInCluster(t.Context(), "us-east-1", 1)
			_, two := c.Buckets.ListInCluster(t.Context(), "ap-south-1", 1)
			if bad == nil || one != nil || two != nil {
				t.Fatalf("%v; %v; %v", bad, one, two)
			}
		}
	})
}

// A read that is held back because others have failed is sent at once if the user asks for it.
func TestClient_Resume_sendsWhatIsHeldBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, w := newFaultClient(t, faulttest.Respond(503, ""))
		for range 10 { // until no retries are left
			_, _ = c.Services.List(t.Context(), 1)
		}
		before := len(w.Requests())
		_, err := c.Services.List(t.Context(), 1)
		if held := len(w.Requests()) == before; err == nil || !held {
			t.Errorf("held back: %t, %v", held, err)
		}
		c.Resume()
		if _, err = c.Services.List(t.Context(), 1); err == nil || len(w.Requests()) != before+1 {
			t.Errorf("after %d requests, the user's makes %d: %v", before, len(w.Requests()), err)
		}
	})
}

// Areas of the API have limits of their own: RateLimit returns the tightest, and ignores limits that were reset.
func TestClient_RateLimit_reportsTightest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newEmulatedClient(t, emulator.Options{})
		told := func() string { b := c.RateLimit(); return fmt.Sprintf("%d of %d", b.Remaining, b.Limit) }
		for range 80 {
			_, _ = c.Services.List(t.Context(), 1)
		}
		for range 30 {
			_, _ = c.Clusters.List(t.Context(), 1)
		}
		if got := told(); got != "720 of 800" {
			t.Error(got)
		}
		for range 400 {
			_, _ = c.Clusters.List(t.Context(), 1)
		}
		if got := told(); got != "320 of 750" {
			t.Error(got)
		}
		time.Sleep(2 * time.Second)
		if got := told(); got != "720 of 800" {
			t.Errorf("behind its span: %s", got)
		}
		time.Sleep(2 * time.Minute)
		if got := told(); got != "800 of 800" {
			t.Errorf("behind all spans: %s", got)
		}
	})
}

// An answer that is overtaken by a later one does not make the budget look larger than it is.
func TestClient_RateLimit_answersOvertakeEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := emulator.New(emulator.Options{Token: token, Service: os.Getenv("LOOKOUT_TEST_SERVICE")})
		c, err := client.New("https://api.example.test/v4", client.NewSecret(token), client.WithTransport(
			roundTripFunc(func(r *http.Request) (*http.Response, error) {
				answer, err := api.RoundTrip(r)
				if strings.HasSuffix(r.URL.Path, "/contacts") {
					time.Sleep(time.Second) // it was served first, and arrives last
				}
				return answer, err
			})))
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = c.Contacts.List(t.Context(), 1) }()
		synctest.Wait()
		_, _ = c.Services.List(t.Context(), 1)
		time.Sleep(2 * time.Second)
		if b := c.RateLimit(); b.Limit-b.Remaining != 2 {
			t.Errorf("%d of %d", b.Remaining, b.Limit)
		}
	})
}

// If the time is over before the next attempt, the error is what the last attempt found, not the end of the time.
func TestTransport_timeLimitKeepsTheFailure(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		respond func(*http.Request) (*http.Response, error)
		want    string
	}{
		"refused": {
			func(*http.Request) (*http.Response, error) { return nil, syscall.ECONNREFUSED },
			"cannot reach api.test (connection refused)",
		},
		"503": {
			func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 503, Header: http.Header{}, Body: http.NoBody}, nil
			},
			"503 Service Unavailable",
		},
		"no answer": {
			func(req *http.Request) (*http.Response, error) {
				<-req.Context().Done()
				return nil, req.Context().Err()
			},
			"api.test did not answer in time",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api, err := client.New(
					"https://api.test/v4", client.NewSecret("token"), client.WithTimeout(400*time.Millisecond),
					client.WithTransport(roundTripFunc(c.respond)),
				)
				if err != nil {
					t.Fatal(err)
				}
				_, err = api.Services.List(t.Context(), 1)
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v, want %q", err, c.want)
				}
			})
		})
	}
}
