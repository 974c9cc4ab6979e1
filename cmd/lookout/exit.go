package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"lookout/client"
)

// Exit codes. A signal ends the program with 128 and its number.
const (
	exitOK      = 0
	exitError   = 1
	exitUsage   = 2
	exitDenied  = 3
	exitMissing = 4
	exitUnknown = 5
	exitLater   = 6
	exitBroken  = 130
)

// codes are the exit codes in words, for the help and the documentation.
var codes = []struct {
	code    int
	meaning string
}{
	{exitOK, "fine"},
	{exitError, "it failed, or the API refused it"},
	{exitUsage, "wrong flags, arguments or configuration, or no terminal where one is needed"},
	{exitDenied, "no token, a token that is not accepted, or one that may not do this; also --read-only"},
	{exitMissing, "the thing is not there"},
	{exitUnknown, "a change was sent, and its outcome is unknown or could not be written: look before doing it again"},
	{exitLater, "too many requests, or the API cannot be reached: try again later"},
	{exitBroken, "interrupted; another signal n gives 128+n"},
}

func codesHelp() string {
	var b strings.Builder
	b.WriteString("Exit codes:")
	for _, c := range codes {
		fmt.Fprintf(&b, "\n  %-3d %s", c.code, c.meaning)
	}
	return b.String()
}

// exit is an error with its own exit code. One without an error has told already why.
type exit struct {
	code int
	err  error
}

// Error is the error's text.
func (e *exit) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

// Unwrap is the error.
func (e *exit) Unwrap() error { return e.err }

func usage(err error) error { return &exit{exitUsage, err} }

func denied(err error) error { return &exit{exitDenied, err} }

// codeOf is the exit code of an error.
func codeOf(err error) int {
	var e *exit
	var failure *client.Error
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &e):
		return e.code
	case errors.As(err, &failure):
		return codeOfFailure(failure)
	case errors.Is(err, context.Canceled):
		return exitBroken
	}
	return exitError
}

// codeOfFailure is the exit code of a request that did not go well.
func codeOfFailure(e *client.Error) int {
	switch {
	case e.Unknown():
		return exitUnknown
	case errors.Is(e.Cause, context.Canceled):
		return exitBroken
	case e.NotFromAPI() && e.Status < 500:
		return exitError
	case e.Unauthorized(), e.Denied(), errors.Is(e, client.ErrReadOnly):
		return exitDenied
	case e.NotFound():
		return exitMissing
	case errors.Is(e, client.ErrRateLimited), e.Offline(), e.Status >= 500:
		return exitLater
	}
	return exitError
}

// told is an error with its next step, as one line for each mistake.
func told(err error) string {
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

// nothing is for commands that take no arguments. A word that is like a command is offered.
func nothing(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !c.HasSubCommands() {
		return usage(fmt.Errorf("%s takes no argument: %q", c.CommandPath(), client.Clean(args[0])))
	}
	text := fmt.Sprintf("%s has no command %q", c.CommandPath(), client.Clean(args[0]))
	c.SuggestionsMinimumDistance = 2
	if like := c.SuggestionsFor(args[0]); len(like) > 0 {
		text += "; is " + strings.Join(like, " or ") + " meant?"
	}
	return usage(fmt.Errorf("%s; %s --help lists what there is", text, c.CommandPath()))
}

// needsCommand is the work of a command that does nothing without one of those beneath it.
func needsCommand(c *cobra.Command, _ []string) error {
	return usage(fmt.Errorf("%s needs a command; %[1]s --help lists what there is", c.CommandPath()))
}

// exactly is for commands whose use names their arguments: "get ID".
func exactly(c *cobra.Command, args []string) error {
	words := strings.Fields(c.Use)[1:]
	least := 0
	for _, w := range words {
		if !strings.HasPrefix(w, "[") {
			least++
		}
	}
	if len(args) < least || len(args) > len(words) {
		return usage(fmt.Errorf("%s needs %s; %d given", c.CommandPath(), orElse(strings.Join(words, " "), "no argument"), len(args)))
	}
	return nil
}
