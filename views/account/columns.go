package account

import (
	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/views/resource"
)

// AgeColumn completes a column of a time: the pane shows how long ago it was, and sorts the newest first.
func AgeColumn[T any](
	c resource.ColumnDefinition[T], tone theme.Tone, at func(T) client.Time,
) resource.ColumnDefinition[T] {
	c.Value = func(row T) string { return resource.TimeValue(at(row)) }
	c.Pane.Cell = func(row T, b ui.Box) (string, theme.Tone) { return FormatAge(at(row), b.Now), tone }
	c.Pane.Less = func(x, y T) bool { return at(y).Time().Before(at(x).Time()) }
	c.Pane.AlignRight = true
	return c
}
