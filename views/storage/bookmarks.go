package storage

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/views/operation"
)

// bucketList is the pane of the buckets, which also has the bookmarks.
type bucketList struct {
	*table.List[*client.Bucket]
	account *account.Account
}

// LoadMissing also reads the changes that tell which buckets were opened from this machine.
func (l bucketList) LoadMissing() {
	l.List.LoadMissing()
	l.account.LoadChanges()
}

// Bookmarks returns an action for each bookmark.
func (l bucketList) Bookmarks() []ui.Action { return bookmarkActions(l.account) }

// bookmarkActions returns an action for each bookmark; the first nine have digits.
func bookmarkActions(a *account.Account) (actions []ui.Action) {
	for i, place := range operation.BookmarksOf(a).List() {
		var keys []string
		if i < 9 {
			keys = []string{strconv.Itoa(i + 1)}
		}
		actions = append(actions, ui.Action{
			Key:       ui.Bind(place.String(), keys...),
			OpensView: true,
			Do:        func() tea.Cmd { return openBookmark(a, place) },
		})
	}
	return actions
}

// openBookmark opens the place of a bookmark.
func openBookmark(a *account.Account, place operation.Bookmark) tea.Cmd {
	rows := a.Buckets().Rows()
	at := slices.IndexFunc(rows, func(b *client.Bucket) bool { return b.ID() == place.Bucket })
	if at < 0 {
		text := place.String() + ": this bucket is not in the list of buckets · 8 shows it"
		return ui.ShowStatus(theme.Warn, text)
	}
	path := bucketPath{bucket: rows[at], prefix: place.Prefix, delimiter: "/"}
	return ui.Send(ui.GoToMsg{Pane: "buckets", ID: place.Bucket, ThenOpen: newDetachedListing(a, path)})
}

// newDetachedListing returns a listing that was not opened from the folder around it: going up opens that.
func newDetachedListing(a *account.Account, path bucketPath) *objectListing {
	l := newObjectListing(a, path)
	l.parent.detached = path.prefix != ""
	return l
}

// bookmarksAction returns the action that lists the bookmarks. here is the place that it offers to mark; nil is none.
func bookmarksAction(a *account.Account, here *bucketPath) ui.Action {
	return ui.Action{
		Key:         ui.Bind("bookmarks", "'"),
		Group:       "this list",
		Description: "list the folders you bookmarked; \":\" finds them too",
		OpensView:   true,
		Do: func() tea.Cmd {
			menu := ui.OpenMenuMsg{Title: "Bookmarks", Actions: bookmarkActions(a)}
			if here != nil {
				menu.Actions = append(menu.Actions, toggleBookmark(a, *here))
			} else if len(menu.Actions) == 0 {
				return ui.ShowStatus(theme.Info, "no bookmarks yet · ' in a folder adds one")
			}
			return ui.Send(menu)
		},
	}
}

// toggleBookmark returns the action that marks a place, or removes its mark.
func toggleBookmark(a *account.Account, here bucketPath) ui.Action {
	place := operation.Bookmark{Bucket: here.bucket.ID(), Prefix: here.prefix}
	name := "add " + place.String()
	if slices.Contains(operation.BookmarksOf(a).List(), place) {
		name = "remove " + place.String()
	}
	return ui.Action{
		Key: ui.Bind(name, "'"),
		Do:  func() tea.Cmd { return operation.BookmarksOf(a).Toggle(place) },
	}
}

// goUp closes a listing: it goes up one level, also where nothing of that level is open.
func goUp(l *objectListing) tea.Cmd {
	if !l.parent.detached {
		return ui.ClosePane()
	}
	folder := strings.TrimSuffix(l.path.prefix, "/")
	outer := l.path
	outer.prefix = folder[:strings.LastIndexByte(folder, '/')+1]
	pane := newDetachedListing(l.a, outer)
	pane.Select(l.path.prefix)
	return ui.Send(ui.GoToMsg{Pane: "buckets", ID: outer.bucket.ID(), ThenOpen: pane})
}
