package rules

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"lookout/cmd/internal/testenv"
)

// testSupport are the packages that are not part of the program: only tests import them, and each other.
var testSupport = []string{
	"client/certtest", "client/faulttest", "client/optest", "cmd/internal/measure", "cmd/internal/testenv",
	"ui/terminal/termtest", "ui/uitest",
}

// TestImportsPointDownward says which packages a package may import. Every package must be listed; cmd may import all.
func TestImportsPointDownward(t *testing.T) {
	toolkit := []string{
		"ui", "ui/chart", "ui/form", "ui/table", "client", "client/journal", "client/lists", "client/maintenance",
		"client/objectindex", "client/objectnames", "client/transfer", "client/visible", "client/window",
		"client/wording", "theme",
	}
	engine := []string{
		"client/account", "client/account/audit", "client/account/handover", "client/account/incident",
		"client/account/join",
	}
	may := map[string][]string{
		"theme":              {},
		"client":             {"client/objectnames", "client/visible"},
		"client/objectnames": {},
		"client/optest":      {},
		"client/visible":     {},
		"client/certtest":    {},
		"client/emulator":    {},
		"client/faulttest":   {},
		"client/filelock":    {},
		"client/window":      {"client"},
		"client/journal": {
			"client", "client/filelock", "client/safefile", "client/statefile", "client/visible", "client/window",
		},
		"client/ratelimit":   {"client/filelock"},
		"client/safefile":    {},
		"client/statefile":   {"client/safefile"},
		"client/maintenance": {"client", "client/journal", "client/window"},
		"client/objectindex": {"client", "client/objectnames"},
		"client/transfer": {
			"client", "client/filelock", "client/objectnames", "client/safefile", "client/visible",
		},
		"client/wording":          {},
		"client/lists":            {"client", "client/wording"},
		"client/account/join":     {"client", "client/lists", "client/wording"},
		"client/account/incident": {"client", "client/journal", "client/visible", "client/window", "client/wording"},
		"client/account/audit":    {"client", "client/journal", "client/window"},
		"client/account/handover": {"client", "client/account/incident", "client/journal", "client/window"},
		"client/account": {
			"client", "client/account/handover", "client/account/incident", "client/account/join", "client/journal",
			"client/lists", "client/maintenance", "client/statefile", "client/transfer", "client/window",
			"client/wording",
		},
		"ui":        {"client/lists", "client/visible", "client/wording", "theme"},
		"ui/chart":  {"ui", "theme"},
		"ui/filter": {},
		"ui/search": {},
		"ui/input":  {"ui", "theme", "client/visible"},
		"ui/form":   {"ui", "ui/input", "theme", "client/lists", "client/visible", "client/wording"},
		"ui/table": {
			"ui", "ui/filter", "ui/form", "ui/input", "ui/search", "theme", "client/lists", "client/visible",
			"client/wording",
		},
		"ui/terminal":          {"theme"},
		"ui/terminal/termtest": {"ui/terminal", "ui/uitest"},
		"ui/uitest":            {"ui", "theme"},
		"ui/shell": {
			"ui", "ui/form", "ui/input", "ui/search", "ui/terminal", "theme", "client/lists", "client/visible",
			"client/wording",
		},
		"views/resource": {
			"ui", "ui/form", "ui/table", "client", "client/account", "client/account/join", "client/lists", "theme",
		},
		"views/operation": slices.Concat(
			[]string{"views/resource", "client/statefile"}, engine, toolkit,
		),
		"views/managed": slices.Concat([]string{"views/operation", "views/resource"}, engine, toolkit),
		"views/storage": slices.Concat(
			[]string{"views/operation", "views/resource", "views/storage/preview", "views/storage/readers"},
			engine, toolkit,
		),
		"views/storage/preview": {"ui", "client", "client/visible", "theme"},
		"views/storage/readers": slices.Concat([]string{"views/operation", "views/resource"}, engine, toolkit),
		"views/activity":        slices.Concat([]string{"views/operation", "views/resource"}, engine, toolkit),
		"views": slices.Concat(
			[]string{"views/operation", "views/resource", "views/managed", "views/storage", "views/activity"},
			engine, toolkit,
		),
		"cmd/internal/debuglog": {},
		"cmd/internal/exit":     {},
		"cmd/internal/measure":  {},
		"cmd/internal/version":  {},
		"cmd/internal/testenv":  {},
		"cmd/internal/prompt":   {"cmd/internal/exit"},
		"cmd/internal/output":   {"cmd/internal/exit"},
		"cmd/internal/progress": {"cmd/internal/output"},
		"cmd/internal/config": {
			"cmd/internal/debuglog", "cmd/internal/exit", "cmd/internal/prompt", "cmd/internal/version",
		},
		"cmd/internal/dashboard": {"cmd/internal/config", "cmd/internal/exit", "cmd/internal/keep"},
		"cmd/internal/setup": {
			"cmd/internal/config", "cmd/internal/dashboard", "cmd/internal/exit", "cmd/internal/output",
			"cmd/internal/prompt", "cmd/internal/version",
		},
		"cmd/internal/keep": {"cmd/internal/config", "cmd/internal/exit"},
		"cmd/internal/cli": {
			"cmd/internal/config", "cmd/internal/dashboard", "cmd/internal/exit", "cmd/internal/keep",
			"cmd/internal/output", "cmd/internal/progress", "cmd/internal/prompt",
			"cmd/internal/setup", "cmd/internal/version",
		},
		"cmd/internal/rules": {},
		"cmd/lookout":        {"cmd/internal/cli"},
		"cmd/docgen": {
			"cmd/internal/cli", "cmd/internal/config", "cmd/internal/dashboard", "cmd/internal/exit",
		},
	}
	module := testenv.ModulePath(t) + "/"
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		room := strings.TrimPrefix(words[0], module)
		allowed, known := may[room]
		if !known {
			t.Errorf("package %s has no rule for its imports", room)
		}
		for _, imported := range words[1:] {
			if strings.HasPrefix(room, "client") && strings.HasPrefix(imported, "charm.land/") {
				t.Errorf("%s imports %s: what is known of an account needs no screen", room, imported)
			}
			other, ours := strings.CutPrefix(imported, module)
			if slices.Contains(testSupport, other) && !slices.Contains(testSupport, room) {
				t.Errorf("%s imports %s, which is for tests alone", room, other)
			}
			if strings.HasPrefix(room, "cmd/") && !strings.HasPrefix(other, "cmd/") {
				continue
			}
			if ours && !slices.Contains(allowed, other) {
				t.Errorf("%s imports %s", room, other)
			}
		}
	}
}

// The top level holds only the folders of the program and the files of every repository.
func TestTopLevel(t *testing.T) {
	may := []string{
		"cmd", "ui", "client", "views", "theme", "go.mod", "go.sum", "README.md", ".goreleaser.yaml", "LICENSE",
		"CHANGELOG.md", "SECURITY.md", "docs", ".ci", ".github", ".gitignore", ".golangci.yaml", ".git", "dist",
		"lookout",
	}
	entries, err := os.ReadDir(testenv.RepoRoot(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.Contains(may, e.Name()) {
			t.Errorf("%s must not be at the top level", e.Name())
		}
	}
}
