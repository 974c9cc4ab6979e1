package resource

import (
	"errors"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
)

// fakeList is a list that was read to a given point.
type fakeList struct {
	f        ui.Freshness
	complete bool
	missing  []string
	n, total int
}

var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func (l fakeList) Name() string            { return "services" }
func (l fakeList) Now() time.Time          { return now }
func (l fakeList) Freshness() ui.Freshness { return l.f }
func (l fakeList) Complete() bool          { return l.complete }
func (l fakeList) Missing() []string       { return l.missing }
func (l fakeList) Len() int                { return l.n }
func (l fakeList) Total() int              { return l.total }

func TestStateOf(t *testing.T) {
	failed := errors.New("broken")
	denied := &client.Error{Status: 401, TokenScopes: "domains:read_only", RequiredScope: "account:read_only"}
	for _, c := range []struct {
		name string
		list fakeList
		kind ReadState
		text string
	}{
		{"nobody asked", fakeList{}, NotRead, "services: not read yet"},
		{"first read", fakeList{f: ui.Freshness{Loading: true}}, Reading, "services: being read"},
		{"first pages", fakeList{f: ui.Freshness{Loading: true}, n: 500, total: 1200}, Partial, "services: 500 of 1"},
		{"first read failed", fakeList{f: ui.Freshness{Err: failed}}, Failed, "services: failed · r retries"},
		{
			"cut off",
			fakeList{f: ui.Freshness{Err: failed}, n: 5, total: 9},
			Partial,
			"services: 5 of 9 read · failed · r retries",
		},
		{
			"refresh failed",
			fakeList{f: ui.Freshness{Err: failed, Loaded: true, LoadedAt: now.Add(-3 * time.Minute)}, complete: true},
			Failed,
			"services: failed · as of 3 min ago · r retries",
		},
		{"refused", fakeList{f: ui.Freshness{Err: denied}}, Denied, "services: needs the scope account:read_only"},
		{
			"a part is missing",
			fakeList{f: ui.Freshness{Loaded: true}, complete: true, missing: []string{"us-east did not respond"}},
			Partial,
			"services: us-east did not respond · r retries",
		},
		{"whole", fakeList{f: ui.Freshness{Loaded: true}, complete: true}, Known, ""},
		{"whole, read again", fakeList{f: ui.Freshness{Loaded: true, Loading: true}, complete: true}, Known, ""},
	} {
		s := StateOf(c.list)
		if text := s.String(); s.Kind != c.kind || !strings.HasPrefix(text, c.text) || text != "" && c.text == "" {
			t.Errorf("%s: kind %d, %q; want kind %d, %q", c.name, s.Kind, text, c.kind, c.text)
		}
	}
}

// lines keeps what List writes.
type lines []string

func (l *lines) Paragraph(text string, _ theme.Tone) { *l = append(*l, text) }

// Only a known join is described by its rows alone, or as empty.
func TestJoined_texts(t *testing.T) {
	known := JoinState{Kind: Known}
	unread, partial := JoinState{Of: "keys"}, JoinState{Of: "keys", Kind: Partial, Read: 2, Total: 9}
	for _, c := range []struct {
		j                        Joined[string]
		list, names, count, cell string
	}{
		{Join([]string{"a", "b"}, known), "a|b", "a, b", "2 keys", "a+b"},
		{Join[string](nil, known), "none", "none", "none", ""},
		{Join[string](nil, unread), "keys: not read yet", "keys: not read yet", "keys: not read yet", "…"},
		{
			Join([]string{"a", "b"}, partial),
			"a|b|keys: 2 of 9 read",
			"a, b (keys: 2 of 9 read)",
			"2 keys (keys: 2 of 9 read)",
			"a+b ?",
		},
	} {
		var written lines
		List(&written, c.j, func(s string) { written = append(written, s) }, "none")
		names := Names(c.j, strings.ToLower, "none")
		count := Count(c.j, "key", "keys", "none")
		cell := Cell(c.j, "…", func(rows []string) string { return strings.Join(rows, "+") })
		if got := strings.Join(written, "|"); got != c.list || names != c.names || count != c.count || cell != c.cell {
			t.Errorf("%q, %q, %q, %q; want %q, %q, %q, %q", got, names, count, cell, c.list, c.names, c.count, c.cell)
		}
	}
}

// A join over several lists is known only if all of them are, and holds each row once.
func TestFlatMap(t *testing.T) {
	known, unread := JoinState{Kind: Known}, JoinState{Of: "contacts"}
	services := Join([]string{"web", "api"}, known)
	people := map[string]Joined[string]{"web": Join([]string{"ada"}, known), "api": Join([]string{"ada", "ben"}, known)}
	of := func(service string) Joined[string] { return people[service] }
	if all := FlatMap(services, of); all.State().Kind != Known || strings.Join(Found(all), " ") != "ada ben" {
		t.Errorf("%+v; want ada and ben, known", all)
	}
	people["api"] = Join[string](nil, unread)
	if all := FlatMap(services, of); all.State().Of != "contacts" || len(Found(all)) != 1 {
		t.Errorf("%+v; want ada, and contacts that are not read", all)
	}
}
