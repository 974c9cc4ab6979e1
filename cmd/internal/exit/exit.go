// Package exit holds the exit codes and the errors that carry them.
package exit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"

	"lookout/client"
)

// Exit codes. A signal ends the program with 128 and its number.
const (
	CodeOK          = 0
	CodeFailure     = 1
	CodeUsage       = 2
	CodeDenied      = 3
	CodeNotFound    = 4
	CodeUnknown     = 5
	CodeUnavailable = 6
	CodePartial     = 7
	CodeProblem     = 8
	CodeInterrupted = 130
)

// Codes describes the exit codes for the help and the documentation.
var Codes = []struct {
	Code    int
	Meaning string
}{
	{CodeOK, "success"},
	{CodeFailure, "failed, or rejected by the API"},
	{CodeUsage, "wrong flags, arguments or configuration, or no terminal where one is needed"},
	{CodeDenied, "no token, a rejected token, or one without the required permission; or blocked by --read-only"},
	{CodeNotFound, "not found"},
	{CodeUnknown, "a change was sent, but its outcome is unknown or could not be printed: check before you repeat it"},
	{CodeUnavailable, "too many requests, or the API cannot be reached: try again later"},
	{CodePartial, "some files or objects were not transferred or deleted; each is listed on standard error"},
	{CodeProblem, "lookout status or lookout audit found something"},
	{CodeInterrupted, "interrupted; other signals give 128+n"},
}

// Help returns the list of exit codes for help texts.
func Help() string {
	var b strings.Builder
	b.WriteString("Exit codes:")
	for _, c := range Codes {
		fmt.Fprintf(&b, "\n  %-3d %s", c.Code, c.Meaning)
	}
	return b.String()
}

// ExitCodeError is an error with its own exit code. Without an inner error the reason has been printed already.
type ExitCodeError struct {
	code int
	err  error
}

// Error returns the text of the inner error.
func (e *ExitCodeError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

// Unwrap returns the inner error.
func (e *ExitCodeError) Unwrap() error { return e.err }

// WithCode returns an error with the exit code that it ends the program with.
func WithCode(code int, err error) error { return &ExitCodeError{code, err} }

// Usage returns an error about flags, arguments or configuration.
func Usage(err error) error { return WithCode(CodeUsage, err) }

// Denied returns an error about a token that is missing or lacks a permission.
func Denied(err error) error { return WithCode(CodeDenied, err) }

// A NextStepError is an error with its next step, which doctor shows on a line of its own.
type NextStepError struct {
	err  error
	next string
}

// Error returns the text of the error, followed by the next step.
func (e *NextStepError) Error() string { return e.err.Error() + "; " + e.next }

// Unwrap returns the error without its next step.
func (e *NextStepError) Unwrap() error { return e.err }

// Advise returns an error with its next step.
func Advise(err error, next string) error { return &NextStepError{err, next} }

// Text returns the text of an error on one line, without the colons that the standard library puts into its own: the
// reason of a file follows its path in brackets, "/etc/x (permission denied)".
func Text(err error) string {
	switch e := err.(type) {
	case *fs.PathError:
		return e.Path + " (" + Text(e.Err) + ")"
	case *os.LinkError:
		return e.New + " (" + Text(e.Err) + ")"
	case *exec.Error:
		return e.Name + " (" + Text(e.Err) + ")"
	case *os.SyscallError:
		return Text(e.Err)
	case *net.OpError:
		return Text(e.Err)
	case *net.AddrError:
		return e.Err
	}
	text := err.Error()
	var inner []error
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		inner = []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		inner = e.Unwrap()
	}
	for _, one := range inner {
		if one != nil && one.Error() != "" {
			text = strings.Replace(text, one.Error(), Text(one), 1)
		}
	}
	return text
}

// SplitAdvice returns the text of an error without its next step, and the next step; "" if it has none.
func SplitAdvice(err error) (text, next string) {
	text = Text(err)
	if e, ok := errors.AsType[*NextStepError](err); ok {
		return strings.TrimSuffix(text, "; "+e.next), e.next
	}
	return text, ""
}

// CodeFor returns the exit code of an error.
func CodeFor(err error) int {
	var e *ExitCodeError
	var failure *client.Error
	switch {
	case err == nil:
		return CodeOK
	case errors.As(err, &e):
		return e.code
	case errors.As(err, &failure):
		return exitCodeForAPIError(failure)
	case errors.Is(err, context.Canceled):
		return CodeInterrupted
	}
	return CodeFailure
}

// exitCodeForAPIError returns the exit code of a failed request.
func exitCodeForAPIError(e *client.Error) int {
	switch {
	case e.Unknown():
		return CodeUnknown
	case errors.Is(e.Cause, context.Canceled):
		return CodeInterrupted
	case e.NotFromAPI() && e.Status < 500:
		return CodeFailure
	case e.Unauthorized(), e.Denied(), errors.Is(e, client.ErrReadOnly):
		return CodeDenied
	case e.NotFound():
		return CodeNotFound
	case errors.Is(e, client.ErrRateLimited), e.Offline(), e.Status >= 500:
		return CodeUnavailable
	}
	return CodeFailure
}

// describeWait returns when to try again after a 429: "in 37s", or "later" if the API did not say.
func describeWait(wait time.Duration) string {
	if wait <= 0 {
		return "later"
	}
	return "in " + wait.Round(time.Second).String()
}

// Describe returns an error and its next step, one line per mistake.
func Describe(err error) string {
	if err == nil {
		return ""
	}
	text := Text(err)
	var failure *client.Error
	switch {
	case !errors.As(err, &failure):
		return text
	case failure.Unknown():
		return text + "; not seen yet; it may still take effect; check whether it was applied before you repeat it"
	case errors.Is(failure, client.ErrRateLimited):
		return text + "; try again " + describeWait(failure.RetryAfter)
	case failure.Advice() != "":
		return text + "; " + failure.Advice()
	}
	return text
}
