package terminal

// LineSpeedMsg says how many bits a second the line to the terminal carries, as measured by the terminal's own answers,
// or as set on a serial line. It is sent to the screen when the line turns out to be slow, and when it no longer is.
// Until then, and for a terminal that never answers, the line counts as fast.
type LineSpeedMsg struct{ BitsPerSecond int }

// slowLineRate is the rate up to which a line is slow. At 64,000 bits a second, a whole frame of 200x50 takes a second.
const slowLineRate = 64_000

// IsSlow reports whether a frame takes so long that only those with something new to say should be drawn.
func (r LineSpeedMsg) IsSlow() bool { return r.BitsPerSecond > 0 && r.BitsPerSecond <= slowLineRate }
