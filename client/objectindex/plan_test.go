package objectindex

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"lookout/client"
	"lookout/client/faulttest"
)

// A fakeBucket serves a listing of names in their order; an answer takes a fifth of a second.
type fakeBucket struct {
	names    []string
	pageSize int
}

// list answers a request for a page. Its markers do not reveal the names.
func (b fakeBucket) list(_ http.RoundTripper, r *http.Request) (*http.Response, error) {
	q := r.URL.Query()
	prefix, delimiter, from := q.Get("prefix"), q.Get("delimiter"), 0
	_, _ = fmt.Sscanf(q.Get("marker"), "at %d", &from)
	var rows []string
	next, last := "null", ""
	for i := from; i < len(b.names); i++ {
		name := b.names[i]
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		row := fmt.Sprintf(`{"name":%q,"size":1,"etag":"x","owner":"o","last_modified":"2026-01-02T03:04:05"}`, name)
		if at := strings.Index(name[len(prefix):], "/"); delimiter != "" && at >= 0 {
			name = name[:len(prefix)+at+1]
			if name == last {
				continue
			}
			row = fmt.Sprintf(`{"name":%q,"size":null,"etag":null,"owner":null,"last_modified":null}`, name)
		}
		if len(rows) == b.pageSize {
			next = fmt.Sprintf(`"at %d"`, i)
			break
		}
		rows, last = append(rows, row), name
	}
	time.Sleep(200 * time.Millisecond)
	return faulttest.Respond(http.StatusOK, fmt.Sprintf(
		`{"data":[%s],"is_truncated":%v,"next_marker":%s}`, strings.Join(rows, ","), next != "null", next,
	))(nil, r)
}

// objects returns a client's objects of the bucket.
func (b fakeBucket) objects(t *testing.T) client.ObjectReader {
	t.Helper()
	return newClient(t, faulttest.NewTransport(nil, b.list)).Objects
}

// randomNames returns different names with folders, in their order.
func randomNames(r *rand.Rand, n int) []string {
	var names []string
	for range n {
		name := ""
		for range r.IntN(4) {
			name += string("ab0.-"[r.IntN(5)]) + "/"
		}
		names = append(names, name+fmt.Sprint("x", r.IntN(1000)), name)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

var query = client.ObjectQuery{Cluster: "c", Bucket: "b"}

// A plan reads every object once, in the order of the listing, from any of its cursors, for all kinds of folders.
func TestListingPlan_Pages_allObjectsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		planned := 0
		for range 60 {
			b := fakeBucket{randomNames(r, 1+r.IntN(300)), 5 + r.IntN(120)}
			p, err := NewListingPlan(t.Context(), b.objects(t), query)
			if err != nil {
				t.Fatal(err)
			}
			if p == nil {
				continue
			}
			planned++
			var names, cursors []string
			var counts []int
			for page, err := range p.Pages(t.Context(), "") {
				if err != nil {
					t.Fatal(err)
				}
				for _, o := range page.Data {
					names = append(names, o.Name.Raw())
				}
				cursors, counts = append(cursors, page.NextMarker), append(counts, len(names))
			}
			if !slices.Equal(names, b.names) {
				t.Fatalf("read %q\nwant %q", names, b.names)
			}
			if last := cursors[len(cursors)-1]; last != "" {
				t.Errorf("a page after the last: %q", last)
			}
			at := r.IntN(len(cursors))
			names = names[:counts[at]]
			for cursor := cursors[at]; cursor != ""; {
				page, err := p.List(t.Context(), cursor)
				if err != nil {
					t.Fatal(err)
				}
				for _, o := range page.Data {
					names = append(names, o.Name.Raw())
				}
				cursor = page.NextMarker
			}
			if !slices.Equal(names, b.names) {
				t.Fatalf("from %q: read %q\nwant %q", cursors[at], names, b.names)
			}
		}
		if planned < 20 {
			t.Errorf("only %d of the buckets were split", planned)
		}
	})
}

// Twelve folders of 9,000 objects are read in a sixth of the time that one page after another takes.
func TestListingPlan_Pages_inParallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := fakeBucket{pageSize: 500}
		for month := range 12 {
			for i := range 9_000 {
				b.names = append(b.names, fmt.Sprintf("2026/%02d/object-%05d", month+1, i))
			}
		}
		begun := time.Now()
		p, err := NewListingPlan(t.Context(), b.objects(t), query)
		if err != nil || p == nil {
			t.Fatal(p, err)
		}
		n := 0
		for page, err := range p.Pages(t.Context(), "") {
			if err != nil {
				t.Fatal(err)
			}
			n += len(page.Data)
		}
		if took := time.Since(begun); n != len(b.names) || took > 10*time.Second {
			t.Errorf("%d objects in %v", n, took)
		}
	})
}

// A listing that cannot be split has no plan: without folders, with too many of them, or with more than a page of them.
func TestNewListingPlan_notSplit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var flat, folders, many []string
		for i := range 700 {
			flat = append(flat, fmt.Sprintf("object-%04d", i))
			folders = append(folders, fmt.Sprintf("%04d/object", i))
			many = append(many, fmt.Sprintf("%03d/object", i/4))
		}
		for name, names := range map[string][]string{"flat": flat, "a page is not enough": folders, "too many": many} {
			p, err := NewListingPlan(t.Context(), fakeBucket{names, 500}.objects(t), query)
			if err != nil || p != nil {
				t.Errorf("%s: %v, %v", name, p, err)
			}
		}
	})
}

// A reader that stops ends all reads, and a read that fails ends the listing.
func TestListingPlan_Pages_ends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := fakeBucket{randomNames(rand.New(rand.NewPCG(3, 4)), 500), 300}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		p, err := NewListingPlan(ctx, b.objects(t), query)
		if err != nil || p == nil {
			t.Fatal(p, err)
		}
		for range p.Pages(ctx, "") {
			break
		}
		pages, failed := 0, false
		for _, err := range p.Pages(ctx, "") {
			failed = err != nil
			if pages++; pages == 2 {
				cancel()
			}
		}
		if !failed {
			t.Error("a cancelled reading looks complete")
		}
	})
}

// The cursors of a plan are its own: neither another plan of the same listing has them, nor a server that sends a
// marker of their form.
func TestListingPlan_Owns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := fakeBucket{[]string{"a/1", "a/2", "b/1", "b/2"}, 10}
		var cursors []string
		var plans []*ListingPlan
		for range 2 {
			p, err := NewListingPlan(t.Context(), b.objects(t), query)
			if err != nil || p == nil {
				t.Fatal(p, err)
			}
			page, err := p.List(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			plans, cursors = append(plans, p), append(cursors, page.NextMarker)
		}
		for i, p := range append(plans, nil) {
			for k, cursor := range append(cursors, "", "part 1 ", "\x00part 1 ") {
				if got := p.Owns(cursor); got != (p != nil && i == k) {
					t.Errorf("plan %d owns %q: %v", i, cursor, got)
				}
			}
		}
	})
}
