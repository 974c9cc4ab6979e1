package client

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"lookout/client/faulttest"
)

// listings are answers of a listing: recorded ones where they lie beside the project, and others that try the reader.
func listings(t testing.TB) []string {
	row := `{"name":"a/b.txt","etag":"d41d8cd98f00b204e9800998ecf8427e","last_modified":"2024-02-29T01:02:03.450Z",` +
		`"owner":"me","size":17}`
	texts := []string{
		`{"data":[],"is_truncated":false,"next_marker":null}`,
		" \t{ \"data\" : [ " + row + " , " + row + " ] , \"is_truncated\" : true , \"next_marker\" : \"a\" } \n",
		`{"is_truncated":true,"next_marker":5,"data":[]}`,
		`{"next_marker":"x","is_truncated":false,"data":[]}`,
		`{"is_truncated":"true","data":[],"next_marker":"n"}`,
		`{"data":null}`,
		`{"data":{}}`,
		`{"DATA":[]}`,
		`{}`,
		`null`,
		`[]`,
		`{"data":[null]}`,
		`{"data":[[]]}`,
		`{"data":[{}]}`,
		`{"data":[],"data":[{"name":"x"}]}`,
		`{"data":[{"name":"a","owner":"Ann"},{"name":"b","owner":"ann"},{"name":"c","owner":"ann"}]}`,
		`{"data":[{"name":"a"}]`,
		`{"data":[{"name":"a"},]}`,
		`{"data":[{"name":"a",}]}`,
		`{"data":[{"name":"a"} {"name":"b"}]}`,
		`{"data":[]}x`,
		`{"data":[],}`,
		`{"data":[]} {}`,
	}
	for _, member := range []string{
		`"name":"folder/","etag":null,"last_modified":null,"owner":null,"size":null`, `"size":1.5`, `"size":1e3`,
		`"size":-1`, `"size":-0`, `"size":01`, `"size":"7"`, `"size":9223372036854775807`, `"size":9223372036854775808`,
		`"size":99999999999999999999`, `"size":true`, `"size":`, `"size":0`, `"size":00`, `"name":7`, `"name":[]`,
		`"name":"é\u00e9\ud83d\ude00\ud83d"`, `"name":"a\nb\"\\\/"`, `"name":"\x"`, `"name":"\u12"`,
		"\"name\":\"\xff\\u0041\xfe\"", "\"name\":\"a\nb\"", "\"name\":\"\x7f\xc3\"", `"name":"a`, `"na\u006de":"x"`,
		`"Name":"x"`, `"name":"x","name":null`, `"name":"x","name":"y"`, `"more":{"a":[1,{"b":null}]},"name":"x"`,
		`"more":[],"name":"x"`, `"more":-1.5e7`, `"more":"\q"`, `"more":"\n"`, `"more":nul`, `"more":truex`,
		`"more":false`, `"etag":"D41D8CD98F00B204E9800998ECF8427E"`, `"etag":"d41d8cd98f00b204e9800998ecf8427e-12"`,
		`"etag":"d41d8cd98f00b204e9800998ecf8427e-012"`, `"etag":"d41d8cd98f00b204e9800998ecf8427e-65536"`,
		`"etag":"\"quoted\""`, `"etag":""`, `"etag":"x"`, `"last_modified":"2024-02-30T01:02:03"`,
		`"last_modified":"2023-02-29T01:02:03"`, `"last_modified":"1900-02-29T01:02:03"`,
		`"last_modified":"2000-02-29T23:59:59"`, `"last_modified":"2024-01-01T24:00:00"`,
		`"last_modified":"2024-01-01T00:00:60"`, `"last_modified":"2024-01-01T01:02:03.4Z"`,
		`"last_modified":"2024-01-01T01:02:03+02:00"`, `"last_modified":"0001-01-01T00:00:00"`,
		`"last_modified":"0000-12-31T00:00:00"`, `"last_modified":"9999-12-31T23:59:59.999Z"`,
		`"last_modified":"2024-01-01"`, `"last_modified":"soon"`, `"last_modified":""`, `"last_modified":5`,
		`"owner":false`,
	} {
		texts = append(texts, `{"data":[{`+member+`},`+row+`],"is_truncated":true,"next_marker":"\u0061"}`)
	}
	for _, x := range faulttest.Recordings(t, "shared/api/recorded/object-storage") {
		if strings.Contains(x.Name, "object-list") {
			texts = append(texts, string(x.Body))
		}
	}
	return texts
}

