package main

import (
	"fmt"
	"html"
	"slices"
	"strings"
)

// Size of a cell, and of what surrounds the cells, in pixels. Letters of other widths are stretched to their cells.
const (
	cellWidth  = 8.4
	cellHeight = 18
	margin     = 12 // on each side of the cells
	barHeight  = 32 // of the window's title bar
)

// A look holds the colours of a picture that are not the theme's.
type look struct {
	theme                        string
	text, ground, bar, edge, dim string
}

// looks returns the looks of the pictures: one for each colour scheme of the page that shows them.
func looks() []look {
	return []look{
		{
			theme:  "dark",
			text:   "#d5d9e0",
			ground: "#12151b",
			bar:    "#1b1f27",
			edge:   "#30363d",
			dim:    "#8b949e",
		},
		{
			theme:  "light",
			text:   "#1f2328",
			ground: "#ffffff",
			bar:    "#f3f5f7",
			edge:   "#d0d7de",
			dim:    "#59636e",
		},
	}
}

// svgWriter draws lines of cells as SVG. Colours are classes, which keeps the files small.
type svgWriter struct {
	look
	colors []string // in the order of their classes
}

// class returns the class of a colour.
func (w *svgWriter) class(color string) string {
	at := slices.Index(w.colors, color)
	if at < 0 {
		at = len(w.colors)
		w.colors = append(w.colors, color)
	}
	return fmt.Sprintf("c%d", at)
}

// fonts are the fonts of terminals, first those of the reader's system.
const fonts = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"

// A picture is what a document shows.
type picture struct {
	alt            string
	columns, lines int
	content        string // drawn with the cells' origin
	below          string // drawn below the window
	belowHeight    int
	style          string // further rules
}

// document returns a picture as SVG, in a window.
func (w *svgWriter) document(p picture) string {
	width, height := float64(p.columns)*cellWidth+2*margin, p.lines*cellHeight+barHeight+2*margin
	var b strings.Builder
	fmt.Fprintf(
		&b,
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" width="%.0[1]f" height="%[2]d" role="img" `+
			`aria-label="%[3]s">`,
		width+2,
		height+2+p.belowHeight,
		html.EscapeString(p.alt),
	)
	fmt.Fprintf(
		&b,
		`<style>text{white-space:pre;font:14px %s;fill:currentColor}.b{font-weight:700}.m{text-anchor:middle}`+
			`.u{text-decoration:underline}.l,.h{stroke:currentColor;fill:none;stroke-width:1.2}.h{stroke-width:2.4}`+
			`.s,.k,.f{fill:currentColor}.k{shape-rendering:crispEdges}.f{opacity:.25}.d{stroke-dasharray:2.1}`,
		fonts,
	)
	for n, color := range w.colors {
		fmt.Fprintf(&b, ".c%d{color:%s}", n, color)
	}
	fmt.Fprintf(&b, `%s</style><rect x="1" y="1" width="%.0f" height="%d" rx="9" fill="%s" stroke="%s"/>`,
		p.style, width, height, w.ground, w.edge)
	fmt.Fprintf(
		&b,
		`<path d="M1 %d V10 A9 9 0 0 1 10 1 H%.0f A9 9 0 0 1 %.0f 10 V%[1]d Z" fill="%[4]s" stroke="%[5]s"/>`,
		barHeight,
		width-8,
		width+1,
		w.bar,
		w.edge,
	)
	for n := range 3 {
		fmt.Fprintf(&b, `<circle cx="%d" cy="16.5" r="5.5" fill="%s"/>`, 20+19*n, w.edge)
	}
	fmt.Fprintf(&b, `<text x="%.0f" y="21" class="m" font-size="13" color="%s">lookout</text>`, width/2+1, w.dim)
	fmt.Fprintf(
		&b,
		`<g transform="translate(%d %d)">%s</g>%s</svg>`+"\n",
		margin+1,
		barHeight+margin,
		p.content,
		p.below,
	)
	return b.String()
}

