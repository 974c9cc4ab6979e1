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
	"lookout/client/faultrig"
	"lookout/client/journal"
)

// signatures are the secrets of pre-signed URLs that were used.
type signatures struct {
	mu   sync.Mutex
	seen []string
}

// spy lets a fate happen to requests whose secrets it keeps.
func (s *signatures) spy(meet func(*http.Request, http.RoundTripper) (*http.Response, error)) func(*http.Request, http.RoundTripper) (*http.Response, error) {
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

// forms are the ways in which a secret may be written down.
func (s *signatures) forms() (all []string) {
	for _, secret := range append(s.seen, token) {
		raw := []byte(secret)
		all = append(all, secret, url.QueryEscape(secret), url.PathEscape(secret), hex.EncodeToString(raw), base64.StdEncoding.EncodeToString(raw), base64.URLEncoding.EncodeToString(raw))
	}
	return all
}

// Whatever becomes of a transfer, the signature of its URL and the token are in no error, no note, no journal and no file but the object's.
func TestSignaturesAreNowhere(t *testing.T) {
	data := noise(5000)
	for name, f := range fates() {
		for kind, start := range map[string]func(*rig) Row{
			"download": func(r *rig) Row { return r.fetch(object("o", 5000, sumOf(data)), "") },
			"upload":   func(r *rig) Row { return r.send("n", r.file("f", "new text")) },
			"delete":   func(r *rig) Row { return r.ended(r.m.Delete(cluster, bucket, []string{"o"})) },
			"empty":    func(r *rig) Row { return r.ended(r.m.Empty(cluster, bucket, "")) },
		} {
			t.Run("F7 "+kind+", "+name, func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "journal")
				notes, err := journal.Open(file, "a", time.Now)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { notes.Close() })
				bubble(t, func(r *rig) {
					r.put("o", string(data))
					var s signatures
					r.tap.object = s.spy(f.meet)
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
					written += string(kept) + strings.Join(r.names(), "\n")
					if len(s.seen) == 0 {
						t.Fatal("no signature was used")
					}
					for _, form := range s.forms() {
						if strings.Contains(written, form) {
							t.Errorf("%q is in\n%s", form, written)
						}
					}
				}, client.WithRecorder(notes))
			})
		}
	}
}

// A download leaves no part, and no other file, that holds its URL.
func TestPartsHoldTheObjectAlone(t *testing.T) {
	faultrig.Row(t, "F7", "a part", func(t *testing.T) {
		bubble(t, func(r *rig) {
			data := noise(10_000)
			s := &store{size: 10_000, data: data, etag: sumOf(data), cuts: []int64{700, 700, 700, 700, 700, 700, 700, 700, 700, 700}}
			var seen signatures
			r.tap.object = seen.spy(s.answer)
			if row := r.fetch(object("o", s.size, s.etag), ""); row.State != Failed {
				t.Fatalf("%s", row.State)
			}
			for _, name := range r.names() {
				kept, err := os.ReadFile(filepath.Join(r.dir, name))
				if err != nil || string(kept) != string(data[:len(kept)]) {
					t.Errorf("%s holds something else: %v", name, err)
				}
			}
		})
	})
}
