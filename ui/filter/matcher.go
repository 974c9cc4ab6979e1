package filter

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"
)

// A FilterableColumn is a column as a filter sees it.
type FilterableColumn struct {
	Name, Title string                 // a filter takes both
	ByNameOnly  bool                   // a filter looks here only if it names the column
	Text        func(row int32) string // as shown
	Value       func(row int32) string // for comparisons: a number, a time in RFC 3339; "" is none. Nil is Text
	Choices     []string               // the values that it is known to have; nil is any
}

// Matcher tests rows. Several goroutines may use it at once.
type Matcher struct {
	columns []FilterableColumn
	now     time.Time
	source  Expression
	atoms   []*atom
	asked   []uint64       // by column: the atoms that look in it
	groups  [][]maskClause // alternatives
	found   uint64         // the atoms that every row has
	want    uint64         // in a plain filter: the atoms that a row must have
	plain   bool           // every term must hold, and none is negated
	words   []string       // the words of a plain filter of words alone, by atom; nil for others
}

// atom is a term that knows its column.
type atom struct {
	*term
	column   int // -1 is any
	operator operator
	text     string
	word     string // the text in lower case
	operand  quantity
	unknown  bool        // there is no such column: the term is taken for text
	outside  bool        // the column is not known to have such a value
	seen     atomic.Bool // a row has the text, or a value that can be compared
	unlike   atomic.Bool // a row has a value that cannot be compared
}

// maskClause holds the atoms of a clause as bits: one of some must be in the row, or one of others not.
type maskClause struct {
	in, out uint64
	negated bool
}

// Compile returns a matcher of rows with some columns, at a moment and in its time zone.
func Compile(e Expression, columns []FilterableColumn, now time.Time) *Matcher {
	m := &Matcher{
		columns: columns,
		now:     now,
		source:  e,
		asked:   make([]uint64, len(columns)),
		plain:   len(e.groups) <= 1,
	}
	for _, group := range e.groups {
		var clauses []maskClause
		for _, c := range group {
			mask := maskClause{negated: c.negated}
			for _, t := range c.any {
				bit := m.add(t)
				if t.negated {
					mask.out |= bit
				} else {
					mask.in |= bit
				}
			}
			m.want |= mask.in
			m.plain = m.plain && !c.negated && mask.out == 0 && len(c.any) == 1
			clauses = append(clauses, mask)
		}
		m.groups = append(m.groups, clauses)
	}
	if m.plain {
		m.words = m.wordsAlone()
	}
	return m
}

// wordsAlone returns the words of the atoms if all of them are words, otherwise nil.
func (m *Matcher) wordsAlone() []string {
	words := make([]string, len(m.atoms))
	for i, a := range m.atoms {
		if a.operator != contains || a.unknown || a.outside {
			return nil
		}
		words[i] = a.word
	}
	return words
}

// matchWords is Match for words alone.
func (m *Matcher) matchWords(row int32) bool {
	found := m.found
	for i, ask := range m.asked {
		if ask &^= found; ask == 0 {
			continue
		}
		text := m.columns[i].Text(row)
		for ; ask != 0; ask &= ask - 1 {
			if n := bits.TrailingZeros64(ask); containsFold(text, m.words[n]) {
				found |= 1 << n
			}
		}
		if found == m.want {
			return true
		}
	}
	return found == m.want
}

// add adds the atom of a term and returns its bit.
func (m *Matcher) add(t *term) uint64 {
	a := &atom{term: t, column: -1, operator: t.operator, text: t.text}
	bit := uint64(1) << len(m.atoms)
	if t.column != "" {
		a.column = findColumn(m.columns, t.column)
	}
	if t.column != "" && a.column < 0 {
		a.unknown = isColumnName(t)
		a.text, a.operator = t.source, contains
	}
	a.word = strings.ToLower(a.text)
	a.outside = a.column >= 0 && a.isOutside(m.columns[a.column].Choices)
	if a.operator != contains && a.operator != isEmpty {
		a.operand = parseQuantity(a.text, m.now)
	}
	for i := range m.columns {
		if a.column == i || a.column < 0 && !m.columns[i].ByNameOnly {
			m.asked[i] |= bit
		}
	}
	m.atoms = append(m.atoms, a)
	return bit
}

// isOutside reports whether an atom asks for a value that is none of some choices, nor a part of one.
func (a *atom) isOutside(choices []string) bool {
	has := func(choice string) bool {
		return a.operator == contains && containsFold(choice, a.word) ||
			a.operator == equal && strings.EqualFold(choice, a.text)
	}
	return len(choices) > 0 && a.operator != isEmpty && !slices.ContainsFunc(choices, has)
}

