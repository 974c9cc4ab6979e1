package terminal

import (
	"bytes"
	"io"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"lookout/client/faulttest"
)

// runUnprotected runs work without recovery, so that a panic fails the test.
func runUnprotected(work func()) { work() }

// filterChunks returns what a filter passes on of these chunks.
func filterChunks(chunks ...string) string {
	g := newInputFilter(nil)
	var out []byte
	for _, c := range chunks {
		out = append(out, g.filter([]byte(c))...)
	}
	return string(out)
}

func TestInputFilter_filter(t *testing.T) {
	many := strings.Repeat("1;", 40)
	long := strings.Repeat("7", 5000)
	for name, c := range map[string]struct{ in, out string }{
		"keys":                        {"jk\x1b[A\x1bOP\x1b[1;5Cé日\x03", "jk\x1b[A\x1bOP\x1b[1;5Cé日\x03"},
		"mouse":                       {"\x1b[<64;10;12M\x1b[<0;1;1m", "\x1b[<64;10;12M\x1b[<0;1;1m"},
		"too many parameters":         {"a\x1b[" + many + "mb", "ab"},
		"too long":                    {"a\x1b[" + long + "mb", "ab"},
		"colons count":                {"a\x1b[" + strings.Repeat("1:", 40) + "ub", "ab"},
		"a key in a sequence":         {"\x1b[1;\x03q", "\x03q"},
		"a sequence in a sequence":    {"\x1b[1;\x1b[A", "\x1b[A"},
		"a key ends a flood":          {"\x1b[" + many + "\x03q", "\x03q"},
		"escape twice":                {"\x1b\x1b[" + many + "mb", "\x1bb"},
		"a flood behind an escape":    {"\x1b\x1b[" + many + "m[A", "\x1b[A"},
		"a paste":                     {"\x1b[200~rm -rf\n\x1b[201~j", "\x1b[200~rm -rf\n\x1b[201~j"},
		"an end without a paste":      {"\x1b[201~j", "j"},
		"a paste in a paste":          {"\x1b[200~a\x1b[200~b\x1b[201~j\x1b[201~k", "\x1b[200~ab\x1b[201~jk"},
		"a sequence in a paste":       {"\x1b[200~a\x1b[31mb\x1b[201~", "\x1b[200~a\x1b[31mb\x1b[201~"},
		"a flood in a paste":          {"\x1b[200~a\x1b[" + many + "mb\x1b[201~", "\x1b[200~ab\x1b[201~"},
		"text that looks like an end": {"\x1b[200~[201~\x1b[201~", "\x1b[200~[201~\x1b[201~"},
	} {
		if got := filterChunks(c.in); got != c.out {
			t.Errorf("%s: %q", name, got)
		}
		for cut := range len(c.in) { // wherever the input is cut in two
			got := filterChunks(c.in[:cut], c.in[cut:])
			if got != c.out && strings.ReplaceAll(got, "\x1b", "") != strings.ReplaceAll(c.out, "\x1b", "") {
				t.Errorf("%s, cut at %d: %q", name, cut, got)
			}
		}
	}
}

// The report of the background colour is passed on whole or not at all, wherever it is cut, because its letters would
// be keys.
func TestInputFilter_backgroundReport(t *testing.T) {
	for _, answer := range []string{"\x1b]11;rgb:ffff/ffff/ffff\x1b\\", "\x1b]11;rgb:0000/0000/0000\a"} {
		for cut := range len(answer) {
			got := filterChunks("j"+answer[:cut], answer[cut:]+"k")
			if got != "j"+answer+"k" && got != "j\x1bk" && got != "j\x1b]k" {
				t.Errorf("cut at %d: %q", cut, got)
			}
		}
	}
	for in, out := range map[string]string{
		"\x1b]j":      "\x1b]j",
		"\x1b]1j":     "",
		"\x1b]\x1b[A": "\x1b]\x1b[A",
		"\x1b]11;" + strings.Repeat("x", 5000) + "\ak": "k",
		"\x1b]11;rgb\x03q":  "\x03q",
		"\x1b]11;rgb\x1b[A": "\x1b[A",
	} {
		if got := filterChunks(in); got != out {
			t.Errorf("%q: %q", in, got)
		}
	}
}

