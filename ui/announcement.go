package ui

// ScreenReaderText is what a screen reader tells of a pane or a dialog, one item at a time.
type ScreenReaderText struct {
	Item            string // the item that has the keyboard
	Position, Count int    // its position, from 1; 0 of 0 is none
	Text            string // lines to be read one by one instead of an item: an open detail
	Input           string // the line that is being typed, after its label
}

// ScreenReaderPane is a pane that is read item by item. Other panes are read line by line, from what they draw.
type ScreenReaderPane interface{ Announce(Box) ScreenReaderText }
