// Command floor is the least that a Bubble Tea program can be: 50 rows of 200 cells, and keys that move a highlight
// over them.
package main

import (
	"fmt"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"
)

type model struct {
	rows []string
	at   int
}

func (m model) Init() tea.Cmd { return nil }

func (m model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.String() {
		case "j":
			m.at = min(m.at+1, len(m.rows)-1)
		case "k":
			m.at = max(m.at-1, 0)
		case "q":
			return m, tea.Quit
		}
	}
	return m, nil
}

func (m model) View() tea.View {
	lines := make([]string, len(m.rows))
	for i, row := range m.rows {
		if i == m.at {
			row = "\x1b[7m" + row + "\x1b[m"
		}
		lines[i] = row
	}
	v := tea.NewView(strings.Join(lines, "\n"))
	v.AltScreen = true
	return v
}

func main() {
	m := model{rows: make([]string, 50)}
	for i := range m.rows {
		m.rows[i] = fmt.Sprintf("row %03d %s", i, strings.Repeat("lookout ", 24))
	}
	if _, err := tea.NewProgram(m).Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
