package shell

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
)

// The clock is the only one of the program. It wakes it for the next refresh and for the next change of an age in
// sight, and for nothing else.
type clock struct {
	interval    time.Duration
	tickNumber  int // number of the beat that counts; older ones are dropped
	nextRefresh time.Time
	pausedAt    time.Time // since when refreshing is paused
	blurred     bool
	failures    int
}

// tick is the clock's timer coming back.
type tick struct{ n int }

// lateAfter is from which age on rows count as late.
func (c *clock) lateAfter() time.Duration { return max(3*c.refreshInterval(), time.Minute) }

// maxRefreshIntervals is how many intervals may lie between two refreshes: nobody looks, and the API fails.
const maxRefreshIntervals = 9

// refreshInterval is the time between refreshes: longer when nobody looks, and after failures.
func (c *clock) refreshInterval() time.Duration {
	pace := c.interval
	if c.blurred {
		pace *= 3
	}
	return pace * time.Duration(min(1+c.failures, 3))
}

func (c *clock) paused() bool { return !c.pausedAt.IsZero() }

func (c *clock) start(s *Shell) tea.Cmd {
	c.nextRefresh = s.o.Now().Add(c.refreshInterval())
	return c.schedule(s)
}

// schedule sets the timer for whatever comes next.
func (c *clock) schedule(s *Shell) tea.Cmd {
	if c.paused() {
		return nil
	}
	c.tickNumber++
	n, now := c.tickNumber, s.o.Now()
	wake := now.Truncate(time.Minute).Add(time.Minute).Sub(now)
	if c.interval > 0 {
		wake = min(wake, c.nextRefresh.Sub(now))
	}
	if f, ok := s.pane().(ui.FreshnessReporter); ok && f.Freshness().Loaded {
		wake = min(wake, untilAgeChanges(now.Sub(f.Freshness().LoadedAt)))
	}
	if left, _ := s.rateLimitWait(now); left > 0 {
		wake = min(wake, untilCountdownChanges(left))
	}
	return tea.Tick(max(wake, 50*time.Millisecond), func(time.Time) tea.Msg { return tick{n} })
}

// untilAgeChanges is how long until an age reads differently.
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

// untilCountdownChanges is how long until the rest of a wait reads differently.
func untilCountdownChanges(left time.Duration) time.Duration {
	unit := 5 * time.Second
	if left <= unit {
		unit = time.Second
	}
	return max(left%unit, time.Millisecond)
}

// rateLimitWait is how long the program still leaves the API alone, and how long the API wanted it to.
func (s *Shell) rateLimitWait(now time.Time) (left, asked time.Duration) {
	if s.o.RateLimitWait == nil {
		return 0, 0
	}
	until, asked := s.o.RateLimitWait()
	return until.Sub(now), asked
}

// handleTick refreshes what is due. It never does so from within an arrival, and an older timer does nothing.
func (c *clock) handleTick(s *Shell, b tick) tea.Cmd {
	if b.n != c.tickNumber || c.paused() {
		return nil
	}
	now := s.o.Now()
	if c.nextRefresh.Sub(now) > maxRefreshIntervals*c.interval {
		c.nextRefresh = now // the wall clock was set back
	}
	if c.interval == 0 || now.Before(c.nextRefresh) {
		return c.schedule(s)
	}
	f := freshnessOf(s.pane())
	c.failures = 0
	if f.Err != nil {
		c.failures = min(2, int(now.Sub(f.LoadedAt)/c.interval))
	}
	c.nextRefresh = now.Add(c.refreshInterval())
	if left, _ := s.rateLimitWait(now); left > 0 {
		c.nextRefresh = now.Add(left)
		return c.schedule(s)
	}
	if noAutoRefresh(s.pane()) {
		return tea.Batch(s.refreshNoticeSources(), c.schedule(s)) // asking again by itself is not wanted
	}
	return tea.Batch(poll(s.pane()), s.refreshNoticeSources(), c.schedule(s))
}

