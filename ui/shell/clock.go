package shell

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
)

// The clock is the only one of the program. It wakes it for the next refresh and for the next change of an age in sight, and for nothing else.
type clock struct {
	interval time.Duration
	n        int // number of the beat that counts; older ones are dropped
	next     time.Time
	stopped  time.Time // since when refreshing is paused
	blurred  bool
	failures int
}

// beat is the clock's timer coming back.
type beat struct{ n int }

// late is from which age on rows count as late.
func (c *clock) late() time.Duration { return max(3*c.pace(), time.Minute) }

// mostPace is how many intervals may lie between two refreshes: nobody looks, and the API fails.
const mostPace = 9

// pace is the time between refreshes: longer when nobody looks, and after failures.
func (c *clock) pace() time.Duration {
	pace := c.interval
	if c.blurred {
		pace *= 3
	}
	return pace * time.Duration(min(1+c.failures, 3))
}

func (c *clock) paused() bool { return !c.stopped.IsZero() }

func (c *clock) start(s *Shell) tea.Cmd {
	c.next = s.o.Now().Add(c.pace())
	return c.arm(s)
}

// arm sets the timer for whatever comes next.
func (c *clock) arm(s *Shell) tea.Cmd {
	if c.paused() {
		return nil
	}
	c.n++
	n, now := c.n, s.o.Now()
	wake := now.Truncate(time.Minute).Add(time.Minute).Sub(now)
	if c.interval > 0 {
		wake = min(wake, c.next.Sub(now))
	}
	if f, ok := s.pane().(ui.Teller); ok && f.Fresh().Loaded {
		wake = min(wake, step(now.Sub(f.Fresh().At)))
	}
	if left, _ := s.waiting(now); left > 0 {
		wake = min(wake, countdown(left))
	}
	return tea.Tick(max(wake, 50*time.Millisecond), func(time.Time) tea.Msg { return beat{n} })
}

// step is how long until an age reads differently.
func step(age time.Duration) time.Duration {
	unit := time.Minute
	switch {
	case age < 5*time.Second:
		unit = time.Second
	case age < time.Minute:
		unit = 5 * time.Second
	}
	return unit - age%unit
}

// countdown is how long until the rest of a wait reads differently.
func countdown(left time.Duration) time.Duration {
	unit := 5 * time.Second
	if left <= unit {
		unit = time.Second
	}
	return max(left%unit, time.Millisecond)
}

// waiting is how long the program still leaves the API alone, and how long the API wanted it to.
func (s *Shell) waiting(now time.Time) (left, asked time.Duration) {
	if s.o.Waiting == nil {
		return 0, 0
	}
	until, asked := s.o.Waiting()
	return until.Sub(now), asked
}

// beat refreshes what is due. It never does so from within an arrival, and an older timer does nothing.
func (c *clock) beat(s *Shell, b beat) tea.Cmd {
	if b.n != c.n || c.paused() {
		return nil
	}
	now := s.o.Now()
	if c.next.Sub(now) > mostPace*c.interval {
		c.next = now // the wall clock was set back
	}
	if c.interval == 0 || now.Before(c.next) {
		return c.arm(s)
	}
	f := fresh(s.pane())
	c.failures = 0
	if f.Err != nil {
		c.failures = min(2, int(now.Sub(f.At)/c.interval))
	}
	c.next = now.Add(c.pace())
	if left, _ := s.waiting(now); left > 0 {
		c.next = now.Add(left)
		return c.arm(s)
	}
	if steady(s.pane()) {
		return tea.Batch(s.attend(), c.arm(s)) // asking again by itself is not wanted
	}
	return tea.Batch(poll(s.pane()), s.attend(), c.arm(s))
}

// poll asks again because it is time, and not because somebody wants it. What is being asked is waited for.
func poll(p ui.Pane) tea.Cmd {
	if poller, ok := p.(ui.Poller); ok {
		return poller.Poll()
	}
	if fresh(p).Asked {
		return nil
	}
	return p.Refresh()
}

// pause stops everything that moves, or lets it go on.
func (c *clock) pause(s *Shell) tea.Cmd {
	if c.paused() {
		c.stopped = time.Time{}
		return tea.Batch(s.pane().Refresh(), c.start(s))
	}
	c.stopped = s.o.Now()
	c.n++
	return nil
}

func (c *clock) focus(s *Shell, on bool) tea.Cmd {
	c.blurred = !on
	if !on || c.paused() {
		return nil
	}
	if c.interval > 0 && s.o.Now().Add(c.interval).Before(c.next) {
		c.next = s.o.Now().Add(c.interval)
	}
	return c.arm(s)
}

// now is the moment that is shown: it stands still while refreshing is paused.
func (s *Shell) now() time.Time {
	if s.clock.paused() {
		return s.clock.stopped
	}
	return s.o.Now()
}

func fresh(p ui.Pane) ui.Freshness {
	if t, ok := p.(ui.Teller); ok {
		return t.Fresh()
	}
	return ui.Freshness{Loaded: true}
}

// remains is the rest of a wait in the steps of ages, never less than it is.
func remains(left time.Duration) string {
	if left <= 5*time.Second {
		return ui.Age(left.Truncate(time.Second) + time.Second)
	}
	return ui.Age(left + 5*time.Second - time.Millisecond)
}

// steady reports whether a pane is read again only when somebody asks for it.
func steady(p ui.Pane) bool {
	still, ok := p.(interface{ Steady() bool })
	return ok && still.Steady()
}

// state is how fresh the pane in front is, in words.
func (s *Shell) state() (string, theme.Tone) {
	f, now, g := fresh(s.pane()), s.now(), s.o.Theme.Glyphs
	at := func(t time.Time) string { return t.In(s.o.Location).Format("15:04") }
	again := ""
	if wait := s.clock.next.Sub(now); s.clock.interval > 0 && wait > 0 {
		again = " · again in " + ui.Age(wait)
	}
	_, tells := s.pane().(ui.Teller)
	left, asked := s.waiting(now)
	switch {
	case !tells && !s.clock.paused():
		return "", theme.Muted
	case s.clock.paused():
		return "paused " + s.clock.stopped.In(s.o.Location).Format("15:04:05"), theme.Warn
	case left > 0 && asked > left+time.Minute:
		return fmt.Sprintf("%s too many requests · the API asks %s; waiting %s, r: now", g.Problem, ui.Age(asked), remains(left)), theme.Warn
	case left > 0:
		return fmt.Sprintf("%s too many requests · waiting %s, r: now", g.Problem, remains(left)), theme.Warn
	case ui.Denied(f.Err):
		return "not allowed", theme.Bad
	case ui.Unauthorized(f.Err):
		return g.Problem + " token not accepted · nothing is asked", theme.Bad
	case ui.Offline(f.Err):
		return g.Problem + " offline · since " + at(f.Since) + again, theme.Bad
	case f.Err != nil:
		return fmt.Sprintf("%s failing · %s%s", g.Problem, ui.Short(f.Err), again), theme.Bad
	case !f.Loaded:
		return g.Stale + " loading", theme.Warn
	case f.Asked && steady(s.pane()):
		return g.Stale + " reading", theme.Warn
	case steady(s.pane()):
		return g.Live + " read · " + ui.Age(now.Sub(f.At)) + " ago", theme.Good
	case now.Sub(f.At) > s.clock.late() && s.clock.interval > 0:
		return g.Stale + " late · " + ui.Age(now.Sub(f.At)), theme.Warn
	}
	return g.Live + " live · " + ui.Age(now.Sub(f.At)), theme.Good
}
