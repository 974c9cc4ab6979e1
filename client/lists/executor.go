package lists

import (
	"context"
	"sync"
	"time"
)

// An Executor runs work beside the loop that owns the stores.
type Executor interface {
	// Go returns at once. It runs work in a goroutine, and then what that returns, unless it is nil, on the loop.
	Go(work func() (apply func()))
	// After runs a function on the loop after a while.
	After(wait time.Duration, do func())
}

// A Loop is the loop of a program without a screen: results are applied by Wait. The zero Loop can be used.
type Loop struct {
	mu      sync.Mutex
	results []func()
	running int
	changed chan struct{}
}

// Go runs work, and what it returns in the next Wait.
func (l *Loop) Go(work func() (apply func())) {
	l.mu.Lock()
	l.running++
	l.mu.Unlock()
	go func() {
		apply := work()
		l.mu.Lock()
		defer l.mu.Unlock()
		l.running--
		if apply != nil {
			l.results = append(l.results, apply)
		}
		if l.changed != nil {
			close(l.changed)
			l.changed = nil
		}
	}()
}

// After runs a function in the Wait that is under way after a while.
func (l *Loop) After(wait time.Duration, do func()) {
	l.Go(func() (apply func()) {
		<-time.After(wait)
		return do
	})
}

// Wait applies results until done reports true, nothing is under way, or ctx ends. nil waits until nothing is.
func (l *Loop) Wait(ctx context.Context, done func() bool) {
	for ctx.Err() == nil && (done == nil || !done()) {
		l.mu.Lock()
		results, idle := l.results, l.running == 0
		l.results = nil
		if len(results) == 0 && !idle && l.changed == nil {
			l.changed = make(chan struct{})
		}
		changed := l.changed
		l.mu.Unlock()
		switch {
		case len(results) > 0:
			for _, apply := range results {
				apply()
			}
		case idle:
			return
		default:
			select {
			case <-changed:
			case <-ctx.Done():
			}
		}
	}
}

// Refresher is anything that can be read again: a pane or a store.
type Refresher interface{ Refresh() }

// Poller reads less when the clock refreshes it than when the user does.
type Poller interface{ Poll() }
