package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"lookout/client/faultrig"
)

// Who may import whom. A room that is not here may not exist; cmd knows everybody.
func TestNoRoomImportsUpward(t *testing.T) {
	may := map[string][]string{
		"theme":                {},
		"client":               {},
		"client/emulator":      {},
		"client/faultrig":      {},
		"client/journal":       {"client"},
		"client/transfer":      {"client"},
		"ui":                   {"theme"},
		"ui/terminal":          {"theme"},
		"ui/terminal/termtest": {"ui/terminal"},
		"ui/shell":             {"ui", "ui/terminal", "theme"},
		"views":                {"ui", "client", "client/journal", "client/transfer", "theme"},
	}
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "lookout/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		room := strings.TrimPrefix(words[0], "lookout/")
		if strings.HasPrefix(room, "cmd/") {
			continue
		}
		allowed, known := may[room]
		if !known {
			t.Errorf("%s is no room of the house", room)
		}
		for _, imported := range words[1:] {
			if other, ours := strings.CutPrefix(imported, "lookout/"); ours && !slices.Contains(allowed, other) {
				t.Errorf("%s imports %s", room, other)
			}
		}
	}
}

// Nothing stands at the top but the rooms and what every repository has.
func TestTopLevel(t *testing.T) {
	may := []string{"cmd", "ui", "client", "views", "theme", "go.mod", "go.sum", "README.md", ".goreleaser.yaml", "LICENSE", "CHANGELOG.md", "docs", ".ci", ".github",
		".gitignore", ".golangci.yaml", ".git", "dist", "lookout"}
	entries, err := os.ReadDir("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.Contains(may, e.Name()) {
			t.Errorf("%s stands at the top", e.Name())
		}
	}
}

// No key is bound twice in a pane: assembling the program would fail with both names.
func TestKeyClashNamesBoth(t *testing.T) {
	faultrig.Report(t, "G5", "two actions on one key")
	_, err := assembled(t, map[string][]string{"services.edit": {"d"}})
	if err == nil || !strings.Contains(err.Error(), "disable") || !strings.Contains(err.Error(), "edit") {
		t.Errorf("a clash is told as %v", err)
	}
	if _, err := assembled(t, map[string][]string{"services.disable": {"x"}, "services.edit": {"d"}}); err != nil {
		t.Errorf("swapped keys: %v", err)
	}
}
