package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// licensesPage is the page of the licences, which the program embeds, as seen from docs.
const licensesPage = "../cmd/internal/version/third-party-licenses.txt"

// releasedSystems are the systems that releases are built for.
var releasedSystems = []string{"linux", "darwin", "windows", "freebsd"}

// renderLicenses returns the page of the licences of everything that is linked into the program.
func renderLicenses(ctx context.Context) (map[string]string, error) {
	texts := map[string]string{}
	for _, system := range releasedSystems {
		linked, err := linkedLicenses(ctx, system)
		if err != nil {
			return nil, err
		}
		maps.Copy(texts, linked)
	}
	return map[string]string{licensesPage: joinLicenses(texts)}, nil
}

// joinLicenses returns the page of some licences by the names of their modules.
func joinLicenses(texts map[string]string) string {
	var b strings.Builder
	b.WriteString("lookout contains the work of others. These are their licences.\n")
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		line := strings.Repeat("=", len(name))
		fmt.Fprintf(&b, "\n%s\n%s\n%s\n\n%s", line, name, line, texts[name])
	}
	return b.String()
}

// linkedLicenses returns the texts of the licences of all modules that are linked into the program on a system, of
// what they have copied into folders of their own, and of Go's standard library. A module without one is an error.
func linkedLicenses(ctx context.Context, system string) (map[string]string, error) {
	goRoot, err := goCommand(ctx, system, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	const format = "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}"
	packages, err := goCommand(ctx, system, "list", "-deps", "-f", format, "lookout/cmd/lookout")
	if err != nil {
		return nil, err
	}
	root := strings.TrimSpace(goRoot)
	texts, read := map[string]string{}, map[string]bool{}
	for line := range strings.Lines("Go\t" + root + "\t" + root + "\n" + packages) {
		field := strings.Split(strings.TrimSpace(line), "\t")
		module, top := field[0], field[1]
		for folder := field[2]; !read[folder] && strings.HasPrefix(folder, top); folder = filepath.Dir(folder) {
			read[folder] = true
			text, err := licensesIn(folder)
			switch {
			case err != nil:
				return nil, err
			case text != "":
				texts[module+filepath.ToSlash(strings.TrimPrefix(folder, top))] = text
			case folder == top:
				return nil, fmt.Errorf("%s has no licence", module)
			}
		}
	}
	return texts, nil
}

// goCommand returns the output of the go command for a released system.
func goCommand(ctx context.Context, system string, args ...string) (string, error) {
	run := exec.CommandContext(ctx, "go", args...)
	run.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
	output, err := run.Output()
	var exited *exec.ExitError
	if errors.As(err, &exited) {
		err = fmt.Errorf("go %s for %s: %w: %s", args[0], system, err, exited.Stderr)
	}
	return string(output), err
}

// licensesIn returns the texts in a folder that have to be passed on.
func licensesIn(folder string) (string, error) {
	passedOn := regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)(\.(txt|md))?$`)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", err
	}
	text := ""
	for _, entry := range entries {
		if !passedOn.MatchString(entry.Name()) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			return "", err
		}
		text += strings.TrimSpace(strings.ReplaceAll(string(data), "\r\n", "\n")) + "\n\n"
	}
	return text, nil
}
