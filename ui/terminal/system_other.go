//go:build !linux

package terminal

import (
	"os"

	"github.com/muesli/cancelreader"
)

// openPolled returns nil: not every system's poller can wait for a terminal.
func openPolled(*os.File) cancelreader.CancelReader { return nil }
