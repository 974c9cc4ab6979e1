package terminal

import (
	"io"
	"strings"
	"sync"
	"time"
	"unicode"
)

// A renderer writes frames from its own goroutine: changed cells only, in one write. A frame waits until the line has
// room for it, and a newer one replaces it meanwhile; frames are not queued.
//
// It replaces Bubble Tea's renderer, which runs on a ticker: at 60 frames a second that costs 1.2 % of a core while
// nothing changes, and delays each key by 8 ms on average.
type renderer struct {
	out          io.Writer
	onWriteError func()     // called when the terminal cannot be written any more
	queued       func() int // returns how many bytes wait in the terminal's output queue

	mu             sync.Mutex
	wake           chan struct{}
	ended          chan struct{} // closed by end
	shown          chan struct{} // closed when the first frame has been written
	isShown        bool
	nextFrame      *Frame
	rawBytes       string // bytes outside frames: modes, the clipboard
	fullRedraw     bool   // the next frame is written whole
	stopped        bool   // the goroutine has ended
	writes         writeTimes
	flow           flowControl
	hasProgressBar bool // the terminal has a progress bar
	hasMargins     bool // the terminal has left and right margins
	shownPercent   int  // shown by the progress bar
	linear         bool // only the linear text of frames is written
	question       shownQuestion
	carried        time.Time // when the slowest line has carried all that was written

	// Used only by the writing goroutine.
	title   string
	mouse   bool
	encoder frameEncoder
}

// writeTimes say whether the terminal accepts what is written.
type writeTimes struct {
	started   time.Time // start of the write under way, or zero
	slowEnded time.Time // end of the last slow write
}

// hang reports whether a write takes longer than a limit, or did so a moment ago.
func (t writeTimes) hang(now time.Time, limit time.Duration) bool {
	return !t.started.IsZero() && now.Sub(t.started) > limit || now.Sub(t.slowEnded) < 200*time.Millisecond
}

// A shownQuestion says whether the question of the newest frame is on the screen.
type shownQuestion struct {
	id      any       // Frame.Question
	written bool      // all of it was written
	request int       // the number of the request whose answer says that it is on the screen
	seenAt  time.Time // when it counts as seen if the terminal does not answer
}

// silentQuestionTime is how long a question must have been written at least before it counts as seen on a terminal that
// does not answer.
const silentQuestionTime = 1500 * time.Millisecond

// minFrameInterval is the shortest time between two frames.
const minFrameInterval = 2 * time.Millisecond

// slowWriteLimit is how long a write to a terminal that does not answer may take before keys typed meanwhile are
// dropped: the user did not see the screen. A terminal that answers has deadLineTimeout.
const slowWriteLimit = time.Second

// blindTimeout is how long the newest frame may wait before keys count as typed blindly.
const blindTimeout = time.Second

// writeLimit returns how long a write may take before keys are dropped. The caller holds the lock.
func (p *renderer) writeLimit() time.Duration {
	if p.flow.answers && !p.flow.silent {
		return deadLineTimeout
	}
	return slowWriteLimit
}

