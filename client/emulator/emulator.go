// Package emulator implements the account API from its document, statefully and in memory. It shares nothing with the
// client, so that a wrong name in either is noticed.
package emulator

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Options describe the emulated account.
type Options struct {
	Token             string           // the only token it accepts
	Service           string           // ServiceDocument (the default) or ServiceNow
	Seed              string           // "demo" (the default), "empty" or "large"
	Now               func() time.Time // nil means time.Now
	Scopes            string           // scopes of the token; "" means all
	RestrictedUser    bool             // the user has no access to Managed
	NegativeBalance   bool             // no bucket and no key can be created
	SimulateIncidents bool             // services fail and recover now and then, with an issue for each failure
	BaseURL           string           // of pre-signed URLs; "" means https://objects.emulator.invalid
}

// The services that an emulator can be.
const (
	ServiceDocument = "2021" // the account API as its document describes it
	ServiceNow      = "now"  // as the real service answers today
)

// An Emulator answers like the account API. It is safe for concurrent use.
type Emulator struct {
	options   Options
	clock     func() time.Time
	mux       *http.ServeMux
	endpoints []Route
	patterns  patterns // every request that it answers, with the path of each spelling

	mu         sync.Mutex
	account    // guarded by mu, as are the fields below
	signingKey []byte
	consistency
	ledger        []AppliedChange
	requestCounts map[string]int
	faults        []*armedFault
	limits        *limits
}

// account is the state of the emulated account.
type account struct {
	today         bool // it is an account of ServiceNow
	started       time.Time
	lastID        int // last ID given to anything
	contacts      []*contact
	credentials   []*credential
	services      []*service
	issues        []*issue
	instances     []*instance
	tickets       []*ticket
	buckets       []*bucket
	keys          []*key
	transferUsed  int64
	noStorage     bool // Object Storage is not enabled; only with today
	incidentCount int  // incidents started by SimulateIncidents
}

// A Route is one operation of the document's section "Endpoints".
type Route struct {
	Name   string // "disable service"
	Method string
	Path   string // as the document writes it
	Scope  string // "" if it needs none
	Write  bool
}

// New returns an emulator whose account is filled as o.Seed says.
func New(o Options) *Emulator {
	e := &Emulator{
		options:       o,
		clock:         o.Now,
		mux:           http.NewServeMux(),
		requestCounts: map[string]int{},
		signingKey:    []byte("emulated signature"),
		limits:        newLimits(o.Service == ServiceNow),
	}
	if e.clock == nil {
		e.clock = time.Now
	}
	if e.options.BaseURL == "" {
		e.options.BaseURL = "https://objects.emulator.invalid"
	}
	if e.options.Scopes == "" {
		e.options.Scopes = "*"
	}
	e.today = o.Service == ServiceNow
	e.started = e.now().UTC()
	addManagedRoutes(e)
	addStorageRoutes(e)
	addUndocumentedRoutes(e)
	e.patterns = append(e.patterns, objectPatterns(e.sites())...)
	e.seed(o.Seed)
	return e
}

// Service returns the service that it is: ServiceDocument or ServiceNow.
func (e *Emulator) Service() string {
	if e.today {
		return ServiceNow
	}
	return ServiceDocument
}

// Endpoints returns the document's operations, in its order.
func (e *Emulator) Endpoints() []Route { return slices.Clone(e.endpoints) }

// Serves reports whether it has an operation.
func (e *Emulator) Serves(op string) bool {
	return slices.ContainsFunc(e.endpoints, func(p Route) bool { return p.Name == op })
}

// An apiError is an error response (section "Errors").
type apiError struct {
	status  int
	reasons []errorReason
}

type errorReason struct {
	Reason string `json:"reason"`
	Field  string `json:"field,omitempty"`
}

// Error returns the first reason.
func (f *apiError) Error() string { return f.reasons[0].Reason }

