// Package client is a client of the account API. Client reads; Writer, which Client.Begin returns, sends one change.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"lookout/client/visible"
)

// A Client reads from the API of one account. Each of its exported fields is one resource. Its methods are safe for
// concurrent use.
type Client struct {
	Contacts        RowReader[*Contact]
	Credentials     CredentialReader
	Issues          RowReader[*Issue]
	Instances       RowReader[*Instance]
	Services        RowReader[*Service]
	Stats           StatsReader
	Buckets         BucketReader
	Objects         ObjectReader
	Certificates    BucketCertificateReader
	Clusters        ClusterReader
	Keys            RowReader[*AccessKey]
	NetworkTransfer TransferUsageReader
	Tickets         TicketReader

	endpoint  endpoint
	rules     changeRules
	pages     pageOptions
	tokens    *tokens
	transport *transport
	timeout   time.Duration // of one call with all its attempts
	now       func() time.Time
}

// An endpoint says where the API is and how requests to it are written.
type endpoint struct {
	base         *url.URL
	dialect      PathDialect
	operations   map[string]operation
	userAgent    string
	roundTripper http.RoundTripper // in place of the network; nil is the network
	observe      func(http.RoundTripper) http.RoundTripper
	sendOnce     bool           // reads too
	limiter      RequestLimiter // nil limits nothing
	waitNotice   func()         // see WithWaitNotice
	priority     bool           // see WithPriority
}

// The changeRules say which changes are allowed and where they are recorded.
type changeRules struct {
	recorder ChangeRecorder // nil records nothing
	safety   safetyRules
	dryRun   func(Change)
}

// The pageOptions say how the pages of a list are requested and decoded.
type pageOptions struct {
	small atomic.Bool // the server refused pages of the full size
	cache *responseCache
}

// An Option configures a client.
type Option func(*Client)

// WithTransport replaces the network, for the demo and for tests.
func WithTransport(t http.RoundTripper) Option {
	return func(c *Client) { c.endpoint.roundTripper = t }
}

// WithObserver puts a transport in front of the network that sees every attempt of every request, including the token
// in its headers.
func WithObserver(wrap func(next http.RoundTripper) http.RoundTripper) Option {
	return func(c *Client) { c.endpoint.observe = wrap }
}

// WithDialect sets the spelling of paths. The default is the provider's spelling for the provider's own host, and the
// document's for any other.
func WithDialect(d PathDialect) Option { return func(c *Client) { c.endpoint.dialect = d } }

// WithUserAgent sets the User-Agent header of the requests.
func WithUserAgent(name string) Option { return func(c *Client) { c.endpoint.userAgent = name } }

// WithRecorder records every change in a journal.
func WithRecorder(r ChangeRecorder) Option { return func(c *Client) { c.rules.recorder = r } }

// WithTimeout limits one call with all its attempts; the default is 60 s.
func WithTimeout(d time.Duration) Option { return func(c *Client) { c.timeout = d } }

// WithoutRetries sends each read once, for callers that would rather have no answer than wait.
func WithoutRetries() Option { return func(c *Client) { c.endpoint.sendOnce = true } }

// WithRequestLimiter limits the requests together with other programs.
func WithRequestLimiter(l RequestLimiter) Option { return func(c *Client) { c.endpoint.limiter = l } }

// WithWaitNotice sets a function that is called once, when a request has waited for the limiter for a second.
func WithWaitNotice(tell func()) Option { return func(c *Client) { c.endpoint.waitNotice = tell } }

// WithPriority makes all requests go before the reads of other programs, as changes always do.
func WithPriority() Option { return func(c *Client) { c.endpoint.priority = true } }

// WithNow sets the clock that waits are measured with.
func WithNow(now func() time.Time) Option { return func(c *Client) { c.now = now } }

// WithReadOnly refuses every change at the place where requests are made, so nothing gets around it.
func WithReadOnly() Option { return func(c *Client) { c.rules.safety.demanded.ReadOnly = true } }

// providerHost is the host of the provider's real service.
const providerHost = "api.linode.com"