// newRenderer returns a renderer whose goroutine runs inside protect, which handles panics.
func newRenderer(out io.Writer, onWriteError func(), protect func(func())) *renderer {
	p := &renderer{
		out:          out,
		onWriteError: onWriteError,
		queued:       func() int { return 0 },
		wake:         make(chan struct{}, 1),
		ended:        make(chan struct{}),
		shown:        make(chan struct{}),
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
// unknown. It draws nothing on a terminal that was given back.
func (p *renderer) show(f Frame, whole bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.flow.ending {
		return
	}
	if p.hasProgressBar && f.ProgressPercent != p.shownPercent {
		p.rawBytes += progressSequence(f.ProgressPercent)
		p.shownPercent = f.ProgressPercent
	}
	if p.question.id != f.Question || whole {
		p.question = shownQuestion{id: f.Question}
	}
	if p.linear {
		p.rawBytes += p.displayable(sanitizeLinear(f.LinearText))
	} else {
		p.nextFrame, p.fullRedraw = &f, p.fullRedraw || whole
		if p.flow.changed.IsZero() {
			p.flow.changed = time.Now()
		}
	}
	p.wakeWriter()
}

// displayable returns a text without characters that the terminal does not show.
func (p *renderer) displayable(text string) string {
	if p.encoder.ascii {
		return asciiOnly(text)
	}
	return text
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

// writeRaw writes bytes that belong to no frame. Behind a query it asks for the terminal's status: the answer to that
// follows the answer to the query.
func (p *renderer) writeRaw(bytes string, query bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.flow.ending {
		return
	}
	p.rawBytes += p.displayable(bytes)
	p.flow.askNow = p.flow.askNow || query
	p.wakeWriter()
}

// setMargins records whether the terminal has left and right margins.
func (p *renderer) setMargins(on bool) {
	p.mu.Lock()
	p.hasMargins = on
	p.mu.Unlock()
}

// stalled reports whether input that arrived at a time is to be dropped, because the screen did not respond: a write
// hung or had done so a moment before, or answers of the terminal are missing.
func (p *renderer) stalled(at time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	drop := p.flow.inputArrived(at)
	if p.flow.askNow {
		p.wakeWriter()
	}
	return drop || p.writes.hang(at, p.writeLimit()) && at.Sub(p.flow.lastAnswer) > p.writeLimit()
}

// behind reports whether the screen has not shown the newest frame for so long that keys are typed blindly.
func (p *renderer) behind() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	since := p.flow.behindSince()
	return !since.IsZero() && time.Since(since) > blindTimeout
}

// questionSeen reports whether the question of the newest frame was on the screen before a read.
func (p *renderer) questionSeen(read inputRead) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := &p.question
	switch {
	case q.id == nil || !q.written:
		return q.id == nil
	case !p.flow.off && !p.flow.silent:
		return read.confirmed >= q.request
	case p.queued() > 0:
		q.seenAt = time.Now().Add(silentQuestionTime)
	}
	return !read.at.Before(q.seenAt)
}

// confirmedRequests returns how many requests for its status the terminal has answered for sure.
func (p *renderer) confirmedRequests() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.flow.confirmedRequests(time.Now())
}

// answered records that the terminal has answered a request for its status.
func (p *renderer) answered() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flow.answered(time.Now())
	if p.nextFrame != nil {
		p.wakeWriter()
	}
}

// awaitsAnswer reports whether an answer of the terminal is to come.
func (p *renderer) awaitsAnswer() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.flow.unanswered) > 0 && !p.flow.silent
}

// start switches the terminal's modes on, and asks for its first answer.
func (p *renderer) start(modes string) {
	p.mu.Lock()
	p.fullRedraw = true
	p.question.written = false
	p.rawBytes += modes
	p.flow.restart(time.Now())
	p.flow.askNow, p.flow.ending = true, false
	p.mu.Unlock()
	p.wakeWriter()
}

// flush writes the last bytes, and waits until they are written and the terminal has answered, at most until the
// timeout. A late answer would reach the next program.
func (p *renderer) flush(bytes string, timeout time.Duration) {
	written := make(chan struct{})
	p.mu.Lock()
	p.nextFrame, p.flow.ending = nil, true
	p.rawBytes += bytes
	p.mu.Unlock()
	p.wakeWriter()
	go func() {
		defer close(written)
		for deadline := time.Now().Add(timeout); time.Now().Before(deadline); {
			p.mu.Lock()
			idle, stopped := p.rawBytes == "" && p.writes.started.IsZero(), p.stopped
			p.mu.Unlock()
			idle = idle && !p.awaitsAnswer()
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

// end ends the goroutine, after flush.
func (p *renderer) end() { close(p.ended) }

// run writes frames and raw bytes until a write fails, or until the end.
func (p *renderer) run() {
	defer func() {
		p.mu.Lock()
		p.stopped, p.writes.started = true, time.Time{}
		p.mu.Unlock()
	}()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case <-p.wake:
		case <-timer.C:
		case <-p.ended:
			return
		}
		wrote, err := p.writeNext()
		if err != nil {
			p.onWriteError()
			return
		}
		if wrote {
			timer.Reset(minFrameInterval)
			select {
			case <-timer.C:
			case <-p.ended:
				return
			}
		}
		timer.Reset(p.nextCheck())
	}
}

// nextCheck returns the time until an answer is overdue.
func (p *renderer) nextCheck() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	overdue := p.flow.overdueAt()
	if overdue.IsZero() || p.stopped {
		return time.Hour
	}
	return max(time.Millisecond, time.Until(overdue))
}

