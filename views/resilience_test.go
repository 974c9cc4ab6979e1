package views_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/client/lists"
	"lookout/client/ratelimit"
	"lookout/ui/shell"
	"lookout/ui/terminal"
	"lookout/ui/uitest"
)

// paneKeys are the panes that the API fills, and a text of each.
// paneText is a pane, by the keys that open it, and a text that it shows.
type paneText struct{ keys, text string }

var paneKeys = []paneText{
	{"2", "ticket"},
	{"3", "edge-router"},
	{"4", "Ada Wong"},
	{"5", "db2-root"},
	{"6", "bastion"},
	{"8", "acme-backups"},
	{"9", "backup agent"},
	{"0", "us-east-1"},
}

// If the API's host name cannot be resolved, the rows stay and the head line says since when the program is offline.
func TestShell_hostNameNotFound(t *testing.T) {
	t.Parallel()
	for name, cause := range map[string]*net.DNSError{
		"not found":    {IsNotFound: true, Err: "no such host"},
		"server fails": {IsTemporary: true, Err: "server misbehaving"},
		"silent":       {IsTimeout: true, Err: "i/o timeout"},
	} {
		for _, pane := range paneKeys[1:4] {
			faulttest.RunCase(t, "A2", name+" in pane "+pane.keys, func(t *testing.T) {
				s := &rewritingTransport{}
				startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
					r.press(pane.keys)
					r.requireText(pane.text)
					s.fail = func(*http.Request) error { return &net.OpError{Op: "dial", Net: "tcp", Err: cause} }
					r.press("r")
					r.wait(2 * time.Minute)
					r.requireText(
						pane.text, "offline · since",
						map[bool]string{true: "no such host", false: "the name cannot"}[cause.IsNotFound],
					)
				}, s)
			})
		}
	}
}

// All panes share one pause and count it down; a key ends it.
func TestRateLimit_onePauseForAllPanes(t *testing.T) {
	t.Parallel()
	for _, after := range []string{"0", "1", "59", "3600", "31536000", "1e18", "-5", "1.5", "Wed, 21 Oct 2015 " +
		"07:28:00 GMT", "Fri, 01 Jan 2999 00:00:00 GMT", "soon"} {
		faulttest.RunCase(t, "A22", "on screen, retry-after "+after, func(t *testing.T) {
			var refused, late atomic.Int64 // when the first request was refused, and how many were sent later
			s := &rewritingTransport{fail: func(*http.Request) error {
				if first := refused.Load(); first > 0 && time.Now().UnixNano() > first {
					late.Add(1)
				}
				return nil
			}}
			startProgram(t, emulator.Options{}, screenSize{140, 36}, func(r *harness) {
				r.press("3")
				r.wait(time.Second)
				r.emu.InjectFault("*", emulator.Fault{Status: 429, RetryAfter: after})
				refused.Store(time.Now().UnixNano()) // what is sent at the same moment cannot know the answer
				r.press("r")
				r.requireText("too many requests · ", "r: now", "edge-router")
				r.press("4")
				r.requireText("too many requests · ", "Ada Wong")
				if after == "3600" {
					r.requireText("retry in 1 min, r: now · the API asks for 1 h")
					r.wait(25 * time.Second)
					r.requireText("retry in 35 s")
				}
				if n := late.Load(); n != 0 {
					r.Errorf("%d requests, although the answer to the first one asks to wait", n)
				}
				refused.Store(0)
				r.emu.ClearFaults()
				r.press("r")
				r.wait(time.Second)
				r.requireText("live", "Ada Wong")
				r.requireNoText("too many requests")
			}, s)
		})
	}
}

// While requests wait because this machine has sent many, the first line says so, and for how long.
func TestRateLimit_waitsForOtherPrograms(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "acme.requests")
	limit := func() client.Option { return client.WithRequestLimiter(ratelimit.New(path, time.Now)) }
	runProgram(t, programOptions{size: screenSize{80, 24}, client: []client.Option{limit()}}, func(r *harness) {
		r.press("3")
		r.wait(time.Second)
		r.requireText("live", "edge-router")
		for other := ratelimit.New(path, time.Now); other.Take(true) == 0; {
			continue
		}
		r.press("r")
		r.wait(4 * time.Second)
		r.requireText("waiting 4 s: many requests from this machine", "edge-router")
		r.wait(8 * time.Second)
		r.requireNoText("waiting")
		r.requireText("live", "edge-router")
	})
}

// tokenRejected is the answer to a request with a token that is not accepted.
var tokenRejected = emulator.Fault{Status: 401, Body: `{"errors":[{"reason":"Invalid Token"}]}`}

// A token that cannot be one is refused before it is tried, and the one in use stays.
func TestToken_impossibleIsRefused(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("T", "wrong token", "<ctrl+s>")
		r.wait(time.Second)
		r.requireText("Token for acme-prod", "the token contains spaces")
		r.requireNoText("the token is accepted", "wrong token")
		r.press("<esc>", "<esc>", "3", "r")
		r.wait(time.Second)
		r.requireText("edge-router", "live")
	})
}

