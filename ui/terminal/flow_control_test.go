package terminal

import (
	"math/rand/v2"
	"os"
	"testing"
	"time"
)

// A simulatedLine carries bytes to a terminal at a rate, and answers back, without real time.
type simulatedLine struct {
	flow     flowControl
	now      time.Time
	rate     float64       // bytes per second
	delay    time.Duration // one way
	jitter   time.Duration // more of it for each answer, at most
	lose     float64       // part of the answers
	random   *rand.Rand
	free     time.Time   // when the line has carried everything written so far
	answers  []time.Time // arrivals of answers
	lastShow time.Time   // when the newest frame was complete on the screen
	silentAt time.Time   // when the terminal stops answering

	pending     bool // a frame waits
	frameBytes  int
	frames, max int // written; most bytes waiting for the line
}

func newSimulatedLine(rate float64, delay time.Duration) *simulatedLine {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	l := &simulatedLine{
		rate:   rate,
		delay:  delay,
		now:    start,
		free:   start,
		random: rand.New(rand.NewPCG(1, 2)),
	}
	l.flow.restart(start)
	l.flow.askNow = true
	l.write(54, false)
	return l
}

// write writes bytes with a request, as the renderer does.
func (l *simulatedLine) write(bytes int, frame bool) {
	if !l.flow.asks(l.now, frame, false) {
		l.carry(bytes)
		return
	}
	l.flow.wrote(bytes+len(requestSequence), l.now, l.flow.changed)
	l.carry(bytes + len(requestSequence))
	if !l.silentAt.IsZero() && !l.free.Before(l.silentAt) || l.random.Float64() < l.lose {
		return
	}
	at := l.free.Add(l.delay + time.Duration(l.random.Int64N(int64(l.jitter)+1)))
	if n := len(l.answers); n > 0 && at.Before(l.answers[n-1]) {
		at = l.answers[n-1]
	}
	l.answers = append(l.answers, at)
}

// carry sends bytes over the line.
func (l *simulatedLine) carry(bytes int) {
	arrives := l.now.Add(l.delay)
	if l.free.Before(arrives) {
		l.free = arrives
	}
	l.free = l.free.Add(time.Duration(float64(bytes) / l.rate * 1e9))
	l.max = max(l.max, int(l.free.Sub(arrives).Seconds()*l.rate))
}

// show makes a frame wait that is to be written with a number of bytes.
func (l *simulatedLine) show(bytes int) {
	if l.flow.changed.IsZero() {
		l.flow.changed = l.now
	}
	l.pending, l.frameBytes = true, bytes
}

// step lets a millisecond pass.
func (l *simulatedLine) step() {
	l.now = l.now.Add(time.Millisecond)
	for len(l.answers) > 0 && !l.answers[0].After(l.now) {
		l.answers = l.answers[1:]
		l.flow.answered(l.now)
	}
	l.flow.giveUp(l.now)
	switch {
	case l.pending && l.flow.hasRoom(l.now):
		l.pending = false
		l.write(l.frameBytes, true)
		l.flow.changed = time.Time{}
		l.frames++
		l.lastShow = l.free
	case l.flow.askNow:
		l.write(0, false)
	}
}

func (l *simulatedLine) run(d time.Duration) {
	for end := l.now.Add(d); l.now.Before(end); {
		l.step()
	}
}

// hold holds a key down for a time: 30 times a second, a frame shows something else. It returns how long after the last
// press the screen was complete, and what that takes at least.
func (l *simulatedLine) hold(d time.Duration, bytes int) (lag, least time.Duration) {
	l.max = 0
	for end := l.now.Add(d); l.now.Before(end); {
		l.show(bytes)
		l.run(33 * time.Millisecond)
	}
	last := l.now.Add(-33 * time.Millisecond)
	for n := 0; l.pending; n++ {
		l.step()
		if n > 60_000 {
			return time.Hour, 0
		}
	}
	return l.lastShow.Sub(last), time.Duration(float64(bytes)/l.rate*1e9) + l.delay
}

// Before the terminal's first answer, nothing is held back: it may never answer.
func TestFlowControl_firstWrite(t *testing.T) {
	l := newSimulatedLine(960, 0)
	for n := range 3 {
		if l.show(5000); !l.flow.hasRoom(l.now) {
			t.Errorf("frame %d waits", n)
		}
		l.run(10 * time.Millisecond)
	}
}

// maxLag is how much a screen may be behind beyond two frames.
const maxLag = 350 * time.Millisecond

