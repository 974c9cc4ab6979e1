package main

import (
	"context"
	"fmt"
	"html"
	"slices"
	"strings"
	"time"

	"lookout/ui"
)

// Size of the tour's screen, and of the caption below it.
const (
	tourColumns   = 120
	tourLines     = 36
	captionHeight = 52
)

// A scene of the tour presses keys, one after the other, and says what they are for.
type scene struct {
	keys    string        // as a recorder presses them
	shown   string        // the keys that the caption names
	caption string        // what they do
	pause   time.Duration // after each key but the last
	hold    time.Duration // after the last key
}

// tourScenes returns the first minute with the demo.
func tourScenes() []scene {
	const typing, reading = 110 * time.Millisecond, 500 * time.Millisecond
	return []scene{
		{"", "lookout demo", "What is wrong, since when, and whom to call", 0, 5 * time.Second},
		{"i", "i", "The newest issue: what it affects, whom to call, what the load was", 0, 6 * time.Second},
		{"d", "d", "Disable monitoring while somebody works on it", 0, 1500 * time.Millisecond},
		{
			"<tab> r e s t a r t <space> d b 2", "tab", "For an hour, and why",
			typing, 1500 * time.Millisecond,
		},
		{"<ctrl+s>", "ctrl+s", "Sent once, recorded in a journal, and u undoes it", 0, 4 * time.Second},
		{"1", "1", "Back to the overview: silenced, and until when", 0, 4 * time.Second},
		{"3", "3", "All services: which have monitoring disabled, and until when", 0, 3 * time.Second},
		{"u", "u", "Undo: a row that has just changed is tinted for a second", 0, 3500 * time.Millisecond},
		{"8", "8", "The buckets of all clusters", 0, 2500 * time.Millisecond},
		{
			"<enter> <down> <enter> <enter> <down> <down> <enter> <down> <down>", "enter", "Objects, folder by folder",
			reading, 2500 * time.Millisecond,
		},
		{
			": 4 8 2 1 3",
			":",
			"Find anything: a ticket, a telephone number, a service, an action",
			250 * time.Millisecond,
			2500 * time.Millisecond,
		},
		{"<enter>", "enter", "That ticket's issue", 0, 4 * time.Second},
	}
}

// A tourFrame is a frame with its caption and the time at which it is replaced.
type tourFrame struct {
	lines []string
	scene int
	until time.Duration
}

// recordTour plays the scenes and takes a frame after each key, and each second while nothing is pressed.
func recordTour(ctx context.Context, theme string) ([]tourFrame, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := newRecorder(ctx, theme, tourColumns, tourLines)
	if err != nil {
		return nil, err
	}
	var frames []tourFrame
	at, refreshed := time.Duration(0), time.Duration(0)
	show := func(scene int, length time.Duration) {
		for length > 0 {
			step := min(length, time.Second)
			at, length = at+step, length-step
			frames = append(frames, tourFrame{r.frame(), scene, at})
			r.pass(step)
		}
	}
	for n, s := range tourScenes() {
		if at-refreshed >= 20*time.Second { // as the program does on its own
			refreshed = at
			r.send(ui.RefreshMsg{})
		}
		keys := strings.Fields(s.keys)
		for k, key := range keys {
			r.press(key)
			if k < len(keys)-1 {
				show(n, s.pause)
			}
		}
		r.rest()
		show(n, s.hold)
	}
	return frames, nil
}