// A lone escape is passed on at once; the rest of a sequence behind it is still recognised.
func TestInputFilter_loneEscapePassesAtOnce(t *testing.T) {
	g := newInputFilter(nil)
	if got := g.filter([]byte("\x1b")); string(got) != "\x1b" {
		t.Errorf("%q", got)
	}
	if got := g.filter([]byte("[200~x")); string(got) != "[200~x" || g.pasteBytes != 1 {
		t.Errorf("%q, paste %d", got, g.pasteBytes)
	}
}

// A paste is cut at its limit, even within a sequence, and keeps its end.
func TestInputFilter_limitsPaste(t *testing.T) {
	for name, part := range map[string]string{"letters": "x", "sequences": "\x1b[A"} {
		faulttest.RunCase(t, "J11", "a paste of 2 MB, "+name, func(t *testing.T) {
			got := filterChunks("\x1b[200~", strings.Repeat(part, 2*maxPasteBytes/len(part)), "\x1b[201~", "j")
			if len(got) > maxPasteBytes+len(pasteStart)+len(pasteEnd)+1 || !strings.HasSuffix(got, "\x1b[201~j") {
				t.Errorf("%q: %d bytes, %q at the end", part, len(got), got[len(got)-10:])
			}
		})
	}
}

// For random input in random pieces, no sequence with too many parameters is passed on, and no byte is added.
func TestInputFilter_dropsLongSequences(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	alphabet := []string{
		"\x1b",
		"[",
		";",
		":",
		"1",
		"m",
		"~",
		"x",
		"\x1b[200~",
		"\x1b[201~",
		strings.Repeat("1;", 30),
		"é",
		"\x03",
		"\x7f",
	}
	for range 3000 {
		g := newInputFilter(nil)
		var in, out []byte
		for range 1 + r.IntN(12) {
			var chunk []byte
			for range 1 + r.IntN(6) {
				chunk = append(chunk, alphabet[r.IntN(len(alphabet))]...)
			}
			in = append(in, chunk...)
			out = append(out, g.filter(chunk)...)
		}
		if long := overlongSequence(out); long != "" {
			t.Fatalf("%q passes %q on", in, long)
		}
		rest := in
		for _, c := range out {
			i := bytes.IndexByte(rest, c)
			if i < 0 {
				t.Fatalf("%q becomes %q", in, out)
			}
			rest = rest[i+1:]
		}
	}
}

// filterTest is a filter on a terminal, and what the loop reads from it.
type filterTest struct {
	input   *io.PipeWriter
	output  chan string
	stalled atomic.Bool
	dropped atomic.Int64
	gone    chan struct{}
	filter  *inputFilter
}

// An endedReader fails the test if it is read again after its end, which would take a whole core for nothing.
type endedReader struct {
	io.Reader
	ended bool
}

func (r *endedReader) Read(p []byte) (int, error) {
	if r.ended {
		panic("the terminal is read again after its end")
	}
	n, err := r.Reader.Read(p)
	r.ended = err != nil
	return n, err
}

func startFilterTest() *filterTest {
	in, typed := io.Pipe()
	r := &filterTest{
		input:  typed,
		output: make(chan string, 100),
		gone:   make(chan struct{}),
		filter: newInputFilter(&endedReader{Reader: in}),
	}
	stalled := func(time.Time) bool { return r.stalled.Load() }
	r.filter.run(runUnprotected, stalled, func(n int) { r.dropped.Add(int64(n)) }, func() { close(r.gone) })
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := r.filter.Read(buffer)
			if err != nil {
				close(r.output)
				return
			}
			if text := string(buffer[:n]); text != readMark {
				r.output <- text
			}
		}
	}()
	return r
}

// read returns everything passed on so far.
func (r *filterTest) read() (text string) {
	synctest.Wait()
	for {
		select {
		case part, open := <-r.output:
			if !open {
				return text
			}
			text += part
		default:
			return text
		}
	}
}

func (r *filterTest) write(text string) {
	_, _ = io.WriteString(r.input, text)
	synctest.Wait()
}