// isColumnName reports whether what stands before the colon was meant as a column: not that of an address with a port,
// a time or a URL.
func isColumnName(t *term) bool {
	for _, r := range t.column {
		if !unicode.IsLetter(r) && r != '_' && r != '-' && r != ' ' {
			return false
		}
	}
	return !strings.HasPrefix(t.text, "//")
}

// findColumn returns the column with a title or a name, otherwise the first one whose title or name begins with it; -1
// if there is none.
func findColumn(columns []FilterableColumn, name string) int {
	want := plainName(name)
	if want == "" {
		return -1
	}
	for _, begins := range []bool{false, true} {
		for i, c := range columns {
			if plainName(c.Title) == want || begins && strings.HasPrefix(plainName(c.Title), want) {
				return i
			}
		}
		for i, c := range columns {
			if plainName(c.Name) == want || begins && strings.HasPrefix(plainName(c.Name), want) {
				return i
			}
		}
	}
	return -1
}

// plainName returns a column's name in lower case and without what stands between its words.
func plainName(name string) string {
	return strings.NewReplacer(" ", "", "_", "", "-", "").Replace(strings.ToLower(name))
}

// A RequiredWord must be in every row that matches.
type RequiredWord struct {
	Text   string // in lower case
	Column int    // -1 is any that a filter looks in without naming it
	bit    uint64
}

// Words returns the words that every matching row has, so that an index can look for them. The caller says which it has
// found with Found.
func (m *Matcher) Words() (words []RequiredWord) {
	if len(m.groups) != 1 {
		return nil
	}
	for _, c := range m.groups[0] {
		if c.negated || c.out != 0 || bits.OnesCount64(c.in) != 1 {
			continue
		}
		if a := m.atoms[bits.TrailingZeros64(c.in)]; a.operator == contains && !a.unknown && !a.outside {
			words = append(words, RequiredWord{a.word, a.column, c.in})
		}
	}
	return words
}

// Found tells that only rows with a word are going to be tested.
func (m *Matcher) Found(w RequiredWord) { m.found |= w.bit }

// MatchesAll reports whether nothing is left to be tested.
func (m *Matcher) MatchesAll() bool {
	return len(m.groups) == 0 || m.plain && m.found == m.want
}

// Match reports whether a row matches. It looks at each column once at most, and only at those that a term asks for.
func (m *Matcher) Match(row int32) bool {
	if m.words != nil {
		return m.matchWords(row)
	}
	found := m.found
	for i, ask := range m.asked {
		if ask &^= found; ask == 0 {
			continue
		}
		found |= m.look(i, row, ask)
		if m.plain && found == m.want {
			return true
		}
	}
	return m.decide(found)
}

// decide reports whether the atoms that a row has make it match.
func (m *Matcher) decide(found uint64) bool {
	for _, group := range m.groups {
		holds := true
		for _, c := range group {
			if holds = (found&c.in != 0 || ^found&c.out != 0) != c.negated; !holds {
				break
			}
		}
		if holds {
			return true
		}
	}
	return len(m.groups) == 0
}

// look returns those of the asked atoms that a column of a row has.
func (m *Matcher) look(column int, row int32, ask uint64) (found uint64) {
	c := &m.columns[column]
	text, value, shown, valued := "", "", false, false
	for ; ask != 0; ask &= ask - 1 {
		n := bits.TrailingZeros64(ask)
		a := m.atoms[n]
		if !shown && (a.operator == contains || a.operator == equal || c.Value == nil) {
			text, shown = c.Text(row), true
		}
		if !valued && a.operator != contains {
			if value, valued = text, true; c.Value != nil {
				value = c.Value(row)
			}
		}
		if m.holds(a, text, value) {
			found |= 1 << n
		}
	}
	return found
}

// holds reports whether a column with a text and a value has an atom.
func (m *Matcher) holds(a *atom, text, value string) bool {
	switch a.operator {
	case contains:
		has := containsFold(text, a.word)
		if has && (a.unknown || a.outside) {
			a.seen.Store(true)
		}
		return has
	case isEmpty:
		return strings.TrimSpace(value) == ""
	case equal:
		if strings.EqualFold(strings.TrimSpace(text), a.text) || strings.EqualFold(value, a.text) {
			a.seen.Store(true)
			return true
		}
	}
	if a.operand.kind == notComparable || value == "" {
		return false
	}
	c, ok := parseQuantity(value, m.now).compare(a.operand, m.now)
	if note := &a.seen; !note.Load() {
		if !ok {
			note = &a.unlike
		}
		note.Store(true)
	}
	return ok && a.operator.holds(c)
}