// A new token is used when it has been tried and checked, and not before: a change or the end of a window that is due
// meanwhile has the old one. If it is not known to be the same user's, it cannot tell that something is gone.
func TestToken_triedBeforeUse(t *testing.T) {
	t.Parallel()
	for _, known := range []bool{true, false} {
		var inUse atomic.Value // the token of the last request
		s := &rewritingTransport{fail: func(req *http.Request) error {
			inUse.Store(req.Header.Get("Authorization"))
			if strings.HasSuffix(req.Header.Get("Authorization"), "new-token") {
				req.Header.Set("Authorization", "Bearer "+token)
			}
			return nil
		}}
		startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
			r.checkToken = func(ctx context.Context, trial *client.Client) (bool, error) {
				_, err := r.api.Contacts.List(ctx, 1)
				if now := inUse.Load(); err != nil || now != "Bearer "+token {
					r.Errorf("the token that is tried is used: %v, %v", now, err)
				}
				_, err = trial.Contacts.List(ctx, 1)
				if now := inUse.Load(); err != nil || now != "Bearer new-token" {
					r.Errorf("the token that is checked is %v, %v", now, err)
				}
				return known, nil
			}
			r.press("T", "new-token", "<ctrl+s>")
			r.wait(time.Second)
			r.requireText("the token is accepted")
			if !r.api.Uses(client.NewSecret("new-token")) || r.api.DoubtsToken() == known {
				r.Errorf("known %v: doubted %v", known, r.api.DoubtsToken())
			}
		}, s)
	}
}

// If the token is rejected in mid-session, the program stops sending, keeps the rows and asks for a token once. An open
// form survives.
func TestToken_rejectedMidSession(t *testing.T) {
	t.Parallel()
	for _, pane := range paneKeys {
		faulttest.RunCase(t, "A25", "on screen in pane "+pane.keys, func(t *testing.T) {
			var asked atomic.Int32
			s := &rewritingTransport{fail: func(*http.Request) error { asked.Add(1); return nil }}
			startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
				r.press(pane.keys)
				r.requireText(pane.text)
				r.emu.InjectFault("*", tokenRejected)
				asked.Store(0)
				r.wait(25 * time.Second)
				first := asked.Load()
				r.wait(10 * time.Minute)
				r.requireText("Token for acme-prod", "token not accepted")
				if now := asked.Load(); now != first || now > 8 {
					r.Errorf("%d requests at first, %d in all", first, now)
				}
				r.press("wrong-token", "<ctrl+s>")
				r.requireText("not accepted")
				r.requireNoText("wrong-token")
				r.press("<esc>", "<esc>")
				r.requireText(pane.text)
				r.press("1", "2", "3", "4")
				r.requireNoText("Token for")
				r.emu.ClearFaults()
				r.press("T", token, "<ctrl+s>")
				r.wait(time.Second)
				r.requireText("the token is accepted")
				r.press(pane.keys)
				r.wait(30 * time.Second)
				r.requireText("live", pane.text)
			}, s)
		})
	}
}

// A form that is refused because of the token stays open, and is sent once after a new token was given.
func TestForm_survivesRejectedToken(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]emulator.Fault{"refused": tokenRejected, "forbidden": {Status: 403}} {
		for _, form := range []struct{ keys, text, past string }{
			{"4n", "New contact", "added"},
			{"4e", "Edit contact", "saved"},
		} {
			faulttest.RunCase(t, "B13", form.text+" "+name, func(t *testing.T) {
				startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
					r.press(strings.Split(form.keys, "")...)
					r.requireText(form.text)
					if form.keys == "4n" {
						r.press("Zed", "<tab>", "zed@acme.net")
					} else {
						r.press("Zed")
					}
					r.emu.InjectFault("*", fault)
					r.press("<ctrl+s>")
					r.wait(time.Second)
					r.requireNoChanges()
					if fault.Status == 401 {
						r.requireText("Token for acme-prod")
						r.emu.ClearFaults()
						r.press(token, "<ctrl+s>")
						r.wait(time.Second)
					}
					r.emu.ClearFaults()
					r.requireText(form.text, "Zed")
					r.press("<ctrl+s>")
					r.wait(time.Second)
					r.requireText(": " + form.past)
					if n := len(r.appliedOperations()); n != 1 {
						r.Errorf("%d changes", n)
					}
				})
			})
		}
	}
}

// A pane explains what the token or the user may not read; the other panes work.
func TestPanes_missingScopes(t *testing.T) {
	t.Parallel()
	managed, storage := "23456", "890"
	for name, o := range map[string]emulator.Options{
		"managed alone":   {Scopes: "account:read_only"},
		"storage alone":   {Scopes: "object_storage:read_only"},
		"neither":         {Scopes: "domains:read_only"},
		"all to read":     {Scopes: "account:read_only object_storage:read_only"},
		"restricted user": {RestrictedUser: true},
	} {
		for _, pane := range paneKeys {
			faulttest.RunCase(t, "A26", "on screen, "+name+", pane "+pane.keys, func(t *testing.T) {
				startProgram(t, o, screenSize{140, 36}, func(r *harness) {
					r.press(pane.keys)
					may := o.RestrictedUser && strings.Contains(storage, pane.keys) ||
						strings.Contains(o.Scopes, "account") && strings.Contains(managed, pane.keys) ||
						strings.Contains(o.Scopes, "object_storage") && strings.Contains(storage, pane.keys) ||
						pane.keys == "0"
					if may {
						r.requireText(pane.text)
						return
					}
					r.requireText("not allowed")
					if !o.RestrictedUser {
						scope := "object_storage:read_only"
						if strings.Contains(managed, pane.keys) {
							scope = "account:read_only"
						}
						r.requireText(scope)
					}
					before := r.emu.RequestCount("")
					r.wait(10 * time.Second)
					if n := r.emu.RequestCount("") - before; n > 5000 {
						r.Errorf("%d requests within a refresh", n)
					}
				})
			})
		}
	}
}

