package lists

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"lookout/client/faulttest"
)

// pageSource is a source that answers from a list of pages.
type pageSource struct{ rows [][]string }

func (p *pageSource) newStore(t *testing.T, lazy bool) *RowStore[string] {
	t.Helper()
	return NewRowStore(t.Context(), &Inline{}, RowSource[string]{
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

// Two lists are read four times each, in two pages, and the answers arrive in any order: each list only ever goes from
// older rows to newer ones, shows no row of the other list, and ends with its newest.
func TestStore_Refresh_dropsOlderAnswers(t *testing.T) {
	for seed := range uint64(20) {
		faulttest.RunCase(t, "A31", fmt.Sprintf("order %d", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			version := map[string]int{}
			stores, loop := map[string]*RowStore[string]{}, &Inline{Hold: true}
			for _, list := range []string{"a", "b"} {
				stores[list] = newVersionedStore(t, loop, list, version)
			}
			for range 4 {
				for _, list := range []string{"a", "b"} {
					version[list]++
					stores[list].Refresh()
				}
			}
			shown := map[string]string{}
			for len(loop.Held) > 0 {
				loop.Release(random.IntN(len(loop.Held)))
				for list, store := range stores {
					rows := strings.Join(store.Rows(), " ")
					if rows < shown[list] || rows != "" && !strings.HasPrefix(rows, list) {
						t.Errorf("list %s: %q after %q", list, rows, shown[list])
					}
					shown[list] = rows
				}
			}
			for list := range stores {
				if want := fmt.Sprintf("%s4-1 %[1]s4-2", list); shown[list] != want {
					t.Errorf("list %s ends with %q, not %q", list, shown[list], want)
				}
			}
		})
	}
}

// newVersionedStore returns a list of two pages, whose rows name the list and its version when it was asked for.
func newVersionedStore(t *testing.T, loop *Inline, list string, version map[string]int) *RowStore[string] {
	t.Helper()
	return NewRowStore(t.Context(), loop, RowSource[string]{
		Name: list,
		ID:   func(s string) string { return s },
		Fetch: func(_ context.Context, cursor string) (RowPage[string], error) {
			if cursor != "" {
				return RowPage[string]{Rows: []string{cursor}}, nil
			}
			first := fmt.Sprintf("%s%d", list, version[list])
			return RowPage[string]{Rows: []string{first + "-1"}, Next: first + "-2"}, nil
		},
	})
}

func TestStore_Run_survivesOlderAnswer(t *testing.T) {
	p := &pageSource{[][]string{{"a-on", "b"}}}
	s := p.newStore(t, false)
	s.Refresh()
	loop := s.Executor.(*Inline)
	loop.Hold = true
	s.Refresh()
	loop.Hold = false
	p.rows = [][]string{{"a-off", "b"}}
	s.Run(
		&Change[string]{
			RowID:    "a",
			BusyText: "switching",
			Send:     func(context.Context) (ChangeResult[string], error) { return ResultRow("a-off", nil) },
		},
	)
	loop.Release(0)
	if row, _ := s.Get("a"); row != "a-off" {
		t.Errorf("the change was undone: %v", s.Rows())
	}
}

func TestStore_Refresh_replacesRowsAtOnce(t *testing.T) {
	p := &pageSource{[][]string{{"a", "b"}, {"c"}}}
	s := p.newStore(t, false)
	loop := s.Executor.(*Inline)
	loop.Hold = true
	s.Refresh()
	loop.Release(0)
	if s.Len() != 2 || s.Complete() {
		t.Errorf("the first reading hides its first page: %v", s.Rows())
	}
	loop.Release(0)
	p.rows = [][]string{{"b2", "a2"}, {"c2"}}
	s.Refresh()
	loop.Release(0)
	if !slices.Equal(s.Rows(), []string{"a", "b", "c"}) {
		t.Errorf("half a refresh is in sight: %v", s.Rows())
	}
	loop.Release(0)
	if !slices.Equal(s.Rows(), []string{"b2", "a2", "c2"}) {
		t.Errorf("the refresh did not land: %v", s.Rows())
	}
}

func TestStore_LoadMore(t *testing.T) {
	p := &pageSource{[][]string{{"a"}, {"b", "a"}, {"c"}}}
	s := p.newStore(t, true)
	s.Refresh()
	if s.Len() != 1 || s.Complete() {
		t.Fatalf("%v", s.Rows())
	}
	s.LoadMore()
	s.LoadMore()
	s.LoadMore() // reads nothing
	if !slices.Equal(s.Rows(), []string{"a", "b", "c"}) || !s.Complete() {
		t.Errorf("%v, whole %v", s.Rows(), s.Complete())
	}
	if len(s.Notes()) != 1 || s.Notes()[0] != "1 duplicate dropped" {
		t.Errorf("notes: %v", s.Notes())
	}
}

// A page after which the same marker comes again, or one in a circle, ends the reading, and the list says that rows may
// be missing.
func TestStore_Refresh_repeatedCursor(t *testing.T) {
	for name, markers := range map[string][]string{
		"a marker again":      {"same"},
		"markers in a circle": {"a", "b", "c"},
	} {
		faulttest.RunCase(t, "A20", name, func(t *testing.T) {
			asked := 0
			s := NewRowStore(t.Context(), &Inline{}, RowSource[string]{
				Name: "rows",
				ID:   func(s string) string { return s },
				Fetch: func(context.Context, string) (RowPage[string], error) {
					asked++
					return RowPage[string]{Rows: []string{fmt.Sprint(asked)}, Next: markers[asked%len(markers)]}, nil
				},
			})
			s.Refresh()
			if asked != len(markers)+1 || !slices.Contains(s.Notes(), "incomplete: marker repeated") {
				t.Errorf("asked %d times, notes %v", asked, s.Notes())
			}
			if !slices.Contains(s.Missing(), "incomplete: marker repeated") {
				t.Errorf("missing rows are not reported: %v", s.Missing())
			}
		})
	}
}

type unknownOutcomeError struct{}

func (unknownOutcomeError) Error() string { return "the connection was cut" }
func (unknownOutcomeError) Unknown() bool { return true }

// foundGone tells whether a row is gone.
func foundGone(id string) func([]string) LookupResult[string] {
	return func(rows []string) LookupResult[string] {
		gone := !slices.ContainsFunc(rows, func(row string) bool { return strings.HasPrefix(row, id) })
		found := foundIf(gone, "")
		found.Gone = gone
		return found
	}
}

// deletionWithLostAnswer is a change that deletes row a and whose answer is lost. It notes its outcomes.
func deletionWithLostAnswer(outcomes *[]AttemptOutcome) *Change[string] {
	return &Change[string]{
		RowID:    "a",
		What:     "delete a",
		BusyText: "deleting",
		DoneText: "deleted",
		Send: func(context.Context) (ChangeResult[string], error) {
			return ResultDeleted[string](unknownOutcomeError{})
		},
		Search: Search[string]{Judge: foundGone("a")},
		OnOutcome: func(c *Change[string]) {
			*outcomes = append(*outcomes, c.Outcome)
		},
	}
}

// A lost answer is looked up: proof decides at once, and "not done" takes readings that agree for 2 min. A reading that
// fails decides nothing.
func TestStore_Run_looksUpLostAnswer(t *testing.T) {
	faulttest.ReportCase(t, "B2", "looked up: done, done late, not done, not readable")
	for name, c := range map[string]struct {
		doneAfter, failUntil time.Duration // the row is gone after; readings fail until
		want                 []AttemptOutcome
		after                time.Duration // the least time until the last outcome
	}{
		"done":          {0, 0, []AttemptOutcome{Applied}, 0},
		"done late":     {40 * time.Second, 0, []AttemptOutcome{Unknown, Applied}, 40 * time.Second},
		"not done":      {time.Hour, 0, []AttemptOutcome{Unknown, Rejected}, agreeFor},
		"readable late": {time.Hour, 50 * time.Second, []AttemptOutcome{Unknown, Rejected}, 140 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin, p := time.Now(), &pageSource{[][]string{{"a", "b"}}}
				s := p.newStore(t, false)
				s.Refresh()
				fetch := s.source.Fetch
				s.source.Fetch = func(ctx context.Context, cursor string) (RowPage[string], error) {
					if time.Since(begin) < c.failUntil {
						return RowPage[string]{}, errors.New("503")
					}
					if time.Since(begin) >= c.doneAfter {
						p.rows = [][]string{{"b"}}
					}
					return fetch(ctx, cursor)
				}
				var outcomes []AttemptOutcome
				s.Run(deletionWithLostAnswer(&outcomes))
				took := time.Since(begin)
				if !slices.Equal(outcomes, c.want) || took < c.after {
					t.Errorf("outcomes %v after %v, want %v after at least %v", outcomes, took, c.want, c.after)
				}
				if s.Busy("a") != "" || s.RowNote("a") != "" {
					t.Errorf("busy %q, note %q", s.Busy("a"), s.RowNote("a"))
				}
				if f := s.Freshness(); f.Err != nil || !f.LoadedAt.Equal(begin.Add(took)) {
					t.Errorf("the rows are as of %v, %v; want the last reading, after %v", f.LoadedAt, f.Err, took)
				}
			})
		})
	}
}

