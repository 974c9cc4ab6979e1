package terminal

import (
	"bytes"
	"io"
	"sync"
	"time"
)

// The guard stands between the terminal and the loop. It lets nothing through that would crash or deafen the program: control sequences
// with more parameters than any terminal sends, pastes without an end, keys typed while the screen stood still.
type guard struct {
	in    io.Reader
	out   *io.PipeWriter
	read  *io.PipeReader
	mu    sync.Mutex
	off   bool
	state int // of the sequence under way
	count int // parameters in it
	held  []byte
	paste int // bytes of the paste under way; -1 when there is none
	last  time.Time
}

const (
	mostParameters = 16
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
func (g *guard) run(stalled func() bool, dropped func(int), gone func()) {
	chunks := make(chan []byte)
	go func() {
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
	}()
	go func() {
		defer gone()
		defer g.out.Close()
		tick := time.NewTimer(time.Hour)
		defer tick.Stop()
		for {
			tick.Reset(time.Hour)
			if g.paste >= 0 {
				tick.Reset(pasteIdle)
			}
			select {
			case chunk, open := <-chunks:
				if !open {
					return
				}
				g.take(chunk, stalled, dropped)
			case <-tick.C:
				g.endPaste()
			}
		}
	}()
}

// take passes a chunk on, or drops it.
func (g *guard) take(chunk []byte, stalled func() bool, dropped func(int)) {
	g.mu.Lock()
	off := g.off
	g.mu.Unlock()
	if off {
		return
	}
	if stalled() && chunk[0] != 3 {
		dropped(len(chunk))
		return
	}
	if safe := g.filter(chunk); len(safe) > 0 {
		_, _ = g.out.Write(safe)
	}
}

// endPaste closes a paste whose end was lost.
func (g *guard) endPaste() {
	if g.paste >= 0 {
		g.paste = -1
		_, _ = g.out.Write(pasteEnd)
	}
}

// filter drops control sequences with too many parameters, and the part of a paste beyond its limit.
func (g *guard) filter(chunk []byte) []byte {
	out := make([]byte, 0, len(chunk)+len(g.held))
	flush := func() {
		out = append(out, g.held...)
		g.held = g.held[:0]
	}
	for _, c := range chunk {
		switch g.state {
		case 0:
			if c == 0x1b {
				g.state, g.held = 1, append(g.held, c)
				continue
			}
			if g.paste >= 0 {
				if g.paste++; g.paste > mostPaste {
					continue
				}
			}
			out = append(out, c)
		case 1:
			g.held = append(g.held, c)
			if c == '[' {
				g.state, g.count = 2, 1
				continue
			}
			g.state = 0
			flush()
		case 2:
			g.held = append(g.held, c)
			if c == ';' || c == ':' {
				g.count++
			}
			if c < 0x40 && len(g.held) < 256 {
				continue
			}
			g.state = 0
			switch {
			case g.count > mostParameters || len(g.held) >= 256:
				g.held = g.held[:0]
			case bytes.Equal(g.held, pasteStart):
				if g.paste < 0 {
					g.paste = 0
					flush()
				}
				g.held = g.held[:0]
			case bytes.Equal(g.held, pasteEnd):
				if g.paste >= 0 {
					flush()
				}
				g.paste, g.held = -1, g.held[:0]
			default:
				flush()
			}
		}
	}
	if g.state == 1 {
		flush() // a lone escape is a key
		g.state = 0
	}
	return out
}