// A row that arrives twice is shown once, and the pane reports the duplicate.
func TestLists_duplicatesAreDropped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ key, old, new, note string }{
		{"4", `"id":12,`, `"id":11,`, "1 duplicate dropped"}, {"5", `"id":32,`, `"id":31,`, "1 duplicate dropped"},
		{"3", `"id":2,`, `"id":1,`, "1 duplicate dropped"}, {"4", `"id":13,`, `"id":11,`, "1 duplicate dropped"},
	} {
		faulttest.RunCase(t, "A17", "pane "+c.key+" "+c.old, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{140, 36}, func(r *harness) {
				r.press(c.key)
				r.requireText(c.note)
			}, &rewritingTransport{old: c.old, new: []byte(c.new)})
		})
	}
}

// After the machine slept, the program shows how old the rows are and reads them again. A clock that is set back stops
// nothing.
func TestFreshness_clockJumps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		jump  time.Duration
		shows string
	}{
		"slept for 8 h":   {8 * time.Hour, "late · 8 h"},
		"slept for a day": {24 * time.Hour, "late · 1 d"},
		"set forward":     {time.Hour, "late · 1 h"},
		"set back":        {-time.Hour, "live · 0 s"},
	} {
		faulttest.RunCase(t, "A32", name, func(t *testing.T) {
			var off time.Duration
			setup := func(r *harness, o *shell.Options) {
				r.useClock(o, func() time.Time { return time.Now().Add(off) })
			}
			startWithOptions(t, emulator.Options{}, screenSize{120, 36}, setup, func(r *harness) {
				r.press("3")
				r.requireText("live")
				off = c.jump
				r.requireText(c.shows)
				before := r.emu.RequestCount("list services")
				r.wait(90 * time.Second)
				r.requireText("live")
				if r.emu.RequestCount("list services") == before {
					r.Error("nothing was read again")
				}
			})
		})
	}
}

// Ten thousand rows scroll without exhausting the memory, and long labels break nothing.
func TestLists_tenThousandRows(t *testing.T) {
	faulttest.RunCase(t, "A33", "frames of the largest account", func(t *testing.T) {
		startProgram(t, emulator.Options{Seed: "large"}, screenSize{200, 50}, func(r *harness) {
			var heap runtime.MemStats
			for _, key := range []string{"3", "4", "8"} {
				r.press(key, "G")
				// The clock stands still in a bubble, so the work of a key is measured by what it allocates.
				if n := testing.AllocsPerRun(20, func() { r.press("k") }); n > 5000 {
					r.Errorf("pane %s: one key allocates %v times, as if all rows were drawn", key, n)
				}
				r.requireExactFrame()
			}
			runtime.GC()
			runtime.ReadMemStats(&heap)
			if mib := heap.HeapAlloc >> 20; mib > 150 {
				r.Errorf("%d MiB on the heap", mib)
			}
		})
	})
	faulttest.RunCase(t, "A33", "labels of 5000 characters", func(t *testing.T) {
		startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
			for _, key := range []string{"1", "2", "3", "<enter>"} {
				r.press(key)
				r.requireExactFrame()
			}
		}, &rewritingTransport{old: `"edge-router"`, new: []byte(`"` + strings.Repeat("long", 1250) + `"`)})
	})
}

// A status that the API document does not have is shown as it came, and the service does not count as working.
func TestServices_unknownStatus(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"new-state", "OK", ""} {
		faulttest.RunCase(t, "A13", fmt.Sprintf("status %q on the screen", status), func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{140, 40}, func(r *harness) {
				r.press("3")
				for line := range strings.Lines(r.screen()) {
					if strings.Contains(line, "edge-router") &&
						(strings.Contains(line, "✓") || strings.Contains(line, " ok ")) {
						r.Errorf("reads as ok: %s", line)
					}
				}
				r.requireText(cmp.Or(status, account.UnknownText))
			}, &rewritingTransport{old: `"ok"`, new: []byte(`"` + status + `"`)})
		})
	}
}

// changeCase is one kind of change: the keys that prepare it and the key that sends it.
type changeCase struct {
	op, keys, send string
	done           string
	unknown        string // where nothing can be read back
	unproven       bool   // what was made can be seen, but not whose it is
}

// changeCases returns one case for each kind of change.
func changeCases() []changeCase {
	return []changeCase{
		readableChange("enable service", "3 / billing-cron <enter>", "E", "monitoring is enabled"),
		readableChange("disable service", "3 / edge-router <enter> d", "<ctrl+s>", "monitoring is disabled"),
		readableChange("delete service", "3 / edge-router <enter> D ~ edge-router", "<enter>", ": deleted"),
		unprovenChange("create service", "3 n night <tab> <right> <tab> 203.0.113.7:22", "<ctrl+s>"),
		readableChange("update service", "3 / edge-router <enter> e 2", "<ctrl+s>", "saved"),
		readableChange("delete contact", "4 / Ada <enter> D ~", "y", ": deleted"),
		unprovenChange("create contact", "4 n Zed <tab> zed@acme.net", "<ctrl+s>"),
		readableChange("update contact", "4 / Ada <enter> e 2", "<ctrl+s>", "saved"),
		unprovenChange("create credential", "5 n night <tab> ops <tab> secret", "<ctrl+s>"),
		readableChange("update credential", "5 / db2-root <enter> e 2", "<ctrl+s>", "saved"),
		readableChange("delete credential", "5 / db2-root <enter> D ~ db2-root", "<enter>", ": deleted"),
		readableChange("update SSH settings", "6 / db1 <enter>", "d", "support may not log in"),
		unprovenChange("create bucket", "8 n night", "<ctrl+s>"),
		readableChange("delete bucket", "8 / scratch <enter> D ~ scratch", "<enter>", ": deleted"),
		readableChange("update key", "9 / finance <enter> e 2", "<ctrl+s>", "saved"),
		readableChange("revoke key", "9 / finance <enter> D ~ finance", "<enter>", ": revoked"),
		unreadableChange("change login", "5 / db2-root <enter> P root <tab> secret", "<ctrl+s>", "harm"),
		readableChange(
			"modify access", "8 / acme-www <enter> x <right> <right> <ctrl+s> ~ acme-www", "<enter>", "access is now",
		),
		readableChange(
			"update access", "8 / acme-www <enter> x <right> <right> <tab> <right> <ctrl+s> ~ acme-www", "<enter>",
			"access is now",
		),
	}
}

