package table

import (
	"encoding/json"

	tea "charm.land/bubbletea/v2"

	"lookout/client/visible"
	"lookout/ui"
)

// CustomCommandHost returns the list, which takes actions that run a program.
func (l *List[T]) CustomCommandHost() ui.CustomCommandHost { return l }

// AddCustomCommand adds an action that runs a program on the row under the cursor.
func (l *List[T]) AddCustomCommand(c ui.CustomCommand) {
	l.RowActions = append(l.RowActions, RowAction[T]{
		Name:        c.Name,
		Description: "runs " + c.Argv[0] + ", as the configuration says",
		Writes:      !c.Harmless,
		Message:     func(row T) tea.Msg { return l.runCommand(c, row) },
	})
}

// RowFields returns the names of the placeholders that stand for a value of a row: its ID, its label, its columns.
func (l *List[T]) RowFields() []string {
	names := []string{"id", "label"}
	for _, c := range l.Columns {
		if c.Value != nil && c.Name != "label" {
			names = append(names, c.Name)
		}
	}
	return names
}

// runCommand returns the message that runs a command on a row.
func (l *List[T]) runCommand(c ui.CustomCommand, row T) ui.RunCustomCommandMsg {
	msg := ui.RunCustomCommandMsg{Command: c, Label: l.label(row, l.cellBox())}
	data, err := json.Marshal(row)
	if err != nil {
		msg.Err = err
		return msg
	}
	msg.Row = string(visible.EscapeJSON(data))
	msg.Argv, msg.Err = c.Expand(func(name string) string { return visible.MaskKeys(l.fieldValue(name, row)) })
	return msg
}

// fieldValue returns the value of a row for a placeholder; "" for an unknown one.
func (l *List[T]) fieldValue(name string, row T) string {
	if name == "id" {
		return l.Store.ID(row)
	}
	for _, c := range l.Columns {
		if c.Name == name && c.Value != nil {
			return c.Value(row)
		}
	}
	if name == "label" {
		return l.label(row, l.cellBox())
	}
	return ""
}
