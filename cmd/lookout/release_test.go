package main

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// What the recipe of a release names is there: files to pack, the image's recipe, the variables that the linker sets.
// The linker itself passes over a name that is gone.
func TestTheReleaseNamesWhatIsThere(t *testing.T) {
	root := rootOf(t)
	data, err := os.ReadFile(filepath.Join(root, ".goreleaser.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := documents(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	files := regexp.MustCompile(`(?:src|dockerfile): ([^,\s]+)`).FindAllStringSubmatch(string(data), -1)
	for _, found := range files {
		kept, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(found[1])))
		made := slices.ContainsFunc(slices.Collect(maps.Keys(pages)), func(name string) bool {
			ok, _ := path.Match(found[1], "docs/"+name)
			return ok
		})
		if len(kept) == 0 && !made {
			t.Errorf("%s is neither there nor made", found[1])
		}
	}
	source, err := os.ReadFile("version.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range regexp.MustCompile(`-X main\.(\w+)=`).FindAllStringSubmatch(string(data), -1) {
		if !regexp.MustCompile(`(?m)^\t` + found[1] + `\s+= ""$`).Match(source) {
			t.Errorf("the linker sets %s, which version.go does not have", found[1])
		}
	}
	if len(files) < 10 {
		t.Errorf("only %d files are named", len(files))
	}
}
