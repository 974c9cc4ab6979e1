package dashboard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"lookout/client"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/shell"
	"lookout/ui/terminal"
	"lookout/views"
)

// checkColumns reports unknown lists and columns, with the names of the known ones.
func checkColumns(
	lists []ui.ListPane,
	chosen map[string][]string,
	at config.Positions,
) (wrong config.Mistakes) {
	var panes []string
	for _, l := range lists {
		panes = append(panes, l.Name())
		known := l.ColumnNames()
		for i, name := range chosen[l.Name()] {
			if len(l.ChooseColumns([]string{name})) > 0 {
				wrong = append(
					wrong,
					config.Mistake{
						Position: at.Element(i, "columns", l.Name()),
						Text: fmt.Sprintf(
							"columns.%s: unknown column %q (use %s)", l.Name(), client.Clean(name),
							strings.Join(known, ", "),
						),
					},
				)
			}
		}
	}
	for name := range chosen {
		if !slices.Contains(panes, name) {
			wrong = append(
				wrong,
				config.Mistake{
					Position: at.At("columns", name),
					Text: fmt.Sprintf(
						"columns.%s: unknown list (use %s)%s", client.Clean(name), strings.Join(panes, ", "),
						config.Suggestion(name, panes),
					),
				},
			)
		}
	}
	return wrong
}

// themeChoices returns the themes to choose from and the first one: from flags, configuration or terminal, in that
// order.
func themeChoices(s config.Settings) (shell.ThemeChoices, *theme.Theme, error) {
	colors, plain := terminal.DetectColorProfile(), s.ASCII || !terminal.SupportsUnicode()
	looks := shell.ThemeChoices{
		Selected:        cmp.Or(s.Theme, "auto"),
		LightBackground: terminal.HasLightBackground(),
		Names:           append([]string{"auto"}, config.ThemeNames(s.Themes)...),
		New: func(name string) (*theme.Theme, error) {
			if own, known := s.Themes[name]; known {
				return own.Build(colors, plain)
			}
			return theme.New(name, colors, plain)
		},
	}
	first, err := looks.New(theme.ForBackground(looks.Selected, looks.LightBackground))
	if err != nil {
		return looks, nil, exit.Usage(errors.New(config.UnknownTheme(looks.Selected, looks.Names)))
	}
	return looks, first, nil
}

// CheckConfig returns all mistakes of a configuration, including those that only the assembled dashboard knows: unknown
// actions and columns, and keys bound twice.
func CheckConfig(ctx context.Context, data []byte) config.Mistakes {
	cfg, wrong := config.Parse(data)
	if len(cfg.Keys)+len(cfg.Columns)+len(cfg.Commands) == 0 {
		return wrong
	}
	var known []string
	at := config.FindPositions(data)
	bindings, err := KeyBindings(ctx)
	if err != nil {
		return append(
			wrong, config.Mistake{Position: config.Position{Line: 1, Column: 1}, Text: err.Error(), Fatal: true},
		)
	}
	program, account, err := NewFrozenDemo(ctx, shell.Preferences{
		Keys:           cfg.Keys,
		KeyLines:       config.KeyLines(cfg, at),
		CustomCommands: cfg.Commands,
	})
	for _, c := range cfg.Commands {
		known = append(known, c.Pane+"."+c.Name)
	}
	wrong = append(wrong, checkCommands(views.Panes(account), cfg.Commands, at)...)
	wrong = append(wrong, checkColumns(views.ColumnChoosers(account), cfg.Columns, at)...)
	for _, k := range bindings {
		known = append(known, k.Name())
	}
	for name := range cfg.Keys {
		if !slices.Contains(known, name) {
			text := fmt.Sprintf("keys.%q: unknown action%s", client.Clean(name), suggestAction(name, known))
			wrong = append(wrong, config.Mistake{Position: at.At("keys", name), Text: text})
		}
	}
	if err != nil {
		wrong = append(wrong, config.Mistake{Position: at.At("keys"), Text: "keys: " + err.Error(), Fatal: true})
		return wrong
	}
	for _, c := range program.KeyConflicts(views.OpenablePanes(account)...) {
		wrong = append(wrong, config.Mistake{Position: bindingPosition(c, at), Text: "keys: " + c.String()})
	}
	sort.Slice(wrong, func(i, j int) bool {
		a, b := wrong[i], wrong[j]
		return cmp.Or(a.Line-b.Line, a.Column-b.Column, strings.Compare(a.Text, b.Text)) < 0
	})
	return wrong
}

// suggestAction returns a question with the action that an unknown one probably means: an action of the same pane whose
// name contains it, as new names contain older ones, or else the closest; "" if there is none.
func suggestAction(name string, known []string) string {
	pane, words, _ := strings.Cut(name, ".")
	for _, k := range known {
		if longer, same := strings.CutPrefix(k, pane+"."); same && strings.Contains(" "+longer+" ", " "+words+" ") {
			name = k
			break
		}
	}
	return config.Suggestion(name, known)
}

// checkCommands reports the commands that no list can take.
func checkCommands(
	panes []ui.Pane, commands []ui.CustomCommand, at config.Positions,
) (wrong config.Mistakes) {
	for _, c := range commands {
		key, problem := shell.CustomCommandProblem(panes, c)
		if key == "pane" {
			problem += config.Suggestion(c.Pane, views.TabNames())
		}
		if problem != "" {
			text := "commands." + key + ": " + problem
			wrong = append(wrong, config.Mistake{Position: at.Command(c.Line, key), Text: text})
		}
	}
	return wrong
}

// bindingPosition returns where the configuration binds a key that another action has too: in [keys], or as a command.
func bindingPosition(c shell.KeyConflict, at config.Positions) config.Position {
	if at.Has("keys", c.Chosen) {
		return at.At("keys", c.Chosen)
	}
	return config.Position{Line: max(1, c.Line), Column: 1}
}
