package lists

import "time"

// Inline is an executor for tests: it does everything at once, in the order in which it was asked for.
type Inline struct {
	Hold    bool     // results are kept in Held instead of being applied
	Held    []func() // in the order in which they were asked for
	queue   []func() (apply func())
	running bool
}

// Go runs work and what it returns, after all that was asked for before.
func (l *Inline) Go(work func() (apply func())) {
	l.queue = append(l.queue, work)
	if l.running {
		return
	}
	l.running = true
	defer func() { l.running = false }()
	for len(l.queue) > 0 {
		work, l.queue = l.queue[0], l.queue[1:]
		switch apply := work(); {
		case apply != nil && l.Hold:
			l.Held = append(l.Held, apply)
		case apply != nil:
			apply()
		}
	}
}

// After waits, and runs a function.
func (l *Inline) After(wait time.Duration, do func()) {
	l.Go(func() (apply func()) {
		<-time.After(wait)
		return do
	})
}

// Release applies a result that was held back.
func (l *Inline) Release(i int) {
	apply := l.Held[i]
	l.Held = append(l.Held[:i:i], l.Held[i+1:]...)
	apply()
}
