package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/client/account"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
)

// A pollFlags says how long a command waits, and how often it reads.
type pollFlags struct{ timeout, interval time.Duration }

// addPollFlags adds the flags of a command that waits.
func addPollFlags(set *pflag.FlagSet, timeout, interval time.Duration) *pollFlags {
	p := &pollFlags{}
	set.DurationVar(&p.timeout, "timeout", timeout, "give up after this time")
	set.DurationVar(&p.interval, "interval", interval, "time between reads, at least 1s")
	return p
}

// checkPollFlags refuses values of the flags that make no sense.
func checkPollFlags(set *pflag.FlagSet, _ []string) error {
	if every, _ := set.GetDuration("interval"); every < time.Second {
		return exit.Usage(fmt.Errorf("--interval %v: use at least 1s", every))
	}
	if limit, _ := set.GetDuration("timeout"); limit < 0 {
		return exit.Usage(fmt.Errorf("--timeout %v: use 0s or more", limit))
	}
	return nil
}

// errStillWaiting is the error of a command that gave up, and that could read until the end.
var errStillWaiting = errors.New("gave up")

// poll reads until done, or until the timeout. A read that fails because the API cannot be reached is repeated; any
// other failure ends the waiting.
func (p *pollFlags) poll(
	ctx context.Context,
	s *scriptSession,
	read func(context.Context) (done bool, err error),
) error {
	limited, cancel := context.WithTimeoutCause(ctx, p.timeout, errStillWaiting)
	defer cancel()
	tick := time.NewTicker(p.interval)
	defer tick.Stop()
	haveRead := false
	for failed := error(nil); ; {
		begun := time.Now()
		done, err := read(limited)
		haveRead = haveRead || err == nil
		over := errors.Is(context.Cause(limited), errStillWaiting)
		switch {
		case done && err == nil:
			return nil
		case over && err != nil && haveRead && failed == nil && time.Since(begun) < p.interval:
			return errStillWaiting // it was only cut short
		case over && (errors.Is(err, context.DeadlineExceeded) || exit.CodeFor(err) == exit.CodeUnavailable):
			return p.lastReadFailed(err)
		case err != nil && exit.CodeFor(err) != exit.CodeUnavailable:
			return err
		case err != nil && failed == nil:
			s.reportf("%s; still waiting", exit.Describe(err))
		}
		failed = err
		select {
		case <-tick.C:
		case <-limited.Done():
			if failed != nil && ctx.Err() == nil {
				return p.lastReadFailed(failed)
			}
			return context.Cause(limited)
		}
	}
}

// lastReadFailed returns the error of a command that gave up without knowing what there was to read in the end.
func (p *pollFlags) lastReadFailed(err error) error {
	return exit.WithCode(
		exit.CodeUnavailable,
		fmt.Errorf("gave up after %v, and the last read failed; %s", p.timeout, exit.Describe(err)),
	)
}

// serviceCommands adds the command that waits for a status.
func serviceCommands(r scriptResource) scriptResource {
	r.subcommands = append(r.subcommands, subcommand{
		name:        "wait",
		description: "Wait until a service has a given status, then show the service",
		bindFlags:   waitForStatus,
		check: func(set *pflag.FlagSet, args []string) error {
			if wanted := set.Lookup("for").Value.String(); !slices.Contains(awaitedStatuses(), wanted) {
				return exit.Usage(fmt.Errorf(
					"--for %q: use %s", client.Clean(wanted), strings.Join(awaitedStatuses(), " or "),
				))
			}
			return checkPollFlags(set, args)
		},
	})
	return r
}

// awaitedStatuses are the statuses that a script can wait for.
func awaitedStatuses() []string {
	return []string{string(client.StatusOK), string(client.StatusDisabled)}
}

// waitForStatus reads a service until it has a status.
func waitForStatus(set *pflag.FlagSet) planFunc {
	choices := awaitedStatuses()
	wanted := set.String("for", choices[0], "the status: "+strings.Join(choices, " or "))
	config.CompleteValues(set, "for", choices...)
	waiting := addPollFlags(set, 5*time.Minute, 5*time.Second)
	return func(ctx context.Context, s *scriptSession, row any, _ []string) (change, error) {
		service := row.(*client.Service)
		id := service.ID
		err := waiting.poll(ctx, s, func(ctx context.Context) (bool, error) {
			if string(service.Status) == *wanted {
				return true, nil
			}
			now, err := s.api.Services.Get(ctx, id)
			if err != nil {
				return false, err
			}
			service = now
			return string(service.Status) == *wanted, nil
		})
		if errors.Is(err, errStillWaiting) {
			name := targetName("service", account.FormatID(id), service.Label.String())
			err = fmt.Errorf("%s is still %s after %v", name, service.Status, waiting.timeout)
		}
		return change{result: service}, err
	}
}

// issueCommands adds the command that waits for an issue.
func issueCommands(r scriptResource) scriptResource {
	r.subcommands = append(r.subcommands, subcommand{
		name:        "wait",
		description: "Wait for a new issue, then show it",
		noTarget:    true,
		bindFlags:   waitForIssue,
		check:       checkPollFlags,
	})
	return r
}

// waitForIssue reads the issues until there is one that the first reading did not have: the oldest of them.
func waitForIssue(set *pflag.FlagSet) planFunc {
	waiting := addPollFlags(set, 8*time.Hour, 20*time.Second)
	return func(ctx context.Context, s *scriptSession, _ any, _ []string) (c change, err error) {
		var known map[int]bool
		var found *client.Issue
		err = waiting.poll(ctx, s, func(ctx context.Context) (bool, error) {
			issues, err := account.Collect(s.api.Issues.All(ctx))
			if err != nil {
				return false, err
			}
			first := known == nil
			if first {
				known = map[int]bool{}
			}
			for _, issue := range issues {
				if !first && !known[issue.ID] && (found == nil || issue.ID < found.ID) {
					found = issue
				}
				known[issue.ID] = true
			}
			return found != nil, nil
		})
		if errors.Is(err, errStillWaiting) {
			err = fmt.Errorf("no new issue was detected in %v", waiting.timeout)
		}
		return change{result: found}, err
	}
}
