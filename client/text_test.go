package client

import (
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"lookout/client/faulttest"
	"lookout/client/visible"
)

// maxSeedLen is the longest of the strings that are tried one by one, in bytes: longer ones are the bombs of other
// tests.
const maxSeedLen = 1 << 17

func seeds(t testing.TB) []string {
	texts := []string{
		"",
		"plain",
		"\x1b[2J",
		"\x1b]0;x\a",
		"\u009b31m",
		"a\rb",
		"\u202eb",
		"a\u200bb",
		"‹",
		"‹‹›",
		"‹U+202E›",
		"‹x9B›",
		"\x9b",
		"é",
		"e\u0301",
		"👩\u200d💻",
		"a\u200db",
		"\u3164",
		"\u00a0",
		"⚠\ufe0f",
		"␛",
		"\u2028",
		strings.Repeat("e\u0301\u0301\u0301\u0301\u0301", 3),
	}
	if set := flag.Lookup("test.fuzz"); set != nil && set.Value.String() != "" {
		return texts // a thousand seeds would take all the time that there is for fuzzing
	}
	for _, s := range faulttest.HostileStrings(t, "J1") {
		if len(s) <= maxSeedLen {
			texts = append(texts, s)
		}
	}
	return texts
}

// unsafeForTerminal says what in a cleaned text must not reach a terminal.
func unsafeForTerminal(s string) string {
	if !utf8.ValidString(s) {
		return "invalid UTF-8"
	}
	before := rune(0)
	for _, r := range s {
		emoji := r == 0x200d && (before >= 0x2600 || before == 0xfe0f)
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) && !emoji {
			return fmt.Sprintf("%U", r)
		}
		before = r
	}
	return ""
}

func TestText_String_safeAndUnique(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, raw := range seeds(t) {
		shown := NewText(raw).String()
		if what := unsafeForTerminal(shown); what != "" {
			t.Errorf("%q is shown with %s: %q", raw, what, shown)
		}
		if other, taken := seen[shown]; taken && other != raw {
			t.Errorf("%q and %q look alike: %q", raw, other, shown)
		}
		seen[shown] = raw
	}
}

// Characters that could pass for the program's own, or that nobody can see, are written in marks.
func TestClean(t *testing.T) {
	for raw, want := range map[string]string{
		"plain":                     "plain",
		"é日本":                       "é日本",
		"✓ done":                    "‹✓› done",
		"a‹b›":                      "a‹‹›b›",
		"│":                         "‹│›",
		"\x1b[2J":                   "‹␛›[2J",
		"\u202eb":                   "‹U+202E›b",
		"\x9b":                      "‹x9B›",
		"e\u0301":                   "é‹NFD›",
		"\u0301e":                   "‹U+0301›e",
		"x\u0301\u0301\u0301\u0301": "x\u0301\u0301\u0301‹U+0301›",
		"👩\u200d💻":                  "👩\u200d💻",
		"a\u200db":                  "a‹U+200D›b",
		"☀\u200d➿\u200d🀀":           "☀\u200d➿\u200d🀀", // the ends of the emoji
		"⟀\u200d☀":                  "⟀‹U+200D›☀",
	} {
		if got := Clean(raw); got != want {
			t.Errorf("%q is shown as %q, want %q", raw, got, want)
		}
	}
}

// Where a text looks like what a person would rather type, it is shown how it differs; where it does not, nothing is.
func TestClean_lookalikes(t *testing.T) {
	for raw, want := range map[string]string{
		"cafe\u0301 au lait":     "café‹NFD› au lait",
		"café":                   "café",
		"\u00c5rsrapport":        "Årsrapport",
		"\u212brsrapport":        "‹U+212B›rsrapport",
		"A\u030arsrapport":       "Årsrapport‹NFD›",
		"\u1112\u1161\u11ab.txt": "한‹NFD›.txt",
		"한.txt":                  "한.txt",
		"é and e\u0301é":         "é and e‹U+0301›é",
		"p\u0430yments":          "p‹U+0430›yments",
		"payments":               "payments",
		"\u0430":                 "‹U+0430›",
		"\u0430.txt":             "‹U+0430›.txt",
		"\u0441\u043e\u0440":     "‹U+0441›‹U+043E›‹U+0440›",
		"отчёт за май.xlsx":      "отчёт за май.xlsx",
		"звонить с 9, а потом":   "звонить с 9, а потом",
		"п\u0061роль":            "п‹U+0061›роль",
		"αβγ":                    "αβγ",
		"Ελλάδα":                 "Ελλάδα",
		"\u039fps":               "‹U+039F›ps",
		"10 kΩ, 5 µs":            "10 kΩ, 5 µs",
		"10 k\u2126":             "10 k‹U+2126›",
		"a\u2010b":               "a‹U+2010›b",
		"a\u2215b":               "a‹U+2215›b",
		"9–17 Uhr":               "9–17 Uhr",
		"name ":                  "name‹space›",
		"  name":                 "‹2 spaces›name",
		" ":                      "‹space›",
		"two words":              "two words",
		"\u00c5 ":                "Å‹space›",
		"‹NFD›":                  "‹‹›NFD›",
	} {
		if got := Clean(raw); got != want {
			t.Errorf("%q is shown as %q, want %q", raw, got, want)
		}
		if got := NewText(raw).String(); got != want {
			t.Errorf("%q from a server is shown as %q, want %q", raw, got, want)
		}
	}
	if text := "cafe\u0301, p\u0430yments "; CleanContent(text) != text {
		t.Errorf("the content of an object is shown as %q", CleanContent(text))
	}
}

