package table

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"lookout/client/lists"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
)

// whyNoRow returns why there is no row under the cursor, and the list that is being read and may bring one.
func (l *List[T]) whyNoRow() (reason, waitsFor string) {
	name, f := l.Store.Name(), l.Store.Freshness()
	switch {
	case l.parent.selected:
		return parentReason, ""
	case l.shown() > 0:
		return "", ""
	case f.Err != nil && !l.Store.Complete():
		return name + ": " + wording.ShortReason(f.Err) + " · r retries", ""
	case !f.Loaded && !f.Loading:
		return name + ": not read yet", ""
	case !f.Loaded, f.Loading && !l.Store.Complete() && !l.Store.Lazy():
		return name + ": being read", name
	case l.Store.Len() > 0 && l.Store.Complete():
		return noMatchingRow, ""
	case l.Store.Len() > 0:
		return noMatchingRow + " so far", ""
	}
	return noRow, ""
}

// Settled reports whether the rows that are being read are all there, in their order.
func (l *List[T]) Settled() bool {
	f := l.Store.Freshness()
	read := l.Store.Complete() || f.Err != nil || l.Store.Lazy() && f.Loaded
	l.rowIndex.update(l)
	return read && l.rowIndex.currentKey == l.wantedKey()
}

// explainEmpty says why there is no row, and what to do: reading, none, none that match, not allowed, failed.
func (l *List[T]) explainEmpty(b ui.Box) []string {
	reason := l.emptyReason(b)
	var lines []string
	add := func(text string, paint func(line string) string) {
		if text == "" {
			return
		}
		for _, line := range ui.Wrap(text, min(emptyWidth, max(10, b.Width-4))) {
			lines = append(lines, paint(line))
		}
	}
	add(reason.text, func(line string) string { return b.Theme.Paint(reason.tone, line) })
	add(reason.cause, func(line string) string { return b.Theme.Paint(theme.Muted, line) })
	add(reason.next, func(line string) string { return paintKeys(line, b) })
	return lines
}

// keyInSentence matches a key at the beginning of a part of a sentence: "n adds one · esc clears it".
var keyInSentence = sync.OnceValue(keyPattern)

