package storage

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
)

// maxPlannedObjects is the number of objects that a download or a deletion may have.
const maxPlannedObjects = 200_000

// expandFolders returns the objects that rows stand for: the row itself, or all objects of a folder.
func (l *objectListing) expandFolders(ctx context.Context, rows []client.Object) ([]client.Object, error) {
	var all []client.Object
	seen := map[string]bool{}
	add := func(o client.Object) {
		if !seen[o.Name.Raw()] {
			seen[o.Name.Raw()] = true
			all = append(all, o)
		}
	}
	for _, row := range rows {
		if !l.isFolder(row) {
			add(row)
			continue
		}
		inside, err := l.listPrefix(ctx, row.Name.Raw())
		if err != nil {
			return nil, err
		}
		for _, o := range inside {
			add(o)
		}
		if len(all) > maxPlannedObjects {
			return nil, tooManyObjectsError()
		}
	}
	return all, nil
}

// listPrefix returns the objects whose names begin with a prefix.
func (l *objectListing) listPrefix(ctx context.Context, prefix string) ([]client.Object, error) {
	var all []client.Object
	q := client.ObjectQuery{Cluster: l.path.bucket.Location().Raw(), Bucket: l.path.bucket.Label.Raw(), Prefix: prefix}
	for p, err := range l.a.API.Objects.Pages(ctx, q) {
		if err != nil {
			return nil, err
		}
		if all = append(all, p.Data...); len(all) > maxPlannedObjects {
			return nil, tooManyObjectsError()
		}
		incomplete := func(warning string) bool { return strings.HasPrefix(warning, "incomplete") }
		if i := slices.IndexFunc(p.Warnings, incomplete); i >= 0 {
			return nil, fmt.Errorf("the listing is %s", p.Warnings[i])
		}
	}
	return all, nil
}

// tooManyObjectsError returns the error of a selection above maxPlannedObjects.
func tooManyObjectsError() error {
	return fmt.Errorf("more than %s objects: choose a narrower folder", ui.FormatCount(maxPlannedObjects))
}

// countThen lists the objects that rows stand for, off the event loop, and goes on with them.
func (l *objectListing) countThen(rows []client.Object, then func([]client.Object) tea.Msg) tea.Cmd {
	ctx := l.a.Context
	work := func() tea.Msg {
		all, err := l.expandFolders(ctx, rows)
		if err != nil {
			return ui.NewsMsg{Tone: theme.Bad, Text: "counting: " + ui.Reason(err)}
		}
		return then(all)
	}
	if slices.ContainsFunc(rows, l.isFolder) {
		return ui.WhileWorking("counting the objects in "+l.nameOrCount(rows), work)
	}
	return work
}

// nameOrCount names a single row and counts several.
func (l *objectListing) nameOrCount(rows []client.Object) string {
	if len(rows) == 1 {
		return l.displayName(rows[0])
	}
	return ui.Plural(len(rows), "entry", "entries")
}

// parentFolder returns a name without its last part: "a/b/" becomes "a/".
func parentFolder(name string) string {
	name = strings.TrimSuffix(name, "/")
	return name[:strings.LastIndexByte(name, '/')+1]
}
