// Package emulator is the account API again, from its document: stateful, in memory. It shares nothing with the client, so that a wrong
// tag there is seen.
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
	Token           string           // the only token that is accepted
	Seed            string           // demo, empty or large
	Now             func() time.Time // nil is time.Now
	Scopes          string           // of the token; "" is all of them
	Restricted      bool             // the user is restricted: no Managed
	NegativeBalance bool             // no bucket and no key can be made
	Lively          bool             // things happen by themselves: a service fails, an issue opens, it recovers
	BaseURL         string           // where pre-signed URLs lead; "" is https://objects.emulator.invalid
}

// An Emulator answers as the account API. It may be used from many goroutines.
type Emulator struct {
	options Options
	now     func() time.Time
	mux     *http.ServeMux
	ops     []Operation

	mu               sync.Mutex
	started          time.Time
	last             int // number given last
	contacts         []*contact
	creds            []*credential
	services         []*service
	issues           []*issue
	machines         []*machine
	tickets          []*ticket
	buckets          []*bucket
	keys             []*key
	used             int64
	secret           []byte
	ledger           []Applied
	counts           map[string]int
	faults           []*armed
	general, storage allowance
	turn             int // how many things have happened
}

// An Operation is one line of the document's "Endpoints".
type Operation struct {
	Name   string // "disable service"
	Method string
	Path   string // as the document writes it
	Scope  string // "" needs none
	Write  bool
}

// New is an emulator with the account of a seed.
func New(o Options) *Emulator {
	e := &Emulator{options: o, now: o.Now, mux: http.NewServeMux(), counts: map[string]int{}, secret: []byte("emulated signature"), general: generalAllowance(), storage: storageAllowance()}
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
	e.providerRoutes()
	e.seed()
	return e
}

// Operations are the document's operations, in its order.
func (e *Emulator) Operations() []Operation { return slices.Clone(e.ops) }

// A failure is an answer that refuses ("Errors").
type failure struct {
	status  int
	reasons []reason
}

type reason struct {
	Reason string `json:"reason"`
	Field  string `json:"field,omitempty"`
}

func (f *failure) Error() string { return f.reasons[0].Reason }

// invalid refuses a field with 400. The document shows no status.
func invalid(field, format string, args ...any) *failure {
	return &failure{status: http.StatusBadRequest, reasons: []reason{{fmt.Sprintf(format, args...), field}}}
}

func refuse(status int, text string) *failure {
	return &failure{status: status, reasons: []reason{{Reason: text}}}
}

func notFound() *failure { return refuse(http.StatusNotFound, "Not found") }

// call is a request on its way to a handler, under the lock.
type call struct {
	e    *Emulator
	r    *http.Request
	body map[string]json.RawMessage
}

func (c *call) number(name string) int {
	n, err := strconv.Atoi(c.r.PathValue(name))
	if err != nil {
		return -1
	}
	return n
}

// handler answers a call with a value to be sent as JSON, or refuses.
type handler func(*call) (any, error)

// nothing is the answer of operations that return nothing.
type nothing struct{}

// route puts an operation at its path, and at the others by which it is known.
func (e *Emulator) route(op Operation, h handler, also ...string) {
	e.ops = append(e.ops, op)
	e.at(op, op.Method+" /v4"+op.Path, h)
	for _, pattern := range also {
		method, path, _ := strings.Cut(pattern, " ")
		e.at(op, method+" /v4"+path, h)
	}
}

// at serves an operation at one pattern. A slash at the end is part of the path.
func (e *Emulator) at(op Operation, pattern string, h handler) {
	if strings.HasSuffix(pattern, "/") {
		pattern += "{$}"
	}
	e.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { e.serve(w, r, op, h) })
}

// ServeHTTP answers API paths and pre-signed URLs.
func (e *Emulator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, "/v4/") {
		e.serveObject(w, r)
		return
	}
	if _, pattern := e.mux.Handler(r); pattern == "" {
		e.headers(w, r, Operation{})
		send(w, http.StatusNotFound, errorBody{[]reason{{Reason: "Not found"}}})
		return
	}
	e.mux.ServeHTTP(w, r)
}

type errorBody struct {
	Errors []reason `json:"errors"`
}

// serve is the way of every API request: fault, token, scope, body, handler, ledger.
func (e *Emulator) serve(w http.ResponseWriter, r *http.Request, op Operation, h handler) {
	fault := e.fault(r, op)
	if fault != nil && fault.before(w, r) {
		return
	}
	status, answer := e.answer(w, r, op, h)
	if fault != nil && fault.after(w, r) {
		return
	}
	send(w, status, answer)
}

// answer works a request under the lock.
func (e *Emulator) answer(w http.ResponseWriter, r *http.Request, op Operation, h handler) (int, any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.counts[op.Name]++
	e.live()
	e.headers(w, r, op)
	if f := e.admit(w, r, op); f != nil {
		return f.status, errorBody{f.reasons}
	}
	c := &call{e: e, r: r}
	if f := c.read(); f != nil {
		return f.status, errorBody{f.reasons}
	}
	answer, err := h(c)
	if err != nil {
		f := err.(*failure)
		return f.status, errorBody{f.reasons}
	}
	if op.Write {
		e.ledger = append(e.ledger, Applied{Seq: len(e.ledger) + 1, Time: e.now(), Op: op.Name, Method: r.Method, Path: r.URL.Path, Body: c.body})
	}
	if written, ok := answer.(json.RawMessage); ok {
		return http.StatusOK, written
	}
	data, err := json.Marshal(answer) // under the lock: the answer points into the account
	if err != nil {
		return http.StatusInternalServerError, errorBody{[]reason{{Reason: "the emulator cannot write its answer"}}}
	}
	return http.StatusOK, json.RawMessage(data)
}