// poll asks again because it is time, and not because somebody wants it. What is being asked is waited for.
func poll(p ui.Pane) tea.Cmd {
	if poller, ok := p.(ui.Poller); ok {
		return poller.Poll()
	}
	if freshnessOf(p).Loading {
		return nil
	}
	return p.Refresh()
}

// togglePause stops everything that moves, or lets it go on.
func (c *clock) togglePause(s *Shell) tea.Cmd {
	if c.paused() {
		c.pausedAt = time.Time{}
		return tea.Batch(s.pane().Refresh(), c.start(s))
	}
	c.pausedAt = s.o.Now()
	c.tickNumber++
	return nil
}

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

// now is the moment that is shown: it stands still while refreshing is paused.
func (s *Shell) now() time.Time {
	if s.clock.paused() {
		return s.clock.pausedAt
	}
	return s.o.Now()
}

func freshnessOf(p ui.Pane) ui.Freshness {
	if t, ok := p.(ui.FreshnessReporter); ok {
		return t.Freshness()
	}
	return ui.Freshness{Loaded: true}
}

// remainingWait is the rest of a wait in the steps of ages, never less than it is.
func remainingWait(left time.Duration) string {
	if left <= 5*time.Second {
		return ui.FormatAge(left.Truncate(time.Second) + time.Second)
	}
	return ui.FormatAge(left + 5*time.Second - time.Millisecond)
}

// noAutoRefresh reports whether a pane is read again only when somebody asks for it.
func noAutoRefresh(p ui.Pane) bool {
	still, ok := p.(interface{ SkipsAutoRefresh() bool })
	return ok && still.SkipsAutoRefresh()
}

// freshnessText is how fresh the pane in front is, in words.
func (s *Shell) freshnessText() (string, theme.Tone) {
	f, now, g := freshnessOf(s.pane()), s.now(), s.o.Theme.Glyphs
	at := func(t time.Time) string { return t.In(s.o.Location).Format("15:04") }
	again := ""
	if wait := s.clock.nextRefresh.Sub(now); s.clock.interval > 0 && wait > 0 {
		again = " · again in " + ui.FormatAge(wait)
	}
	_, tells := s.pane().(ui.FreshnessReporter)
	left, asked := s.rateLimitWait(now)
	switch {
	case !tells && !s.clock.paused():
		return "", theme.Muted
	case s.clock.paused():
		return "paused " + s.clock.pausedAt.In(s.o.Location).Format("15:04:05"), theme.Warn
	case left > 0 && asked > left+time.Minute:
		return fmt.Sprintf(
			"%s too many requests · the API asks %s; waiting %s, r: now",
			g.Problem,
			ui.FormatAge(asked),
			remainingWait(left),
		), theme.Warn
	case left > 0:
		return fmt.Sprintf("%s too many requests · waiting %s, r: now", g.Problem, remainingWait(left)), theme.Warn
	case ui.Denied(f.Err):
		return "not allowed", theme.Bad
	case ui.Unauthorized(f.Err):
		return g.Problem + " token not accepted · nothing is asked", theme.Bad
	case ui.Offline(f.Err):
		return g.Problem + " offline · since " + at(f.FailingSince) + again, theme.Bad
	case f.Err != nil:
		return fmt.Sprintf("%s failing · %s%s", g.Problem, ui.ShortReason(f.Err), again), theme.Bad
	case !f.Loaded:
		return g.Stale + " loading", theme.Warn
	case f.Loading && noAutoRefresh(s.pane()):
		return g.Stale + " reading", theme.Warn
	case noAutoRefresh(s.pane()):
		return g.Live + " read · " + ui.FormatAge(now.Sub(f.LoadedAt)) + " ago", theme.Good
	case now.Sub(f.LoadedAt) > s.clock.lateAfter() && s.clock.interval > 0:
		return g.Stale + " late · " + ui.FormatAge(now.Sub(f.LoadedAt)), theme.Warn
	}
	return g.Live + " live · " + ui.FormatAge(now.Sub(f.LoadedAt)), theme.Good
}