// renderTour draws the tour as an animated picture. A part of the screen that stays the same for several frames is
// there once, and shown as long as it is right.
func renderTour(ctx context.Context, l look) (string, error) {
	frames, err := recordTour(ctx, l.theme)
	if err != nil {
		return "", err
	}
	w := &svgWriter{look: l}
	m := &movie{length: frames[len(frames)-1].until}
	var content, captions strings.Builder
	for y := range tourLines {
		for _, p := range m.parts(frames, func(f tourFrame) string { return f.lines[y] }) {
			content.WriteString(w.row(y, parseCells(p.text), p.class))
		}
	}
	scenes := tourScenes()
	for _, p := range m.parts(frames, func(f tourFrame) string { return fmt.Sprint(f.scene) }) {
		var n int
		_, _ = fmt.Sscan(p.text, &n)
		captions.WriteString(w.caption(scenes[n], p.class))
	}
	return w.document(picture{
		alt:         tourAlt,
		columns:     tourColumns,
		lines:       tourLines,
		content:     content.String(),
		below:       captions.String(),
		belowHeight: captionHeight,
		style:       m.style(),
	}), nil
}

// caption returns what stands below the window during a scene: the keys, then what they do.
func (w *svgWriter) caption(s scene, class string) string {
	top := tourLines*cellHeight + barHeight + 2*margin + 14
	width := float64(len(s.shown))*cellWidth + 18
	return fmt.Sprintf(
		`<g class="%s" transform="translate(1 %d)"><rect width="%s" height="28" rx="6" fill="%s" stroke="%s"/>`+
			`<text x="%s" y="19" class="m b %s">%s</text><text x="%s" y="19" class="%s caption">%s</text></g>`+"\n",
		class,
		top,
		decimal(width),
		w.bar,
		w.edge,
		decimal(width/2),
		w.class(w.text),
		html.EscapeString(s.shown),
		decimal(width+12),
		w.class(w.text),
		html.EscapeString(s.caption),
	)
}

// movie finds out when the parts of an animation are seen.
type movie struct {
	length time.Duration
	shows  []string // the keyframes of each class
	first  []bool   // whether its parts are seen in the first frame
}

// A moviePart is a text that is seen in some of the frames.
type moviePart struct{ text, class string }

// parts returns the texts of a place on the screen, each once, with the class that shows it in its frames.
func (m *movie) parts(frames []tourFrame, textOf func(tourFrame) string) []moviePart {
	var texts []string
	for _, f := range frames {
		if text := textOf(f); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	if len(texts) == 1 {
		return []moviePart{{texts[0], ""}}
	}
	var parts []moviePart
	for _, text := range texts {
		parts = append(parts, moviePart{text, m.class(frames, func(f tourFrame) bool { return textOf(f) == text })})
	}
	return parts
}

// class returns the class of what is seen in some frames.
func (m *movie) class(frames []tourFrame, seen func(tourFrame) bool) string {
	var steps strings.Builder
	before, start := false, time.Duration(0)
	for n, f := range frames {
		if now := seen(f); now != before || n == 0 {
			fmt.Fprintf(&steps, "%s%%{visibility:%s}", decimal(100*start.Seconds()/m.length.Seconds()),
				map[bool]string{true: "visible", false: "hidden"}[now])
			before = now
		}
		start = f.until
	}
	at := slices.Index(m.shows, steps.String())
	if at < 0 {
		at = len(m.shows)
		m.shows, m.first = append(m.shows, steps.String()), append(m.first, seen(frames[0]))
	}
	return fmt.Sprintf("v%d", at)
}

// style returns the rules that show the parts. Viewers who prefer reduced motion see the first frame.
func (m *movie) style() string {
	var still, moving strings.Builder
	for n, steps := range m.shows {
		if !m.first[n] {
			fmt.Fprintf(&still, ".v%d{visibility:hidden}", n)
		}
		fmt.Fprintf(&moving, ".v%d{animation:v%[1]d %ss step-end infinite}@keyframes v%[1]d{%[3]s}",
			n, decimal(m.length.Seconds()), steps)
	}
	return ".caption{font:15px -apple-system,'Segoe UI','Noto Sans','DejaVu Sans',Helvetica,Arial,sans-serif}" +
		still.String() + "@media (prefers-reduced-motion:no-preference){" + moving.String() + "}"
}

// tourAlt is what the animation shows, in words.
const tourAlt = "A minute with the demo: what is broken and whom to call, monitoring disabled for an hour, " +
	"objects, and a ticket found by its number"
