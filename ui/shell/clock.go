package shell

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client/lists"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
)

// clock is the program's only timer, apart from the one that ends a tint. It wakes the program for the next refresh and
// for the next change of an age on the screen, and for nothing else.
type clock struct {
	interval    time.Duration // between refreshes; 0 never refreshes
	tickNumber  int           // number of the pending tick; earlier ones are ignored
	nextRefresh time.Time
	openedAt    time.Time // when the pane in front was opened, or the user asked for its rows: nothing was late before
	pausedAt    time.Time // when refreshing was paused; zero while it is not
	blurred     bool      // the terminal does not have the focus
	failures    int       // refreshes missed because of failures, at most 2
	lowBudget   bool      // few requests are left until the API refuses
	motion      motion    // has a timer of its own
}

// tick is the clock's timer going off.
type tick struct{ n int }

// lateAfter returns the age from which rows count as late.
func (c *clock) lateAfter() time.Duration { return max(3*c.refreshInterval(), time.Minute) }

// maxRefreshIntervals bounds the intervals between two refreshes: 3 without focus, times 3 after failures.
const maxRefreshIntervals = 9

// refreshInterval returns the time between refreshes. It is longer without focus, after failures, and when few requests
// are left.
func (c *clock) refreshInterval() time.Duration {
	times := min(1+c.failures, 3)
	if c.blurred {
		times *= 3
	}
	if c.lowBudget {
		times *= 3
	}
	return c.interval * time.Duration(min(times, maxRefreshIntervals))
}

func (c *clock) paused() bool { return !c.pausedAt.IsZero() }

// start begins a new interval.
func (c *clock) start(s *Shell) tea.Cmd {
	c.openedAt = s.o.Now()
	c.nextRefresh = c.openedAt.Add(c.refreshInterval())
	return c.schedule(s)
}

// schedule sets the timer to the next event.
func (c *clock) schedule(s *Shell) tea.Cmd {
	if c.paused() {
		return nil
	}
	c.tickNumber++
	n, now := c.tickNumber, s.o.Now()
	wait := now.Truncate(time.Minute).Add(time.Minute).Sub(now)
	if c.interval > 0 {
		wait = min(wait, c.nextRefresh.Sub(now))
	}
	f := s.freshness()
	switch {
	case f.Loading:
		wait = min(wait, time.Second) // the rows that arrive meanwhile have an age from then on
	case f.Loaded && !readsNothing(f):
		wait = min(wait, untilAgeChanges(now.Sub(f.LoadedAt)))
	}
	if left := c.nextAttempt(s).Sub(now); f.Err != nil && c.interval > 0 && left > 0 {
		wait = min(wait, untilCountdownChanges(left))
	}
	if left, _ := s.o.rateLimitWait(now); left > 0 {
		wait = min(wait, untilCountdownChanges(left))
	}
	if s.o.waiting(now) > 0 {
		wait = min(wait, time.Second)
	}
	return tea.Tick(max(wait, 50*time.Millisecond), func(time.Time) tea.Msg { return tick{n} })
}

// nextAttempt returns when the pane in front is read again, if it could not be read.
func (c *clock) nextAttempt(s *Shell) time.Time {
	if s.o.NextProbe == nil {
		return c.nextRefresh
	}
	return slices.MaxFunc([]time.Time{c.nextRefresh, s.o.NextProbe()}, time.Time.Compare)
}

// showsAge reports whether to show the age of live rows. Normally it is hidden, so that an idle screen is not written
// again: "live" already means that they are no older than the refresh interval. It is shown for a moment after the user
// opens the pane or refreshes it, when a refresh is overdue, and once the rows are two minutes old.
func (c *clock) showsAge(f lists.Freshness, now time.Time) bool {
	const moment = 5 * time.Second
	age, asked := now.Sub(f.LoadedAt), f.LoadedAt.Sub(c.openedAt) < c.interval
	return c.interval == 0 || asked && age < moment || age >= min(c.refreshInterval()+moment, 2*time.Minute)
}

// untilAgeChanges returns the time until an age is displayed differently.
func untilAgeChanges(age time.Duration) time.Duration {
	unit := time.Minute
	switch {
	case age < 5*time.Second:
		unit = time.Second
	case age < time.Minute:
		unit = 5 * time.Second
	}
	return unit - age%unit
}

// untilCountdownChanges returns the time until a remaining wait is displayed differently.
func untilCountdownChanges(left time.Duration) time.Duration {
	unit := 5 * time.Second
	if left <= unit {
		unit = time.Second
	}
	return max(left%unit, time.Millisecond)
}

// rateLimitWait returns how long requests still wait, and how long the API asked to wait.
func (h RateLimitHooks) rateLimitWait(now time.Time) (left, asked time.Duration) {
	if h.RateLimitWait == nil {
		return 0, 0
	}
	until, asked := h.RateLimitWait()
	return until.Sub(now), asked
}

