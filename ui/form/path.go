package form

import (
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// File is the path of a file; tab is taken by the form, so right at the end of the text completes it.
func File(name, label string, v *string, checks ...Check) Field {
	t := newTextInput(*v, func(s string) { *v = s })
	return Field{
		Name:   name,
		Label:  label,
		checks: checks,
		input:  &path{t, *v},
	}.Note("→ completes the path")
}

// path is text that began with a proposal: a whole path behind it takes its place.
type path struct {
	*textInput
	defaultPath string
}

func (p *path) press(k tea.KeyPressMsg) bool {
	if k.String() == "right" && p.editor.AtEnd() {
		p.complete()
		return true
	}
	taken := p.textInput.press(k)
	if n := len(p.defaultPath); n > 0 && os.IsPathSeparator(p.defaultPath[n-1]) {
		p.dropDefault()
	}
	return taken
}

func (p *path) paste(s string) {
	p.textInput.paste(s)
	p.dropDefault()
}

// dropDefault takes the proposal away where a whole path stands behind it.
func (p *path) dropDefault() {
	whole, behind := strings.CutPrefix(p.text(), p.defaultPath)
	if !behind || p.defaultPath == "" || !filepath.IsAbs(whole) {
		return
	}
	p.editor.DeletePrefix(p.defaultPath)
	p.changed()
}

// complete adds what all files that begin with the text have in common.
func (p *path) complete() {
	matches, err := filepath.Glob(escapeGlob(p.text()) + "*")
	if err != nil || len(matches) == 0 {
		return
	}
	common := matches[0]
	for _, m := range matches[1:] {
		for !strings.HasPrefix(m, common) {
			common = common[:len(common)-1]
		}
	}
	if info, err := os.Stat(common); err == nil && info.IsDir() && len(matches) == 1 {
		common += string(filepath.Separator)
	}
	if len(common) > len(p.text()) {
		p.setText(common)
	}
}

// escapeGlob takes the meaning from characters that Glob gives one.
func escapeGlob(s string) string {
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`).Replace(s)
}
