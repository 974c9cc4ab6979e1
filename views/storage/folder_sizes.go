package storage

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/lists"
	"lookout/client/objectindex"
	"lookout/client/transfer"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/views/operation"
	"lookout/views/resource"
)

// bucketSizes are the sums of the folders of a bucket, as far as somebody has asked for them. All panes of the bucket
// share them.
type bucketSizes struct {
	a       *account.Account
	bucket  client.ObjectRef // without a name
	changes [][]transfer.ID  // that may be under way: what was started together
	mu      sync.Mutex       // cells are also drawn off the event loop, which alone changes these two
	reads   []*sizeRead      // that have ended, the newest last; the slice never changes
	current *sizeRead        // under way; nil is none
	bySize  bool             // new listings begin sorted by size
	version int
}

// A sizeRead is one reading of all names below a prefix.
type sizeRead struct {
	sums    *objectindex.FolderSizes
	endedAt time.Time
	partial atomic.Bool // it was stopped or has failed
	changed atomic.Bool // objects were changed from here since
	stop    context.CancelFunc
}

// covers reports whether the reading includes all names with a prefix.
func (r *sizeRead) covers(prefix string) bool { return strings.HasPrefix(prefix, r.sums.Prefix()) }

// sizesOf returns the sums of a bucket.
func sizesOf(a *account.Account, bucket client.ObjectRef) *bucketSizes {
	bucket.Name = ""
	return account.Shared(a, "sizes "+bucket.ID(), func() *bucketSizes { return &bucketSizes{a: a, bucket: bucket} })
}

// maxSizeReads is the number of readings of a bucket that are kept: folders that were read one by one.
const maxSizeReads = 8

// read reads the sums below a prefix, again if they are known. What is known is shown until it has ended.
func (s *bucketSizes) read(prefix string) {
	if s.current != nil {
		s.current.stop()
	}
	ctx, stop := context.WithCancel(s.a.Context)
	r := &sizeRead{sums: objectindex.NewFolderSizes(prefix, -1), stop: stop}
	s.changes = slices.DeleteFunc(s.changes, func(ids []transfer.ID) bool {
		return !slices.ContainsFunc(ids, func(id transfer.ID) bool { return s.a.Transfers.State(id).Unfinished() })
	})
	r.changed.Store(len(s.changes) > 0)
	s.set(s.reads, r)
	s.watch(r)
	s.a.Go(func() (apply func()) {
		err := r.sums.Read(ctx, s.a.API.Objects, s.bucket.Cluster, s.bucket.Bucket, func() {})
		return func() { s.ended(r, err) }
	})
}

// stop ends the reading under way; what it has read stays, as a lower bound.
func (s *bucketSizes) stop() {
	if s.current != nil {
		s.current.stop()
		s.end(s.current, true)
	}
}

// end takes the reading under way among those that have ended.
func (s *bucketSizes) end(r *sizeRead, partial bool) {
	s.set(s.reads, nil)
	r.endedAt = s.a.Now()
	r.partial.Store(partial)
	prefix := r.sums.Prefix()
	if partial && s.find(prefix) != nil {
		return // what is known is better
	}
	if outer := s.find(prefix); outer != nil {
		was, known := outer.sums.Sum(prefix)
		now, _ := r.sums.Sum(prefix)
		if known {
			outer.sums.Change(prefix, now.Objects-was.Objects, now.Bytes-was.Bytes)
		}
	}
	reads := slices.DeleteFunc(slices.Clone(s.reads), func(old *sizeRead) bool { return r.covers(old.sums.Prefix()) })
	reads = append(reads, r)
	s.set(reads[max(0, len(reads)-maxSizeReads):], nil)
}

// set sets the readings.
func (s *bucketSizes) set(ended []*sizeRead, current *sizeRead) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads, s.current = ended, current
	s.version++
}

// get returns the readings.
func (s *bucketSizes) get() (ended []*sizeRead, current *sizeRead) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reads, s.current
}

// watch shows from time to time that a reading has come further, until it ends.
func (s *bucketSizes) watch(r *sizeRead) {
	s.a.After(ui.ProgressInterval, func() {
		if s.current == r {
			s.version++
			s.watch(r)
		}
	})
}

