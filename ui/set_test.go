package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	tea "charm.land/bubbletea/v2"

	"lookout/client/faulttest"
)

// pages is a source that answers from a list of pages, as they are when it is asked.
type pages struct{ rows [][]string }

func (p *pages) set(t *testing.T, lazy bool) *Set[string] {
	t.Helper()
	return NewSet(t.Context(), Source[string]{Name: "rows", ID: func(s string) string { return s[:1] }, Lazy: lazy, Fetch: func(_ context.Context, cursor string) (Page[string], error) {
		n := 0
		if cursor != "" {
			_, _ = fmt.Sscan(cursor, &n)
		}
		page := Page[string]{Rows: p.rows[n]}
		if n+1 < len(p.rows) {
			page.Next = fmt.Sprint(n + 1)
		}
		return page, nil
	}})
}

// settle runs a command and all that follows from it.
func settle(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case Delivery:
		settle(msg.Deliver())
	case tea.BatchMsg:
		for _, c := range msg {
			settle(c)
		}
	}
}

func TestAnOlderAnswerIsDropped(t *testing.T) {
	faulttest.ReportCase(t, "A31", "TestAnOlderAnswerIsDropped")
	p := &pages{[][]string{{"a-old"}}}
	s := p.set(t, false)
	older := s.Refresh()
	answer := older().(Delivery)
	p.rows = [][]string{{"a-new", "b"}}
	settle(s.Refresh())
	settle(answer.Deliver())
	if got := s.Rows(); !slices.Equal(got, []string{"a-new", "b"}) {
		t.Errorf("the older answer won: %v", got)
	}
}

func TestAChangeIsNotUndoneByAnAnswerFromBefore(t *testing.T) {
	p := &pages{[][]string{{"a-on", "b"}}}
	s := p.set(t, false)
	settle(s.Refresh())
	question := s.Refresh()
	answer := question().(Delivery)
	p.rows = [][]string{{"a-off", "b"}}
	settle(s.Act(Deed[string]{ID: "a", Verb: "switching", Work: func(context.Context) (Change[string], error) { return Put("a-off", nil) }}))
	settle(answer.Deliver())
	if row, _ := s.Get("a"); row != "a-off" {
		t.Errorf("the change was undone: %v", s.Rows())
	}
}

func TestARefreshShowsNothingHalf(t *testing.T) {
	p := &pages{[][]string{{"a", "b"}, {"c"}}}
	s := p.set(t, false)
	first := s.Refresh()().(Delivery).Deliver()
	if s.Len() != 2 || s.Whole() {
		t.Errorf("the first reading hides its first page: %v", s.Rows())
	}
	settle(first)
	p.rows = [][]string{{"x"}, {"y"}}
	next := s.Refresh()().(Delivery).Deliver()
	if !slices.Equal(s.Rows(), []string{"a", "b", "c"}) {
		t.Errorf("half a refresh is in sight: %v", s.Rows())
	}
	settle(next)
	if !slices.Equal(s.Rows(), []string{"x", "y"}) {
		t.Errorf("the refresh did not land: %v", s.Rows())
	}
}

func TestLazyPagesComeWhenRead(t *testing.T) {
	p := &pages{[][]string{{"a"}, {"b", "a"}, {"c"}}}
	s := p.set(t, true)
	settle(s.Refresh())
	if s.Len() != 1 || s.Whole() {
		t.Fatalf("%v", s.Rows())
	}
	settle(s.More())
	settle(s.More())
	if !slices.Equal(s.Rows(), []string{"a", "b", "c"}) || !s.Whole() || s.More() != nil {
		t.Errorf("%v, whole %v", s.Rows(), s.Whole())
	}
	if len(s.Notes()) != 1 || s.Notes()[0] != "1 duplicate dropped" {
		t.Errorf("notes: %v", s.Notes())
	}
}

func TestARepeatedMarkerEndsTheListing(t *testing.T) {
	faulttest.ReportCase(t, "A20", "a marker again")
	asked := 0
	s := NewSet(t.Context(), Source[string]{Name: "rows", ID: func(s string) string { return s }, Fetch: func(context.Context, string) (Page[string], error) {
		asked++
		return Page[string]{Rows: []string{fmt.Sprint(asked)}, Next: "same"}, nil
	}})
	settle(s.Refresh())
	if asked != 2 || !slices.Contains(s.Notes(), "incomplete: marker repeated") {
		t.Errorf("asked %d times, notes %v", asked, s.Notes())
	}
}

func TestMarkersInACircleEndTheListing(t *testing.T) {
	faulttest.ReportCase(t, "A20", "markers in a circle")
	asked := 0
	s := NewSet(t.Context(), Source[string]{Name: "rows", ID: func(s string) string { return s }, Fetch: func(context.Context, string) (Page[string], error) {
		asked++
		return Page[string]{Rows: []string{fmt.Sprint(asked)}, Next: []string{"a", "b", "c"}[asked%3]}, nil
	}})
	settle(s.Refresh())
	if asked != 4 || !slices.Contains(s.Notes(), "incomplete: marker repeated") {
		t.Errorf("asked %d times, notes %v", asked, s.Notes())
	}
}

type lost struct{}

func (lost) Error() string { return "the connection was cut" }
func (lost) Unknown() bool { return true }

func TestAnUnknownOutcomeIsLookedUp(t *testing.T) {
	faulttest.ReportCase(t, "B2", "looked up: done, and not done")
	for name, c := range map[string]struct {
		rows []string
		want Verdict
	}{"done": {[]string{"b"}, Done}, "not done": {[]string{"a", "b"}, Refused}} {
		p := &pages{[][]string{{"a", "b"}}}
		s := p.set(t, false)
		settle(s.Refresh())
		got := Verdict(-1)
		deed := Deed[string]{ID: "a", Verb: "deleting", Work: func(context.Context) (Change[string], error) { return Drop[string](lost{}) },
			After: func(v Verdict, _ Change[string], _ error) tea.Cmd { got = v; return nil }}
		sent := s.Act(deed)().(Delivery)
		p.rows = [][]string{c.rows}
		look := sent.Deliver()
		if s.Busy("a") != "unknown, checking" || got != -1 {
			t.Errorf("%s: busy %q, verdict %v before it was looked up", name, s.Busy("a"), got)
		}
		settle(look)
		if got != c.want || s.Busy("a") != "" || !slices.Equal(s.Rows(), c.rows) {
			t.Errorf("%s: verdict %v, busy %q, rows %v", name, got, s.Busy("a"), s.Rows())
		}
	}
}

func TestABusyRowTakesNoSecondChange(t *testing.T) {
	p := &pages{[][]string{{"a"}}}
	s := p.set(t, false)
	settle(s.Refresh())
	times := 0
	deed := Deed[string]{ID: "a", Verb: "switching", Work: func(context.Context) (Change[string], error) { times++; return Put("a", nil) }}
	first, second := s.Act(deed), s.Act(deed)
	settle(first)
	settle(second)
	if times != 1 {
		t.Errorf("sent %d times", times)
	}
}

func TestAFailureKeepsTheRows(t *testing.T) {
	fail := false
	s := NewSet(t.Context(), Source[string]{Name: "rows", ID: func(s string) string { return s }, Fetch: func(context.Context, string) (Page[string], error) {
		if fail {
			return Page[string]{}, errors.New("503")
		}
		return Page[string]{Rows: []string{"a"}}, nil
	}})
	settle(s.Refresh())
	fail = true
	settle(s.Refresh())
	if s.Len() != 1 || s.Fresh().Err == nil {
		t.Errorf("%v, %v", s.Rows(), s.Fresh().Err)
	}
}