// On a line of any length and of 64,000 bits per second or more, a key that is held down leaves the screen at most two
// frames behind.
func TestFlowControl_heldKey(t *testing.T) {
	for _, rate := range []float64{6400, 11520, 50e3, 1e6, 100e6} {
		for _, delay := range []time.Duration{0, 5, 75, 150, 300} {
			delay *= time.Millisecond
			for _, bytes := range []int{30, 150, 300, 900, 3000} {
				l := startedLine(rate, delay)
				lag, least := l.hold(3*time.Second, bytes)
				if limit := 2*least + maxLag; lag > limit {
					t.Errorf("%.0f bytes/s, %v, %d bytes a frame: lags by %v, limit %v", rate, delay, bytes, lag, limit)
				}
			}
		}
	}
}

// startedLine returns a line on which a program has shown its first frames.
func startedLine(rate float64, delay time.Duration) *simulatedLine {
	l := newSimulatedLine(rate, delay)
	l.show(2000)
	l.run(20 * time.Millisecond)
	l.show(3000)
	l.run(10 * time.Second)
	return l
}

// A fast line carries each frame of a held key, even if it is long, and most of them to the other side of the world.
func TestFlowControl_fastLineShowsEachFrame(t *testing.T) {
	for delay, want := range map[time.Duration]int{0: 90, 20: 90, 75: 90, 300: 60} {
		l := startedLine(1e6, delay*time.Millisecond)
		before := l.frames
		l.hold(3*time.Second, 3000)
		if n := l.frames - before; n < want {
			t.Errorf("%v ms: %d of 91 frames were written, want %d", int(delay), n, want)
		}
	}
}

// A line that becomes slow, as a telephone's does in a tunnel, soon leaves the screen no further behind than one that
// always was.
func TestFlowControl_becomesSlow(t *testing.T) {
	l := startedLine(1e6, 150*time.Millisecond)
	l.hold(3*time.Second, 3000)
	l.rate = 6400
	if lag, _ := l.hold(time.Second, 3000); lag > 7*time.Second { // the frames of a round trip
		t.Errorf("lags by %v at first", lag)
	}
	l.run(10 * time.Second)
	if lag, least := l.hold(3*time.Second, 3000); lag > 2*least+maxLag {
		t.Errorf("lags by %v", lag)
	}
}

// Whatever happens to answers, frames are written: on lines of random rates and delays, with answers that get lost,
// come late, stop, or come twice.
func TestFlowControl_neverWedges(t *testing.T) {
	lines := 300
	if os.Getenv("LOOKOUT_LONG") != "" {
		lines = 5000
	}
	random := rand.New(rand.NewPCG(5, 6))
	for n := range lines {
		l := newSimulatedLine(float64(300+random.IntN(1<<(8+random.IntN(14)))), time.Duration(random.Int64N(4e8)))
		l.random = rand.New(rand.NewPCG(7, uint64(n)))
		l.jitter = time.Duration(random.Int64N(3e8))
		l.lose = []float64{0, 0.1, 0.5, 1}[random.IntN(4)]
		if random.IntN(3) == 0 {
			l.silentAt = l.now.Add(time.Duration(random.Int64N(4e9)))
		}
		for range 100 {
			l.show(20 + random.IntN(600))
			l.run(33 * time.Millisecond)
			if random.IntN(50) == 0 {
				l.flow.answered(l.now)
			}
		}
		waited := 0
		for l.pending {
			l.step()
			if waited++; waited > 60_000 { // what was written before the first answer takes a slow line so long
				t.Fatalf("line %d, %.0f bytes/s, %v: a frame waits: %+v", n, l.rate, l.delay, l.flow)
			}
		}
	}
}

// A terminal that never answers gets its frames as soon as they are drawn, and a request now and then.
func TestFlowControl_terminalThatNeverAnswers(t *testing.T) {
	l := newSimulatedLine(1e6, 0)
	l.silentAt, l.answers = l.now, nil
	l.show(2000)
	l.run(firstAnswerTimeout)
	before, asked := l.frames, 0
	for range 20 * 30 {
		l.show(5000)
		last := l.flow.lastRequest
		l.run(33 * time.Millisecond)
		if l.flow.lastRequest != last {
			asked++
		}
		if l.flow.inputArrived(l.now) {
			t.Fatal("a key is dropped")
		}
	}
	if n := l.frames - before; n != 20*30 || asked > 3 {
		t.Errorf("%d frames, %d requests", n, asked)
	}
	if !l.flow.behindSince().IsZero() {
		t.Error("the screen counts as behind, though nothing is known")
	}
}

