package shell

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/input"
)

// A searchDialog offers entries below a line of text that narrows them. Help and palette are such dialogs.
type searchDialog struct {
	entryList
	name        string
	prompt      string // before the text, for a screen reader: "search"
	placeholder string // what can be typed
	maxWidth    int
	shrinks     bool // it is no higher than what has been found; otherwise it has room for all entries
	keys        []hint
	find        func(text string) []listEntry
	version     func() int    // changes with what find looks at; nil for what stays the same
	unread      func() string // names what find cannot look at yet; may be nil
	load        func()        // reads that; may be nil

	line       *input.TextField
	searched   searchState
	height     int  // of all entries
	previewing bool // the screen shows the preview of an entry
}

// searchState is what the entries depend on.
type searchState struct {
	text    string
	version int
	done    bool
}

// maxSearchRunes bounds the text that is searched for: every action and row is compared with each part of it.
const maxSearchRunes = 200

// open returns the dialog with its entries for no text.
func (q searchDialog) open() *searchDialog {
	q.line = input.NewLine("")
	q.line.SetLimit(maxSearchRunes)
	q.updateEntries()
	return &q
}

// query returns the text that narrows the list.
func (q *searchDialog) query() string { return q.line.Text() }

// updateEntries finds the entries for the text. When only the version has changed, the cursor stays on its entry.
func (q *searchDialog) updateEntries() {
	now := searchState{text: q.query(), done: true}
	if q.version != nil {
		now.version = q.version()
	}
	if q.searched == now {
		return
	}
	before := q.chosen()
	entries := q.find(now.text)
	if before != nil && q.searched.text == now.text {
		id := before.id
		if at := slices.IndexFunc(entries, func(e listEntry) bool { return e.id == id }); at >= 0 {
			q.cursor = at
		}
	}
	q.searched = now
	q.setEntries(entries)
}

// searchHeaderLines is the number of lines above the entries.
const searchHeaderLines = 2

func (q *searchDialog) title() string { return q.name }

func (q *searchDialog) hints() []hint { return q.keys }

func (q *searchDialog) size(most ui.Box) (int, int) {
	q.updateEntries()
	width := min(q.maxWidth, most.Width)
	q.makeLines(width)
	if q.query() == "" {
		q.height = len(q.lines)
	}
	height := q.tallest(most)
	if q.shrinks {
		height = min(searchHeaderLines+max(len(q.lines), 4), height)
	}
	return width, height
}

// tallest keeps the text in its place while the number of entries changes.
func (q *searchDialog) tallest(most ui.Box) int {
	if q.shrinks {
		return max(14, min(most.Height*3/5, 22))
	}
	return q.height + searchHeaderLines
}

// position says how many entries fit the text, or which of them are in sight.
func (q *searchDialog) position() string {
	if text := q.entryList.position(); text != "" || !q.shrinks || q.query() == "" || len(q.entries) == 0 {
		return text
	}
	return wording.Plural(len(q.entries), "result", "results")
}

func (q *searchDialog) handleKey(s *Shell, k tea.KeyPressMsg) (tea.Cmd, bool) {
	switch k.String() {
	case "esc":
		q.setEntries(nil)
		q.showPreview(s)
		return nil, true
	case "enter":
		q.showPreview(s)
		if e := q.chosen(); e != nil {
			s.dialogs.dismiss(q)
			return e.run(s), true
		}
	case "down", "tab", "ctrl+n":
		q.moveBy(1)
	case "up", "shift+tab", "ctrl+p":
		q.moveBy(-1)
	case "pgdown":
		q.page(1)
	case "pgup":
		q.page(-1)
	default:
		if before := q.query(); q.line.Press(k) && q.query() != before {
			q.cursor, q.top = 0, 0
		}
	}
	q.updateEntries()
	q.showPreview(s)
	return nil, false
}

// showPreview shows the effect of the entry at the cursor, or ends the preview of another one.
func (q *searchDialog) showPreview(s *Shell) {
	e := q.chosen()
	has := e != nil && e.preview != nil
	switch {
	case has:
		e.preview()
	case q.previewing:
		s.themes.endPreview()
	}
	q.previewing = has
}

// layout finds the entries for a text that was pasted, and scrolls the list so that the cursor is visible.
func (q *searchDialog) layout(b ui.Box) {
	q.updateEntries()
	b.Height -= searchHeaderLines
	q.entryList.layout(b)
}

// nothing says that no entry matches.
func (q *searchDialog) nothing() string {
	const nothing = "nothing matches"
	if q.unread == nil {
		return nothing
	}
	return nothing + wording.WithPrefix(" · not read: ", q.unread())
}

// view draws the text and the visible entries.
func (q *searchDialog) view(b ui.Box) string {
	lines := append(input.ViewField(q.line, b, true, q.placeholder), "")
	if len(q.entries) == 0 {
		for _, line := range ui.Wrap(q.nothing(), b.Width) {
			lines = append(lines, b.Theme.Paint(theme.Muted, line))
		}
	}
	return strings.Join(append(lines, q.entryList.view(b)...), "\n")
}

func (q *searchDialog) read(ui.Box) dialogReading {
	reading := q.entryList.read()
	if reading.Input = q.prompt + ": " + q.query(); len(q.entries) == 0 {
		reading.Item = q.nothing()
	}
	return dialogReading{ScreenReaderText: reading}
}

func (q *searchDialog) handlePaste(msg tea.PasteMsg) tea.Cmd {
	q.line.Paste(strings.Join(strings.Fields(msg.Content), " "))
	return nil
}

// clickLine handles a click on an entry below the text.
func (q *searchDialog) clickLine(line int) bool {
	return line >= searchHeaderLines && q.click(line-searchHeaderLines)
}
