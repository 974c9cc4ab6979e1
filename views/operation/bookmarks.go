package operation

import (
	"encoding/json"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/statefile"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
)

// A Bookmark is a place in a bucket that the user wants to come back to.
type Bookmark struct {
	Bucket string `json:"bucket"` // "us-east-1/photos"
	Prefix string `json:"prefix"` // "" is the whole bucket
}

// String returns the place, safe to display.
func (b Bookmark) String() string { return client.Clean(b.Bucket + "/" + b.Prefix) }

// maxBookmarks is the number of bookmarks that an account has at most: those that were set last.
const maxBookmarks = 200

// Bookmarks are the bookmarks of an account, which are kept in a file.
type Bookmarks struct {
	file    statefile.StateFile
	list    []Bookmark
	problem string // why the file cannot be used
}

// BookmarksOf returns the bookmarks of an account. The first call reads them.
func BookmarksOf(a *account.Account) *Bookmarks {
	return account.Shared(a, "bookmarks", func() *Bookmarks {
		b := &Bookmarks{}
		if state := a.Journal.StateFile().Path(); state != "" {
			b.file = statefile.New(strings.TrimSuffix(state, ".state") + ".bookmarks")
		}
		var err error
		if b.list, err = readBookmarks(b.file); err != nil {
			b.problem = client.Clean(err.Error())
		}
		return b
	})
}

// readBookmarks reads a file of bookmarks.
func readBookmarks(file statefile.StateFile) (list []Bookmark, err error) {
	data, err := file.Read()
	if err == nil && len(data) > 0 {
		err = json.Unmarshal(data, &list)
	}
	return list, err
}

// List returns the bookmarks in the order in which they were set.
func (b *Bookmarks) List() []Bookmark { return b.list }

// Toggle sets a bookmark, or removes it.
func (b *Bookmarks) Toggle(place Bookmark) tea.Cmd {
	set := !slices.Contains(b.list, place)
	b.list = changeBookmarks(slices.Clone(b.list), place, set)
	if b.problem != "" {
		return ui.ShowStatus(theme.Warn, b.problem+" · bookmarks are kept until lookout ends")
	}
	said := place.String() + ": bookmark removed"
	if set {
		said = place.String() + ": bookmarked · ' lists the bookmarks"
	}
	file := b.file
	return func() tea.Msg {
		list, err := readBookmarks(file) // another program may have set some
		var data []byte
		if err == nil {
			data, err = json.Marshal(changeBookmarks(list, place, set))
		}
		if err == nil {
			err = file.Replace(data)
		}
		if err != nil {
			return ui.StatusMsg{Text: "bookmarks: " + wording.Reason(err), Tone: theme.Warn}
		}
		return ui.StatusMsg{Text: said, Tone: theme.Good}
	}
}

// changeBookmarks sets or removes a bookmark.
func changeBookmarks(list []Bookmark, place Bookmark, set bool) []Bookmark {
	list = slices.DeleteFunc(list, func(old Bookmark) bool { return old == place })
	if set {
		list = append(list, place)
	}
	return list[max(0, len(list)-maxBookmarks):]
}
