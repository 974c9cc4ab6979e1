package terminal

import (
	"io"
	"strings"
	"sync"
	"time"
)

// A renderer writes frames from its own goroutine: changed cells only, in one write. A newer frame replaces one
// that is still waiting; frames are not queued.
//
// It replaces Bubble Tea's renderer, which runs on a ticker: at 60 frames a second that costs 1.2 % of a core while
// nothing changes, and delays each key by 8 ms on average.
type renderer struct {
	out          io.Writer
	onWriteError func() // called when the terminal cannot be written any more

	mu             sync.Mutex
	wake           chan struct{}
	nextFrame      *Frame
	rawBytes       string    // bytes outside frames: modes, the clipboard
	fullRedraw     bool      // the next frame is written whole
	stopped        bool      // the goroutine has ended
	writeStarted   time.Time // start of the write under way, or zero
	slowWriteEnded time.Time // end of the last slow write
	hasProgressBar bool      // the terminal has a progress bar
	shownPercent   int       // shown by the progress bar
	linear         bool      // only the linear text of frames is written

	// Used only by the writing goroutine.
	lines      []screenLine
	title      string
	mouse      bool
	diffWriter diffWriter
}

// minFrameInterval is the shortest time between two frames.
const minFrameInterval = 2 * time.Millisecond

// slowWriteLimit is how long a write may take before keys typed meanwhile are dropped: the user did not see the screen.
const slowWriteLimit = time.Second

// newRenderer returns a renderer whose goroutine runs inside protect, which handles panics.
func newRenderer(out io.Writer, onWriteError func(), protect func(func())) *renderer {
	p := &renderer{
		out:          out,
		onWriteError: onWriteError,
		wake:         make(chan struct{}, 1),
		fullRedraw:   true,
	}
	go protect(p.run)
	return p
}

func (p *renderer) wakeWriter() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// show draws a frame as soon as the terminal accepts it: only what changed, or everything if the screen's content is
// unknown.
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

// clearProgressBar returns the sequence that removes the progress bar, if it is shown.
func (p *renderer) clearProgressBar() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shownPercent == 0 {
		return ""
	}
	p.shownPercent = 0
	return progressSequence(0)
}

// writeRaw writes bytes that belong to no frame.
func (p *renderer) writeRaw(bytes string) {
	p.mu.Lock()
	p.rawBytes += bytes
	p.mu.Unlock()
	p.wakeWriter()
}

// requestFullRedraw makes the next frame draw everything.
func (p *renderer) requestFullRedraw() {
	p.mu.Lock()
	p.fullRedraw = true
	p.mu.Unlock()
}

// stalled reports whether a write hangs, or did so a moment ago.
func (p *renderer) stalled() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.writeStarted.IsZero() && time.Since(p.writeStarted) > slowWriteLimit ||
		time.Since(p.slowWriteEnded) < 200*time.Millisecond
}

// flush writes the last bytes and waits for them until the timeout.
func (p *renderer) flush(bytes string, timeout time.Duration) {
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
			idle, stopped := p.rawBytes == "" && p.writeStarted.IsZero(), p.stopped
			p.mu.Unlock()
			if stopped {
				_, _ = io.WriteString(p.out, bytes)
			}
			if idle || stopped {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	select {
	case <-written:
	case <-time.After(timeout):
	}
}

// run writes frames and raw bytes until a write fails.
func (p *renderer) run() {
	defer func() {
		p.mu.Lock()
		p.stopped, p.writeStarted = true, time.Time{}
		p.mu.Unlock()
	}()
	for range p.wake {
		p.mu.Lock()
		frame, bytes, fresh := p.nextFrame, p.rawBytes, p.fullRedraw
		p.nextFrame, p.rawBytes = nil, ""
		if frame != nil {
			p.fullRedraw = false
		}
		p.writeStarted = time.Now()
		p.mu.Unlock()
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

// diff returns the bytes that change the screen into a frame.
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

// screenLine is a line on the screen.
type screenLine struct {
	text string
	row  parsedLine
}

// clear makes the line blank and keeps its memory.
func (l *screenLine) clear() {
	l.text, l.row.cells, l.row.ambiguous = "", l.row.cells[:0], l.row.ambiguous[:0]
}

// updateLine writes text to a line of the screen.
func (p *renderer) updateLine(y int, text string) {
	if y == len(p.lines) {
		p.lines = append(p.lines, screenLine{})
	}
	if l := &p.lines[y]; l.text != text {
		p.diffWriter.updateLine(y, &l.row, text)
		l.text = text
	}
}

// sanitizeLinear returns text for a linear terminal: lines end with CR LF, and no control character but backspace is
// left.
func sanitizeLinear(text string) string {
	return strings.ReplaceAll(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\b' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, text), "\n", "\r\n")
}

// stripControls removes control characters, which could end a title.
func stripControls(title string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, title)
}
