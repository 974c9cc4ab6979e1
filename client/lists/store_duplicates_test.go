package lists

import (
	"slices"
	"strings"
	"testing"

	"lookout/client/faulttest"
)

// A row that arrives twice is one row, and the store reports it.
func TestStore_Refresh_dropsDuplicates(t *testing.T) {
	for name, c := range map[string]struct {
		pages [][]string
		lazy  bool
		want  []string
		note  string
	}{
		"in a page":       {[][]string{{"a", "b", "a"}}, false, []string{"a", "b"}, "1 duplicate dropped"},
		"in another page": {[][]string{{"a", "b"}, {"b", "c"}}, false, []string{"a", "b", "c"}, "1 duplicate dropped"},
		"in another page, as read": {[][]string{{"a", "b"}, {"b", "a"}}, true, []string{"a", "b"}, "2 duplicates " +
			"dropped"},
		"again and again": {[][]string{{"a", "a"}, {"a", "a"}, {"a"}}, false, []string{"a"}, "1 duplicate " +
			"dropped, 2 duplicates dropped, 1 duplicate dropped"},
		"nothing comes twice":       {[][]string{{"a"}, {"b"}}, false, []string{"a", "b"}, ""},
		"the same with other words": {[][]string{{"a1"}, {"a2"}}, false, []string{"a1"}, "1 duplicate dropped"},
	} {
		faulttest.RunCase(t, "A17", name, func(t *testing.T) {
			p := &pageSource{c.pages}
			s := p.newStore(t, c.lazy)
			s.Refresh()
			for n := -1; n != s.Version(); s.LoadMore() {
				n = s.Version()
				s.LoadMore()
			}
			if !slices.Equal(s.Rows(), c.want) || strings.Join(s.Notes(), ", ") != c.note {
				t.Errorf("%q, notes %q", s.Rows(), s.Notes())
			}
		})
	}
}
