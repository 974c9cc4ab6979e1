package terminal

import "github.com/atotto/clipboard"

// writeSystemClipboard puts text on the system's clipboard.
func writeSystemClipboard(text string) error { return clipboard.WriteAll(text) }
