package terminal

import (
	"strconv"
	"strings"
)

// A style is the state of a terminal's SGR attributes. The zero value is the terminal's default.
type style struct {
	attrs                  uint16 // bit n is SGR attribute n: 1 bold … 9 struck out
	foreground, background color
}

// A color is the terminal's default (0), or a kind (16 colours, 256 colours, RGB) with a value in the lower 24 bits.
type color uint32

const (
	color16 color = (iota + 1) << 24
	color256
	colorRGB
)

// Attributes that are visible on a blank.
const (
	attrUnderline = 1 << 4
	attrReverse   = 1 << 7
	attrStrike    = 1 << 9
)

// visibleOnBlank returns the part of a style that is visible on a blank.
func (p style) visibleOnBlank() style {
	p.attrs &= attrUnderline | attrReverse | attrStrike
	if p.attrs == 0 {
		p.foreground = 0
	}
	return p
}

// escapeLength returns the length of the escape sequence at the beginning of a text, and whether it is SGR.
func escapeLength(text string) (n int, sgr bool) {
	if len(text) < 2 || text[1] != '[' {
		return 1, false
	}
	for i := 2; i < len(text); i++ {
		if c := text[i]; c >= 0x40 && c <= 0x7e {
			return i + 1, c == 'm'
		}
	}
	return len(text), false
}

// applySGR applies the parameters of an SGR sequence. No theme uses parameters with colons; they are ignored.
func (p *style) applySGR(codes string) {
	if strings.IndexByte(codes, ':') >= 0 {
		return
	}
	for more := true; more; {
		var code int
		code, codes, more = parseNumber(codes)
		switch {
		case code == 0:
			*p = style{}
		case code <= 9:
			p.attrs |= 1 << code
		case code == 22:
			p.attrs &^= 1<<1 | 1<<2
		case code > 22 && code <= 29:
			p.attrs &^= 1 << (code - 20)
		case code == 38:
			p.foreground, codes, more = parseExtendedColor(codes)
		case code == 48:
			p.background, codes, more = parseExtendedColor(codes)
		case code == 39:
			p.foreground = 0
		case code == 49:
			p.background = 0
		case code >= 30 && code <= 37 || code >= 90 && code <= 97:
			p.foreground = color16 | color(code)
		case code >= 40 && code <= 47 || code >= 100 && code <= 107:
			p.background = color16 | color(code)
		}
	}
}

// parseNumber cuts off the first parameter; an empty one is 0. The letter at the end of a sequence counts for nothing.
func parseNumber(codes string) (n int, rest string, more bool) {
	for i := range len(codes) {
		switch c := codes[i]; {
		case c == ';':
			return n, codes[i+1:], true
		case c >= '0' && c <= '9' && n < 1000:
			n = n*10 + int(c-'0')
		}
	}
	return n, "", false
}

// parseExtendedColor parses a colour of the form "5;n" or "2;r;g;b".
func parseExtendedColor(codes string) (c color, rest string, more bool) {
	kind, rest, more := parseNumber(codes)
	count := 0
	switch kind {
	case 5:
		c, count = color256, 1
	case 2:
		c, count = colorRGB, 3
	}
	for shift := 8 * (count - 1); shift >= 0; shift -= 8 {
		var n int
		n, rest, more = parseNumber(rest)
		c |= color(n&0xff) << shift
	}
	return c, rest, more
}

// appendChange appends the shortest SGR sequence that changes a terminal's style from p to q.
func (p style) appendChange(out []byte, q style) []byte {
	switch {
	case p == q:
		return out
	case q == style{}:
		return append(out, "\x1b[m"...)
	}
	out = append(out, "\x1b["...)
	start := len(out)
	rest, removed := p.appendRemoved(out, q)
	out = rest.appendAdded(removed, q)
	if len(removed) > start { // would it be shorter to start from the default?
		end := len(out)
		out = style{}.appendAdded(append(out, ';'), q) // an empty parameter is 0
		if len(out)-end < end-start {
			out = append(out[:start], out[end:]...)
		} else {
			out = out[:end]
		}
	}
	out[len(out)-1] = 'm'
	return out
}

// appendRemoved appends the parameters that remove from p what q does not have, and returns what remains of p.
func (p style) appendRemoved(out []byte, q style) (style, []byte) {
	const weight = 1<<1 | 1<<2 // bold and faint have one parameter
	gone := p.attrs &^ q.attrs
	if gone&weight != 0 {
		out, p.attrs = append(out, "22;"...), p.attrs&^weight
	}
	for n, rest := 3, gone&^weight; n <= 9; n++ {
		if rest&(1<<n) != 0 {
			out, p.attrs = append(out, '2', byte('0'+n), ';'), p.attrs&^(1<<n)
		}
	}
	if p.foreground != 0 && q.foreground == 0 {
		out, p.foreground = append(out, "39;"...), 0
	}
	if p.background != 0 && q.background == 0 {
		out, p.background = append(out, "49;"...), 0
	}
	return p, out
}

// appendAdded appends the parameters that add to p what q has and p does not.
func (p style) appendAdded(out []byte, q style) []byte {
	for n, more := 1, q.attrs&^p.attrs; n <= 9; n++ {
		if more&(1<<n) != 0 {
			out = append(strconv.AppendInt(out, int64(n), 10), ';')
		}
	}
	if q.foreground != p.foreground {
		out = q.foreground.appendSGR(out, "38")
	}
	if q.background != p.background {
		out = q.background.appendSGR(out, "48")
	}
	return out
}

// appendSGR appends the SGR parameters of a colour, each followed by a semicolon.
func (c color) appendSGR(out []byte, ground string) []byte {
	part := func(n color) { out = append(strconv.AppendInt(out, int64(n&0xff), 10), ';') }
	switch c &^ 0xffffff {
	case color256:
		out = append(append(out, ground...), ";5;"...)
	case colorRGB:
		out = append(append(out, ground...), ";2;"...)
		part(c >> 16)
		part(c >> 8)
	}
	part(c)
	return out
}
