// Package client speaks the account API: one value per resource, one place that makes requests.
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
	"strings"
	"time"
)

// A Client is the API of one account. Its fields are the API's table of contents. It may be used from many goroutines.
type Client struct {
	Contacts     Contacts
	Credentials  Credentials
	Issues       Issues
	Instances    Instances
	Services     Services
	Stats        ManagedStats
	Buckets      Buckets
	Objects      Objects
	Certificates Certificates
	Clusters     Clusters
	Keys         Keys
	Transfer     Transfer
	Tickets      Tickets

	base      *url.URL
	dialect   Dialect
	table     map[string]operation
	agent     string
	timeout   time.Duration
	now       func() time.Time
	recorder  Recorder
	readOnly  bool
	transport http.RoundTripper
	wire      *wire
	transfers *http.Client
}

// An Option changes how a client works.
type Option func(*Client)

// WithTransport replaces the network: for the demo and for tests.
func WithTransport(t http.RoundTripper) Option { return func(c *Client) { c.transport = t } }

// WithDialect chooses how paths are spelt. Without it the provider's spelling is used for the provider's own host.
func WithDialect(d Dialect) Option { return func(c *Client) { c.dialect = d } }

// WithUserAgent names the program to the server.
func WithUserAgent(name string) Option { return func(c *Client) { c.agent = name } }

// WithRecorder keeps a journal of every change.
func WithRecorder(r Recorder) Option { return func(c *Client) { c.recorder = r } }

// WithTimeout bounds one call with all its attempts; 60 s without it.
func WithTimeout(d time.Duration) Option { return func(c *Client) { c.timeout = d } }

// WithNow is the clock of waits.
func WithNow(now func() time.Time) Option { return func(c *Client) { c.now = now } }

// ReadOnly refuses every change where requests are made: there is no way round it.
func ReadOnly() Option { return func(c *Client) { c.readOnly = true } }

// providerHost is the host of the real service.
const providerHost = "api.linode.com"

// New is a client for the API at base, whose last segment is the version ("…/v4").
func New(base string, token Secret, options ...Option) (*Client, error) {
	u, err := parseBase(base)
	if err != nil {
		return nil, err
	}
	if strings.ContainsFunc(token.Reveal(), func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("the token holds spaces, line breaks or characters that no token has: check where it was copied from")
	}
	c := &Client{base: u, agent: "lookout", timeout: time.Minute, now: time.Now, table: operations()}
	if u.Hostname() == providerHost {
		c.dialect = Provider
	}
	for _, o := range options {
		o(c)
	}
	if c.dialect == "" {
		c.dialect = Document
	}
	c.wire, c.transfers = newWire(c, token), newTransfers(c)
	c.Contacts, c.Credentials, c.Issues, c.Instances, c.Services, c.Stats = Contacts{c}, Credentials{c}, Issues{c}, Instances{c}, Services{c}, ManagedStats{c}
	c.Buckets, c.Objects, c.Certificates, c.Clusters, c.Keys, c.Transfer = Buckets{c}, Objects{c}, Certificates{c}, Clusters{c}, Keys{c}, Transfer{c}
	c.Tickets = Tickets{c}
	return c, nil
}

// parseBase takes https, and http for this machine's own addresses alone.
func parseBase(base string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(base, "/"))
	switch {
	case err != nil || u.Host == "":
		return nil, fmt.Errorf("the base URL %q is no address; give one as https://api.linode.com/v4", Clean(base))
	case u.User != nil:
		return nil, errors.New("the base URL must hold no user name or password; the token goes into LOOKOUT_TOKEN or a file")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the base URL must hold no query and no fragment")
	case u.Scheme == "https", u.Scheme == "http" && loopback(u.Hostname()):
		return u, nil
	}
	return nil, fmt.Errorf("the base URL must begin with https:// (http:// is for this machine alone): %q", Clean(u.Scheme+"://"+u.Host))
}

// loopback reports whether a host is literally this machine.
func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// Dialect is how the client spells paths.
func (c *Client) Dialect() Dialect { return c.dialect }

