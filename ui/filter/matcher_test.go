package filter

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// night is when the tests filter: a Friday in a zone that is not UTC.
var night = time.Date(2026, 11, 20, 23, 4, 0, 0, time.FixedZone("CET", 3600))

// row is a row of the tests: the texts of its columns, and behind a bar its values for comparisons.
type row []string

var titles = []string{"state", "label", "address", "group", "size", "updated", "timeout", "open issue", "off"}

var rows = []row{
	{
		"▲ problem", "billing-api", "db2.acme.net:5432", "billing", "12.4 GiB|13314398617", "2 h|2026-11-20T20:04:00Z",
		"10 s|10", "823 · 6 min", "",
	},
	{
		"● ok", "Web-1", "https://web-1.acme.net/health", "web", "500 B|500", "3 d|2026-11-17T20:04:00Z", "30 s|30", "",
		"",
	},
	{
		"● ok", "web two", "localhost:8080", "none|", "unknown|", "1 h|2026-11-20T21:30:00Z", "5 s|5", "", "",
	},
	{
		"○ disabled", `said "hi"`, "a|b", "web admins", "2.0 MiB|2097152", "40 d|2026-10-11T20:04:00Z", "100 s|100",
		"821 · 2 d", "≥ 2 d 4 h",
	},
}

// testColumns returns the columns of rows.
func testColumns(rows []row) []FilterableColumn {
	columns := make([]FilterableColumn, len(titles))
	for i, title := range titles {
		part := func(r int32) (text, value string) {
			text, value, split := strings.Cut(rows[r][i], "|")
			if title == "address" {
				return rows[r][i], rows[r][i]
			}
			if !split {
				value = text
			}
			return text, value
		}
		columns[i] = FilterableColumn{
			Name:       strings.ReplaceAll(title, " ", "_"),
			Title:      title,
			ByNameOnly: title == "size",
			Text:       func(r int32) string { text, _ := part(r); return text },
		}
		if title == "group" {
			columns[i].Choices = []string{"web", "billing"}
		}
		if title != "off" {
			columns[i].Value = func(r int32) string { _, value := part(r); return value }
		}
	}
	return columns
}

// matching returns the rows that an expression matches, and its matcher.
func matching(e Expression) ([]int32, *Matcher) {
	m := Compile(e, testColumns(rows), night)
	var found []int32
	for i := range rows {
		if m.Match(int32(i)) {
			found = append(found, int32(i))
		}
	}
	return found, m
}

