package transfer

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"lookout/client"
)

// Bounds of downloads.
const (
	block     = 128 << 10 // bytes moved at a time
	patience  = 8         // attempts in a row that bring less than gain
	gain      = 8 << 20   // bytes that make an attempt worth another eight
	firstRest = time.Second
	longRest  = 30 * time.Second
)

// A DownloadRequest is one object to be fetched into a file.
type DownloadRequest struct {
	Cluster, Bucket string
	Object          client.Object // as a listing gave it: its size and etag say which version is meant
	Folder          string        // of this machine; it must exist
	Path            string        // with slashes, relative to Folder; "" is the object's Leaf
	Chosen          bool          // Path was given by hand, not made from the object's name: only what this system refuses is refused
	Replace         bool          // a file or link that has the name is replaced, at the end and in one step
	batch           int
}

// Download fetches an object. Its bytes gather beside the file's place and get the file's name when they are complete and right, if nothing
// has it by then. A name that may not be is refused before anything is done.
func (m *Manager) Download(r DownloadRequest) (ID, error) {
	if r.Path == "" {
		leaf, err := Leaf(r.Object.Name.Raw())
		if err != nil {
			return 0, err
		}
		r.Path = leaf
	}
	if err := CheckPath(r.Path); err != nil && !r.Chosen {
		return 0, err
	}
	if r.Object.Size < 0 {
		return 0, ErrNoSize
	}
	folder, err := filepath.Abs(r.Folder)
	if err != nil {
		return 0, drawable{err}
	}
	r.Folder = folder
	local := filepath.Join(folder, filepath.FromSlash(r.Path))
	row := Row{Batch: r.batch, Kind: Download, Cluster: r.Cluster, Bucket: r.Bucket, Name: r.Object.Name, Local: client.NewText(local), Total: r.Object.Size}
	return m.add(row, &download{DownloadRequest: r}, fold(place(local))), nil
}

// place is where a path leads once links among its folders are followed, as far as those are there.
func place(path string) string {
	dir, leaf := filepath.Dir(path), filepath.Base(path)
	if dir == path {
		return path
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return filepath.Join(real, leaf)
	}
	return filepath.Join(place(dir), leaf)
}

// DownloadPlan fetches the files of a plan into a folder. IDs of files that could not be taken are left out and their reasons given.
func (m *Manager) DownloadPlan(cluster, bucket, folder string, p Plan) (ids []ID, refused []error) {
	batch := m.open(Batch{Kind: Download, Bucket: bucket, Folder: folder})
	defer func() { m.seal(batch, ids) }()
	for _, f := range p.Files {
		id, err := m.Download(DownloadRequest{Cluster: cluster, Bucket: bucket, Object: f.Object, Folder: folder, Path: f.Path, batch: batch})
		if err != nil {
			refused = append(refused, err)
			continue
		}
		ids = append(ids, id)
	}
	return ids, refused
}

var (
	// ErrChanged is an object that is no longer the one of the listing.
	ErrChanged = errors.New("the object has changed since it was listed: refresh the list and start again")
	// ErrNoSize is an object of which nothing would tell whether all of it came.
	ErrNoSize = errors.New("the listing does not say how large the object is: list it again, or fetch it by a link")
	// ErrCorrupt are bytes that are not the object's.
	ErrCorrupt = errors.New("what came is not the object")

	errCut    = errors.New("the connection was cut")
	errAnswer = errors.New("the storage's answer does not fit what was asked")
)

// download is the work of fetching one object.
type download struct {
	DownloadRequest
	part *part
	sum  hash.Hash // of what the part holds; nil where the etag is no MD5
	seen bool      // the storage has given all of it
}

// sumOfNothing is the MD5 of an object without a byte.
const sumOfNothing = "d41d8cd98f00b204e9800998ecf8427e"

// lacks reports whether something is still to be fetched. That an object is empty is taken from the listing only where its etag says so too.
func (d *download) lacks() bool {
	return d.part.size < d.Object.Size || d.Object.Size == 0 && !d.seen && !strings.EqualFold(d.etag(), sumOfNothing)
}

// plainMD5 reports whether an etag is the MD5 of the object. That of an upload in parts ends with -N and is none.
func plainMD5(etag string) bool { return len(etag) == 2*md5.Size && isHex(etag) }

