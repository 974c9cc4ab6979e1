package terminal

import "github.com/atotto/clipboard"

// toSystem puts text on the system's clipboard.
func toSystem(text string) error { return clipboard.WriteAll(text) }
