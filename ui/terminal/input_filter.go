package terminal

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// An inputFilter sits between the terminal and the loop. It drops input that would crash or block the program:
// control sequences with more parameters than any terminal sends, and keys typed while the terminal did not respond. It
// also ends pastes that have no end.
type inputFilter struct {
	in               io.Reader
	answered         func()      // called for each answer to a request for the terminal's status
	awaited          func() bool // reports whether such an answer is to come
	confirmed        func() int  // returns how many requests have been answered for sure
	pipeWriter       *io.PipeWriter
	pipeReader       *io.PipeReader
	mu               sync.Mutex
	paused           bool
	state            state
	parameters       int       // parameters of the current sequence
	pending          []byte    // bytes of the current sequence so far
	pendingSent      int       // how many of them have been passed on already
	pasteBytes       int       // bytes of the current paste; -1 outside a paste
	passed           []byte    // bytes of the current chunk to pass on
	backgroundReport []byte    // report of the background colour so far; nil in any other report
	droppedPaste     bool      // the beginning of a paste was dropped, and its end has not come
	droppedTail      []byte    // the end of what was dropped: the beginning of a mark may be in it
	burstAt          time.Time // when text last arrived that nobody typed
	lastByte         byte      // the last byte passed on, of earlier chunks
	loneEscape       bool      // an escape was passed on that begins no sequence
	escapeDeadline   time.Time // when the loop has recognised it
	heldSince        time.Time // when the last bytes came, of which an escape may be held back
	reads            int       // number of reads so far that held more than answers
	marked           chan inputRead
}

// state says what the next byte belongs to.
type state int

const (
	plainText   state = iota
	afterEscape       // behind an escape: a key, or the beginning of a sequence
	inSequence        // in a control sequence, which is held back until it is complete
	discarding        // in a sequence that is too long; it is dropped up to its end
	maybeReport       // perhaps at the beginning of a report: an OSC, DCS or APC string
	inReport          // in a report of the terminal; it is dropped, except for the background colour
)

const (
	maxParameters    = 16
	maxSequenceBytes = 256
	minBurstBytes    = 100                   // nobody types this many bytes in one read
	burstGap         = 50 * time.Millisecond // between two chunks of one burst
	// The loop waits 50 ms behind an escape for the rest of a sequence; this is a little longer.
	escapeTimeout = 70 * time.Millisecond
	// While an answer is to come, an escape may be its beginning: the connection can hold the rest back for this long.
	answerGap = time.Second
	// awaitedInterval is the time between two looks at whether it is still to come.
	awaitedInterval = 20 * time.Millisecond
	maxPasteBytes   = 512 << 10       // more than any text field takes
	pasteTimeout    = 2 * time.Second // without input, a paste or a report has ended
	// maxChunksWaiting is how many chunks may wait for a loop that is busy.
	maxChunksWaiting = 64
	// maxReadsMarked is how many reads may be on their way to a loop that is busy.
	maxReadsMarked = 4096
)

// An inputChunk is what one read of the terminal returned, and when. A busy loop may handle it later.
type inputChunk struct {
	data []byte
	at   time.Time
}

// An inputRead is one read of the terminal with keys in it.
type inputRead struct {
	number    int
	at        time.Time
	confirmed int // how many requests the terminal had answered before
}

// readMark stands in front of the keys of each read, for the loop: its keys do not tell when they were read. It is the
// report of a mode that no terminal has, so that the loop passes it on in its place.
const (
	readMark     = "\x1b[?32123;0$y"
	readMarkMode = ansi.DECMode(32123)
)

var pasteStart, pasteEnd = []byte("\x1b[200~"), []byte("\x1b[201~")

// answerSequence is the terminal's answer to requestSequence: it works.
var answerSequence = []byte("\x1b[0n")

