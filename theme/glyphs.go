package theme

import "strings"

// Glyphs are the shapes that a theme draws with, each one cell wide.
type Glyphs struct {
	Cursor, Mark                                     string // before a row
	OK, Problem, Pending, Disabled, Unknown          string // states, beside their word
	Live, Stale                                      string // freshness
	Up, Down, Left, Right                            string // sort, more rows, choices
	Ellipsis, Bullet, Dots                           string
	Done, Refused                                    string // news
	H, V, TopLeft, TopRight, BottomLeft, BottomRight string
	Full, Empty, Mask                                string // a share of a whole and its rest, a hidden letter
}

func unicode() Glyphs {
	return Glyphs{
		Cursor: "▸", Mark: "✓", OK: "●", Problem: "▲", Pending: "◌", Disabled: "○", Unknown: "?", Live: "●", Stale: "◌",
		Up: "▲", Down: "▼", Left: "‹", Right: "›", Ellipsis: "…", Bullet: "·", Dots: "⋯", Done: "✓", Refused: "✗",
		H: "─", V: "│", TopLeft: "╭", TopRight: "╮", BottomLeft: "╰", BottomRight: "╯", Full: "█", Empty: "░", Mask: "•",
	}
}

func ascii() Glyphs {
	return Glyphs{
		Cursor: ">", Mark: "*", OK: "+", Problem: "!", Pending: "~", Disabled: "-", Unknown: "?", Live: "*", Stale: "~",
		Up: "^", Down: "v", Left: "<", Right: ">", Ellipsis: "~", Bullet: "-", Dots: ":", Done: "+", Refused: "x",
		H: "-", V: "|", TopLeft: "+", TopRight: "+", BottomLeft: "+", BottomRight: "+", Full: "#", Empty: ".", Mask: "*",
	}
}

// Spoken is a theme for text that is read aloud: its shapes stand for words, which Aloud puts in their places.
func Spoken() *Theme {
	return &Theme{Name: "spoken", Dark: true, Glyphs: Glyphs{
		Cursor: shape(0), Mark: shape(1), OK: shape(2), Problem: shape(3), Pending: shape(4), Disabled: shape(5), Unknown: shape(6), Live: shape(0), Stale: shape(0),
		Up: shape(0), Down: shape(0), Left: shape(0), Right: shape(7), Ellipsis: shape(8), Bullet: shape(7), Dots: shape(8), Done: shape(9), Refused: shape(10),
		H: shape(0), V: shape(0), TopLeft: shape(0), TopRight: shape(0), BottomLeft: shape(0), BottomRight: shape(0), Full: shape(0), Empty: shape(0), Mask: "*",
	}}
}

// shape is a rune for private use, which no cleaned text holds.
func shape(n int) string { return string(rune(0xe000 + n)) }

// Aloud is a line that was drawn in the theme Spoken, as a sentence: shapes are words unless their words follow, lines and columns are gone.
func Aloud(line string) string {
	line = strings.NewReplacer(" · ", ", ", " › ", ", ", "—", "none", "·", ",", "…", "...", "›", ",").Replace(line)
	words := [...]string{"", "marked", "ok", "problem", "pending", "disabled", "unknown", ",", "...", "done:", "wrong:"}
	var out strings.Builder
	skip := 0
	for i, r := range line {
		n := int(r) - 0xe000
		switch {
		case i < skip:
		case n < 0 || n >= len(words):
			if r < 0x2500 || r > 0x259f { // lines and blocks
				out.WriteRune(r)
			}
		case n == 0 || n > 6:
			out.WriteString(words[n])
		default:
			after := i + len(string(r))
			rest := strings.TrimLeft(line[after:], " ")
			if strings.HasPrefix(strings.TrimLeft(rest, " 0123456789"), words[n]) {
				skip = len(line) - len(rest)
				continue
			}
			out.WriteString(words[n] + ":")
		}
	}
	var parts []string
	for part := range strings.SplitSeq(out.String(), "  ") {
		if part = strings.Trim(part, " ,"); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}