// decodeSlow decodes a listing as other answers are decoded.
func decodeSlow(body []byte) (ObjectPage, error) {
	var p ObjectPage
	body = trimBody(body)
	if !json.Valid(body) && !validExceptUTF8(body) {
		return p, fmt.Errorf("no valid JSON")
	}
	err := p.UnmarshalJSON(body)
	return p, err
}

// The fast decoder returns what the slow one returns, and accepts nothing that the slow one refuses.
func checkFastDecode(t *testing.T, body []byte) {
	var quick ObjectPage
	if !quick.decodeFast(trimBody(body)) {
		return
	}
	long, err := decodeSlow(body)
	if err != nil {
		t.Errorf("%q is taken; the long way says %v", body, err)
	} else if !reflect.DeepEqual(quick, long) {
		t.Errorf("%q is read as\n%+v, the long way as\n%+v", body, quick, long)
	}
}

func TestObjectPage_decodeFast(t *testing.T) {
	for _, body := range listings(t) {
		checkFastDecode(t, []byte(body))
		for cut := range len(body) {
			var p ObjectPage
			if rest := strings.TrimSpace(body[:cut]); rest != strings.TrimSpace(body) && p.decodeFast([]byte(rest)) &&
				!json.Valid([]byte(rest)) {
				t.Errorf("a cut answer is taken: %q", rest)
			}
		}
	}
}

// No text that is not JSON is taken for an answer: a name or a value is missing, or a text has no end.
func TestObjectPage_decodeFast_notJSON(t *testing.T) {
	for _, body := range []string{
		`{"data":[{"name":}],"is_truncated":false,"next_marker":null}`,
		`{"data":[{"name":,"size":1}],"is_truncated":false,"next_marker":null}`,
		`{"data":[{:"a"}],"is_truncated":false,"next_marker":null}`,
		`{"data":[{"name":"a","etag":}],"is_truncated":false,"next_marker":null}`,
		`{"data":[{"name":"a"}],"is_truncated":false,"next_marker":}`,
		`{"data":[{"name":"a}],"is_truncated":false,"next_marker":null}`,
		`{"data":[{"name":"a\"}],"is_truncated":false,"next_marker":null}`,
	} {
		var p ObjectPage
		if p.decodeFast([]byte(body)) {
			t.Errorf("%s is taken: %+v", body, p)
		}
	}
}

// The usual answers are decoded by the fast decoder.
func TestObjectPage_decodeFast_usualListings(t *testing.T) {
	for _, body := range []string{string(listingBody(0, 500, true)), listings(t)[1], `{"data":[{"name":"f/",` +
		`"etag":null,"last_modified":null,"owner":null,"size":null}],"is_truncated":false,"next_marker":null}`,
		`{"data":[{"name":"gr\u00fc\u00dfe","size":0,"new":"x","count":7,"old":false}],"is_truncated":true,` +
			`"next_marker":"x"}`, "{\"data\":[{\"name\":\"\xff\"}]}"} {
		var p ObjectPage
		if !p.decodeFast([]byte(strings.TrimSpace(body))) {
			t.Errorf("read the long way: %.200s", body)
		}
	}
	long, err := decodeSlow(listingBody(0, 500, true))
	if err != nil || long.Data[499].Name.Raw() != rowName(499) || long.NextMarker == "" {
		t.Errorf("%+v, %v", long.Data[499], err)
	}
}

