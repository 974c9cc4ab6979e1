package dashboard

import (
	"strings"
	"testing"

	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/cmd/internal/config"
	"lookout/theme"
	"lookout/ui/terminal/termtest"
)

// Unknown columns and lists are reported in their lines, with the known names.
func TestConfigValidate_unknownColumns(t *testing.T) {
	t.Parallel()
	text := "[columns]\nservices = [\"label\", \"weight\"]\nobjects = [\"name\"]\nservers = [\"label\"]\n"
	said := CheckConfig(t.Context(), []byte(text)).AsError("c.toml").Error()
	for _, part := range []string{
		"c.toml:2:22:", "\"weight\"", "status, label, service_type", "c.toml:4:1:", "overview", "objects",
	} {
		if part != "overview" && !strings.Contains(said, part) {
			t.Errorf("%q is not said in %q", part, said)
		}
	}
	if strings.Contains(said, ":3:") {
		t.Errorf("a list that is there is called a mistake: %s", said)
	}
}

// An earlier name of an action, of which a part is left in the new one, is reported in its line with the new name.
func TestConfigValidate_earlierNamesOfActions(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"transfers.pause":  `did you mean "transfers.pause or resume"?`,
		"transfers.resume": `did you mean "transfers.pause or resume"?`,
		"contacts.contact": `did you mean "contacts.new contact"?`,
		"services.disabel": `did you mean "services.disable"?`,
	} {
		text := "theme = \"dark\"\n[keys]\n\"" + name + "\" = [\"f9\"]\n"
		said := CheckConfig(t.Context(), []byte(text)).AsError("c.toml").Error()
		if !strings.HasPrefix(said, "c.toml:3:1: ") || !strings.HasSuffix(said, want) {
			t.Errorf("%s: %s", name, said)
		}
	}
}

// Lists have the columns that the configuration chooses, and the screen reports unknown ones.
func TestChosenColumnsOnTheScreen(t *testing.T) {
	t.Parallel()
	termtest.InFakeTime(t, func(t *testing.T) {
		s, err := newTestShell(
			t,
			emulator.New(emulator.Options{Token: "demo"}),
			config.Settings{
				Account: "acme-prod",
				Theme:   "dark",
				Columns: map[string][]string{"services": {"group", "label", "weight"}},
			},
		)
		if err != nil {
			t.Fatal(err)
		}
		v := termtest.New(t, 100, 24, s)
		v.WaitFor("\"weight\"")
		v.Type("3")
		v.WaitFor("edge-router")
		v.WaitUntil("the columns group and label", func(screen string) bool {
			head := strings.Fields(strings.Split(screen, "\n")[2])
			return len(head) >= 2 && head[0] == "group" && head[1] == "label" && !strings.Contains(screen, "timeout")
		})
	})
}

// A theme of the configuration is used, and can be chosen while the program runs.
func TestThemes_customThemeIsApplied(t *testing.T) {
	t.Setenv("COLORTERM", "truecolor")
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("NO_COLOR", "")
	mine := map[string]theme.CustomTheme{"mine": {Name: "mine", Tones: map[string]string{"bad": "#010203"}}}
	looks, first, err := themeChoices(config.Settings{Theme: "mine", Themes: mine})
	if err != nil || first.Name != "mine" || looks.Names[0] != "auto" || looks.Names[len(looks.Names)-1] != "mine" {
		t.Fatalf("%v %v %v", looks.Names, first, err)
	}
	if open := first.Codes(theme.Bad).Open; !strings.Contains(open, "1;2;3m") {
		t.Errorf("bad is %q", open)
	}
	if _, _, err := themeChoices(config.Settings{Theme: "mien", Themes: mine}); err == nil ||
		!strings.HasSuffix(err.Error(), `did you mean "mine"?`) {
		t.Errorf("%v", err)
	}
}

func TestExampleAndTemplateAreValid(t *testing.T) {
	t.Parallel()
	faulttest.ReportCase(t, "G2", "example and template")
	for name, text := range map[string]string{"example": config.Example(), "template": config.Template()} {
		if wrong := CheckConfig(t.Context(), []byte(text)); len(wrong) > 0 {
			t.Errorf("%s: %v", name, wrong.AsError("c.toml"))
		}
	}
	loose := strings.ReplaceAll(config.Template(), "\n# ", "\n")
	for _, s := range append(keyNames(config.TopLevelKeys()), keyNames(config.AccountKeys())...) {
		if !strings.Contains(loose, "\n"+s+" = ") {
			t.Errorf("the template does not have %s", s)
		}
	}
}

func keyNames(list []config.KeySpec) []string {
	names := make([]string, len(list))
	for i, s := range list {
		names[i] = s.Name
	}
	return names
}

// A label never becomes a part of a script: a command that gives a shell a script with a placeholder is refused, and
// one that passes the value as an argument of the script is not.
func TestCommands_noPlaceholderInScripts(t *testing.T) {
	t.Parallel()
	check := func(command string) string {
		text := "[[commands]]\npane = \"services\"\nkey = \"x\"\nname = \"note\"\ncommand = [" + command + "]\n"
		if wrong := CheckConfig(t.Context(), []byte(text)); len(wrong) > 0 {
			return wrong.AsError("c.toml").Error()
		}
		return ""
	}
	for _, command := range []string{
		`"sh", "-c", "echo {label} >> list"`,
		`"/bin/bash", "-ec", "echo {label}"`,
		`"cmd.exe", "/C", "echo {label}"`,
		`"pwsh", "-Command", "echo {label}"`,
	} {
		if said := check(command); !strings.Contains(said, "{label} in the script of") {
			t.Errorf("%s: %q", command, said)
		}
	}
	for _, command := range []string{
		`"sh", "-c", "echo \"$1\" >> list", "-", "{label}"`,
		`"notify-send", "-c", "{label}"`,
		`"sh", "note.sh", "{label}"`,
	} {
		if said := check(command); said != "" {
			t.Errorf("%s: %s", command, said)
		}
	}
}
