// Package version says which build of lookout this is.
package version

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Set when the program is built for release.
var (
	release = ""
	commit  = ""
	date    = ""
)

// Line is one line: release, commit, date, Go.
func Line() string {
	v, c, d := release, commit, date
	if info, ok := debug.ReadBuildInfo(); ok && v == "" {
		v = info.Main.Version
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				c = s.Value
			case "vcs.time":
				d = s.Value
			}
		}
	}
	if v == "" || v == "(devel)" {
		v = "development"
	}
	line := v
	if c != "" {
		line += " " + c[:min(12, len(c))]
	}
	if d != "" {
		line += " " + d
	}
	return fmt.Sprintf("%s %s %s/%s", line, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