func FuzzClean(f *testing.F) {
	faulttest.ReportCase(f, "J1", "FuzzClean")
	for _, s := range seeds(f) {
		f.Add(s, s+"x")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if what := unsafeForTerminal(Clean(a)); what != "" {
			t.Errorf("%q is shown with %s", a, what)
		}
		if a != b && Clean(a) == Clean(b) && !visible.MayHoldKey(a) {
			t.Errorf("%q and %q look alike", a, b)
		}
	})
}

// A text from JSON keeps its bytes, whatever they are.
func TestText_UnmarshalJSON_keepsBytes(t *testing.T) {
	for in, raw := range map[string]string{
		`"a"`:                           "a",
		`null`:                          "",
		`"a\nb"`:                        "a\nb",
		"\"\xff\\u0041\xfe\"":           "\xffA\xfe",
		`"😀"`:                           "😀",
		"\"\xff\\n\"":                   "\xff\n",
		"\"\xff\\u0041\\n\"":            "\xffA\n",
		"\"\xff\\ud83d\\ude00\"":        "\xff😀",
		"\"\xff\\u0041\"":               "\xffA",
		"\"\xff\\u0041\xfebcdefghijk\"": "\xffA\xfebcdefghijk",
	} {
		var text ServerText
		if err := text.UnmarshalJSON([]byte(in)); err != nil || text.Raw() != raw {
			t.Errorf("%q is read as %q, %v", in, text.Raw(), err)
		}
	}
	for in, kind := range map[string]string{
		`1`:    "a number",
		`{}`:   "an object",
		`[]`:   "a list",
		`true`: "a switch",
		``:     "nothing",
	} {
		var text ServerText
		if err := text.UnmarshalJSON([]byte(in)); err == nil || err.Error() != "text was expected, not "+kind {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func TestSecret_neverPrinted(t *testing.T) {
	const canary = "canary-5ecret"
	s := NewSecret(canary)
	body, err := json.Marshal(map[string]any{"a": s, "b": CredentialRequest{Password: s}})
	if err != nil {
		t.Fatal(err)
	}
	shown := string(body) + s.String() + slog.AnyValue(s).String()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T"} {
		shown += fmt.Sprintf(verb, s) + fmt.Sprintf(verb, CredentialRequest{Password: s}) + fmt.Sprintf(
			verb, &CredentialLoginUpdate{Password: s},
		)
	}
	if strings.Contains(shown, canary) || strings.Contains(shown, hex.EncodeToString([]byte(canary))) {
		t.Errorf("the secret is shown: %s", shown)
	}
	if s.Reveal() != canary {
		t.Error("the secret is lost")
	}
}

// Whatever the header says, the wait is between nothing and a minute.
func FuzzRetryAfter(f *testing.F) {
	faulttest.ReportCase(f, "J3", "FuzzRetryAfter")
	for _, s := range append(
		seeds(f), "7", "3600", "1e18", "-1", "NaN", "Inf", "Fri, 31 Dec 2999 23:59:59 GMT", "1.5", " 7 ",
	) {
		f.Add(s)
	}
	now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string) {
		if d := retryAfter(http.Header{"Retry-After": {s}}, now); d < 0 || d > maxWait {
			t.Errorf("%q waits %v", s, d)
		}
	})
}

// Whatever the segments, a path has exactly as many as its pattern.
func FuzzPaths(f *testing.F) {
	faulttest.ReportCase(f, "J4", "FuzzPaths")
	for _, s := range seeds(f) {
		f.Add(s, "b")
	}
	f.Fuzz(func(t *testing.T, cluster, bucket string) {
		path, err := expandPath("/object-storage/buckets/%s/%s", cluster, bucket)
		if err == nil &&
			(strings.Count(path, "/") != 4 || strings.ContainsAny(path, "?#") || strings.Contains(path, "/.")) &&
			!strings.HasPrefix(bucket, ".") &&
			!strings.HasPrefix(cluster, ".") {
			t.Errorf("%q and %q make %q", cluster, bucket, path)
		}
	})
}