// ended shows the sums of a reading, unless it was stopped before.
func (s *bucketSizes) ended(r *sizeRead, err error) {
	r.stop()
	if s.current != r {
		return
	}
	if s.end(r, err != nil); err != nil {
		operation.Post(s.a, ui.ShowStatus(theme.Bad, fmt.Sprintf(
			"%s: not all sizes could be read: %s · r reads again", client.Clean(s.bucket.Bucket), wording.Reason(err),
		)))
	}
}

// find returns the reading with the newest sums of a prefix; nil if nobody has read them to the end.
func (s *bucketSizes) find(prefix string) (best *sizeRead) {
	ended, _ := s.get()
	for _, r := range ended {
		if _, known := r.sums.Sum(prefix); known && (best == nil || best.covers(r.sums.Prefix())) {
			best = r
		}
	}
	return best
}

// shown returns the reading whose sums of a prefix are shown: one that has ended, or else the one under way; nil if
// nobody has asked for them.
func (s *bucketSizes) shown(prefix string) *sizeRead {
	if s == nil {
		return nil
	}
	if r := s.find(prefix); r != nil {
		return r
	}
	if _, current := s.get(); current != nil {
		if _, known := current.sums.Sum(prefix); known {
			return current
		}
	}
	return nil
}

// sum returns the sums of a folder as they are shown.
func (s *bucketSizes) sum(folder string) (objectindex.ObjectTotal, bool) {
	r := s.shown(folder)
	if r == nil {
		return objectindex.ObjectTotal{}, false
	}
	sum, _ := r.sums.Sum(folder)
	sum.AtLeast = sum.AtLeast || r.partial.Load()
	return sum, true
}

// An exactTotals returns the sums below a prefix if they were read to the end and nothing has changed them since from
// here, with the time when they were read. It can be called off the event loop.
type exactTotals func(prefix string) (sum objectindex.ObjectTotal, at time.Time, known bool)

// exact returns the sums that are exact now.
func (s *bucketSizes) exact() exactTotals {
	return func(prefix string) (sum objectindex.ObjectTotal, at time.Time, known bool) {
		r := s.find(prefix)
		if r == nil || r.partial.Load() || r.changed.Load() {
			return sum, at, false
		}
		sum, known = r.sums.Sum(prefix)
		return sum, r.endedAt, known && !sum.AtLeast
	}
}

// changedBy notes that transfers store or delete objects: the sums are wrong, as are those that are read before all of
// them have ended.
func (s *bucketSizes) changedBy(ids ...transfer.ID) {
	s.changes = append(s.changes, ids)
	s.invalidate()
}

// invalidate notes that objects have been stored.
func (s *bucketSizes) invalidate() {
	s.version++
	for _, r := range append(slices.Clone(s.reads), s.current) {
		if r != nil {
			r.changed.Store(true)
		}
	}
}

// listingSizes are the sums of a bucket as a listing joins with them.
type listingSizes struct {
	*bucketSizes
	prefix string
}

// Name returns what the head line calls them.
func (s listingSizes) Name() string { return "sizes" }

// Refresh reads the sums of the listing again, if they are shown.
func (s listingSizes) Refresh() {
	if s.shown(s.prefix) != nil && s.current == nil {
		s.read(s.prefix)
	}
}

// Poll does nothing: the sums are read only when somebody asks for them.
func (s listingSizes) Poll() {}

// EnsureLoaded does nothing.
func (s listingSizes) EnsureLoaded() {}

// Freshness returns nothing: the footer says how old the sums are.
func (s listingSizes) Freshness() lists.Freshness { return lists.Freshness{Loaded: true} }

// Version grows whenever a sum changes.
func (s listingSizes) Version() int { return s.version }

// describe says how far the sums are read, or how old they are: "12 GiB in 3,201 objects · read 3 min ago".
func (s listingSizes) describe(now time.Time) []string {
	if r := s.current; r != nil {
		sum, _ := r.sums.Sum(r.sums.Prefix())
		return []string{"reading sizes: " + formatObjects(sum.Objects, sum.Bytes) + " so far", "esc stops"}
	}
	r := s.shown(s.prefix)
	if r == nil {
		return nil
	}
	sum, _ := s.sum(s.prefix)
	text := formatObjects(sum.Objects, sum.Bytes) + " in all"
	if sum.AtLeast {
		text = "at least " + formatObjects(sum.Objects, sum.Bytes)
	}
	age := "sizes read " + formatReadAge(now.Sub(r.endedAt))
	switch problem := r.sums.Problem(); {
	case r.partial.Load():
		age = "not all sizes were read"
	case problem != "":
		age += ", " + problem
	case r.changed.Load():
		age += ", changed since"
	}
	return []string{text, age, "r reads again"}
}

