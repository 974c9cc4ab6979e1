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
	"lookout/client/emulator"
	"lookout/client/journal"
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

// With --wait, a create whose answer was lost waits for the verdict. What it may have made is reported at the end, ours
// and a colleague's alike, and it ends with code 5: no reading tells whose an object is. If nothing appears, it was not
// done.
func TestWait_createEndsWithCandidates(t *testing.T) {
	for name, c := range map[string]struct {
		fault emulator.Fault
		twin  bool // a colleague makes the same, a moment later
		code  int
		says  []string
	}{
		"applied at once": {
			emulator.Fault{Status: 504, ApplyFirst: true, Times: 1}, false, exit.CodeUnknown,
			[]string{"contact 901: made", "exactly as it was sent", "whether this command or somebody else made it"},
		},
		"applied a minute late, beside a colleague's": {
			emulator.Fault{Late: time.Minute, Times: 1}, true, exit.CodeUnknown,
			[]string{"contact 901: made", "contact 902: made", "which of them this command made, if any"},
		},
		"a colleague's alone": {
			emulator.Fault{Status: 504, Times: 1}, true, exit.CodeUnknown,
			[]string{"contact 901: made", "whether this command or somebody else made it"},
		},
		"never": {
			emulator.Fault{Status: 504, Times: 1}, false, exit.CodeFailure,
			[]string{"not seen after 2 min of checking; treated as not applied, but it may still arrive"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				emulated := emulator.New(emulator.Options{Token: "t"})
				emulated.InjectFault("create contact", c.fault)
				j := journal.NewInMemory(time.Now)
				api, err := client.New("https://api.example.test/v4", client.NewSecret("t"),
					client.WithTransport(emulated), client.WithRecorder(j))
				if err != nil {
					t.Fatal(err)
				}
				create := func(api *client.Client) error {
					change := client.Change{Op: client.OpCreateContact, Resource: "contact", Label: "Zed"}
					consent, err := api.Consent(t.Context(), nil, client.ConsentQuestion{Op: change.Op}, "")
					if err != nil {
						return err
					}
					w, err := api.Begin(change, consent)
					if err != nil {
						return err
					}
					_, err = w.CreateContact(t.Context(), client.ContactRequest{Name: "Zed", Email: "zed@acme.net"})
					return err
				}
				lost := create(api)
				if c.twin {
					theirs, err := client.New("https://api.example.test/v4", client.NewSecret("t"),
						client.WithTransport(emulated))
					if err == nil {
						err = create(theirs)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				var reports bytes.Buffer
				s := &scriptSession{journal: &lazyJournal{Journal: j}, errOut: &reports, now: time.Now}
				s.connect(t.Context(), api)
				began := time.Now()
				run := subcommandRun{wait: true}
				err = run.lookUpLost(t.Context(), s, change{name: "contact Zed"}, lost)
				if code := exit.CodeFor(err); code != c.code {
					t.Errorf("exit code %d, want %d: %v", code, c.code, err)
				}
				text := reports.String() + err.Error()
				for _, want := range c.says {
					if !strings.Contains(text, want) {
						t.Errorf("it does not say %q:\n%s", want, text)
					}
				}
				if took := time.Since(began); took < 2*time.Minute || took > waitLimit {
					t.Errorf("it waited %v", took)
				}
			})
		})
	}
}
