package main

import (
	"maps"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The page of licences, which the program embeds, has those of all modules that are linked on any released system, and
// no other.
func TestLicensesAreUpToDate(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	if root, err := goCommand(t.Context(), "linux", "env", "GOROOT"); err != nil {
		t.Fatal(err)
	} else if text, err := licensesIn(strings.TrimSpace(root)); err != nil || text == "" {
		t.Skipf("Go is installed without its licence: %v", err)
	}
	kept := readPage(t, "cmd/internal/version/third-party-licenses.txt")
	all, complete := map[string]string{}, true
	for _, system := range releasedSystems {
		linked, err := linkedLicenses(t.Context(), system)
		if err != nil && strings.Contains(err.Error(), "GOPROXY=off") { // only builds for that system fetch its modules
			t.Logf("not checked: %v", err)
			complete = false
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		for name, text := range linked {
			if !strings.Contains(kept, "\n"+name+"\n") || !strings.Contains(kept, text) {
				t.Errorf("the licence of %s is missing: go run ./cmd/docgen docs", name)
			}
		}
		maps.Copy(all, linked)
	}
	if complete && kept != joinLicenses(all) {
		t.Error("there are licences of what is not linked: go run ./cmd/docgen docs")
	}
	systems := regexp.MustCompile(`goos: \[(.*)\]`).FindStringSubmatch(readPage(t, ".goreleaser.yaml"))
	if systems == nil || systems[1] != strings.Join(releasedSystems, ", ") {
		t.Errorf("releases are built for %v", systems)
	}
}

// A module without a licence is found, so that it is not released by accident.
func TestLicensesIn_filesToPassOn(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"LICENSE.txt", "NOTICE", "license.go", "README.md"} {
		if err := os.WriteFile(folder+"/"+name, []byte(name+"\r\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := licensesIn(folder); err != nil || text != "LICENSE.txt\n\nNOTICE\n\n" {
		t.Errorf("%q, %v", text, err)
	}
}