// formatReadAge says how long ago something was read.
func formatReadAge(age time.Duration) string {
	if age < time.Minute {
		return "just now"
	}
	return wording.FormatAge(age) + " ago"
}

// A sizesView shows the sums of folders in a listing.
type sizesView struct{ l *objectListing }

// columns returns the columns that are shown once somebody has asked for the sums.
func (v sizesView) columns() []resource.ColumnDefinition[*client.Object] {
	return []resource.ColumnDefinition[*client.Object]{
		resource.PaneColumn("share", v.shareCell).Width(shareWidth).Drop(1, 0).FilterByName().LargestFirst().
			Spans(v.shareSpans),
		resource.PaneColumn("objects", v.countCell).Width(9).AlignRight().Drop(2, 0).FilterByName().LargestFirst(),
	}
}

// sizeCell shows the size of an object, or of all objects in a folder.
func (v sizesView) sizeCell(o *client.Object, _ ui.Box) (string, theme.Tone) {
	sum, known := v.sum(o)
	if !known && !v.l.isFolder(o) {
		return "unknown", theme.Warn
	}
	return sumCell(sum, known, operation.FormatSize(sum.Bytes))
}

// countCell shows the number of objects in a folder.
func (v sizesView) countCell(o *client.Object, _ ui.Box) (string, theme.Tone) {
	if !v.l.isFolder(o) {
		return "", theme.Muted
	}
	sum, known := v.sum(o)
	return sumCell(sum, known, wording.FormatCount(sum.Objects))
}

// sumCell shows a text of sums, as far as these are known.
func sumCell(sum objectindex.ObjectTotal, known bool, text string) (string, theme.Tone) {
	switch {
	case !known:
		return "—", theme.Muted
	case sum.AtLeast && sum.Objects == 0:
		return "…", theme.Muted
	case sum.AtLeast:
		return "≥ " + text, theme.Muted
	}
	return text, theme.Plain
}

// sum returns the size of an object, or the sums of a folder, if they are known.
func (v sizesView) sum(o *client.Object) (objectindex.ObjectTotal, bool) {
	if v.l.isFolder(o) {
		return v.l.sizes.sum(o.Name.Raw())
	}
	return objectindex.ObjectTotal{Objects: 1, Bytes: max(0, o.Size)}, o.Size >= 0
}

// sizeValue returns the bytes of an entry for filters.
func (v sizesView) sizeValue(o *client.Object) string {
	if sum, known := v.sum(o); known && (sum.Objects > 0 || !sum.AtLeast) {
		return strconv.FormatInt(sum.Bytes, 10)
	}
	return ""
}

// A bar and the percentage after it.
const (
	barWidth   = 14
	shareWidth = barWidth + 8
)

// shareCell shows how much of its folder an entry takes, as a bar and as a percentage.
func (v sizesView) shareCell(o *client.Object, b ui.Box) (string, theme.Tone) {
	bar, percent := v.share(o, b)
	return bar + percent, theme.Plain
}

// shareSpans draws the text of shareCell.
func (v sizesView) shareSpans(o *client.Object, b ui.Box) []table.TonedText {
	bar, percent := v.share(o, b)
	tone := theme.Good
	if v.l.isFolder(o) {
		tone = theme.Accent
	}
	return []table.TonedText{{Text: bar, Tone: tone}, {Text: percent, Tone: theme.Muted}}
}

// share returns a bar and a percentage. As long as the folder is being read there is no percentage.
func (v sizesView) share(o *client.Object, b ui.Box) (bar, percent string) {
	folder := v.l.path.openFolder()
	r := v.l.sizes.shown(folder)
	sum, known := v.sum(o)
	if r == nil || !known {
		return "", ""
	}
	all, _ := v.l.sizes.sum(folder)
	part := float64(sum.Bytes) / float64(max(all.Bytes, sum.Bytes, 1))
	bar = drawBar(part, barWidth, b.Theme.Glyphs)
	switch {
	case all.Bytes == 0 || all.AtLeast:
	case part > 0 && part < 0.0005:
		percent = " < 0.1 %"
	default:
		percent = fmt.Sprintf("%6.1f %%", 100*part)
	}
	return bar, percent
}

