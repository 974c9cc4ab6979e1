//go:build !linux

package terminal

import "os"

// serialRate returns 0: the rate that a terminal names is not known to be that of its line.
func serialRate(*os.File) int { return 0 }