// New returns a client for the API at base, whose last segment is the version ("…/v4").
func New(base string, token Secret, options ...Option) (*Client, error) {
	u, err := parseBase(base)
	if err != nil {
		return nil, err
	}
	if err := checkToken(token); err != nil {
		return nil, err
	}
	c := &Client{
		endpoint: endpoint{base: u, userAgent: "lookout", operations: operations()},
		timeout:  time.Minute,
		now:      time.Now,
		tokens:   newTokens(token),
	}
	c.pages.cache = newResponseCache()
	if u.Hostname() == providerHost {
		c.endpoint.dialect = DialectProvider
	}
	for _, o := range options {
		o(c)
	}
	if c.endpoint.dialect == "" {
		c.endpoint.dialect = DialectDocument
	}
	c.transport = newTransport(c)
	c.Contacts = newRowReader[*Contact](c, "list contacts", "view contact")
	c.Credentials = CredentialReader{newRowReader[*Credential](c, "list credentials", "view credential")}
	c.Issues = newRowReader[*Issue](c, "list issues", "view issue")
	c.Instances = newRowReader[*Instance](c, "list SSH settings", "view SSH settings")
	c.Services = newRowReader[*Service](c, "list services", "view service")
	c.Stats = StatsReader{c}
	c.Buckets = BucketReader{Lister[*Bucket]{c, "list buckets"}}
	c.Objects = ObjectReader{c}
	c.Certificates = BucketCertificateReader{c}
	c.Clusters = ClusterReader{Lister[*Cluster]{c, "list clusters"}}
	c.Keys = newRowReader[*AccessKey](c, "list keys", "view key")
	c.NetworkTransfer = TransferUsageReader{c}
	c.Tickets = TicketReader{c}
	return c, nil
}

// parseBase parses the base URL. It must be https; http is allowed for this machine only.
func parseBase(base string) (*url.URL, error) {
	if name, _ := visible.FindBlank(base); name != "" {
		return nil, fmt.Errorf("the base URL contains the invisible character %s; remove it", name)
	}
	u, err := url.Parse(strings.TrimRight(base, "/?#"))
	switch {
	case err != nil || u.Host == "": // the text may be a token in the wrong place, so the error does not repeat it
		return nil, errors.New("the base URL is not a valid URL; it must look like https://api.linode.com/v4")
	case u.User != nil:
		return nil, errors.New(
			"the base URL must not contain a user name or password; put the token into LOOKOUT_TOKEN or a file",
		)
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the base URL must not contain a query or a fragment")
	case u.Scheme == "https", u.Scheme == "http" && loopback(u.Hostname()):
		return u, nil
	}
	return nil, fmt.Errorf(
		"the base URL must begin with https:// (http:// is allowed for this machine only): %q",
		Clean(u.Scheme+"://"+u.Host),
	)
}

// loopback reports whether a host name or address is this machine.
func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// Format prints the client's host for every verb, and none of its secrets.
func (c *Client) Format(f fmt.State, _ rune) {
	fmt.Fprintf(f, "client of %s", Clean(c.endpoint.base.Host))
}

// ReadOnly reports whether the client refuses every change.
func (c *Client) ReadOnly() bool { return c.rules.safety.now().ReadOnly }

// HasTickets reports whether the API has support tickets. The provider's own has; the API document describes none.
func (c *Client) HasTickets() bool { return c.endpoint.dialect == DialectProvider }

// Origin returns the scheme and host of the API: "https://api.linode.com".
func (c *Client) Origin() string { return c.endpoint.base.Scheme + "://" + c.endpoint.base.Host }

// Host returns the host of the API, with its port.
func (c *Client) Host() string { return c.endpoint.base.Host }

// ConsoleURL returns the base of relative addresses in tickets: the provider's web console, or the API's own host.
func (c *Client) ConsoleURL() string {
	if c.endpoint.base.Hostname() == providerHost {
		return "https://cloud.linode.com"
	}
	return c.endpoint.base.Scheme + "://" + c.endpoint.base.Host
}

// KnownHosts returns the hosts whose addresses may be opened in a browser without a question: the provider's own, and
// the API's. Buckets are not among them: anybody can have one.
func (c *Client) KnownHosts() []string {
	return []string{"cloud.linode.com", "login.linode.com", "www.linode.com", "status.linode.com", c.Host()}
}

