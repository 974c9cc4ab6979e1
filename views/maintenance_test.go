package views_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/journal"
	"lookout/ui/shell"
	"lookout/views"
)

// openSharedJournal returns the client and the journal of a program that shares a journal file.
func (r *harness) openSharedJournal(path string) (*client.Client, *journal.Journal) {
	r.Helper()
	j, err := journal.Open(path, "acme-prod", time.Now)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { j.Close() })
	api, err := client.New(
		"https://api.example.test/v4", client.NewSecret(token), client.WithTransport(r.emu), client.WithRecorder(j),
	)
	if err != nil {
		r.Fatal(err)
	}
	return api, j
}

// startWithSharedJournal starts the program with a journal in a file. The test gets the client of a second program that
// uses the same file.
func startWithSharedJournal(t *testing.T, test func(r *harness, other script)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "acme-prod.journal")
	startWithOptions(t, emulator.Options{}, screenSize{120, 36}, func(r *harness, o *shell.Options) {
		r.api, r.journal = r.openSharedJournal(path)
		acc := r.newAccount(r.ctx, "acme-prod", r.api, r.journal)
		o.Panes, o.OnOpen = views.Panes(acc), func() tea.Cmd { return views.OnOpen(acc) }
	}, func(r *harness) {
		other, _ := r.openSharedJournal(path)
		test(r, script{r, other})
	})
}

// A script is another program that shares the journal.
type script struct {
	r   *harness
	api *client.Client
}

// disable disables service 8 for some time.
func (s script) disable(span time.Duration) {
	s.r.Helper()
	_, _ = s.r.journal.CatchUp()
	var replaces []string
	for _, w := range s.r.journal.WindowsOf("8") {
		replaces = append(replaces, w.ID)
	}
	w := s.r.beginFor(s.api, client.Change{
		Op:       client.OpDisableService,
		Resource: "service",
		ID:       "8",
		Label:    "cdn-origin",
		Reason:   "kernel update",
		RevertAt: time.Now().Add(span),
		Replaces: replaces,
	})
	if _, err := w.DisableService(s.r.ctx, 8); err != nil {
		s.r.Fatal(err)
	}
}

// enable enables a service.
func (s script) enable(id int) {
	s.r.Helper()
	change := client.Change{Op: client.OpEnableService, Resource: "service", ID: strconv.Itoa(id)}
	if _, err := s.r.beginFor(s.api, change).EnableService(s.r.ctx, id); err != nil {
		s.r.Fatal(err)
	}
}

// If a script disables a service for a while, a dashboard that is already running enables it again, whatever pane is in
// front.
func TestMaintenance_scriptDisableEndsOnTime(t *testing.T) {
	t.Parallel()
	for _, span := range []time.Duration{time.Second, 10 * time.Second, time.Hour} {
		t.Run(span.String(), func(t *testing.T) {
			startWithSharedJournal(t, func(r *harness, other script) {
				r.press("0")
				r.wait(time.Hour)
				other.disable(span)
				r.wait(span - time.Second/2)
				if got := r.appliedOperations(); len(got) != 1 {
					r.Fatalf("applied before the time is up: %v", got)
				}
				said := false
				for range 30 {
					r.wait(time.Second)
					if strings.Contains(r.screen(), "cdn-origin: monitoring is enabled") {
						said = true
						r.press("u") // a key that is pressed by habit must not silence the service again
					}
				}
				if !said {
					r.Error("nothing is said of the end of the window")
				}
				r.requireApplied("disable service", "enable service")
			})
		})
	}
}

// A window that a script began is shown as running once the journal is read, although the services were read before it,
// and cannot be read any more: on the overview, in the hand-over, and beside the service, which keeps its state.
func TestMaintenance_windowOfScriptBeforeServicesAreRead(t *testing.T) {
	t.Parallel()
	startWithSharedJournal(t, func(r *harness, other script) {
		r.wait(time.Minute)
		r.emu.InjectFault("GET /managed/services", emulator.Fault{Status: 503, Times: 1000})
		other.disable(30 * time.Minute)
		r.wait(time.Minute)
		r.requireText("Maintenance ─ 2")
		r.line("○ cdn-origin", "back 00:31", "kernel")
		r.press("3", "/", "cdn-origin", "<enter>")
		r.line("● ok", "cdn-origin")
		r.requireText("disabled 1 min ago; the list still says ok", "for 1 min, back 00:31")
		r.press(":", "handover", "<enter>")
		r.requireText("Silenced now")
		r.line("cdn-origin", "kernel update")
	})
}

