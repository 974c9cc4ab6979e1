// Package emulator is the account API again, from its document: stateful, in memory. It shares nothing with the client,
// so that a wrong tag there is seen.
package emulator

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Options choose the account that is emulated.
type Options struct {
	Token             string           // the only token that is accepted
	Seed              string           // demo, empty or large
	Now               func() time.Time // nil is time.Now
	Scopes            string           // of the token; "" is all of them
	RestrictedUser    bool             // the user is restricted: no Managed
	NegativeBalance   bool             // no bucket and no key can be made
	SimulateIncidents bool             // things happen by themselves: a service fails, an issue opens, it recovers
	BaseURL           string           // where pre-signed URLs lead; "" is https://objects.emulator.invalid
}

// An Emulator answers as the account API. It may be used from many goroutines.
type Emulator struct {
	options   Options
	now       func() time.Time
	mux       *http.ServeMux
	endpoints []Endpoint

	mu                         sync.Mutex
	started                    time.Time
	lastID                     int // number given last
	contacts                   []*contact
	credentials                []*credential
	services                   []*service
	issues                     []*issue
	instances                  []*instance
	tickets                    []*ticket
	buckets                    []*bucket
	keys                       []*key
	transferUsed               int64
	signingKey                 []byte
	ledger                     []AppliedChange
	requestCounts              map[string]int
	faults                     []*armedFault
	generalLimit, storageLimit rateLimit
	incidentCount              int // how many things have happened
}

// An Endpoint is one line of the document's "Endpoints".
type Endpoint struct {
	Name   string // "disable service"
	Method string
	Path   string // as the document writes it
	Scope  string // "" needs none
	Write  bool
}

// New is an emulator with the account of a seed.
func New(o Options) *Emulator {
	e := &Emulator{
		options:       o,
		now:           o.Now,
		mux:           http.NewServeMux(),
		requestCounts: map[string]int{},
		signingKey:    []byte("emulated signature"),
		generalLimit:  generalRateLimit(),
		storageLimit:  storageRateLimit(),
	}
	if e.now == nil {
		e.now = time.Now
	}
	if e.options.BaseURL == "" {
		e.options.BaseURL = "https://objects.emulator.invalid"
	}
	if e.options.Scopes == "" {
		e.options.Scopes = "*"
	}
	e.started = e.now().UTC()
	e.managedRoutes()
	e.storageRoutes()
	e.undocumentedRoutes()
	e.seed()
	return e
}

// Endpoints are the document's operations, in its order.
func (e *Emulator) Endpoints() []Endpoint { return slices.Clone(e.endpoints) }

// A apiError is an answer that refuses ("Errors").
type apiError struct {
	status  int
	reasons []errorReason
}

type errorReason struct {
	Reason string `json:"reason"`
	Field  string `json:"field,omitempty"`
}

func (f *apiError) Error() string { return f.reasons[0].Reason }

// invalidField refuses a field with 400. The document shows no status.
func invalidField(field, format string, args ...any) *apiError {
	return &apiError{status: http.StatusBadRequest, reasons: []errorReason{{fmt.Sprintf(format, args...), field}}}
}

func newAPIError(status int, text string) *apiError {
	return &apiError{status: status, reasons: []errorReason{{Reason: text}}}
}

func notFound() *apiError { return newAPIError(http.StatusNotFound, "Not found") }

// apiRequest is a request on its way to a handler, under the lock.
type apiRequest struct {
	e    *Emulator
	r    *http.Request
	body map[string]json.RawMessage
}

func (c *apiRequest) pathInt(name string) int {
	n, err := strconv.Atoi(c.r.PathValue(name))
	if err != nil {
		return -1
	}
	return n
}

// handler answers a call with a value to be sent as JSON, or refuses.
type handler func(*apiRequest) (any, error)

// emptyObject is the answer of operations that return nothing.
type emptyObject struct{}

// handle puts an operation at its path, and at the others by which it is known.
func (e *Emulator) handle(op Endpoint, h handler, also ...string) {
	e.endpoints = append(e.endpoints, op)
	e.handlePattern(op, op.Method+" /v4"+op.Path, h)
	for _, pattern := range also {
		method, path, _ := strings.Cut(pattern, " ")
		e.handlePattern(op, method+" /v4"+path, h)
	}
}