// readableChange is a change whose outcome can be read back. If it was applied, the screen shows done.
func readableChange(op, keys, send, done string) changeCase {
	return changeCase{op: op, keys: keys, send: send, done: done}
}

// unprovenChange is a change that the API shows, but without anything that proves who made it.
func unprovenChange(op, keys, send string) changeCase {
	return changeCase{op: op, keys: keys, send: send, unproven: true}
}

// unreadableChange is a change whose outcome cannot be read back.
func unreadableChange(op, keys, send, unknown string) changeCase {
	return changeCase{op: op, keys: keys, send: send, unknown: unknown}
}

// pressAll presses keys, separated by spaces. "~" waits until a question accepts answers.
func (r *harness) pressAll(keys string) {
	r.Helper()
	for _, k := range strings.Fields(keys) {
		if k == "~" {
			r.wait(time.Second)
			continue
		}
		r.press(k)
	}
}

var lostAnswers = map[string]emulator.Fault{
	"reset before it was done": {Reset: true, Times: 1},
	"reset after it was done":  {ApplyFirst: true, Reset: true, Times: 1},
	"cut":                      {ApplyFirst: true, CutAfter: 10, Times: 1},
	"502 after":                {ApplyFirst: true, Status: 502, Times: 1},
	"502 before":               {Status: 502, Times: 1},
	"page after":               {ApplyFirst: true, HTML: true, Times: 1},
}

// If the answer to a change is lost, the change is not repeated, the screen shows what reading again found, and the
// journal records it.
func TestChanges_lostAnswers(t *testing.T) {
	t.Parallel()
	for i, w := range changeCases() {
		for j, name := range faulttest.Sorted(lostAnswers) {
			fault, row := lostAnswers[name], "B2"
			if w.unknown != "" {
				row = "B3"
			}
			if !faulttest.InSample(2, i, j) {
				continue
			}
			faulttest.RunCase(t, row, w.op+", "+name, func(t *testing.T) {
				startProgram(t, emulator.Options{}, screenSize{140, 40}, func(r *harness) {
					r.pressAll(w.keys)
					r.emu.InjectFault(w.op, fault)
					r.press(w.send)
					r.wait(5 * time.Second)
					done := fault.ApplyFirst || fault.CutAfter > 0
					want := map[bool]int{true: 1, false: 0}[done]
					if n := len(r.appliedOperations()); n != want {
						r.Fatalf("%d changes", n)
					}
					entries := r.journal.Entries(time.Time{})
					if len(entries) != 1 {
						r.Fatalf("%d entries in the journal", len(entries))
					}
					switch {
					case w.unknown != "":
						r.requireText(w.unknown)
						r.requireOutcome(client.Unknown)
						r.press("<ctrl+s>")
						r.wait(2 * time.Second)
						r.requireText("it may be done twice")
						if n := len(r.appliedOperations()); n != want {
							r.Errorf("sent again without a question: %d changes", n)
						}
						r.press("y")
						r.wait(2 * time.Second)
						if n := len(r.appliedOperations()); n != want+1 {
							r.Errorf("sent again by key: %d changes", n)
						}
					case done && w.unproven:
						r.requireText(lists.NotKnown)
						r.wait(140 * time.Second)
						r.requireText(lists.NotKnown)
						r.requireOutcome(client.Unknown)
					case done:
						r.requireText(w.done, lists.SeenByReading)
						r.requireOutcome(client.Applied)
					default:
						r.requireText(lists.NotSeenYet)
						r.requireOutcome(client.Unknown)
						r.wait(100 * time.Second)
						r.requireOutcome(client.Unknown)
						r.wait(30 * time.Second)
						r.requireText("not done: not seen in 2 min of checking")
						r.requireOutcome(client.Rejected)
					}
				})
			})
		}
	}
}

// requireOutcome fails unless the journal says that the first change ended so.
func (r *harness) requireOutcome(want client.Outcome) {
	r.Helper()
	if got := r.journal.Entries(time.Time{})[0].Outcome; got != want {
		r.Errorf("the journal says %q, want %q\n%s", got, want, r.screen())
	}
}

