package shell

import (
	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/terminal"
)

// ThemeChoices are the themes to choose from while the program runs.
type ThemeChoices struct {
	Selected        string   // name of the chosen theme: "auto" and some others follow the terminal's background
	LightBackground bool     // the background as it is known at the start
	Names           []string // all names
	New             func(name string) (*theme.Theme, error)
}

// A themeSwitch holds the theme that the program is drawn in, and changes it.
type themeSwitch struct {
	choices ThemeChoices
	current *theme.Theme
}

// followsBackground reports whether the selected theme depends on the terminal's background.
func (s *themeSwitch) followsBackground() bool {
	name := s.choices.Selected
	return s.choices.New != nil && theme.ForBackground(name, true) != theme.ForBackground(name, false)
}

// apply draws everything in a theme from now on. A theme that cannot be made changes nothing.
func (s *themeSwitch) apply(name string) {
	if s.choices.New == nil {
		return
	}
	if t, err := s.choices.New(theme.ForBackground(name, s.choices.LightBackground)); err == nil {
		s.current = t
	}
}

func (s *themeSwitch) endPreview() { s.apply(s.choices.Selected) }

// requestBackgroundColor asks the terminal for its background colour if the theme depends on it. Nothing waits for the
// answer.
func (s *themeSwitch) requestBackgroundColor() tea.Cmd {
	if !s.followsBackground() {
		return nil
	}
	return terminal.RequestBackgroundColor()
}

// backgroundChanged handles the terminal's answer.
func (s *themeSwitch) backgroundChanged(msg tea.BackgroundColorMsg) {
	if light := !msg.IsDark(); light != s.choices.LightBackground {
		s.choices.LightBackground = light
		s.apply(s.choices.Selected)
	}
}

// entries returns the palette's entries for themes. The screen shows a theme while the cursor is on its entry.
func (s *themeSwitch) entries() []paletteEntry {
	var all []paletteEntry
	for _, name := range s.choices.Names {
		all = append(all, paletteEntry{
			label:   "theme " + name,
			kind:    "theme",
			preview: func() { s.apply(name) },
			do: func() tea.Cmd {
				s.choices.Selected = name
				s.apply(name)
				text := "theme " + name + " for this session · theme = \"" + name + "\" in the configuration keeps it"
				return tea.Batch(s.requestBackgroundColor(), ui.ShowStatus(theme.Good, text))
			},
		})
	}
	return all
}
