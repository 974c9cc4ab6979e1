package terminal

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// The inputFilter stands between the terminal and the loop. It lets nothing through that would crash or deafen the
// program: control sequences with more parameters than any terminal sends, pastes without an end, keys typed while the
// screen stood still.
type inputFilter struct {
	in               io.Reader
	pipeWriter       *io.PipeWriter
	pipeReader       *io.PipeReader
	mu               sync.Mutex
	paused           bool
	state            state
	parameters       int       // parameters of the sequence under way
	pending          []byte    // what of it has come
	pendingSent      int       // how much of that has been let through already
	pasteBytes       int       // bytes of the paste under way; -1 when there is none
	passed           []byte    // what is let through of a chunk
	backgroundReport []byte    // what has come of a report of the background's colour; nil where another is under way
	burstAt          time.Time // when text came last that nobody typed
	lastByte         byte      // what was let through last, of the chunks before
	loneEscape       bool      // an escape that begins no sequence was let through
	escapeDeadline   time.Time // when the loop knows that it was one
}

// state is what the next byte belongs to.
type state int

const (
	plainText   state = iota
	afterEscape       // an escape has come: a key, or the beginning of a sequence
	inSequence        // a control sequence, held back until it is whole
	discarding        // one that is too long: it is dropped to its end
	maybeReport       // a report may begin: an operating system, device or application string
	inReport          // one that the terminal sends; it is dropped to its end, but for the background's colour
)

const (
	maxParameters    = 16
	maxSequenceBytes = 256 // bytes of a sequence
	minBurstBytes    = 100 // bytes at once that no hand types
	burstGap         = 50 * time.Millisecond
	// a little more than the 50 that the loop waits behind an escape for the rest of a sequence
	escapeTimeout = 70 * time.Millisecond
	maxPasteBytes = 1 << 20
	pasteTimeout  = 2 * time.Second
)

var pasteStart, pasteEnd = []byte("\x1b[200~"), []byte("\x1b[201~")

func newInputFilter(in io.Reader) *inputFilter {
	r, w := io.Pipe()
	return &inputFilter{
		in:         in,
		pipeReader: r,
		pipeWriter: w,
		pasteBytes: -1,
	}
}

// Read is what the loop reads.
func (g *inputFilter) Read(p []byte) (int, error) { return g.pipeReader.Read(p) }

// setPaused keeps what is typed from the loop while another program has the terminal.
func (g *inputFilter) setPaused(on bool) {
	g.mu.Lock()
	g.paused = on
	g.mu.Unlock()
}

// run reads until the terminal ends.
func (g *inputFilter) run(shield func(func()), stalled func() bool, dropped func(int), gone func()) {
	chunks := make(chan []byte)
	go shield(func() {
		defer close(chunks)
		buffer := make([]byte, 4096)
		for {
			n, err := g.in.Read(buffer)
			if n > 0 {
				chunks <- bytes.Clone(buffer[:n])
			}
			if err != nil {
				return
			}
		}
	})
	go shield(func() {
		defer gone()
		defer g.pipeWriter.Close()
		tick := time.NewTimer(time.Hour)
		defer tick.Stop()
		for {
			tick.Reset(time.Hour)
			if g.pasteBytes >= 0 || g.state == inReport {
				tick.Reset(pasteTimeout)
			}
			select {
			case chunk, open := <-chunks:
				if !open {
					return
				}
				g.handleChunk(chunk, stalled, dropped)
			case <-tick.C:
				g.handleIdle()
			}
		}
	})
}

// handleIdle ends what has no end: a paste, a report of the terminal.
func (g *inputFilter) handleIdle() {
	if g.state == inReport {
		g.resetSequence()
	}
	g.closePaste()
}