// A key that is pressed twice, held down or pasted sends a change only once.
func TestChanges_doublePresses(t *testing.T) {
	t.Parallel()
	for i, w := range changeCases() {
		hows := []string{"twice", "held", "pasted"}
		if strings.Contains(w.keys, " D ") { // ends in a question
			hows = append(hows, "held since before the question")
		}
		for j, how := range hows {
			if !faulttest.InSample(2, i, j) {
				continue
			}
			faulttest.RunCase(t, "B7", w.op+" "+how, func(t *testing.T) {
				startProgram(t, emulator.Options{}, screenSize{140, 40}, func(r *harness) {
					release := r.emu.HoldRequests(w.op)
					r.pressAll(w.keys)
					k := uitest.Key(w.send)
					switch how {
					case "twice":
						for range 3 {
							r.press(w.send)
						}
					case "held":
						r.send(k)
						k.IsRepeat = true
						for range 30 {
							r.send(k)
						}
					case "held since before the question":
						k.IsRepeat = true
						for range 30 {
							r.send(k)
						}
						release()
						r.wait(3 * time.Second)
						r.requireNoChanges()
						return
					case "pasted":
						r.send(tea.PasteMsg{Content: "y\ny\r\n\x13"})
						r.requireNoChanges()
						r.press("<backspace>", "<backspace>", "<backspace>", w.send)
					}
					release()
					r.wait(3 * time.Second)
					if n := len(r.appliedOperations()); n > 1 {
						r.Errorf("%d changes: %v", n, r.appliedOperations())
					}
				})
			})
		}
	}
}

// Rapid toggles send one change at a time for each row, in the order of the keys.
func TestSSH_rapidToggles(t *testing.T) {
	t.Parallel()
	for seed := range uint64(10) {
		faulttest.RunCase(t, "B8", fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
				dice := rand.New(rand.NewPCG(seed, 8))
				r.press("6", "/", "db1", "<enter>")
				for range 20 {
					release := r.emu.HoldRequests("update SSH settings")
					r.press([]string{"d", "E", "t"}[dice.IntN(3)])
					before := len(r.appliedOperations())
					r.press([]string{"d", "E", "t"}[dice.IntN(3)])
					release()
					r.wait(time.Second)
					if n := len(r.appliedOperations()) - before; n > 1 {
						r.Fatalf("%d changes at once", n)
					}
				}
				last := ""
				for _, entry := range r.emu.Ledger() {
					if now := string(toJSON(entry.Body)); now == last {
						r.Fatalf("the same change twice: %s", now)
					} else {
						last = now
					}
				}
			})
		})
	}
}

// Whatever happens to the rows while a question is open, its answer applies to the row that the question names.
func TestConfirm_keepsItsRow(t *testing.T) {
	t.Parallel()
	happenings := map[string]func(*harness) error{
		"gone": func(r *harness) error {
			return r.writer(client.OpDeleteContact, "11").DeleteContact(r.Context(), 11)
		},
		"another before it": func(r *harness) error {
			return r.createContact("Aaron", "a@acme.net")
		},
		"another with its name": func(r *harness) error {
			return r.createContact("Ada Wong", "a@acme.net")
		},
		"another name": func(r *harness) error {
			return r.renameContact(11, "Zoe")
		},
	}
	for name, happens := range happenings {
		for _, w := range []string{"D ~", "e 2"} {
			faulttest.RunCase(t, "B9", name+" beneath "+w[:1], func(t *testing.T) {
				startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
					r.pressAll("4 / Ada <enter> " + w)
					if err := happens(r); err != nil {
						t.Fatal(err)
					}
					before := len(r.emu.Ledger())
					r.wait(time.Minute) // refreshed beneath
					r.press(map[string]string{"D ~": "y", "e 2": "<ctrl+s>"}[w])
					r.wait(time.Second)
					for _, entry := range r.emu.Ledger()[before:] {
						if !strings.HasSuffix(entry.Path, "/contacts/11") {
							r.Errorf("another row was changed: %s", entry.Path)
						}
					}
					if name == "another name" && w == "D ~" {
						r.requireText("it is now called Zoe")
						if len(r.emu.Ledger()) != before {
							r.Error("it was deleted although it is another thing by now")
						}
					}
				})
			})
		}
	}
}

// If somebody else changes the object while a form is open, the form shows their change and does not overwrite it.
func TestForm_changedMeanwhile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, keys, says string
		other            func(*harness) error
	}{
		{"contact", "4 / Ada <enter> e 2", "is now: Zoe", func(r *harness) error {
			return r.renameContact(11, "Zoe")
		}},
		{"credential", "5 / db2-root <enter> e 2", "is now: other", func(r *harness) error {
			_, err := r.writer(client.OpUpdateCredential, "31").UpdateCredential(r.Context(), 31, "other")
			return err
		}},
		{"service", "3 / edge-router <enter> e 2", "is now: other", func(r *harness) error {
			patch := client.Patch{"label": "other"}
			_, err := r.writer(client.OpUpdateService, "9").UpdateService(r.Context(), 9, patch)
			return err
		}},
	} {
		for _, again := range []string{"theirs", "mine"} {
			faulttest.RunCase(t, "B10", c.name+", "+again, func(t *testing.T) {
				startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
					r.pressAll(c.keys)
					if err := c.other(r); err != nil {
						t.Fatal(err)
					}
					r.press("<ctrl+s>")
					r.wait(time.Second)
					r.requireText("somebody else has changed this", c.says)
					if n := len(r.appliedOperations()); n != 1 {
						r.Fatalf("%d changes", n)
					}
					if again == "mine" {
						r.press("<ctrl+s>")
						r.wait(time.Second)
						r.requireText(": saved")
					} else {
						r.press("<esc>", "<esc>")
						r.requireNoText("meanwhile")
					}
				})
			})
		}
	}
}

