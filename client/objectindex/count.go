package objectindex

import (
	"context"

	"lookout/client"
)

// An ObjectTotal is the number of objects of a listing, and their size.
type ObjectTotal struct {
	Objects int64
	Bytes   int64
	AtLeast bool // there may be more objects or bytes: parts of the listing are invalid or missing
}

// pagesBeforeSplit is how many pages of a listing are read one after another before splitting it pays.
const pagesBeforeSplit = 4

// EachPage calls add with the pages of the flat listing of all names that begin with q.Prefix, until it returns false.
// A long listing begins again with a page for which restarted is true: it is then read in parts, side by side.
func EachPage(
	ctx context.Context, objects client.ObjectReader, q client.ObjectQuery,
	add func(page client.ObjectPage, restarted bool) (more bool),
) error {
	q.Delimiter, q.Marker = "", ""
	pages := 0
	for page, err := range objects.Pages(ctx, q) {
		if err != nil {
			return err
		}
		if !add(page, false) {
			return nil
		}
		if pages++; pages != pagesBeforeSplit || page.NextMarker == "" {
			continue
		}
		plan, err := NewListingPlan(ctx, objects, q)
		if err != nil {
			return err
		}
		if plan == nil {
			continue
		}
		restarted := true
		for page, err := range plan.Pages(ctx, "") {
			if err != nil || !add(page, restarted) {
				return err
			}
			restarted = false
		}
		return nil
	}
	return nil
}

// Count counts the objects whose names begin with q.Prefix; it ignores the delimiter and marker of q. progress, which
// may be nil, is called with the growing numbers.
func Count(
	ctx context.Context, objects client.ObjectReader, q client.ObjectQuery, progress func(objects, bytes int64),
) (ObjectTotal, error) {
	c := counter{progress: progress}
	err := EachPage(ctx, objects, q, func(page client.ObjectPage, restarted bool) bool {
		if restarted {
			c.total = ObjectTotal{}
		}
		c.add(page)
		return true
	})
	return c.total, err
}

// A counter is a count in progress.
type counter struct {
	total    ObjectTotal
	progress func(objects, bytes int64)
	reported int64 // objects at the last call of progress
}

// add adds a page. The reported numbers never decrease, even if the count starts again.
func (c *counter) add(p client.ObjectPage) {
	for i := range p.Data {
		if o := &p.Data[i]; !o.IsPrefix() {
			c.total.Objects++
			c.total.Bytes += max(0, o.Size)
			c.total.AtLeast = c.total.AtLeast || o.Size < 0
		}
	}
	c.total.AtLeast = c.total.AtLeast || len(p.Warnings) > 0
	if c.progress != nil && c.total.Objects > c.reported {
		c.reported = c.total.Objects
		c.progress(c.total.Objects, c.total.Bytes)
	}
}