// row returns a line of cells, with its place in the picture.
func (w *svgWriter) row(y int, cells []cell, class string) string {
	drawn := w.cells(cells)
	if drawn == "" {
		return ""
	}
	if class != "" {
		class = ` class="` + class + `"`
	}
	return fmt.Sprintf(`<g transform="translate(0 %d)"%s>%s</g>`, y*cellHeight, class, drawn) + "\n"
}

// cells draws a line: backgrounds, then lines and blocks, then text.
func (w *svgWriter) cells(cells []cell) string {
	var b strings.Builder
	for _, r := range runs(cells, func(c cell) string { return w.backgroundOf(c) }) {
		if r.key != "" {
			fmt.Fprintf(&b, `<path class="k %s" d="M%s 0h%sv%dh-%[3]sz"/>`,
				w.class(r.key), px(r.from), px(r.to-r.from), cellHeight)
		}
	}
	w.drawShapes(&b, cells)
	for _, r := range runs(cells, w.textStyleOf) {
		if r.key != "" {
			drawText(&b, r.key, cells[r.from:r.to], r.from)
		}
	}
	return b.String()
}

// A run is a part of a line whose cells have the same key.
type run struct {
	key      string
	from, to int
}

// runs splits a line by a key of its cells.
func runs(cells []cell, keyOf func(cell) string) []run {
	var all []run
	for x, c := range cells {
		if key := keyOf(c); len(all) == 0 || all[len(all)-1].key != key {
			all = append(all, run{key, x, x + 1})
		} else {
			all[len(all)-1].to = x + 1
		}
	}
	return all
}

// foregroundOf and backgroundOf return the colours of a cell; "" is the ground.
func (w *svgWriter) foregroundOf(c cell) string {
	switch {
	case c.reverse && c.background != "":
		return c.background
	case c.reverse:
		return w.ground
	case c.color != "":
		return c.color
	}
	return w.text
}

func (w *svgWriter) backgroundOf(c cell) string {
	switch {
	case c.reverse && c.color != "":
		return c.color
	case c.reverse:
		return w.text
	}
	return c.background
}

// textStyleOf returns the classes of a cell with text; "" for one that holds a shape.
func (w *svgWriter) textStyleOf(c cell) string {
	if _, drawn := shapes[c.text]; drawn {
		return ""
	}
	classes := w.class(w.foregroundOf(c))
	if c.bold {
		classes += " b"
	}
	if c.underline {
		classes += " u"
	}
	return classes
}

// drawText draws cells of one style. Words that stand apart, and characters that fonts draw in other widths, have their
// own places, so that columns stay aligned in every font.
func drawText(b *strings.Builder, classes string, cells []cell, x int) {
	underlined := strings.HasSuffix(classes, " u")
	for at := 0; at < len(cells); {
		begin := at
		switch text := cells[at].text; {
		case text == " " && !underlined, text == "":
			at++
			continue
		case !isPlain(text):
			at++
			for at < len(cells) && cells[at].text == "" {
				at++ // the rest of a wide character
			}
			fmt.Fprintf(b, `<text x="%s" y="13.5" class="m %s">%s</text>`,
				decimal(float64(2*(x+begin)+at-begin)/2*cellWidth), classes, html.EscapeString(text))
			continue
		}
		end, text := at, ""
		for ; at < len(cells) && isPlain(cells[at].text); at++ {
			if cells[at].text != " " || underlined {
				end = at + 1
			} else if at > end {
				break // two blanks
			}
		}
		for _, c := range cells[begin:end] {
			text += c.text
		}
		fmt.Fprintf(b, `<text x="%s" y="13.5" textLength="%s" class="%s">%s</text>`,
			px(x+begin), px(end-begin), classes, html.EscapeString(text))
	}
}

// isPlain reports whether every font has a character in the width of a letter.
func isPlain(text string) bool { return len(text) == 1 && text[0] >= ' ' && text[0] < 0x7f }

// px returns the place of a column.
func px(column int) string { return decimal(float64(column) * cellWidth) }

// decimal writes a number with as few digits as it needs.
func decimal(v float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", v), "0"), ".")
}