// A lookup reads at once, then after pauses that spare the API, even if the answers are slow.
func TestChange_lookup_pauses(t *testing.T) {
	for takes, least := range map[time.Duration]time.Duration{0: 5 * time.Second, 20 * time.Second: time.Second} {
		synctest.Test(t, func(t *testing.T) {
			begun, last, readings, outcome := time.Now(), time.Time{}, 0, Unknown
			c := &Change[string]{
				Search: Search[string]{Read: func(context.Context) (func() LookupResult[string], error) {
					pause := time.Since(last)
					if readings++; readings == 1 && !time.Now().Equal(begun) || pause < least {
						t.Errorf("answers take %v: reading %d is %v behind the last one", takes, readings, pause)
					}
					time.Sleep(takes)
					last = time.Now()
					return func() LookupResult[string] { return LookupResult[string]{Verdict: NotSeen} }, nil
				}},
				OnOutcome: func(c *Change[string]) { outcome = c.Outcome },
			}
			(&pageSource{}).newStore(t, false).LookUp(c)
			if outcome != Rejected || readings < 5 {
				t.Errorf("answers take %v: outcome %v after %d readings", takes, outcome, readings)
			}
		})
	}
}

// While readings fail, the pauses between them grow, but not without end: the outcome is known soon after an outage.
func TestChange_lookup_outage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, last, outcome := time.Now(), time.Now(), Unknown
		c := &Change[string]{
			Search: Search[string]{Read: func(context.Context) (func() LookupResult[string], error) {
				pause, since := time.Since(last), time.Since(begun)
				if last = time.Now(); pause > 5*time.Minute || pause > 2*time.Minute && since < 10*time.Minute {
					t.Errorf("a pause of %v, %v after the change was sent", pause, since)
				}
				if since < 24*time.Hour {
					return nil, errors.New("503")
				}
				return func() LookupResult[string] { return LookupResult[string]{Verdict: SeenAsWanted} }, nil
			}},
			OnOutcome: func(c *Change[string]) { outcome = c.Outcome },
		}
		(&pageSource{}).newStore(t, false).LookUp(c)
		if outcome != Applied {
			t.Errorf("outcome %v", outcome)
		}
	})
}

