package lists

import "time"

// highlightDuration is how long a row that has just changed is tinted.
const highlightDuration = time.Second

// maxHighlights bounds how many rows are compared after a read, and how many are tinted at once. Comparing more would
// delay the next key.
const maxHighlights = 20_000

// RowHighlights remembers which rows of a store have just changed. For a second, they are drawn on the tint of
// theme.Flash. Rows that stay as they are take no memory.
type RowHighlights[T any] struct {
	source *RowSource[T]
	ends   map[string]time.Time // by row ID: when the row is no longer tinted
	last   time.Time            // the latest of them
}

// Add tints a row from now on: it has changed, or an action on it has finished.
func (f *RowHighlights[T]) Add(id string) {
	now := f.source.Now()
	if timeLeft(f.last, now) == 0 {
		f.ends = map[string]time.Time{}
	}
	if id != "" && len(f.ends) < maxHighlights {
		f.last = now.Add(highlightDuration)
		f.ends[id] = f.last
	}
}

// Has reports whether a row is tinted.
func (f *RowHighlights[T]) Has(row T) bool {
	now := f.source.Now()
	return timeLeft(f.last, now) > 0 && timeLeft(f.ends[f.source.ID(row)], now) > 0
}

// Left returns the time until no row is tinted any more; 0 if none is.
func (f *RowHighlights[T]) Left() time.Duration { return timeLeft(f.last, f.source.Now()) }

// timeLeft returns the time until a tint ends, 0 if it has ended. A clock that was set back ends it.
func timeLeft(end, now time.Time) time.Duration {
	if left := end.Sub(now); left > 0 && left <= highlightDuration {
		return left
	}
	return 0
}

// compare tints the rows of a complete read that the complete read before did not have, or had in another state.
func (f *RowHighlights[T]) compare(before, now RowContainer[T]) {
	if max(before.Len(), now.Len()) > maxHighlights {
		return
	}
	for i := range now.Len() {
		f.compareRow(before, f.source.ID(now.At(i)), now.At(i))
	}
}

// compareRow tints a row that was not among the rows before, or was in another state.
func (f *RowHighlights[T]) compareRow(before RowContainer[T], id string, row T) {
	at, held := before.Index(id)
	state := f.source.State
	if !held || state != nil && state(before.At(at)) != state(row) {
		f.Add(id)
	}
}
