package join

import (
	"errors"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/lists"
)

// fakeList is a list that was read to a given point.
type fakeList struct {
	f        lists.Freshness
	complete bool
	missing  []string
	n, total int
}

var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func (l fakeList) Name() string               { return "services" }
func (l fakeList) Now() time.Time             { return now }
func (l fakeList) Freshness() lists.Freshness { return l.f }
func (l fakeList) Complete() bool             { return l.complete }
func (l fakeList) Missing() []string          { return l.missing }
func (l fakeList) Len() int                   { return l.n }
func (l fakeList) Total() int                 { return l.total }

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
		{"first read", fakeList{f: lists.Freshness{Loading: true}}, Reading, "services: being read"},
		{
			"first pages",
			fakeList{f: lists.Freshness{Loading: true}, n: 500, total: 1200},
			Partial,
			"services: 500 of 1",
		},
		{"first read failed", fakeList{f: lists.Freshness{Err: failed}}, Failed, "services: failed · r retries"},
		{
			"cut off",
			fakeList{f: lists.Freshness{Err: failed}, n: 5, total: 9},
			Partial,
			"services: 5 of 9 read · failed · r retries",
		},
		{
			"refresh failed",
			fakeList{
				f:        lists.Freshness{Err: failed, Loaded: true, LoadedAt: now.Add(-3 * time.Minute)},
				complete: true,
			},
			Failed,
			"services: failed · as of 3 min ago · r retries",
		},
		{"refused", fakeList{f: lists.Freshness{Err: denied}}, Denied, "services: needs the scope account:read_only"},
		{
			"a part is missing",
			fakeList{f: lists.Freshness{Loaded: true}, complete: true, missing: []string{"us-east did not respond"}},
			Partial,
			"services: us-east did not respond · r retries",
		},
		{"whole", fakeList{f: lists.Freshness{Loaded: true}, complete: true}, Known, ""},
		{"whole, read again", fakeList{f: lists.Freshness{Loaded: true, Loading: true}, complete: true}, Known, ""},
	} {
		s := StateOf(c.list)
		if text := s.String(); s.Kind != c.kind || !strings.HasPrefix(text, c.text) || text != "" && c.text == "" {
			t.Errorf("%s: kind %d, %q; want kind %d, %q", c.name, s.Kind, text, c.kind, c.text)
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
