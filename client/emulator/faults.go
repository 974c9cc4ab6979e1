package emulator

import (
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

// A Fault describes what goes wrong with matching requests.
type Fault struct {
	Status     int           // of the error response; 0 for none
	Body       string        // of that response; "" means an error in the API's format
	HTML       bool          // the response is an HTML page
	RetryAfter string        // header of that response
	Delay      time.Duration // before the request is handled
	Reset      bool          // reset the connection instead of answering
	CutAfter   int           // close the connection after this many bytes of the response; 0 means never
	ApplyFirst bool          // apply the request before failing
	Times      int           // number of requests to fail; 0 means all
}

// armedFault is a fault that waits for matching requests.
type armedFault struct {
	pattern  string
	fault    Fault
	used     int
	released chan struct{} // of HoldRequests; nil for a fault
}

// InjectFault adds a fault for requests that match. match is the name of an operation, or a path.Match pattern for
// "METHOD /path" without the version. A "*" at its end matches anything.
func (e *Emulator) InjectFault(match string, f Fault) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.faults = append(e.faults, &armedFault{pattern: match, fault: f})
}

// HoldRequests blocks matching requests before they are handled, until release is called or they are cancelled.
func (e *Emulator) HoldRequests(match string) (release func()) {
	a := &armedFault{pattern: match, released: make(chan struct{})}
	e.mu.Lock()
	e.faults = append(e.faults, a)
	e.mu.Unlock()
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		for i, other := range e.faults {
			if other == a {
				e.faults = append(e.faults[:i:i], e.faults[i+1:]...)
				close(a.released)
				return
			}
		}
	}
}

// ClearFaults removes all faults.
func (e *Emulator) ClearFaults() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.faults = nil
}

// matchFault returns the first fault for a request, or nil.
func (e *Emulator) matchFault(r *http.Request, op Endpoint) *armedFault {
	e.mu.Lock()
	defer e.mu.Unlock()
	line := r.Method + " " + strings.TrimPrefix(r.URL.Path, "/v4")
	for _, a := range e.faults {
		if !matches(a.pattern, line, op.Name) || a.fault.Times > 0 && a.used >= a.fault.Times {
			continue
		}
		a.used++
		return a
	}
	return nil
}

func matches(pattern, line, op string) bool {
	if pattern == op || pattern == "*" {
		return true
	}
	if start, open := strings.CutSuffix(pattern, "*"); open && strings.HasPrefix(line, start) {
		return true
	}
	ok, err := path.Match(pattern, line)
	return err == nil && ok
}

// runBefore applies the fault before the request is handled. It reports whether the request has been answered.
func (a *armedFault) runBefore(w http.ResponseWriter, r *http.Request) bool {
	if a.released != nil {
		select {
		case <-a.released:
		case <-r.Context().Done():
		}
		return false
	}
	if a.fault.Delay > 0 {
		timer := time.NewTimer(a.fault.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
			return true
		}
	}
	if a.fault.ApplyFirst {
		return false
	}
	return a.respond(w)
}

// runAfter applies the fault after the request was handled. It reports whether the request has been answered.
func (a *armedFault) runAfter(w http.ResponseWriter, _ *http.Request) bool {
	if a.released != nil || !a.fault.ApplyFirst && a.fault.CutAfter == 0 {
		return false
	}
	if a.fault.CutAfter > 0 {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(a.fault.CutAfter+100))
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write([]byte(strings.Repeat(" ", a.fault.CutAfter)))
		panic(http.ErrAbortHandler)
	}
	return a.respond(w)
}

// respond answers with the fault. It reports whether the fault has a response.
func (a *armedFault) respond(w http.ResponseWriter) bool {
	f := a.fault
	if f.Reset {
		panic(http.ErrAbortHandler)
	}
	if f.Status == 0 && !f.HTML && f.Body == "" {
		return false
	}
	if f.RetryAfter != "" {
		w.Header().Set("Retry-After", f.RetryAfter)
	}
	kind, body := "application/json", f.Body
	switch {
	case f.HTML:
		kind = "text/html"
		if body == "" {
			body = "<html><head><title>" + strconv.Itoa(f.Status) + "</title></head><body>nginx</body></html>"
		}
	case body == "":
		body = fmt.Sprintf(`{"errors":[{"reason":%q}]}`, reasonFor(f.Status))
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(max(f.Status, http.StatusOK))
	_, _ = w.Write([]byte(body))
	return true
}

func reasonFor(status int) string {
	if status == http.StatusTooManyRequests {
		return "Too many requests"
	}
	return http.StatusText(status)
}

// ParseFault parses a fault from the command line: a pattern, followed by words such as status=503 times=3 delay=200ms
// reset html cut=10 applied retry-after=7.
func ParseFault(spec string) (match string, f Fault, err error) {
	words := strings.Fields(spec)
	var pattern []string
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "status":
			f.Status, err = strconv.Atoi(value)
		case "times":
			f.Times, err = strconv.Atoi(value)
		case "cut":
			f.CutAfter, err = strconv.Atoi(value)
		case "delay":
			f.Delay, err = time.ParseDuration(value)
		case "retry-after":
			f.RetryAfter = value
		case "reset":
			f.Reset = true
		case "html":
			f.HTML = true
		case "applied":
			f.ApplyFirst = true
		default:
			pattern = append(pattern, word)
		}
		if err != nil {
			return "", f, fmt.Errorf("fault %q: %s: %w", spec, name, err)
		}
	}
	if len(pattern) == 0 {
		return "", f, fmt.Errorf(
			"fault %q: missing request; write it as in \"GET /managed/services status=503 times=3\"", spec,
		)
	}
	return strings.Join(pattern, " "), f, nil
}