func FuzzQuickListing(f *testing.F) {
	for _, body := range listings(f) {
		f.Add([]byte(body))
	}
	f.Fuzz(checkFastDecode)
}

// A timestamp keeps its text.
func FuzzQuickTime(f *testing.F) {
	for _, s := range []string{
		"2024-02-29T01:02:03", "2023-02-29T01:02:03", "2024-12-31T23:59:59.999Z", "0004-02-29T00:00:00",
		"1969-12-31T23:59:59.999Z", "2024-13-01T00:00:00", "2024-1-01T000:00:00", "2100-03-01T00:00:00",
		"1600-02-29T00:00:00",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got := parseTime(s).Raw().Raw(); got != s {
			t.Errorf("%q became %q", s, got)
		}
	})
}

// An ETag keeps its text.
func FuzzETag(f *testing.F) {
	for _, s := range []string{
		"", "d41d8cd98f00b204e9800998ecf8427e", "D41D8CD98F00B204E9800998ECF8427E",
		"d41d8cd98f00b204e9800998ecf8427e-7", "d41d8cd98f00b204e9800998ecf8427e-65536",
		"d41d8cd98f00b204e9800998ecf8427e-07", "d41d8cd98f00b204e9800998ecf8427e-+7",
		"d41d8cd98f00b204e9800998ecf8427e-", "d41d8cd98f00b204e9800998ecf8427ex7",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got := NewETag(s); got.Raw() != s || got.IsZero() != (s == "") {
			t.Errorf("%q became %q", s, got.Raw())
		}
	})
}

// rowName returns a name of 40 to 60 bytes; names increase with i.
func rowName(i int) string {
	return fmt.Sprintf(
		"2026/%02d/%02d/service-%03d/%09d-%s.log", i/100_000%12+1, i/3000%33, i/100%1000, i,
		"abcdefghijklmnop"[:i*7%17],
	)
}

func listingBody(from, n int, more bool) []byte {
	b := []byte(`{"data":[`)
	for i := from; i < from+n; i++ {
		if i > from {
			b = append(b, ',')
		}
		b = fmt.Appendf(
			b,
			`{"etag":"%032x","last_modified":"2026-%02d-%02dT01:02:%02d.123Z","name":%q,`+
				`"owner":"9d6e1c5a-0b7f-4d0e-8c55-1f2e3d4c5b6a","size":%d}`,
			uint64(i)*0x9e3779b97f4a7c15,
			i%12+1,
			i%28+1,
			i%60,
			rowName(i),
			i*977%1_000_003,
		)
	}
	return fmt.Appendf(b, `],"is_truncated":%v,"next_marker":%q}`, more, rowName(from+n-1))
}

// BenchmarkDecodeObjects decodes one page of 500 objects with the fast and the slow decoder.
func BenchmarkDecodeObjects(b *testing.B) {
	body := listingBody(0, pageSize, true)
	for name, read := range map[string]func() error{
		"quick": func() error { var p ObjectPage; return decode(body, &p) },
		"long":  func() error { _, err := decodeSlow(body); return err },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if err := read(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/pageSize, "ns/object")
		})
	}
}

// BenchmarkDecodePages reads pages of 500 services and contacts.
func BenchmarkDecodePages(b *testing.B) {
	rows := func(row string) []byte {
		return []byte(
			`{"data":[` + strings.TrimSuffix(
				strings.Repeat(row+",", pageSize), ",",
			) + `],"page":1,"pages":1,"results":500}`,
		)
	}
	services := rows(
		`{"id":7,"label":"billing-api","service_type":"tcp","address":"db2.acme.net:5432","timeout":10,"body":null,` +
			`"consultation_group":"billing","credentials":[31],"notes":"restart postgres","region":null,` +
			`"status":"ok","created":"2024-01-02T03:04:05","updated":"2024-01-02T03:04:05"}`,
	)
	contacts := rows(
		`{"id":7,"name":"Ada Wong","email":"ada@acme.net","group":"billing","phone":{"primary":"+1 555 0100",` +
			`"secondary":null},"updated":"2024-01-02T03:04:05"}`,
	)
	b.Run("services", func(b *testing.B) { benchmarkPage[*Service](b, services) })
	b.Run("again", func(b *testing.B) {
		m := newResponseCache()
		b.ReportAllocs()
		for b.Loop() {
			var p Page[*Service]
			if err := decodeCached(m, "list services", services, &p); err != nil || len(p.Data) != pageSize {
				b.Fatal(err)
			}
		}
	})
	b.Run("contacts", func(b *testing.B) { benchmarkPage[*Contact](b, contacts) })
}

