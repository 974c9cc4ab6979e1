//go:build linux

package main

import (
	"bytes"
	"fmt"
	"regexp"
	"sync"
	"time"
)

// A terminalLine is the terminal of a timed program, and the line that leads to it.
type terminalLine struct {
	cols, rows    int
	answers       bool          // the terminal answers requests for its status
	margins       bool          // it answers that it has left and right margins
	bitsPerSecond int           // 10 for each byte; 0 is unlimited
	roundTrip     time.Duration // half of it each way
}

func (l terminalLine) String() string {
	text := fmt.Sprintf("%dx%d", l.cols, l.rows)
	if l.bitsPerSecond > 0 {
		text += fmt.Sprintf(", %d,%03d bits/s", l.bitsPerSecond/1000, l.bitsPerSecond%1000)
	}
	if l.roundTrip > 0 {
		text += fmt.Sprintf(", round trip %d ms", l.roundTrip.Milliseconds())
	}
	return text
}

// lineBuffer is how many bytes the line takes ahead of what it has carried.
const lineBuffer = 4096

// A lineRelay carries a program's output to its terminal: at the line's rate, and later by its delay. It does not take
// more than a few bytes ahead, so that the program's writes hang like those to a modem.
type lineRelay struct {
	line   terminalLine
	mu     sync.Mutex
	room   *sync.Cond
	queued int
	chunks chan outputChunk
}

func newLineRelay(line terminalLine) *lineRelay {
	r := &lineRelay{line: line, chunks: make(chan outputChunk, 1<<16)}
	r.room = sync.NewCond(&r.mu)
	return r
}

// take waits until the line takes more bytes, and returns how many.
func (r *lineRelay) take() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.queued >= lineBuffer {
		r.room.Wait()
	}
	return lineBuffer - r.queued
}

// add gives the line some bytes.
func (r *lineRelay) add(text []byte) {
	r.mu.Lock()
	r.queued += len(text)
	r.mu.Unlock()
	r.chunks <- outputChunk{text, time.Now().Add(r.line.roundTrip / 2)}
}

// run carries bytes to the terminal, in pieces of some milliseconds, until the program ends.
func (r *lineRelay) run(deliver func([]byte)) {
	rate := float64(r.line.bitsPerSecond) / 10
	piece := max(1, int(rate*0.008))
	var free time.Time
	for chunk := range r.chunks {
		for text := chunk.text; len(text) > 0; {
			n := min(piece, len(text))
			if free.Before(chunk.at) {
				free = chunk.at
			}
			free = free.Add(time.Duration(float64(n) / rate * 1e9))
			time.Sleep(time.Until(free))
			deliver(text[:n])
			text = text[n:]
			r.mu.Lock()
			r.queued -= n
			r.room.Signal()
			r.mu.Unlock()
		}
	}
}

// statusRequest is what a program asks a terminal for, and statusAnswer what each terminal answers.
var statusRequest, statusAnswer = []byte("\x1b[5n"), []byte("\x1b[0n")

// marginRequest asks a terminal for left and right margins, and marginAnswer is xterm's answer.
var marginRequest, marginAnswer = []byte("\x1b[?69$p"), []byte("\x1b[?69;2$y")

// answerRequests answers the requests for the status in the output. Only what ends a request may have been cut off.
func (m *timedProgram) answerRequests(text []byte) {
	if m.line.margins && bytes.Contains(text, marginRequest) {
		m.input <- outputChunk{marginAnswer, time.Now().Add(m.line.roundTrip / 2)}
	}
	m.tail = append(m.tail, text...)
	for range bytes.Count(m.tail, statusRequest) {
		m.input <- outputChunk{statusAnswer, time.Now().Add(m.line.roundTrip / 2)}
	}
	if i := bytes.LastIndex(m.tail, statusRequest); i >= 0 {
		m.tail = m.tail[i+len(statusRequest):]
	}
	m.tail = m.tail[max(0, len(m.tail)-len(statusRequest)+1):]
}

// sendInput carries keys and answers to the program.
func (m *timedProgram) sendInput() {
	for chunk := range m.input {
		time.Sleep(time.Until(chunk.at))
		_, _ = m.tty.Write(chunk.text)
	}
}

// cursorRow finds the number of the row under the cursor of a list.
var cursorRow = regexp.MustCompile(`([0-9,]+) of 5,000`)

// holdKey holds a key down: 30 presses a second. It returns how long after the last press the screen was complete.
func (m *timedProgram) holdKey(key string, presses int) time.Duration {
	m.t.Helper()
	var last time.Time
	for next := time.Now(); presses > 0; presses-- {
		time.Sleep(time.Until(next))
		last, next = time.Now(), next.Add(time.Second/30)
		m.typeKeys(key)
	}
	time.Sleep(m.line.roundTrip)
	return m.waitQuiet(time.Second).Sub(last)
}

// scrollHeld holds a key down for 3 s in a list of 5,000 services. It returns how long after the last press the screen
// was complete, and how many presses have had no effect; -1 if the screen does not say where the cursor is.
func (m *timedProgram) scrollHeld() (lag time.Duration, lost int) {
	m.t.Helper()
	const presses = 90
	m.waitQuiet(time.Second)
	m.resetBytes()
	lag = m.holdKey("j", presses)
	found := cursorRow.FindStringSubmatch(m.screen())
	if found == nil {
		return lag, -1
	}
	row := 0
	_, _ = fmt.Sscan(found[1], &row)
	return lag, 1 + presses - row
}
