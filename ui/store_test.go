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

// pageSource is a source that answers from a list of pages.
type pageSource struct{ rows [][]string }

func (p *pageSource) newStore(t *testing.T, lazy bool) *Store[string] {
	t.Helper()
	return NewStore(t.Context(), Source[string]{
		Name: "rows",
		ID:   func(s string) string { return s[:1] },
		Lazy: lazy,
		Fetch: func(_ context.Context, cursor string) (RowPage[string], error) {
			n := 0
			if cursor != "" {
				_, _ = fmt.Sscan(cursor, &n)
			}
			page := RowPage[string]{Rows: p.rows[n]}
			if n+1 < len(p.rows) {
				page.Next = fmt.Sprint(n + 1)
			}
			return page, nil
		},
	})
}

// runAll runs a command and all commands that follow from it.
func runAll(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case AsyncResult:
		runAll(msg.Deliver())
	case tea.BatchMsg:
		for _, c := range msg {
			runAll(c)
		}
	}
}

func TestStore_Refresh_dropsOlderAnswer(t *testing.T) {
	faulttest.ReportCase(t, "A31", "TestStore_Refresh_dropsOlderAnswer")
	p := &pageSource{[][]string{{"a-old"}}}
	s := p.newStore(t, false)
	older := s.Refresh()
	answer := older().(AsyncResult)
	p.rows = [][]string{{"a-new", "b"}}
	runAll(s.Refresh())
	runAll(answer.Deliver())
	if got := s.Rows(); !slices.Equal(got, []string{"a-new", "b"}) {
		t.Errorf("the older answer won: %v", got)
	}
}

func TestStore_Run_survivesOlderAnswer(t *testing.T) {
	p := &pageSource{[][]string{{"a-on", "b"}}}
	s := p.newStore(t, false)
	runAll(s.Refresh())
	question := s.Refresh()
	answer := question().(AsyncResult)
	p.rows = [][]string{{"a-off", "b"}}
	runAll(
		s.Run(
			RowChange[string]{
				RowID:        "a",
				ProgressText: "switching",
				Send:         func(context.Context) (Result[string], error) { return ResultRow("a-off", nil) },
			},
		),
	)
	runAll(answer.Deliver())
	if row, _ := s.Get("a"); row != "a-off" {
		t.Errorf("the change was undone: %v", s.Rows())
	}
}

func TestStore_Refresh_replacesRowsAtOnce(t *testing.T) {
	p := &pageSource{[][]string{{"a", "b"}, {"c"}}}
	s := p.newStore(t, false)
	first := s.Refresh()().(AsyncResult).Deliver()
	if s.Len() != 2 || s.Complete() {
		t.Errorf("the first reading hides its first page: %v", s.Rows())
	}
	runAll(first)
	p.rows = [][]string{{"x"}, {"y"}}
	next := s.Refresh()().(AsyncResult).Deliver()
	if !slices.Equal(s.Rows(), []string{"a", "b", "c"}) {
		t.Errorf("half a refresh is in sight: %v", s.Rows())
	}
	runAll(next)
	if !slices.Equal(s.Rows(), []string{"x", "y"}) {
		t.Errorf("the refresh did not land: %v", s.Rows())
	}
}

func TestStore_LoadMore(t *testing.T) {
	p := &pageSource{[][]string{{"a"}, {"b", "a"}, {"c"}}}
	s := p.newStore(t, true)
	runAll(s.Refresh())
	if s.Len() != 1 || s.Complete() {
		t.Fatalf("%v", s.Rows())
	}
	runAll(s.LoadMore())
	runAll(s.LoadMore())
	if !slices.Equal(s.Rows(), []string{"a", "b", "c"}) || !s.Complete() || s.LoadMore() != nil {
		t.Errorf("%v, whole %v", s.Rows(), s.Complete())
	}
	if len(s.Notes()) != 1 || s.Notes()[0] != "1 duplicate dropped" {
		t.Errorf("notes: %v", s.Notes())
	}
}

