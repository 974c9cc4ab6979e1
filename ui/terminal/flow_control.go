package terminal

import (
	"math"
	"slices"
	"time"
)

// A flowControl bounds the bytes on their way to the terminal, so that a slow line shows the newest frame and not a
// queue of old ones. After each write it asks the terminal for its status, which every terminal answers when it has
// read the request: the answers say how much has arrived, and how fast. It knows no clock and writes nothing.
//
// Frames for a terminal that never answers are not held back. A request that stays unanswered for long is given up, so
// that neither a lost answer nor a terminal that stops answering holds frames back.
type flowControl struct {
	off        bool            // nothing is asked
	ending     bool            // the terminal is given back: nothing more is asked
	unanswered []statusRequest // oldest first
	sent       int             // bytes written so far
	requests   int             // written so far
	unsettled  int             // the latest requests, of which it is not known for sure that they were answered
	confirmed  int             // bytes that have arrived, as far as known

	answers      bool          // the terminal has answered before
	lastAnswer   time.Time     // time of the last answer
	roundTrips   recent        // of small writes on an idle line, in ns: the smallest is the line's
	rates        recent        // bytes per second: the largest is the line's
	sampleBytes  int           // of the sample of the rate so far
	sampleTime   time.Duration // that the line took for them
	unsureBefore time.Time     // answers to earlier requests may be those of requests given up, so they measure nothing
	slow         bool          // the line is slow

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
	at      time.Time
	bytes   int       // that end with the request
	end     int       // all bytes written, including the request
	idle    bool      // nothing was on its way when it was written
	changed time.Time // the oldest change in the frame that it completes; zero if it completes none
}

const (
	requestSequence = "\x1b[5n" // device status report; the answer is answerSequence
	// initialWindow is how many bytes may be on their way while the line's rate is not known. They are wasted if they
	// say that rows are being read: at 9,600 bits a second, they take half a second.
	initialWindow = 576
	// firstAnswerTimeout is how long the first answer may take before frames are written without waiting for it.
	firstAnswerTimeout = 600 * time.Millisecond
	// answerTimeout is how long an answer may take at least before it counts as lost.
	answerTimeout = time.Second
	// deadLineTimeout is how long no answer may arrive before keys are dropped: nobody saw the screen.
	deadLineTimeout = 3 * time.Second
	// silenceTimeout is how long input arrives without an answer before the terminal counts as silent. On a line that
	// was dead, both arrive together.
	silenceTimeout = 1500 * time.Millisecond
	// inputGap is the time between two pieces of one input at most.
	inputGap = 200 * time.Millisecond
	// silentRequestInterval is the time between two requests to a terminal that does not answer.
	silentRequestInterval = 10 * time.Second
	// slowQueue and fastQueue are how much a line may have to carry beyond what is on its way.
	slowQueue, fastQueue = 100 * time.Millisecond, 250 * time.Millisecond
	maxSmallWrite        = 128 // bytes that measure the round trip
	minRateSample        = 240 // bytes that measure the rate
	minWindow            = 64
	slowMarkInterval     = 512 // bytes between two requests in a large write, while the line may be slow
	firstMarkInterval    = 256 // the same while nothing is known, so that the first write measures the rate twice
	maxPatience          = 3
	minPiece             = 256 // bytes
	// pieceTime is how long a slow line carries a piece of a frame.
	pieceTime = 400 * time.Millisecond
	// unsureTime is how long answers measure nothing after one could not be told from another.
	unsureTime = 5 * time.Second
	unlimited  = math.MaxInt
)

// inFlight returns the bytes whose arrival an answer will confirm.
func (c *flowControl) inFlight() int {
	if len(c.unanswered) == 0 {
		return 0
	}
	return c.sent - c.confirmed
}

// roundTrip returns the time that a byte takes to the terminal and its answer back.
func (c *flowControl) roundTrip() time.Duration { return time.Duration(c.roundTrips.smallest()) }

// window returns how many bytes may be on their way. Until the first answer, that is any number: nothing waits for a
// terminal that may not answer.
func (c *flowControl) window(now time.Time) int {
	if c.off || c.silent || !c.answers {
		return unlimited
	}
	rate := c.boundRate(now)
	if len(c.rates.values) == 0 {
		return initialWindow
	}
	queue := fastQueue
	if isSlowRate(rate) {
		queue = slowQueue
	}
	return max(minWindow, int(float64(rate)*(c.roundTrip()+queue).Seconds()))
}

// hasRoom reports whether the line has room for a frame. A frame is written whole, so some room has to be left.
func (c *flowControl) hasRoom(now time.Time) bool {
	window := c.window(now)
	return window == unlimited || c.inFlight() == 0 || c.inFlight() <= window*3/4
}

// pieceLimit returns how many bytes of a frame are written at once: on a slow line, a newer frame may replace the rest.
func (c *flowControl) pieceLimit(now time.Time) int {
	switch rate := c.boundRate(now); {
	case c.window(now) == unlimited:
		return unlimited
	case len(c.rates.values) == 0:
		return max(minPiece, initialWindow-c.inFlight())
	case !isSlowRate(rate):
		return unlimited
	default:
		return max(minPiece, int(float64(rate)*pieceTime.Seconds()))
	}
}

