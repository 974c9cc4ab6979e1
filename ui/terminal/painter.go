package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// The painter writes frames: changed lines alone, in one write, from a goroutine of its own. A frame that nobody has read yet is replaced
// by a newer one, not queued.
type painter struct {
	out  io.Writer
	lost func() // the terminal cannot be written any more

	mu      sync.Mutex
	wake    chan struct{}
	done    chan struct{}
	next    *Frame
	orders  string // bytes beside frames: modes, the clipboard
	fresh   bool   // draw everything
	closing bool
	since   time.Time // a write is under way since then
	held    time.Time // when the last slow write ended

	// Of the writing goroutine alone.
	lines []string
	title string
	mouse bool
}

// pace is the least time between two frames.
const pace = 2 * time.Millisecond

// slow is how long a write may take before keys typed meanwhile count as typed blindly.
const slow = time.Second

func newPainter(out io.Writer, lost func()) *painter {
	p := &painter{out: out, lost: lost, wake: make(chan struct{}, 1), done: make(chan struct{}), fresh: true}
	go p.run()
	return p
}

func (p *painter) nudge() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// show draws a frame as soon as the terminal takes it.
func (p *painter) show(f Frame) {
	p.mu.Lock()
	p.next = &f
	p.mu.Unlock()
	p.nudge()
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
			idle := p.orders == "" && p.since.IsZero()
			p.mu.Unlock()
			if idle {
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
	var b strings.Builder
	lines := strings.Split(f.Content, "\n")
	if fresh {
		p.lines, p.title = nil, "\x00"
		b.WriteString("\x1b[m\x1b[2J")
	}
	if f.Mouse != p.mouse || fresh {
		p.mouse = f.Mouse
		b.WriteString(map[bool]string{true: "\x1b[?1002h\x1b[?1006h", false: "\x1b[?1006l\x1b[?1002l"}[f.Mouse])
	}
	if f.Title != p.title {
		p.title = f.Title
		b.WriteString("\x1b]2;" + clean(f.Title) + "\x1b\\")
	}
	for y, line := range lines {
		if y < len(p.lines) && p.lines[y] == line {
			continue
		}
		before := ""
		if y < len(p.lines) {
			before = p.lines[y]
		}
		change(&b, y, before, line)
	}
	p.lines = lines
	return b.String()
}

// change writes the part of a line that differs. Plain text at its beginning that stays is not written again.
// A line is as wide as the screen: erasing behind its last cell would take that cell away, so it is done for trailing blanks alone.
func change(b *strings.Builder, y int, before, line string) {
	same := 0
	for same < len(line) && same < len(before) && line[same] == before[same] && line[same] >= ' ' && line[same] < 0x7f {
		same++
	}
	if same > 0 && same < len(line) && line[same] >= 0x80 {
		same-- // a combining mark may follow
	}
	fmt.Fprintf(b, "\x1b[%d;%dH", y+1, same+1)
	rest := strings.TrimRight(line[same:], " ")
	b.WriteString(rest)
	if len(rest) < len(line[same:]) {
		b.WriteString("\x1b[K")
	}
	if strings.Contains(rest, "\x1b[") {
		b.WriteString("\x1b[m")
	}
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
