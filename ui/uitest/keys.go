package uitest

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Split cuts keys such as "3/web<enter>d" into names and what is typed between them.
func Split(keys string) []string {
	var parts []string
	for keys != "" {
		begin := strings.IndexByte(keys, '<')
		name, after, closed := strings.Cut(keys[max(0, begin):], ">")
		if begin < 0 || !closed || strings.Trim(name, "<+abcdefghijklmnopqrstuvwxyz") != "" {
			return append(parts, keys)
		}
		parts = append(parts, keys[:begin], name+">")
		keys = after
	}
	return slices.DeleteFunc(parts, func(part string) bool { return part == "" })
}

// Keys returns the presses of keys: a name in angle brackets such as "<ctrl+s>" is one key, and any other text is typed
// letter by letter.
func Keys(keys ...string) []tea.KeyPressMsg {
	var presses []tea.KeyPressMsg
	for _, k := range keys {
		for _, part := range Split(k) {
			if name, named := strings.CutPrefix(part, "<"); named && len(part) > 2 {
				presses = append(presses, pressOf(strings.TrimSuffix(name, ">")))
				continue
			}
			for _, letter := range part {
				presses = append(presses, tea.KeyPressMsg{Code: letter, Text: string(letter)})
			}
		}
	}
	return presses
}

// Key returns the press of the first of keys.
func Key(keys string) tea.KeyPressMsg { return Keys(keys)[0] }

// pressOf returns the press of the key with a name.
func pressOf(name string) tea.KeyPressMsg {
	var k tea.KeyPressMsg
	for modifier, mod := range map[string]tea.KeyMod{"ctrl+": tea.ModCtrl, "alt+": tea.ModAlt, "shift+": tea.ModShift} {
		if before, after, found := strings.Cut(name, modifier); found {
			name = before + after
			k.Mod |= mod
		}
	}
	codes := map[string]rune{
		"backspace": tea.KeyBackspace,
		"delete":    tea.KeyDelete,
		"down":      tea.KeyDown,
		"end":       tea.KeyEnd,
		"enter":     tea.KeyEnter,
		"esc":       tea.KeyEscape,
		"home":      tea.KeyHome,
		"left":      tea.KeyLeft,
		"pgdown":    tea.KeyPgDown,
		"pgup":      tea.KeyPgUp,
		"right":     tea.KeyRight,
		"space":     tea.KeySpace,
		"tab":       tea.KeyTab,
		"up":        tea.KeyUp,
	}
	switch {
	case codes[name] != 0:
		k.Code = codes[name]
	case len(name) == 1:
		k.Code = rune(name[0])
	default:
		panic("no key is named " + name)
	}
	if k.Code == tea.KeySpace && k.Mod == 0 {
		k.Text = " "
	}
	return k
}