// Readings count as agreeing only if none between them disagreed: one that cannot tell starts the time again.
func TestChange_lookup_readingsThatDisagree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, doubt, outcome := time.Now(), time.Time{}, Unknown
		c := &Change[string]{
			Search: Search[string]{Read: func(context.Context) (func() LookupResult[string], error) {
				verdict := NotSeen
				if doubt.IsZero() && time.Since(begun) > agreeFor/2 {
					doubt, verdict = time.Now(), CannotTell
				}
				return func() LookupResult[string] { return LookupResult[string]{Verdict: verdict} }, nil
			}},
			OnOutcome: func(c *Change[string]) { outcome = c.Outcome },
		}
		(&pageSource{}).newStore(t, false).LookUp(c)
		if agreed := time.Since(doubt); outcome != Rejected || agreed < agreeFor {
			t.Errorf("%v after readings agreed for %v", outcome, agreed)
		}
	})
}

// A list of which a part is missing does not prove that a change was not done.
func TestChange_lookup_partOfTheListIsMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := RowPage[string]{Rows: []string{"b"}, Missing: []string{"the rest did not answer"}}
		s := NewRowStore(t.Context(), &Inline{}, RowSource[string]{
			Name:  "rows",
			ID:    func(s string) string { return s },
			Fetch: func(context.Context, string) (RowPage[string], error) { return page, nil },
		})
		s.Refresh()
		var last AttemptOutcome
		s.LookUp(&Change[string]{
			What: "new a",
			Search: Search[string]{Judge: func(rows []string) LookupResult[string] {
				return foundIf(slices.Contains(rows, "a"), "a")
			}},
			OnOutcome: func(c *Change[string]) { last = c.Outcome },
		})
		if last != Unknown {
			t.Errorf("the outcome is %v", last)
		}
	})
}