func isHex(text string) bool { return strings.Trim(text, "0123456789abcdefABCDEF") == "" }

func (d *download) run(ctx context.Context, m *Manager, p *progress) (err error) {
	root, err := os.OpenRoot(d.Folder)
	if err != nil {
		return fmt.Errorf("the folder cannot be opened: %w", err)
	}
	defer root.Close()
	d.part, err = openPart(root, d.Path, d.identity(), d.Replace, m.wrap)
	if err != nil {
		return err
	}
	defer d.part.end()
	if err := d.takeUp(p); err != nil {
		return err
	}
	if err := d.fetch(ctx, m, p); err != nil {
		return d.keep(err)
	}
	if err := d.verify(p); err != nil {
		return err
	}
	return d.part.publish()
}

// etag is the listing's etag without quotes; "" where there is none, or a weak one, which says nothing of the bytes.
func (d *download) etag() string {
	etag := client.UnquoteETag(d.Object.ETag.Raw())
	if strings.HasPrefix(etag, "W/") {
		return ""
	}
	return etag
}

// identity is what makes a version of an object: bytes of another identity are never joined to a part.
func (d *download) identity() string {
	return fmt.Sprintf("%q %q %q %q %d", d.Cluster, d.Bucket, d.Object.Name.Raw(), d.Object.ETag.Raw(), d.Object.Size)
}

// takeUp counts and sums what an earlier run left. Without an etag nothing says that it belongs to the same version, and it is dropped.
func (d *download) takeUp(p *progress) error {
	d.sum = nil
	if plainMD5(d.etag()) {
		d.sum = md5.New()
	}
	if d.part.size > d.Object.Size || d.etag() == "" {
		return d.anew(p)
	}
	if d.sum != nil && d.part.size > 0 {
		if _, err := io.CopyBuffer(d.sum, io.NewSectionReader(d.part.file, 0, d.part.size), make([]byte, block)); err != nil {
			return fmt.Errorf("what is there of it cannot be read: %w", err)
		}
	}
	p.set(d.part.size, d.Object.Size)
	return nil
}

// anew forgets what is there.
func (d *download) anew(p *progress) error {
	if d.sum != nil {
		d.sum.Reset()
	}
	p.set(0, d.Object.Size)
	return d.part.empty()
}