// waiting returns how long requests have been waiting because this machine has sent many; 0 if none does.
func (h RateLimitHooks) waiting(now time.Time) time.Duration {
	if h.WaitingSince == nil || h.WaitingSince().IsZero() {
		return 0
	}
	return now.Sub(h.WaitingSince())
}

// low returns how many requests are left, in words, if polls must slow down, and until when they must wait.
func (h RateLimitHooks) low() (text string, resume time.Time) {
	if h.LowBudget == nil {
		return "", time.Time{}
	}
	return h.LowBudget()
}

// handleTick refreshes the pane in front if it is due. A tick that is no longer pending does nothing.
func (c *clock) handleTick(s *Shell, t tick) tea.Cmd {
	if t.n != c.tickNumber || c.paused() {
		return nil
	}
	now := s.o.Now()
	if c.nextRefresh.Sub(now) > maxRefreshIntervals*c.interval {
		c.nextRefresh = now // the wall clock was set back
	}
	if c.interval == 0 || now.Before(c.nextRefresh) {
		return c.schedule(s)
	}
	f := s.freshness()
	if next := c.nextAttempt(s); f.Err != nil && next.After(now) {
		c.nextRefresh = next
		return c.schedule(s)
	}
	c.failures = 0
	if f.Err != nil {
		c.failures = min(2, int(now.Sub(f.LoadedAt)/c.interval))
	}
	low, resume := s.o.low()
	c.lowBudget = low != ""
	c.nextRefresh = now.Add(c.refreshInterval())
	if left, _ := s.o.rateLimitWait(now); left > 0 {
		c.nextRefresh = now.Add(left)
		return c.schedule(s)
	}
	if resume.After(now) {
		c.nextRefresh = resume
		return c.schedule(s)
	}
	if !s.pane().Info().ReadOnRequest {
		poll(s.pane())
	}
	s.o.Notify.refresh()
	return c.schedule(s)
}

// onPaneOpened refreshes the pane in front at once if its rows are older than the time between refreshes.
func (c *clock) onPaneOpened(s *Shell) tea.Cmd {
	info, now := s.pane().Info(), s.o.Now()
	f := info.Freshness
	c.openedAt = now
	last := f.LoadedAt
	if f.Err != nil {
		last = f.FailedAt
	}
	if info.ReadOnRequest || last.IsZero() || now.Sub(last) < c.refreshInterval() {
		return c.schedule(s)
	}
	c.nextRefresh = now
	return c.handleTick(s, tick{c.tickNumber})
}

// poll refreshes a pane because of the clock, not because the user asked. It does not repeat a request under way.
func poll(p ui.Pane) {
	if poller, ok := p.(ui.AutoRefresher); ok {
		poller.Poll()
	} else if !p.Info().Freshness.Loading {
		p.Refresh()
	}
}

// togglePause pauses or resumes automatic refreshes and timers.
func (c *clock) togglePause(s *Shell) tea.Cmd {
	if c.paused() {
		c.pausedAt = time.Time{}
		s.pane().Refresh()
		return c.start(s)
	}
	c.pausedAt = s.o.Now()
	c.tickNumber++
	return nil
}

// setFocus notes whether the terminal has the focus. With it, the next refresh comes sooner.
func (c *clock) setFocus(s *Shell, on bool) tea.Cmd {
	c.blurred = !on
	if !on || c.paused() {
		return nil
	}
	if c.interval > 0 && s.o.Now().Add(c.interval).Before(c.nextRefresh) {
		c.nextRefresh = s.o.Now().Add(c.interval)
	}
	return c.schedule(s)
}

// freshness returns how fresh the rows of the pane in front are.
func (s *Shell) freshness() lists.Freshness { return s.pane().Info().Freshness }

// readsNothing reports whether rows are there without having been read.
func readsNothing(f lists.Freshness) bool { return f.Loaded && f.LoadedAt.IsZero() }

// remainingWait formats a remaining wait in the steps of an age. It rounds up.
func remainingWait(left time.Duration) string {
	if left <= 5*time.Second {
		return wording.FormatAge(left.Truncate(time.Second) + time.Second)
	}
	return wording.FormatAge(left + 5*time.Second - time.Millisecond)
}

// askedWait formats the wait that the API asked for. A server that names a year has made a mistake.
func askedWait(asked time.Duration) string {
	if asked > 24*time.Hour {
		return "more than a day"
	}
	return wording.FormatAge(asked)
}

