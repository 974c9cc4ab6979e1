package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"lookout/client"
	"lookout/cmd/internal/exit"
)

// A command that waits says that nothing happened only if it could read so until the end.
func TestPoll_neverSaysWhatItCouldNotRead(t *testing.T) {
	offline := &client.Error{Op: "view service 4", Status: 503}
	hang := func(ctx context.Context) (bool, error) {
		<-ctx.Done()
		return false, ctx.Err()
	}
	refused := func(ctx context.Context) (bool, error) {
		<-ctx.Done()
		return false, &client.Error{Op: "view service 4", Status: 404}
	}
	fails := func(context.Context) (bool, error) { return false, offline }
	succeeds := func(context.Context) (bool, error) { return false, nil }
	for name, c := range map[string]struct {
		reads   []func(context.Context) (bool, error) // the last one again and again
		code    int
		reports int
	}{
		"every read succeeds":       {[]func(context.Context) (bool, error){succeeds}, exit.CodeFailure, 0},
		"the last reads fail":       {[]func(context.Context) (bool, error){succeeds, fails}, exit.CodeUnavailable, 1},
		"no read succeeds":          {[]func(context.Context) (bool, error){fails}, exit.CodeUnavailable, 1},
		"refused in the end":        {[]func(context.Context) (bool, error){refused}, exit.CodeNotFound, 0},
		"no read ends":              {[]func(context.Context) (bool, error){hang}, exit.CodeUnavailable, 0},
		"it fails twice, then ends": {[]func(context.Context) (bool, error){fails, succeeds, fails, succeeds}, 1, 2},
		"done at the last moment": {[]func(context.Context) (bool, error){func(ctx context.Context) (bool, error) {
			<-ctx.Done()
			return true, nil
		}}, exit.CodeOK, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var reports bytes.Buffer
				n := 0
				p := &pollFlags{timeout: time.Minute, interval: 5 * time.Second}
				err := p.poll(t.Context(), &scriptSession{errOut: &reports}, func(ctx context.Context) (bool, error) {
					n++
					return c.reads[min(n, len(c.reads))-1](ctx)
				})
				if code := exit.CodeFor(err); code != c.code {
					t.Errorf("exit code %d: %v", code, err)
				}
				if errors.Is(err, errStillWaiting) != (c.code == exit.CodeFailure) {
					t.Errorf("%v", err)
				}
				if got := strings.Count(reports.String(), "still waiting"); got != c.reports {
					t.Errorf("%d reports:\n%s", got, reports.String())
				}
			})
		})
	}
}

// A wait that is shorter than the time between two reads, and whose only read is cut off, knows nothing either.
func TestPoll_onlyReadIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &pollFlags{timeout: 10 * time.Second, interval: 20 * time.Second}
		err := p.poll(t.Context(), &scriptSession{errOut: io.Discard}, func(ctx context.Context) (bool, error) {
			<-ctx.Done()
			return false, ctx.Err()
		})
		if errors.Is(err, errStillWaiting) || exit.CodeFor(err) != exit.CodeUnavailable {
			t.Errorf("exit code %d: %v", exit.CodeFor(err), err)
		}
	})
}
