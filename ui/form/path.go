package form

import (
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// File returns a field for the path of a file. Tab belongs to the form, so right at the end of the text completes it.
func File(name, label string, v *string, checks ...Validator) Field {
	t := &textInput{initial: *v, onChange: func(s string) { *v = s }}
	return Field{Name: name, Label: label, checks: append(t.checks(), checks...), input: &path{t, *v}}
}

// path is text that starts as a proposed path. An absolute path typed after it replaces it.
type path struct {
	*textInput
	defaultPath string
}

func (p *path) press(k tea.KeyPressMsg) (taken, edited bool) {
	if k.String() == "right" && p.edit().AtEnd() {
		p.complete()
		return true, true
	}
	taken, edited = p.textInput.press(k)
	if n := len(p.defaultPath); n > 0 && os.IsPathSeparator(p.defaultPath[n-1]) {
		p.dropDefault()
	}
	return taken, edited
}

func (p *path) state() inputState {
	s := p.textInput.state()
	s.hints = []KeyHint{{"right", "complete the path"}}
	return s
}

func (p *path) paste(s string) {
	p.textInput.paste(s)
	p.dropDefault()
}

// dropDefault removes the proposed path if an absolute path follows it.
func (p *path) dropDefault() {
	whole, behind := strings.CutPrefix(p.text(), p.defaultPath)
	if !behind || p.defaultPath == "" || !filepath.IsAbs(whole) {
		return
	}
	p.edit().DeletePrefix(p.defaultPath)
	p.changed()
}

// complete adds what all files that start with the text have in common.
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

// escapeGlob quotes the characters that have a meaning for Glob.
func escapeGlob(s string) string {
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`).Replace(s)
}
