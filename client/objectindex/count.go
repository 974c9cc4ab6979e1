package objectindex

import (
	"context"

	"lookout/client"
)

// An ObjectCount is the number of objects of a listing, and their size.
type ObjectCount struct {
	Objects int64
	Bytes   int64
	AtLeast bool // there may be more objects or bytes: parts of the listing are invalid or missing
}

// pagesBeforeSplit is how many pages of a listing are counted one after another before splitting it pays.
const pagesBeforeSplit = 8

// Count counts the objects whose names begin with q.Prefix; it ignores the delimiter and marker of q. A long listing is
// counted again from its beginning by a ListingPlan, if it can be split. progress, which may be nil, is called with the
// growing numbers.
func Count(
	ctx context.Context, objects client.Objects, q client.ObjectQuery, progress func(objects, bytes int64),
) (ObjectCount, error) {
	q.Delimiter, q.Marker = "", ""
	c := counter{progress: progress}
	pages := 0
	for page, err := range objects.Pages(ctx, q) {
		if err != nil {
			return c.total, err
		}
		c.add(page)
		if pages++; pages != pagesBeforeSplit || page.NextMarker == "" {
			continue
		}
		plan, err := NewListingPlan(ctx, objects, q)
		switch {
		case err != nil:
			return c.total, err
		case plan != nil:
			return c.countPlan(ctx, plan)
		}
	}
	return c.total, nil
}

// A counter is a count in progress.
type counter struct {
	total    ObjectCount
	progress func(objects, bytes int64)
	reported int64 // objects at the last call of progress
}

// countPlan counts from the beginning again, by a plan.
func (c *counter) countPlan(ctx context.Context, plan *ListingPlan) (ObjectCount, error) {
	c.total = ObjectCount{}
	for page, err := range plan.Pages(ctx, "") {
		if err != nil {
			return c.total, err
		}
		c.add(page)
	}
	return c.total, nil
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
