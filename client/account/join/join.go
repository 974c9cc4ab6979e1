// Package join holds rows of other lists that belong to a row, with how much of those lists is known.
package join

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"lookout/client"
	"lookout/client/lists"
	"lookout/client/wording"
)

// ReadState says how much is known about the rows of a join.
type ReadState int

// The kinds of a state, from nothing to everything.
const (
	NotRead ReadState = iota // nobody has asked for the list yet
	Reading                  // the first read is under way
	Failed                   // the last read failed
	Denied                   // this token may not read the list
	Partial                  // only some rows were read
	Known                    // all rows were read
)

// JoinState says how much is known about a list that others join with.
type JoinState struct {
	Kind    ReadState
	Of      string        // the list: "services"
	Err     error         // why the last read failed, nil if it did not
	Stale   bool          // all rows were read once, before the last read failed
	Age     time.Duration // of stale rows
	Read    int           // rows read
	Total   int           // rows that the API reported
	Missing []string      // parts that did not answer: "us-east does not answer"
}

// list is a store, as far as its state depends on it.
type list interface {
	Name() string
	Now() time.Time
	Freshness() lists.Freshness
	Complete() bool
	Missing() []string
	Len() int
	Total() int
}

// StateOf returns the state of a list as it is now.
func StateOf(l list) JoinState {
	f := l.Freshness()
	s := JoinState{
		Of:      l.Name(),
		Err:     f.Err,
		Stale:   f.Err != nil && l.Complete(),
		Read:    l.Len(),
		Total:   l.Total(),
		Missing: l.Missing(),
	}
	if s.Stale {
		s.Age = l.Now().Sub(f.LoadedAt)
	}
	switch {
	case wording.Denied(f.Err):
		s.Kind = Denied
	case f.Err != nil && (l.Complete() || l.Len() == 0):
		s.Kind = Failed
	case l.Complete() && len(s.Missing) == 0:
		s.Kind = Known
	case l.Complete() || l.Len() > 0:
		s.Kind = Partial
	case f.Loading:
		s.Kind = Reading
	}
	return s
}

// WaitsFor returns the list if it is being read for the first time, so that its rows will be known in a moment: "" if
// not.
func (s JoinState) WaitsFor() string {
	if s.Kind == Reading || s.Kind == Partial && s.Err == nil && len(s.Missing) == 0 {
		return s.Of
	}
	return ""
}

// Worst returns the state of what is joined from two lists: the first that is not known.
func (s JoinState) Worst(t JoinState) JoinState {
	if s.Kind == Known {
		return t
	}
	return s
}

// String says what is missing and what to do about it: "services: 503 · as of 3 min ago · r retries".
func (s JoinState) String() string {
	text := s.Reason()
	if s.Err != nil && s.Kind != Denied || len(s.Missing) > 0 {
		text += " · r retries"
	}
	return text
}

// FormText says what is missing, for a form, in which r is a letter.
func (s JoinState) FormText() string {
	text := s.Reason()
	if s.Err != nil && s.Kind != Denied || len(s.Missing) > 0 {
		text += " · esc, then r, reads it again"
	}
	return text
}

// Reason says what is missing, for texts that leave the program: "services: 503 · as of 3 min ago".
func (s JoinState) Reason() string {
	switch s.Kind {
	case NotRead:
		return s.Of + ": not read yet"
	case Reading:
		return s.Of + ": being read"
	case Failed:
		return s.Of + ": " + wording.ShortReason(s.Err) + s.Staleness()
	case Denied:
		return s.Of + ": " + deniedReason(s.Err) + s.Staleness()
	case Partial:
		return s.Of + ": " + s.partialReason()
	case Known:
	}
	return ""
}

// Staleness says how old the rows are that were read before: " · as of 3 min ago"; "" if they are not old.
func (s JoinState) Staleness() string {
	if !s.Stale {
		return ""
	}
	return " · as of " + wording.FormatAge(s.Age) + " ago"
}

// partialReason says how many rows were read, and why not all.
func (s JoinState) partialReason() string {
	if len(s.Missing) > 0 {
		return strings.Join(s.Missing, " · ")
	}
	text := wording.FormatCount(int64(s.Read)) + " read so far"
	if s.Total > s.Read {
		text = fmt.Sprintf("%s of %s read", wording.FormatCount(int64(s.Read)), wording.FormatCount(int64(s.Total)))
	}
	if s.Err != nil {
		text += " · " + wording.ShortReason(s.Err)
	}
	return text
}