// read takes the body, which must be an object where there is one.
func (c *call) read() *failure {
	if c.r.Body == nil || c.r.Body == http.NoBody {
		return nil
	}
	data, err := readLimited(c.r.Body)
	if err != nil {
		return refuse(http.StatusRequestEntityTooLarge, "Request body too large")
	}
	if len(data) == 0 {
		return nil
	}
	if json.Unmarshal(data, &c.body) != nil {
		return refuse(http.StatusBadRequest, "Invalid JSON")
	}
	return nil
}

// admit checks token, user and scope. The document shows no status: the real service answers 401 for a missing scope too, and 403
// "Unauthorized" to restricted users.
func (e *Emulator) admit(w http.ResponseWriter, r *http.Request, op Operation) *failure {
	if r.Header.Get("Authorization") != "Bearer "+e.options.Token {
		w.Header().Set("X-OAuth-Scopes", "unknown")
		return refuse(http.StatusUnauthorized, "Invalid Token")
	}
	if op.Scope != "" && !e.allows(op.Scope) {
		return refuse(http.StatusUnauthorized, "Your OAuth token is not authorized to use this endpoint.")
	}
	if e.options.Restricted && strings.HasPrefix(op.Path, "/managed/") {
		return refuse(http.StatusForbidden, "Unauthorized")
	}
	return nil
}

// allows reports whether the token has a scope; read_write holds read_only.
func (e *Emulator) allows(scope string) bool {
	area, _, _ := strings.Cut(scope, ":")
	for _, have := range strings.Fields(e.options.Scopes) {
		if have == "*" || have == scope || have == area+":read_write" {
			return true
		}
	}
	return false
}

// An allowance is how many requests the real service takes in a span.
type allowance struct {
	limit int
	span  time.Duration
	from  time.Time
	spent int
}

// generalAllowance and storageAllowance are those of the document ("Rate Limiting"). They are told, and not enforced.
func generalAllowance() allowance { return allowance{limit: 800, span: 2 * time.Minute} }
func storageAllowance() allowance { return allowance{limit: 750, span: time.Second} }

// spend takes a request and says when the span ends.
func (a *allowance) spend(now time.Time) (reset time.Time) {
	if now.Sub(a.from) >= a.span {
		a.from, a.spent = now, 0
	}
	a.spent++
	return a.from.Add(a.span)
}

// headers are those that the real service puts on every answer.
func (e *Emulator) headers(w http.ResponseWriter, _ *http.Request, op Operation) {
	now := e.now()
	a := &e.general
	if strings.HasPrefix(op.Path, "/object-storage") {
		a = &e.storage
	}
	reset := a.spend(now)
	h := w.Header()
	h.Set("X-Spec-Version", "4.176.0")
	h.Set("X-OAuth-Scopes", e.options.Scopes)
	if op.Scope != "" {
		h.Set("X-Accepted-OAuth-Scopes", op.Scope)
	}
	h.Set("X-RateLimit-Limit", strconv.Itoa(a.limit))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(max(0, a.limit-a.spent)))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(reset.Unix(), 10))
	h.Set("Retry-After", strconv.Itoa(int(reset.Sub(now).Seconds())))
}

// send writes an answer as JSON.
func send(w http.ResponseWriter, status int, answer any) {
	data, written := answer.(json.RawMessage)
	var err error
	if !written {
		data, err = json.Marshal(answer)
	}
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"errors":[{"reason":"the emulator cannot write its answer"}]}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(status)
	_, _ = w.Write(data)
}

// next is a new number, unique over all kinds.
func (e *Emulator) next() int {
	e.last++
	return e.last
}

// stamp is a time as the API writes it: without a zone, in UTC.
type stamp time.Time

// MarshalJSON writes the stamp; a zero one is null.
func (s stamp) MarshalJSON() ([]byte, error) {
	if time.Time(s).IsZero() {
		return []byte("null"), nil
	}
	return []byte(`"` + time.Time(s).UTC().Format("2006-01-02T15:04:05") + `"`), nil
}

func (e *Emulator) stamp() stamp { return stamp(e.now()) }

// listed is the envelope of paginated lists ("Conventions").
type listed struct {
	Data    any `json:"data"`
	Page    int `json:"page"`
	Pages   int `json:"pages"` // 1 for an empty list
	Results int `json:"results"`
}

// paged cuts a list by page and page_size, 25..500 and 100 by default. The document shows no bounds; an error for others is assumed.
func paged[T any](c *call, rows []T) (any, error) {
	page, size := 1, 100
	for name, into := range map[string]*int{"page": &page, "page_size": &size} {
		if text := c.r.URL.Query().Get(name); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 {
				return nil, invalid(name, "%s must be a positive integer", name)
			}
			*into = n
		}
	}
	if size < 25 || size > 500 {
		return nil, invalid("page_size", "Must be 25-500")
	}
	pages := max(1, (len(rows)+size-1)/size)
	from := min(len(rows), (page-1)*size)
	data := rows[from:min(len(rows), from+size)]
	if data == nil {
		data = []T{}
	}
	return listed{data, page, pages, len(rows)}, nil
}