// noContent is the answer of operations that return nothing.
type noContent struct{}

// A request describes one call.
type request struct {
	op         string // key of the table of operations
	target     string // "7": follows the operation in errors
	segments   []any
	id         string // what a change is about, if the segments do not say it
	query      url.Values
	body       any            // see bodyTypes for its secrets
	noted      map[string]any // what the journal keeps along with the body
	secrets    []Secret       // of the body
	handleBody func([]byte) error
	writer     *Writer       // of a change; nil for a read
	made       func() string // the id of what a change has made along with a secret; nil if there is none
	// the service that the answer to a change holds; nil if it holds something else
	service func() *Service
}

// call sends a request and decodes its answer into T: a value, or a pointer to one, which is nil if there is an error.
func call[T any](ctx context.Context, c *Client, r request) (T, error) {
	var answer T
	err := c.callInto(ctx, r, &answer)
	return answer, err
}

// callInto sends a request and decodes its answer into the value that a pointer points to; the value stays empty if
// there is an error.
func (c *Client) callInto(ctx context.Context, r request, answer any) error {
	r.handleBody = func(data []byte) error { return decode(data, answer) }
	if service, ok := answer.(**Service); ok {
		r.service = func() *Service { return *service }
	}
	failure := c.exchange(ctx, r)
	if failure != nil {
		reflect.ValueOf(answer).Elem().SetZero()
	}
	return failure
}

// listPage returns page n of a numbered list.
func listPage[T any](ctx context.Context, c *Client, op string, n int, segments ...any) (Page[T], error) {
	size := c.pageSize()
	query := url.Values{"page": {fmt.Sprint(n)}, "page_size": {fmt.Sprint(size)}}
	var p Page[T]
	r := request{op: op, segments: segments, query: query}
	r.handleBody = func(answer []byte) error {
		if c.endpoint.operations[op].holdsSecret {
			return decode(answer, &p)
		}
		return decodeCached(c.pages.cache, fmt.Sprint(op, segments, n, size), answer, &p)
	}
	err := c.exchange(ctx, r)
	if n == 1 && c.fallBackToSmallPages(size, err) {
		return listPage[T](ctx, c, op, n, segments...)
	}
	if err != nil {
		return Page[T]{}, err
	}
	p.check(n)
	return p, nil
}

// The rows that are requested per page: the service's limit, and its limit in earlier years.
const (
	pageSize      = 500
	smallPageSize = 100
)

func (c *Client) pageSize() int {
	if c.pages.small.Load() {
		return smallPageSize
	}
	return pageSize
}

// fallBackToSmallPages reports whether the server refused the size of a page, and from then on requests small pages.
func (c *Client) fallBackToSmallPages(size int, err error) bool {
	var e *Error
	if size <= smallPageSize || !errors.As(err, &e) || e.Status != http.StatusBadRequest ||
		e.Fields()["page_size"] == "" {
		return false
	}
	c.pages.small.Store(true)
	return true
}

// decode decodes a whole answer into the value that into points to. If that value is a pointer, decode allocates what
// it points to. Nothing may follow the answer.
func decode(data []byte, into any) error {
	data = trimBody(data)
	if v := reflect.ValueOf(into).Elem(); v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		into = v.Interface()
	}
	if q, ok := into.(fastDecoder); ok && q.decodeFast(data) {
		return nil
	}
	if !json.Valid(data) && len(data) > 0 {
		if !validExceptUTF8(data) {
			return errors.New("invalid JSON")
		}
	}
	switch v := into.(type) {
	case json.Unmarshaler:
		return v.UnmarshalJSON(data)
	case *noContent:
		if len(data) == 0 || data[0] != '{' {
			return fmt.Errorf("%s instead of an empty object", jsonKind(data))
		}
		return nil
	}
	odd, found, err := decodeLenient(data, into)
	if err == nil && found <= len(odd) {
		return errors.New("an object without any of the expected members")
	}
	return err
}

// validExceptUTF8 reports whether a text is JSON, apart from invalid UTF-8.
func validExceptUTF8(data []byte) bool { return json.Valid(bytes.ToValidUTF8(data, []byte("?"))) }

