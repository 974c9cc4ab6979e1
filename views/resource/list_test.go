package resource

import (
	"strings"
	"testing"

	"lookout/client/account/join"
	"lookout/theme"
)

// lines keeps what List writes.
type lines []string

func (l *lines) Paragraph(text string, _ theme.Tone) { *l = append(*l, text) }

// Only a known join is described by its rows alone, or as empty.
func TestJoined_texts(t *testing.T) {
	known := join.JoinState{Kind: join.Known}
	unread, partial := join.JoinState{Of: "keys"}, join.JoinState{Of: "keys", Kind: join.Partial, Read: 2, Total: 9}
	for _, c := range []struct {
		j                        join.Joined[string]
		list, names, count, cell string
	}{
		{join.Join([]string{"a", "b"}, known), "a|b", "a, b", "2 keys", "a+b"},
		{join.Join[string](nil, known), "none", "none", "none", ""},
		{join.Join[string](nil, unread), "keys: not read yet", "keys: not read yet", "keys: not read yet", "…"},
		{
			join.Join([]string{"a", "b"}, partial),
			"a|b|keys: 2 of 9 read",
			"a, b (keys: 2 of 9 read)",
			"2 keys (keys: 2 of 9 read)",
			"a+b ?",
		},
	} {
		var written lines
		List(&written, c.j, func(s string) { written = append(written, s) }, "none")
		names := join.Names(c.j, strings.ToLower, "none")
		count := join.Count(c.j, "key", "keys", "none")
		cell := join.Cell(c.j, "…", func(rows []string) string { return strings.Join(rows, "+") })
		if got := strings.Join(written, "|"); got != c.list || names != c.names || count != c.count || cell != c.cell {
			t.Errorf("%q, %q, %q, %q; want %q, %q, %q, %q", got, names, count, cell, c.list, c.names, c.count, c.cell)
		}
	}
}