// faulty reports whether an atom names an unknown column, asks for a value that neither a row nor the column's choices
// have, or compares what cannot be compared.
func (a *atom) faulty() bool {
	switch a.operator {
	case contains, isEmpty:
		return (a.unknown || a.outside) && !a.seen.Load()
	case equal:
		return a.outside && !a.seen.Load()
	}
	return a.outside || a.operand.kind == notComparable || a.unlike.Load() && !a.seen.Load()
}

// Problem returns what is wrong with the filter, after rows were tested: it names an unknown column, or compares what
// cannot be compared. Otherwise it returns "".
func (m *Matcher) Problem() string {
	for _, a := range m.atoms {
		switch {
		case !a.faulty():
		case a.unknown:
			return m.unknownColumn(a.term.column)
		case a.outside:
			return fmt.Sprintf("%s matches no row · this column has %s", a.source, m.choices(a.column))
		case a.operand.kind == notComparable:
			return a.source + ": " + comparisons
		default:
			return a.source + ": no row has such a value in this column"
		}
	}
	return ""
}

// comparisons says what can stand behind an operator.
const comparisons = "compare with a number, 10GiB, 2d or 2026-11-20"

// choices returns the values that a column is known to have, as they can be typed.
func (m *Matcher) choices(column int) string {
	return strings.Join(m.columns[column].Choices, ", ")
}

// names returns the columns as they can be typed.
func (m *Matcher) names() []string {
	names := make([]string, len(m.columns))
	for i, c := range m.columns {
		names[i] = strings.ReplaceAll(c.Title, " ", "_")
	}
	return names
}

// Without returns the expression without what is wrong with it. If no row matched, it also leaves out the term at its
// end that may match more rows once it is complete: "!a", "size:>1", "stat" where there is a column called state. It
// reports whether that is less than the whole.
func (m *Matcher) Without(noneMatched bool) (rest Expression, less bool) {
	leave := map[*term]bool{}
	for _, a := range m.atoms {
		if a.faulty() || noneMatched && m.tentative(a) {
			leave[a.term] = true
		}
	}
	return m.source.without(func(t *term) bool { return leave[t] }), len(leave) > 0
}

// tentative reports whether an atom is at the end of the filter and may match more rows once it is complete.
func (m *Matcher) tentative(a *atom) bool {
	return a.open && (m.negates(a) || a.operator != contains || m.columnBegun(a) != "")
}

// negates reports whether an atom rules rows out. Only the last clause can hold the atom in question.
func (m *Matcher) negates(a *atom) bool {
	group := m.groups[len(m.groups)-1]
	return a.negated != group[len(group)-1].negated
}

// columnBegun returns the column whose name a word may be the beginning of, or "".
func (m *Matcher) columnBegun(a *atom) string {
	if a.term.column != "" {
		return ""
	}
	if i := findColumn(m.columns, a.text); i >= 0 {
		return m.names()[i]
	}
	return ""
}

// Hint says how the end of a filter that is being typed can go on, or "".
func (m *Matcher) Hint(noneMatched bool) string {
	switch u := m.source.unfinished; {
	case u != nil && findColumn(m.columns, u.column) < 0:
		return m.unknownColumn(u.column)
	case u != nil && u.operator == isEmpty && m.choices(findColumn(m.columns, u.column)) != "":
		return m.choices(findColumn(m.columns, u.column)) + " · enter: rows with nothing in it"
	case u != nil && u.operator == isEmpty:
		return "a word, >1GiB, <2d · enter: rows with nothing in it"
	case u != nil:
		return comparisons
	case !noneMatched || len(m.atoms) == 0:
		return ""
	}
	a := m.atoms[len(m.atoms)-1]
	if name := m.columnBegun(a); a.open && name != "" {
		return fmt.Sprintf("no row has %q · %s: searches that column", a.text, name)
	}
	return "no row matches yet"
}

// unknownColumn says that there is no such column, and which there are.
func (m *Matcher) unknownColumn(name string) string {
	return fmt.Sprintf("unknown column %q · columns: %s", name, strings.Join(m.names(), ", "))
}

// containsFold reports whether text contains a lower-case word, ignoring the case of the text.
func containsFold(text, word string) bool {
	if word == "" {
		return true
	}
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return strings.Contains(strings.ToLower(text), word)
		}
	}
	first := word[0]
	for i := 0; i+len(word) <= len(text); i++ {
		if lowerASCII(text[i]) == first && hasPrefixFold(text[i:], word) {
			return true
		}
	}
	return false
}

// hasPrefixFold reports whether ASCII text starts with a lower-case word, ignoring the case of the text.
func hasPrefixFold(text, word string) bool {
	for i := range len(word) {
		if lowerASCII(text[i]) != word[i] {
			return false
		}
	}
	return true
}

func lowerASCII(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