// newInputFilter returns a filter that reads from a terminal once it runs.
func newInputFilter(in io.Reader) *inputFilter {
	r, w := io.Pipe()
	return &inputFilter{
		in:         in,
		pipeReader: r,
		pipeWriter: w,
		answered:   func() {},
		awaited:    func() bool { return false },
		confirmed:  func() int { return 0 },
		marked:     make(chan inputRead, maxReadsMarked),
		pasteBytes: -1,
	}
}

// Read returns filtered input to the loop.
func (f *inputFilter) Read(p []byte) (int, error) { return f.pipeReader.Read(p) }

// setPaused drops input while another program has the terminal.
func (f *inputFilter) setPaused(on bool) {
	f.mu.Lock()
	f.paused = on
	f.mu.Unlock()
}

// run starts two goroutines, inside protect, that read until the terminal is gone. stalled reports whether the screen
// did not respond when input arrived, and dropped receives the number of bytes dropped because of that.
func (f *inputFilter) run(protect func(func()), stalled func(at time.Time) bool, dropped func(int), gone func()) {
	chunks := make(chan inputChunk, maxChunksWaiting)
	go protect(func() {
		defer close(chunks)
		buffer := make([]byte, 4096)
		for {
			n, err := f.in.Read(buffer)
			if n > 0 {
				chunks <- inputChunk{bytes.Clone(buffer[:n]), time.Now()}
			}
			if err != nil {
				return
			}
		}
	})
	go protect(func() {
		defer gone()
		defer f.pipeWriter.Close()
		tick := time.NewTimer(time.Hour)
		defer tick.Stop()
		typedAt := time.Now()
		for {
			tick.Reset(f.idleTime(time.Since(typedAt)))
			select {
			case chunk, open := <-chunks:
				if !open {
					return
				}
				if f.handleChunk(chunk, stalled, dropped) {
					typedAt = time.Now()
				}
			case <-tick.C:
				f.handleIdle()
			}
		}
	})
}

// idleTime returns after how long without input handleIdle has something to do. The last input that was no answer of
// the terminal came some time ago: answers keep no paste open.
func (f *inputFilter) idleTime(since time.Duration) time.Duration {
	switch {
	case f.holdsEscape():
		return awaitedInterval
	case f.pasteBytes >= 0 || f.state == inReport || f.droppedPaste:
		return max(0, pasteTimeout-since)
	}
	return time.Hour
}

// handleIdle passes on an escape that begins no answer, or ends a paste or a report whose end is missing.
func (f *inputFilter) handleIdle() {
	if f.holdsEscape() {
		if !f.awaited() || time.Since(f.heldSince) >= answerGap {
			f.releaseEscape()
		}
		return
	}
	f.droppedPaste, f.droppedTail = false, nil
	if f.state == inReport {
		f.resetSequence()
	}
	f.closePaste()
}

// handleChunk passes a chunk of input on, or drops it. ctrl+c is never dropped. It reports whether the chunk holds more
// than answers of the terminal.
func (f *inputFilter) handleChunk(in inputChunk, stalled func(at time.Time) bool, dropped func(int)) (typed bool) {
	chunk := in.data
	f.mu.Lock()
	off := f.paused
	f.mu.Unlock()
	if off {
		f.countAnswers(chunk)
		f.resetSequence()
		return true
	}
	if !bytes.HasPrefix(chunk, answerSequence) && chunk[0] != 3 && stalled(in.at) {
		dropped(f.drop(in))
		return true
	}
	if f.droppedPaste && chunk[0] != 3 {
		rest := f.afterDroppedPaste(chunk)
		paste := chunk[:len(chunk)-len(rest)]
		if n := len(paste) - f.countAnswers(paste); n > 0 {
			dropped(n)
			typed = true
		}
		if chunk = rest; len(chunk) == 0 {
			return typed
		}
	}
	if !f.droppedPaste {
		f.droppedTail = nil
	}
	f.separateEscape(chunk[0])
	burst, pasted := f.isBurst(inputChunk{chunk, in.at}), f.pasteBytes
	between, read := f.betweenKeys(), inputRead{at: in.at, confirmed: f.confirmed()}
	safe := f.filter(chunk)
	typed = typed || len(safe) > 0 || f.pasteBytes != pasted || f.state == inReport
	if len(safe) > 0 {
		if between {
			f.markRead(read)
		}
		if burst {
			safe = slices.Concat(pasteStart, safe, pasteEnd)
		}
		_, _ = f.pipeWriter.Write(safe)
	}
	if f.loneEscape {
		f.loneEscape, f.escapeDeadline = false, time.Now().Add(escapeTimeout)
	}
	return typed
}

