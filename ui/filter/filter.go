// Package filter is the language that rows are filtered with: words, columns, comparisons, alternatives. It knows rows
// only by the text in their columns, so that lists and scripts can filter alike.
package filter

import (
	"slices"
	"strings"
)

// Summary shows the forms of a filter in one line.
const Summary = `"two words", a|b, !not, state:ok, size:>1GiB`

// Syntax holds the forms of a filter and the rows that match them, for the documentation.
var Syntax = [][2]string{
	{`web ok`, "both texts, in any columns; case is ignored"},
	{`"two words"`, "this text; write a quotation mark in it as `\\\"`"},
	{`!ok`, "without this text; `!` negates the term after it, whatever its form"},
	{`web ok | db`, "`web` and `ok`, or `db`: with spaces around it, `|` separates whole filters"},
	{`state:ok`, "this text in the column, whose name may be abbreviated; `_` stands for a space"},
	{`state:problem|pending`, "one of these texts in the column"},
	{`group:=web`, "exactly this value"},
	{`group:""`, "an empty value"},
	{`timeout:>10`, "a number above 10; also `<`, `>=` and `<=`"},
	{`size:>10GiB`, "more than 10 GiB; other sizes: `500kB`, `1.5GiB`"},
	{`updated:<2d`, "updated less than two days ago; other ages and durations: `90s`, `30min`, `2d4h`, `1w`"},
	{
		`created:>2026-11-20`,
		"created after that day; other times: `2026-11`, `2026-11-20T21:00`, `21:00` (when it was last 21:00), " +
			"`today`, `yesterday`",
	},
}

// operator says how a value is compared with what a term asks for.
type operator string

const (
	contains operator = ""
	isEmpty  operator = "empty"
	equal    operator = "="
	greater  operator = ">"
	atLeast  operator = ">="
	less     operator = "<"
	atMost   operator = "<="
)

// term is one condition: what the row, or one of its columns, must contain or be.
type term struct {
	column   string // as typed; "" is any
	operator operator
	text     string
	negated  bool
	source   string // as typed, without the signs of negation
	open     bool   // the filter ends with it: it may be typed on
}

// clause is one or more terms, one of which must hold; or none if it is negated.
type clause struct {
	any     []*term
	negated bool
}

// Expression is a filter as typed. Its groups are alternatives; within a group every clause must hold.
type Expression struct {
	groups     [][]clause
	unfinished *term // what is left out because it is being typed, or nil
}

// maxTerms is the number of terms in a filter that count.
const maxTerms = 64

// ParseTyped returns the expression of a text that is being typed: a column at its end without a word, or a comparison
// without a value, does not count yet.
func ParseTyped(text string) Expression {
	e := Parse(text)
	last := e.last()
	if last == nil || !last.open || last.text != "" {
		return e
	}
	e = e.without(func(t *term) bool { return t == last })
	e.unfinished = last
	return e
}

// Parse returns the expression that a text stands for. Every text stands for one.
func Parse(text string) Expression {
	var e Expression
	var group []clause
	endGroup := func() {
		if len(group) > 0 {
			e.groups = append(e.groups, group)
		}
		group = nil
	}
	p := parser{text: text}
	for p.skipSpaces(); !p.ended(); p.skipSpaces() {
		if p.take("|") {
			endGroup()
			continue
		}
		if c := p.clause(); len(c.any) > 0 {
			group = append(group, c)
		}
	}
	endGroup()
	return e
}

// last returns the term that the filter ends with, or nil.
func (e Expression) last() *term {
	if len(e.groups) == 0 {
		return nil
	}
	group := e.groups[len(e.groups)-1]
	terms := group[len(group)-1].any
	return terms[len(terms)-1]
}

// without returns the expression without some terms.
func (e Expression) without(leave func(*term) bool) (rest Expression) {
	for _, group := range e.groups {
		var kept []clause
		for _, c := range group {
			if c.any = slices.DeleteFunc(slices.Clone(c.any), leave); len(c.any) > 0 {
				kept = append(kept, c)
			}
		}
		if len(kept) > 0 {
			rest.groups = append(rest.groups, kept)
		}
	}
	return rest
}

// parser reads a filter from left to right.
type parser struct {
	text  string
	at    int
	terms int
}

func (p *parser) ended() bool { return p.at >= len(p.text) }

func (p *parser) skipSpaces() {
	for !p.ended() && isSpace(p.text[p.at]) {
		p.at++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// take moves past a sign and reports whether it is next.
func (p *parser) take(sign string) bool {
	if !strings.HasPrefix(p.text[p.at:], sign) {
		return false
	}
	p.at += len(sign)
	return true
}

// negations moves past exclamation marks and reports whether they negate.
func (p *parser) negations() (negated bool) {
	for p.take("!") {
		negated = !negated
	}
	return negated
}

// clause reads terms between which there is a bar without spaces.
func (p *parser) clause() clause {
	c := clause{negated: p.negations()}
	column := ""
	for {
		t, complete := p.term(column)
		column = t.column
		if p.terms++; complete && p.terms <= maxTerms {
			c.any = append(c.any, &t)
		}
		if !p.takeBar() {
			return c
		}
	}
}

// takeBar moves past a bar between two terms without spaces.
func (p *parser) takeBar() bool {
	rest := p.text[p.at:]
	if len(rest) < 2 || rest[0] != '|' || isSpace(rest[1]) || rest[1] == '|' {
		return false
	}
	p.at++
	return true
}

// term reads a term. It is about a column if it names none itself. complete is false if there is nothing to look for.
func (p *parser) term(column string) (t term, complete bool) {
	t = term{column: column, negated: p.negations()}
	start := p.at
	name, quoted := p.word(true)
	if p.take(":") {
		t.column = name
		p.value(&t)
	} else if column != "" {
		p.at = start
		p.value(&t)
	} else {
		t.text = name
		t.open = p.ended() && !quoted
	}
	t.source = p.text[start:p.at]
	return t, t.column != "" || t.text != ""
}

// value reads what a column is compared with.
func (p *parser) value(t *term) {
	t.negated = p.negations() != t.negated
	for _, o := range []operator{atLeast, atMost, greater, less, equal} {
		if p.take(string(o)) {
			t.operator = o
			break
		}
	}
	quoted := false
	t.text, quoted = p.word(false)
	t.open = p.ended() && !quoted
	if t.text == "" && (t.operator == contains || t.operator == equal) {
		t.operator = isEmpty
	}
}

// word reads text up to a space or a bar, or text in quotation marks; quoted reports whether they are closed. A name
// ends before the first colon.
func (p *parser) word(name bool) (text string, quoted bool) {
	if p.take(`"`) {
		return p.quotedText()
	}
	start := p.at
	for !p.ended() && !isSpace(p.text[p.at]) && p.text[p.at] != '|' {
		if name && p.text[p.at] == ':' && p.at > start {
			break
		}
		p.at++
	}
	return p.text[start:p.at], false
}

// quotedText reads text up to the closing quotation mark.
func (p *parser) quotedText() (text string, closed bool) {
	var b strings.Builder
	for !p.ended() {
		if p.take(`\"`) {
			b.WriteByte('"')
			continue
		}
		if p.take(`"`) {
			return b.String(), true
		}
		b.WriteByte(p.text[p.at])
		p.at++
	}
	return b.String(), false
}