func TestInputFilter_closesUnfinishedPaste(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startFilterTest()
		r.write("\x1b[200~half")
		time.Sleep(pasteTimeout - time.Millisecond)
		r.write("more")
		time.Sleep(pasteTimeout - time.Millisecond)
		if got := r.read(); got != "\x1b[200~halfmore" {
			t.Errorf("%q", got)
		}
		time.Sleep(2 * time.Millisecond)
		r.write("j")
		if got := r.read(); got != "\x1b[201~j" {
			t.Errorf("%q", got)
		}
		r.input.Close()
		<-r.gone
	})
}

// A paste without an end ends although the terminal goes on to answer: the clock on the screen asks it each second.
func TestInputFilter_answersKeepNoPasteOpen(t *testing.T) {
	for name, c := range map[string]struct {
		stalled bool
		want    string
	}{
		"in a paste":                         {false, "\x1b[200~half\x1b[201~j"},
		"in one whose beginning was dropped": {true, "j"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := startFilterTest()
				r.stalled.Store(c.stalled)
				r.write("\x1b[200~half")
				r.stalled.Store(false)
				for range 5 {
					time.Sleep(pasteTimeout / 2)
					r.write(string(answerSequence))
				}
				r.write("j")
				if got := r.read(); got != c.want {
					t.Errorf("%q, want %q", got, c.want)
				}
				r.input.Close()
				<-r.gone
			})
		})
	}
}

// Input is dropped and counted while the screen does not respond, except for ctrl+c. The rest of a sequence whose
// beginning was dropped is text.
func TestInputFilter_dropsInputWhileStalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startFilterTest()
		r.write("a\x1b[1")
		r.stalled.Store(true)
		r.write("Dy")
		r.write("\x03")
		r.stalled.Store(false)
		r.write("b")
		if got := r.read(); got != "a\x03b" || r.dropped.Load() != 2 {
			t.Errorf("%q, %d dropped", got, r.dropped.Load())
		}
		r.input.Close()
		<-r.gone
	})
}

// What is typed after a sequence, a report or a paste was cut off is not taken for the rest of it.
func TestInputFilter_keyAfterCut(t *testing.T) {
	for name, c := range map[string]struct {
		cut  string
		next func(*filterTest)
		want string
	}{
		"a sequence, lent to another program": {"\x1b[1", func(r *filterTest) {
			r.filter.setPaused(true)
			r.write("x")
			r.filter.setPaused(false)
		}, "A"},
		"a sequence, the terminal hangs": {"\x1b[1", func(r *filterTest) {
			r.stalled.Store(true)
			r.write("x")
			r.stalled.Store(false)
		}, "A"},
		"a report, no input": {"\x1b]11;rgb", func(*filterTest) { time.Sleep(pasteTimeout) }, "A"},
		"a sequence in a paste, no input": {
			"\x1b[200~half\x1b[1", func(*filterTest) { time.Sleep(pasteTimeout) }, "\x1b[200~half\x1b[201~A",
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := startFilterTest()
			r.write(c.cut)
			c.next(r)
			synctest.Wait()
			r.write("A")
			if got := r.read(); got != c.want {
				t.Errorf("%s: %q, want %q", name, got, c.want)
			}
			r.input.Close()
			<-r.gone
		})
	}
}

// Answers to requests for the terminal's status are counted and never passed on, even while input is dropped.
func TestInputFilter_countsAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startFilterTest()
		answers := 0
		r.filter.answered = func() { answers++ }
		r.write("j\x1b[0n\x1b[0nk")
		r.write("\x1b[0")
		r.write("nl")
		r.stalled.Store(true)
		r.write("\x1b[0n")
		r.write("Dy\x1b[0n")
		r.stalled.Store(false)
		r.write("m")
		if got := r.read(); got != "jklm" || answers != 5 || r.dropped.Load() != 2 {
			t.Errorf("%q, %d answers, %d dropped", got, answers, r.dropped.Load())
		}
		r.input.Close()
		<-r.gone
	})
}

