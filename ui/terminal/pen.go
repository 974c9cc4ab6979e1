package terminal

import (
	"strconv"
	"strings"
)

// A pen is a style as the terminal keeps it. The zero value is its own.
type pen struct {
	attrs      uint16 // bit n is attribute n of SGR: 1 bold … 9 struck out
	fore, back color
}

// A color is the terminal's own (0), one of its sixteen, of its 256, or of all: the kind and the value.
type color uint32

const (
	sixteen color = (iota + 1) << 24
	indexed
	direct
)

// What a blank shows of a style.
const (
	underlined = 1 << 4
	reversed   = 1 << 7
	struck     = 1 << 9
)

// seen is what is left of a style where there is only a blank to see it on.
func (p pen) seen() pen {
	p.attrs &= underlined | reversed | struck
	if p.attrs == 0 {
		p.fore = 0
	}
	return p
}

// escape takes the sequence that a text begins with and gives its length. Only styles have an effect.
func (p *pen) escape(text string) int {
	if len(text) < 2 || text[1] != '[' {
		return 1
	}
	for i := 2; i < len(text); i++ {
		if c := text[i]; c >= 0x40 && c <= 0x7e {
			if c == 'm' {
				p.apply(text[2:i])
			}
			return i + 1
		}
	}
	return len(text)
}

// apply takes the parameters of a style. Those with parts of their own, divided by colons, are none that a theme has.
func (p *pen) apply(codes string) {
	if strings.IndexByte(codes, ':') >= 0 {
		return
	}
	for more := true; more; {
		var code int
		code, codes, more = number(codes)
		switch {
		case code == 0:
			*p = pen{}
		case code <= 9:
			p.attrs |= 1 << code
		case code == 22:
			p.attrs &^= 1<<1 | 1<<2
		case code > 22 && code <= 29:
			p.attrs &^= 1 << (code - 20)
		case code == 38:
			p.fore, codes, more = wide(codes)
		case code == 48:
			p.back, codes, more = wide(codes)
		case code == 39:
			p.fore = 0
		case code == 49:
			p.back = 0
		case code >= 30 && code <= 37 || code >= 90 && code <= 97:
			p.fore = sixteen | color(code)
		case code >= 40 && code <= 47 || code >= 100 && code <= 107:
			p.back = sixteen | color(code)
		}
	}
}

// number cuts a parameter off; an absent one is 0.
func number(codes string) (n int, rest string, more bool) {
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

// wide is a colour of more than sixteen: "5;n" or "2;r;g;b".
func wide(codes string) (c color, rest string, more bool) {
	kind, rest, more := number(codes)
	count := 0
	switch kind {
	case 5:
		c, count = indexed, 1
	case 2:
		c, count = direct, 3
	}
	for shift := 8 * (count - 1); shift >= 0; shift -= 8 {
		var n int
		n, rest, more = number(rest)
		c |= color(n&0xff) << shift
	}
	return c, rest, more
}

// change is the shortest style that makes a terminal's p into q.
func (p pen) change(out []byte, q pen) []byte {
	switch {
	case p == q:
		return out
	case q == pen{}:
		return append(out, "\x1b[m"...)
	}
	out = append(out, "\x1b["...)
	if p.attrs&^q.attrs != 0 || p.fore != 0 && q.fore == 0 || p.back != 0 && q.back == 0 {
		out, p = append(out, "0;"...), pen{}
	}
	for n, more := 1, q.attrs&^p.attrs; n <= 9; n++ {
		if more&(1<<n) != 0 {
			out = append(strconv.AppendInt(out, int64(n), 10), ';')
		}
	}
	if q.fore != p.fore {
		out = q.fore.code(out, "38")
	}
	if q.back != p.back {
		out = q.back.code(out, "48")
	}
	out[len(out)-1] = 'm'
	return out
}

// code is a colour's parameters, each with a semicolon behind it.
func (c color) code(out []byte, ground string) []byte {
	part := func(n color) { out = append(strconv.AppendInt(out, int64(n&0xff), 10), ';') }
	switch c &^ 0xffffff {
	case indexed:
		out = append(append(out, ground...), ";5;"...)
	case direct:
		out = append(append(out, ground...), ";2;"...)
		part(c >> 16)
		part(c >> 8)
	}
	part(c)
	return out
}
