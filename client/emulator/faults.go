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
	Late       time.Duration // apply a change this long after its arrival; without another failure it is answered 504
	Stale      time.Duration // answer reads from the account as it was this long ago
	Alternate  bool          // with Stale: every other read is answered from the current account
	// OldRow answers a change of a row with status 200 and the row as it was before. Without ApplyFirst or Late, the
	// change is not applied.
	OldRow bool
	Times  int // number of requests to fail; 0 means all
}

// armedFault is a fault that waits for matching requests.
type armedFault struct {
	pattern  string
	fault    Fault
	used     int
	released chan struct{} // of HoldRequests; nil for a fault
}

// InjectFault adds a fault for requests that match. match is the name of an operation, or a path.Match pattern for
// "METHOD /path" without the version. A "*" at its end matches anything. With f.Stale, the account is remembered from
// now on: an older state is not known.
func (e *Emulator) InjectFault(match string, f Fault) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if f.Late > 0 && f.Status == 0 && !f.Reset && !f.HTML && !f.OldRow {
		f.Status = http.StatusGatewayTimeout
	}
	if f.Stale > 0 {
		e.history.keep(f.Stale, e.now(), &e.account)
	}
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
	e.history = history{}
}

// matchFault returns the first fault for a request, or nil, and the age of the account that a read is answered from.
func (e *Emulator) matchFault(r *http.Request, op Route) (fault *armedFault, age time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	line := r.Method + " " + strings.TrimPrefix(r.URL.Path, "/v4")
	for _, a := range e.faults {
		if !matches(a.pattern, line, op.Name) || a.fault.Times > 0 && a.used >= a.fault.Times {
			continue
		}
		a.used++
		if !op.Write && (!a.fault.Alternate || a.used%2 == 1) {
			age = a.fault.Stale
		}
		return a, age
	}
	return nil, 0
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
