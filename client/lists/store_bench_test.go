package lists

import (
	"context"
	"fmt"
	"testing"
)

// BenchmarkStore_addRows adds a page of 500 rows to a store of up to a million.
func BenchmarkStore_addRows(b *testing.B) {
	const million, page = 1_000_000, 500
	rows := make([]thing, million)
	for i := range rows {
		rows[i] = thing{fmt.Sprintf("thing %06d", i)}
	}
	var s *RowStore[thing]
	at := million
	b.ReportAllocs()
	for b.Loop() {
		if at == million {
			at = 0
			s = NewRowStore(b.Context(), &Inline{}, RowSource[thing]{
				Name:  "things",
				ID:    func(x thing) string { return x.name },
				Lazy:  true,
				Fetch: func(context.Context, string) (RowPage[thing], error) { return RowPage[thing]{Next: "0"}, nil },
			})
			s.Refresh()
		}
		s.addPage(fmt.Sprint(at), RowPage[thing]{Rows: rows[at : at+page], Next: "on"})
		at += page
	}
}
