package main

import (
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lookout/client/emulator"
	"lookout/cmd/internal/testenv"
)

// Everything that the release configuration names exists: files to pack, the image's recipe, and the variables that the
// linker sets. The linker itself ignores a variable that does not exist.
func TestTheReleaseNamesWhatIsThere(t *testing.T) {
	root := testenv.RepoRoot(t)
	data, err := os.ReadFile(filepath.Join(root, ".goreleaser.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := generateDocs(t.Context())
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
	source, err := os.ReadFile(filepath.Join(root, "cmd", "internal", "version", "version.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range regexp.MustCompile(
		`-X lookout/cmd/internal/version\.(\w+)=`,
	).FindAllStringSubmatch(string(data), -1) {
		if !regexp.MustCompile(`(?m)^\t` + found[1] + `\s+= ""$`).Match(source) {
			t.Errorf("the linker sets %s, which version.go does not have", found[1])
		}
	}
	if len(files) < 10 {
		t.Errorf("only %d files are named", len(files))
	}
}

// Files that a page in a package links to are in the package, completions are where their shells look, and each kind of
// package has its list of materials. A workflow runs the checks of the sources.
func TestPackagesAreWhole(t *testing.T) {
	root := testenv.RepoRoot(t)
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	recipe, checks := read(".goreleaser.yaml"), read(".github/workflows/ci.yml")
	archives, packages := regexp.MustCompile(`(?s)archives:.*?nfpms:`).FindString(recipe), regexp.MustCompile(
		`(?s)nfpms:.*?homebrew_casks:`,
	).FindString(recipe)
	for _, link := range regexp.MustCompile(
		`(?:\]\(|src(?:set)?=")(docs/[^)"]+\.(?:md|svg))`,
	).FindAllStringSubmatch(read("README.md"), -1) {
		pattern := path.Join(path.Dir(link[1]), "*"+path.Ext(link[1]))
		for name, files := range map[string]string{"archives": archives, "packages": packages} {
			if !strings.Contains(files, "src: "+pattern+",") {
				t.Errorf("%s: README links %s, which is not packed", name, link[1])
			}
		}
	}
	for text, in := range map[string]string{
		"dst: /usr/share/zsh/vendor-completions/_lookout, packager: deb":        packages,
		"dst: /usr/share/zsh/site-functions/_lookout, packager: rpm":            packages,
		"dst: /usr/share/zsh/site-functions/_lookout, packager: apk":            packages,
		"dst: /usr/share/doc/lookout/copyright, packager: deb":                  packages,
		"src: cmd/internal/version/third-party-licenses.txt, strip_parent":      archives,
		"dst: /usr/share/doc/lookout/third-party-licenses.txt,":                 packages,
		"extra_files: [LICENSE, cmd/internal/version/third-party-licenses.txt]": recipe,
		"COPY LICENSE cmd/internal/version/third-party-licenses.txt ":           read(".ci/Dockerfile"),
		"artifacts: package": recipe,
		"artifacts: archive": recipe,
		"run: .ci/run\n":     checks,
	} {
		if !strings.Contains(in, text) {
			t.Errorf("%q is missing", text)
		}
	}
}

// Workflows name every action by the hash of a commit, because a tag can be moved, and the version beside it.
func TestWorkflows_actionsArePinned(t *testing.T) {
	workflows, err := filepath.Glob(filepath.Join(testenv.RepoRoot(t), ".github", "workflows", "*.yml"))
	if err != nil {
		t.Fatal(err)
	}
	pinned, count := regexp.MustCompile(`uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`), 0
	hashes := map[string]string{} // by action: one version of each
	for _, name := range workflows {
		for line := range strings.Lines(readPage(t, ".github/workflows/"+filepath.Base(name))) {
			line = strings.TrimSpace(line)
			_, action, uses := strings.Cut(line, "uses: ")
			if !uses {
				continue
			}
			count++
			if !pinned.MatchString(line) {
				t.Errorf("%s: %s", filepath.Base(name), line)
			}
			action, version, _ := strings.Cut(action, "@")
			if other, known := hashes[action]; known && other != version {
				t.Errorf("%s: %s and %s", action, version, other)
			}
			hashes[action] = version
		}
	}
	if count < 10 {
		t.Errorf("only %d actions", count)
	}
}

// The notes of a release are its part of CHANGELOG.md, or the unreleased changes before it. Without them there is no
// release.
func TestReleaseNotes(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	r := newTestEnv(t, emulator.Options{})
	script, log := filepath.Join(
		r.Home,
		".ci",
		"notes",
	), "# Changes\n\n## Unreleased\n\n- new\n\n## 1.2.3 (2027-01-02)\n\n"+
		"- a\n\n### Deprecated\n\n- b\n\n## 1.2\n\n## 1.1.0\n\n- old\n"
	r.Write(script, readPage(t, ".ci/notes"))
	r.Write(filepath.Join(r.Home, "CHANGELOG.md"), log)
	for tag, want := range map[string]string{
		"v1.2.3":      "- a\n\n### Deprecated\n\n- b\n",
		"v1.1.0":      "- old\n",
		"v1.3.0-rc.1": "- new\n",
		"v1.2":        "",
		"v9.9.9":      "",
	} {
		notes, err := exec.Command(bash, script, tag).Output()
		if got := strings.TrimRight(string(notes), "\n"); got != strings.TrimRight(want, "\n") ||
			(err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", tag, got, err)
		}
	}
}

// The page about installing names every channel that a release goes to.
func TestInstalling_namesEveryChannel(t *testing.T) {
	channels := map[string]string{ // by key of the release configuration
		"archives":       "sh install.sh",
		"nfpms":          ".deb`\n",
		"homebrew_casks": "brew install --cask ",
		"scoops":         "scoop install ",
		"winget":         "winget install ",
		"aurs":           "in the AUR",
		"nix":            "nix profile install ",
		"dockers_v2":     "docker run ",
	}
	others := strings.Fields("version project_name before builds docker_signs sboms checksum signs release")
	page, recipe := strings.ReplaceAll(readPage(t, "docs/installing.md"), " |\n", "\n"), readPage(t, ".goreleaser.yaml")
	for _, key := range regexp.MustCompile(`(?m)^(\w+):`).FindAllStringSubmatch(recipe, -1) {
		text, channel := channels[key[1]]
		if !channel && !slices.Contains(others, key[1]) {
			t.Errorf("is %s a channel?", key[1])
		}
		if !strings.Contains(page, text) {
			t.Errorf("%q is missing, for %s", text, key[1])
		}
		delete(channels, key[1])
	}
	formats := regexp.MustCompile(`formats: \[(deb.*)\]`).FindStringSubmatch(recipe)
	for format := range strings.SplitSeq(formats[1], ", ") {
		if !strings.Contains(page, "_amd64."+format+"`\n") {
			t.Errorf("%s is missing", format)
		}
	}
	for key := range channels {
		t.Errorf("there is no %s", key)
	}
}

// Every channel of a release is tried each night, on the systems that it is for.
func TestWorkflows_everyChannelIsTried(t *testing.T) {
	workflow, script := readPage(t, ".github/workflows/channels.yml"), readPage(t, ".ci/channel")
	lists := regexp.MustCompile(`(?m)^  (\w+):\n(?:    .*\n)*?        channel: \[(.+)\]`)
	for _, list := range lists.FindAllStringSubmatch(workflow, -1) {
		for channel := range strings.SplitSeq(list[2], ", ") {
			done := strings.Contains(script, "\n"+channel+")")
			if list[1] == "windows" {
				done = strings.Contains(workflow, "- if: matrix.channel == '"+channel+"'\n        run:")
			}
			if !done {
				t.Errorf("%s: %s is not installed", list[1], channel)
			}
		}
	}
	for _, channel := range strings.Fields("script deb rpm apk aur nix image brew zip scoop winget") {
		if !regexp.MustCompile(`channel: \[.*\b` + channel + `\b`).MatchString(workflow) {
			t.Errorf("%s is not tried", channel)
		}
	}
}