// handlePattern serves an operation at one pattern. A slash at the end is part of the path.
func (e *Emulator) handlePattern(op Endpoint, pattern string, h handler) {
	if strings.HasSuffix(pattern, "/") {
		pattern += "{$}"
	}
	e.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { e.serveAPI(w, r, op, h) })
}

// ServeHTTP answers API paths and pre-signed URLs.
func (e *Emulator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, "/v4/") {
		e.serveObject(w, r)
		return
	}
	if _, pattern := e.mux.Handler(r); pattern == "" {
		e.setHeaders(w, r, Endpoint{})
		writeJSON(w, http.StatusNotFound, errorBody{[]errorReason{{Reason: "Not found"}}})
		return
	}
	e.mux.ServeHTTP(w, r)
}

type errorBody struct {
	Errors []errorReason `json:"errors"`
}

// serveAPI is the way of every API request: fault, token, scope, body, handler, ledger.
func (e *Emulator) serveAPI(w http.ResponseWriter, r *http.Request, op Endpoint, h handler) {
	fault := e.matchFault(r, op)
	if fault != nil && fault.runBefore(w, r) {
		return
	}
	status, answer := e.process(w, r, op, h)
	if fault != nil && fault.runAfter(w, r) {
		return
	}
	writeJSON(w, status, answer)
}

// process works a request under the lock.
func (e *Emulator) process(w http.ResponseWriter, r *http.Request, op Endpoint, h handler) (int, any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requestCounts[op.Name]++
	e.advance()
	e.setHeaders(w, r, op)
	if f := e.authorize(w, r, op); f != nil {
		return f.status, errorBody{f.reasons}
	}
	c := &apiRequest{e: e, r: r}
	if f := c.readBody(); f != nil {
		return f.status, errorBody{f.reasons}
	}
	answer, err := h(c)
	if err != nil {
		f := err.(*apiError)
		return f.status, errorBody{f.reasons}
	}
	if op.Write {
		e.ledger = append(e.ledger, AppliedChange{
			Seq:    len(e.ledger) + 1,
			Time:   e.now(),
			Op:     op.Name,
			Method: r.Method,
			Path:   r.URL.Path,
			Body:   c.body,
		})
	}
	if written, ok := answer.(json.RawMessage); ok {
		return http.StatusOK, written
	}
	data, err := json.Marshal(answer) // under the lock: the answer points into the account
	if err != nil {
		return http.StatusInternalServerError, errorBody{
			[]errorReason{{Reason: "the emulator cannot write its answer"}},
		}
	}
	return http.StatusOK, json.RawMessage(data)
}

// readBody takes the body, which must be an object where there is one.
func (c *apiRequest) readBody() *apiError {
	if c.r.Body == nil || c.r.Body == http.NoBody {
		return nil
	}
	data, err := readLimited(c.r.Body)
	if err != nil {
		return newAPIError(http.StatusRequestEntityTooLarge, "Request body too large")
	}
	if len(data) == 0 {
		return nil
	}
	if json.Unmarshal(data, &c.body) != nil {
		return newAPIError(http.StatusBadRequest, "Invalid JSON")
	}
	return nil
}

// authorize checks token, user and scope. The document shows no status: the real service answers 401 for a missing
// scope too, and 403 "Unauthorized" to restricted users.
func (e *Emulator) authorize(w http.ResponseWriter, r *http.Request, op Endpoint) *apiError {
	if r.Header.Get("Authorization") != "Bearer "+e.options.Token {
		w.Header().Set("X-OAuth-Scopes", "unknown")
		return newAPIError(http.StatusUnauthorized, "Invalid Token")
	}
	if op.Scope != "" && !e.hasScope(op.Scope) {
		return newAPIError(http.StatusUnauthorized, "Your OAuth token is not authorized to use this endpoint.")
	}
	if e.options.RestrictedUser && strings.HasPrefix(op.Path, "/managed/") {
		return newAPIError(http.StatusForbidden, "Unauthorized")
	}
	return nil
}