// The rows that a lookup has read are not replaced by those of a read that began before.
func TestStore_Run_lookupSurvivesOlderAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &pageSource{[][]string{{"a", "b"}}}
		s := p.newStore(t, false)
		s.Refresh()
		loop := s.Executor.(*Inline)
		loop.Hold = true
		s.Refresh()
		loop.Hold = false
		p.rows = [][]string{{"b"}}
		var outcomes []AttemptOutcome
		s.Run(deletionWithLostAnswer(&outcomes))
		loop.Release(0)
		if !slices.Equal(outcomes, []AttemptOutcome{Applied}) || !slices.Equal(s.Rows(), []string{"b"}) {
			t.Errorf("outcomes %v, rows %v", outcomes, s.Rows())
		}
	})
}

// What a lookup has read says what is missing from it, like any other reading, and a row that may be missing from it is
// not proved to be deleted.
func TestStore_Run_lookupOfIncompleteRows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := RowPage[string]{Rows: []string{"a", "b"}}
		s := NewRowStore(t.Context(), &Inline{}, RowSource[string]{
			Name:  "rows",
			ID:    func(s string) string { return s },
			Fetch: func(context.Context, string) (RowPage[string], error) { return page, nil },
		})
		s.Refresh()
		missing := []string{"the rest did not answer"}
		page = RowPage[string]{Rows: []string{"b"}, Notes: append(missing, "one row is odd"), Missing: missing}
		var outcomes []AttemptOutcome
		change := deletionWithLostAnswer(&outcomes)
		change.OnOutcome = func(c *Change[string]) {
			outcome := c.Outcome
			outcomes = append(outcomes, outcome)
			if !slices.Equal(s.Notes(), page.Notes) || !slices.Equal(s.Missing(), page.Missing) {
				t.Errorf("%v: notes %q, missing %q", outcome, s.Notes(), s.Missing())
			}
			page = RowPage[string]{Rows: []string{"b"}}
		}
		s.Run(change)
		if !slices.Equal(outcomes, []AttemptOutcome{Unknown, Applied}) {
			t.Errorf("outcomes %v", outcomes)
		}
	})
}