// drawBar draws a part of a whole in some cells.
func drawBar(part float64, cells int, g theme.Glyphs) string {
	halves := int(math.Ceil(part * float64(cells) * 2))
	full, half, line := halves/2, halves%2, "━"
	if g.Full != "█" { // ASCII
		full, half, line = int(part*float64(cells)+0.5), 0, g.Full
	}
	return strings.Repeat(line, full) + strings.Repeat("╸", half) + strings.Repeat(" ", cells-full-half)
}

// showSizes adds the columns of the sums as soon as there are sums.
func (v sizesView) showSizes() {
	if v.l.sizesShown || v.l.sizes.shown(v.l.path.prefix) == nil {
		return
	}
	v.l.sizesShown = true
	saved := v.l.SaveState()
	declared := objectResource(v.l)
	declared.PaneOrder = []string{"name", "share", "size", "objects", "last_modified"}
	if v.l.path.delimiter == "" {
		declared.PaneOrder = slices.DeleteFunc(declared.PaneOrder, func(c string) bool { return c == "objects" })
	}
	v.l.Columns = declared.PaneColumns()
	v.l.RestoreState(saved)
}

// sizesAction returns the action that reads the sums, or sorts by them once they are known.
func (v sizesView) sizesAction() ui.Action {
	action := ui.Action{
		Key:         ui.Bind("sizes", "S"),
		Group:       "this list",
		Description: "add up the size of every folder, largest first; r reads them again",
		ShowInHints: true,
	}
	r := v.l.sizes.shown(v.l.path.prefix)
	switch sorted := v.l.SaveState().SortBy == "size"; {
	case r == nil || r.partial.Load() && r != v.l.sizes.current:
		action.Do = func() tea.Cmd {
			v.l.sizes.read(v.l.path.prefix)
			v.sortBySize(true)
			v.l.keepTop = true
			v.l.SelectFirst()
			v.l.topRow = v.l.SaveState().Row
			return nil
		}
	case sorted:
		action.Key = ui.Bind("sort by name", "S")
		action.Do = func() tea.Cmd { v.sortBySize(false); return nil }
	default:
		action.Key = ui.Bind("largest first", "S")
		action.Do = func() tea.Cmd { v.sortBySize(true); return nil }
	}
	return action
}

// sortBySize sorts by size, the largest first, or by name.
func (v sizesView) sortBySize(bySize bool) {
	v.showSizes()
	v.l.sizes.bySize = bySize
	saved := v.l.SaveState()
	saved.SortBy, saved.Reverse = v.l.SortBy, false
	if bySize {
		saved.SortBy, saved.Reverse = "size", true
	}
	v.l.RestoreState(saved)
}

// followTop keeps the cursor on the largest entry while sizes are being read, unless the user has moved it.
func (v sizesView) followTop() {
	if !v.l.keepTop {
		return
	}
	v.l.keepTop = v.l.sizes.current != nil
	if v.l.SaveState().Row != v.l.topRow {
		v.l.keepTop = false
		return
	}
	v.l.SelectFirst()
	v.l.topRow = v.l.SaveState().Row
}

// writeFolderSize writes what is known of the size of a folder.
func (v sizesView) writeFolderSize(t *operation.DetailWriter, o *client.Object) {
	sum, known := v.l.sizes.sum(o.Name.Raw())
	switch {
	case !known:
		t.Field("size", "not read · S reads it", theme.Muted)
		return
	case sum.AtLeast:
		t.Field("size", "at least "+operation.FormatSize(sum.Bytes), theme.Warn)
		t.Field("objects", "at least "+wording.FormatCount(sum.Objects), theme.Warn)
		return
	}
	t.Field(
		"size",
		fmt.Sprintf("%s (%s bytes)", operation.FormatSize(sum.Bytes), wording.FormatCount(sum.Bytes)),
		theme.Plain,
	)
	t.Field("objects", wording.FormatCount(sum.Objects), theme.Plain)
}
