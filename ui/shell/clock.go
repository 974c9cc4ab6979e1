package shell

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/ui"
)

// clock is the program's only timer. It wakes the program for the next refresh and for the next change of an age on
// the screen, and for nothing else.
type clock struct {
	interval    time.Duration // between refreshes; 0 never refreshes
	tickNumber  int           // number of the pending tick; earlier ones are ignored
	nextRefresh time.Time
	pausedAt    time.Time // when refreshing was paused; zero while it is not
	blurred     bool      // the terminal does not have the focus
	failures    int       // refreshes missed because of failures, at most 2
}

// tick is the clock's timer going off.
type tick struct{ n int }

// lateAfter returns the age from which rows count as late.
func (c *clock) lateAfter() time.Duration { return max(3*c.refreshInterval(), time.Minute) }

// maxRefreshIntervals bounds the intervals between two refreshes: 3 without focus, times 3 after failures.
const maxRefreshIntervals = 9

// refreshInterval returns the time between refreshes. It is longer without focus and after failures.
func (c *clock) refreshInterval() time.Duration {
	interval := c.interval
	if c.blurred {
		interval *= 3
	}
	return interval * time.Duration(min(1+c.failures, 3))
}

func (c *clock) paused() bool { return !c.pausedAt.IsZero() }

// start begins a new interval.
func (c *clock) start(s *Shell) tea.Cmd {
	c.nextRefresh = s.o.Now().Add(c.refreshInterval())
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
	if f, ok := s.pane().(ui.FreshnessReporter); ok && f.Freshness().Loaded {
		wait = min(wait, untilAgeChanges(now.Sub(f.Freshness().LoadedAt)))
	}
	if left, _ := s.o.rateLimitWait(now); left > 0 {
		wait = min(wait, untilCountdownChanges(left))
	}
	return tea.Tick(max(wait, 50*time.Millisecond), func(time.Time) tea.Msg { return tick{n} })
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
	f := freshnessOf(s.pane())
	c.failures = 0
	if f.Err != nil {
		c.failures = min(2, int(now.Sub(f.LoadedAt)/c.interval))
	}
	c.nextRefresh = now.Add(c.refreshInterval())
	if left, _ := s.o.rateLimitWait(now); left > 0 {
		c.nextRefresh = now.Add(left)
		return c.schedule(s)
	}
	if noAutoRefresh(s.pane()) {
		return tea.Batch(s.o.Notify.refresh(), c.schedule(s))
	}
	return tea.Batch(poll(s.pane()), s.o.Notify.refresh(), c.schedule(s))
}

// poll refreshes a pane because of the clock, not because the user asked. It does not repeat a request under way.
func poll(p ui.Pane) tea.Cmd {
	if poller, ok := p.(ui.Poller); ok {
		return poller.Poll()
	}
	if freshnessOf(p).Loading {
		return nil
	}
	return p.Refresh()
}

// togglePause stops everything that changes by itself, or lets it go on.
func (c *clock) togglePause(s *Shell) tea.Cmd {
	if c.paused() {
		c.pausedAt = time.Time{}
		return tea.Batch(s.pane().Refresh(), c.start(s))
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