// A change whose answer was lost concerns its own row alone, even if the ID of another row begins alike.
func TestStore_Run_lostAnswerOfAlikeRows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const deleted, other = "photos/2026/1.jpg", "photos/2026/2.jpg"
		rows := []string{deleted, other}
		s := NewRowStore(t.Context(), &Inline{}, RowSource[string]{
			Name:  "objects",
			ID:    func(s string) string { return s },
			Fetch: func(context.Context, string) (RowPage[string], error) { return RowPage[string]{Rows: rows}, nil },
		})
		s.Refresh()
		var outcomes []AttemptOutcome
		change := deletionWithLostAnswer(&outcomes)
		change.RowID = deleted
		change.Search.Judge = foundGone(deleted)
		change.OnOutcome = func(c *Change[string]) {
			outcome := c.Outcome
			if outcomes = append(outcomes, outcome); outcome != Unknown {
				return
			}
			if s.RowNote(deleted) == "" || s.RowNote(other) != "" {
				t.Errorf("the notes are %q at its row and %q at another", s.RowNote(deleted), s.RowNote(other))
			}
			rows = []string{other}
			s.Run(&Change[string]{
				RowID: other,
				Send:  func(context.Context) (ChangeResult[string], error) { return ResultRow(other, nil) },
			})
		}
		s.Run(change)
		if !slices.Equal(outcomes, []AttemptOutcome{Unknown, Applied}) {
			t.Errorf("outcomes %v", outcomes)
		}
	})
}

func TestStore_Run_busyRow(t *testing.T) {
	p := &pageSource{[][]string{{"a"}}}
	s := p.newStore(t, false)
	s.Refresh()
	times := 0
	deed := &Change[string]{
		RowID:    "a",
		BusyText: "switching",
		Send:     func(context.Context) (ChangeResult[string], error) { times++; return ResultRow("a", nil) },
	}
	loop := s.Executor.(*Inline)
	loop.Hold = true
	if first, second := s.Run(deed), s.Run(deed); first != nil || second == nil || times != 1 {
		t.Errorf("sent %d times: %v, %v", times, first, second)
	}
}

func TestStore_Refresh_failureKeepsRows(t *testing.T) {
	fail := false
	s := NewRowStore(
		t.Context(),
		&Inline{},
		RowSource[string]{
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
	s.Refresh()
	fail = true
	s.Refresh()
	if s.Len() != 1 || s.Freshness().Err == nil {
		t.Errorf("%v, %v", s.Rows(), s.Freshness().Err)
	}
}

// A refresh of a lazy store that failed is continued by the next LoadMore: no rows are lost.
func TestStore_LoadMore_afterFailedRefresh(t *testing.T) {
	p := &pageSource{[][]string{{"a"}, {"b"}, {"c"}}}
	s := p.newStore(t, true)
	s.Refresh()
	s.LoadMore()
	fetch := s.source.Fetch
	s.source.Fetch = func(context.Context, string) (RowPage[string], error) {
		return RowPage[string]{}, errors.New("cut")
	}
	s.Refresh()
	s.source.Fetch = fetch
	s.LoadMore()
	s.LoadMore()
	if got := s.Rows(); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("rows: %v", got)
	}
}

type goneError struct{ id string }

func (g goneError) Error() string  { return g.id + " no longer exists" }
func (g goneError) GoneID() string { return g.id }

// A refused change leaves its row, unless the answer says that the row no longer exists.
func TestStore_Run_refused(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want []string
	}{
		"refused": {errors.New("refused"), []string{"a-on", "b"}},
		"gone":    {goneError{"a"}, []string{"b"}},
	} {
		p := &pageSource{[][]string{{"a-on", "b"}}}
		s := p.newStore(t, false)
		s.Refresh()
		var outcomes []AttemptOutcome
		s.Run(&Change[string]{
			RowID:    "a",
			BusyText: "switching",
			Send:     func(context.Context) (ChangeResult[string], error) { return ResultRow("a-off", c.err) },
			OnOutcome: func(change *Change[string]) {
				outcomes = append(outcomes, change.Outcome)
				if !errors.Is(change.Err, c.err) {
					t.Errorf("%s: %v", name, change.Err)
				}
			},
		})
		if !slices.Equal(s.Rows(), c.want) || !slices.Equal(outcomes, []AttemptOutcome{Rejected}) || s.Busy("a") != "" {
			t.Errorf("%s: %v, %v, busy %q", name, s.Rows(), outcomes, s.Busy("a"))
		}
	}
}

