package terminal

import "time"

// A flowControl bounds the bytes on their way to the terminal, so that a slow line shows the newest frame and not a
// queue of old ones. After each write it asks the terminal for its status, which every terminal answers when it has
// read the request. A frame waits while an answer is late, or while more than twice as much is on its way as has
// arrived in time.
// It knows no clock and writes nothing.
//
// Frames for a terminal that never answers are not held back. A request that stays unanswered for long is given up, so
// that neither a lost answer nor a terminal that stops answering holds frames back.
type flowControl struct {
	off        bool            // nothing is asked
	ending     bool            // the terminal is given back: nothing more is asked
	unanswered []statusRequest // oldest first
	inFlight   int             // bytes whose arrival the answers will confirm
	window     int             // bytes in flight from which a frame waits
	requests   int             // written so far
	unsettled  int             // the latest requests, of which it is not known for sure that they were answered

	answers      bool          // the terminal has answered before
	lastAnswer   time.Time     // time of the last answer
	roundTrip    time.Duration // of the last small write
	unsureBefore time.Time     // answers to earlier requests may be those of requests given up, so they measure nothing

	patience    int       // how often requests were given up since the last answer
	lostSince   time.Time // when the oldest request without an answer was sent, if it was given up
	input       inputTimes
	silent      bool // the terminal does not answer, but is alive
	lastRequest time.Time
	askNow      bool      // a request is to be written although nothing changes
	changed     time.Time // the oldest change in the frame that waits
}

// An inputTimes says when input arrived.
type inputTimes struct {
	onDeadLine time.Time // the first on a line that seems dead
	last       time.Time
	flowed     time.Time // the last that followed other input at once
}

// A statusRequest is a request for the terminal's status that is on its way.
type statusRequest struct {
	at       time.Time
	bytes    int       // that end with the request
	inFlight int       // the same with those before them
	changed  time.Time // the oldest change in the frame that it completes; zero if it completes none
}

const (
	requestSequence = "\x1b[5n" // device status report; the answer is answerSequence
	// firstAnswerTimeout is how long the first answer may take before frames are written without waiting for it.
	firstAnswerTimeout = 600 * time.Millisecond
	// answerTimeout is how long an answer may take at least before it counts as lost.
	answerTimeout = time.Second
	// slowestLine is the rate of the slowest line on which answers are not taken for lost, in bytes per second.
	slowestLine = 960
	// deadLineTimeout is how long no answer may arrive before keys are dropped: nobody saw the screen.
	deadLineTimeout = 3 * time.Second
	// silenceTimeout is how long input arrives without an answer before the terminal counts as silent. On a line that
	// was dead, both arrive together.
	silenceTimeout = 1500 * time.Millisecond
	// inputGap is the time between two pieces of one input at most.
	inputGap = 200 * time.Millisecond
	// silentRequestInterval is the time between two requests to a terminal that does not answer.
	silentRequestInterval = 10 * time.Second
	// lineQueue is how much longer than for a small write an answer may take. One that takes longer is late.
	lineQueue     = 100 * time.Millisecond
	maxSmallWrite = 256 // bytes that measure the round trip
	maxPatience   = 3
	// unsureTime is how long answers measure nothing after one could not be told from another.
	unsureTime = 5 * time.Second
)

// hasRoom reports whether the line has room for a frame. Until the first answer, it has: nothing waits for a terminal
// that may not answer.
func (c *flowControl) hasRoom(now time.Time) bool {
	if c.off || c.silent || !c.answers || len(c.unanswered) == 0 {
		return true
	}
	return c.inFlight < c.window && now.Sub(c.unanswered[0].at) <= c.roundTrip+lineQueue
}

// asks reports whether a write ends with a request now: always behind a question.
func (c *flowControl) asks(now time.Time, hasFrame, hasQuestion bool) bool {
	if c.off || c.ending {
		return false
	}
	return c.askNow || hasQuestion || hasFrame && (!c.silent || now.Sub(c.lastRequest) >= silentRequestInterval)
}

// wrote records bytes that end with a request. changed is the oldest change in the frame that they complete.
func (c *flowControl) wrote(bytes int, now, changed time.Time) {
	if c.silent {
		c.forget(now)
	}
	c.inFlight += bytes
	c.requests++
	c.unsettled++
	c.unanswered = append(c.unanswered, statusRequest{at: now, bytes: bytes, inFlight: c.inFlight, changed: changed})
	c.lastRequest, c.askNow = now, false
}