// Keys that arrive after a line was dead, and before the terminal answers, were typed blindly: they are dropped. Keys
// for a terminal that only stops answering are obeyed after a moment.
func TestFlowControl_dropsKeysOfADeadLine(t *testing.T) {
	stopped := func() *simulatedLine {
		l := startedLine(1e6, 50*time.Millisecond)
		l.silentAt = l.now
		l.show(300)
		l.run(2500 * time.Millisecond)
		if l.flow.inputArrived(l.now) {
			t.Error("a key is dropped on a line that may be slow")
		}
		if l.flow.behindSince().IsZero() {
			t.Error("the screen does not count as behind")
		}
		l.run(8 * time.Second)
		return l
	}
	dead := stopped()
	for range 5 {
		if !dead.flow.inputArrived(dead.now) {
			t.Error("a key that was typed on a dead line is obeyed")
		}
	}
	dead.run(time.Millisecond) // it asks
	dead.flow.answered(dead.now.Add(100 * time.Millisecond))
	if dead.flow.inputArrived(dead.now) || !dead.flow.behindSince().IsZero() {
		t.Error("the line counts as dead although the terminal answers")
	}

	silent := stopped()
	dropped := 0
	for range 100 {
		if silent.flow.inputArrived(silent.now) {
			dropped++
		}
		silent.run(100 * time.Millisecond)
	}
	if dropped > 20 {
		t.Errorf("%d of 100 keys for a silent terminal are dropped", dropped)
	}
}

// A terminal answers behind a long paste, so nothing of the paste is dropped, nor a key that follows it.
func TestFlowControl_longPaste(t *testing.T) {
	l := newSimulatedLine(100_000, 10*time.Millisecond)
	l.hold(time.Second, 100)
	l.run(time.Second)
	l.silentAt = l.now
	l.show(100)
	for range 100 {
		if l.flow.inputArrived(l.now) {
			t.Fatalf("input is dropped %v after the last answer", l.now.Sub(l.flow.lastAnswer))
		}
		l.run(100 * time.Millisecond)
	}
	l.run(2 * time.Second)
	if l.flow.inputArrived(l.now) {
		t.Error("a key behind the paste is dropped")
	}
	l.run(2 * deadLineTimeout)
	if !l.flow.inputArrived(l.now) {
		t.Error("a key is obeyed although nothing has arrived for long")
	}
}

// A terminal that is given back is not asked any more, and stays given back, whatever is typed on its dead line.
func TestFlowControl_ending(t *testing.T) {
	l := startedLine(1e6, 50*time.Millisecond)
	l.silentAt = l.now
	l.show(300)
	l.run(10 * time.Millisecond)
	l.flow.ending = true
	asked := l.flow.lastRequest
	for range 200 {
		l.flow.inputArrived(l.now)
		l.run(100 * time.Millisecond)
	}
	if !l.flow.ending || !l.flow.lastRequest.Equal(asked) {
		t.Errorf("given back: %t, asked %v after that", l.flow.ending, l.flow.lastRequest.Sub(asked))
	}
}

// A terminal that has answered before and stops is asked a few times more, not for ever.
func TestFlowControl_stopsAsking(t *testing.T) {
	l := startedLine(1e6, 50*time.Millisecond)
	l.silentAt = l.now
	l.show(300)
	asked := 0
	for range 60_000 {
		last := l.flow.lastRequest
		if l.step(); l.flow.lastRequest != last {
			asked++
		}
	}
	if asked != 1+maxPatience {
		t.Errorf("it is asked %d times in a minute", asked)
	}
}

// An answer that is lost is asked for again: it neither drops keys nor leaves the screen behind.
func TestFlowControl_lostAnswer(t *testing.T) {
	l := startedLine(1e6, 50*time.Millisecond)
	l.lose = 1
	l.show(300)
	l.run(500 * time.Millisecond)
	l.lose = 0
	l.run(time.Second)
	if !l.flow.behindSince().IsZero() || l.flow.inputArrived(l.now.Add(time.Hour)) {
		t.Errorf("a lost answer is not forgotten: %+v", l.flow)
	}
	last := l.flow.lastRequest
	l.run(time.Minute)
	if l.flow.lastRequest != last {
		t.Error("bytes are written at rest")
	}
}

// The answer to a large frame is late on a slow line, and not lost: no key is dropped.
func TestFlowControl_lateAnswer(t *testing.T) {
	l := startedLine(slowestLine, 50*time.Millisecond)
	l.show(12_000)
	for range 15_000 {
		if l.step(); !l.flow.lostSince.IsZero() {
			t.Fatalf("the answer counts as lost: %+v", l.flow)
		}
	}
}

// Answers that a user pastes do not let more than a few frames wait for a slow line.
func TestFlowControl_pastedAnswers(t *testing.T) {
	l := startedLine(6400, 75*time.Millisecond)
	for range 20 {
		l.show(300)
		l.run(33 * time.Millisecond)
		for range 100 {
			l.flow.answered(l.now)
		}
	}
	l.run(10 * time.Second)
	if lag, least := l.hold(3*time.Second, 300); lag > 2*least+maxLag {
		t.Errorf("lags by %v", lag)
	}
}
