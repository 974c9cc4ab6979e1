//go:build !linux

package terminal

import (
	"os"

	"github.com/muesli/cancelreader"
)

// serialRate returns 0: the rate that a terminal names is not known to be that of its line.
func serialRate(*os.File) int { return 0 }

// openPolled returns nil: not every system's poller can wait for a terminal.
func openPolled(*os.File) cancelreader.CancelReader { return nil }
