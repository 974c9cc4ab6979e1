package client_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/objectindex"
)

const million = 1_000_000

// millionPages are a million objects in 2,000 answers that are made beforehand; the marker is the number of the page.
func millionPages() (pages [][]byte) {
	const size = 500
	for from := 0; from < million; from += size {
		b := []byte(`{"data":[`)
		for i := from; i < from+size; i++ {
			if i > from {
				b = append(b, ',')
			}
			b = fmt.Appendf(
				b,
				`{"etag":"%032x","last_modified":"2026-%02d-%02dT01:02:%02d.123Z",`+
					`"name":"logs/2026/%02d/service-%03d/%09d.log.gz",`+
					`"owner":"9d6e1c5a-0b7f-4d0e-8c55-1f2e3d4c5b6a","size":%d}`,
				uint64(i)*0x9e3779b97f4a7c15,
				i%12+1,
				i%28+1,
				i%60,
				i/90_000+1,
				i/100%1000,
				i,
				i*977%1_000_003,
			)
		}
		marker := `null`
		if from+size < million {
			marker = strconv.Quote(strconv.Itoa(len(pages) + 1))
		}
		pages = append(pages, fmt.Appendf(b, `],"is_truncated":%v,"next_marker":%s}`, marker != "null", marker))
	}
	return pages
}

var markerPattern = regexp.MustCompile(`"next_marker":"([^"]*)"`)

// readAndDiscard goes through a listing with nothing but an HTTP client, and is the baseline of all others.
func readAndDiscard(b *testing.B, c *http.Client, address string) (bytes int64) {
	for marker, more := "", true; more; {
		req, err := http.NewRequestWithContext(
			b.Context(), "GET", address+"?page_size=500&marker="+url.QueryEscape(marker), nil,
		)
		if err != nil {
			b.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		res, err := c.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != 200 {
			b.Fatal(res.Status, err)
		}
		bytes += int64(len(body))
		found := markerPattern.FindSubmatch(body[max(0, len(body)-200):])
		if more = found != nil; more {
			marker = string(found[1])
		}
	}
	return bytes
}

// BenchmarkListMillion lists a million objects into an index, and reports how long that takes beside reading and
// throwing away the same answers in the same run: through a socket from answers made beforehand, and from the emulator
// without one.
func BenchmarkListMillion(b *testing.B) {
	b.Run("socket", func(b *testing.B) {
		pages := millionPages()
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n, _ := strconv.Atoi(r.URL.Query().Get("marker"))
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", strconv.Itoa(len(pages[n])))
			_, _ = w.Write(pages[n])
		}))
		defer server.Close()
		c, err := client.New(server.URL+"/v4", client.NewSecret(token))
		if err != nil {
			b.Fatal(err)
		}
		compareWithFloor(b, c, http.DefaultClient, server.URL)
	})
	b.Run("emulator", func(b *testing.B) {
		e := emulator.New(emulator.Options{Token: token, Seed: "large"})
		c, err := client.New("https://api.example.test/v4", client.NewSecret(token), client.WithTransport(e))
		if err != nil {
			b.Fatal(err)
		}
		compareWithFloor(b, c, &http.Client{Transport: e}, "https://api.example.test")
	})
}

func compareWithFloor(b *testing.B, c *client.Client, bare *http.Client, base string) {
	q := client.ObjectQuery{Cluster: "us-east-1", Bucket: "million"}
	var baseline, list, count time.Duration
	for b.Loop() {
		at := time.Now()
		readAndDiscard(b, bare, base+"/v4/object-storage/buckets/us-east-1/million/object-list")
		baseline += time.Since(at)
		at = time.Now()
		shelf := objectindex.New()
		for page, err := range c.Objects.Pages(b.Context(), q) {
			if err != nil {
				b.Fatal(err)
			}
			shelf.Append(page.Rows())
		}
		if shelf.Len() != million {
			b.Fatal(shelf.Len())
		}
		list += time.Since(at)
		at = time.Now()
		if base != "https://api.example.test" {
			continue
		}
		if sum, err := objectindex.Count(b.Context(), c.Objects, q, nil); err != nil || sum.Objects != million {
			b.Fatal(sum, err)
		}
		count += time.Since(at)
	}
	b.ReportMetric(float64(baseline.Milliseconds())/float64(b.N), "baseline-ms")
	b.ReportMetric(float64(list.Milliseconds())/float64(b.N), "list-ms")
	b.ReportMetric(float64(list)/float64(baseline), "list/baseline")
	if count > 0 {
		b.ReportMetric(float64(count.Milliseconds())/float64(b.N), "count-ms")
	}
}