// freshnessText says how fresh the pane in front is, and which lists it joins with are missing.
func (s *Shell) freshnessText() (string, theme.Tone) {
	text, tone := s.ownFreshnessText()
	info := s.pane().Info()
	if f := info.Freshness; info.Missing == nil || f.Err != nil || !f.Loaded {
		return text, tone
	}
	missing := info.Missing()
	if len(missing) > 1 { // room for the first: the clock stands beside it
		missing = []string{fmt.Sprintf("%s and %d more", missing[0], len(missing)-1)}
	}
	if len(missing) > 0 {
		return strings.Join(append([]string{text}, missing...), " · "), theme.Warn
	}
	return text, tone
}

// ownFreshnessText says how fresh the rows of the pane in front are.
func (s *Shell) ownFreshnessText() (string, theme.Tone) {
	info, now, g := s.pane().Info(), s.now(), s.themes.current.Glyphs
	f := info.Freshness
	left, asked := s.o.rateLimitWait(now)
	age := wording.FormatAge(now.Sub(f.LoadedAt))
	low, _ := s.o.low()
	switch {
	case readsNothing(f) && !s.clock.paused():
		return "", theme.Muted
	case s.clock.paused():
		return "paused " + s.clock.pausedAt.In(s.o.Location).Format("15:04:05"), theme.Warn
	case left > 0 && asked > left+time.Minute:
		return fmt.Sprintf("%s too many requests · retry in %s, r: now · the API asks for %s",
			g.Problem, remainingWait(left), askedWait(asked)), theme.Warn
	case left > 0:
		return fmt.Sprintf("%s too many requests · retry in %s, r: now", g.Problem, remainingWait(left)), theme.Warn
	case s.o.waiting(now) > 0:
		waited := wording.FormatAge(s.o.waiting(now))
		return g.Stale + " waiting " + waited + ": many requests from this machine", theme.Warn
	case f.Err != nil:
		return s.failureText(f, now), theme.Bad
	case !f.Loaded:
		return g.Stale + " loading", theme.Warn
	case f.Loading && info.ReadOnRequest:
		return g.Stale + " reading", theme.Warn
	case info.ReadOnRequest:
		return g.Live + " read · " + age + " ago", theme.Good
	case low != "" && s.clock.interval > 0:
		return g.Live + " " + age + " ago · refreshing slowly: " + low, theme.Warn
	case now.Sub(f.LoadedAt) > s.clock.lateAfter() && s.clock.interval > 0:
		if f.Loading && now.Sub(s.clock.openedAt) < s.clock.lateAfter() {
			return g.Stale + " refreshing · " + age + " old", theme.Warn
		}
		return g.Stale + " late · " + age, theme.Warn
	case !s.clock.showsAge(f, now):
		return g.Live + " live", theme.Good
	}
	return g.Live + " live · " + age, theme.Good
}

// failureText says why the pane in front cannot be read, and when it is tried again.
func (s *Shell) failureText(f lists.Freshness, now time.Time) string {
	problem := s.themes.current.Glyphs.Problem
	since := " · since " + f.FailingSince.In(s.o.Location).Format("15:04")
	again := ""
	switch wait := s.clock.nextAttempt(s).Sub(now); {
	case f.Loading:
		again = " · retrying"
	case s.clock.interval > 0 && wait > 0 && !s.pane().Info().ReadOnRequest:
		again = " · retry in " + remainingWait(wait)
	}
	_, gone := lists.GoneID(f.Err)
	switch {
	case gone:
		return problem + " gone"
	case wording.Denied(f.Err):
		return "not allowed"
	case wording.Unauthorized(f.Err):
		return problem + " token not accepted · requests stopped"
	case wording.TimedOut(f.Err):
		return problem + " no answer" + since + again
	case wording.Offline(f.Err):
		return problem + " offline" + since + again
	}
	return problem + " failing · " + wording.ShortReason(f.Err) + again
}

// freshnessWords says how fresh the pane in front is, without ages that change by themselves.
func (s *Shell) freshnessWords() string {
	text, _ := s.freshnessText()
	parts := strings.Split(text, " · ")
	for _, word := range []string{"live", "late", "read", "reading", "loading"} {
		if strings.HasSuffix(parts[0], word) {
			return word
		}
	}
	return strings.Join(parts[:min(2, len(parts))], ", ")
}

// motion tints rows for a moment when they have changed, unless the user does not want that. It has a timer only while
// a row is tinted.
type motion struct {
	scheduled bool // the timer is set
}

// highlightEnded says that a row is no longer tinted.
type highlightEnded struct{}

// enabled reports whether rows are tinted.
func (m *motion) enabled(s *Shell) bool {
	return !s.o.NoMotion && !s.clock.paused() && s.themes.current.CanFlash()
}

// schedule sets the timer to the end of the tint, which is then drawn.
func (m *motion) schedule(s *Shell) tea.Cmd {
	left := s.pane().Info().HighlightLeft
	if left <= 0 || m.scheduled || !m.enabled(s) {
		return nil
	}
	m.scheduled = true
	return tea.Tick(left, func(time.Time) tea.Msg { return highlightEnded{} })
}
