package terminal

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// The guard stands between the terminal and the loop. It lets nothing through that would crash or deafen the program: control sequences
// with more parameters than any terminal sends, pastes without an end, keys typed while the screen stood still.
type guard struct {
	in      io.Reader
	out     *io.PipeWriter
	read    *io.PipeReader
	mu      sync.Mutex
	off     bool
	state   state
	count   int       // parameters of the sequence under way
	held    []byte    // what of it has come
	sent    int       // how much of that has been let through already
	paste   int       // bytes of the paste under way; -1 when there is none
	safe    []byte    // what is let through of a chunk
	shade   []byte    // what has come of a report of the background's colour; nil where another is under way
	burstAt time.Time // when text came last that nobody typed
	last    byte      // what was let through last, of the chunks before
	lone    bool      // an escape that begins no sequence was let through
	due     time.Time // when the loop knows that it was one
}

// state is what the next byte belongs to.
type state int

const (
	plainText state = iota
	escaped         // an escape has come: a key, or the beginning of a sequence
	sequence        // a control sequence, held back until it is whole
	flood           // one that is too long: it is dropped to its end
	opening         // a report may begin: an operating system, device or application string
	report          // one that the terminal sends; it is dropped to its end, but for the background's colour
)

const (
	mostParameters = 16
	longest        = 256 // bytes of a sequence
	leastBurst     = 100 // bytes at once that no hand types
	burstGap       = 50 * time.Millisecond
	escapeGap      = 70 * time.Millisecond // a little more than the 50 that the loop waits behind an escape for the rest of a sequence
	mostPaste      = 1 << 20
	pasteIdle      = 2 * time.Second
)

var pasteStart, pasteEnd = []byte("\x1b[200~"), []byte("\x1b[201~")

func newGuard(in io.Reader) *guard {
	r, w := io.Pipe()
	return &guard{in: in, read: r, out: w, paste: -1}
}

// Read is what the loop reads.
func (g *guard) Read(p []byte) (int, error) { return g.read.Read(p) }

// pause keeps what is typed from the loop while another program has the terminal.
func (g *guard) pause(on bool) {
	g.mu.Lock()
	g.off = on
	g.mu.Unlock()
}

// run reads until the terminal ends.
func (g *guard) run(shield func(func()), stalled func() bool, dropped func(int), gone func()) {
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
		defer g.out.Close()
		tick := time.NewTimer(time.Hour)
		defer tick.Stop()
		for {
			tick.Reset(time.Hour)
			if g.paste >= 0 || g.state == report {
				tick.Reset(pasteIdle)
			}
			select {
			case chunk, open := <-chunks:
				if !open {
					return
				}
				g.take(chunk, stalled, dropped)
			case <-tick.C:
				g.idle()
			}
		}
	})
}

// idle ends what has no end: a paste, a report of the terminal.
func (g *guard) idle() {
	if g.state == report {
		g.forget()
	}
	g.endPaste()
}

// take passes a chunk on, or drops it.
func (g *guard) take(chunk []byte, stalled func() bool, dropped func(int)) {
	g.mu.Lock()
	off := g.off
	g.mu.Unlock()
	if off {
		g.forget()
		return
	}
	if stalled() && chunk[0] != 3 {
		g.forget()
		dropped(len(chunk))
		return
	}
	g.part(chunk[0])
	burst := g.burst(chunk)
	if safe := g.filter(chunk); len(safe) > 0 {
		if burst {
			safe = slices.Concat(pasteStart, safe, pasteEnd)
		}
		_, _ = g.out.Write(safe)
	}
	if g.lone {
		g.lone, g.due = false, time.Now().Add(escapeGap)
	}
}

// part keeps a key from an escape that came by itself just before. The loop would take the two for one key with alt, and begins its wait
// anew with each key that follows: as long as somebody types on, nothing would move.
func (g *guard) part(c byte) {
	wait := time.Until(g.due)
	if wait <= 0 || g.state == escaped && strings.IndexByte("[O]P_", c) >= 0 {
		return
	}
	time.Sleep(wait)
	if g.state == escaped {
		g.forget()
	}
}

// burst reports whether a chunk is text that nobody typed, from a terminal that does not mark pastes: much at once and not one key held
// down, or what follows such a chunk at once.
func (g *guard) burst(chunk []byte) bool {
	if g.paste >= 0 || g.state != plainText || bytes.IndexByte(chunk, 0x1b) >= 0 || bytes.IndexByte(chunk, 3) >= 0 {
		return false
	}
	follows := time.Since(g.burstAt) < burstGap
	if !follows && (len(chunk) < leastBurst || bytes.Count(chunk, chunk[:1]) == len(chunk)) {
		return false
	}
	g.burstAt = time.Now()
	return true
}

// forget drops the sequence under way: its rest is not to come.
func (g *guard) forget() { g.state, g.held, g.sent = plainText, g.held[:0], 0 }