// A list that has not caught up with a change does not undo it, and the row says so until the list agrees.
func TestStore_Refresh_behindAChange(t *testing.T) {
	p := &pageSource{[][]string{{"a-on", "b"}}}
	s := p.newStore(t, false)
	s.Refresh()
	s.Run(&Change[string]{
		RowID:    "a",
		BusyText: "switching",
		Send:     func(context.Context) (ChangeResult[string], error) { return ResultRow("a-off", nil) },
		Search: Search[string]{Judge: func(rows []string) LookupResult[string] {
			return foundIf(slices.Contains(rows, "a-off"), "a-off")
		}},
	})
	for _, c := range []struct {
		list, want string
		behind     bool
	}{{"a-on", "a-off", true}, {"a-off", "a-off", false}} {
		p.rows = [][]string{{c.list, "b"}}
		s.Refresh()
		row, _ := s.Get("a")
		note := s.RowNote("a")
		if row != c.want || strings.Contains(note, "the list still has the old values") != c.behind {
			t.Errorf("the list has %s: %s, %q", c.list, row, note)
		}
	}
}

// The request of a read ends when it is cancelled, replaced by a newer read, or answered: what it holds is released.
func TestStore_endsRequests(t *testing.T) {
	for name, end := range map[string]func(*RowStore[string], *Inline){
		"cancelled": func(s *RowStore[string], _ *Inline) { s.Cancel() },
		"replaced":  func(s *RowStore[string], _ *Inline) { s.Refresh() },
		"answered":  func(_ *RowStore[string], loop *Inline) { loop.Release(0) },
	} {
		var requests []context.Context
		loop := &Inline{Hold: true}
		s := NewRowStore(t.Context(), loop, RowSource[string]{
			Name: "rows",
			ID:   func(s string) string { return s },
			Fetch: func(ctx context.Context, _ string) (RowPage[string], error) {
				requests = append(requests, ctx)
				return RowPage[string]{}, nil
			},
		})
		s.Refresh()
		if end(s, loop); requests[0].Err() == nil {
			t.Errorf("%s: %d requests go on", name, len(requests))
		}
	}
}

// foundIf returns the finding of a change that is seen in a row, or not seen.
func foundIf[T any](seen bool, row T) LookupResult[T] {
	if seen {
		return LookupResult[T]{Verdict: SeenAsWanted, Row: row}
	}
	return LookupResult[T]{Verdict: NotSeen}
}

// Rows do not decide a change that a later one hides: they may show that one.
func TestLookUp_hiddenByALaterChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &pageSource{[][]string{{"a-on"}}}
		s := p.newStore(t, false)
		s.Refresh()
		hidden, ended := true, false
		s.changes.lookups = append(s.changes.lookups, &Change[string]{
			RowID: "a",
			store: s,
			Search: Search[string]{
				Judge:  func(rows []string) LookupResult[string] { return foundIf(rows[0] == "a-off", rows[0]) },
				Hidden: func() bool { return hidden },
			},
			OnOutcome: func(*Change[string]) { ended = true },
		})
		p.rows = [][]string{{"a-off"}}
		if s.Refresh(); ended {
			t.Error("the rows have decided a change that is hidden")
		}
		hidden = false
		if s.Refresh(); !ended {
			t.Error("the rows have not decided the change")
		}
	})
}

