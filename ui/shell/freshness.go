package shell

import (
	"fmt"
	"strings"
	"time"

	"lookout/theme"
	"lookout/ui"
)

func freshnessOf(p ui.Pane) ui.Freshness {
	if r, ok := p.(ui.FreshnessReporter); ok {
		return r.Freshness()
	}
	return ui.Freshness{Loaded: true}
}

// noAutoRefresh reports whether a pane is read again only when the user asks.
func noAutoRefresh(p ui.Pane) bool {
	r, ok := p.(interface{ SkipsAutoRefresh() bool })
	return ok && r.SkipsAutoRefresh()
}

// remainingWait formats a remaining wait in the steps of an age. It rounds up.
func remainingWait(left time.Duration) string {
	if left <= 5*time.Second {
		return ui.FormatAge(left.Truncate(time.Second) + time.Second)
	}
	return ui.FormatAge(left + 5*time.Second - time.Millisecond)
}

// freshnessText says how fresh the pane in front is, and which lists it joins with are missing.
func (s *Shell) freshnessText() (string, theme.Tone) {
	text, tone := s.ownFreshnessText()
	joins, ok := s.pane().(ui.JoinReporter)
	if f := freshnessOf(s.pane()); !ok || f.Err != nil || !f.Loaded {
		return text, tone
	}
	if missing := joins.MissingLists(); len(missing) > 0 {
		return strings.Join(append([]string{text}, missing...), " · "), theme.Warn
	}
	return text, tone
}

// ownFreshnessText says how fresh the rows of the pane in front are.
func (s *Shell) ownFreshnessText() (string, theme.Tone) {
	f, now, g := freshnessOf(s.pane()), s.now(), s.themes.current.Glyphs
	_, reports := s.pane().(ui.FreshnessReporter)
	left, asked := s.o.rateLimitWait(now)
	age := ui.FormatAge(now.Sub(f.LoadedAt))
	switch {
	case !reports && !s.clock.paused():
		return "", theme.Muted
	case s.clock.paused():
		return "paused " + s.clock.pausedAt.In(s.o.Location).Format("15:04:05"), theme.Warn
	case left > 0 && asked > left+time.Minute:
		return fmt.Sprintf("%s too many requests · the API asks %s; waiting %s, r: now",
			g.Problem, ui.FormatAge(asked), remainingWait(left)), theme.Warn
	case left > 0:
		return fmt.Sprintf("%s too many requests · waiting %s, r: now", g.Problem, remainingWait(left)), theme.Warn
	case f.Err != nil:
		return s.failureText(f, now), theme.Bad
	case !f.Loaded:
		return g.Stale + " loading", theme.Warn
	case f.Loading && noAutoRefresh(s.pane()):
		return g.Stale + " reading", theme.Warn
	case noAutoRefresh(s.pane()):
		return g.Live + " read · " + age + " ago", theme.Good
	case now.Sub(f.LoadedAt) > s.clock.lateAfter() && s.clock.interval > 0:
		return g.Stale + " late · " + age, theme.Warn
	}
	return g.Live + " live · " + age, theme.Good
}

// failureText says why the pane in front cannot be read, and when it is tried again.
func (s *Shell) failureText(f ui.Freshness, now time.Time) string {
	problem := s.themes.current.Glyphs.Problem
	again := ""
	if wait := s.clock.nextRefresh.Sub(now); s.clock.interval > 0 && wait > 0 {
		again = " · again in " + ui.FormatAge(wait)
	}
	switch {
	case ui.Denied(f.Err):
		return "not allowed"
	case ui.Unauthorized(f.Err):
		return problem + " token not accepted · nothing is asked"
	case ui.Offline(f.Err):
		return problem + " offline · since " + f.FailingSince.In(s.o.Location).Format("15:04") + again
	}
	return problem + " failing · " + ui.ShortReason(f.Err) + again
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
