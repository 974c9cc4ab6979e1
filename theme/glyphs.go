package theme

import "strings"

// Glyphs are the shapes that a theme draws with. Each is one cell wide.
type Glyphs struct {
	Cursor, Mark                                                     string // in front of a row
	OK, Problem, Pending, Disabled, Unknown                          string // states, in front of their words
	Live, Stale                                                      string // freshness
	Up, Down, Left, Right                                            string // sort order, more rows, choices
	Ellipsis, Bullet                                                 string
	Success, Failure                                                 string // messages
	Horizontal, Vertical, TopLeft, TopRight, BottomLeft, BottomRight string // borders
	Full, Empty                                                      string // a share of a whole, and the rest
	Mask                                                             string // a hidden letter
}

func unicodeGlyphs() Glyphs {
	return Glyphs{
		Cursor:      "▸",
		Mark:        "✓",
		OK:          "●",
		Problem:     "▲",
		Pending:     "◌",
		Disabled:    "○",
		Unknown:     "?",
		Live:        "●",
		Stale:       "◌",
		Up:          "▲",
		Down:        "▼",
		Left:        "‹",
		Right:       "›",
		Ellipsis:    "…",
		Bullet:      "·",
		Success:     "✓",
		Failure:     "✗",
		Horizontal:  "─",
		Vertical:    "│",
		TopLeft:     "╭",
		TopRight:    "╮",
		BottomLeft:  "╰",
		BottomRight: "╯",
		Full:        "█",
		Empty:       "░",
		Mask:        "•",
	}
}

func asciiGlyphs() Glyphs {
	return Glyphs{
		Cursor:      ">",
		Mark:        "*",
		OK:          "+",
		Problem:     "!",
		Pending:     "~",
		Disabled:    "-",
		Unknown:     "?",
		Live:        "*",
		Stale:       "~",
		Up:          "^",
		Down:        "v",
		Left:        "<",
		Right:       ">",
		Ellipsis:    "~",
		Bullet:      "-",
		Success:     "+",
		Failure:     "x",
		Horizontal:  "-",
		Vertical:    "|",
		TopLeft:     "+",
		TopRight:    "+",
		BottomLeft:  "+",
		BottomRight: "+",
		Full:        "#",
		Empty:       ".",
		Mask:        "*",
	}
}

// NewScreenReader returns a theme for text that is read aloud. Its glyphs are placeholders that ScreenReaderText
// replaces by words.
func NewScreenReader() *Theme {
	return &Theme{Name: "spoken", Dark: true, Glyphs: Glyphs{
		Cursor:      placeholder(0),
		Mark:        placeholder(1),
		OK:          placeholder(2),
		Problem:     placeholder(3),
		Pending:     placeholder(4),
		Disabled:    placeholder(5),
		Unknown:     placeholder(6),
		Live:        placeholder(0),
		Stale:       placeholder(0),
		Up:          placeholder(0),
		Down:        placeholder(0),
		Left:        placeholder(0),
		Right:       placeholder(7),
		Ellipsis:    placeholder(8),
		Bullet:      placeholder(7),
		Success:     placeholder(9),
		Failure:     placeholder(10),
		Horizontal:  placeholder(0),
		Vertical:    placeholder(0),
		TopLeft:     placeholder(0),
		TopRight:    placeholder(0),
		BottomLeft:  placeholder(0),
		BottomRight: placeholder(0),
		Full:        placeholder(0),
		Empty:       placeholder(0),
		Mask:        "*",
	}}
}

// placeholder returns a character from Unicode's private use area, which cleaned text never contains.
func placeholder(n int) string { return string(rune(firstPlaceholder + n)) }

const firstPlaceholder = 0xe000

// ScreenReaderText turns a line drawn in the theme of NewScreenReader into a sentence: a placeholder becomes its word
// unless that word follows it, and borders and columns disappear.
func ScreenReaderText(line string) string {
	line = strings.NewReplacer(" · ", ", ", " › ", ", ", "—", "none", "·", ",", "…", "...").Replace(line)
	words := [...]string{"", "marked", "ok", "problem", "pending", "disabled", "unknown", ",", "...", "done:", "wrong:"}
	var out strings.Builder
	skip := 0
	for i, r := range line {
		n := int(r) - firstPlaceholder
		switch {
		case i < skip:
		case n < 0 || n >= len(words):
			if r < 0x2500 || r > 0x259f { // not a line or a block
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
