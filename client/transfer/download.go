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
	bufferSize        = 128 << 10 // bytes moved at a time
	maxAttempts       = 8         // attempts in a row that bring less than gain
	progressThreshold = 8 << 20   // bytes that make an attempt worth another eight
	minBackoff        = time.Second
	maxBackoff        = 30 * time.Second
)

// A DownloadRequest is one object to be fetched into a file.
type DownloadRequest struct {
	Cluster, Bucket string
	Object          client.Object // as a listing gave it: its size and etag say which version is meant
	Folder          string        // of this machine; it must exist
	Path            string        // with slashes, relative to Folder; "" is the object's Leaf
	// Path was given by hand, not made from the object's name: only what this system refuses is refused
	PathChosen bool
	Overwrite  bool // a file or link that has the name is replaced, at the end and in one step
	batch      int
}

// Download fetches an object. Its bytes gather beside the file's place and get the file's name when they are complete
// and right, if nothing has it by then. A name that may not be is refused before anything is done.
func (m *Manager) Download(r DownloadRequest) (ID, error) {
	if r.Path == "" {
		leaf, err := DefaultFileName(r.Object.Name.Raw())
		if err != nil {
			return 0, err
		}
		r.Path = leaf
	}
	if err := CheckPath(r.Path); err != nil && !r.PathChosen {
		return 0, err
	}
	if r.Object.Size < 0 {
		return 0, ErrSizeUnknown
	}
	folder, err := filepath.Abs(r.Folder)
	if err != nil {
		return 0, sanitizedError{err}
	}
	r.Folder = folder
	local := filepath.Join(folder, filepath.FromSlash(r.Path))
	row := Status{
		Batch:     r.batch,
		Kind:      Download,
		Cluster:   r.Cluster,
		Bucket:    r.Bucket,
		Name:      r.Object.Name,
		LocalPath: client.NewText(local),
		Total:     r.Object.Size,
	}
	return m.add(row, &downloadTask{DownloadRequest: r}, foldCase(resolveLinks(local))), nil
}

// resolveLinks is where a path leads once links among its folders are followed, as far as those are there.
func resolveLinks(path string) string {
	dir, leaf := filepath.Dir(path), filepath.Base(path)
	if dir == path {
		return path
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return filepath.Join(real, leaf)
	}
	return filepath.Join(resolveLinks(dir), leaf)
}

// DownloadPlan fetches the files of a plan into a folder. IDs of files that could not be taken are left out and their
// reasons given.
func (m *Manager) DownloadPlan(cluster, bucket, folder string, p Plan) (ids []ID, refused []error) {
	batch := m.openBatch(Batch{Kind: Download, Bucket: bucket, Folder: folder})
	defer func() { m.closeBatch(batch, ids) }()
	for _, f := range p.Files {
		id, err := m.Download(DownloadRequest{
			Cluster: cluster,
			Bucket:  bucket,
			Object:  f.Object,
			Folder:  folder,
			Path:    f.Path,
			batch:   batch,
		})
		if err != nil {
			refused = append(refused, err)
			continue
		}
		ids = append(ids, id)
	}
	return ids, refused
}

var (
	// ErrObjectChanged is an object that is no longer the one of the listing.
	ErrObjectChanged = errors.New("the object has changed since it was listed: refresh the list and start again")
	// ErrSizeUnknown is an object of which nothing would tell whether all of it came.
	ErrSizeUnknown = errors.New(
		"the listing does not say how large the object is: list it again, or fetch it by a link",
	)
	// ErrCorrupt are bytes that are not the object's.
	ErrCorrupt = errors.New("what came is not the object")

	errConnectionCut = errors.New("the connection was cut")
	errBadResponse   = errors.New("the storage's answer does not fit what was asked")
)

// downloadTask is the work of fetching one object.
type downloadTask struct {
	DownloadRequest
	part         *partFile
	sum          hash.Hash // of what the part holds; nil where the etag is no MD5
	bodyComplete bool      // the storage has given all of it
}

// emptyMD5 is the MD5 of an object without a byte.
const emptyMD5 = "d41d8cd98f00b204e9800998ecf8427e"

// incomplete reports whether something is still to be fetched. That an object is empty is taken from the listing only
// where its etag says so too.
func (d *downloadTask) incomplete() bool {
	return d.part.size < d.Object.Size ||
		d.Object.Size == 0 && !d.bodyComplete && !strings.EqualFold(d.etag(), emptyMD5)
}