// handleChunk passes a chunk on, or drops it.
func (g *inputFilter) handleChunk(chunk []byte, stalled func() bool, dropped func(int)) {
	g.mu.Lock()
	off := g.paused
	g.mu.Unlock()
	if off {
		g.resetSequence()
		return
	}
	if stalled() && chunk[0] != 3 {
		g.resetSequence()
		dropped(len(chunk))
		return
	}
	g.separateEscape(chunk[0])
	burst := g.isBurst(chunk)
	if safe := g.filter(chunk); len(safe) > 0 {
		if burst {
			safe = slices.Concat(pasteStart, safe, pasteEnd)
		}
		_, _ = g.pipeWriter.Write(safe)
	}
	if g.loneEscape {
		g.loneEscape, g.escapeDeadline = false, time.Now().Add(escapeTimeout)
	}
}

// separateEscape keeps a key from an escape that came by itself just before. The loop would take the two for one key
// with alt, and begins its wait anew with each key that follows: as long as somebody types on, nothing would move.
func (g *inputFilter) separateEscape(c byte) {
	wait := time.Until(g.escapeDeadline)
	if wait <= 0 || g.state == afterEscape && strings.IndexByte("[O]P_", c) >= 0 {
		return
	}
	time.Sleep(wait)
	if g.state == afterEscape {
		g.resetSequence()
	}
}

// isBurst reports whether a chunk is text that nobody typed, from a terminal that does not mark pastes: much at once
// and not one key held down, or what follows such a chunk at once.
func (g *inputFilter) isBurst(chunk []byte) bool {
	if g.pasteBytes >= 0 || g.state != plainText || bytes.IndexByte(chunk, 0x1b) >= 0 ||
		bytes.IndexByte(chunk, 3) >= 0 {
		return false
	}
	follows := time.Since(g.burstAt) < burstGap
	if !follows && (len(chunk) < minBurstBytes || bytes.Count(chunk, chunk[:1]) == len(chunk)) {
		return false
	}
	g.burstAt = time.Now()
	return true
}

// resetSequence drops the sequence under way: its rest is not to come.
func (g *inputFilter) resetSequence() {
	g.state, g.pending, g.pendingSent = plainText, g.pending[:0], 0
}

// closePaste closes a paste whose end was lost.
func (g *inputFilter) closePaste() {
	if g.pasteBytes >= 0 {
		g.resetSequence()
		g.pasteBytes = -1
		_, _ = g.pipeWriter.Write(pasteEnd)
	}
}

// filter drops control sequences that are too long or have too many parameters, and the part of a paste beyond its
// limit.
func (g *inputFilter) filter(chunk []byte) []byte {
	g.lastByte, g.passed = g.previousByte(), make([]byte, 0, len(chunk)+len(g.pending))
	for _, c := range chunk {
		g.handleByte(c)
	}
	if (g.state == afterEscape || g.state == maybeReport) && g.pasteBytes < 0 && g.pendingSent == 0 {
		// a lone escape is a key; a sequence may still follow
		g.passed, g.pendingSent = append(g.passed, g.pending...), len(g.pending)
		g.loneEscape = true
	}
	return g.passed
}

// previousByte is the byte that was let through last.
func (g *inputFilter) previousByte() byte {
	if n := len(g.passed); n > 0 {
		return g.passed[n-1]
	}
	return g.lastByte
}

// handleByte takes a byte.
func (g *inputFilter) handleByte(c byte) {
	switch {
	case g.state == plainText && c == '[' && g.previousByte() == 0x1b: // what stood between was dropped
		g.state, g.parameters, g.pending, g.pendingSent = inSequence, 1, append(g.pending, 0x1b, c), 1
	case g.state == plainText && c != 0x1b:
		g.pass(c)
	case g.state == inReport:
		g.consumeReport(c)
	case c == 0x1b:
		g.abortSequence()
		g.state, g.pending = afterEscape, append(g.pending, c)
	case g.state == afterEscape && strings.IndexByte("]P_", c) >= 0 && g.pasteBytes < 0:
		g.state, g.pending = maybeReport, append(g.pending, c)
	case g.state == maybeReport:
		g.classifyReport(c)
	case g.state == afterEscape && c == '[':
		g.state, g.parameters, g.pending = inSequence, 1, append(g.pending, c)
	case g.state == afterEscape:
		g.loneEscape = g.loneEscape || c != 'O' && g.pasteBytes < 0
		g.pending = append(g.pending, c)
		g.passPending()
	case c < 0x20 || c == 0x7f:
		g.abortSequence()
		g.pass(c)
	case g.state == discarding:
		if c >= 0x40 {
			g.state = plainText
		}
	default:
		g.continueSequence(c)
	}
}