// A rejected form keeps what was typed, and shows the reason at its field.
func TestForm_rejectedKeepsInput(t *testing.T) {
	t.Parallel()
	many := strings.Repeat(`{"reason":"No","field":"other"},`, 5000)
	for i, form := range []struct{ op, keys, field, typed string }{
		{"create contact", "4 n Zedtyped <tab> zed@acme.net", "email", "Zedtyped"},
		{"create service", "3 n nighttyped <tab> <right> <tab> 203.0.113.7:22", "address", "nighttyped"},
		{"create credential", "5 n nighttyped <tab> ops <tab> hiddensecret", "label", "nighttyped"},
		{"update SSH settings", "6 / db1 <enter> e <tab> typed", "ssh.user", "typed"},
		{"create key", "9 n nighttyped", "label", "nighttyped"},
		{"create bucket", "8 n nighttyped", "label", "nighttyped"},
		{"change login", "5 / db2-root <enter> P typedroot <tab> hiddensecret", "username", "typedroot"},
	} {
		bodies := map[string]string{
			"its field":     `{"errors":[{"reason":"Too odd","field":"` + form.field + `"}]}`,
			"no field":      `{"errors":[{"reason":"Too odd"}]}`,
			"unknown field": `{"errors":[{"reason":"Too odd","field":"zzz"}]}`,
			"escapes":       `{"errors":[{"reason":"Too odd\u001b[2J\u001b]0;x\u0007","field":"` + form.field + `"}]}`,
			"very many":     `{"errors":[` + many + `{"reason":"Too odd"}]}`,
			"nothing":       `{"errors":[]}`,
		}
		for j, name := range faulttest.Sorted(bodies) {
			if !faulttest.InSample(4, i, j) {
				continue
			}
			faulttest.RunCase(t, "B12", form.op+", "+name, func(t *testing.T) {
				startProgram(t, emulator.Options{}, screenSize{140, 40}, func(r *harness) {
					r.emu.InjectFault(form.op, emulator.Fault{Status: 422, Body: bodies[name]})
					r.pressAll(form.keys)
					r.press("<ctrl+s>")
					if r.wait(time.Second); form.op == "create key" {
						r.press("y")
					}
					r.wait(2 * time.Second)
					r.requireText(form.typed)
					r.requireNoText("hiddensecret", "saved", "\x1b]")
					if name != "nothing" && name != "very many" {
						r.requireText("Too odd")
					}
					r.requireExactFrame()
					r.requireNoChanges()
				})
			})
		}
	}
}

// wrongAnswers are answers to a question that asks for a word. A function returns nil if its answer does not exist for
// the word.
var wrongAnswers = map[string]func(word string) []string{
	"wrong":        func(string) []string { return []string{"zzz", "<enter>"} },
	"one less":     func(w string) []string { return unlessSame(w[:len(w)-1], "") },
	"one more":     func(w string) []string { return []string{w, "x", "<enter>"} },
	"title case":   func(w string) []string { return unlessSame(strings.ToUpper(w[:1])+w[1:], w) },
	"capitals":     func(w string) []string { return unlessSame(strings.ToUpper(w), w) },
	"space before": func(w string) []string { return []string{" ", w, "<enter>"} },
	"space after":  func(w string) []string { return []string{w, " ", "<enter>"} },
	"lookalike": func(w string) []string {
		return unlessSame(strings.NewReplacer("a", "а", "e", "е", "s", "ѕ", "9", "９").Replace(w), w)
	},
	"decomposed":  func(w string) []string { return []string{w, "\u0301", "<enter>"} },
	"enter alone": func(string) []string { return []string{"<enter>", "<enter>"} },
	"yes":         func(string) []string { return []string{"y", "<enter>"} },
	"esc":         func(w string) []string { return []string{w, "<esc>", "<enter>"} },
	"no enter":    func(w string) []string { return []string{w} },
}

// unlessSame returns the keys for an answer, or nil if it is another one that is tested anyway.
func unlessSame(answer, other string) []string {
	if answer == other {
		return nil
	}
	return []string{answer, "<enter>"}
}

// A confirmation must match letter by letter; any other answer changes nothing.
func TestConfirm_wrongAnswerChangesNothing(t *testing.T) {
	t.Parallel()
	start := func(t *testing.T, test func(*harness)) {
		startProgram(t, emulator.Options{}, screenSize{120, 36}, test)
	}
	for i, d := range []struct{ name, keys, word string }{
		{"service", "3 / edge-router <enter> D ~", "edge-router"},
		{"credential", "5 / db2-root <enter> D ~", "db2-root"},
		{"key", "9 / finance <enter> D ~", "finance"},
		{"bucket", "8 / scratch <enter> D ~", "scratch"},
		{"emptying", "8 / acme-www <enter> X ~", "acme-www"},
		{"many", "4 A D ~", "9"},
		{"cancelling", "8 : cancel <enter> ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~", "acme-prod"},
	} {
		for j, name := range faulttest.Sorted(wrongAnswers) {
			keys := wrongAnswers[name](d.word)
			if keys == nil || !faulttest.InSample(3, i, j) {
				continue
			}
			faulttest.RunCase(t, "B14", d.name+" "+name, func(t *testing.T) {
				start(t, func(r *harness) {
					r.pressAll(d.keys)
					r.requireText("Type " + d.word)
					r.press(keys...)
					r.wait(2 * time.Second)
					r.requireNoChanges()
				})
			})
		}
		faulttest.RunCase(t, "B14", d.name+" pasted", func(t *testing.T) {
			start(t, func(r *harness) {
				r.pressAll(d.keys)
				r.send(tea.PasteMsg{Content: d.word + "\n"})
				r.wait(2 * time.Second)
				r.requireNoChanges() // the line break of a paste is not the enter key
				r.press("<enter>")
				r.wait(30 * time.Second)
				if changed := len(r.appliedOperations()) > 0; changed == (d.name == "cancelling") {
					r.Errorf("a pasted word, then enter: changed is %v\n%s", changed, r.screen())
				}
			})
		})
		faulttest.RunCase(t, "B14", d.name+" too early", func(t *testing.T) {
			start(t, func(r *harness) {
				r.pressAll(strings.TrimRight(d.keys, " ~"))
				r.press(d.word, "<enter>")
				r.requireNoChanges()
			})
		})
		faulttest.RunCase(t, "B14", d.name+" right", func(t *testing.T) {
			start(t, func(r *harness) {
				r.pressAll(d.keys)
				r.press(d.word, "<enter>")
				r.wait(30 * time.Second)
				if len(r.appliedOperations()) == 0 {
					r.Errorf("nothing was done:\n%s", r.screen())
				}
			})
		})
	}
}

