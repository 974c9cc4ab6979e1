package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"lookout/client/faulttest"
)

// hostileName could clear a screen and pass for a mark of the program's own.
const hostileName = "x\x1b[2J\u202e✓"

// checkClean fails unless a text that is to be shown has the hostile name in its clean form only.
func checkClean(t *testing.T, what, text string) {
	t.Helper()
	if unsafe := unsafeForTerminal(text); unsafe != "" || !strings.Contains(text, Clean(hostileName)) {
		t.Errorf("%s: %q %s", what, text, unsafe)
	}
}

// A value of the API is cleaned wherever it is printed.
func TestValues_areCleaned(t *testing.T) {
	access := &BucketAccessStatus{ACL: hostileName}
	for what, text := range map[string]string{
		"text":           NewText(hostileName).String(),
		"ACL":            ACL(hostileName).String(),
		"access":         access.String(),
		"ETag":           NewETag(hostileName).String(),
		"service status": ServiceStatus(hostileName).String(),
		"service type":   ServiceType(hostileName).String(),
	} {
		checkClean(t, what, text)
	}
}

// What a server writes into headers and bodies of answers is cleaned in the error about it.
func TestError_answersAreCleaned(t *testing.T) { synctest.Test(t, testAnswersAreCleaned) }

func testAnswersAreCleaned(t *testing.T) {
	refusal := `{"errors":[{"reason":"no"}]}`
	for what, fault := range map[string]faulttest.RoundTripFunc{
		"X-Accepted-OAuth-Scopes": faulttest.Respond(
			401, refusal, "X-OAuth-Scopes", "linodes:read_only", "X-Accepted-OAuth-Scopes", hostileName,
		),
		"Location":     faulttest.Respond(302, "", "Location", "https://login.example/"+hostileName),
		"Content-Type": faulttest.Respond(200, "x", "Content-Type", "text/"+hostileName),
		"a title":      faulttest.Respond(502, "<title>"+hostileName+"</title>", "Content-Type", "text/html"),
		"a reason": faulttest.Respond(
			400, `{"errors":[{"reason":"x\u001b[2J\u202e✓","field":"x\u001b[2J\u202e✓"}]}`,
		),
	} {
		c, err := New("https://x.test/v4", NewSecret("t"), WithTransport(faulttest.NewTransport(nil, fault)))
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Services.List(t.Context(), 1)
		var failed *Error
		if !errors.As(err, &failed) {
			t.Fatalf("%s: %v", what, err)
		}
		text := err.Error() + failed.Advice() + failed.RequiredScope + failed.Detail
		if unsafe := unsafeForTerminal(text); unsafe != "" || strings.Contains(text, "[2J\u202e") {
			t.Errorf("%s: %q %s", what, text, unsafe)
		}
	}
	scopes := faulttest.Respond(200, `{"data":[],"page":1,"pages":1,"results":0}`, "X-OAuth-Scopes", hostileName)
	c, err := New("https://x.test/v4", NewSecret("t"), WithTransport(faulttest.NewTransport(nil, scopes)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Services.List(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	checkClean(t, "X-OAuth-Scopes", c.Scopes())
}

// The name of an object is cleaned in the error of a change, in whatever way the change fails.
func TestWriter_namesAreCleaned(t *testing.T) {
	ref := ObjectRef{"us-east-1", "photos", hostileName}
	ended, end := context.WithCancel(t.Context())
	end()
	empty := func(context.Context, *BulkDeletion) error { return nil }
	hang := faulttest.NewTransport(nil, faulttest.Respond(500, ""))
	c, err := New("https://x.test/v4", NewSecret("t"), WithTransport(hang))
	if err != nil {
		t.Fatal(err)
	}
	emptying := Confirmed(c, OpEmptyBucket, ref.ID())
	_, unconfirmed := c.Begin(Change{Op: OpDeleteObject, ID: ref.ID()}, nil)
	for what, err := range map[string]error{
		"not confirmed": unconfirmed,
		"emptied":       emptying.EmptyBucket(ended, "us-east-1", "photos", hostileName, empty),
		"deleted":       Confirmed(c, OpDeleteObject, ref.ID()).DeleteObject(ended, ref),
	} {
		checkClean(t, what, fmt.Sprint(err))
	}
}

// The path of a file is cleaned in the error about it.
func TestReadCertificatePair_pathsAreCleaned(t *testing.T) {
	folder := filepath.Join(t.TempDir(), hostileName)
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Skip(err)
	}
	large := filepath.Join(folder, "large")
	if err := os.WriteFile(large, make([]byte, maxPEMSize+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{folder, large} {
		_, err := readPEM(path)
		checkClean(t, path, fmt.Sprint(err))
	}
}

// A base URL that is refused is printed clean.
func TestNew_hostsAreCleaned(t *testing.T) {
	for _, base := range []string{"http://x\u202ey.test/v4", "https://x\u202ey.test/v4", "ftp://x\x1b[2Jy.test/v4"} {
		if _, err := New(base, NewSecret("t")); err == nil || unsafeForTerminal(err.Error()) != "" {
			t.Errorf("%q: %q", base, err)
		}
	}
}

// A link for another object is refused, however alike the names are: in another case, or with the same beginning.
func TestCheckPresignedURL_anotherObject(t *testing.T) {
	c, err := New("https://x.test/v4", NewSecret("t"))
	if err != nil {
		t.Fatal(err)
	}
	for _, base := range []string{"https://photos.storage.test/", "https://storage.test/photos/"} {
		for name, right := range map[string]bool{
			"2024/beach.jpg":  true,
			"2024/Beach.jpg":  false,
			"2024/beacon.jpg": false,
			"2024/beach.jpgx": false,
			"x2024/beach.jpg": false,
		} {
			link := NewSecret(base + name + "?Signature=x")
			if _, err := c.checkPresignedURL(link, "photos", "2024/beach.jpg"); (err == nil) != right {
				t.Errorf("%s%s: %v", base, name, err)
			}
		}
	}
}

// A token's scopes allow what they name, exactly: read_write includes read_only, and * includes all.
func TestScopesAllow(t *testing.T) {
	for _, c := range []struct {
		scopes, need string
		want         bool
	}{
		{"account:read_only", "", true},
		{"", "account:read_only", false},
		{"*", "account:read_write", true},
		{"account:*", "account:read_write", true},
		{"account:read_write", "account:read_only", true},
		{"account:read_only", "account:read_only", true},
		{"account:read_only", "account:read_write", false},
		{"linodes:read_write,account:read_write", "account:read_only", true},
		{"linodes:read_write account:read_only", "account:read_only", true},
		{"ACCOUNT:READ_ONLY", "account:read_only", false},
		{"Account:*", "account:read_only", false},
		{"Account:read_write", "account:read_only", false},
		{"account:read", "account:read_only", false},
		{"accounts:read_write", "account:read_only", false},
		{"account:read_writer", "account:read_only", false},
		{"object_storage:read_only", "object_storage:read_write", false},
	} {
		if got := ScopesAllow(c.scopes, c.need); got != c.want {
			t.Errorf("%q allow %q: %t", c.scopes, c.need, got)
		}
	}
}

// What was typed is cleaned in the error about it.
func TestClient_ParseCall_isCleaned(t *testing.T) {
	c, err := New("https://x.test/v4", NewSecret("t"))
	if err != nil {
		t.Fatal(err)
	}
	_, method := c.ParseCall(strings.ToUpper(hostileName), "/managed/services")
	_, path := c.ParseCall("GET", "/"+hostileName)
	_, query := c.ParseCall("GET", "/managed/services?%zz"+hostileName)
	for what, err := range map[string]error{"method": method, "path": path, "query": query} {
		if text := fmt.Sprint(err); unsafeForTerminal(text) != "" || err == nil {
			t.Errorf("%s: %q", what, text)
		}
	}
}

// A good answer allows one more retry, and not all of them, up to the budget.
func TestTransport_goodAnswersRefillTheBudget(t *testing.T) {
	c, err := New("https://x.test/v4", NewSecret("t"))
	if err != nil {
		t.Fatal(err)
	}
	w := c.transport
	w.retryBudget = 0
	for n := range maxRetryBudget + 5 {
		if w.updateLimits(200, http.Header{}); w.retryBudget != min(n+1, maxRetryBudget) {
			t.Errorf("%d good answers allow %d retries", n+1, w.retryBudget)
		}
		if w.updateLimits(503, http.Header{}); w.retryBudget != min(n+1, maxRetryBudget) {
			t.Errorf("after a bad answer: %d retries", w.retryBudget)
		}
	}
}

// A read that has less time than the API asks to wait ends at once with the API's answer.
func TestTransport_noWaitBeyondTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := faulttest.NewTransport(nil, faulttest.Respond(429, "", "Retry-After", "30"))
		c, err := New("https://x.test/v4", NewSecret("t"), WithTransport(wire))
		if err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithTimeout(t.Context(), 5*time.Second)
		defer end()
		began := time.Now()
		_, err = c.Services.List(ctx, 1)
		var failed *Error
		if !errors.As(err, &failed) || failed.Status != 429 || failed.RetryAfter != 30*time.Second ||
			time.Since(began) > 0 || len(wire.Requests()) != 1 {
			t.Errorf("after %v and %d requests: %v", time.Since(began), len(wire.Requests()), err)
		}
	})
}

// A path is an operation's only if it is written as in the document.
func TestClient_ParseCall(t *testing.T) {
	c, err := New("https://x.test/v4", NewSecret("t"))
	if err != nil {
		t.Fatal(err)
	}
	for call, op := range map[string]string{
		"GET /managed/services":         "list services",
		"get /v4/managed/services/":     "list services",
		"GETX /managed/services":        "",
		"DELETEALL /managed/services/7": "",
		"GET /Managed/Services":         "",
		"GET /managed/servicesx":        "",
		"GET /managed":                  "",
	} {
		method, path, _ := strings.Cut(call, " ")
		r, err := c.ParseCall(method, path)
		if (err == nil) != (op != "") || err == nil && r.Op() != op {
			t.Errorf("%s: %+v, %v", call, r, err)
		}
	}
}

// Markers that differ only in case, or only behind their eighth character, are different places in a listing.
func TestCycleDetector_similarMarkers(t *testing.T) {
	for _, markers := range [][]string{{"A", "a"}, {"folder00/a", "folder00/b"}, {"FOLDER", "FOLDEr"}} {
		cycles := newCycleDetector(ObjectQuery{})
		for i, marker := range markers {
			page := ObjectPage{NextMarker: marker, Truncated: true, Data: []Object{{Name: NewText(marker)}}}
			if i > 0 {
				page.check(markers[i-1])
			}
			if why := cycles.check(page); why != "" || page.Incomplete != "" {
				t.Errorf("%q after %q: %q, %q", marker, markers[:i], why, page.Incomplete)
			}
		}
	}
	// A marker that is not the last name has no order, however similar it is.
	for _, pages := range [][2][2]string{
		{{"next-page-1", "next-page-2"}, {"a", "a"}}, {{"za", "zA"}, {"b", "b"}}, // the last name, the marker
		{{"zz", "zz"}, {"last-name-1", "last-name-2"}}, {{"zz", "zz"}, {"last", "Last"}},
	} {
		cycles := newCycleDetector(ObjectQuery{})
		for _, p := range pages {
			data := []Object{{Name: NewText(p[0])}}
			if why := cycles.check(ObjectPage{NextMarker: p[1], Truncated: true, Data: data}); why != "" {
				t.Errorf("%q: %s", pages, why)
			}
		}
	}
}