// hasScope reports whether the token has a scope; read_write holds read_only.
func (e *Emulator) hasScope(scope string) bool {
	area, _, _ := strings.Cut(scope, ":")
	for _, have := range strings.Fields(e.options.Scopes) {
		if have == "*" || have == scope || have == area+":read_write" {
			return true
		}
	}
	return false
}

// An rateLimit is how many requests the real service takes in a span.
type rateLimit struct {
	limit       int
	window      time.Duration
	windowStart time.Time
	used        int
}

// generalRateLimit and storageRateLimit are those of the document ("Rate Limiting"). They are told, and not enforced.
func generalRateLimit() rateLimit { return rateLimit{limit: 800, window: 2 * time.Minute} }
func storageRateLimit() rateLimit { return rateLimit{limit: 750, window: time.Second} }

// countRequest takes a request and says when the span ends.
func (a *rateLimit) countRequest(now time.Time) (reset time.Time) {
	if now.Sub(a.windowStart) >= a.window {
		a.windowStart, a.used = now, 0
	}
	a.used++
	return a.windowStart.Add(a.window)
}

// setHeaders are those that the real service puts on every answer.
func (e *Emulator) setHeaders(w http.ResponseWriter, _ *http.Request, op Endpoint) {
	now := e.now()
	a := &e.generalLimit
	if strings.HasPrefix(op.Path, "/object-storage") {
		a = &e.storageLimit
	}
	reset := a.countRequest(now)
	h := w.Header()
	h.Set("X-Spec-Version", "4.176.0")
	h.Set("X-OAuth-Scopes", e.options.Scopes)
	if op.Scope != "" {
		h.Set("X-Accepted-OAuth-Scopes", op.Scope)
	}
	h.Set("X-RateLimit-Limit", strconv.Itoa(a.limit))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(max(0, a.limit-a.used)))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(reset.Unix(), 10))
	h.Set("Retry-After", strconv.Itoa(int(reset.Sub(now).Seconds())))
}

// writeJSON writes an answer as JSON.
func writeJSON(w http.ResponseWriter, status int, answer any) {
	data, written := answer.(json.RawMessage)
	var err error
	if !written {
		data, err = json.Marshal(answer)
	}
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(
			`{"errors":[{"reason":"the emulator cannot write its answer"}]}`,
		)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(status)
	_, _ = w.Write(data)
}

// nextID is a new number, unique over all kinds.
func (e *Emulator) nextID() int {
	e.lastID++
	return e.lastID
}

// timestamp is a time as the API writes it: without a zone, in UTC.
type timestamp time.Time

// MarshalJSON writes the stamp; a zero one is null.
func (s timestamp) MarshalJSON() ([]byte, error) {
	if time.Time(s).IsZero() {
		return []byte("null"), nil
	}
	return []byte(`"` + time.Time(s).UTC().Format("2006-01-02T15:04:05") + `"`), nil
}

func (e *Emulator) timestampNow() timestamp { return timestamp(e.now()) }

// pageBody is the envelope of paginated lists ("Conventions").
type pageBody struct {
	Data    any `json:"data"`
	Page    int `json:"page"`
	Pages   int `json:"pages"` // 1 for an empty list
	Results int `json:"results"`
}

// paginate cuts a list by page and page_size, 25..500 and 100 by default. The document shows no bounds; an error for
// others is assumed.
func paginate[T any](c *apiRequest, rows []T) (any, error) {
	page, size := 1, 100
	for name, into := range map[string]*int{"page": &page, "page_size": &size} {
		if text := c.r.URL.Query().Get(name); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 {
				return nil, invalidField(name, "%s must be a positive integer", name)
			}
			*into = n
		}
	}
	if size < 25 || size > 500 {
		return nil, invalidField("page_size", "Must be 25-500")
	}
	pages := max(1, (len(rows)+size-1)/size)
	from := min(len(rows), (page-1)*size)
	data := rows[from:min(len(rows), from+size)]
	if data == nil {
		data = []T{}
	}
	return pageBody{data, page, pages, len(rows)}, nil
}
