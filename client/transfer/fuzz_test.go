package transfer

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lookout/client"
	"lookout/client/faulttest"
)

// Whatever two objects are called, their files lie in the folder and never share a path.
func FuzzLocalName(f *testing.F) {
	faulttest.ReportCase(f, "J5", "FuzzLocalName")
	for _, name := range []string{
		"a",
		"a/b",
		"A",
		"../a",
		"/a",
		"a//b",
		`a\b`,
		"C:x",
		"con",
		"a.",
		".part",
		"a\x00",
		"ſ",
		"s",
		"dir/",
		"\xff",
		strings.Repeat("日", 90),
	} {
		f.Add("", name, "a")
		f.Add("a", "a/"+name, name)
	}
	f.Fuzz(func(t *testing.T, prefix, first, second string) {
		for _, name := range []string{first, second} {
			leaf, err := DefaultFileName(name)
			if err == nil && (!filepath.IsLocal(leaf) || filepath.Base(leaf) != leaf) {
				t.Errorf("%q becomes %q", name, leaf)
			}
		}
		plan := planListed(prefix, []client.Object{listedObject(first, 1, "e"), listedObject(second, 1, "e")}, folds)
		for _, file := range slices.Collect(plan.Files.All()) {
			local := filepath.FromSlash(file.Path)
			if CheckPath(file.Path) != nil || !filepath.IsLocal(local) ||
				filepath.Join("root", local) != filepath.Join("root", filepath.Clean(local)) {
				t.Errorf("%q becomes %q", file.Object.Name.Raw(), file.Path)
			}
		}
		if plan.Files.Len() == 2 && strings.EqualFold(fileOf(plan, 0).Path, fileOf(plan, 1).Path) {
			t.Errorf("%q and %q become one file", first, second)
		}
		if plan.Files.Len()+len(plan.Skipped)+plan.FolderMarkers > 2 {
			t.Errorf("%+v", plan)
		}
	})
}

// oddResponse returns the response of a storage that follows a script of four bytes: status, range, ETag, length.
func oddResponse(script [4]byte, req *http.Request, data []byte, etag string) *http.Response {
	pick := func(b byte, of ...string) string { return of[int(b)%len(of)] }
	from := 0
	_, _ = fmt.Sscanf(req.Header.Get("Range"), "bytes=%d-", &from)
	from = min(from, len(data))
	size := len(data)
	if script[3]&1 == 1 {
		from = min(size, int(script[3]>>1))
	}
	if script[0]%10 == 0 && script[2]>>6 == 3 { // the middle of an object, said to be all of it: only the MD5 tells
		from = 0
	}
	body := data[from:]
	res := &http.Response{
		Request:       req,
		Header:        http.Header{},
		ProtoMajor:    1,
		ProtoMinor:    1,
		ContentLength: int64(len(body)),
	}
	_, _ = fmt.Sscan(
		pick(script[0], "200", "206", "206", "206", "416", "412", "403", "404", "500", "302"), &res.StatusCode,
	)
	res.Header.Set(
		"Content-Range",
		fmt.Sprintf(
			pick(
				script[1], "bytes %d-%d/%d", "bytes %d-%d/*", "bytes %d-9/%[3]d", "bytes 0-%[2]d/%[3]d", "%d", "",
				"bytes */%[3]d", "items %d-%d/%d",
			),
			from,
			size-1,
			size,
		),
	)
	res.Header.Set("ETag", pick(script[2], `"`+etag+`"`, etag, `W/"`+etag+`"`, `"other"`, ""))
	s := &scriptedBody{
		ctx:  req.Context(),
		data: data,
		at:   int64(from),
		size: int64(size),
		cut:  -1,
	}
	switch script[2] >> 6 {
	case 1:
		s.cut = min(s.size, s.at+int64(script[3]>>2))
	case 2:
		s.cut, s.cleanEOF = min(s.size, s.at+int64(script[3]>>2)), true
	case 3:
		res.ContentLength = -1
	}
	res.Body = s
	return res
}

// Whatever a storage answers, in whatever order, a file of that name exists only if it is the object.
func FuzzResume(f *testing.F) {
	faulttest.ReportCase(f, "J6", "FuzzResume")
	for _, script := range []string{
		"", "\x00\x00\x00\x00", "\x00\x00\x40\x20\x01\x00\x00\x00", "\x00\x00\x40\x20\x00\x00\x00\x00",
		"\x00\x00\x40\x20\x01\x01\x00\x00\x01\x03\x00\x00", "\x00\x00\x40\x20\x01\x00\x03\x00",
		"\x00\x00\x80\x40\x04\x06\x00\x00", "\x00\x00\x40\x20\x01\x00\x00\x07", "\x05\x00\x00\x00",
		"\x06\x00\x00\x00\x06\x00\x00\x00",
		// cut after 8 bytes, then a 206 from byte 20 and of unknown length, then only refusals
		"\x00\x00\x40\x20\x01\x00\xc3\x29" + strings.Repeat("\x06\x00\x00\x00", 10),
		"20A020\xd101", // a range is answered with all of the object, of unknown length
	} {
		f.Add([]byte(script))
	}
	data := testBytes(100)
	f.Fuzz(func(t *testing.T, script []byte) {
		runInBubble(t, func(r *rig) {
			left := script
			r.transport.onObject = func(req *http.Request, _ http.RoundTripper) (*http.Response, error) {
				var step [4]byte
				left = left[copy(step[:], left):]
				return oddResponse(step, req, data, md5Hex(data)), nil
			}
			row := r.download(listedObject("o", int64(len(data)), md5Hex(data)), "")
			kept, err := os.ReadFile(filepath.Join(r.dir, "o"))
			switch {
			case row.State == Done && string(kept) != string(data):
				t.Errorf("%x: done with %d bytes, %v", script, len(kept), err)
			case row.State != Done && err == nil:
				t.Errorf("%x: %s, and there is a file of %d bytes", script, row.State, len(kept))
			}
			for _, name := range r.fileNames() {
				if part, err := os.ReadFile(filepath.Join(r.dir, name)); err != nil || !bytes.HasPrefix(data, part) {
					t.Errorf("%x: %d bytes of %s are not the object's first ones, %v", script, len(part), name, err)
				}
			}
		})
	})
}