func keyPattern() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|· |, |press )([^\s\pL]|\pL|esc|enter|space|tab)(?: |$)`)
}

// paintKeys draws what can be done next, with its keys in the tone of keys.
func paintKeys(text string, b ui.Box) string {
	var out strings.Builder
	from := 0
	for _, at := range keyInSentence().FindAllStringSubmatchIndex(text, -1) {
		out.WriteString(b.Theme.Paint(theme.Muted, text[from:at[2]]))
		out.WriteString(b.Theme.Paint(theme.Accent, text[at[2]:at[3]]))
		from = at[3]
	}
	return out.String() + b.Theme.Paint(theme.Muted, text[from:])
}

// emptyWidth is the width of the sentences in a list without rows.
const emptyWidth = 64

// drawEmpty puts what explainEmpty says in the middle of a box.
func (l *List[T]) drawEmpty(b ui.Box) []string {
	lines := l.explainEmpty(b)
	for i, line := range lines {
		lines[i] = strings.Repeat(" ", max(0, b.Width-ui.Width(line))/2) + line
	}
	above := make([]string, max(0, b.Height-len(lines))/2)
	lines = append(above, lines...)
	return lines[:min(len(lines), b.Height)]
}

// emptyReason is why there is no row.
type emptyReason struct {
	text  string
	tone  theme.Tone // of the text
	cause string     // in the words of the API; "" if there is nothing more to say
	next  string     // the next step, in our words, which name keys
}

// emptyReason returns why there is no row, the next step, and how bad that is.
func (l *List[T]) emptyReason(b ui.Box) emptyReason {
	name, f, loaded := l.Store.Name(), l.Store.Freshness(), l.Store.Len()
	err, note := f.Err, l.rowIndex.note(l.wantedKey())
	switch {
	case err != nil && wording.Denied(err):
		text := name + ": not allowed for this user or token"
		return emptyReason{text, theme.Bad, err.Error(), wording.Advice(err)}
	case err != nil && !f.Loaded:
		retry := "press r to retry"
		if advice := wording.Advice(err); advice != "" {
			retry = advice + " · " + retry
		}
		if _, gone := lists.GoneID(err); gone {
			return emptyReason{text: err.Error(), tone: theme.Bad, next: "esc goes back"}
		}
		text := name + " could not be read"
		if since := f.FailingSince; b.Now.Sub(since) >= 5*time.Second && !since.IsZero() {
			text += " for " + wording.FormatAge(b.Now.Sub(since))
		}
		return emptyReason{text, theme.Warn, err.Error(), retry}
	case !f.Loaded:
		text := "reading " + name + b.Theme.Glyphs.Ellipsis
		return emptyReason{text: text, tone: theme.Muted, next: "keys already work · ? for help"}
	case loaded > 0 && note.problem != "":
		next := "/ enters another filter · esc clears it"
		return emptyReason{text: note.problem, tone: theme.Warn, next: next}
	case loaded > 0:
		text := fmt.Sprintf("none of %s matches %q", wording.Plural(loaded, "row", "rows"), l.filter.text)
		return emptyReason{text: text, tone: theme.Muted, next: "esc clears the filter"}
	}
	if missing := l.Store.Missing(); len(missing) > 0 {
		return emptyReason{name + ": none seen, but some may be missing", theme.Warn, missing[0], "r retries"}
	}
	text, next, _ := strings.Cut(l.EmptyText, " · ")
	return emptyReason{text: text, tone: theme.Muted, next: next}
}

// drawFooter returns the lines below the rows: what is wrong, the filter, the sums.
func (l *List[T]) drawFooter(b ui.Box) []string {
	var lines []string
	say := func(tone theme.Tone, text string) {
		lines = append(lines, b.Theme.Paint(tone, ui.Truncate(text, b.Width, b.Theme.Glyphs.Ellipsis)))
	}
	if f := l.Store.Freshness(); f.Err != nil && f.Loaded {
		age := wording.FormatAge(b.Now.Sub(f.LoadedAt))
		say(ui.ErrorTone(f.Err), fmt.Sprintf("%s · as of %s ago", f.Err.Error(), age))
	}
	if notes := l.Store.Notes(); len(notes) > 0 {
		say(theme.Warn, notes[0])
	}
	if l.filter.typing || l.filter.text != "" {
		lines = append(lines, l.filter.view(b, l.matches(), l.rowIndex.note(l.wantedKey()))...)
	}
	if at := l.rowIndex.column; at >= 0 && l.Store.Lazy() && l.Store.Loaded() && !l.Store.Complete() &&
		(l.rowIndex.reverse || l.Columns[at].Title != l.SortBy) {
		loaded := wording.FormatCount(int64(l.Store.Len()))
		say(theme.Warn, fmt.Sprintf("sorted by %s in the %s loaded", l.Columns[at].Title, loaded))
	}
	switch {
	case l.jump.line != nil:
		lines = append(lines, l.jump.view(b))
	case l.Footer != nil && l.Store.Len() > 0:
		lines = append(lines, l.Footer(l.Store, b))
	}
	return lines[:min(len(lines), max(1, b.Height/3))]
}

// matches returns how many rows match the filter.
func (l *List[T]) matches() string {
	loaded := wording.FormatCount(int64(l.Store.Len()))
	text := fmt.Sprintf("%s of %s match", wording.FormatCount(int64(l.shown())), loaded)
	if !l.Store.Complete() {
		text += fmt.Sprintf(" in the %s loaded", loaded)
	}
	return text
}

// status returns the position of the cursor, the number of marks and the order of the rows: "3 of 14", "2 marked",
// "sorted by label".
func (l *List[T]) status() []string {
	if !l.Store.Loaded() || l.shown() == 0 {
		return nil
	}
	count := wording.FormatCount(int64(l.shown()))
	if !l.Store.Complete() {
		count += "+"
	}
	status := []string{wording.FormatCount(int64(l.cursor.position+1)) + " of " + count}
	if l.parent.selected {
		status[0] = parentName + " of " + count
	}
	if n := l.marks.count(); n > 0 {
		status = append(status, wording.FormatCount(int64(n))+" marked")
	}
	if at := l.rowIndex.column; at >= 0 && at < len(l.Columns) {
		order := "sorted by " + l.Columns[at].Title
		if l.rowIndex.reverse != l.Columns[at].LargestFirst {
			order += ", reversed"
		}
		status = append(status, order)
	}
	return status
}