func TestMatcher_Match(t *testing.T) {
	for _, c := range []struct {
		filter string
		want   []int32
	}{
		{"", []int32{0, 1, 2, 3}},
		{"web", []int32{1, 2, 3}},
		{"WEB ok", []int32{1, 2}},
		{"ok web nowhere", nil},
		{"!web", []int32{0}},
		{"!!web", []int32{1, 2, 3}},
		{"web | billing", []int32{0, 1, 2, 3}},
		{"label:web | group:billing", []int32{0, 1, 2}},
		{"web ok | billing problem", []int32{0, 1, 2}},
		{"billing|disabled", []int32{0, 3}},
		{"billing|web ok", []int32{1, 2}}, // (billing or web) and ok
		{"!billing|web", nil},
		{"!problem|disabled", []int32{1, 2}},
		{"problem|!web", []int32{0}},
		{`"web two"`, []int32{2}},
		{`"web two`, []int32{2}}, // not closed
		{`"said \"hi\""`, []int32{3}},
		{`said "hi"`, []int32{3}},
		{`"a|b"`, []int32{3}},
		{`!"web two" web`, []int32{1, 3}},
		{"state:ok", []int32{1, 2}},
		{"STATE:OK", []int32{1, 2}},
		{"st:ok", []int32{1, 2}},
		{"!state:ok", []int32{0, 3}},
		{"state:!ok", []int32{0, 3}},
		{"state:problem|disabled", []int32{0, 3}},
		{"!state:problem|disabled", []int32{1, 2}},
		{"state:problem|label:web", []int32{0, 1, 2}},
		{`group:"web admins"`, []int32{3}},
		{"group:=web", []int32{1}},
		{"group:=WEB", []int32{1}},
		{"state:=ok", nil}, // the value is the text here
		{"group:none", []int32{2}},
		{"group:", []int32{2}},
		{`group:""`, []int32{2}},
		{"group: ok", []int32{2}},
		{"!group:", []int32{0, 1, 3}},
		{"group:|billing", []int32{0, 2}},
		{"open_issue:823", []int32{0}},
		{"open-issue:823", []int32{0}},
		{"openissue:823", []int32{0}},
		{`"open issue":823`, []int32{0}},
		{"open:823", []int32{0}},
		{"open:", []int32{1, 2}},
		{"timeout:>10", []int32{1, 3}},
		{"timeout:>=10", []int32{0, 1, 3}},
		{"timeout:<10", []int32{2}},
		{"timeout:<=10s", []int32{0, 2}},
		{"timeout:=10", []int32{0}},
		{"timeout:10", []int32{0, 3}},
		{"timeout:>1min", []int32{3}},
		{"timeout:>5 timeout:<31", []int32{0, 1}},
		{"timeout:<6|>90", []int32{2, 3}},
		{"size:>10GiB", []int32{0}},
		{"size:>10gib", []int32{0}},
		{"size:<1M", []int32{1}},
		{"size:>1.5MiB", []int32{0, 3}},
		{"size:>0", []int32{0, 1, 3}},
		{"!size:>0", []int32{2}},
		{"size:", []int32{2}},
		{"updated:<2d", []int32{0, 2}},
		{"updated:>2d", []int32{1, 3}},
		{"updated:>3d3h", []int32{3}},
		{"updated:<1h", []int32{2}},
		{"updated:>2026-11-17", []int32{0, 2}},
		{"updated:>=2026-11-17", []int32{0, 1, 2}},
		{"updated:=2026-11-17", []int32{1}},
		{"updated:<2026-11-17", []int32{3}},
		{"updated:<=2026-11-17", []int32{1, 3}},
		{"updated:<2026-11", []int32{3}},
		{"updated:=2026-11", []int32{0, 1, 2}},
		{"updated:>22:00", []int32{2}},
		{"updated:>23:30", []int32{0, 2}}, // yesterday's
		{"updated:>=today", []int32{0, 2}},
		{"updated:>yesterday", []int32{0, 2}},
		{"updated:<2026-11-20T21:30", []int32{0, 1, 3}},
		{`updated:<"2026-11-20 21:30"`, []int32{0, 1, 3}},
		{"updated:>2026-11-20T21:00:00Z", []int32{2}},
		{"off:>2d", []int32{3}},
		{"off:<2d", nil},
		{"off:", []int32{0, 1, 2}},
		{"5432", []int32{0}},
		{"db2.acme.net:5432", []int32{0}},
		{"https://web-1.acme.net/health", []int32{1}},
		{"localhost:8080", []int32{2}}, // no column, but it is there
		{"address:localhost:8080", []int32{2}},
		{"500", nil}, // sizes are searched by name only
		{"size:500", []int32{1}},
		{"|", []int32{0, 1, 2, 3}},
		{"web |", []int32{1, 2, 3}},
		{"web|", []int32{1, 2, 3}},
		{"| web", []int32{1, 2, 3}},
		{"web || problem", []int32{0, 1, 2, 3}},
		{"!", []int32{0, 1, 2, 3}},
		{`"`, []int32{0, 1, 2, 3}},
		{`""`, []int32{0, 1, 2, 3}},
		{":", []int32{0, 1, 2}},
		{":8080", []int32{2}},
	} {
		if got, m := matching(Parse(c.filter)); !slices.Equal(got, c.want) || m.Problem() != "" {
			t.Errorf("%s: rows %v, want %v; %s", c.filter, got, c.want, m.Problem())
		}
	}
}

// A filter that cannot mean what it says is named, with what can be said instead.
func TestMatcher_Problem(t *testing.T) {
	names := "columns: state, label, address, group, size, updated, timeout, open_issue, off"
	compare := ": compare with a number, 10GiB, 2d or 2026-11-20"
	none := ": no row has such a value in this column"
	for filter, want := range map[string]string{
		"grup:web":        `unknown column "grup" · ` + names,
		"grup:":           `unknown column "grup" · ` + names,
		"grup:>5":         `unknown column "grup" · ` + names,
		"!grup:web":       `unknown column "grup" · ` + names,
		"web grup:x | ok": `unknown column "grup" · ` + names,
		"size:>":          "size:>" + compare,
		"size:>big":       "size:>big" + compare,
		"!size:>big":      "size:>big" + compare,
		"updated:>2":      "updated:>2" + none,
		"label:>2":        "label:>2" + none,
		"timeout:>2026":   "",
		"nowhere":         "",
		"group:wbe":       "group:wbe matches no row · this column has web, billing",
		"!group:=wbe":     "group:=wbe matches no row · this column has web, billing",
		"group:w|wbe":     "wbe matches no row · this column has web, billing",
		"group:bil":       "",
		"state:nowhere":   "",
		"10:30":           "",
		"ftp://acme.net":  "",
		"off:>9d":         "",
	} {
		if _, m := matching(Parse(filter)); m.Problem() != want {
			t.Errorf("%s: %q, want %q", filter, m.Problem(), want)
		}
	}
}

