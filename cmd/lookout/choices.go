package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/shell"
	"lookout/ui/terminal"
	"lookout/views"
	"slices"
	"strings"
)

// checkColumns are choices of lists and columns that are not there, with the names of those that are.
func checkColumns(lists []ui.ColumnChooser, chosen map[string][]string, at map[string]position) (wrong configErrors) {
	var panes []string
	for _, l := range lists {
		panes = append(panes, l.Name())
		known := l.ColumnNames()
		for _, name := range chosen[l.Name()] {
			if !slices.Contains(known, name) {
				wrong = append(
					wrong,
					configError{
						at[joinKey([]string{"columns", l.Name()})],
						fmt.Sprintf(
							"columns.%s: there is no column %q; the columns are %s",
							l.Name(),
							client.Clean(name),
							strings.Join(known, ", "),
						),
						false,
					},
				)
			}
		}
	}
	for name := range chosen {
		if !slices.Contains(panes, name) {
			wrong = append(
				wrong,
				configError{
					at[joinKey([]string{"columns", name})],
					fmt.Sprintf(
						"columns.%s: there is no such list; the lists are %s",
						client.Clean(name),
						strings.Join(panes, ", "),
					),
					false,
				},
			)
		}
	}
	return wrong
}

// themeChoices are the themes that a run can choose from, and the one that it begins with: by flags, configuration and
// terminal, in that order.
func themeChoices(s settings) (shell.Themes, *theme.Theme, error) {
	colors, plain := terminal.DetectColorProfile(), s.ASCII || !terminal.SupportsUnicode()
	looks := shell.Themes{
		Selected:        cmp.Or(s.Theme, "auto"),
		LightBackground: terminal.HasLightBackground(),
		Names:           append([]string{"auto"}, themeNames(s.Themes)...),
		New: func(name string) (*theme.Theme, error) {
			if own, known := s.Themes[name]; known {
				return own.Build(colors, plain)
			}
			return theme.New(name, colors, plain)
		},
	}
	first, err := looks.New(theme.ForBackground(looks.Selected, looks.LightBackground))
	if err != nil {
		return looks, nil, usageError(
			fmt.Errorf(
				"there is no theme %q: choose one of %s",
				client.Clean(looks.Selected),
				strings.Join(looks.Names, ", "),
			),
		)
	}
	return looks, first, nil
}

// checkConfig are those of the text, and those that show only when the program is put together: actions that are not
// there, keys bound twice.
func checkConfig(ctx context.Context, data []byte) configErrors {
	cfg, wrong := parseConfig(data)
	if len(cfg.Keys)+len(cfg.Columns) == 0 {
		return wrong
	}
	at := keyPositions(string(data))
	program, account, err := newFrozenDemo(ctx, nil)
	if err != nil {
		return append(wrong, configError{position{1, 1}, err.Error(), true})
	}
	wrong = append(wrong, checkColumns(views.ColumnChoosers(account), cfg.Columns, at)...)
	var known []string
	for _, k := range program.KeyBindings() {
		known = append(known, k.Name())
	}
	for name := range cfg.Keys {
		if !slices.Contains(known, name) {
			wrong = append(
				wrong,
				configError{
					at[joinKey([]string{"keys", name})],
					fmt.Sprintf("keys.%q: there is no such action%s", client.Clean(name), suggestion(name, known)),
					false,
				},
			)
		}
	}
	_, _, err = newFrozenDemo(ctx, cfg.Keys)
	if all, several := err.(interface{ Unwrap() []error }); several {
		for _, one := range all.Unwrap() {
			wrong = append(wrong, configError{bindingPosition(one, at), "keys: " + one.Error(), true})
		}
	}
	slices.SortStableFunc(wrong, func(a, b configError) int {
		return cmp.Or(a.line-b.line, a.column-b.column, strings.Compare(a.text, b.text))
	})
	return wrong
}

// bindingPosition is the line that binds the key of a clash.
func bindingPosition(clash error, at map[string]position) position {
	var c *shell.KeyConflictError
	if errors.As(clash, &c) {
		for _, action := range []string{c.OtherAction, c.Action} {
			if p, here := at[joinKey([]string{"keys", c.Pane + "." + action})]; here {
				return p
			}
		}
	}
	return at["keys"]
}

// paneNames are the names of panes, in their order.
func paneNames(panes []ui.Pane) []string {
	names := make([]string, len(panes))
	for i, p := range panes {
		names[i] = p.Name()
	}
	return names
}