// betweenKeys reports whether the next byte begins a key: not in a sequence, a paste or a character.
func (f *inputFilter) betweenKeys() bool {
	r, size := utf8.DecodeLastRune(f.passed)
	return f.state == plainText && f.pasteBytes < 0 && (r != utf8.RuneError || size == 0)
}

// markRead tells the loop about a read, in front of its keys. It is a write of its own, because the loop knows some
// keys only if nothing stands beside them.
func (f *inputFilter) markRead(read inputRead) {
	f.reads++
	read.number = f.reads
	select {
	case f.marked <- read:
		_, _ = f.pipeWriter.Write([]byte(readMark))
	default: // the keys count as those of the read before
	}
}

// nextRead returns the read that the next mark stands for; false if there is none, because the terminal has made the
// mark.
func (f *inputFilter) nextRead() (read inputRead, found bool) {
	select {
	case read = <-f.marked:
		return read, true
	default:
		return read, false
	}
}

// drop drops a chunk, and returns how many bytes of input that are. It ends a paste that has begun, and remembers one
// whose end is to come.
func (f *inputFilter) drop(in inputChunk) int {
	chunk := in.data
	f.isBurst(in) // text that follows at once belongs to it
	f.resetSequence()
	if f.pasteBytes >= 0 {
		f.closePaste()
		f.droppedPaste = true
	}
	seen := slices.Concat(f.droppedTail, chunk)
	if start, end := bytes.LastIndex(seen, pasteStart), bytes.LastIndex(seen, pasteEnd); start != end {
		f.droppedPaste = start > end
	}
	f.keepTail(seen)
	return len(chunk) - f.countAnswers(chunk)
}

// afterDroppedPaste returns what follows the end of a paste whose beginning was dropped.
func (f *inputFilter) afterDroppedPaste(chunk []byte) []byte {
	seen := slices.Concat(f.droppedTail, chunk)
	_, rest, ended := bytes.Cut(seen, pasteEnd)
	if !ended {
		f.keepTail(seen)
		return nil
	}
	f.droppedPaste = false
	return rest
}

// keepTail keeps the end of what was dropped, in which a mark may begin.
func (f *inputFilter) keepTail(seen []byte) {
	f.droppedTail = bytes.Clone(seen[max(0, len(seen)-len(pasteEnd)+1):])
}

// countAnswers counts the terminal's answers in input that is dropped, and returns their bytes.
func (f *inputFilter) countAnswers(chunk []byte) (total int) {
	n := bytes.Count(chunk, answerSequence)
	for range n {
		f.answered()
	}
	return n * len(answerSequence)
}

// separateEscape waits before it passes on a key that follows a lone escape. The loop would take both for one key with
// alt. It also restarts its own wait with each further key, so that nothing would happen while the user types on.
func (f *inputFilter) separateEscape(c byte) {
	if f.state == afterEscape && strings.IndexByte("[O]P_", c) >= 0 || f.state == maybeReport && beginsReport(c) {
		return
	}
	f.releaseEscape()
	time.Sleep(time.Until(f.escapeDeadline))
	if f.pendingSent > 0 && (f.state == afterEscape || f.state == maybeReport) {
		f.resetSequence()
	}
}

// holdsEscape reports whether an escape is held back that may be a key, or the beginning of a sequence.
func (f *inputFilter) holdsEscape() bool {
	return (f.state == afterEscape || f.state == maybeReport) && f.pasteBytes < 0 && f.pendingSent == 0
}

