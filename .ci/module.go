//go:build ignore

// module gives the Go module another path, and the project another owner if that path is on GitHub:
//
//	go run .ci/module.go github.com/OWNER/lookout
//
// The path stands in go.mod, and what repeats it is changed with it: imports, and the flags of builds. The owner stands
// in the release section of .goreleaser.yaml, and links, recipes and the install script are changed with it. The first
// owner also makes README.md and docs/installing.md say how a release is installed.
package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	if len(os.Args) != 2 || strings.ContainsAny(os.Args[1], " \"'`\\") || strings.HasSuffix(os.Args[1], "/") {
		fmt.Fprintln(os.Stderr, "usage: go run .ci/module.go MODULE-PATH")
		os.Exit(2)
	}
	if err := rename(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "module:", err)
		os.Exit(1)
	}
}

// A replacement is a pattern, and what takes its place.
type replacement struct {
	old *regexp.Regexp
	new string
}

// rename changes all files below the working directory.
func rename(path string) error {
	module, err := find("go.mod", `(?m)^module (\S+)$`)
	if err != nil {
		return err
	}
	all := modulePatterns(module[1], path)
	words := strings.Split(path, "/")
	onGitHub := len(words) >= 3 && words[0] == "github.com"
	if onGitHub {
		release, err := find(".goreleaser.yaml", `(?m)^  github:\n    owner: (\S+)\n    name: (\S+)$`)
		if err != nil {
			return err
		}
		all = append(all, ownerPatterns(release[1], release[2], words[1], words[2])...)
	}
	if err := changeAll(all); err != nil {
		return err
	}
	if onGitHub {
		if err := describeInstalling(path); err != nil {
			return err
		}
	}
	return exec.Command("gofmt", "-w", ".").Run() // imports are in the order of their paths
}

// changeAll replaces what it finds in all files of the project.
func changeAll(all []replacement) error {
	return filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "dist"):
			return fs.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		return change(name, all)
	})
}

// modulePatterns returns what changes with the module's path. Only its own folders are taken for packages: the path may
// be a plain word, which is the name of the program and of many folders too.
func modulePatterns(old, path string) []replacement {
	quoted := regexp.QuoteMeta(old)
	return []replacement{
		{regexp.MustCompile(`(?m)^module ` + quoted + `$`), "module " + path},
		{regexp.MustCompile(`(["=\t ])` + quoted + `/((?:client|cmd|theme|ui|views)\b)`), "${1}" + path + "/${2}"},
		{regexp.MustCompile(`(?m)(pkg: )` + quoted + `/$`), "${1}" + path + "/"},
	}
}

// ownerPatterns returns what changes with the repository.
func ownerPatterns(oldOwner, oldName, owner, name string) []replacement {
	was, lower := regexp.QuoteMeta(oldOwner), strings.ToLower(owner)
	project := was + "/" + regexp.QuoteMeta(oldName) + `\b`
	return []replacement{
		{regexp.MustCompile(`((?:github\.com/|repository=|--repo ))` + project), "${1}" + owner + "/" + name},
		{regexp.MustCompile(`(?i)(ghcr\.io/)` + project), "${1}" + lower + "/" + strings.ToLower(name)},
		{regexp.MustCompile(`(  github:\n    owner: \S+\n    name: )\S+`), "${1}" + name},
		{regexp.MustCompile(`(github\.com/|--cask )` + was + `/`), "${1}" + owner + "/"},
		{regexp.MustCompile(`(\bowner: )` + was + `\b`), "${1}" + owner},
		{regexp.MustCompile(`(publisher: )` + was + `\b`), "${1}" + owner},
		{regexp.MustCompile(`((?:package_identifier: |winget install ))` + was + `\.`), "${1}" + owner + "."},
	}
}

// describeInstalling makes the pages that say that there is no release yet say how one is installed. The README has the
// first lines of the table in docs/installing.md.
func describeInstalling(path string) error {
	const readme, page = "README.md", "docs/installing.md"
	if _, err := find(readme, `(?m)^## Install$`); err == nil {
		return nil
	}
	table, err := find(page, `(?m)^\| system .*\n.*\n\| macOS, Linux \|.*\n\| Windows \|.*\n`)
	if err != nil {
		return err
	}
	command := "`go install " + path + "/cmd/lookout@latest`"
	install := "## Install\n\n" + table[0] + "| with Go | " + command + " |\n\n[Installing](docs/installing.md) has " +
		"packages, archives and a container image for more systems, and says how to check a download.\n\n"
	for _, one := range []struct{ name, old, new string }{
		{readme, `## Your own account\n\n`, install + "$0"},
		{readme, `go install \./cmd/lookout .*\nexport PATH=.*\n`, ""},
		{readme, `\[[^]]*\](\(docs/installing\.md\)\n)`, "[installing]$1"},
		{page, `There is no release yet(.*\n)+?\n`, "With Go, " + command + " builds the newest release.\n\n"},
		{page, `will be attached`, "are attached"},
	} {
		if _, err := find(one.name, one.old); err != nil {
			return err
		}
		if err := change(one.name, []replacement{{regexp.MustCompile(one.old), one.new}}); err != nil {
			return err
		}
	}
	return nil
}

// find returns what a pattern finds in a file.
func find(name, pattern string) ([]string, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	found := regexp.MustCompile(pattern).FindStringSubmatch(string(data))
	if found == nil {
		return nil, fmt.Errorf("%s has nothing like %s", name, pattern)
	}
	return found, nil
}

// change replaces what it finds in a file.
func change(name string, all []replacement) error {
	data, err := os.ReadFile(name)
	if err != nil || bytes.IndexByte(data, 0) >= 0 {
		return err // or it is no text
	}
	changed := data
	for _, r := range all {
		changed = r.old.ReplaceAll(changed, []byte(r.new))
	}
	if bytes.Equal(changed, data) {
		return nil
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	fmt.Println(name)
	return os.WriteFile(name, changed, info.Mode().Perm())
}
