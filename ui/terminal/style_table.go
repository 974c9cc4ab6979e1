package terminal

import "strings"

// A styleID is the number of a style in a styleTable. 0 is the terminal's default.
type styleID uint32

// A styleTable numbers the styles on the screen, so that cells are small, and remembers the bytes that change one style
// into another.
type styleTable struct {
	styles    []style
	ids       map[style]styleID
	onBlank   []styleID             // the visible part of each style on a blank
	changes   [][]string            // changes[a][b] changes style a into b; "" if it was not needed yet
	sequences map[sgrChange]styleID // results of SGR sequences
}

// An sgrChange is an SGR sequence that meets a style.
type sgrChange struct {
	from     styleID
	sequence string
}

// maxStyles is the number of styles at which the table starts anew with the next full redraw. Themes and charts have
// about a hundred.
const maxStyles = 1000

// reset forgets all styles but the default.
func (t *styleTable) reset() {
	t.ids, t.sequences = map[style]styleID{}, map[sgrChange]styleID{}
	t.styles, t.onBlank, t.changes = t.styles[:0], t.onBlank[:0], t.changes[:0]
	t.id(style{})
}

// id returns the number of a style.
func (t *styleTable) id(s style) styleID {
	id, known := t.ids[s]
	if known {
		return id
	}
	id = styleID(len(t.styles))
	t.ids[s] = id
	t.styles, t.onBlank, t.changes = append(t.styles, s), append(t.onBlank, id), append(t.changes, nil)
	t.onBlank[id] = t.id(s.visibleOnBlank())
	return id
}

// apply returns the style that an SGR sequence makes of a style.
func (t *styleTable) apply(from styleID, sequence string) styleID {
	to, known := t.sequences[sgrChange{from, sequence}]
	if !known {
		s := t.styles[from]
		s.applySGR(sequence[2:])
		to = t.id(s)
		t.sequences[sgrChange{from, strings.Clone(sequence)}] = to
	}
	return to
}

// change returns the bytes that change one style into another.
func (t *styleTable) change(from, to styleID) string {
	if from == to {
		return ""
	}
	if row := t.changes[from]; int(to) < len(row) && row[to] != "" {
		return row[to]
	}
	for len(t.changes[from]) <= int(to) {
		t.changes[from] = append(t.changes[from], "")
	}
	bytes := string(t.styles[from].appendChange(nil, t.styles[to]))
	t.changes[from][to] = bytes
	return bytes
}
