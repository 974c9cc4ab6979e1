package theme

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