// A service is not enabled again if a script has enabled it meanwhile, or has disabled it for longer.
func TestMaintenance_laterScriptChangeWins(t *testing.T) {
	t.Parallel()
	startWithSharedJournal(t, func(r *harness, other script) {
		for _, span := range []time.Duration{time.Hour, 2 * time.Hour} {
			other.disable(span)
			r.wait(time.Minute)
		}
		r.wait(90 * time.Minute)
		if got := r.appliedOperations(); len(got) != 2 {
			r.Errorf("held anew: %v", got)
		}
		other.enable(8)
		r.wait(time.Minute)
		r.wait(time.Hour)
		if got := r.appliedOperations(); len(got) != 3 {
			r.Errorf("enabled meanwhile: %v", got)
		}
	})
}

// If two dashboards wait for the same service, only one enables it.
func TestMaintenance_onlyOneProgramEnables(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "acme-prod.journal")
	startWithOptions(t, emulator.Options{}, screenSize{120, 36}, func(r *harness, o *shell.Options) {
		r.api, r.journal = r.openSharedJournal(path)
		first := r.newAccount(r.ctx, "acme-prod", r.api, r.journal)
		api, j := r.openSharedJournal(path)
		second := r.newAccount(r.ctx, "acme-prod", api, j)
		o.Panes = views.Panes(first)
		o.OnOpen = func() tea.Cmd { return tea.Batch(views.OnOpen(first), views.OnOpen(second)) }
	}, func(r *harness) {
		r.press("3", "/", "cdn-origin", "<enter>", "d", "<ctrl+s>")
		r.requireText("monitoring is disabled")
		r.wait(time.Hour)
		r.requireApplied("disable service", "enable service")
	})
}

// If a window ended while the program was not running, its start enables the service: nobody has changed it since.
func TestMaintenance_overdueIsEnabledAtTheStart(t *testing.T) {
	t.Parallel()
	startWithSharedJournal(t, func(r *harness, other script) {
		other.disable(-time.Hour)
		r.wait(time.Minute)
		r.requireMessage("cdn-origin: monitoring is enabled (was disabled) · time is up")
		r.requireApplied("disable service", "enable service")
	})
}

// The form takes durations, times of day and dates, names the time zone and the end, and refuses what is past. Now is
// Saturday, 2000-01-01 00:00 UTC.
func TestMaintenance_formTakesDurationsTimesAndDates(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"30m": 30 * time.Minute, "2d": 48 * time.Hour, "06:30": 6*time.Hour + 30*time.Minute,
		"Mon 06:00": 54 * time.Hour, "2000-01-03": 48 * time.Hour, "2000-01-03 06:00": 54 * time.Hour,
	} {
		t.Run(text, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
				r.press("3", "/", "cdn-origin", "<enter>", "d")
				r.requireText("until 01:00 UTC")
				r.press("<left>", "<left>", "<tab>")
				r.requireText("times are UTC", "Mon 06:00")
				r.press(text)
				end := time.Now().Add(want).UTC()
				r.requireText("until", end.Format("15:04 UTC"))
				r.press("<tab>", "kernel", "<ctrl+s>")
				w, held := r.journal.ActiveWindow("8")
				if !held || w.End.Round(time.Minute) != end.Round(time.Minute) || w.Reason != "kernel" {
					r.T.Errorf("the journal holds %+v, want the end %s", w, end)
				}
			})
		})
	}
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3", "/", "cdn-origin", "<enter>", "d", "<left>", "<left>", "<tab>", "1999-12-31", "<ctrl+s>")
		r.requireText("is not after Sat 1 Jan 2000 00:00 UTC")
		r.requireNoChanges()
	})
}

// Nothing enables a service that was disabled without an end, and u of an enable restores the window that it ended.
func TestMaintenance_noneHasNoEndAndUndoRestoresWindow(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3", "/", "cdn-origin", "<enter>", "d", "<right>", "<right>")
		r.requireText("until somebody enables it")
		r.press("<ctrl+s>")
		r.wait(5 * time.Hour)
		r.requireApplied("disable service")
		r.press("E", "d", "<tab>", "disk", "<ctrl+s>")
		r.wait(10 * time.Minute)
		r.press("E", "u")
		if w, held := r.journal.ActiveWindow("8"); !held || w.Reason != "disk" ||
			time.Until(w.End) > 50*time.Minute {
			r.T.Errorf("after the undo the journal holds %+v", w)
		}
	})
}

