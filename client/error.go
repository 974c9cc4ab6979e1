package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// An Outcome says how a change ended. The texts are those of the journal's file, except for AsWanted.
type Outcome string

// The outcomes.
const (
	Pending  Outcome = "sent"     // no answer yet, or the program ended before it
	Applied  Outcome = "done"     // the API applied the change
	Rejected Outcome = "not done" // the API refused: nothing was changed
	NotSent  Outcome = "not sent" // the request never left: nothing was changed; the journal says "not done"
	Unknown  Outcome = "unknown"  // sent without a readable answer: the change may have been applied
	// AsWanted is how the journal shows Applied if the answer was lost and reading again showed what the change wanted:
	// the API does not say whose change did it.
	AsWanted Outcome = "as wanted"
)

// A FieldError is one entry of an error answer ("Errors").
type FieldError struct {
	Field  ServerText `json:"field"` // may be empty, a dotted path, or not a field of the request
	Reason ServerText `json:"reason"`
}

// An Error is a request that failed, described for the user.
type Error struct {
	Op                         string // "disable service 7"
	Write                      bool
	Status                     int // 0 if there was no answer
	Reasons                    []FieldError
	Outcome                    Outcome
	RetryAfter                 time.Duration // the wait that the server asked for
	TokenScopes, RequiredScope string        // scopes of the token and of the endpoint, on 401 and 403
	Host                       string
	Presigned                  bool   // of a pre-signed URL: the status is about the URL, not about the token
	Detail                     string // what came instead of a valid answer: "text/html, 2 KB"
	Cause                      error

	target   string        // "7"; "" if the request names no single thing
	oddToken string        // what the token looks like, if not like a token: "it is in quotation marks"
	intentID string        // of the change in the journal
	settle   func(Outcome) // tells the recorder how an unknown outcome turned out
}

// Settle tells the recorder how a change with an unknown outcome ended, once that was looked up. For other errors it
// does nothing.
func (e *Error) Settle(applied bool) {
	if e.settle == nil || !e.Unknown() {
		return
	}
	outcome := Rejected
	if applied {
		outcome = Applied
	}
	e.settle(outcome)
}

// IntentID returns the change's id in the journal; "" if it was not recorded.
func (e *Error) IntentID() string { return e.intentID }

// Sentinels for errors.Is.
var (
	ErrNotFound    = errors.New("not found")
	ErrDenied      = errors.New("not allowed")
	ErrRateLimited = errors.New("too many requests")
	ErrReadOnly    = errors.New("read-only mode; nothing was changed")
	// ErrStoredMeanwhile is the refusal to replace an object that was not there when it was last looked for.
	ErrStoredMeanwhile = errors.New("an object with this name was stored in the meantime; it is not replaced")
)

// FoundByReading is recorded as the cause of an outcome that was found by reading again, because the answer to the
// change was lost.
type FoundByReading string

// Error returns what was read.
func (f FoundByReading) Error() string { return string(f) }