// No answer makes reading panic, and an answer without data is an error.
func FuzzDecode(f *testing.F) {
	faulttest.ReportCase(f, "J2", "FuzzDecode")
	for _, s := range append(
		seeds(f), `{"data":[{"id":1,"label":"x"}],"page":1,"pages":1,"results":1}`, `{"data":null}`, `{"DATA":[]}`,
		`{"data":{"cpu":[{"x":1,"y":2}]}}`, `[]`, `null`,
	) {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var services Page[*Service]
		err := decode(body, &services)
		var object map[string]json.RawMessage
		if err == nil && (json.Unmarshal(body, &object) != nil || len(object["data"]) == 0) {
			if json.Valid(body) {
				t.Errorf("%q passes as a page", body)
			}
		}
		var stats ManagedStats
		_ = decode(body, &stats)
		var objects ObjectPage
		_ = decode(body, &objects)
		var key AccessKey
		_ = decode(body, &key)
		_, _ = parseErrorBody(&response{status: 400, header: http.Header{}, body: body}, nil)
	})
}

// One odd cell spoils that cell, not the page. What is no page is an error that says so.
func TestPage_malformedCell(t *testing.T) {
	var p Page[*Service]
	err := decode(
		[]byte(
			`{"data":[{"id":7,"label":5,"timeout":"x","status":"new","created":"yesterday","extra":{}},{"id":8,`+
				`"label":"fine"}],"page":1,"pages":1,"results":2}`,
		),
		&p,
	)
	if err != nil || len(p.Data) != 2 || p.Data[1].Label.Raw() != "fine" || p.Data[0].ID != 7 {
		t.Fatalf("%+v, %v", p, err)
	}
	if len(p.Warnings) != 2 || p.Data[0].Status != "new" || p.Data[0].Created.Valid() || p.Data[0].Created.IsZero() {
		t.Errorf("odd cells %v, row %+v", p.Warnings, p.Data[0])
	}
	for body, why := range map[string]string{
		`{"page":1}`:             `the field "data" is missing or not a list`,
		`{"data":null}`:          `the field "data" is missing or not a list`,
		`{"DATA":[]}`:            `the field "data" is missing or not a list`,
		`null`:                   "null instead of an object",
		`[]`:                     "a list instead of an object",
		`"x"`:                    "a text instead of an object",
		`7`:                      "a number instead of an object",
		``:                       "nothing instead of an object",
		`{"data":[]} x`:          "invalid JSON",
		`{"data":[null]}`:        "row 1: an object was expected, not null",
		`{"data":["x"]}`:         "row 1: an object was expected, not a text",
		`{"data":[true]}`:        "row 1: an object was expected, not a switch",
		`{"data":[{"id":8},[]]}`: "row 2: an object was expected, not a list",
	} {
		if err := decode([]byte(body), &p); err == nil || err.Error() != why {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// A group of values that is none is one odd cell.
func TestPage_malformedGroup(t *testing.T) {
	var p Page[*Contact]
	err := decode([]byte(`{"data":[{"id":7,"name":"Ada","phone":"+1"}],"page":1,"pages":1,"results":1}`), &p)
	if err != nil || len(p.Data) != 1 || p.Data[0].Name.Raw() != "Ada" {
		t.Fatalf("%+v, %v", p, err)
	}
	if len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "phone") {
		t.Errorf("odd cells %v", p.Warnings)
	}
}

// The value of a point is y, or the key true, or the only other number. A missing value is a gap, never a zero.
func TestStats_samples(t *testing.T) {
	var s ManagedStats
	body := `{"data":{"cpu":[{"x":1716000000000,"y":1.5},{"x":1716000300000,"true":2},{"x":1716000600,"value":3},{` +
		`"x":1716000900000},{"x":1716001200000,"a":1,"b":2},{"x":17160015000000,"y":null}],"disk":"x"}}`
	if err := decode([]byte(body), &s); err != nil || len(s.CPU) != 6 {
		t.Fatalf("%+v, %v", s, err)
	}
	for i, want := range []float64{1.5, 2, 3} {
		if s.CPU[i].Value != want || s.CPU[i].At.Year() != 2024 {
			t.Errorf("point %d: %+v", i, s.CPU[i])
		}
	}
	for _, p := range s.CPU[3:] {
		if p.Value == p.Value {
			t.Errorf("a missing value became %v", p.Value)
		}
	}
	body = `{"data":{"cpu":[{"x":0,"y":1},{"x":1,"y":2}]}}`
	if err := decode([]byte(body), &s); err != nil || len(s.CPU) != 2 || !s.CPU[0].At.Equal(time.Unix(0, 0)) {
		t.Errorf("the beginning of 1970 is %+v, %v", s.CPU, err)
	}
	if err := decode([]byte(`{"data":["Graphs are not yet available."]}`), &s); err != nil || len(s.Unavailable) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}

// A name of plain ASCII is drawn as it is, without a copy.
func TestClean_noAllocation(t *testing.T) {
	name := rowName(7)
	if n := testing.AllocsPerRun(100, func() { name = Clean(name) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkClean(b *testing.B) {
	for name, text := range map[string]string{
		"plain":   rowName(7),
		"letters": "straße/größe-und-länge/öffentlich.txt",
		"hostile": "a\x1b[2J\u202eb\xff/c\u200bd",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Clean(text)
			}
		})
	}
}