// invalidField rejects a field with status 400. The document gives no status.
func invalidField(field, format string, args ...any) *apiError {
	return &apiError{status: http.StatusBadRequest, reasons: []errorReason{{fmt.Sprintf(format, args...), field}}}
}

func newAPIError(status int, text string) *apiError {
	return &apiError{status: status, reasons: []errorReason{{Reason: text}}}
}

func notFound() *apiError { return newAPIError(http.StatusNotFound, "Not found") }

// apiRequest is a request that a handler answers while the emulator is locked.
type apiRequest struct {
	e      *Emulator
	r      *http.Request
	body   map[string]json.RawMessage
	filter filter // of the header X-Filter
}

func (c *apiRequest) pathInt(name string) int {
	n, err := strconv.Atoi(c.r.PathValue(name))
	if err != nil {
		return -1
	}
	return n
}

// handler returns a value to send as JSON, or an *apiError.
type handler func(*apiRequest) (any, error)

// emptyObject is the response of operations that return nothing.
type emptyObject struct{}

// handle registers an operation at its path and at the patterns in also.
func (e *Emulator) handle(op Route, h handler, also ...string) {
	e.endpoints = append(e.endpoints, op)
	e.handlePattern(op, op.Method+" /v4"+op.Path, h)
	for _, pattern := range also {
		method, path, _ := strings.Cut(pattern, " ")
		e.handlePattern(op, method+" /v4"+path, h)
	}
}

// handlePattern registers an operation at one pattern. A slash at the end belongs to the path.
func (e *Emulator) handlePattern(op Route, pattern string, h handler) {
	known := op
	known.Method, known.Path, _ = strings.Cut(strings.Replace(pattern, " /v4/", " /", 1), " ")
	e.patterns = append(e.patterns, known)
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
		e.setHeaders(w, Route{})
		writeJSON(w, http.StatusNotFound, errorBody{[]errorReason{{Reason: "Not found"}}})
		return
	}
	e.mux.ServeHTTP(w, r)
}

type errorBody struct {
	Errors []errorReason `json:"errors"`
}

// serveAPI handles an API request: faults first, then process.
func (e *Emulator) serveAPI(w http.ResponseWriter, r *http.Request, op Route, h handler) {
	fault, age := e.matchFault(r, op)
	if fault != nil && fault.fault.Late > 0 && op.Write {
		e.postpone(r, op, h, fault.fault.Late)
	}
	if fault != nil && fault.fault.OldRow && op.Write {
		e.answerOldRow(w, r, op, h, fault.fault.ApplyFirst)
		return
	}
	if fault != nil && fault.runBefore(w, r) {
		return
	}
	status, answer := e.process(w, r, op, h, age)
	if fault != nil && fault.runAfter(w, r) {
		return
	}
	writeJSON(w, status, answer)
}

// process counts and executes a request under the lock, on the account as it was age ago. It returns the status and the
// response body.
func (e *Emulator) process(
	w http.ResponseWriter, r *http.Request, op Route, h handler, age time.Duration,
) (status int, answer any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requestCounts[op.Name]++
	e.advance()
	if exceeded := e.setHeaders(w, op); exceeded {
		return http.StatusTooManyRequests, errorBody{[]errorReason{{Reason: reasonFor(http.StatusTooManyRequests)}}}
	}
	e.withAge(age, func() { status, answer = e.execute(w.Header(), r, op, h) })
	return status, answer
}

// execute checks and executes a request. The caller holds the lock.
func (e *Emulator) execute(header http.Header, r *http.Request, op Route, h handler) (int, any) {
	if f := e.authorize(header, r, op); f != nil {
		return f.status, errorBody{f.reasons}
	}
	c := &apiRequest{e: e, r: r}
	if f := c.readBody(); f != nil {
		return f.status, errorBody{f.reasons}
	}
	if f := c.readFilter(); f != nil {
		return f.status, errorBody{f.reasons}
	}
	answer, err := h(c)
	if err != nil {
		f := err.(*apiError)
		return f.status, errorBody{f.reasons}
	}
	if op.Write {
		e.recordChange(op.Name, r, c.body)
	}
	if written, ok := answer.(json.RawMessage); ok {
		return http.StatusOK, written
	}
	data, err := json.Marshal(answer) // under the lock, because answer points into the account
	if err != nil {
		return http.StatusInternalServerError, errorBody{
			[]errorReason{{Reason: "the emulator cannot encode its response"}},
		}
	}
	return http.StatusOK, json.RawMessage(data)
}

