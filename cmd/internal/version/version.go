// Package version says which build of lookout this is.
package version

import (
	_ "embed"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// Set when the program is built for release.
var (
	release = ""
	commit  = ""
	date    = ""
)

// Licenses are the licences of everything that is linked into the program.
//
//go:embed third-party-licenses.txt
var Licenses string

// Info says which build this is.
type Info struct {
	Version  string `json:"version"` // "development" if it is no release
	Commit   string `json:"commit"`
	Date     string `json:"date"` // of the commit
	Go       string `json:"go"`
	Platform string `json:"platform"` // linux/amd64
}

// Get returns which build this is.
func Get() Info {
	i := Info{release, commit, date, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	if build, ok := debug.ReadBuildInfo(); ok && i.Version == "" {
		i.Version = build.Main.Version
		for _, s := range build.Settings {
			switch s.Key {
			case "vcs.revision":
				i.Commit = s.Value
			case "vcs.time":
				i.Date = s.Value
			}
		}
	}
	if i.Version == "" || i.Version == "(devel)" {
		i.Version = "development"
	}
	return i
}

// Line is one line: release, commit, date, Go.
func Line() string {
	i := Get()
	words := []string{i.Version, i.Commit[:min(12, len(i.Commit))], i.Date, i.Go, i.Platform}
	return strings.Join(slices.DeleteFunc(words, func(word string) bool { return word == "" }), " ")
}