// A service that could not be enabled when its time was up is tried again until it is enabled, and the message says so.
func TestMaintenance_failedEnableIsRetried(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3", "/", "cdn-origin", "<enter>", "d", "<ctrl+s>")
		r.emu.InjectFault("enable service", emulator.Fault{Status: 503, Times: 3})
		r.wait(time.Hour + time.Second)
		r.requireText("cdn-origin: time is up, but it is not enabled yet; trying again at 01:00:05")
		r.requireApplied("disable service")
		r.wait(4 * time.Minute)
		r.requireApplied("disable service")
		r.wait(15 * time.Minute)
		r.requireMessage("cdn-origin: monitoring is enabled (was disabled) · time is up")
		r.requireApplied("disable service", "enable service")
	})
}

// If the answer to enabling a service is lost, reading the service shows that it was enabled: it is not enabled twice.
func TestMaintenance_lostEnableIsFoundByReading(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3", "/", "cdn-origin", "<enter>", "d", "<ctrl+s>")
		r.emu.InjectFault("enable service", emulator.Fault{ApplyFirst: true, Reset: true, Times: 1})
		r.wait(time.Hour + time.Minute)
		r.requireMessage("cdn-origin: monitoring is enabled (was disabled) · time is up")
		r.requireApplied("disable service", "enable service")
		if e := r.journal.Entries(time.Time{}); e[len(e)-1].Outcome != client.Applied {
			r.Errorf("the journal holds %+v", e[len(e)-1])
		}
	})
}

// A service that somebody else has enabled is not enabled again when the time is up.
func TestMaintenance_enabledElsewhereIsLeft(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3", "/", "cdn-origin", "<enter>", "d", "<ctrl+s>")
		r.wait(time.Minute)
		r.enableElsewhere("8")
		r.wait(time.Hour)
		r.requireApplied("disable service", "enable service")
		if w, held := r.journal.ActiveWindow("8"); held {
			r.Errorf("the journal still holds %+v", w)
		}
	})
}

// enableElsewhere enables a service with a client that shares nothing with the program.
func (r *harness) enableElsewhere(id string) {
	r.Helper()
	api, err := client.New("https://api.example.test/v4", client.NewSecret(token), client.WithTransport(r.emu))
	if err != nil {
		r.Fatal(err)
	}
	n, _ := strconv.Atoi(id)
	change := client.Change{Op: client.OpEnableService, Resource: "service", ID: id}
	if _, err := r.beginFor(api, change).EnableService(r.ctx, n); err != nil {
		r.Fatal(err)
	}
}

// When the clock jumps, windows end by the time that it shows: at once after the machine has slept, and not before it
// shows the end again when it was set back.
func TestMaintenance_followsClockJumps(t *testing.T) {
	t.Parallel()
	var jump time.Duration
	clock := func(r *harness, o *shell.Options) {
		jump = 0
		r.useClock(o, func() time.Time { return time.Now().Add(jump) })
	}
	startWithOptions(t, emulator.Options{}, screenSize{120, 36}, clock, func(r *harness) {
		r.press("3", "/", "cdn-origin", "<enter>", "d", "<ctrl+s>")
		r.wait(40 * time.Minute)
		r.requireText("for 40 min, back 01:00")
		jump = -30 * time.Minute
		r.wait(20 * time.Minute)
		r.requireText("for 1 h, back 01:00") // although the clock shows 00:30
		r.wait(time.Minute)
		r.requireApplied("disable service")
		jump = 2 * time.Hour
		r.wait(15 * time.Second)
		r.requireApplied("disable service", "enable service")
	})
}

// requireMessage fails unless a status message was shown.
func (r *harness) requireMessage(text string) {
	r.Helper()
	for _, n := range r.messages {
		if n.Text == text {
			return
		}
	}
	r.Errorf("no message %q in %v", text, r.messages)
}

