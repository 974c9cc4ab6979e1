package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"lookout/client"
)

// namedKeys returns the keys that have a name instead of a character.
func namedKeys() []string {
	names := []string{
		"enter", "esc", "tab", "space", "backspace", "delete", "insert", "up", "down", "left", "right", "home", "end",
		"pgup", "pgdown",
	}
	for n := range 12 {
		names = append(names, fmt.Sprintf("f%d", n+1))
	}
	return names
}

// otherKeyNames returns what other programs call a key.
func otherKeyNames() map[string]string {
	return map[string]string{
		"return":   "enter",
		"cr":       "enter",
		"escape":   "esc",
		"spc":      "space",
		"del":      "delete",
		"bs":       "backspace",
		"ins":      "insert",
		"pageup":   "pgup",
		"pagedown": "pgdown",
		"pgdn":     "pgdown",
		"control":  "ctrl",
		"c":        "ctrl",
		"meta":     "alt",
		"option":   "alt",
		"m":        "alt",
		"s":        "shift",
	}
}

// checkKeyName accepts the name of a key that a terminal can send and that is free: "d", "D", "ctrl+x", "alt+enter",
// "f5". It rejects ctrl+c, which ends lookout whatever is in front.
func checkKeyName(key string) error {
	switch {
	case key == "ctrl+c":
		return errors.New("ctrl+c always ends lookout; choose another key")
	case isKeyName(key):
		return nil
	}
	if meant := respellKey(key); meant != "ctrl+c" && isKeyName(meant) {
		return fmt.Errorf("%q is not a key; did you mean %q?", client.Clean(key), meant)
	}
	return fmt.Errorf(
		`%q is not a key; use a character, a name such as "enter", "f5" or "pgup", or one of them after ctrl+ or alt+`,
		client.Clean(key),
	)
}

// isKeyName reports whether a key has this name.
func isKeyName(key string) bool {
	bare := key
	for _, modifier := range []string{"ctrl+", "alt+", "shift+"} {
		if rest, cut := strings.CutPrefix(bare, modifier); cut && rest != "" {
			bare = rest
		}
	}
	if slices.Contains(namedKeys(), bare) {
		return true
	}
	r, size := utf8.DecodeRuneInString(bare)
	single := size > 0 && size == len(bare) && r > ' ' && r != 0x7f && r != utf8.RuneError
	shifted := strings.HasSuffix(strings.TrimSuffix(key, bare), "shift+") // a terminal sends the other character
	return single && !shifted && (bare == key || bare == strings.ToLower(bare))
}

// respellKey returns a key in lookout's spelling: "Ctrl-X" is ctrl+x, "<C-x>" too.
func respellKey(key string) string {
	text := strings.Trim(strings.ToLower(key), "<> ")
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == '+' || r == '-' || r == ' ' })
	if strings.HasPrefix(text, "^") && len(text) == 2 {
		parts = []string{"ctrl", text[1:]}
	}
	for i, part := range parts {
		if i == len(parts)-1 && utf8.RuneCountInString(part) == 1 {
			continue
		}
		known, other := otherKeyNames()[part]
		switch {
		case other:
			parts[i] = known
		case len(part) >= 4: // shorter ones resemble too many
			parts[i] = cmp.Or(closestWord(part, append(namedKeys(), "ctrl", "alt", "shift")), part)
		}
	}
	return strings.Join(parts, "+")
}