// isMD5 reports whether an etag is the MD5 of the object. That of an upload in parts ends with -N and is none.
func isMD5(etag string) bool { return len(etag) == 2*md5.Size && isHex(etag) }

func isHex(text string) bool { return strings.Trim(text, "0123456789abcdefABCDEF") == "" }

func (d *downloadTask) run(ctx context.Context, m *Manager, p *progress) (err error) {
	root, err := os.OpenRoot(d.Folder)
	if err != nil {
		return fmt.Errorf("the folder cannot be opened: %w", err)
	}
	defer root.Close()
	d.part, err = openPart(root, d.Path, d.versionKey(), d.Overwrite, m.wrapFile)
	if err != nil {
		return err
	}
	defer d.part.closeAll()
	if err := d.resume(p); err != nil {
		return err
	}
	if err := d.fetch(ctx, m, p); err != nil {
		return d.keepPart(err)
	}
	if err := d.verify(p); err != nil {
		return err
	}
	return d.part.publish()
}

// etag is the listing's etag without quotes; "" where there is none, or a weak one, which says nothing of the bytes.
func (d *downloadTask) etag() string {
	etag := client.UnquoteETag(d.Object.ETag.Raw())
	if strings.HasPrefix(etag, "W/") {
		return ""
	}
	return etag
}

// versionKey is what makes a version of an object: bytes of another identity are never joined to a part.
func (d *downloadTask) versionKey() string {
	return fmt.Sprintf("%q %q %q %q %d", d.Cluster, d.Bucket, d.Object.Name.Raw(), d.Object.ETag.Raw(), d.Object.Size)
}

// resume counts and sums what an earlier run left. Without an etag nothing says that it belongs to the same version,
// and it is dropped.
func (d *downloadTask) resume(p *progress) error {
	d.sum = nil
	if isMD5(d.etag()) {
		d.sum = md5.New()
	}
	if d.part.size > d.Object.Size || d.etag() == "" {
		return d.restart(p)
	}
	if d.sum != nil && d.part.size > 0 {
		if _, err := io.CopyBuffer(d.sum, io.NewSectionReader(d.part.file, 0, d.part.size), make([]byte, bufferSize)); err != nil {
			return fmt.Errorf("what is there of it cannot be read: %w", err)
		}
	}
	p.set(d.part.size, d.Object.Size)
	return nil
}

// restart forgets what is there.
func (d *downloadTask) restart(p *progress) error {
	if d.sum != nil {
		d.sum.Reset()
	}
	p.set(0, d.Object.Size)
	return d.part.truncate()
}

