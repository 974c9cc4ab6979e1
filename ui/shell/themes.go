package shell

import (
	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/terminal"
)

// Themes are the themes that can be chosen while the program runs.
type Themes struct {
	Selected        string   // of the one chosen: "auto" and others follow the terminal's background
	LightBackground bool     // what is known of the background at the start
	Names           []string // that can be chosen
	New             func(name string) (*theme.Theme, error)
}

// followsBackground reports whether the theme depends on the terminal's background.
func (l Themes) followsBackground() bool {
	return l.New != nil && theme.ForBackground(l.Selected, true) != theme.ForBackground(l.Selected, false)
}

// applyTheme draws everything in a theme from now on. What cannot be made leaves the theme as it is.
func (s *Shell) applyTheme(name string) {
	if s.o.Themes.New == nil {
		return
	}
	if made, err := s.o.Themes.New(theme.ForBackground(name, s.o.Themes.LightBackground)); err == nil {
		s.o.Theme = made
	}
}

// requestBackgroundColor asks the terminal for its background where the theme depends on that. Nobody waits for the
// answer.
func (s *Shell) requestBackgroundColor() tea.Cmd {
	if !s.o.Themes.followsBackground() {
		return nil
	}
	return terminal.RequestBackgroundColor()
}

// backgroundChanged takes the terminal's answer.
func (s *Shell) backgroundChanged(msg tea.BackgroundColorMsg) {
	if light := !msg.IsDark(); light != s.o.Themes.LightBackground {
		s.o.Themes.LightBackground = light
		s.applyTheme(s.o.Themes.Selected)
	}
}

// themeEntries are the palette's lines for themes. The screen shows one as soon as the cursor is on its line.
func (s *Shell) themeEntries() []paletteEntry {
	var all []paletteEntry
	for _, name := range s.o.Themes.Names {
		all = append(all, paletteEntry{
			label:   "theme " + name,
			kind:    "theme",
			preview: func() { s.applyTheme(name) },
			do: func() tea.Cmd {
				s.o.Themes.Selected = name
				s.applyTheme(name)
				return tea.Batch(
					s.requestBackgroundColor(),
					ui.ShowNews(
						theme.Good,
						"theme "+name+" until the program is left · theme = \""+name+"\" in the configuration keeps it",
					),
				)
			},
		})
	}
	return all
}

// preview shows what the palette's line at the cursor would do, where it can be shown.
func (p *paletteDialog) preview(s *Shell) {
	tried := p.cursor < len(p.entries) && p.entries[p.cursor].preview != nil
	switch {
	case tried:
		p.entries[p.cursor].preview()
	case p.previewing:
		s.applyTheme(s.o.Themes.Selected)
	}
	p.previewing = tried
}
