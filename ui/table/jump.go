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

// JumpPrompt is the line where somebody types the beginning of a name, to move the cursor of a list to it. The zero
// value is closed.
type JumpPrompt struct {
	line    *input.TextField // nil unless somebody types
	from    string           // the row to which esc returns
	nothing bool             // no row has the text in its name
}

// StartJump gives the keyboard to a name.
func (l *List[T]) StartJump(j *JumpPrompt) {
	*j = JumpPrompt{line: input.NewLine(""), from: l.SaveState().Row}
}

// Typing reports whether a name is being typed.
func (j *JumpPrompt) Typing() bool { return j.line != nil }

// UpdateJump gives input to a name that is being typed, and moves the cursor to it: enter stays there, esc returns to
// where the cursor was. It reports false for other input.
func (l *List[T]) UpdateJump(j *JumpPrompt, msg tea.Msg) bool {
	key, pressed := msg.(tea.KeyPressMsg)
	paste, pasted := msg.(tea.PasteMsg)
	switch {
	case j.line == nil || !pressed && !pasted:
		return false
	case pasted:
		j.line.Paste(paste.Content)
	case key.String() == "enter":
		*j = JumpPrompt{}
		return true
	case key.String() == "esc":
		l.Select(j.from)
		*j = JumpPrompt{}
		return true
	default:
		j.line.Press(key)
	}
	text := j.line.Text()
	j.nothing = text != "" && !l.jumpTo(text)
	return true
}

// Announcement returns what a screen reader says while a name is typed.
func (j *JumpPrompt) Announcement() string {
	return "jump to: " + j.line.Text() + wording.WithPrefix("; ", j.problem())
}

// problem says that no name fits.
func (j *JumpPrompt) problem() string {
	if j.nothing {
		return "no loaded name matches"
	}
	return ""
}

// View draws the name with its cursor, and says if no row has it.
func (j *JumpPrompt) View(b ui.Box) string {
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