// The hint line offers to change the window of a disabled service, and of no other.
func TestMaintenance_hintsChangeWindow(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{80, 24}, func(r *harness) {
		r.press("3", "/", "billing-cron", "<enter>")
		r.requireText("E enable  w change window")
		r.press("<esc>", "/", "web-1", "<enter>")
		r.requireText("d disable (1 h)")
		r.requireNoText("change window")
	})
}

// A window that is planned for the night disables the service at its start, without another question, and enables it at
// its end; list and detail show both. Now is 00:00 UTC.
func TestMaintenance_plannedWindowBeginsAndEnds(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{150, 36}, func(r *harness) {
		r.press("3", "/", "cdn-origin", "<enter>", "d", "<left>", "<left>", "<tab>", "tonight 02:00–04:00")
		r.requireText("from 02:00 until 04:00 UTC")
		r.press("<tab>", "disk", "<ctrl+s>")
		r.requireText("cdn-origin: is to be disabled from 02:00 until 04:00")
		r.requireText("from 02:00 until 04:00:", "disk", "at 02:00")
		r.requireApplied()
		r.press("q")
		r.requireText("Planned maintenance begins late", "cdn-origin at")
		r.requireNoText("Monitoring stays off")
		r.press("<esc>")
		r.wait(2*time.Hour - time.Minute)
		r.requireApplied()
		r.wait(2 * time.Minute)
		r.requireMessage("cdn-origin: monitoring is disabled · planned maintenance begins")
		r.requireText("back 04:00:")
		r.requireApplied("disable service")
		r.wait(2 * time.Hour)
		r.requireMessage("cdn-origin: monitoring is enabled (was disabled) · time is up")
		r.requireApplied("disable service", "enable service")
	})
}

// u cancels the window that was just planned: there is nothing to enable yet, and another window stays.
func TestMaintenance_undoCancelsPlannedWindow(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{160, 36}, func(r *harness) {
		plan := []string{"d", "<left>", "<left>", "<tab>"}
		r.press("3", "/", "cdn-origin", "<enter>")
		r.press(append(plan, "01:00-02:00", "<ctrl+s>")...)
		r.press(append(plan, "04:00-06:00", "<ctrl+s>")...)
		r.requireText("u: cancel it")
		r.press("u")
		r.requireText("cdn-origin: planned maintenance is cancelled")
		r.wait(5 * time.Hour)
		r.requireApplied("disable service", "enable service")
	})
}

// The message names the weekday on which monitoring is enabled again, unless that is today.
func TestMaintenance_messageNamesTheWeekday(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{160, 36}, func(r *harness) {
		times := []string{"<left>", "<left>", "<tab>"}
		r.press("3", "/", "cdn-origin", "<enter>")
		r.press(append(append([]string{"d"}, times...), "tomorrow 01:00-02:00", "<ctrl+s>")...)
		r.requireText("cdn-origin: is to be disabled from Sun 2 Jan 01:00 until 02:00")
		r.press("u")
		r.press(append(append([]string{"d"}, times...), "Mon 06:00", "<ctrl+s>")...)
		r.requireText("cdn-origin: monitoring is disabled until Mon 3 Jan 06:00 (was ok)")
	})
}

// A planned window that is cancelled does not begin.
func TestMaintenance_plannedWindowIsCancelled(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{160, 36}, func(r *harness) {
		r.press("3", "/", "cdn-origin", "<enter>", "d", "<left>", "<left>", "<tab>", "02:00-04:00", "<ctrl+s>", "W")
		r.requireText("cdn-origin: planned maintenance is cancelled")
		r.wait(3 * time.Hour)
		r.requireApplied()
	})
}

// w moves the end of a window; the service has been disabled since the first time.
func TestMaintenance_windowIsExtended(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{160, 36}, func(r *harness) {
		r.press("3", "/", "cdn-origin", "<enter>", "d", "<ctrl+s>")
		r.line("cdn-origin", "0 s", "01:00")
		r.requireText("for 0 s, back 01:00") // in the detail
		r.wait(30 * time.Minute)
		r.press("w")
		r.requireText("Maintenance window of cdn-origin", "back 01:00")
		r.press("<right>", "<ctrl+s>")
		r.requireText("cdn-origin: stays disabled until 04:30 (was until 01:00)", "for 30 min, back 04:30")
		r.wait(time.Hour)
		r.requireApplied("disable service")
		r.press("E")
		r.wait(5 * time.Hour)
		r.requireApplied("disable service", "enable service")
	})
}

