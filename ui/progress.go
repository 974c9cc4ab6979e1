package ui

// Progress is how far the work under way is: downloads, uploads, copies and deletions.
type Progress struct {
	Percent int      // of the bytes, from 1 to 99; 0 means that none are moved
	Parts   []string // "3 of 40 files", "1.2 GiB of 3 GiB, 40 %", "45 MiB/s", "41 s left"; nil if nothing is under way
	Pane    string   // that shows each piece of work
}