// boundRate returns the line's rate in bytes per second, 0 if it is not known. It is at most what the line has needed
// for the oldest bytes on their way up to now.
func (c *flowControl) boundRate(now time.Time) int64 {
	rate := c.rates.largest()
	if len(c.unanswered) > 0 {
		oldest := c.unanswered[0]
		if took := now.Sub(c.begun(oldest)); took > slowQueue {
			return min(rate, max(1, int64(float64(oldest.bytes)/took.Seconds())))
		}
	}
	return rate
}

// begun returns when the answer would have arrived if the line carried the bytes in no time.
func (c *flowControl) begun(r statusRequest) time.Time {
	return latest(c.lastAnswer, r.at.Add(c.roundTrip()))
}

// markInterval returns after how many bytes a write asks for the status once more. A long line needs answers more
// often, to be used all the time.
func (c *flowControl) markInterval() int {
	if c.silent || len(c.rates.values) > 1 && !c.slow {
		return unlimited
	}
	rate, roundTrip := c.rates.largest(), c.roundTrip()
	switch {
	case rate == 0:
		return firstMarkInterval
	case roundTrip < slowQueue:
		return slowMarkInterval
	}
	return min(slowMarkInterval, max(maxSmallWrite, int(float64(rate)*roundTrip.Seconds()/2)))
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
	idle := c.inFlight() == 0
	c.sent += bytes
	c.requests++
	c.unsettled++
	c.unanswered = append(c.unanswered, statusRequest{
		at:      now,
		bytes:   bytes,
		end:     c.sent,
		idle:    idle,
		changed: changed,
	})
	c.lastRequest, c.askNow = now, false
}

// wroteWithoutRequest records bytes without a request.
func (c *flowControl) wroteWithoutRequest(bytes int) {
	c.sent += bytes
	if c.silent {
		c.confirmed = c.sent
	}
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
	c.confirmed, c.lastAnswer = r.end, now
}

// confirmedRequests returns how many requests have been answered for sure: all that was written before the last of them
// is on the screen. An answer that comes after a request was given up may be that request's.
func (c *flowControl) confirmedRequests(now time.Time) int {
	if now.After(c.unsureBefore) {
		c.unsettled = len(c.unanswered)
	}
	return c.requests - c.unsettled
}

// measure learns from the answer to a request.
func (c *flowControl) measure(r statusRequest, now time.Time) {
	known := len(c.roundTrips.values) > 0
	if r.idle && r.bytes <= maxSmallWrite {
		c.roundTrips.add(int64(now.Sub(r.at)))
		return
	}
	begun := c.begun(r)
	if begun.After(c.lastAnswer) && (!known || r.bytes <= maxSmallWrite) {
		return // the line waited for these bytes, and may have taken hardly any time for them
	}
	c.sampleBytes += r.bytes
	c.sampleTime += max(0, now.Sub(begun))
	if c.sampleBytes < minRateSample {
		return
	}
	took := max(c.sampleTime, time.Millisecond)
	c.rates.add(int64(float64(c.sampleBytes) / took.Seconds()))
	c.sampleBytes, c.sampleTime = 0, 0
	if len(c.rates.values) > 1 {
		c.slow = isSlowRate(c.rates.largest()) || c.slow && isSlowRate(c.rates.largest()/2)
	}
}

// isSlowRate reports whether a number of bytes per second is slow.
func isSlowRate(bytesPerSecond int64) bool { return LineSpeedMsg{int(bytesPerSecond) * 10}.IsSlow() }

// overdueAt returns when the oldest request counts as lost; zero if none is on its way.
func (c *flowControl) overdueAt() time.Time {
	if len(c.unanswered) == 0 || c.off || c.silent {
		return time.Time{}
	}
	oldest := c.unanswered[0]
	if !c.answers {
		return oldest.at.Add(firstAnswerTimeout)
	}
	expected := c.roundTrip()
	if rate := c.rates.largest(); rate > 0 {
		expected += time.Duration(float64(oldest.bytes) / float64(rate) * 1e9)
	}
	return latest(oldest.at, c.lastAnswer).Add(max(answerTimeout, 2*expected) << min(c.patience, 1))
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
	c.unanswered, c.confirmed = c.unanswered[:0], c.sent
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
	if now.Sub(c.input.onDeadLine) < silenceTimeout+2*c.roundTrip() {
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

// recent holds the last few values of a measurement.
type recent struct{ values []int64 }

// maxRecent is how many values count.
const maxRecent = 4

func (r *recent) add(v int64) {
	r.values = append(r.values[max(0, len(r.values)+1-maxRecent):], v)
}

// smallest returns the smallest value, or 0.
func (r *recent) smallest() int64 {
	if len(r.values) == 0 {
		return 0
	}
	return slices.Min(r.values)
}

// largest returns the largest value, or 0.
func (r *recent) largest() int64 {
	if len(r.values) == 0 {
		return 0
	}
	return slices.Max(r.values)
}

// latest returns the later of two times.
func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
