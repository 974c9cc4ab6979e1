package ui

import (
	"lookout/client/wording"
	"lookout/theme"
)

// ErrorTone returns the tone of an error: Warn if it may be temporary, else Bad.
func ErrorTone(err error) theme.Tone {
	if wording.Denied(err) || wording.Unauthorized(err) {
		return theme.Bad
	}
	return theme.Warn
}
