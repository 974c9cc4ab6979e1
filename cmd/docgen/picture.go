package main

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"lookout/cmd/internal/dashboard"
	"lookout/ui/shell"
	"lookout/ui/uitest"
	"lookout/views"
)

// pictureCommand draws a frame of the demo account as SVG: the pictures of the documentation.
func pictureCommand() *cobra.Command {
	var out, keys string
	var width, height int
	c := &cobra.Command{
		Use:   "picture",
		Short: "Draw a frame of the demo account as SVG",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			svg, err := renderPicture(c.Context(), keys, width, height)
			if err != nil {
				return err
			}
			return os.WriteFile(out, []byte(svg), 0o644)
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "lookout.svg", "file to write")
	c.Flags().StringVar(&keys, "keys", "", "keys to press first, separated by spaces")
	c.Flags().IntVar(&width, "width", 120, "columns")
	c.Flags().IntVar(&height, "height", 36, "lines")
	return c
}

// A pictureSpec describes a picture of the documentation.
type pictureSpec struct {
	name, keys    string
	width, height int
}

// pictureSpecs returns the pictures of the documentation.
func pictureSpecs() []pictureSpec {
	return []pictureSpec{
		{"overview", "", 120, 36},
		{"incident", "2 enter", 120, 30},
		{"disable", "3 down down down d tab k e r n e l", 100, 24},
		{"objects", "8 enter down enter enter enter down down space down space", 110, 24},
	}
}

// renderPictures returns the pictures by file name.
func renderPictures(ctx context.Context) (map[string]string, error) {
	all := map[string]string{}
	for _, one := range pictureSpecs() {
		drawn, err := renderPicture(ctx, one.keys, one.width, one.height)
		if err != nil {
			return nil, err
		}
		all[one.name+".svg"] = drawn
	}
	return all, nil
}

// renderPicture runs the demo on a stopped clock, presses the keys and draws the frame.
func renderPicture(ctx context.Context, keys string, width, height int) (string, error) {
	s, acc, err := dashboard.NewFrozenDemo(ctx, shell.Preferences{})
	if err != nil {
		return "", err
	}
	runCmd(s, s.Update(tea.WindowSizeMsg{Width: width, Height: height}))
	runCmd(s, views.Panes(acc)[0].Refresh())
	for _, k := range strings.Fields(keys) {
		code := []rune(k)[0]
		msg := tea.KeyPressMsg{Code: code, Text: k}
		if special, ok := map[string]rune{
			"enter": tea.KeyEnter,
			"tab":   tea.KeyTab,
			"down":  tea.KeyDown,
			"right": tea.KeyRight,
		}[k]; ok {
			msg = tea.KeyPressMsg{Code: special}
		}
		runCmd(s, s.Update(msg))
	}
	return renderSVG(s.Frame().Content, width, height), nil
}

// runCmd runs a command and all commands that follow from it. It does not wait for timers.
func runCmd(s *shell.Shell, cmd tea.Cmd) { uitest.RunWithin(500*time.Millisecond, cmd, s.Update) }

// Size of a cell in the picture: that of DejaVu Sans Mono and Menlo at 14 px. Other fonts are stretched to it.
const (
	cellWidth  = 8.43
	cellHeight = 17
	margin     = 12
)

// renderSVG draws a frame: one text element for each run of a style.
func renderSVG(frame string, width, height int) string {
	var b strings.Builder
	w, h := float64(width)*cellWidth+2*margin, height*cellHeight+2*margin
	fmt.Fprintf(
		&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" viewBox="0 0 %.0f %d" role="img">`, w, h,
		w, h,
	)
	fmt.Fprintf(
		&b,
		`<rect width="100%%" height="100%%" rx="8" fill="#14171d"/><g font-family="DejaVu Sans Mono, Menlo, `+
			`Consolas, monospace" font-size="14" xml:space="preserve">`,
	)
	for y, line := range strings.Split(frame, "\n") {
		drawLine(&b, line, margin+y*cellHeight)
	}
	b.WriteString("</g></svg>\n")
	return b.String()
}

// drawLine draws one line.
func drawLine(b *strings.Builder, line string, top int) {
	x, style := 0, textStyle{}
	for len(line) > 0 {
		if strings.HasPrefix(line, "\x1b[") {
			end := strings.IndexByte(line, 'm')
			style.applySGR(line[2:end])
			line = line[end+1:]
			continue
		}
		text, rest := line, ""
		if i := strings.Index(line, "\x1b["); i >= 0 {
			text, rest = line[:i], line[i:]
		}
		n := ansi.StringWidth(text)
		style.writeSVG(b, text, x, top, n)
		x, line = x+n, rest
	}
}

// textStyle is the current style.
type textStyle struct {
	colour, background       string
	bold, reverse, underline bool
}

func (p *textStyle) applySGR(codes string) {
	if codes == "" || codes == "0" {
		*p = textStyle{}
		return
	}
	parts := strings.Split(codes, ";")
	for i := 0; i < len(parts); i++ {
		switch parts[i] {
		case "1":
			p.bold = true
		case "4":
			p.underline = true
		case "7":
			p.reverse = true
		case "38", "48":
			if i+4 >= len(parts) {
				return
			}
			target := &p.colour
			if parts[i] == "48" {
				target = &p.background
			}
			*target = fmt.Sprintf("rgb(%s,%s,%s)", parts[i+2], parts[i+3], parts[i+4])
			i += 4
		}
	}
}

// writeSVG draws a run of one style. It places distant words separately, so that columns stay aligned in every font.
func (p *textStyle) writeSVG(b *strings.Builder, text string, x, top, cells int) {
	at := func(cell int) float64 { return margin + float64(cell)*cellWidth }
	fill := cmp.Or(p.colour, "#d5d9e0")
	behind := p.background
	if p.reverse {
		behind, fill = fill, cmp.Or(p.background, "#14171d")
	}
	if behind != "" {
		fmt.Fprintf(
			b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`, at(x), top, float64(cells)*cellWidth,
			cellHeight, behind,
		)
	}
	extra := ""
	if p.bold {
		extra += ` font-weight="bold"`
	}
	if p.underline {
		extra += ` text-decoration="underline"`
	}
	for words := range strings.SplitSeq(text, "  ") {
		trimmed := strings.TrimLeft(words, " ")
		begin := x + len(words) - len(trimmed)
		n := ansi.StringWidth(strings.TrimRight(trimmed, " "))
		x += ansi.StringWidth(words) + 2
		if n > 0 {
			fmt.Fprintf(
				b, `<text x="%.1f" y="%d" textLength="%.1f" fill="%s"%s>%s</text>`, at(begin), top+13,
				float64(n)*cellWidth, fill, extra, html.EscapeString(strings.TrimSpace(trimmed)),
			)
		}
	}
}
