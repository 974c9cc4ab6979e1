package terminal

import (
	"io"
	"strings"
	"sync"
	"time"
)

// The painter writes frames: changed cells alone, in one write, from a goroutine of its own. A frame that nobody has read yet is replaced
// by a newer one, not queued.
type painter struct {
	out  io.Writer
	lost func() // the terminal cannot be written any more

	mu      sync.Mutex
	wake    chan struct{}
	done    chan struct{}
	next    *Frame
	orders  string    // bytes beside frames: modes, the clipboard
	fresh   bool      // draw everything
	dead    bool      // nothing is written any more
	since   time.Time // a write is under way since then
	held    time.Time // when the last slow write ended
	bar     bool      // the terminal has a progress bar
	percent int       // that it shows
	linear  bool      // frames are not drawn: what they say is added

	// Of the writing goroutine alone.
	lines  []line
	title  string
	mouse  bool
	pencil pencil
}

// pace is the least time between two frames.
const pace = 2 * time.Millisecond

// slow is how long a write may take before keys typed meanwhile count as typed blindly.
const slow = time.Second

func newPainter(out io.Writer, lost func(), shield func(func())) *painter {
	p := &painter{out: out, lost: lost, wake: make(chan struct{}, 1), done: make(chan struct{}), fresh: true}
	go shield(p.run)
	return p
}

func (p *painter) nudge() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// show draws a frame as soon as the terminal takes it: what changed, or everything where what stands on the screen cannot be trusted.
func (p *painter) show(f Frame, whole bool) {
	p.mu.Lock()
	if p.bar && f.Percent != p.percent {
		p.orders += progress(f.Percent)
		p.percent = f.Percent
	}
	if p.linear {
		p.orders += spoken(f.Say)
	} else {
		p.next, p.fresh = &f, p.fresh || whole
	}
	p.mu.Unlock()
	p.nudge()
}

// unbarred takes the progress bar away, where it stands.
func (p *painter) unbarred() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.percent == 0 {
		return ""
	}
	p.percent = 0
	return progress(0)
}

// raw writes bytes that are no frame.
func (p *painter) raw(bytes string) {
	p.mu.Lock()
	p.orders += bytes
	p.mu.Unlock()
	p.nudge()
}

// reset makes the next frame a whole one.
func (p *painter) reset() {
	p.mu.Lock()
	p.fresh = true
	p.mu.Unlock()
}

// stalled reports whether a write is hanging, or a hanging one ended a moment ago.
func (p *painter) stalled() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.since.IsZero() && time.Since(p.since) > slow || time.Since(p.held) < 200*time.Millisecond
}

// finish writes last bytes and waits for them, but not for ever.
func (p *painter) finish(bytes string, patience time.Duration) {
	written := make(chan struct{})
	p.mu.Lock()
	p.next = nil
	p.orders += bytes
	p.mu.Unlock()
	p.nudge()
	go func() {
		defer close(written)
		for {
			p.mu.Lock()
			idle, dead := p.orders == "" && p.since.IsZero(), p.dead
			p.mu.Unlock()
			if dead {
				_, _ = io.WriteString(p.out, bytes)
			}
			if idle || dead {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	select {
	case <-written:
	case <-time.After(patience):
	}
}

func (p *painter) run() {
	defer func() {
		p.mu.Lock()
		p.dead, p.since = true, time.Time{}
		p.mu.Unlock()
	}()
	for range p.wake {
		p.mu.Lock()
		frame, orders, fresh := p.next, p.orders, p.fresh
		p.next, p.orders = nil, ""
		if frame != nil {
			p.fresh = false
		}
		p.since = time.Now()
		p.mu.Unlock()
		bytes := orders
		if frame != nil {
			bytes += p.difference(*frame, fresh)
		}
		var err error
		if bytes != "" {
			_, err = io.WriteString(p.out, bytes)
		}
		p.mu.Lock()
		if time.Since(p.since) > slow {
			p.held = time.Now()
		}
		p.since = time.Time{}
		p.mu.Unlock()
		if err != nil {
			p.lost()
			return
		}
		if bytes != "" {
			time.Sleep(pace)
		}
	}
}

// difference is what turns the frame on the screen into another.
func (p *painter) difference(f Frame, fresh bool) string {
	var modes strings.Builder
	if fresh {
		p.title = "\x00"
		for n := range p.lines {
			p.lines[n].clear()
		}
		modes.WriteString("\x1b[m\x1b[2J")
	}
	if f.Mouse != p.mouse || fresh {
		p.mouse = f.Mouse
		modes.WriteString(map[bool]string{true: "\x1b[?1002h\x1b[?1006h", false: "\x1b[?1006l\x1b[?1002l"}[f.Mouse])
	}
	if f.Title != p.title {
		p.title = f.Title
		modes.WriteString("\x1b]2;" + clean(f.Title) + "\x1b\\")
	}
	p.pencil.begin()
	y := 0
	for text := range strings.SplitSeq(f.Content, "\n") {
		p.line(y, text)
		y++
	}
	for n := y; n < len(p.lines); n++ {
		p.line(n, "")
	}
	p.pencil.end()
	return modes.String() + string(p.pencil.out)
}

// line is what stands in a line of the screen.
type line struct {
	text string
	row  row
}

// clear makes the line blank. Its room is kept.
func (l *line) clear() { l.text, l.row.cells, l.row.odd = "", l.row.cells[:0], l.row.odd[:0] }

// line puts a text in a line of the screen.
func (p *painter) line(y int, text string) {
	if y == len(p.lines) {
		p.lines = append(p.lines, line{})
	}
	if l := &p.lines[y]; l.text != text {
		p.pencil.line(y, &l.row, text)
		l.text = text
	}
}

// spoken is text for a linear terminal: its lines end as a terminal wants it, and nothing else moves but a step back.
func spoken(text string) string {
	return strings.ReplaceAll(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\b' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, text), "\n", "\r\n")
}

// clean takes from a title what could end it.
func clean(title string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, title)
}
