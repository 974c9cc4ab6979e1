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

// listStatus is what a list says about itself around its rows.
type listStatus struct {
	freshness lists.Freshness
	name      string // of the rows
	notes     []string
	filter    filterInput
	note      filterNote
	matching  int // rows that the filter lets through
	loaded    int
	complete  bool
	missing   []string // why rows may be missing although all pages were read
	sortTitle string   // title of the column that a lazy store is sorted by; "" is none
	emptyText string   // said when there is no row at all
}

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
func (s listStatus) explainEmpty(b ui.Box) []string {
	reason := s.emptyReason(b)
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
func (s listStatus) drawEmpty(b ui.Box) []string {
	lines := s.explainEmpty(b)
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
func (s listStatus) emptyReason(b ui.Box) emptyReason {
	err := s.freshness.Err
	switch {
	case err != nil && wording.Denied(err):
		text := s.name + ": not allowed for this user or token"
		return emptyReason{text, theme.Bad, err.Error(), wording.Advice(err)}
	case err != nil && !s.freshness.Loaded:
		retry := "press r to retry"
		if advice := wording.Advice(err); advice != "" {
			retry = advice + " · " + retry
		}
		if _, gone := lists.GoneID(err); gone {
			return emptyReason{text: err.Error(), tone: theme.Bad, next: "esc goes back"}
		}
		text := s.name + " could not be read"
		if since := s.freshness.FailingSince; b.Now.Sub(since) >= 5*time.Second && !since.IsZero() {
			text += " for " + wording.FormatAge(b.Now.Sub(since))
		}
		return emptyReason{text, theme.Warn, err.Error(), retry}
	case !s.freshness.Loaded:
		text := "reading " + s.name + b.Theme.Glyphs.Ellipsis
		return emptyReason{text: text, tone: theme.Muted, next: "keys already work · ? for help"}
	case s.loaded > 0 && s.note.problem != "":
		next := "/ enters another filter · esc clears it"
		return emptyReason{text: s.note.problem, tone: theme.Warn, next: next}
	case s.loaded > 0:
		text := fmt.Sprintf("none of %s matches %q", wording.Plural(s.loaded, "row", "rows"), s.filter.text)
		return emptyReason{text: text, tone: theme.Muted, next: "esc clears the filter"}
	}
	if len(s.missing) > 0 {
		return emptyReason{s.name + ": none seen, but some may be missing", theme.Warn, s.missing[0], "r retries"}
	}
	text, next, _ := strings.Cut(s.emptyText, " · ")
	return emptyReason{text: text, tone: theme.Muted, next: next}
}

// footer returns the lines below the rows: what is wrong, the filter.
func (s listStatus) footer(b ui.Box) []string {
	var lines []string
	say := func(tone theme.Tone, text string) {
		lines = append(lines, b.Theme.Paint(tone, ui.Truncate(text, b.Width, b.Theme.Glyphs.Ellipsis)))
	}
	if err := s.freshness.Err; err != nil && s.freshness.Loaded {
		age := wording.FormatAge(b.Now.Sub(s.freshness.LoadedAt))
		say(ui.ErrorTone(err), fmt.Sprintf("%s · as of %s ago", err.Error(), age))
	}
	if len(s.notes) > 0 {
		say(theme.Warn, s.notes[0])
	}
	if s.filter.typing || s.filter.text != "" {
		lines = append(lines, s.filter.view(b, s.matches(), s.note)...)
	}
	if s.sortTitle != "" && !s.complete {
		say(theme.Warn, fmt.Sprintf("sorted by %s in the %s loaded", s.sortTitle, wording.FormatCount(int64(s.loaded))))
	}
	return lines
}

// matches returns how many rows match the filter.
func (s listStatus) matches() string {
	loaded := wording.FormatCount(int64(s.loaded))
	text := fmt.Sprintf("%s of %s match", wording.FormatCount(int64(s.matching)), loaded)
	if !s.complete {
		text += fmt.Sprintf(" in the %s loaded", loaded)
	}
	return text
}

// Status returns the position of the cursor, the number of marks and the order of the rows: "3 of 14", "2 marked",
// "sorted by label".
func (l *List[T]) Status() []string {
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
