package transfer

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"lookout/client"
	"lookout/client/faulttest"
)

// An impossible size counts as unknown, not as 0, so that no incomplete file is published.
func TestDownload_unknownSize(t *testing.T) {
	etag := strings.Repeat("a", 32) + "-2"
	data := testBytes(5000)
	for name, size := range map[string]string{
		"a text":           `"size":"5000",`,
		"null":             `"size":null,`,
		"below zero":       `"size":-1,`,
		"far below zero":   `"size":-5000,`,
		"with an exponent": `"size":5e3,`,
		"with a fraction":  `"size":5000.0,`,
		"a list":           `"size":[5000],`,
		"not there":        ``,
	} {
		faulttest.RunCase(t, "D3", name, func(t *testing.T) {
			runInBubble(t, func(r *rig) {
				r.onList(func(_ int, req *http.Request, _ http.RoundTripper) (*http.Response, error) {
					body := fmt.Sprintf(`{"data":[{%s"name":"o","etag":%q,"last_modified":"2024-01-01T00:00:00.000Z",`+
						`"owner":"x"}],"is_truncated":false,"next_marker":null}`, size, etag)
					return faulttest.Respond(200, body)(nil, req)
				})
				r.transport.onObject = (&fakeStorage{size: 5000, data: data, etag: etag}).answer
				o, there, err := r.c.Objects.Find(r.Context(), cluster, bucket, "o")
				if err != nil || !there || o.Size != client.UnknownSize {
					r.Fatalf("%+v, %v", o, err)
				}
				_, err = r.m.Download(DownloadRequest{
					Cluster: cluster,
					Bucket:  bucket,
					Object:  o,
					Folder:  r.dir,
				})
				if !errors.Is(err, ErrSizeUnknown) || r.transport.count("GET") != 0 || len(r.fileNames()) != 0 {
					r.Errorf("%v, %d requests, %q", err, r.transport.count("GET"), r.fileNames())
				}
				if p := planListed("", []client.Object{o}, folds); p.Files.Len() != 0 || len(p.Skipped) != 1 ||
					!strings.Contains(p.Skipped[0].Error(), "size is unknown") ||
					p.Bytes != 0 {
					r.Errorf("%+v", p)
				}
			})
		})
	}
	for name, c := range map[string]struct {
		etag string
		data []byte
		gets int
		bad  error
	}{
		"in parts": {
			etag: etag,
			data: data,
			gets: 1,
			bad:  ErrCorrupt,
		},
		"no etag":           {data: data, gets: 1, bad: ErrCorrupt},
		"empty, in parts":   {etag: etag, data: []byte{}, gets: 1},
		"empty, no etag":    {data: []byte{}, gets: 1},
		"empty by its etag": {etag: emptyMD5, data: data, gets: 0},
		"another MD5 than 0's": {
			etag: md5Hex(data),
			data: data,
			gets: 1,
			bad:  ErrCorrupt,
		},
	} {
		faulttest.RunCase(t, "D3", "listed as empty, "+name, func(t *testing.T) {
			runInBubble(t, func(r *rig) {
				r.transport.onObject = (&fakeStorage{size: int64(len(c.data)), data: c.data, etag: c.etag}).answer
				row := r.download(listedObject("o", 0, c.etag), "")
				if !errors.Is(row.Err, c.bad) || (row.State == Done) != (c.bad == nil) ||
					r.transport.count("GET") != c.gets {
					r.Errorf("%s, %v, %d requests", row.State, row.Err, r.transport.count("GET"))
				}
				if c.bad != nil {
					r.checkFile("o", nil)
				} else {
					r.checkFile("o", []byte{})
				}
			})
		})
	}
	faulttest.RunCase(t, "D3", "an upload that is listed without a size", func(t *testing.T) {
		runInBubble(t, func(r *rig) {
			r.onList(func(_ int, req *http.Request, _ http.RoundTripper) (*http.Response, error) {
				return faulttest.Respond(
					200,
					fmt.Sprintf(
						`{"data":[{"name":"n","etag":%q,"last_modified":"2024-01-01T00:00:00.000Z","owner":"x",`+
							`"size":null}]}`,
						md5Hex([]byte("text")),
					),
				)(nil, req)
			})
			if row := r.upload("n", r.writeFile("f", "text")); row.State != Done ||
				!strings.Contains(row.Note, "MD5 checked") {
				r.Errorf("%s, %q, %v", row.State, row.Note, row.Err)
			}
		})
	})
}