// fetch brings the part to the object's size, over as many connections as it takes.
func (d *downloadTask) fetch(ctx context.Context, m *Manager, p *progress) error {
	d.bodyComplete = false
	for tries, from := 0, d.part.size; d.incomplete(); {
		err := d.attempt(ctx, m, p)
		if err == nil {
			d.bodyComplete = true
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if tries++; d.part.size-from >= progressThreshold {
			tries, from = 1, d.part.size
		}
		rest, again := retryDelay(err)
		if !again || tries >= maxAttempts {
			return err
		}
		p.setNote(fmt.Sprintf("attempt %d of %d: %v", tries+1, maxAttempts, err))
		rest = max(rest, min(maxBackoff, minBackoff<<(tries-1)))
		if err := sleep(ctx, rest/2+rand.N(rest/2+1)); err != nil {
			return err
		}
	}
	p.setNote("")
	return nil
}

// attempt is one connection. Where the rest cannot be had of exactly this version, it begins anew.
func (d *downloadTask) attempt(ctx context.Context, m *Manager, p *progress) error {
	ctx, watch := withIdleTimeout(ctx)
	defer watch.close()
	if d.etag() == "" && d.part.size > 0 {
		if err := d.restart(p); err != nil {
			return err
		}
	}
	from := d.part.size
	res, err := m.c.Objects.Get(ctx, d.Cluster, d.Bucket, d.Object.Name.Raw(), from, d.etag())
	if err != nil {
		return d.conditionError(err, p)
	}
	defer res.Body.Close()
	etag := client.UnquoteETag(res.Header.Get("ETag"))
	switch {
	case etag != "" && d.etag() != "" && etag != d.etag() && etag != `W/"`+d.etag()+`"`:
		return ErrObjectChanged
	case from == 0 && res.StatusCode != http.StatusOK:
		return errBadResponse
	case from > 0 && res.StatusCode == http.StatusPartialContent && !d.isContinuation(res, from, etag):
		if err := d.restart(p); err != nil {
			return err
		}
		return fmt.Errorf("%w: it is not the rest of the object, so it begins anew", errBadResponse)
	case from > 0 && res.StatusCode == http.StatusOK:
		if err := d.restart(p); err != nil {
			return err
		}
	}
	if rest := d.Object.Size - d.part.size; res.ContentLength >= 0 && res.ContentLength != rest {
		return d.discard(
			fmt.Errorf("%w: %d bytes are offered where the listing says %d", ErrCorrupt, res.ContentLength, rest),
		)
	}
	return d.copyBody(ctx, res.Body, watch, p)
}

// isContinuation reports whether an answer is exactly the rest from a byte, of exactly this version.
func (d *downloadTask) isContinuation(res *http.Response, from int64, etag string) bool {
	want := fmt.Sprintf("bytes %d-%d/%d", from, d.Object.Size-1, d.Object.Size)
	encoding := res.Header.Get("Content-Encoding")
	return res.Header.Get("Content-Range") == want && etag == d.etag() && (encoding == "" || encoding == "identity")
}

// conditionError turns the storage's refusals of a condition or a range into what they mean.
func (d *downloadTask) conditionError(err error, p *progress) error {
	var e *client.Error
	if !errors.As(err, &e) || !e.Presigned {
		return err
	}
	switch e.Status {
	case http.StatusPreconditionFailed:
		return ErrObjectChanged
	case http.StatusRequestedRangeNotSatisfiable:
		if failure := d.restart(p); failure != nil {
			return failure
		}
		return fmt.Errorf("%w: it has no such range, so it begins anew", errBadResponse)
	}
	return err
}

// copyBody writes a body behind what is there.
func (d *downloadTask) copyBody(ctx context.Context, body io.Reader, watch *idleTimer, p *progress) error {
	buffer := make([]byte, bufferSize)
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n, err := body.Read(buffer)
		if int64(n) > d.Object.Size-d.part.size {
			return d.discard(
				fmt.Errorf("%w: more came than the %d bytes that the listing says", ErrCorrupt, d.Object.Size),
			)
		}
		if n > 0 {
			if err := d.part.write(buffer[:n]); err != nil {
				return err
			}
			if d.sum != nil {
				d.sum.Write(buffer[:n])
			}
			watch.reset()
			p.add(int64(n))
		}
		switch {
		case err == io.EOF && d.part.size < d.Object.Size:
			return errConnectionCut
		case err == io.EOF:
			return nil
		case err != nil && d.part.size == d.Object.Size:
			return nil // all came; what follows the last byte is not ours
		case err != nil && ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return errConnectionCut
		}
	}
}

// discard drops bytes that are not the object's.
func (d *downloadTask) discard(err error) error {
	d.part.remove()
	return err
}

// keepPart adds what is there to an error, where something is that can be of use.
func (d *downloadTask) keepPart(err error) error {
	if d.part.size == 0 || errors.Is(err, ErrObjectChanged) {
		d.part.remove()
		return err
	}
	return &PartialDownloadError{Path: d.part.name, Size: d.part.size, Cause: err}
}

// verify compares the whole with what the listing said.
func (d *downloadTask) verify(p *progress) error {
	if d.sum == nil {
		p.setNote("size checked only: the etag is not the MD5 of the object")
		return nil
	}
	if got, want := hex.EncodeToString(d.sum.Sum(nil)), d.etag(); !strings.EqualFold(got, want) {
		return d.discard(fmt.Errorf("%w: its MD5 is %s, not %s", ErrCorrupt, got, client.Clean(want)))
	}
	p.setNote("size and MD5 checked")
	return nil
}

// cleanUp takes away what a cancelled download leaves.
func (d *downloadTask) cleanUp() {
	if root, err := os.OpenRoot(d.Folder); err == nil {
		defer root.Close()
		removePart(root, d.Path, d.versionKey())
	}
}

// retryDelay reports whether another attempt may go better, and how long the storage wants to be left alone first.
func retryDelay(err error) (time.Duration, bool) {
	var e *client.Error
	switch {
	case errors.Is(err, errConnectionCut), errors.Is(err, errBadResponse), errors.Is(err, errIdleTimeout):
		return 0, true
	case !errors.As(err, &e):
		return 0, false
	case e.Status == http.StatusTooManyRequests, e.Status >= 500, e.Status == http.StatusRequestTimeout:
		return e.RetryAfter, true
	}
	return 0, e.Offline()
}