// Is matches the sentinels by status.
func (e *Error) Is(target error) bool {
	switch target {
	case ErrNotFound:
		return e.Status == http.StatusNotFound
	case ErrDenied:
		return e.Denied()
	case ErrRateLimited:
		return e.Status == http.StatusTooManyRequests || errors.Is(e.Cause, errTooManyHere)
	}
	return false
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Error returns what failed and why, on one line.
func (e *Error) Error() string { return e.Op + ": " + e.Why() }

// Why returns the reason without the operation. It has no colon, so that it can follow one.
func (e *Error) Why() string {
	switch {
	case e.refusedByClient():
		return e.Cause.Error()
	case e.Unknown():
		return "the outcome is unknown; " + e.describeAnswer()
	case e.Unauthorized() && e.oddToken != "":
		return "the token is not accepted (401); " + e.oddToken
	case e.Unauthorized():
		return "the token is not accepted (401)"
	case e.Status == http.StatusUnauthorized && !e.Presigned:
		return fmt.Sprintf("the token lacks the scope %s (401)", orElse(e.RequiredScope, "that this operation needs"))
	}
	return e.describeAnswer()
}

// describeAnswer returns the API's own words, or what went wrong if it gave no reason.
func (e *Error) describeAnswer() string {
	if len(e.Reasons) > 0 {
		return fmt.Sprintf("%s (%d)", e.joinReasons(), e.Status)
	}
	return e.describeFailure()
}

// joinReasons returns the API's own words, at most three reasons.
func (e *Error) joinReasons() string {
	var words []string
	for _, r := range e.Reasons[:min(3, len(e.Reasons))] {
		if f := r.Field.String(); f != "" {
			words = append(words, truncate(f, 60)+" "+r.quote())
			continue
		}
		words = append(words, r.quote())
	}
	if more := len(e.Reasons) - 3; more > 0 {
		words = append(words, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(words, "; ")
}

// maxReasonLen is how much of a reason is shown, in bytes.
const maxReasonLen = 300

// quote returns the reason in quotation marks, so that it cannot pass for a sentence of this program.
func (r FieldError) quote() string {
	return `"` + truncate(strings.ReplaceAll(r.Reason.String(), `"`, "'"), maxReasonLen) + `"`
}

// describeFailure says what went wrong between the request and its answer.
func (e *Error) describeFailure() string {
	var contradicts contradiction
	switch {
	case errors.As(e.Cause, &contradicts):
		return contradicts.Error()
	case e.Detail != "" && e.Status >= 300 && e.Status < 400:
		return fmt.Sprintf("the server redirects to %s; lookout does not follow redirects", e.Detail)
	case e.Detail != "" && e.Status != 0:
		return fmt.Sprintf("not an API response (%d, %s)", e.Status, e.Detail)
	case e.Detail != "":
		return e.Detail
	case e.Status != 0:
		return fmt.Sprintf("%d %s", e.Status, http.StatusText(e.Status))
	}
	if e.TimedOut() {
		return e.Host + " did not answer in time"
	}
	return "cannot reach " + e.Host + " (" + e.describeNetworkError() + ")"
}

// describeNetworkError describes a network failure without any address or query.
func (e *Error) describeNetworkError() string {
	why, _ := e.networkFailure()
	return why
}

// ConnectionAdvice returns the next step after a request that had no answer.
func (e *Error) ConnectionAdvice() string {
	_, next := e.networkFailure()
	return next
}

// networkFailure describes a network failure without any address or query, and says what to do about it.
func (e *Error) networkFailure() (why, next string) {
	const (
		checkAll     = "check the address, the network and the proxy"
		correctProxy = "correct HTTPS_PROXY, or name the host in NO_PROXY"
	)
	var dns *net.DNSError
	var op *net.OpError
	var slow net.Error
	err := e.Cause
	switch throughProxy := errors.As(err, &op) && op.Op == "proxyconnect"; {
	case err == nil:
		return "the connection failed", checkAll
	case e.TimedOut():
		return errStalled.Error(), checkAll
	case errors.Is(err, context.Canceled):
		return "cancelled", ""
	case throughProxy && errors.As(err, &dns):
		return "the proxy's name was not found", correctProxy
	case throughProxy:
		return "the proxy refuses the connection", correctProxy
	case strings.Contains(err.Error(), http.StatusText(http.StatusProxyAuthRequired)):
		return "the proxy asks for a password", "put it into HTTPS_PROXY, as in http://USER:PASSWORD@HOST:PORT"
	case errors.As(err, &dns) && dns.IsNotFound:
		return "no such host", "correct the name in the address, or this machine's name resolution"
	case errors.As(err, &dns):
		return "the name cannot be looked up", "check the network and this machine's name servers"
	}
	if why, next := tlsFailure(err); why != "" {
		return why, next
	}
	switch {
	case strings.Contains(err.Error(), "connection refused"):
		return "connection refused", "check the address and its port, and that the server runs"
	case strings.Contains(err.Error(), "reset"), strings.Contains(err.Error(), "EOF"):
		return "the connection was cut off", checkAll
	case errors.As(err, &slow) && slow.Timeout():
		return "no response in time", checkAll
	}
	return "the connection failed", checkAll
}

// tlsFailure describes why a server is not trusted; "" if an error is about something else.
func tlsFailure(err error) (why, next string) {
	const tellServer = "tell the server's administrator"
	var cert *tls.CertificateVerificationError
	var host x509.HostnameError
	var authority x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &host):
		return "its certificate is for another host", "use an address that the certificate covers"
	case errors.As(err, &authority):
		return "its certificate is signed by an unknown authority",
			"add the authority to the system's trusted certificates, or to the file in SSL_CERT_FILE"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "its certificate has expired or is not valid yet; is this machine's clock right?",
			"set the clock; if it is right, " + tellServer
	case errors.As(err, &cert):
		return "its certificate is not valid", tellServer
	case strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"),
		strings.Contains(err.Error(), "does not look like a TLS handshake"):
		return "the server does not speak TLS", "check the address and its port"
	case strings.Contains(err.Error(), "protocol version"):
		return "the server offers no secure TLS version", tellServer
	}
	return "", ""
}

// refusedByClient reports whether the client itself refused the change.
func (e *Error) refusedByClient() bool {
	return errors.Is(e.Cause, ErrReadOnly) || errors.Is(e.Cause, ErrNotConfirmed) || errors.Is(e.Cause, ErrDryRun) ||
		errors.Is(e.Cause, errSafetyUnknown)
}

// Unknown reports whether a change may have been applied although it failed.
func (e *Error) Unknown() bool { return e.Write && e.Outcome == Unknown }

// Unauthorized reports whether the API rejects the token itself. A missing scope is a 401 too; the token's own scopes
// tell the two apart.
func (e *Error) Unauthorized() bool {
	return e.Status == http.StatusUnauthorized && !e.Presigned && (e.TokenScopes == "" || e.TokenScopes == "unknown") &&
		!mentionsEndpointScope(e.Reasons)
}

// mentionsEndpointScope reports whether the reasons say that the token is not enough for this endpoint.
func mentionsEndpointScope(reasons []FieldError) bool {
	return slices.ContainsFunc(
		reasons, func(r FieldError) bool {
			return strings.Contains(r.Reason.Raw(), "not authorized to use this endpoint")
		},
	)
}

// NothingChanged reports whether the API refused a change, or never got it. What the client itself refuses says so.
func (e *Error) NothingChanged() bool { return e.Write && !e.Unknown() && !e.refusedByClient() }

// Denied reports whether the user or the token lacks the permission, so that trying again is useless.
func (e *Error) Denied() bool {
	return e.Status == http.StatusForbidden || e.Status == http.StatusUnauthorized && !e.Unauthorized()
}

// NotFromAPI reports whether something other than the API answered: a proxy, another server.
func (e *Error) NotFromAPI() bool { return e.Detail != "" && e.Status != 0 && !e.Presigned }

// NotFound reports whether the thing does not exist.
func (e *Error) NotFound() bool { return e.Status == http.StatusNotFound }

// Offline reports whether there was no connection to the API.
func (e *Error) Offline() bool {
	return e.Status == 0 && e.Detail == "" && !e.refusedByClient()
}

// TimedOut reports whether no answer came in time. Whether the API can be reached is then not known.
func (e *Error) TimedOut() bool {
	return errors.Is(e.Cause, errStalled) ||
		errors.Is(e.Cause, context.DeadlineExceeded) && !errors.Is(e.Cause, errTooManyHere)
}

// RateLimited returns the wait that the API asked for, and whether it answered 429.
func (e *Error) RateLimited() (time.Duration, bool) {
	return e.RetryAfter, e.Status == http.StatusTooManyRequests
}

// Fields returns the API's reasons by the field that they are about; "" holds those about no field.
func (e *Error) Fields() map[string]string {
	if len(e.Reasons) == 0 {
		return nil
	}
	fields := map[string]string{}
	for _, r := range e.Reasons {
		f := r.Field.Raw()
		if fields[f] != "" {
			fields[f] += "; "
		}
		fields[f] += r.quote()
	}
	return fields
}

// Short describes the failure in at most 30 characters, for a status line.
func (e *Error) Short() string {
	switch {
	case e.Status != 0 && e.Detail != "":
		return fmt.Sprintf("%d, not the API", e.Status)
	case e.Status != 0:
		return fmt.Sprint(e.Status)
	case errors.Is(e.Cause, ErrReadOnly):
		return "read-only"
	case errors.Is(e.Cause, ErrNotConfirmed):
		return "not confirmed"
	case e.Detail != "" && e.Outcome == NotSent:
		return "not sent"
	case e.Detail != "":
		return "unreadable response"
	}
	return e.describeNetworkError()
}

// Advice returns the next step, in one sentence; "" if there is nothing to do but wait.
func (e *Error) Advice() string {
	switch {
	case e.Presigned:
		return e.presignedAdvice()
	case e.NotFromAPI() && e.Status < 500 && e.Status != http.StatusRequestTimeout:
		return "check the base URL, which ends in /v4, and the proxy if you use one"
	case e.Unauthorized() && e.oddToken != "":
		return "store the token alone (lookout accounts token NAME, LOOKOUT_TOKEN or --token-file)"
	case e.Unauthorized():
		return "use another token (lookout accounts token NAME, LOOKOUT_TOKEN or --token-file)"
	case e.Status == http.StatusUnauthorized:
		return e.scopeAdvice()
	case e.Status == http.StatusForbidden:
		return e.forbiddenAdvice()
	case e.Status == http.StatusNotFound:
		return e.notFoundAdvice()
	case e.Status == http.StatusTooManyRequests:
		return e.rateLimitAdvice()
	case e.Status >= 300 && e.Status < 400:
		return "check the base URL"
	case e.Status >= 400 && e.Status < 500 && e.mentions(balanceWords...):
		return balanceAdvice
	}
	return ""
}

// presignedAdvice is the next step after the storage refused a pre-signed URL.
func (e *Error) presignedAdvice() string {
	switch e.Status {
	case http.StatusForbidden:
		return "check this machine's clock, then try again"
	case http.StatusNotFound:
		return "the object may have been deleted; reload the list"
	}
	return ""
}

// scopeAdvice is the next step if the token lacks a scope.
func (e *Error) scopeAdvice() string {
	return "use a token with the scope " + orElse(e.RequiredScope, "of this endpoint")
}

// These words, in lower case, distinguish the reasons of a refusal, which the API does not document.
var (
	balanceWords    = []string{"balance", "payment", "past due", "billing", "credit card"}
	activationWords = []string{"activate"}
	scopeWords      = []string{"scope", "oauth", "token"}
)

const balanceAdvice = "someone with billing access must settle the account's balance first"

// forbiddenAdvice is the next step after a 403, which has several causes: the reason and the token's scopes tell them
// apart.
func (e *Error) forbiddenAdvice() string {
	switch {
	case e.mentions(balanceWords...):
		return balanceAdvice
	case e.mentions(activationWords...):
		return "the account must be activated at the provider first"
	case e.mentions(scopeWords...), e.lacksScope():
		return e.scopeAdvice()
	case len(e.Reasons) > 0 && e.Reasons[0].Field.Raw() != "":
		return "" // the reason is about a value
	case len(e.Reasons) > 0 && !e.mentions("unauthorized", "forbidden", "restricted", "permission"):
		return "ask an administrator of the account"
	case strings.HasPrefix(e.RequiredScope, "account:"):
		return "ask for an unrestricted user of the account, and check that Managed is enabled on it"
	}
	return "ask for an unrestricted user of the account"
}

// notFoundAdvice is the next step after a 404.
func (e *Error) notFoundAdvice() string {
	switch {
	case e.mentions("permission"):
		return "ask an administrator of the account"
	case e.target != "":
		return "it may have been deleted; reload the list"
	case e.Write:
		return "check the values; one of them names something that does not exist"
	}
	return "check the base URL"
}

// rateLimitAdvice is the next step after a 429. lookout repeats reads, but no changes.
func (e *Error) rateLimitAdvice() string {
	switch {
	case !e.Write:
		return "lookout waits and tries again"
	case e.RetryAfter > 0:
		return fmt.Sprintf("try again in %s", e.RetryAfter.Round(time.Second))
	}
	return "try again in a minute"
}

// mentions reports whether a reason contains one of some words in lower case.
func (e *Error) mentions(words ...string) bool {
	return slices.ContainsFunc(e.Reasons, func(r FieldError) bool {
		text := strings.ToLower(r.Reason.Raw())
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
	})
}

// lacksScope reports whether the token's scopes are known and do not include the one that the operation needs.
func (e *Error) lacksScope() bool {
	return e.RequiredScope != "" && e.TokenScopes != "" && e.TokenScopes != "unknown" &&
		!ScopesAllow(e.TokenScopes, e.RequiredScope)
}

// ScopesAllow reports whether a token's scopes include a scope. read_write includes read_only, and * includes all.
func ScopesAllow(scopes, need string) bool {
	if need == "" {
		return true
	}
	area, _, _ := strings.Cut(need, ":")
	for have := range strings.FieldsFuncSeq(scopes, func(r rune) bool { return r == ' ' || r == ',' }) {
		if have == "*" || have == need || have == area+":read_write" || have == area+":*" {
			return true
		}
	}
	return false
}

func orElse(text, absent string) string {
	if text == "" {
		return absent
	}
	return text
}