func TestStore_Refresh_repeatedCursor(t *testing.T) {
	faulttest.ReportCase(t, "A20", "a marker again")
	asked := 0
	s := NewStore(
		t.Context(),
		Source[string]{
			Name: "rows",
			ID:   func(s string) string { return s },
			Fetch: func(context.Context, string) (RowPage[string], error) {
				asked++
				return RowPage[string]{Rows: []string{fmt.Sprint(asked)}, Next: "same"}, nil
			},
		},
	)
	runAll(s.Refresh())
	if asked != 2 || !slices.Contains(s.Notes(), "incomplete: marker repeated") {
		t.Errorf("asked %d times, notes %v", asked, s.Notes())
	}
}

func TestStore_Refresh_circularCursors(t *testing.T) {
	faulttest.ReportCase(t, "A20", "markers in a circle")
	asked := 0
	s := NewStore(
		t.Context(),
		Source[string]{
			Name: "rows",
			ID:   func(s string) string { return s },
			Fetch: func(context.Context, string) (RowPage[string], error) {
				asked++
				return RowPage[string]{Rows: []string{fmt.Sprint(asked)}, Next: []string{"a", "b", "c"}[asked%3]}, nil
			},
		},
	)
	runAll(s.Refresh())
	if asked != 4 || !slices.Contains(s.Notes(), "incomplete: marker repeated") {
		t.Errorf("asked %d times, notes %v", asked, s.Notes())
	}
}

type unknownOutcomeError struct{}

func (unknownOutcomeError) Error() string { return "the connection was cut" }
func (unknownOutcomeError) Unknown() bool { return true }

func TestStore_Run_rechecksUnknownOutcome(t *testing.T) {
	faulttest.ReportCase(t, "B2", "looked up: done, and not done")
	for name, c := range map[string]struct {
		rows []string
		want AttemptOutcome
	}{"done": {[]string{"b"}, Applied}, "not done": {[]string{"a", "b"}, Rejected}} {
		p := &pageSource{[][]string{{"a", "b"}}}
		s := p.newStore(t, false)
		runAll(s.Refresh())
		got := AttemptOutcome(-1)
		deed := RowChange[string]{
			RowID:        "a",
			ProgressText: "deleting",
			Send: func(context.Context) (Result[string], error) {
				return ResultDeleted[string](unknownOutcomeError{})
			},
			OnOutcome: func(v AttemptOutcome, _ Result[string], _ error) tea.Cmd { got = v; return nil },
		}
		sent := s.Run(deed)().(AsyncResult)
		p.rows = [][]string{c.rows}
		look := sent.Deliver()
		if s.Busy("a") != "unknown, checking" || got != -1 {
			t.Errorf("%s: busy %q, verdict %v before it was looked up", name, s.Busy("a"), got)
		}
		runAll(look)
		if got != c.want || s.Busy("a") != "" || !slices.Equal(s.Rows(), c.rows) {
			t.Errorf("%s: verdict %v, busy %q, rows %v", name, got, s.Busy("a"), s.Rows())
		}
	}
}

func TestStore_Run_busyRow(t *testing.T) {
	p := &pageSource{[][]string{{"a"}}}
	s := p.newStore(t, false)
	runAll(s.Refresh())
	times := 0
	deed := RowChange[string]{
		RowID:        "a",
		ProgressText: "switching",
		Send:         func(context.Context) (Result[string], error) { times++; return ResultRow("a", nil) },
	}
	first, second := s.Run(deed), s.Run(deed)
	runAll(first)
	runAll(second)
	if times != 1 {
		t.Errorf("sent %d times", times)
	}
}

func TestStore_Refresh_failureKeepsRows(t *testing.T) {
	fail := false
	s := NewStore(
		t.Context(),
		Source[string]{
			Name: "rows",
			ID:   func(s string) string { return s },
			Fetch: func(context.Context, string) (RowPage[string], error) {
				if fail {
					return RowPage[string]{}, errors.New("503")
				}
				return RowPage[string]{Rows: []string{"a"}}, nil
			},
		},
	)
	runAll(s.Refresh())
	fail = true
	runAll(s.Refresh())
	if s.Len() != 1 || s.Freshness().Err == nil {
		t.Errorf("%v, %v", s.Rows(), s.Freshness().Err)
	}
}
