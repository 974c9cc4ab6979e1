package search

import (
	"fmt"
	"strings"
	"testing"
)

func TestNeedle_Fit(t *testing.T) {
	for _, c := range []struct {
		query, text string
		want        MatchScore
	}{
		{"web-1", "web-1", Exact},
		{"WEB-1", "Web-1", Exact},
		{"web", "web-1", WholeStart},
		{"web", "old web", WholeWords},
		{"1 web", "web-1", WholeWords},
		{"we", "web-1", Start},
		{"disable mon", "disable monitoring", Start},
		{"mon", "disable monitoring", WordStart},
		{"mon dis", "disable monitoring", WordStart},
		{"able", "disable monitoring", Inside},
		{"able mon", "disable monitoring", Inside},
		{"web db", "web-1", None},
		{"nowhere", "web-1", None},
		{"48213", "ticket 48213", WholeWords},
		{"#48213", "ticket 48213", WholeWords},
		{"#823", "#823", Exact},
		{"823", "#823", WholeWords},
		{"4821", "ticket 48213", WordStart},
		{"8213", "ticket 48213", Inside},
		{"5550100", "+1 555 0100", WholeWords},
		{"+1 (555) 0100", "+1 555 0100", WholeWords},
		{"001 555 0100", "+1 555 0100", WholeWords},
		{"0555 0100", "+1 555 0100", WholeWords},
		{"1555010", "+1.555.0100", Inside},
		{"5550199", "+1 555 0100", None},
		{"198511", "198.51.100.7", None},
		{"50", "+1 555 0100", None},
		{"550", "+1 555 0100", None},
		{"5501", "+1 555 0100", Inside},
		{"grün", "das GRÜNE", WordStart},
	} {
		if got := New(c.query).Fit(c.text); got != c.want {
			t.Errorf("%q in %q: %d, want %d", c.query, c.text, got, c.want)
		}
	}
}

// One typing error in a word of four letters or more is forgiven, and none in a number.
func TestNeedle_Forgive(t *testing.T) {
	for _, c := range []struct {
		query, text string
		want        MatchScore
	}{
		{"bililng", "billing-api", Misspelt},  // two letters have changed places
		{"biling", "billing-api", Misspelt},   // one too few
		{"billling", "billing-api", Misspelt}, // one too many
		{"bolling", "billing-api", Misspelt},  // another one
		{"illing", "billing-api", Misspelt},
		{"ibilling", "billing-api", Misspelt},
		{"ibll", "billing-api", Misspelt},
		{"dsable web", "disable web-1", Misspelt},
		{"disable wbe", "disable web-1", None}, // three letters
		{"bolilng", "billing-api", None},       // two errors
		{"seach", "docs and search", Misspelt},
		{"48214", "ticket 48213", None},
		{"db22", "db2", None},
		{"grüen", "grün", Misspelt},
		{"gürn", "grün", Misspelt},
		{"conctas", "contacts", None},
		{"contcats", "contacts", Misspelt},
		{"mail", "email", Misspelt},
		{"status-pgae", "status-page", Misspelt},
		{"web-2", "web-1", None},
		{"BILING", "BILLING-API", Misspelt},
		{"contacts", "contat", None}, // the text ends where two letters could change places
		{"--", "web-1", None},
	} {
		q := New(c.query)
		if got := max(q.Fit(c.text), q.Forgive(c.text)); got != c.want && (got < c.want || c.want == None) {
			t.Errorf("%q in %q: %d, want %d", c.query, c.text, got, c.want)
		}
	}
}

// Every text with one edit is forgiven, wherever the edit is.
func TestNeedle_Forgive_everyEdit(t *testing.T) {
	word := "monitoring"
	for i := range word {
		for name, typed := range map[string]string{
			"missing":  word[:i] + word[i+1:],
			"doubled":  word[:i] + word[i:i+1] + word[i:],
			"replaced": word[:i] + "x" + word[i+1:],
			"swapped":  word[:max(0, i-1)] + word[i:i+1] + word[max(0, i-1):i] + word[i+1:],
		} {
			if New(typed).Forgive("disable "+word) != Misspelt {
				t.Errorf("%s (%s at %d) is not forgiven", typed, name, i)
			}
		}
	}
}

// FuzzNeedle compares whatever is typed with whatever a row is called.
func FuzzNeedle(f *testing.F) {
	f.Add("disable web-1", "web-1")
	f.Add("+1 555 0100", "001-555-0100")
	f.Add("grü\xff", "GRÜN")
	f.Fuzz(func(t *testing.T, query, text string) {
		q := New(query)
		fit, forgiven := q.Fit(text), q.Forgive(text)
		if fit > None && fit < Exact && forgiven == None && q.fitPhone(strings.ToLower(text)) == None {
			t.Errorf("%q fits %q, and with errors it does not", query, text)
		}
	})
}

// BenchmarkNeedle looks at 20,000 labels.
func BenchmarkNeedle(b *testing.B) {
	labels := make([]string, 20_000)
	for i := range labels {
		labels[i] = fmt.Sprintf("billing-api-%05d", i)
	}
	q := New("bililng 0077")
	b.Run("fit", func(b *testing.B) {
		for b.Loop() {
			for _, l := range labels {
				q.Fit(l)
			}
		}
	})
	b.Run("forgive", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, l := range labels {
				q.Forgive(l)
			}
		}
	})
}
