package lists

import "time"

// Freshness is how old rows are, and whether reading them again succeeded.
type Freshness struct {
	Loading      bool      // a read is under way
	Loaded       bool      // rows have arrived once
	LoadedAt     time.Time // of the last good answer
	Err          error     // why the last read failed, or nil
	FailedAt     time.Time
	FailingSince time.Time // of the first failure since the last good answer
}

// WallTime returns the time without the monotonic clock, which stands still while a machine sleeps.
func WallTime() time.Time { return time.Now().Round(0) }

// Worst returns the less fresh of two: a pane that joins stores is as fresh as its oldest.
func (f Freshness) Worst(g Freshness) Freshness {
	switch {
	case f.Err != nil:
		return f
	case g.Err != nil, !g.Loaded:
		return g
	case !f.Loaded:
		return f
	case g.LoadedAt.Before(f.LoadedAt):
		g.Loading = g.Loading || f.Loading
		return g
	}
	f.Loading = f.Loading || g.Loading
	return f
}

// Stale reports whether the rows should be dimmed: the last read failed, or they are older than maxAge, unless that is
// 0.
func (f Freshness) Stale(now time.Time, maxAge time.Duration) bool {
	return f.Loaded && (f.Err != nil || (maxAge > 0 && now.Sub(f.LoadedAt) > maxAge))
}
