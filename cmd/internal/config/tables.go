package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"lookout/client"
	"lookout/theme"
)

// A Table is a part of the configuration whose keys are chosen by the user or are names of panes.
type configTable struct {
	Name, Title          string // "themes", "themes.NAME"
	Description, Example string
	schema               map[string]any
}

// Tables returns the tables beside [accounts] and [keys].
func Tables() []configTable {
	tones := map[string]any{"base": map[string]any{"type": "string", "enum": theme.Names()}}
	for _, name := range theme.ToneNames() {
		tones[name] = map[string]any{"type": "string", "description": theme.ToneDescriptions()[name]}
	}
	return []configTable{
		{
			Name:  "themes",
			Title: "themes.NAME",
			Description: "A theme of your own: an existing one with some tones changed. A tone combines bold, faint, " +
				"italic, underline, reverse and a colour: #rrggbb, a number from 0 to 255, or a name such as " +
				"bright-red; \"on\" before a colour makes it the background.",
			Example: `[themes.mine]
base = "dark"
bad = "bold #ff5f5f"
cursor = "on blue"`,
			schema: map[string]any{
				"type": "object",
				"additionalProperties": map[string]any{
					"type":                 "object",
					"additionalProperties": false,
					"properties":           tones,
				},
			},
		},
		{
			Name:  "columns",
			Title: "columns",
			Description: "Which columns each list shows, and in what order. You can still filter and sort by columns " +
				"that are left out, and the details show them.",
			Example: `[columns]
services = ["status", "label", "consultation_group", "updated"]`,
			schema: map[string]any{"type": "object", "additionalProperties": stringListSchema()},
		},
		{
			Name:  "commands",
			Title: "[commands]",
			Description: "An action of your own in a list: a key and a name that run a program on the row under " +
				"the cursor, without a shell. In its arguments, {id}, {label} and {COLUMN} are replaced by the row's " +
				"values, and it gets the row as JSON on standard input. A shell script takes values as arguments, so " +
				"that they cannot become commands: [\"sh\", \"-c\", \"echo \\\"$1\\\" >> list\", \"-\", \"{label}\"]." +
				" output says where the output goes: \"message\" shows its first line, \"dialog\" its beginning, and " +
				"\"terminal\" gives the program the terminal instead of the JSON. The program gets none of the " +
				"variables from which lookout may read a token, and is stopped after a minute unless it has the " +
				"terminal. On a protected account, lookout asks first. Read-only mode refuses the command unless " +
				"harmless = true.",
			Example: `[[commands]]
pane = "services"
key = "x"
name = "runbook"
command = ["runbook", "--service={label}", "{address}"]
output = "dialog"
harmless = true`,
			schema: map[string]any{"type": "array", "items": map[string]any{
				"type":                 "object",
				"additionalProperties": false,
				"required":             requiredCommandKeys,
				"properties":           schemaProperties(commandKeys()),
			}},
		},
	}
}

// parseThemes reads [themes.NAME]. It leaves out wrong tones and reports them.
func (r *configParser) parseThemes(cfg *File, value any) {
	cfg.Themes = map[string]theme.CustomTheme{}
	for name, value := range r.table(value, "themes", "expected a table for each theme, such as [themes.mine]") {
		at := []string{"themes", name}
		tones, ok := value.(map[string]any)
		switch {
		case !ok && r.misplacedKey(at):
			continue
		case !ok:
			r.addError(false, at, "expected a table, such as [themes.mine]")
			continue
		case slices.Contains(theme.Names(), name) || name == "auto" || !IsAccountName(name):
			r.addError(
				false, at, "a custom theme cannot have this name: choose another of letters, digits, dots, - and _",
			)
			continue
		}
		cfg.Themes[name] = r.parseTheme(at, tones)
	}
	known := append([]string{"auto"}, ThemeNames(cfg.Themes)...)
	if cfg.Theme != "" && !slices.Contains(known, cfg.Theme) {
		r.addError(false, []string{"theme"}, UnknownTheme(cfg.Theme, known))
		cfg.Theme = ""
	}
}

// parseTheme reads one theme.
func (r *configParser) parseTheme(at []string, table map[string]any) theme.CustomTheme {
	own := theme.CustomTheme{Name: at[1], Tones: map[string]string{}}
	for key, value := range table {
		text, ok := value.(string)
		here := append(slices.Clone(at), key)
		switch {
		case r.misplacedKey(here):
		case !ok:
			r.addError(false, here, `expected a string, such as "bold #ff5f5f"`)
		case key == "base" && !slices.Contains(theme.Names(), text):
			r.addError(false, here, notOneOf(text, theme.Names()).Error())
		case key == "base":
			own.Base = text
		default:
			if err := theme.ValidateTone(key, text); err != nil {
				r.addError(false, here, client.Clean(err.Error()))
				continue
			}
			own.Tones[key] = text
		}
	}
	return own
}

// UnknownTheme returns the error text of a theme that does not exist.
func UnknownTheme(name string, known []string) string {
	return fmt.Sprintf(
		"unknown theme %q (use %s)%s", client.Clean(name), strings.Join(known, ", "), Suggestion(name, known),
	)
}

// ThemeNames returns the names of the built-in themes and of the given ones.
func ThemeNames(own map[string]theme.CustomTheme) []string {
	return append(theme.Names(), slices.Sorted(maps.Keys(own))...)
}

// parseColumns reads [columns]. Whether a list has these columns is checked when the dashboard is assembled.
func (r *configParser) parseColumns(cfg *File, value any) {
	cfg.Columns = map[string][]string{}
	const expected = `expected a table, such as [columns] with services = ["status", "label"]`
	for name, value := range r.table(value, "columns", expected) {
		names, err := stringList(value)
		switch {
		case r.misplacedKey([]string{"columns", name}):
			continue
		case err != nil || len(names) == 0:
			r.addError(
				false, []string{"columns", name}, `expected a list of columns, such as services = ["status", "label"]`,
			)
			continue
		}
		cfg.Columns[name] = names
	}
}
