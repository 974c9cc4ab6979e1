package ui

// A Announcement is what a screen reader tells of a pane or a dialog, one item at a time.
type Announcement struct {
	Item            string // the one that has the keyboard
	Position, Count int    // its place, from 1; 0 of 0 is none
	Text            string // lines to be read one by one instead of an item: details that stand open
	Input           string // the line that is being typed, with what stands before it
}

// A Announcer is a pane that is read item by item. Others are read line by line, from what they draw.
type Announcer interface{ Announce(Box) Announcement }
