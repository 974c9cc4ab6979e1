package table

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/input"
)

// jumpPrompt is the line where somebody types the beginning of a name, to move the cursor of a list to it. The zero
// value is closed.
type jumpPrompt struct {
	line    *input.TextField // nil unless somebody types
	from    string           // the row to which esc returns
	nothing bool             // no row has the text in its name
}

// JumpAction returns the action that moves the cursor to a row while the beginning of its name is typed.
func (l *List[T]) JumpAction() ui.Action {
	action := ui.LocalAction("this list", "jump to a name", "", func() {
		l.jump = jumpPrompt{line: input.NewLine(""), from: l.SaveState().Row}
	}, "z")
	action.Description = "type its beginning; the cursor moves to the first loaded name that matches"
	return action
}

// typeName gives input to the name that is being typed, and moves the cursor to it: enter stays there, esc returns to
// where the cursor was.
func (l *List[T]) typeName(msg tea.Msg) {
	switch editLine(l.jump.line, msg) {
	case "enter":
		l.jump = jumpPrompt{}
	case "esc":
		l.Select(l.jump.from)
		l.jump = jumpPrompt{}
	default:
		text := l.jump.line.Text()
		l.jump.nothing = text != "" && !l.jumpTo(text)
	}
}

// editLine gives input to a line, and returns the key that ends the typing: "enter", "esc", or "" if it goes on.
func editLine(line *input.TextField, msg tea.Msg) (end string) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		line.Paste(msg.Content)
	case tea.KeyPressMsg:
		if name := msg.String(); name == "enter" || name == "esc" {
			return name
		}
		line.Press(msg)
	}
	return ""
}

// announcement returns what a screen reader says while a name is typed.
func (j *jumpPrompt) announcement() string {
	return "jump to: " + j.line.Text() + wording.WithPrefix("; ", j.problem())
}

// problem says that no name fits.
func (j *jumpPrompt) problem() string {
	if j.nothing {
		return "no loaded name matches"
	}
	return ""
}

// view draws the name with its cursor, and says if no row has it.
func (j *jumpPrompt) view(b ui.Box) string {
	const label = "jump to "
	room := b
	room.Width = max(8, b.Width-len(label))
	line := b.Theme.Paint(theme.Accent, label) + j.line.View(room, true)[0] +
		b.Theme.Paint(theme.Warn, wording.WithPrefix("   ", j.problem()))
	return ui.Truncate(line, b.Width, b.Theme.Glyphs.Ellipsis)
}

// maxJumpRows is the number of rows that are looked at for one that begins with a text, and maxJumpTime how long a
// storage is searched for those that contain it.
const (
	maxJumpRows = 20_000
	maxJumpTime = 100 * time.Millisecond
)

// jumpTo moves the cursor of a list to the first row shown whose label begins with a text, or else contains it. Case
// does not matter. It reports false if there is no such row.
func (l *List[T]) jumpTo(text string) bool {
	l.rowIndex.update(l)
	text = strings.ToLower(text)
	positions, searched := l.searchRows(text)
	n := l.shown()
	if searched {
		n = len(positions)
	}
	row := func(i int) T {
		if searched {
			return l.Store.At(int(positions[i]))
		}
		return l.rowAt(i)
	}
	best, box := -1, l.cellBox()
	for i := range min(n, maxJumpRows) {
		switch at := strings.Index(strings.ToLower(l.label(row(i), box)), text); {
		case at == 0:
			return l.Select(l.Store.ID(row(i)))
		case at > 0 && best < 0:
			best = i
		}
	}
	return best >= 0 && l.Select(l.Store.ID(row(best)))
}

// searchRows returns the rows shown that contain a text, in their order, if the storage can search.
func (l *List[T]) searchRows(text string) (positions []int32, searched bool) {
	quick := l.Store.Searcher()
	if quick == nil {
		return nil, false
	}
	ctx, cancel := context.WithTimeout(context.Background(), maxJumpTime)
	defer cancel()
	var within []int32
	if l.rowIndex.current != nil {
		within = l.rowIndex.current.rows
	}
	return quick.Filter(ctx, -1, text, within)
}