// A name that cannot be typed is replaced by a code.
func TestConfirm_untypableName(t *testing.T) {
	t.Parallel()
	faulttest.RunCase(t, "B14", "a name that nobody can type", func(t *testing.T) {
		startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
			r.press("3", "/", "tcp", "<enter>", "s", "1", "G")
			r.pressAll("/ 198.51.100.1:179 <enter> D ~")
			r.requireNoText("Type edge")
			_, rest, _ := strings.Cut(r.screen(), "Type ")
			code, _, _ := strings.Cut(rest, " to ")
			if len(code) != 6 {
				r.Fatalf("the code is %q:\n%s", code, r.screen())
			}
			r.press(code, "<enter>")
			r.wait(time.Second)
			r.requireApplied("delete service")
		}, &rewritingTransport{old: `"edge-router"`, new: []byte(`"edge\u001b[31m\u202eroutеr"`)})
	})
}

// If the answer to a cancellation is lost, it is not repeated, and the program counts the buckets that are left.
func TestCancelStorage_lostAnswer(t *testing.T) {
	t.Parallel()
	for name, fault := range lostAnswers {
		faulttest.RunCase(t, "B15", name, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{200, 36}, func(r *harness) {
				r.press("8", ":", "cancel", "<enter>")
				r.wait(11 * time.Second)
				r.emu.InjectFault("cancel Object Storage", fault)
				r.press("acme-prod", "<enter>")
				r.wait(5 * time.Second)
				left := map[bool]string{
					true:  byService("buckets now: 0 of 12", "buckets now: 0 of 16"),
					false: byService("buckets now: 12 of 12", "buckets now: 16 of 16"),
				}[fault.ApplyFirst || fault.CutAfter > 0]
				r.requireText("the outcome is unknown", left)
				if n := len(r.appliedOperations()); n > 1 {
					r.Errorf("%d changes", n)
				}
			})
		})
	}
}

// If the answer to the creation of a key is lost, the program shows the key that appears and offers to revoke it, but
// does not call it its own: the API does not tell when a key was made.
func TestKeys_lostAnswerOffersRevoke(t *testing.T) {
	t.Parallel()
	for mode, keys := range map[string]string{
		"everything": "<tab> <left>",
		"nothing":    "",
		"a bucket":   "<tab> <tab> <down> <right>",
	} {
		for name, fault := range lostAnswers {
			faulttest.RunCase(t, "B4", "reaching "+mode+", "+name, func(t *testing.T) {
				startProgram(t, emulator.Options{}, screenSize{140, 40}, func(r *harness) {
					r.emu.InjectFault("create key", fault)
					r.pressAll("9 n orphan " + keys)
					r.confirmForm()
					r.wait(5 * time.Second)
					if fault.ApplyFirst || fault.CutAfter > 0 {
						r.requireDialog(
							"It is unknown who made this key", "orphan: the API does not say when it was made",
							"revoke key",
						)
						r.press("r")
						r.wait(time.Second)
						r.press("orphan", "<enter>")
						r.wait(time.Second)
						r.requireText("orphan: revoked")
						return
					}
					r.requireText(lists.NotSeenYet)
					r.requireNoChanges()
				})
			})
		}
	}
}

// A form whose change may be one that a reading shows says so. It claims that the API does not return what was sent
// only of what the API never returns. An edit that a colleague may have overwritten does not count as not done.
func TestForms_lostAnswerSaysWhatReadingShows(t *testing.T) {
	t.Parallel()
	const notReturned = "The API does not return what was sent"
	startProgram(t, emulator.Options{}, screenSize{140, 40}, func(r *harness) {
		r.emu.InjectFault("create key", emulator.Fault{ApplyFirst: true, Status: 504})
		r.pressAll("9 n orphan")
		r.confirmForm()
		r.wait(5 * time.Second)
		r.requireDialog("It is unknown who made this key")
		r.press("l")
		r.wait(time.Second)
		r.requireText("something that may be this change, or a colleague's.")
		r.requireNoText(notReturned)
	})
	startProgram(t, emulator.Options{}, screenSize{140, 40}, func(r *harness) {
		r.pressAll("4 e x")
		r.emu.InjectFault("update contact", emulator.Fault{Status: 504, Times: 1})
		r.press("<ctrl+s>")
		r.elsewhere("PUT", "/managed/contacts/19", `{"name":"Somebody Else"}`)
		r.wait(3 * time.Minute)
		r.requireText("not known whether it was done", "it was done. ctrl+s asks")
		r.requireNoText(notReturned)
	})
}