// writeNext writes the raw bytes, and the frame if the line has room.
func (p *renderer) writeNext() (wrote bool, err error) {
	p.mu.Lock()
	now := time.Now()
	p.flow.giveUp(now)
	p.encoder.writer.features.margins = p.hasMargins
	frame, bytes, fresh, question := p.nextFrame, p.rawBytes, p.fullRedraw, p.question.id
	if !p.flow.hasRoom(now) {
		frame = nil
	}
	p.rawBytes = ""
	var changed time.Time
	if frame != nil {
		p.nextFrame, p.fullRedraw = nil, false
		changed, p.flow.changed = p.flow.changed, time.Time{}
	}
	p.writes.started = now
	p.mu.Unlock()
	content := ""
	if frame != nil {
		content = p.diff(*frame, fresh)
	}
	asks := (frame != nil || p.linear) && p.isNew(question)
	bytes = p.request(bytes, content, changed, asks)
	if bytes != "" {
		_, err = io.WriteString(p.out, bytes)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now = time.Now()
	if now.Sub(p.writes.started) > p.writeLimit() {
		p.writes.slowEnded = now
	}
	p.carried = latest(p.carried, now).Add(time.Duration(len(bytes)) * time.Second / slowestLine)
	if q := &p.question; asks && question == q.id {
		q.written, q.request, q.seenAt = true, p.flow.requests, latest(p.carried, now.Add(silentQuestionTime))
	}
	p.writes.started = time.Time{}
	if (frame != nil || p.linear) && !p.isShown {
		p.isShown = true
		close(p.shown)
	}
	return bytes != "", err
}

// isNew reports whether a question has not been written yet.
func (p *renderer) isNew(question any) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return question != nil && question == p.question.id && !p.question.written
}

// request returns bytes with a request for the terminal's status behind them. changed is the oldest change in the frame
// that they end with, and question says that it is the first with its question.
func (p *renderer) request(raw, frame string, changed time.Time, question bool) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if !p.flow.asks(now, frame != "", question) {
		return raw + frame
	}
	if p.flow.askNow && frame != "" { // the answer to a small write measures the round trip
		raw += requestSequence
		p.flow.wrote(len(raw), now, time.Time{})
		p.flow.wrote(len(frame)+len(requestSequence), now, changed)
	} else {
		p.flow.wrote(len(raw)+len(frame)+len(requestSequence), now, changed)
	}
	return raw + frame + requestSequence
}

// diff returns the bytes that change the screen into a frame.
func (p *renderer) diff(f Frame, fresh bool) string {
	var modes strings.Builder
	if fresh {
		modes.WriteString("\x1b[m\x1b[2J")
	}
	if f.Mouse != p.mouse || fresh {
		p.mouse = f.Mouse
		modes.WriteString(map[bool]string{true: "\x1b[?1002h\x1b[?1006h", false: "\x1b[?1006l\x1b[?1002l"}[f.Mouse])
	}
	if f.Title != p.title || fresh {
		p.title = f.Title
		modes.WriteString("\x1b]2;" + p.displayable(stripControls(f.Title)) + "\x1b\\")
	}
	return modes.String() + string(p.encoder.encode(f.Content, fresh))
}

// sanitizeLinear returns text for a linear terminal: lines end with CR LF, and no control character but backspace is
// left.
func sanitizeLinear(text string) string {
	return strings.ReplaceAll(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\b' {
			return -1
		}
		return r
	}, text), "\n", "\r\n")
}

// stripControls removes control characters, which could end a title.
func stripControls(title string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, title)
}