// classifyReport tells a report from a key with alt: a report goes on with a digit or a sign.
func (g *inputFilter) classifyReport(c byte) {
	g.pending = append(g.pending, c)
	if c >= '0' && c <= '9' || strings.IndexByte("!>+G", c) >= 0 {
		g.backgroundReport = nil
		if g.pendingSent == 0 && bytes.HasPrefix(backgroundReportPrefix, g.pending) {
			g.backgroundReport = bytes.Clone(g.pending)
		}
		g.resetSequence()
		g.state = inReport
		return
	}
	g.passPending()
}

// backgroundReportPrefix begins the report of the background's colour.
var backgroundReportPrefix = []byte("\x1b]11;")

// recordBackground keeps a byte of the background's colour.
func (g *inputFilter) recordBackground(c byte) {
	if g.backgroundReport == nil {
		return
	}
	g.backgroundReport = append(g.backgroundReport, c)
	if n := min(len(g.backgroundReport), len(backgroundReportPrefix)); !bytes.Equal(
		g.backgroundReport[:n],
		backgroundReportPrefix[:n],
	) ||
		len(g.backgroundReport) > maxSequenceBytes {
		g.backgroundReport = nil
	}
}

// consumeReport drops a byte of a report, up to its end. A key that controls, or another sequence, ends it too.
func (g *inputFilter) consumeReport(c byte) {
	escape := len(g.pending) == 1
	g.recordBackground(c)
	switch {
	case escape && c == '\\', c == '\a':
		g.passed = append(g.passed, g.backgroundReport...)
		g.resetSequence()
	case escape:
		g.resetSequence()
		g.state, g.pending = afterEscape, append(g.pending, 0x1b)
		g.handleByte(c)
	case c == 0x1b:
		g.pending = append(g.pending[:0], c)
	case c < 0x20:
		g.resetSequence()
		g.pass(c)
	}
}

// continueSequence takes a byte of a sequence.
func (g *inputFilter) continueSequence(c byte) {
	g.pending = append(g.pending, c)
	if c == ';' || c == ':' {
		g.parameters++
	}
	switch {
	case c >= 0x40:
		g.finishSequence()
	case g.parameters > maxParameters || len(g.pending) >= maxSequenceBytes:
		g.resetSequence()
		g.state = discarding
	}
}

// finishSequence lets a whole sequence through. A paste begins and ends once.
func (g *inputFilter) finishSequence() {
	switch {
	case bytes.Equal(g.pending, pasteStart):
		if g.pasteBytes < 0 {
			g.passed, g.pasteBytes = append(g.passed, g.pending[g.pendingSent:]...), 0
		}
		g.resetSequence()
	case bytes.Equal(g.pending, pasteEnd):
		if g.pasteBytes >= 0 {
			g.passed = append(g.passed, g.pending[g.pendingSent:]...)
		}
		g.pasteBytes = -1
		g.resetSequence()
	default:
		g.passPending()
	}
}

// abortSequence ends what is under way without its end: a lone escape is a key, a sequence whose rest is lost is
// nothing.
func (g *inputFilter) abortSequence() {
	if g.state == afterEscape || g.state == maybeReport {
		g.passPending()
	}
	g.resetSequence()
}

// passPending lets through what was held back.
func (g *inputFilter) passPending() {
	for _, c := range g.pending[g.pendingSent:] {
		g.pass(c)
	}
	g.resetSequence()
}

// pass lets a byte through, unless it is one too many of a paste.
func (g *inputFilter) pass(c byte) {
	if g.pasteBytes >= 0 {
		if g.pasteBytes++; g.pasteBytes > maxPasteBytes {
			return
		}
	}
	g.passed = append(g.passed, c)
}
