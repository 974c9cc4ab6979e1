package config

import (
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

// checkKeyName accepts the name of a key that a terminal can send and that is free: "d", "D", "ctrl+x", "alt+enter",
// "f5". It rejects ctrl+c, which ends lookout whatever is in front.
func checkKeyName(key string) error {
	switch {
	case key == "ctrl+c":
		return errors.New("ctrl+c always ends lookout; choose another key")
	case isKeyName(key):
		return nil
	}
	suggestion := `use a character, a name such as "enter", "f5" or "pgup", or one of them after ctrl+ or alt+, ` +
		`as in "ctrl+x"`
	if lower := strings.ToLower(key); isKeyName(lower) {
		suggestion = fmt.Sprintf("did you mean %q?", lower)
	}
	return fmt.Errorf("%q is not a key; %s", client.Clean(key), suggestion)
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