// A one-time secret is visible only while a key is held. The dialog does not close without a warning if the secret was
// not saved to a file.
func TestSecretDialog_shownOnlyWhileHeld(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(*harness){
		"esc":          func(r *harness) { r.press("<esc>") },
		"q":            func(r *harness) { r.press("q") },
		"ctrl+c":       func(r *harness) { r.press("<ctrl+c>") },
		"enter":        func(r *harness) { r.press("<enter>") },
		"resize":       func(r *harness) { r.send(tea.WindowSizeMsg{Width: 120, Height: 36}) },
		"suspended":    func(r *harness) { r.send(terminal.ResumedMsg{}) },
		"another tab":  func(r *harness) { r.press("7", "<tab>") },
		"five minutes": func(r *harness) { r.wait(5 * time.Minute) },
		"stalled":      func(r *harness) { r.send(terminal.OutputStalledMsg{DroppedBytes: 3}) },
	} {
		faulttest.RunCase(t, "F9", name, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
				r.press("9", "n", "once key")
				r.confirmForm()
				r.requireText("shown only once")
				r.press("r")
				_, line, _ := strings.Cut(r.screen(), "shown only once")
				_, line, _ = strings.Cut(line, "secret key ")
				secret := strings.Fields(line)[0]
				if strings.Contains(secret, "•") {
					t.Fatalf("not shown while the key is held:\n%s", r.screen())
				}
				r.wait(2 * time.Second)
				r.requireNoText(secret)
				leave(r)
				r.requireNoText(secret)
				r.requireText("shown only once")
				for range 2 {
					if !strings.Contains(r.screen(), "not saved to a file") {
						r.press("<esc>")
					}
				}
				r.requireText("not saved to a file")
				r.press("discard", "<enter>")
				r.requireNoText("shown only once", secret)
				r.press("/", "once", "<enter>", "V")
				r.requireNoText(secret)
				if strings.Contains(fmt.Sprintf("%+v", r.journal.Entries(time.Time{})), secret) {
					t.Error("the journal has it")
				}
			})
		})
	}
}

// A secret field never shows the text or its length. A failure keeps the text; leaving the form wipes it.
func TestForm_secretFields(t *testing.T) {
	t.Parallel()
	const secret = "canary-in-a-field"
	for _, form := range []struct{ name, keys, op string }{
		{"credential", "5 n night <tab> ops <tab> " + secret, "create credential"},
		{"login", "5 / db2-root <enter> P root <tab> " + secret, "change login"},
		{"token", "T " + secret, "list services"},
	} {
		for _, end := range []string{"sent", "left", "refused", "lost"} {
			faulttest.RunCase(t, "F10", form.name+" "+end, func(t *testing.T) {
				startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
					r.pressAll(form.keys)
					r.requireText("••••••••")
					r.requireNoText("•••••••••", "canary-in")
					switch end {
					case "left":
						r.press("<esc>", "<esc>")
					case "refused":
						r.emu.InjectFault(form.op, emulator.Fault{
							Status: 500,
							Body:   `{"errors":[{"reason":"I got ` + secret + `"}]}`,
							Times:  1,
						})
						r.press("<ctrl+s>")
					case "lost":
						r.emu.InjectFault(form.op, emulator.Fault{Reset: true, Times: 1})
						r.press("<ctrl+s>")
					default:
						r.press("<ctrl+s>")
					}
					r.wait(5 * time.Second)
					r.requireNoText("canary-in")
					r.press("m")
					r.requireNoText("canary-in")
					if strings.Contains(fmt.Sprintf("%+v", r.journal.Entries(time.Time{})), secret) {
						t.Error("the journal has it")
					}
				})
			})
		}
	}
}

// Keys that come while the screen is far behind are obeyed: they move, type and open forms. They change nothing before
// the user has seen what they would change.
func TestUnseenKeys_changeNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keys, shows string
		thenPressed []string // seen
		changes     int
	}{
		"move":           {"3jjj", "4 of 14", nil, 0},
		"filter":         {"3/edge", "of 14 match", nil, 0},
		"delete and yes": {"4Dy", "before the screen had caught up", nil, 0},
		"name typed":     {"3/billing-web<enter>Dbilling-web<enter>", "before the screen had caught up", nil, 0},
		"enable at once": {"3/billing-cron<enter>E", "before the screen had caught up", nil, 0},
		"enable, seen":   {"3/billing-cron<enter>E", "before the screen had caught up", []string{"y"}, 1},
		"disable":        {"3/billing-web<enter>d<ctrl+s>", "before the screen had caught up", nil, 0},
	} {
		faulttest.RunCase(t, "E3", "far behind: "+name, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
				for _, k := range uitest.Keys(c.keys) {
					r.send(terminal.UnseenInputMsg{Input: k})
				}
				r.wait(time.Second)
				r.send(terminal.UnseenInputMsg{Input: uitest.Key("y")})
				r.wait(time.Second)
				r.requireText(c.shows)
				r.press(c.thenPressed...)
				r.wait(time.Second)
				if n := len(r.emu.Ledger()); n != c.changes {
					t.Errorf("%d changes:\n%s", n, r.screen())
				}
			})
		})
	}
}

// A form that was filled in blindly is not sent before the user has seen it.
func TestUnseenKeys_sendNoForm(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3", "d")
		r.wait(time.Second)
		r.send(terminal.UnseenInputMsg{Input: uitest.Key("<ctrl+s>")})
		r.wait(time.Second)
		r.requireText("before the screen showed")
		if n := len(r.emu.Ledger()); n != 0 {
			t.Errorf("%d changes", n)
		}
		r.press("<ctrl+s>")
		r.wait(time.Second)
		if n := len(r.emu.Ledger()); n != 1 {
			t.Errorf("%d changes once it was seen:\n%s", n, r.screen())
		}
	})
}