// releaseEscape passes on an escape that is held back. The rest of a sequence may still follow.
func (f *inputFilter) releaseEscape() {
	if f.holdsEscape() {
		f.passed, f.pendingSent = append(f.passed, f.pending...), len(f.pending)
		_, _ = f.pipeWriter.Write(f.pending)
		f.escapeDeadline = time.Now().Add(escapeTimeout)
	}
}

// isBurst reports whether a chunk is a paste from a terminal that does not mark pastes: much text at once that is not
// one key held down, or text that follows such a chunk at once.
func (f *inputFilter) isBurst(in inputChunk) bool {
	chunk := in.data
	if f.pasteBytes >= 0 || f.state != plainText || bytes.IndexByte(chunk, 0x1b) >= 0 ||
		bytes.IndexByte(chunk, 3) >= 0 {
		return false
	}
	follows := in.at.Sub(f.burstAt) < burstGap
	if !follows && (len(chunk) < minBurstBytes || bytes.Count(chunk, chunk[:1]) == len(chunk)) {
		return false
	}
	f.burstAt = in.at
	return true
}

// resetSequence drops the current sequence.
func (f *inputFilter) resetSequence() {
	f.state, f.pending, f.pendingSent = plainText, f.pending[:0], 0
}

// closePaste ends a paste whose end was lost.
func (f *inputFilter) closePaste() {
	if f.pasteBytes >= 0 {
		f.resetSequence()
		f.pasteBytes = -1
		_, _ = f.pipeWriter.Write(pasteEnd)
	}
}

// filter returns the bytes of a chunk to pass on: without control sequences that are too long or have too many
// parameters, and without the part of a paste beyond the limit.
func (f *inputFilter) filter(chunk []byte) []byte {
	f.lastByte, f.passed = f.previousByte(), make([]byte, 0, len(chunk)+len(f.pending))
	for _, c := range chunk {
		f.handleByte(c)
	}
	if f.holdsEscape() && !f.awaited() { // a lone escape is a key, though a sequence may still follow
		f.passed, f.pendingSent = append(f.passed, f.pending...), len(f.pending)
		f.loneEscape = true
	}
	f.heldSince = time.Now()
	return f.passed
}

// previousByte returns the byte that was passed on last.
func (f *inputFilter) previousByte() byte {
	if n := len(f.passed); n > 0 {
		return f.passed[n-1]
	}
	return f.lastByte
}

// handleByte handles a byte.
func (f *inputFilter) handleByte(c byte) {
	switch {
	case f.state == plainText && c == '[' && f.previousByte() == 0x1b: // the bytes between were dropped
		f.state, f.parameters, f.pending, f.pendingSent = inSequence, 1, append(f.pending, 0x1b, c), 1
	case f.state == plainText && c != 0x1b:
		f.pass(c)
	case f.state == inReport:
		f.consumeReport(c)
	case c == 0x1b:
		f.abortSequence()
		f.state, f.pending = afterEscape, append(f.pending, c)
	case f.state == afterEscape && strings.IndexByte("]P_", c) >= 0 && f.pasteBytes < 0:
		f.state, f.pending = maybeReport, append(f.pending, c)
	case f.state == maybeReport:
		f.classifyReport(c)
	case f.state == afterEscape && c == '[':
		f.state, f.parameters, f.pending = inSequence, 1, append(f.pending, c)
	case f.state == afterEscape:
		f.loneEscape = f.loneEscape || c != 'O' && f.pasteBytes < 0
		f.pending = append(f.pending, c)
		f.passPending()
	case c < 0x20 || c == 0x7f:
		f.abortSequence()
		f.pass(c)
	case f.state == discarding:
		if c >= 0x40 {
			f.state = plainText
		}
	default:
		f.continueSequence(c)
	}
}

