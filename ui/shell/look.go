package shell

import (
	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/terminal"
)

// Looks are the themes that can be chosen while the program runs.
type Looks struct {
	Name  string   // of the one chosen: "auto" and others follow the terminal's background
	Light bool     // what is known of the background at the start
	Names []string // that can be chosen
	Make  func(name string) (*theme.Theme, error)
}

// follows reports whether the theme depends on the terminal's background.
func (l Looks) follows() bool {
	return l.Make != nil && theme.Fit(l.Name, true) != theme.Fit(l.Name, false)
}

// wear draws everything in a theme from now on. What cannot be made leaves the theme as it is.
func (s *Shell) wear(name string) {
	if s.o.Looks.Make == nil {
		return
	}
	if made, err := s.o.Looks.Make(theme.Fit(name, s.o.Looks.Light)); err == nil {
		s.o.Theme = made
	}
}

// askBackground asks the terminal for its background where the theme depends on that. Nobody waits for the answer.
func (s *Shell) askBackground() tea.Cmd {
	if !s.o.Looks.follows() {
		return nil
	}
	return terminal.AskBackground()
}

// ground takes the terminal's answer.
func (s *Shell) ground(msg tea.BackgroundColorMsg) {
	if light := !msg.IsDark(); light != s.o.Looks.Light {
		s.o.Looks.Light = light
		s.wear(s.o.Looks.Name)
	}
}

// themes are the palette's lines for themes. The screen shows one as soon as the cursor is on its line.
func (s *Shell) themes() []target {
	var all []target
	for _, name := range s.o.Looks.Names {
		all = append(all, target{label: "theme " + name, kind: "theme", try: func() { s.wear(name) }, do: func() tea.Cmd {
			s.o.Looks.Name = name
			s.wear(name)
			return tea.Batch(s.askBackground(), ui.News(theme.Good, "theme "+name+" until the program is left · theme = \""+name+"\" in the configuration keeps it"))
		}})
	}
	return all
}

// preview shows what the palette's line at the cursor would do, where it can be shown.
func (p *palette) preview(s *Shell) {
	tried := p.at < len(p.targets) && p.targets[p.at].try != nil
	switch {
	case tried:
		p.targets[p.at].try()
	case p.tried:
		s.wear(s.o.Looks.Name)
	}
	p.tried = tried
}