// exchange is the only place that sends requests to the API. It passes the body of a successful answer to handleBody.
func (c *Client) exchange(ctx context.Context, r request) error {
	op := c.endpoint.operations[r.op]
	if r.writer == nil { // a change waits once it is recorded
		if err := c.transport.waitForTurn(ctx, op); err != nil {
			return c.transportError(r, err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := c.newRequest(ctx, r, op)
	if err != nil {
		return c.notSentError(r, err, err.Error())
	}
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.endpoint.userAgent)
	switch {
	case r.writer != nil:
		return r.writer.write(ctx, r, req)
	case op.write:
		return c.notSentError(r, ErrNotConfirmed, "")
	}
	return c.read(r, req)
}

// newRequest builds the HTTP request of a call, without headers.
func (c *Client) newRequest(ctx context.Context, r request, op operation) (*http.Request, error) {
	route := op.routeFor(c.endpoint.dialect)
	path, err := expandPath(route.path, r.segments...)
	if err != nil {
		return nil, err
	}
	target := c.endpoint.base.String() + path
	if len(r.query) > 0 {
		target += "?" + r.query.Encode()
	}
	if r.body == nil {
		return http.NewRequestWithContext(ctx, route.method, target, nil)
	}
	body, err := json.Marshal(r.body)
	if err != nil {
		return nil, err
	}
	return http.NewRequestWithContext(ctx, route.method, target, bytes.NewReader(body))
}

// read sends a request that changes nothing and may be repeated.
func (c *Client) read(r request, req *http.Request) error {
	sent := c.tokens.current()
	if refused := c.tokens.rejection(); refused != nil && !c.renewToken(req.Context(), sent) {
		return c.checkResponse(r, refused, nil)
	}
	sent = c.tokens.current()
	op, slots := c.endpoint.operations[r.op], c.transport.readSlots
	switch {
	case op.urgent:
		slots = c.transport.urgentSlots
	case r.op == OpCreateObjectURL:
		slots = c.transport.linkSlots
	}
	answer, err := c.transport.read(req, op, slots)
	err = c.checkResponse(r, answer, err)
	c.tokens.update(sent, answer, err)
	if e, failed := err.(*Error); failed && e.Unauthorized() && c.renewToken(req.Context(), sent) {
		return c.read(r, req.Clone(req.Context()))
	}
	return err
}

func (c *Client) notSentError(r request, cause error, what string) *Error {
	e := c.newError(r)
	e.Outcome, e.Cause, e.Detail = NotSent, cause, what
	return e
}

// newError returns an error about a request; the caller fills in the reason.
func (c *Client) newError(r request) *Error {
	op := r.op
	if r.target != "" {
		op += " " + r.target
	}
	return &Error{
		Op:            op,
		target:        r.target,
		Write:         c.endpoint.operations[r.op].write,
		Outcome:       Rejected,
		RequiredScope: c.endpoint.operations[r.op].scope,
		Host:          c.endpoint.base.Host,
	}
}

// checkResponse returns the error that an answer means, if any. The status alone decides whether it is one; the body
// only explains it.
func (c *Client) checkResponse(r request, a *response, err error) error {
	if err != nil && (a == nil || a.status < 400) {
		return c.transportError(r, err)
	}
	mask := c.tokens.redactor(r.secrets...)
	if a.status >= 200 && a.status < 300 {
		body := mask.redactBody(a.body)
		if a.status == http.StatusNoContent {
			body = []byte("{}") // what an answer without content stands for
		}
		e := c.newError(r)
		e.Status, e.Outcome = a.status, Unknown
		if err := r.handleBody(body); err != nil {
			e.Detail = describeUnexpected(a, err, mask)
			return e
		}
		if r.writer == nil {
			return nil
		}
		if found := findContradiction(r.writer.change, r.body, body); found != "" {
			e.Cause = found
			return e
		}
		return nil
	}
	e := c.newError(r)
	e.Status, e.TokenScopes = a.status, mask.scopes(a.header.Get("X-OAuth-Scopes"))
	e.RequiredScope = orElse(mask.scopes(a.header.Get("X-Accepted-OAuth-Scopes")), e.RequiredScope)
	e.Reasons, e.Detail = parseErrorBody(a, mask)
	e.oddToken = describeOddToken(c.tokens.current().Reveal())
	if a.status == http.StatusTooManyRequests {
		e.RetryAfter = retryAfter(a.header, c.now())
	}
	if a.status >= 500 || a.status < 400 || a.status == http.StatusRequestTimeout {
		e.Outcome = Unknown
	}
	return e
}

// transportError is a request that has no answer, or none that could be read to its end.
func (c *Client) transportError(r request, err error) *Error {
	e := c.newError(r)
	e.Cause, e.Outcome = err, Unknown
	if neverSent(err) {
		e.Outcome = NotSent
	}
	var wait *rateLimitError
	switch {
	case errors.As(err, &wait):
		e.Status, e.RetryAfter, e.Detail = http.StatusTooManyRequests, wait.wait, ""
	case errors.Is(err, errTooManyHere):
		e.Detail = errTooManyHere.Error()
	case errors.Is(err, errTooLarge) || errors.Is(err, errTruncated) || errors.Is(err, errUnsolicited):
		e.Detail = err.Error()
	}
	return e
}

// neverSent reports whether a failure came before anything reached the server.
func neverSent(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	return errors.As(err, &dns) || errors.As(err, &op) && op.Op == "dial" || errors.Is(err, errNotSent)
}

// describeUnexpected describes a successful answer that is not the API's.
func describeUnexpected(a *response, err error, m redactor) string {
	if json.Valid(a.body) {
		return Clean(m.redactText(err.Error()))
	}
	return describeBody(a, m)
}

// describeBody describes a body that is not JSON by its type, size and title.
func describeBody(a *response, m redactor) string {
	kind, _, _ := strings.Cut(a.header.Get("Content-Type"), ";")
	text := fmt.Sprintf("%s, %d bytes", m.excerpt(orElse(kind, "no content type"), 60), len(a.body))
	if title := htmlTitle(string(a.body)); title != "" {
		text += fmt.Sprintf(", titled %q", m.excerpt(strings.TrimSpace(title), 60))
	}
	return text
}

// maxTitleLen is how many bytes of a page are searched for the end of its title.
const maxTitleLen = 1600

// htmlTitle returns the title of an HTML page; "" if it has none.
func htmlTitle(page string) string {
	_, rest := cutTag(page, "<title")
	_, rest, _ = strings.Cut(rest, ">")
	text, end := cutTag(rest[:min(len(rest), maxTitleLen)], "</title>")
	if end == "" {
		return ""
	}
	return text
}

// cutTag cuts a page before a tag, ignoring case. rest begins with the tag; it is empty if there is none.
func cutTag(page, tag string) (before, rest string) {
	for i := 0; i+len(tag) <= len(page); i++ {
		if page[i] == '<' && strings.EqualFold(page[i:i+len(tag)], tag) {
			return page[:i], page[i:]
		}
	}
	return page, ""
}

// truncate cuts a text to n bytes, at the boundary of a character.
func truncate(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

// parseErrorBody reads an error answer ("Errors"). If the answer is not one, what describes it. Neither result contains
// what the redactor hides.
func parseErrorBody(a *response, m redactor) (reasons []FieldError, what string) {
	if a.status >= 300 && a.status < 400 {
		where, err := url.Parse(a.header.Get("Location"))
		if err != nil {
			return nil, "another address"
		}
		return nil, m.excerpt(orElse(where.Host, "another path"), 100)
	}
	var members struct{ Errors json.RawMessage }
	var raw []json.RawMessage
	if extractMembers(a.body, map[string]*json.RawMessage{"errors": &members.Errors}) != nil ||
		json.Unmarshal(members.Errors, &raw) != nil {
		// the proxy in front of the service answers 429 with a page of its own
		if json.Valid(a.body) || len(a.body) == 0 || a.status == http.StatusTooManyRequests {
			return nil, ""
		}
		return nil, describeBody(a, m)
	}
	for _, one := range raw {
		var r FieldError
		if _, _, err := decodeLenient(one, &r); err == nil && (r.Reason.raw != "" || r.Field.raw != "") {
			reasons = append(
				reasons,
				FieldError{NewText(m.redactText(r.Field.raw)), NewText(m.redactText(r.Reason.raw))},
			)
		}
	}
	return reasons, ""
}