// An answer that arrives byte by byte, because the connection holds the rest back, is no key. Escape is one, as soon as
// no answer is to come any more.
func TestInputFilter_cutAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startFilterTest()
		var answers atomic.Int32
		r.filter.answered = func() { answers.Add(1) }
		var awaited atomic.Bool
		awaited.Store(true)
		r.filter.awaited = awaited.Load
		for _, report := range []string{"\x1b[0n", "\x1b]11;?\x1b\\", "\x1b[A", "\x1b[0n"} {
			for _, c := range report {
				r.write(string(c))
				time.Sleep(answerGap - 2*awaitedInterval)
			}
		}
		if got := r.read(); got != "\x1b]11;?\x1b\\\x1b[A" || answers.Load() != 2 {
			t.Errorf("%q, %d answers", got, answers.Load())
		}
		r.write("\x1b")
		time.Sleep(answerGap)
		if got := r.read(); got != "\x1b" {
			t.Errorf("%q in place of escape", got)
		}
		r.write("j")
		time.Sleep(escapeTimeout)
		r.write("\x1b")
		time.Sleep(awaitedInterval / 2)
		awaited.Store(false)
		time.Sleep(awaitedInterval)
		if got := r.read(); got != "j\x1b" {
			t.Errorf("%q although no answer is to come any more", got)
		}
		awaited.Store(true)
		time.Sleep(escapeTimeout)
		r.write("\x1b")
		r.write("k")
		time.Sleep(escapeTimeout)
		if got := r.read(); got != "\x1bk" {
			t.Errorf("%q", got)
		}
		r.input.Close()
		<-r.gone
	})
}

// While another program has the terminal, input is dropped, but answers count.
func TestInputFilter_paused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startFilterTest()
		answers := 0
		r.filter.answered = func() { answers++ }
		r.filter.setPaused(true)
		r.write(":wq\r\x1b[0n")
		r.filter.setPaused(false)
		r.write("j")
		if got := r.read(); got != "j" || answers != 1 {
			t.Errorf("%q, %d answers", got, answers)
		}
		r.input.Close()
		<-r.gone
	})
}

// A key right behind an escape is a key of its own, and does not delay the keys behind it. The rest of a sequence is
// not delayed at all.
func TestInputFilter_keyAfterEscape(t *testing.T) {
	const beat = 20 * time.Millisecond
	for name, c := range map[string]struct {
		typed []string
		times []time.Duration // when the loop received each
	}{
		"typed on": {
			[]string{"\x1b", "j", "k", "j", "k", "j"},
			[]time.Duration{0, escapeTimeout, escapeTimeout, escapeTimeout, 4 * beat, 5 * beat},
		},
		"a key with alt": {
			[]string{"\x1bj", "k"},
			[]time.Duration{0, escapeTimeout},
		},
		"ctrl+c": {
			[]string{"\x1b", "\x03"},
			[]time.Duration{0, escapeTimeout},
		},
		"a cut sequence": {
			[]string{"\x1b", "[A", "k"},
			[]time.Duration{0, beat, escapeTimeout},
		},
		"arrows": {
			[]string{"\x1b[A", "\x1b[B", "\x1bOA", "\x1bOB", "j"},
			[]time.Duration{0, beat, 2 * beat, 3 * beat, 4 * beat},
		},
		"an arrow after it": {
			[]string{"\x1b", "\x1b[A", "j"},
			[]time.Duration{0, escapeTimeout, escapeTimeout},
		},
		"escapes in pastes": {
			[]string{"\x1b[200~\x1bx", "y\x1b[201~", "j"},
			[]time.Duration{0, beat, 2 * beat},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { requireArrivals(t, c.typed, c.times, beat) })
		})
	}
}

// requireArrivals types one text per interval, and requires the loop to receive each on time.
func requireArrivals(t *testing.T, typed []string, times []time.Duration, beat time.Duration) {
	t.Helper()
	r := startFilterTest()
	begun := time.Now()
	go func() {
		for n, keys := range typed {
			time.Sleep(time.Until(begun.Add(time.Duration(n) * beat)))
			_, _ = io.WriteString(r.input, keys)
		}
	}()
	for n, keys := range typed {
		if got := <-r.output; got != keys || time.Since(begun) != times[n] {
			t.Errorf("%q: received %q after %v, want it after %v", keys, got, time.Since(begun), times[n])
		}
	}
	r.input.Close()
	<-r.gone
}

