package transfer

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/faulttest"
	"lookout/client/journal"
)

// secretCollector collects the secrets of pre-signed URLs.
type secretCollector struct {
	mu   sync.Mutex
	seen []string
}

// collect applies a fault to requests and keeps their secrets.
func (s *secretCollector) collect(
	meet func(*http.Request, http.RoundTripper) (*http.Response, error),
) func(*http.Request, http.RoundTripper) (*http.Response, error) {
	return func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
		s.mu.Lock()
		for name, values := range req.URL.Query() {
			if strings.Contains(name, "Signature") {
				s.seen = append(s.seen, values...)
			}
		}
		s.mu.Unlock()
		return meet(req, next)
	}
}

// encodings returns the ways in which a secret may be encoded.
func (s *secretCollector) encodings() (all []string) {
	for _, secret := range append(s.seen, token) {
		raw := []byte(secret)
		all = append(
			all, secret, url.QueryEscape(secret), url.PathEscape(secret), hex.EncodeToString(raw),
			base64.StdEncoding.EncodeToString(raw), base64.URLEncoding.EncodeToString(raw),
		)
	}
	return all
}

// Whatever happens to a transfer, the signature of its URL and the token never appear in an error, a note, the journal
// or a file.
func TestManager_leaksNoSignatures(t *testing.T) {
	data := testBytes(5000)
	for name, f := range writeFaults() {
		for kind, start := range map[string]func(*rig) Status{
			"download": func(r *rig) Status { return r.download(listedObject("o", 5000, md5Hex(data)), "") },
			"upload":   func(r *rig) Status { return r.upload("n", r.writeFile("f", "new text")) },
			"delete": func(r *rig) Status {
				return r.waitEnded(r.deleteObjects("o"))
			},
			"empty": func(r *rig) Status {
				return r.waitEnded(r.emptyBucket(""))
			},
		} {
			t.Run("F7 "+kind+", "+name, func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "journal")
				notes, err := journal.Open(file, "a", time.Now)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { notes.Close() })
				runInBubble(t, func(r *rig) {
					r.putObject("o", string(data))
					var s secretCollector
					r.transport.onObject = s.collect(f.roundTrip)
					row := start(r)
					written := fmt.Sprintf("%v %+v %#v", row, row, row)
					for err := row.Err; err != nil; err = errors.Unwrap(err) {
						as, _ := json.Marshal(err)
						written += fmt.Sprintf("%v %+v %#v %s %q", err, err, err, as, err)
					}
					kept, err := os.ReadFile(file)
					if err != nil {
						t.Fatal(err)
					}
					written += string(kept) + strings.Join(r.fileNames(), "\n")
					if len(s.seen) == 0 {
						t.Fatal("no signature was used")
					}
					for _, form := range s.encodings() {
						if strings.Contains(written, form) {
							t.Errorf("%q is in\n%s", form, written)
						}
					}
				}, client.WithRecorder(notes))
			})
		}
	}
}

// No file of a download contains its URL.
func TestPartFile_holdsOnlyObject(t *testing.T) {
	faulttest.RunCase(t, "F7", "a part", func(t *testing.T) {
		runInBubble(t, func(r *rig) {
			data := testBytes(10_000)
			s := &fakeStorage{
				size: 10_000,
				data: data,
				etag: md5Hex(data),
				cuts: []int64{700, 700, 700, 700, 700, 700, 700, 700, 700, 700},
			}
			var seen secretCollector
			r.transport.onObject = seen.collect(s.answer)
			if row := r.download(listedObject("o", s.size, s.etag), ""); row.State != Failed {
				t.Fatalf("%s", row.State)
			}
			for _, name := range r.fileNames() {
				kept, err := os.ReadFile(filepath.Join(r.dir, name))
				if err != nil || string(kept) != string(data[:len(kept)]) {
					t.Errorf("%s holds something else: %v", name, err)
				}
			}
		})
	})
}