// A whole title or name counts before the beginning of another one, and a title before a name.
func TestFindColumn(t *testing.T) {
	columns := []FilterableColumn{
		{Title: "availability zone", Name: "zone"},
		{Title: "availability"},
		{Title: "bytes", Name: "size"},
		{Title: "size limit", Name: "limit"},
	}
	for name, want := range map[string]int{
		"availability":      1,
		"Availability_Zone": 0,
		"avail":             0,
		"size":              2,
		"si":                3,
		"limit":             3,
		"availability 2":    -1,
		"ability":           -1,
		"":                  -1,
	} {
		if got := findColumn(columns, name); got != want {
			t.Errorf("%q: column %d, want %d", name, got, want)
		}
	}
}

// A filter never hides every row because it is not complete: each text on the way to a filter that matches rows matches
// some, or what is left of it does.
func TestParseTyped_neverHidesRowsOnTheWay(t *testing.T) {
	for _, c := range []struct{ typed, hint string }{
		{"group:web", ""},
		{"!problem", ""},
		{"!e", "no row matches yet"},
		{"size:>10GiB", ""},
		{"size:<500KB", ""},
		{"updated:>2d", ""},
		{"updated:<2026-11-17", ""},
		{"timeout:>=100", ""},
		{`group:"web admins"`, ""},
		{`label:web|said`, ""},
		{`state:problem | state:ok`, ""},
		{"open_issue:>", "compare with a number, 10GiB, 2d or 2026-11-20"},
		{"group:", "web, billing · enter: rows with nothing in it"},
		{"label:", "a word, >1GiB, <2d · enter: rows with nothing in it"},
		{"timeo", `no row has "timeo" · timeout: searches that column`},
		{"grup:", `unknown column "grup"`},
		{"grup:web", `unknown column "grup"`},
		{"grup:web ok", `unknown column "grup"`},
	} {
		said := ""
		start := 1
		if strings.HasPrefix(c.typed, "grup:") { // until the colon it is a word that no row has
			start = len("grup:")
		}
		for end := start; end <= len(c.typed); end++ {
			found, m := matching(ParseTyped(c.typed[:end]))
			rest, less := m.Without(len(found) == 0)
			if less {
				found, _ = matching(rest)
			}
			if len(found) == 0 {
				t.Errorf("%s hides every row", c.typed[:end])
			}
			said = m.Problem() + m.Hint(less)
		}
		if !strings.HasPrefix(said, c.hint) || c.hint == "" && said != "" {
			t.Errorf("%s: %q, want %q", c.typed, said, c.hint)
		}
	}
	if found, m := matching(ParseTyped("nowhere")); len(found) > 0 {
		t.Error("a word that is in no row matches")
	} else if _, less := m.Without(true); less {
		t.Error("a word that is in no row is left out")
	}
}

// The documented forms and values are those that the parser takes.
func TestSyntax_examplesParse(t *testing.T) {
	for _, form := range Syntax {
		if len(Parse(form[0]).groups) == 0 {
			t.Errorf("%s is no filter", form[0])
		}
	}
	for _, form := range Syntax[8:] {
		for i, value := range strings.Split(form[1], "`") {
			value = strings.TrimLeft(value, "<>=")
			if i%2 == 1 && value != "" && parseQuantity(value, night).kind == notComparable {
				t.Errorf("%s cannot be compared", value)
			}
		}
	}
}

