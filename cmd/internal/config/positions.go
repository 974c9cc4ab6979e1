package config

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// Positions holds where every key, table and list element of a configuration stands in its file.
type Positions map[string]Position

// At returns the position of a key; a key that is not in the file is at its start.
func (p Positions) At(key ...string) Position {
	if at, known := p[joinKey(key)]; known {
		return at
	}
	return Position{1, 1}
}

// Has reports whether the file has a key.
func (p Positions) Has(key ...string) bool {
	_, known := p[joinKey(key)]
	return known
}

// Element returns the position of an element of the list that is the value of a key.
func (p Positions) Element(index int, key ...string) Position {
	if element := append(slices.Clone(key), elementKey(index)); p.Has(element...) {
		return p.At(element...)
	}
	return p.At(key...)
}

// Command returns the position of a key of the command in a line.
func (p Positions) Command(line int, key string) Position {
	for i := 0; p.Has("commands", elementKey(i)); i++ {
		if p.At("commands", elementKey(i)).Line == line && p.Has("commands", elementKey(i), key) {
			return p.At("commands", elementKey(i), key)
		}
	}
	return Position{line, 1}
}

func joinKey(key []string) string { return strings.Join(key, "\x00") }

// elementKey stands for an element of a list. No key of TOML has a NUL.
func elementKey(index int) string { return "\x00" + strconv.Itoa(index) }

// FindPositions returns the positions of a valid configuration. Where a table is opened several times, its first
// position counts.
func FindPositions(data []byte) Positions {
	f := positionFinder{found: Positions{}, lines: lineStarts(data)}
	f.parser.Reset(data)
	var table []string
	counts := map[string]int{}
	for f.parser.NextExpression() {
		switch e := f.parser.Expression(); e.Kind {
		case unstable.Table:
			table = f.addKey(nil, e.Key())
		case unstable.ArrayTable:
			list := f.addKey(nil, e.Key())
			table = append(list, elementKey(counts[joinKey(list)]))
			counts[joinKey(list)]++
			if first := e.Key(); first.Next() {
				f.add(table, first.Node())
			}
		case unstable.KeyValue:
			f.addKeyValue(table, e)
		}
	}
	return f.found
}

// lineStarts returns where each line begins.
func lineStarts(data []byte) []int {
	lines := []int{0}
	for i, c := range data {
		if c == '\n' {
			lines = append(lines, i+1)
		}
	}
	return lines
}

// positionFinder collects the positions of a document.
type positionFinder struct {
	parser unstable.Parser
	found  Positions
	lines  []int // where each line begins
}

// addKey adds the parts of a key below a table, and returns the whole key.
func (f *positionFinder) addKey(table []string, parts unstable.Iterator) []string {
	key := slices.Clone(table)
	for parts.Next() {
		node := parts.Node()
		key = append(key, string(node.Data))
		f.add(key, node)
	}
	return key
}

func (f *positionFinder) addKeyValue(table []string, e *unstable.Node) {
	f.addValue(f.addKey(table, e.Key()), e.Value())
}

// addValue adds what is inside a value: the keys of an inline table, the elements of a list.
func (f *positionFinder) addValue(key []string, value *unstable.Node) {
	switch children := value.Children(); value.Kind {
	case unstable.InlineTable:
		for children.Next() {
			if child := children.Node(); child.Kind == unstable.KeyValue {
				f.addKeyValue(key, child)
			}
		}
	case unstable.Array:
		for i := 0; children.Next(); {
			child := children.Node()
			if child.Kind == unstable.Comment {
				continue
			}
			element := append(slices.Clone(key), elementKey(i))
			f.add(element, child)
			f.addValue(element, child)
			i++
		}
	}
}

func (f *positionFinder) add(key []string, node *unstable.Node) {
	if node.Raw.Length == 0 || f.found.Has(key...) {
		return
	}
	line, column := f.place(node)
	f.found[joinKey(key)] = Position{line, column}
}

// place returns the line and the column of a node, from 1.
func (f *positionFinder) place(node *unstable.Node) (line, column int) {
	offset := int(node.Raw.Offset)
	line, exact := slices.BinarySearch(f.lines, offset)
	if !exact {
		line--
	}
	return line + 1, offset - f.lines[line] + 1
}
