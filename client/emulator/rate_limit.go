package emulator

import (
	"strings"
	"sync"
	"time"
)

// limits count requests by areas of the API. ServiceDocument only reports them in its headers; ServiceNow enforces
// them, with a limit of its own for the stats.
type limits struct {
	enforced                bool
	mu                      sync.Mutex
	general, storage, stats rateLimit
}

func newLimits(enforced bool) *limits {
	return &limits{
		enforced: enforced,
		general:  rateLimit{limit: 800, window: 2 * time.Minute},
		storage:  rateLimit{limit: 750, window: time.Second},
		stats:    rateLimit{limit: 50, window: time.Minute},
	}
}

// count counts a request and returns its limit, the requests in this window, and the end of the window.
func (l *limits) count(op Route, now time.Time) (limit, used int, reset time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := &l.general
	switch {
	case strings.HasPrefix(op.Path, "/object-storage"):
		a = &l.storage
	case l.enforced && op.Name == "view stats":
		a = &l.stats
	}
	if now.Sub(a.start) >= a.window {
		a.start, a.used = now, 0
	}
	a.used++
	return a.limit, a.used, a.start.Add(a.window)
}

// A rateLimit counts the requests in a window of time.
type rateLimit struct {
	limit  int
	window time.Duration
	start  time.Time
	used   int
}

// ceilSecond rounds a time up to a full second, because headers have no fractions.
func ceilSecond(t time.Time) time.Time { return t.Add(time.Second - 1).Truncate(time.Second) }