// endPaste closes a paste whose end was lost.
func (g *guard) endPaste() {
	if g.paste >= 0 {
		g.forget()
		g.paste = -1
		_, _ = g.out.Write(pasteEnd)
	}
}

// filter drops control sequences that are too long or have too many parameters, and the part of a paste beyond its limit.
func (g *guard) filter(chunk []byte) []byte {
	g.last, g.safe = g.previous(), make([]byte, 0, len(chunk)+len(g.held))
	for _, c := range chunk {
		g.next(c)
	}
	if (g.state == escaped || g.state == opening) && g.paste < 0 && g.sent == 0 {
		g.safe, g.sent = append(g.safe, g.held...), len(g.held) // a lone escape is a key; a sequence may still follow
		g.lone = true
	}
	return g.safe
}

// previous is the byte that was let through last.
func (g *guard) previous() byte {
	if n := len(g.safe); n > 0 {
		return g.safe[n-1]
	}
	return g.last
}

// next takes a byte.
func (g *guard) next(c byte) {
	switch {
	case g.state == plainText && c == '[' && g.previous() == 0x1b: // what stood between was dropped
		g.state, g.count, g.held, g.sent = sequence, 1, append(g.held, 0x1b, c), 1
	case g.state == plainText && c != 0x1b:
		g.let(c)
	case g.state == report:
		g.report(c)
	case c == 0x1b:
		g.broken()
		g.state, g.held = escaped, append(g.held, c)
	case g.state == escaped && strings.IndexByte("]P_", c) >= 0 && g.paste < 0:
		g.state, g.held = opening, append(g.held, c)
	case g.state == opening:
		g.open(c)
	case g.state == escaped && c == '[':
		g.state, g.count, g.held = sequence, 1, append(g.held, c)
	case g.state == escaped:
		g.lone = g.lone || c != 'O' && g.paste < 0
		g.held = append(g.held, c)
		g.release()
	case c < 0x20 || c == 0x7f:
		g.broken()
		g.let(c)
	case g.state == flood:
		if c >= 0x40 {
			g.state = plainText
		}
	default:
		g.follow(c)
	}
}

// open tells a report from a key with alt: a report goes on with a digit or a sign.
func (g *guard) open(c byte) {
	g.held = append(g.held, c)
	if c >= '0' && c <= '9' || strings.IndexByte("!>+G", c) >= 0 {
		g.shade = nil
		if g.sent == 0 && bytes.HasPrefix(background, g.held) {
			g.shade = bytes.Clone(g.held)
		}
		g.forget()
		g.state = report
		return
	}
	g.release()
}

// background begins the report of the background's colour.
var background = []byte("\x1b]11;")

// heard keeps a byte of the background's colour.
func (g *guard) heard(c byte) {
	if g.shade == nil {
		return
	}
	g.shade = append(g.shade, c)
	if n := min(len(g.shade), len(background)); !bytes.Equal(g.shade[:n], background[:n]) || len(g.shade) > longest {
		g.shade = nil
	}
}

// report drops a byte of a report, up to its end. A key that controls, or another sequence, ends it too.
func (g *guard) report(c byte) {
	escape := len(g.held) == 1
	g.heard(c)
	switch {
	case escape && c == '\\', c == '\a':
		g.safe = append(g.safe, g.shade...)
		g.forget()
	case escape:
		g.forget()
		g.state, g.held = escaped, append(g.held, 0x1b)
		g.next(c)
	case c == 0x1b:
		g.held = append(g.held[:0], c)
	case c < 0x20:
		g.forget()
		g.let(c)
	}
}

// follow takes a byte of a sequence.
func (g *guard) follow(c byte) {
	g.held = append(g.held, c)
	if c == ';' || c == ':' {
		g.count++
	}
	switch {
	case c >= 0x40:
		g.finish()
	case g.count > mostParameters || len(g.held) >= longest:
		g.forget()
		g.state = flood
	}
}

// finish lets a whole sequence through. A paste begins and ends once.
func (g *guard) finish() {
	switch {
	case bytes.Equal(g.held, pasteStart):
		if g.paste < 0 {
			g.safe, g.paste = append(g.safe, g.held[g.sent:]...), 0
		}
		g.forget()
	case bytes.Equal(g.held, pasteEnd):
		if g.paste >= 0 {
			g.safe = append(g.safe, g.held[g.sent:]...)
		}
		g.paste = -1
		g.forget()
	default:
		g.release()
	}
}

// broken ends what is under way without its end: a lone escape is a key, a sequence whose rest is lost is nothing.
func (g *guard) broken() {
	if g.state == escaped || g.state == opening {
		g.release()
	}
	g.forget()
}

// release lets through what was held back.
func (g *guard) release() {
	for _, c := range g.held[g.sent:] {
		g.let(c)
	}
	g.forget()
}

// let lets a byte through, unless it is one too many of a paste.
func (g *guard) let(c byte) {
	if g.paste >= 0 {
		if g.paste++; g.paste > mostPaste {
			return
		}
	}
	g.safe = append(g.safe, c)
}
