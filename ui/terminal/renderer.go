package terminal

import (
	"io"
	"strings"
	"sync"
	"time"
)

// The renderer writes frames: changed cells alone, in one write, from a goroutine of its own. A frame that nobody has
// read yet is replaced by a newer one, not queued.
type renderer struct {
	out          io.Writer
	onWriteError func() // the terminal cannot be written any more

	mu             sync.Mutex
	wake           chan struct{}
	done           chan struct{}
	nextFrame      *Frame
	rawBytes       string    // bytes beside frames: modes, the clipboard
	fullRedraw     bool      // draw everything
	stopped        bool      // nothing is written any more
	writeStarted   time.Time // a write is under way since then
	slowWriteEnded time.Time // when the last slow write ended
	hasProgressBar bool      // the terminal has a progress bar
	shownPercent   int       // that it shows
	linear         bool      // frames are not drawn: what they say is added

	// Of the writing goroutine alone.
	lines      []screenLine
	title      string
	mouse      bool
	diffWriter diffWriter
}

// minFrameInterval is the least time between two frames.
const minFrameInterval = 2 * time.Millisecond

// slowWriteLimit is how long a write may take before keys typed meanwhile count as typed blindly.
const slowWriteLimit = time.Second

func newRenderer(out io.Writer, lost func(), shield func(func())) *renderer {
	p := &renderer{
		out:          out,
		onWriteError: lost,
		wake:         make(chan struct{}, 1),
		done:         make(chan struct{}),
		fullRedraw:   true,
	}
	go shield(p.run)
	return p
}

func (p *renderer) wakeWriter() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// show draws a frame as soon as the terminal takes it: what changed, or everything where what stands on the screen
// cannot be trusted.
func (p *renderer) show(f Frame, whole bool) {
	p.mu.Lock()
	if p.hasProgressBar && f.ProgressPercent != p.shownPercent {
		p.rawBytes += progressSequence(f.ProgressPercent)
		p.shownPercent = f.ProgressPercent
	}
	if p.linear {
		p.rawBytes += sanitizeLinear(f.LinearText)
	} else {
		p.nextFrame, p.fullRedraw = &f, p.fullRedraw || whole
	}
	p.mu.Unlock()
	p.wakeWriter()
}

// clearProgressBar takes the progress bar away, where it stands.
func (p *renderer) clearProgressBar() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shownPercent == 0 {
		return ""
	}
	p.shownPercent = 0
	return progressSequence(0)
}

// writeRaw writes bytes that are no frame.
func (p *renderer) writeRaw(bytes string) {
	p.mu.Lock()
	p.rawBytes += bytes
	p.mu.Unlock()
	p.wakeWriter()
}

// requestFullRedraw makes the next frame a whole one.
func (p *renderer) requestFullRedraw() {
	p.mu.Lock()
	p.fullRedraw = true
	p.mu.Unlock()
}

// stalled reports whether a write is hanging, or a hanging one ended a moment ago.
func (p *renderer) stalled() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.writeStarted.IsZero() && time.Since(p.writeStarted) > slowWriteLimit ||
		time.Since(p.slowWriteEnded) < 200*time.Millisecond
}

// flush writes last bytes and waits for them, but not for ever.
func (p *renderer) flush(bytes string, patience time.Duration) {
	written := make(chan struct{})
	p.mu.Lock()
	p.nextFrame = nil
	p.rawBytes += bytes
	p.mu.Unlock()
	p.wakeWriter()
	go func() {
		defer close(written)
		for {
			p.mu.Lock()
			idle, dead := p.rawBytes == "" && p.writeStarted.IsZero(), p.stopped
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

func (p *renderer) run() {
	defer func() {
		p.mu.Lock()
		p.stopped, p.writeStarted = true, time.Time{}
		p.mu.Unlock()
	}()
	for range p.wake {
		p.mu.Lock()
		frame, orders, fresh := p.nextFrame, p.rawBytes, p.fullRedraw
		p.nextFrame, p.rawBytes = nil, ""
		if frame != nil {
			p.fullRedraw = false
		}
		p.writeStarted = time.Now()
		p.mu.Unlock()
		bytes := orders
		if frame != nil {
			bytes += p.diff(*frame, fresh)
		}
		var err error
		if bytes != "" {
			_, err = io.WriteString(p.out, bytes)
		}
		p.mu.Lock()
		if time.Since(p.writeStarted) > slowWriteLimit {
			p.slowWriteEnded = time.Now()
		}
		p.writeStarted = time.Time{}
		p.mu.Unlock()
		if err != nil {
			p.onWriteError()
			return
		}
		if bytes != "" {
			time.Sleep(minFrameInterval)
		}
	}
}

// diff is what turns the frame on the screen into another.
func (p *renderer) diff(f Frame, fresh bool) string {
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
		modes.WriteString("\x1b]2;" + stripControls(f.Title) + "\x1b\\")
	}
	p.diffWriter.beginFrame()
	y := 0
	for text := range strings.SplitSeq(f.Content, "\n") {
		p.updateLine(y, text)
		y++
	}
	for n := y; n < len(p.lines); n++ {
		p.updateLine(n, "")
	}
	p.diffWriter.endFrame()
	return modes.String() + string(p.diffWriter.out)
}

// screenLine is what stands in a line of the screen.
type screenLine struct {
	text string
	row  parsedLine
}

// clear makes the line blank. Its room is kept.
func (l *screenLine) clear() {
	l.text, l.row.cells, l.row.ambiguous = "", l.row.cells[:0], l.row.ambiguous[:0]
}

// updateLine puts a text in a line of the screen.
func (p *renderer) updateLine(y int, text string) {
	if y == len(p.lines) {
		p.lines = append(p.lines, screenLine{})
	}
	if l := &p.lines[y]; l.text != text {
		p.diffWriter.updateLine(y, &l.row, text)
		l.text = text
	}
}

// sanitizeLinear is text for a linear terminal: its lines end as a terminal wants it, and nothing else moves but a step
// back.
func sanitizeLinear(text string) string {
	return strings.ReplaceAll(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\b' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, text), "\n", "\r\n")
}

// stripControls takes from a title what could end it.
func stripControls(title string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, title)
}