// fetch brings the part to the object's size, over as many connections as it takes.
func (d *download) fetch(ctx context.Context, m *Manager, p *progress) error {
	d.seen = false
	for tries, from := 0, d.part.size; d.lacks(); {
		err := d.attempt(ctx, m, p)
		if err == nil {
			d.seen = true
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if tries++; d.part.size-from >= gain {
			tries, from = 1, d.part.size
		}
		rest, again := passing(err)
		if !again || tries >= patience {
			return err
		}
		p.say(fmt.Sprintf("attempt %d of %d: %v", tries+1, patience, err))
		rest = max(rest, min(longRest, firstRest<<(tries-1)))
		if err := wait(ctx, rest/2+rand.N(rest/2+1)); err != nil {
			return err
		}
	}
	p.say("")
	return nil
}

// attempt is one connection. Where the rest cannot be had of exactly this version, it begins anew.
func (d *download) attempt(ctx context.Context, m *Manager, p *progress) error {
	ctx, watch := watched(ctx)
	defer watch.close()
	if d.etag() == "" && d.part.size > 0 {
		if err := d.anew(p); err != nil {
			return err
		}
	}
	from := d.part.size
	res, err := m.c.Objects.Get(ctx, d.Cluster, d.Bucket, d.Object.Name.Raw(), from, d.etag())
	if err != nil {
		return d.refused(err, p)
	}
	defer res.Body.Close()
	etag := client.UnquoteETag(res.Header.Get("ETag"))
	switch {
	case etag != "" && d.etag() != "" && etag != d.etag() && etag != `W/"`+d.etag()+`"`:
		return ErrChanged
	case from == 0 && res.StatusCode != http.StatusOK:
		return errAnswer
	case from > 0 && res.StatusCode == http.StatusPartialContent && !d.continues(res, from, etag):
		if err := d.anew(p); err != nil {
			return err
		}
		return fmt.Errorf("%w: it is not the rest of the object, so it begins anew", errAnswer)
	case from > 0 && res.StatusCode == http.StatusOK:
		if err := d.anew(p); err != nil {
			return err
		}
	}
	if rest := d.Object.Size - d.part.size; res.ContentLength >= 0 && res.ContentLength != rest {
		return d.wrong(fmt.Errorf("%w: %d bytes are offered where the listing says %d", ErrCorrupt, res.ContentLength, rest))
	}
	return d.take(ctx, res.Body, watch, p)
}

// continues reports whether an answer is exactly the rest from a byte, of exactly this version.
func (d *download) continues(res *http.Response, from int64, etag string) bool {
	want := fmt.Sprintf("bytes %d-%d/%d", from, d.Object.Size-1, d.Object.Size)
	encoding := res.Header.Get("Content-Encoding")
	return res.Header.Get("Content-Range") == want && etag == d.etag() && (encoding == "" || encoding == "identity")
}

// refused turns the storage's refusals of a condition or a range into what they mean.
func (d *download) refused(err error, p *progress) error {
	var e *client.Error
	if !errors.As(err, &e) || !e.Presigned {
		return err
	}
	switch e.Status {
	case http.StatusPreconditionFailed:
		return ErrChanged
	case http.StatusRequestedRangeNotSatisfiable:
		if failure := d.anew(p); failure != nil {
			return failure
		}
		return fmt.Errorf("%w: it has no such range, so it begins anew", errAnswer)
	}
	return err
}

// take writes a body behind what is there.
func (d *download) take(ctx context.Context, body io.Reader, watch *watch, p *progress) error {
	buffer := make([]byte, block)
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n, err := body.Read(buffer)
		if int64(n) > d.Object.Size-d.part.size {
			return d.wrong(fmt.Errorf("%w: more came than the %d bytes that the listing says", ErrCorrupt, d.Object.Size))
		}
		if n > 0 {
			if err := d.part.write(buffer[:n]); err != nil {
				return err
			}
			if d.sum != nil {
				d.sum.Write(buffer[:n])
			}
			watch.moved()
			p.add(int64(n))
		}
		switch {
		case err == io.EOF && d.part.size < d.Object.Size:
			return errCut
		case err == io.EOF:
			return nil
		case err != nil && d.part.size == d.Object.Size:
			return nil // all came; what follows the last byte is not ours
		case err != nil && ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return errCut
		}
	}
}

// wrong drops bytes that are not the object's.
func (d *download) wrong(err error) error {
	d.part.drop()
	return err
}

// keep adds what is there to an error, where something is that can be of use.
func (d *download) keep(err error) error {
	if d.part.size == 0 || errors.Is(err, ErrChanged) {
		d.part.drop()
		return err
	}
	return &PartError{Path: d.part.name, Size: d.part.size, Cause: err}
}

// verify compares the whole with what the listing said.
func (d *download) verify(p *progress) error {
	if d.sum == nil {
		p.say("size checked only: the etag is not the MD5 of the object")
		return nil
	}
	if got, want := hex.EncodeToString(d.sum.Sum(nil)), d.etag(); !strings.EqualFold(got, want) {
		return d.wrong(fmt.Errorf("%w: its MD5 is %s, not %s", ErrCorrupt, got, client.Clean(want)))
	}
	p.say("size and MD5 checked")
	return nil
}

// drop takes away what a cancelled download leaves.
func (d *download) drop() {
	if root, err := os.OpenRoot(d.Folder); err == nil {
		defer root.Close()
		dropPart(root, d.Path, d.identity())
	}
}

// passing reports whether another attempt may go better, and how long the storage wants to be left alone first.
func passing(err error) (time.Duration, bool) {
	var e *client.Error
	switch {
	case errors.Is(err, errCut), errors.Is(err, errAnswer), errors.Is(err, errSilent):
		return 0, true
	case !errors.As(err, &e):
		return 0, false
	case e.Status == http.StatusTooManyRequests, e.Status >= 500, e.Status == http.StatusRequestTimeout:
		return e.RetryAfter, true
	}
	return 0, e.Offline()
}