// Host is where the API is.
func (c *Client) Host() string { return c.base.Host }

// Console is where relative addresses of tickets lead: the provider's web console, elsewhere the API's own host.
func (c *Client) Console() string {
	if c.base.Hostname() == providerHost {
		return "https://cloud.linode.com"
	}
	return c.base.Scheme + "://" + c.base.Host
}

// nothing is the answer of operations that return nothing.
type nothing struct{}

// A request is one call, ready to be sent.
type request struct {
	op       string // key of the table
	about    string // "7": added to the operation in errors
	segments []any
	query    url.Values
	body     any
	shown    any // the body as the journal may keep it; nil is body itself
}

// call is the one place that makes requests. It decodes the answer into T.
func call[T any](ctx context.Context, c *Client, r request) (T, error) {
	var answer T
	data, failure := c.exchange(ctx, r)
	if failure != nil {
		return answer, failure
	}
	if err := decode(data, &answer); err != nil {
		e := c.failure(r)
		e.Status, e.Outcome, e.What = http.StatusOK, Uncertain, "an answer that is not the API's: "+Clean(err.Error())
		if _, isNothing := any(answer).(nothing); isNothing && json.Valid(data) {
			return answer, nil
		}
		e.Status = 0
		return answer, e
	}
	return answer, nil
}

// page asks for one page of a numbered list.
func page[T any](ctx context.Context, c *Client, op string, n int, segments ...any) (Page[T], error) {
	query := url.Values{"page": {fmt.Sprint(n)}, "page_size": {fmt.Sprint(pageSize)}}
	return call[Page[T]](ctx, c, request{op: op, segments: segments, query: query})
}

// pageSize is how many rows a page is asked for: the most that the service gives.
const pageSize = 500

// decode reads a whole answer. Nothing may follow it.
func decode(data []byte, into any) error {
	data = bytes.TrimPrefix(bytes.TrimSpace(data), []byte("\ufeff"))
	if !json.Valid(data) && len(data) > 0 {
		if !validButForUTF8(data) {
			return errors.New("no valid JSON")
		}
	}
	switch v := into.(type) {
	case json.Unmarshaler:
		return v.UnmarshalJSON(data)
	case *nothing:
		if len(data) == 0 || data[0] != '{' {
			return fmt.Errorf("%s instead of an empty object", kind(data))
		}
		return nil
	}
	_, err := lenient(data, into)
	return err
}

// validButForUTF8 reports whether a text is JSON once bytes that are no UTF-8 are passed over.
func validButForUTF8(data []byte) bool { return json.Valid(bytes.ToValidUTF8(data, []byte("?"))) }

// exchange sends a request and gives the body of a good answer.
func (c *Client) exchange(ctx context.Context, r request) ([]byte, error) {
	op := c.table[r.op]
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := c.build(ctx, r, op)
	if err != nil {
		e := c.failure(r)
		e.Outcome, e.Cause, e.What = NotSent, err, err.Error()
		return nil, e
	}
	if !op.write {
		return c.read(r, req)
	}
	return c.write(ctx, r, req)
}

