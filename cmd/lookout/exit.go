package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"lookout/client"
)

// Exit codes. A signal ends the program with 128 and its number.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitDenied      = 3
	exitNotFound    = 4
	exitUnknown     = 5
	exitUnavailable = 6
	exitInterrupted = 130
)

// exitCodes are the exit codes in words, for the help and the documentation.
var exitCodes = []struct {
	code    int
	meaning string
}{
	{exitOK, "fine"},
	{exitFailure, "it failed, or the API refused it"},
	{exitUsage, "wrong flags, arguments or configuration, or no terminal where one is needed"},
	{exitDenied, "no token, a token that is not accepted, or one that may not do this; also --read-only"},
	{exitNotFound, "the thing is not there"},
	{exitUnknown, "a change was sent, and its outcome is unknown or could not be written: look before doing it again"},
	{exitUnavailable, "too many requests, or the API cannot be reached: try again later"},
	{exitInterrupted, "interrupted; another signal n gives 128+n"},
}

func exitCodesHelp() string {
	var b strings.Builder
	b.WriteString("Exit codes:")
	for _, c := range exitCodes {
		fmt.Fprintf(&b, "\n  %-3d %s", c.code, c.meaning)
	}
	return b.String()
}

// exitCodeError is an error with its own exit code. One without an error has told already why.
type exitCodeError struct {
	code int
	err  error
}

// Error is the error's text.
func (e *exitCodeError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

// Unwrap is the error.
func (e *exitCodeError) Unwrap() error { return e.err }

func usageError(err error) error { return &exitCodeError{exitUsage, err} }

func deniedError(err error) error { return &exitCodeError{exitDenied, err} }

// exitCodeFor is the exit code of an error.
func exitCodeFor(err error) int {
	var e *exitCodeError
	var failure *client.Error
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &e):
		return e.code
	case errors.As(err, &failure):
		return exitCodeForAPIError(failure)
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	return exitFailure
}

// exitCodeForAPIError is the exit code of a request that did not go well.
func exitCodeForAPIError(e *client.Error) int {
	switch {
	case e.Unknown():
		return exitUnknown
	case errors.Is(e.Cause, context.Canceled):
		return exitInterrupted
	case e.NotFromAPI() && e.Status < 500:
		return exitFailure
	case e.Unauthorized(), e.Denied(), errors.Is(e, client.ErrReadOnly):
		return exitDenied
	case e.NotFound():
		return exitNotFound
	case errors.Is(e, client.ErrRateLimited), e.Offline(), e.Status >= 500:
		return exitUnavailable
	}
	return exitFailure
}

// describeError is an error with its next step, as one line for each mistake.
func describeError(err error) string {
	var failure *client.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &failure) && failure.Unknown():
		return err.Error() + "; look whether it was done before doing it again"
	case errors.As(err, &failure) && errors.Is(failure, client.ErrRateLimited):
		return err.Error() + "; try again later"
	case errors.As(err, &failure) && failure.Advice() != "":
		return err.Error() + "; " + failure.Advice()
	}
	return err.Error()
}