// An incident's services can be disabled from its screen, and their window be changed and ended.
func TestMaintenance_keysOfIncident(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("2", "<enter>", "d")
		r.requireText("Disable monitoring of billing-api")
		r.press("<ctrl+s>")
		r.requireApplied("disable service")
		r.press("w")
		r.requireText("Maintenance window of billing-api", "back 01:00")
		r.press("<right>", "<ctrl+s>", "E")
		r.requireApplied("disable service", "enable service")
	})
}

// If somebody enables a service during its window and disables it again, the window is over: its end does not enable
// the service, whether the dashboard has seen it enabled or not, and soon after it was disabled too.
func TestMaintenance_disabledAgainElsewhereIsLeft(t *testing.T) {
	t.Parallel()
	for pause, message := range map[time.Duration]string{
		time.Minute: "cdn-origin was disabled elsewhere",
		0:           "cdn-origin: somebody has enabled and disabled it; its window is over, and it stays disabled",
	} {
		startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
			r.press("3", "/", "cdn-origin", "<enter>", "d", "<ctrl+s>")
			r.requireText("cdn-origin: monitoring is disabled")
			r.wait(20 * time.Second)
			r.elsewhere("POST", "/managed/services/8/enable", "")
			r.wait(pause)
			r.elsewhere("POST", "/managed/services/8/disable", "")
			r.wait(2 * time.Hour)
			if got := r.appliedOperations(); len(got) != 3 || got[2] != "disable service" {
				r.T.Errorf("applied: %v", got)
			}
			r.requireMessage(message)
		})
	}
}

// The dashboard asks before a window takes the place of another, and u restores that.
func TestMaintenance_overlapIsAsked(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{160, 36}, func(r *harness) {
		plan := []string{"d", "<left>", "<left>", "<tab>"}
		r.press("3", "/", "cdn-origin", "<enter>")
		r.press(append(plan, "22:00-23:30", "<ctrl+s>")...)
		r.press(append(plan, "22:00-23:45", "<ctrl+s>")...)
		r.requireText("cdn-origin: replace 22:00–23:30 by 22:00–23:45?")
		r.wait(time.Second)
		r.press("y")
		r.requireText("cdn-origin: is to be disabled from 22:00 until 23:45 (was 22:00–23:30)")
		r.requireWindows("planned 22:00-23:45")
		r.press("u")
		r.requireText("cdn-origin: 22:00–23:30 is planned again (was 22:00–23:45)")
		r.requireWindows("planned 22:00-23:30")
		r.press(append(plan, "21:00-22:15", "<ctrl+s>")...)
		r.wait(time.Second)
		r.press("n")
		r.requireWindows("planned 22:00-23:30")
	})
}

// w moves a planned window, W cancels it, and u takes both back.
func TestMaintenance_plannedWindowIsMoved(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{160, 36}, func(r *harness) {
		r.press("3", "/", "cdn-origin", "<enter>", "d", "<left>", "<left>", "<tab>", "22:00-23:30")
		r.press("<tab>", "disk", "<ctrl+s>")
		r.press("w")
		r.requireText("Planned: 22:00–23:30", "2000-01-01 22:00-23:30", "disk")
		r.press("<tab>", "<ctrl+u>", "22:30-23:00", "<ctrl+s>")
		r.requireText("cdn-origin: is to be disabled from 22:30 until 23:00 (was 22:00–23:30)")
		r.requireWindows("planned 22:30-23:00")
		r.press("u")
		r.requireWindows("planned 22:00-23:30")
		r.press("W")
		r.requireText("cdn-origin: planned maintenance is cancelled (was 22:00–23:30)")
		r.requireWindows("")
		r.press("u")
		r.requireWindows("planned 22:00-23:30")
		r.requireApplied()
	})
}

// requireWindows fails unless the journal holds certain windows: "planned 22:00-23:30, active 01:00-02:00".
func (r *harness) requireWindows(want string) {
	r.Helper()
	var texts []string
	for _, w := range r.journal.Windows() {
		texts = append(texts, string(w.State)+" "+w.Start.Format("15:04-")+w.End.Format("15:04"))
	}
	if got := strings.Join(texts, ", "); got != want {
		r.T.Errorf("windows %q, want %q", got, want)
	}
}
