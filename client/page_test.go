package client

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"lookout/client/faulttest"
)

// A page allocates all its rows at once.
func TestPage_rowsAreContiguous(t *testing.T) {
	var p Page[*Service]
	if err := decode([]byte(`{"data":[{"id":1},{"id":2},{"id":3}],"page":1,"pages":1,"results":3}`), &p); err != nil ||
		len(p.Data) != 3 {
		t.Fatal(err, len(p.Data))
	}
	at := func(i int) uintptr { return reflect.ValueOf(p.Data[i]).Pointer() }
	if size := reflect.TypeFor[Service]().Size(); at(1)-at(0) != size || at(2)-at(1) != size {
		t.Errorf("rows of %d bytes stand at %x, %x, %x", size, at(0), at(1), at(2))
	}
	for i, row := range p.Data {
		if row.ID != i+1 {
			t.Errorf("row %d is %+v", i, row)
		}
	}
}

// With an error, Get returns nil, even if part of the row was decoded.
func TestServices_Get_nilOnError(t *testing.T) {
	for name, answer := range map[string]faulttest.RoundTripFunc{
		"refused":                    faulttest.Respond(403, `{"errors":[{"reason":"no"}]}`),
		"no object":                  faulttest.Respond(200, `[]`),
		"null":                       faulttest.Respond(200, `null`),
		"cut":                        faulttest.Respond(200, `{"id":1,"label":"bill`),
		"nothing that was asked for": faulttest.Respond(200, `{"x":1}`),
	} {
		c, err := New("https://x/v4", NewSecret("t"), WithTransport(faulttest.NewTransport(nil, answer)))
		if err != nil {
			t.Fatal(err)
		}
		if row, err := c.Services.Get(t.Context(), 1); err == nil || row != nil {
			t.Errorf("%s: %+v, %v", name, row, err)
		}
	}
}

// pagedServices serves a list of services in pages; an answer takes a fifth of a second.
type pagedServices struct {
	ids    []int
	change func([]int) []int // of the list, once its first page was read
	fail   int               // page that is refused
	sent   []time.Duration   // when each request came
	start  time.Time
}

// newPagedServices returns n services, and a client of them.
func newPagedServices(t *testing.T, n int) (*pagedServices, *Client) {
	t.Helper()
	s := &pagedServices{start: time.Now()}
	for id := range n {
		s.ids = append(s.ids, id+1)
	}
	requests := make(chan struct{}, 1) // handles one at a time, apart from the wait
	c, err := New("https://x/v4", NewSecret("t"), WithTransport(faulttest.NewTransport(
		nil, func(_ http.RoundTripper, r *http.Request) (*http.Response, error) {
			requests <- struct{}{}
			s.sent = append(s.sent, time.Since(s.start))
			answer := s.page(r)
			if len(s.sent) == 1 && s.change != nil {
				s.ids = s.change(s.ids)
			}
			<-requests
			select {
			case <-time.After(200 * time.Millisecond):
				return answer(nil, r)
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		},
	)))
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

// page returns the answer to a request.
func (s *pagedServices) page(r *http.Request) faulttest.RoundTripFunc {
	n, _ := strconv.Atoi(r.URL.Query().Get("page"))
	if n == s.fail {
		return faulttest.Respond(http.StatusForbidden, `{"errors":[{"reason":"no"}]}`)
	}
	begin, end := min((n-1)*pageSize, len(s.ids)), min(n*pageSize, len(s.ids))
	var rows []string
	for _, id := range s.ids[begin:end] {
		rows = append(rows, fmt.Sprintf(`{"id":%d}`, id))
	}
	return faulttest.Respond(http.StatusOK, fmt.Sprintf(
		`{"data":[%s],"page":%d,"pages":%d,"results":%d}`, strings.Join(rows, ","), n,
		(len(s.ids)+pageSize-1)/pageSize, len(s.ids),
	))
}

// Once the first page says how many there are, the others are read at once: 5,000 rows take two answers, 20,000 take
// five. Rows keep their order.
func TestPages_readInParallel(t *testing.T) {
	for rows, waves := range map[int]int{1: 1, 500: 1, 501: 2, 5_000: 2, 20_000: 5} {
		t.Run(fmt.Sprint(rows), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, c := newPagedServices(t, rows)
				var ids []int
				for service, err := range c.Services.All(t.Context()) {
					if err != nil {
						t.Fatal(err)
					}
					ids = append(ids, service.ID)
				}
				if !slices.Equal(ids, s.ids) {
					t.Errorf("%d rows in another order, or others", len(ids))
				}
				if took := time.Since(s.start); took != time.Duration(waves)*200*time.Millisecond {
					t.Errorf("took %v for %d requests", took, len(s.sent))
				}
				if want := (rows + pageSize - 1) / pageSize; len(s.sent) != want {
					t.Errorf("%d requests, want %d", len(s.sent), want)
				}
			})
		})
	}
}

// A list that changes after its first page was read loses and doubles no more rows than one that is read page by page,
// and lookout says that it has changed. Pages that it gains are read.
func TestPages_listChangesMeanwhile(t *testing.T) {
	for name, c := range map[string]struct {
		change     func([]int) []int
		lost, more int // rows that are not read although they are still there; rows that are read twice
	}{
		"rows deleted from the first page": {func(ids []int) []int { return ids[3:] }, 3, 0},
		"rows made before the first":       {func(ids []int) []int { return append([]int{-1, -2}, ids...) }, 2, 2},
		"rows made at the end": {func(ids []int) []int {
			for id := range 600 {
				ids = append(ids, 10_000+id)
			}
			return ids
		}, 0, 0},
		"half of the list deleted": {func(ids []int) []int { return ids[:len(ids)/2] }, 0, 0},
	} {
		faulttest.RunCase(t, "A18", name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, api := newPagedServices(t, 4_000)
				s.change = c.change
				read := map[int]int{}
				incomplete := 0
				for p, err := range Pages(t.Context(), api.Services.List) {
					if err != nil {
						t.Fatal(err)
					}
					if strings.Contains(p.Incomplete, "changed while it was read") {
						incomplete++
					}
					for _, row := range p.Data {
						read[row.ID]++
					}
				}
				lost, more := 0, 0
				for _, id := range s.ids {
					if read[id] == 0 {
						lost++
					}
					more += max(0, read[id]-1)
				}
				if lost != c.lost || more != c.more || incomplete != 1 {
					t.Errorf("%d rows lost, %d doubled, said on %d pages", lost, more, incomplete)
				}
				s, api = newPagedServices(t, 4_000)
				s.change = c.change
				var failure error
				for _, err := range api.Services.All(t.Context()) {
					failure = err
				}
				if failure == nil || !strings.Contains(failure.Error(), "changed while it was read") {
					t.Errorf("ended with %v", failure)
				}
			})
		})
	}
}

// The pages before one that fails are read, and its error ends the list, whatever the later ones answer.
func TestPages_pageFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := newPagedServices(t, 4_000)
		s.fail = 5
		pages, failure := 0, error(nil)
		for _, err := range Pages(t.Context(), c.Services.List) {
			if failure = err; err == nil {
				pages++
			}
		}
		var refused *Error
		if pages != 4 || !errors.As(failure, &refused) || refused.Status != http.StatusForbidden {
			t.Errorf("%d pages, then %v", pages, failure)
		}
	})
}