func TestParseQuantity(t *testing.T) {
	for text, want := range map[string]string{
		"1,204":                "1204",
		"45 %":                 "45",
		"-3":                   "-3",
		"12.4 GiB":             "13314398617",
		"10 MB/s":              "10000000",
		"10m":                  "10m0s",
		"10M":                  "10000000",
		"2 d 4 h":              "52h0m0s",
		"≥ 2 d 4 h":            "52h0m0s",
		"1.5h":                 "1h30m0s",
		"99999999999999999d":   "1281023h53m38.427387904s",
		"2026-11-20T20:04:00Z": "2026-11-20T20:04:00Z",
		"2026-11-20 21:00":     "2026-11-20T21:00:00+01:00",
		"2026-13-45":           "",
		"24:00":                "",
		"823 · 6 min":          "",
		"inf":                  "",
		"nan":                  "",
		"1e9":                  "",
		"0x10":                 "",
		"":                     "",
		"d":                    "",
		"2 parsecs":            "",
	} {
		q, got := parseQuantity(text, night), ""
		switch q.kind {
		case number:
			got = fmt.Sprintf("%.0f", q.number)
		case span:
			got = q.span.String()
		case moment:
			got = q.from.Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
}

// Words are offered to an index only if every matching row has them.
func TestMatcher_Words(t *testing.T) {
	for filter, want := range map[string]string{
		"web ok":          "[web ok]",
		"Web state:ok":    "[web ok]",
		"web !ok":         "[web]",
		"web size:>1":     "[web]",
		"web|ok db":       "[db]",
		"web | ok":        "[]",
		"grup:x":          "[]",
		"web-1:443":       "[web-1:443]",
		"group: web":      "[web]",
		`"Two Words" web`: "[two words web]",
	} {
		_, m := matching(Parse(filter))
		var got []string
		for _, w := range m.Words() {
			got = append(got, w.Text)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s: %v, want %s", filter, got, want)
		}
	}
	m := Compile(Parse("web ok"), testColumns(rows), night)
	for _, w := range m.Words() {
		m.Found(w)
	}
	if !m.MatchesAll() || Compile(Parse("web !ok"), testColumns(rows), night).MatchesAll() {
		t.Error("MatchesAll does not know what is left to test")
	}
}

func TestContainsFold(t *testing.T) {
	for _, c := range []struct {
		text, word string
		want       bool
	}{
		{"Web-01", "web", true},
		{"WEB", "web-", false},
		{"", "a", false},
		{"abab", "abb", false},
		{"aaab", "aab", true},
		{"GRÜN", "grün", true},
		{"\u212a", "k", true},
		{"x", "ü", false},
		{"x", "", true},
	} {
		if got := containsFold(c.text, c.word); got != c.want {
			t.Errorf("%q holds %q: %v", c.text, c.word, got)
		}
	}
}

// FuzzParse types a filter: it never fails, its end always counts or is named, and what is quoted is found.
func FuzzParse(f *testing.F) {
	for _, form := range Syntax {
		f.Add(form[0])
	}
	f.Add("grup:web !state:problem|\"two words\" | size:>=1.5GiB \"open issue\":=\"a\\\"")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1000 {
			return
		}
		for _, parse := range []func(string) Expression{Parse, ParseTyped} {
			found, m := matching(parse(text))
			m.Words()
			m.MatchesAll()
			_ = m.Hint(true) + m.Hint(false) + m.Problem()
			if rest, less := m.Without(len(found) == 0); less {
				_, m := matching(rest)
				if m.Problem() != "" {
					t.Errorf("%q: what is left has a problem: %s", text, m.Problem())
				}
			}
		}
		quoted := `"` + strings.ReplaceAll(text, `"`, `\"`) + `"`
		hidden := []row{slices.Repeat(row{""}, len(titles))}
		hidden[0][1] = "<" + text + ">"
		columns := testColumns(hidden)[1:2]
		columns[0].Text = func(int32) string { return hidden[0][1] }
		if !strings.HasSuffix(text, `\`) && !strings.Contains(text, `\"`) &&
			!Compile(Parse(quoted), columns, night).Match(0) {
			t.Errorf("%s is not found in %s", quoted, hidden[0][1])
		}
	})
}

// BenchmarkMatcher tests 100,000 rows.
func BenchmarkMatcher(b *testing.B) {
	many := make([]row, 100_000)
	for i := range many {
		many[i] = rows[i%len(rows)]
	}
	columns := testColumns(many)
	for _, filter := range []string{
		"nowhere", "web ok", "web ok | billing problem", "!web", "state:problem|disabled", "timeout:>10", "size:>10GiB",
		"updated:<2d", "updated:>2026-11-17", "group:",
	} {
		b.Run(filter, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m := Compile(Parse(filter), columns, night)
				for i := range many {
					m.Match(int32(i))
				}
			}
		})
	}
}