// Much text at once counts as a paste even without the marks of one. A key that is held down does not, nor does text
// that can be typed.
func TestInputFilter_burstIsPaste(t *testing.T) {
	burst := strings.Repeat("Dy", 80)
	for name, c := range map[string]struct{ in, out string }{
		"a burst":     {burst, "\x1b[200~" + burst + "\x1b[201~"},
		"a held key":  {strings.Repeat("j", 200), strings.Repeat("j", 200)},
		"typed":       {"edge-router\r", "edge-router\r"},
		"arrows":      {strings.Repeat("\x1b[A", 60), strings.Repeat("\x1b[A", 60)},
		"with ctrl+c": {burst + "\x03", burst + "\x03"},
	} {
		r := startFilterTest()
		go func() { _, _ = io.WriteString(r.input, c.in) }()
		got := ""
		for len(got) < len(c.out) {
			select {
			case part := <-r.output:
				got += part
			case <-time.After(10 * time.Second):
				t.Fatalf("%s: only %q", name, got)
			}
		}
		if got != c.out {
			t.Errorf("%s: %q", name, got)
		}
		r.input.Close()
	}
}

// A key that is typed after a burst is a key, even if the loop is still busy with the burst.
func TestInputFilter_keyBehindBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startFilterTest()
		for range cap(r.output) { // the loop is busy
			r.output <- ""
		}
		burst := strings.Repeat("Dy", 80)
		for range 5 {
			r.write(burst)
		}
		time.Sleep(2 * burstGap)
		r.write("j")
		want := strings.Repeat("\x1b[200~"+burst+"\x1b[201~", 5) + "j"
		got := ""
		for len(got) < len(want) {
			got += <-r.output
		}
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
		r.input.Close()
		<-r.gone
	})
}

// The text of a marked paste is no second paste, even if it comes right after the mark.
func TestInputFilter_burstInPaste(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startFilterTest()
		burst := strings.Repeat("Dy", 80)
		for _, chunk := range []string{"\x1b[200~", burst, "\x1b[201~", "j"} {
			r.write(chunk)
		}
		if got, want := r.read(), "\x1b[200~"+burst+"\x1b[201~j"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		r.input.Close()
		<-r.gone
	})
}

// The rest of a paste whose beginning was dropped is dropped too, and never becomes keys: until its end, or until no
// input has come for a while. ctrl+c and what follows the paste are passed on.
func TestInputFilter_tailOfDroppedPasteIsNoKeys(t *testing.T) {
	const first, rest = "\x1b[200~D", "y"
	for name, c := range map[string]struct {
		before, stalled, after []string
		want                   string
	}{
		"its end follows":         {nil, []string{first}, []string{rest, "y\x1b[201~j"}, "j"},
		"its end is cut":          {nil, []string{first}, []string{"y\x1b[2", "01~j"}, "j"},
		"its start is cut":        {nil, []string{"\x1b[20", "0~D"}, []string{rest, "\x1b[201~j"}, "j"},
		"its end was dropped":     {nil, []string{first, rest + "\x1b[201~"}, []string{"j"}, "j"},
		"two, the second is open": {nil, []string{first + "\x1b[201~\x1b[200~"}, []string{rest, "\x1b[201~j"}, "j"},
		"ctrl+c":                  {nil, []string{first}, []string{rest, "\x03", rest, "\x1b[201~j"}, "\x03j"},
		"it began before":         {[]string{first}, []string{"y"}, []string{"y", "\x1b[201~j"}, first + "\x1b[201~j"},
		"not marked": {
			nil, []string{strings.Repeat("Dy", 80)}, []string{"Dy"}, "\x1b[200~Dy\x1b[201~",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := startFilterTest()
				for stalled, chunks := range [][]string{c.before, c.stalled, c.after} {
					r.stalled.Store(stalled == 1)
					for _, chunk := range chunks {
						r.write(chunk)
					}
				}
				if got := r.read(); got != c.want {
					t.Errorf("%q, want %q", got, c.want)
				}
				r.input.Close()
				<-r.gone
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		r := startFilterTest()
		r.stalled.Store(true)
		r.write(first)
		r.stalled.Store(false)
		time.Sleep(pasteTimeout + time.Millisecond)
		if r.write("j"); r.read() != "j" {
			t.Error("input stays dropped although the paste has no end")
		}
		r.input.Close()
		<-r.gone
	})
}