// deniedReason names the scope that the token lacks. With the scope it is the user who may not.
func deniedReason(err error) string {
	var e *client.Error
	if errors.As(err, &e) && e.Status == http.StatusUnauthorized && e.RequiredScope != "" {
		return "needs the scope " + e.RequiredScope
	}
	return "not allowed"
}

// Joined holds the rows of another list that belong to a row, and how much of that list is known.
type Joined[T any] struct {
	rows  []T
	state JoinState
}

// Join returns rows of a list in a state.
func Join[T any](rows []T, s JoinState) Joined[T] { return Joined[T]{rows: rows, state: s} }

// State returns how much is known.
func (j Joined[T]) State() JoinState { return j.state }

// Fold is the only way to the rows. It returns known of all rows, or otherwise of the rows found so far: there may be
// others, and those may have changed. Neither function may change the rows: others share them.
func Fold[T, R any](j Joined[T], known func([]T) R, otherwise func(found []T, s JoinState) R) R {
	if j.state.Kind == Known {
		return known(j.rows)
	}
	return otherwise(j.rows, j.state)
}

// Found returns the rows found so far, for suggestions and drawings that claim nothing about the rest.
func Found[T any](j Joined[T]) []T { return slices.Clone(j.rows) }

// Len returns how many rows were found so far.
func Len[T any](j Joined[T]) int { return len(j.rows) }

// KnownEmpty reports whether it is known that there is no row.
func KnownEmpty[T any](j Joined[T]) bool { return j.state.Kind == Known && len(j.rows) == 0 }

// Concat returns the rows of several joins one after another. It is known if every one is.
func Concat[T any](joins ...Joined[T]) Joined[T] {
	all := Joined[T]{state: JoinState{Kind: Known}}
	for _, j := range joins {
		all.rows = append(all.rows, j.rows...)
		all.state = all.state.Worst(j.state)
	}
	return all
}

// Derive returns what is made of the rows, in the same state.
func Derive[T, U any](j Joined[T], from func([]T) []U) Joined[U] {
	return Joined[U]{rows: from(j.rows), state: j.state}
}

// FlatMap joins on from each row and returns what is found, each once. It is known if every join on the way is.
func FlatMap[T any, U comparable](j Joined[T], next func(T) Joined[U]) Joined[U] {
	all := Joined[U]{state: j.state}
	for _, row := range j.rows {
		found := next(row)
		all.state = all.state.Worst(found.state)
		for _, r := range found.rows {
			if !slices.Contains(all.rows, r) {
				all.rows = append(all.rows, r)
			}
		}
	}
	return all
}

// Remark returns what must be said beside the rows: a sentence if there is none, or what is missing. It returns "" if
// there are rows and all are known.
func Remark[T any](j Joined[T], empty string) string {
	if j.state.Kind == Known && len(j.rows) > 0 {
		return ""
	}
	if j.state.Kind == Known {
		return empty
	}
	return j.state.String()
}

// FormRemark is Remark for a form: "" if all rows are known.
func FormRemark[T any](j Joined[T]) string { return j.state.FormText() }

// Names returns the names of the rows in one line, or a sentence if there is none. If not all are known it says what
// is missing.
func Names[T any](j Joined[T], name func(T) string, empty string) string {
	names := make([]string, len(j.rows))
	for i, row := range j.rows {
		names[i] = name(row)
	}
	text := strings.Join(names, ", ")
	return text + beside(text != "", Remark(j, empty))
}

// Count returns how many rows there are, in words, or a sentence if there is none. If not all are known it says what is
// missing.
func Count[T any](j Joined[T], one, many, empty string) string {
	count := ""
	if len(j.rows) > 0 {
		count = wording.Plural(len(j.rows), one, many)
	}
	return count + beside(count != "", Remark(j, empty))
}

// beside returns a remark, in parentheses if it follows a text.
func beside(text bool, remark string) string {
	if text && remark != "" {
		return " (" + remark + ")"
	}
	return remark
}

// Cell returns the text of a cell that is made of the rows. A mark stands for what is not known: an ellipsis while it
// is being read, else a question mark.
func Cell[T any](j Joined[T], ellipsis string, text func([]T) string) string {
	mark := "?"
	switch j.state.Kind {
	case Known:
		return text(j.rows)
	case NotRead, Reading:
		mark = ellipsis
	case Failed, Denied, Partial:
	}
	if len(j.rows) == 0 {
		return mark
	}
	return text(j.rows) + " " + mark
}