// classifyReport distinguishes a report from a key with alt.
func (f *inputFilter) classifyReport(c byte) {
	f.pending = append(f.pending, c)
	if beginsReport(c) {
		f.backgroundReport = nil
		if f.pendingSent == 0 && bytes.HasPrefix(backgroundReportPrefix, f.pending) {
			f.backgroundReport = bytes.Clone(f.pending)
		}
		f.state = inReport
		return
	}
	f.passPending()
}

// beginsReport reports whether a byte belongs to a report and not to a key with alt: a digit or a sign.
func beginsReport(c byte) bool { return c >= '0' && c <= '9' || strings.IndexByte("!>+G", c) >= 0 }

// backgroundReportPrefix begins the report of the background colour.
var backgroundReportPrefix = []byte("\x1b]11;")

// recordBackground records a byte of the background colour.
func (f *inputFilter) recordBackground(c byte) {
	if f.backgroundReport == nil {
		return
	}
	report := append(f.backgroundReport, c)
	n := min(len(report), len(backgroundReportPrefix))
	if !bytes.Equal(report[:n], backgroundReportPrefix[:n]) || len(report) > maxSequenceBytes {
		report = nil
	}
	f.backgroundReport = report
}

// consumeReport drops a byte of a report. The report ends with its terminator, a control character or an escape.
func (f *inputFilter) consumeReport(c byte) {
	escape := string(f.pending) == "\x1b"
	f.recordBackground(c)
	switch {
	case escape && c == '\\', c == '\a':
		f.passed = append(f.passed, f.backgroundReport...)
		f.resetSequence()
	case escape:
		f.resetSequence()
		f.state, f.pending = afterEscape, append(f.pending, 0x1b)
		f.handleByte(c)
	case c == 0x1b:
		f.pending = append(f.pending[:0], c)
	case c < 0x20:
		f.resetSequence()
		f.pass(c)
	}
}

// continueSequence adds a byte to a sequence.
func (f *inputFilter) continueSequence(c byte) {
	f.pending = append(f.pending, c)
	if c == ';' || c == ':' {
		f.parameters++
	}
	switch {
	case c >= 0x40:
		f.finishSequence()
	case f.parameters > maxParameters || len(f.pending) >= maxSequenceBytes:
		f.resetSequence()
		f.state = discarding
	}
}

// finishSequence passes on a complete sequence, except for an answer, which may arrive in the middle of a paste. It
// ignores the start of a paste inside a paste, and the end outside.
func (f *inputFilter) finishSequence() {
	switch {
	case bytes.Equal(f.pending, answerSequence):
		f.answered()
		f.resetSequence()
	case string(f.pending) == readMark: // only this filter makes it
		f.resetSequence()
	case bytes.Equal(f.pending, pasteStart):
		if f.pasteBytes < 0 {
			f.passed, f.pasteBytes = append(f.passed, f.pending[f.pendingSent:]...), 0
		}
		f.resetSequence()
	case bytes.Equal(f.pending, pasteEnd):
		if f.pasteBytes >= 0 {
			f.passed = append(f.passed, f.pending[f.pendingSent:]...)
		}
		f.pasteBytes = -1
		f.resetSequence()
	default:
		f.passPending()
	}
}

// abortSequence ends an incomplete sequence: it passes on a lone escape, which is a key, and drops anything else.
func (f *inputFilter) abortSequence() {
	if f.state == afterEscape || f.state == maybeReport {
		f.passPending()
	}
	f.resetSequence()
}

// passPending passes on the bytes that were held back.
func (f *inputFilter) passPending() {
	for _, c := range f.pending[f.pendingSent:] {
		f.pass(c)
	}
	f.resetSequence()
}

// pass passes on a byte, unless a paste has exceeded its limit.
func (f *inputFilter) pass(c byte) {
	if f.pasteBytes >= 0 {
		if f.pasteBytes++; f.pasteBytes > maxPasteBytes {
			return
		}
	}
	f.passed = append(f.passed, c)
}