// The verdict on a change whose answer was lost leaves a later change of the row under way.
func TestRun_laterChangeStaysUnderWay(t *testing.T) {
	p := &pageSource{[][]string{{"a-on"}}}
	s := p.newStore(t, false)
	s.Refresh()
	first := &Change[string]{
		RowID: "a",
		Send:  func(context.Context) (ChangeResult[string], error) { return ResultRow("", nil) },
		store: s,
	}
	first.report(Unknown) // it is waited for
	s.busy["a"] = "editing"
	first.report(Rejected)
	if s.Busy("a") != "editing" {
		t.Errorf("the second change is %q", s.Busy("a"))
	}
}

// A change that counts as not done is looked for as long as a day. Once it is seen, it is not known who made it.
func TestChange_lookup_arrivesLate(t *testing.T) {
	for after, late := range map[time.Duration]bool{
		10 * time.Minute: true,
		23 * time.Hour:   true,
		25 * time.Hour:   false,
	} {
		synctest.Test(t, func(t *testing.T) {
			begun, rejected, seen := time.Now(), false, false
			c := &Change[string]{
				SentAt: begun,
				Search: Search[string]{Read: func(context.Context) (func() LookupResult[string], error) {
					verdict := NotSeen
					if time.Since(begun) >= after {
						verdict = SeenAsWanted
					}
					return func() LookupResult[string] { return LookupResult[string]{Verdict: verdict} }, nil
				}},
				OnOutcome: func(c *Change[string]) { rejected = c.Outcome == Rejected },
				OnLate:    func(c *Change[string]) { seen = c.Outcome == Unknown },
			}
			(&pageSource{}).newStore(t, false).LookUp(c)
			time.Sleep(48 * time.Hour)
			if !rejected || seen != late {
				t.Errorf("done after %v: counted as not done %v, then seen %v", after, rejected, seen)
			}
		})
	}
}

// A later change hides an earlier one if it sets one of the same members, or the whole row.
func TestSupersedes(t *testing.T) {
	for _, c := range []struct {
		later, earlier []string
		want           bool
	}{
		{nil, []string{"status"}, true},
		{[]string{"label", "status"}, []string{"status"}, true},
		{[]string{"label"}, []string{"status"}, false},
		{[]string{"label"}, nil, false},
		{[]string{}, []string{"status"}, false},
	} {
		if got := Supersedes(c.later, c.earlier); got != c.want {
			t.Errorf("%q hides %q: %v", c.later, c.earlier, got)
		}
	}
}

// A poll lets a read that is under way finish: a list that takes longer than the pause would never be heard.
func TestStore_Poll_letsAReadFinish(t *testing.T) {
	p := &pageSource{[][]string{{"a"}}}
	s := p.newStore(t, false)
	loop := s.Executor.(*Inline)
	loop.Hold = true
	s.Poll()
	s.Poll()
	if n := len(loop.Held); n != 1 {
		t.Fatalf("%d reads were begun", n)
	}
	loop.Release(0)
	if !slices.Equal(s.Rows(), []string{"a"}) {
		t.Errorf("rows: %v", s.Rows())
	}
}

// Rows decide a change with what they showed, whatever is read while it is asked whether a later change hides it.
func TestLookUp_decidesWithWhatWasSeen(t *testing.T) {
	p := &pageSource{[][]string{{"a-on"}}}
	s := p.newStore(t, false)
	s.Refresh()
	c := &Change[string]{
		RowID: "a",
		store: s,
		Search: Search[string]{
			Judge:  func(rows []string) LookupResult[string] { return foundIf(rows[0] == "a-off", rows[0]) },
			Hidden: func() bool { return false },
		},
	}
	s.changes.lookups = append(s.changes.lookups, c)
	loop := s.Executor.(*Inline)
	loop.Hold = true
	p.rows = [][]string{{"a-off"}}
	s.Refresh()
	loop.Release(0)
	c.Found = LookupResult[string]{} // of a reading that came meanwhile
	loop.Release(0)
	if c.Outcome != Applied || c.Result.Row != "a-off" {
		t.Errorf("%q, %v", c.Result.Row, c.Outcome)
	}
}