// build makes the HTTP request of a call.
func (c *Client) build(ctx context.Context, r request, op operation) (*http.Request, error) {
	route := op.in(c.dialect)
	path, err := fill(route.path, r.segments...)
	if err != nil {
		return nil, err
	}
	target := c.base.Scheme + "://" + c.base.Host + c.base.EscapedPath() + path
	if len(r.query) > 0 {
		target += "?" + r.query.Encode()
	}
	var body []byte
	if r.body != nil {
		if body, err = json.Marshal(r.body); err != nil {
			return nil, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, route.method, target, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the address cannot be built")
	}
	if r.body == nil {
		req.Body, req.GetBody, req.ContentLength = nil, nil, 0
	} else {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.agent)
	return req, nil
}

// read sends a request that changes nothing; it may be sent again.
func (c *Client) read(r request, req *http.Request) ([]byte, error) {
	answer, err := c.wire.read(req)
	return c.judge(r, answer, err)
}

// write sends a change once.
func (c *Client) write(ctx context.Context, r request, req *http.Request) ([]byte, error) {
	change := Change{Op: r.op, Method: req.Method, Path: req.URL.Path, Body: r.body}
	if r.shown != nil {
		change.Body = r.shown
	}
	var data []byte
	err := c.record(ctx, c.failure(r), change, func(context.Context) (failure error) {
		answer, err := c.wire.write(req)
		data, failure = c.judge(r, answer, err)
		return failure
	})
	return data, err
}

// record is the one gate of every change: read-only refuses it; the journal has its intent before it is sent, and its outcome after.
func (c *Client) record(ctx context.Context, failed *Error, change Change, send func(context.Context) error) error {
	failed.Outcome = NotSent
	if c.readOnly {
		failed.Cause = ErrReadOnly
		return failed
	}
	if within, _ := ctx.Value(withinKey{}).(*Client); c.recorder == nil || within == c {
		return send(ctx)
	}
	id, err := c.recorder.Intent(change.under(ctx))
	if err != nil {
		failed.Cause, failed.What = err, "cannot record it in the journal, so it was not sent: "+err.Error()
		return failed
	}
	failure := send(ctx)
	c.recorder.Outcome(id, failure == nil, failure)
	return failure
}

// failure is the start of an error about a request.
func (c *Client) failure(r request) *Error {
	op := r.op
	if r.about != "" {
		op += " " + r.about
	}
	return &Error{Op: op, Write: c.table[r.op].write, Need: c.table[r.op].scope, Host: c.base.Host}
}

// judge decides what an answer means. The status alone says whether it is an error; the body only explains.
func (c *Client) judge(r request, a *answer, err error) ([]byte, error) {
	if err != nil {
		e := c.failure(r)
		e.Cause, e.Outcome = err, Uncertain
		if unsent(err) {
			e.Outcome = NotSent
		}
		if errors.Is(err, errTooLarge) || errors.Is(err, errCut) {
			e.What = err.Error()
		}
		return nil, e
	}
	if a.status >= 200 && a.status < 300 && a.status != http.StatusNoContent {
		return a.body, nil
	}
	e := c.failure(r)
	e.Status, e.Have = a.status, a.header.Get("X-OAuth-Scopes")
	if need := a.header.Get("X-Accepted-OAuth-Scopes"); need != "" {
		e.Need = Clean(need)
	}
	e.Reasons, e.What = explain(a)
	if a.status == http.StatusTooManyRequests {
		e.RetryAfter = retryAfter(a.header, c.now())
	}
	if a.status >= 500 || a.status < 400 || a.status == http.StatusRequestTimeout {
		e.Outcome = Uncertain
	}
	return nil, e
}

// unsent reports whether a failure came before anything reached the server.
func unsent(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	return errors.As(err, &dns) || errors.As(err, &op) && op.Op == "dial" || errors.Is(err, errWaiting)
}

// explain reads an error answer ("Errors"); what names an answer that is none.
func explain(a *answer) (reasons []Reason, what string) {
	if a.status >= 300 && a.status < 400 {
		where, err := url.Parse(a.header.Get("Location"))
		if err != nil {
			return nil, "another address"
		}
		return nil, Clean(orElse(where.Host, "another path"))
	}
	var members struct{ Errors json.RawMessage }
	var raw []json.RawMessage
	if exact(a.body, map[string]*json.RawMessage{"errors": &members.Errors}) != nil || json.Unmarshal(members.Errors, &raw) != nil {
		if json.Valid(a.body) || len(a.body) == 0 {
			return nil, ""
		}
		kind, _, _ := strings.Cut(a.header.Get("Content-Type"), ";")
		return nil, fmt.Sprintf("%s, %d bytes", Clean(orElse(kind, "no content type")), len(a.body))
	}
	for _, one := range raw {
		var r Reason
		if _, err := lenient(one, &r); err == nil && (r.Reason.raw != "" || r.Field.raw != "") {
			reasons = append(reasons, r)
		}
	}
	return reasons, ""
}