// readBody decodes the body, which must be an object if there is one.
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

// authorize checks the token, the user and the scope. The document gives no status; the real service answers 401 for a
// missing scope too, and 403 "Unauthorized" to restricted users.
func (e *Emulator) authorize(header http.Header, r *http.Request, op Route) *apiError {
	if r.Header.Get("Authorization") != "Bearer "+e.options.Token {
		header.Set("X-OAuth-Scopes", "unknown")
		return newAPIError(http.StatusUnauthorized, "Invalid Token")
	}
	if op.Scope != "" && !hasScope(e.options.Scopes, op.Scope) {
		return newAPIError(http.StatusUnauthorized, "Your OAuth token is not authorized to use this endpoint.")
	}
	if e.options.RestrictedUser && strings.HasPrefix(op.Path, "/managed/") {
		return newAPIError(http.StatusForbidden, "Unauthorized")
	}
	return nil
}

// hasScope reports whether the token has a scope; read_write includes read_only.
func hasScope(scopes, scope string) bool {
	area, _, _ := strings.Cut(scope, ":")
	for _, have := range strings.Fields(scopes) {
		if have == "*" || have == scope || have == area+":read_write" {
			return true
		}
	}
	return false
}

// setHeaders counts the request and sets the headers that the real service puts on every response. It reports whether
// the request exceeds a limit that is enforced. Requests to unknown paths come without the lock.
func (e *Emulator) setHeaders(w http.ResponseWriter, op Route) (exceeded bool) {
	now := e.clock()
	limit, used, reset := e.limits.count(op, now)
	h := w.Header()
	h.Set("X-Spec-Version", "4.176.0")
	h.Set("X-OAuth-Scopes", e.options.Scopes)
	if op.Scope != "" {
		h.Set("X-Accepted-OAuth-Scopes", op.Scope)
	}
	h.Set("X-RateLimit-Limit", strconv.Itoa(limit))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(max(0, limit-used)))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(ceilSecond(reset).Unix(), 10))
	h.Set("Retry-After", strconv.Itoa(int(math.Ceil(reset.Sub(now).Seconds()))))
	return e.limits.enforced && used > limit
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
			`{"errors":[{"reason":"the emulator cannot encode its response"}]}`,
		)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(status)
	_, _ = w.Write(data)
}

// nextID returns an ID that nothing else has.
func (a *account) nextID() int {
	a.lastID++
	return a.lastID
}

// timestamp is a time as the API writes it: in UTC, without a zone.
type timestamp time.Time

// MarshalJSON encodes the time; the zero time is null.
func (s timestamp) MarshalJSON() ([]byte, error) {
	if time.Time(s).IsZero() {
		return []byte("null"), nil
	}
	return []byte(`"` + time.Time(s).UTC().Format("2006-01-02T15:04:05") + `"`), nil
}

func (e *Emulator) timestampNow() timestamp { return timestamp(e.now()) }

// pageBody is the envelope of paginated lists (section "Conventions").
type pageBody struct {
	Data    any `json:"data"`
	Page    int `json:"page"`
	Pages   int `json:"pages"` // 1 if the list is empty
	Results int `json:"results"`
}

// paginate returns the page of rows that page and page_size ask for. page_size is 25 to 500, by default 100. The
// document gives no limits; errors for other values are an assumption.
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
	from := len(rows)
	if page <= pages {
		from = (page - 1) * size
	}
	data := rows[from:min(len(rows), from+size)]
	if data == nil {
		data = []T{}
	}
	return pageBody{data, page, pages, len(rows)}, nil
}
