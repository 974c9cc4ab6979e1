package storage

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/objectindex"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/views/account"
)

// An objectSet is the objects that an action is about.
type objectSet struct {
	n   int
	all iter.Seq[*client.Object] // can be used again and again
}

// slice returns the objects.
func (s objectSet) slice() []client.Object {
	all := make([]client.Object, 0, s.n)
	for o := range s.all {
		all = append(all, *o)
	}
	return all
}

// A counting is the work of finding out what an action is about.
type counting struct {
	stop           context.CancelFunc // nil while nothing is counted
	objects, bytes atomic.Int64
}

// countingOf returns the counting of an account: there is at most one.
func countingOf(a *account.Account) *counting {
	return account.Shared(a, "counting", func() *counting { return &counting{} })
}

// while works off the event loop. Until that has ended, the news say how much was counted, and esc stops it.
func (c *counting) while(a *account.Account, what string, work func(context.Context) tea.Msg) tea.Cmd {
	if c.stop != nil {
		c.stop()
	}
	ctx, stop := context.WithCancel(a.Context)
	c.stop = stop
	c.objects.Store(0)
	c.bytes.Store(0)
	progress := func() string {
		text := "counting " + what
		if n := c.objects.Load(); n > 0 {
			text += ": " + formatObjects(n, c.bytes.Load()) + " so far"
		}
		return text + " · esc stops"
	}
	return ui.WhileReporting(progress, func() tea.Msg {
		msg := work(ctx)
		if ctx.Err() != nil {
			return nil // somebody has stopped it
		}
		return countingEnded{c, ctx, stop, msg}
	})
}

// actions returns the action that stops the counting.
func (c *counting) actions() []ui.Action {
	if c.stop == nil {
		return nil
	}
	return []ui.Action{ui.LocalAction("this list", "stop counting", "", c.cancel, "esc")}
}

// cancel stops the counting.
func (c *counting) cancel() {
	c.stop()
	c.stop = nil
}

// countingEnded says that a counting has ended.
type countingEnded struct {
	counting *counting
	ctx      context.Context
	stop     context.CancelFunc
	msg      tea.Msg
}

// Deliver goes on with what was counted, unless it was stopped meanwhile.
func (m countingEnded) Deliver() tea.Cmd {
	if m.ctx.Err() != nil {
		return nil
	}
	m.stop()
	m.counting.stop = nil
	return ui.Send(m.msg)
}

// expandFolders returns the objects that rows stand for: the row itself, or all objects of a folder.
func (l *objectListing) expandFolders(
	ctx context.Context, rows table.SelectedRows[*client.Object], c *counting,
) (objectSet, error) {
	found, folders := objectindex.New(), false
	for row := range rows.All() {
		if folders = l.isFolder(row); folders {
			break
		}
	}
	if !folders {
		for row := range rows.All() {
			c.objects.Add(1)
			c.bytes.Add(max(0, row.Size))
		}
		return objectSet{rows.Len(), rows.All()}, ctx.Err()
	}
	add := func(objects ...*client.Object) {
		n := len(objects) - found.Append(objects)
		c.objects.Add(int64(n))
		for _, o := range objects {
			c.bytes.Add(max(0, o.Size))
		}
	}
	for row := range rows.All() {
		if !l.isFolder(row) {
			add(row)
			continue
		}
		q := l.query("")
		q.Prefix = row.Name.Raw()
		bytes, missing := c.bytes.Load(), ""
		err := objectindex.EachPage(ctx, l.a.API.Objects, q, func(p client.ObjectPage, restarted bool) bool {
			if restarted {
				c.bytes.Store(bytes)
			}
			add(p.Rows()...)
			missing = p.Incomplete
			return missing == ""
		})
		if err == nil && missing != "" {
			err = errors.New("the listing is " + missing)
		}
		if err != nil {
			return objectSet{}, err
		}
	}
	listed := found.Snapshot()
	return objectSet{listed.Len(), func(yield func(*client.Object) bool) {
		for i := range listed.Len() {
			if !yield(rowOf(listed.At(i))) {
				return
			}
		}
	}}, ctx.Err()
}

// countThen lists the objects that rows stand for, off the event loop, and goes on with them.
func (l *objectListing) countThen(rows table.SelectedRows[*client.Object], then func(objectSet) tea.Msg) tea.Cmd {
	c := countingOf(l.a)
	return c.while(l.a, "the objects in "+l.nameOrCount(rows), func(ctx context.Context) tea.Msg {
		all, err := l.expandFolders(ctx, rows, c)
		if err != nil {
			return ui.NewsMsg{Tone: theme.Bad, Text: "counting: " + ui.Reason(err)}
		}
		return then(all)
	})
}

// nameOrCount names a single row and counts several.
func (l *objectListing) nameOrCount(rows table.SelectedRows[*client.Object]) string {
	if rows.Len() == 1 {
		for row := range rows.All() {
			return l.displayName(row)
		}
	}
	return ui.Plural(rows.Len(), "entry", "entries")
}

// parentFolder returns a name without its last part: "a/b/" becomes "a/".
func parentFolder(name string) string {
	name = strings.TrimSuffix(name, "/")
	return name[:strings.LastIndexByte(name, '/')+1]
}