// answered records an answer. After one that nobody asked for, answers measure nothing for a while.
func (c *flowControl) answered(now time.Time) {
	if c.off {
		return
	}
	c.unsettled = max(0, c.requests-c.confirmedRequests(now)-1)
	expected := len(c.unanswered) > 0
	if expected || !c.lostSince.IsZero() {
		c.answers, c.silent, c.patience = true, false, 0
		c.lostSince, c.input.onDeadLine = time.Time{}, time.Time{}
	}
	if !expected {
		c.unsureBefore = now.Add(unsureTime)
		return
	}
	r := c.unanswered[0]
	c.unanswered = c.unanswered[1:]
	if r.at.After(c.unsureBefore) {
		c.measure(r, now)
	}
	c.inFlight, c.lastAnswer = c.inFlight-r.bytes, now
}

// confirmedRequests returns how many requests have been answered for sure: all that was written before the last of them
// is on the screen. An answer that comes after a request was given up may be that request's.
func (c *flowControl) confirmedRequests(now time.Time) int {
	if now.After(c.unsureBefore) {
		c.unsettled = len(c.unanswered)
	}
	return c.requests - c.unsettled
}

// measure learns from the answer to a request: twice as much may be on its way as has arrived in time, and half of what
// was late.
func (c *flowControl) measure(r statusRequest, now time.Time) {
	took := now.Sub(r.at)
	if r.inFlight <= maxSmallWrite {
		c.roundTrip = took
	}
	if took <= c.roundTrip+lineQueue {
		c.window = max(c.window, 2*r.inFlight)
	} else {
		c.window = min(c.window, r.inFlight/2)
	}
}

// overdueAt returns when the oldest request counts as lost; zero if none is on its way.
func (c *flowControl) overdueAt() time.Time {
	if len(c.unanswered) == 0 || c.off || c.silent {
		return time.Time{}
	}
	oldest := c.unanswered[0]
	if !c.answers {
		return oldest.at.Add(firstAnswerTimeout)
	}
	expected := 2*c.roundTrip + time.Duration(oldest.inFlight)*time.Second/slowestLine
	return latest(oldest.at, c.lastAnswer).Add(max(answerTimeout, expected) << min(c.patience, 1))
}

// giveUp forgets the requests if the oldest is overdue, and asks a few times more.
func (c *flowControl) giveUp(now time.Time) {
	overdue := c.overdueAt()
	switch {
	case overdue.IsZero() || now.Before(overdue):
	case !c.answers:
		c.silent = true
	default:
		if c.lostSince.IsZero() {
			c.lostSince = c.unanswered[0].at
		}
		c.forget(now)
		c.patience++
		c.askNow = c.patience <= maxPatience
	}
}

// forget gives up all requests: their bytes have arrived or are lost.
func (c *flowControl) forget(now time.Time) {
	if len(c.unanswered) > 0 {
		c.unsureBefore = now.Add(unsureTime)
	}
	c.unanswered, c.inFlight = c.unanswered[:0], 0
}

// restart forgets what is on its way, because another program may have read the answers.
func (c *flowControl) restart(now time.Time) {
	c.forget(now)
	c.lostSince, c.input.onDeadLine, c.patience = time.Time{}, time.Time{}, 0
}

// inputArrived reports whether input is to be dropped because it was typed on a dead line. It then asks for the status:
// a line that is alive again answers soon. If it does not, the terminal has only stopped answering.
//
// While a long paste arrives, the line is alive, and the answers wait behind the paste.
func (c *flowControl) inputArrived(now time.Time) (drop bool) {
	if now.Sub(c.input.last) < inputGap && c.input.onDeadLine.IsZero() {
		c.input.flowed = now
	}
	c.input.last = now
	if c.off || c.silent || c.lostSince.IsZero() || now.Sub(latest(c.lostSince, c.input.flowed)) < deadLineTimeout {
		return false
	}
	if c.input.onDeadLine.IsZero() {
		c.input.onDeadLine, c.askNow = now, true
		return true
	}
	if now.Sub(c.input.onDeadLine) < silenceTimeout+2*c.roundTrip {
		return true
	}
	c.restart(now)
	c.silent = true
	return false
}

// behindSince returns the time of the oldest change that has been written but not seen; zero if there is none, or if
// that is not known.
func (c *flowControl) behindSince() time.Time {
	if !c.answers || c.silent || c.off {
		return time.Time{}
	}
	if !c.lostSince.IsZero() {
		return c.lostSince
	}
	for _, r := range c.unanswered {
		if !r.changed.IsZero() {
			return r.changed
		}
	}
	return c.changed
}

// latest returns the later of two times.
func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