func benchmarkPage[T any](b *testing.B, body []byte) {
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		var p Page[T]
		if err := decode(body, &p); err != nil || len(p.Data) != pageSize {
			b.Fatal(err)
		}
	}
}

// Both decoders distinguish an unknown size from 0, and so does the output of scripts.
func TestObject_unknownSize(t *testing.T) {
	entry := func(size string) []byte {
		return []byte(
			`{"data":[{"name":"o","etag":"` + strings.Repeat(
				"a", 32,
			) + `"` + size + `},{"name":"p/","etag":null,"owner":null,"last_modified":null,"size":null}],` +
				`"is_truncated":false}`,
		)
	}
	for text, want := range map[string]int64{
		`,"size":7`:                    7,
		`,"size":0`:                    0,
		`,"size":null`:                 UnknownSize,
		``:                             UnknownSize,
		`,"size":-7`:                   UnknownSize,
		`,"size":"7"`:                  UnknownSize,
		`,"size":7e0`:                  UnknownSize,
		`,"size":99999999999999999999`: UnknownSize,
	} {
		faulttest.RunCase(t, "D3", text, func(t *testing.T) {
			checkFastDecode(t, entry(text))
			var p ObjectPage
			if err := decode(entry(text), &p); err != nil || p.Data[0].Size != want || p.Data[1].Size != 0 {
				t.Fatalf("%+v, %v", p, err)
			}
			printed, err := json.Marshal(p.Data[0])
			if shown := `"size":` + map[bool]string{true: "null", false: fmt.Sprint(want)}[want < 0]; err != nil ||
				!strings.Contains(string(printed), shown) {
				t.Errorf("%s, %v", printed, err)
			}
		})
	}
}

// AppendJSON encodes an entry as encoding/json encodes its members, whatever is in them.
func TestObject_AppendJSON_asEncodingJSON(t *testing.T) {
	texts := []string{
		"", "plain", `a "quoted" \ text`, "<b>&amp;</b>", "日本 é \u202e\u2028", "\x1b\x00\x7f\xff", "two\n\tlines",
		"2026-11-20", "2026-11-20T02:11:00", "2026-11-20T02:11:00.125Z", "0123456789abcdef0123456789abcdef-3",
	}
	for _, text := range texts {
		for _, size := range []int64{UnknownSize, 0, 1 << 40} {
			for _, o := range []Object{
				{Name: NewText(text), Size: size},
				{Name: NewText("a"), ETag: NewETag(text), Size: size},
				{Name: NewText(text), ETag: NewETag("x"), Modified: parseTime(text), Owner: NewText(text), Size: size},
			} {
				told := struct {
					Name     ServerText  `json:"name"`
					ETag     *ETag       `json:"etag"`
					Modified *Timestamp  `json:"last_modified"`
					Owner    *ServerText `json:"owner"`
					Size     *int64      `json:"size"`
				}{Name: o.Name}
				if !o.IsPrefix() {
					told.ETag, told.Modified, told.Owner = &o.ETag, &o.Modified, &o.Owner
					if o.Size >= 0 {
						told.Size = &o.Size
					}
				}
				want, err := json.Marshal(told)
				if got, _ := json.Marshal(o); err != nil || string(got) != string(want) {
					t.Errorf("%v: got %s, want %s", err, got, want)
				}
			}
		}
	}
}
