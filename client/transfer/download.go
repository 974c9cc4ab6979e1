package transfer

import (
	"cmp"
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
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lookout/client"
)

// Limits of downloads.
const (
	bufferSize        = 128 << 10 // bytes read at a time
	maxAttempts       = 8         // attempts in a row that each gain less than progressThreshold
	progressThreshold = 8 << 20   // bytes received that reset the count of attempts
	minBackoff        = time.Second
	maxBackoff        = 30 * time.Second
)

// A DownloadRequest describes an object to download and the file to create.
type DownloadRequest struct {
	Cluster, Bucket string
	Object          client.Object // as listed; its size and ETag identify the version
	Folder          string        // local folder; it must exist
	Path            string        // slash-separated and relative to Folder; "" means DefaultFileName
	// PathChosen says that the user chose Path. It is then accepted unless this system refuses it.
	PathChosen bool
	Overwrite  bool // replace an existing file or link, atomically, once the download is complete
	batch      int
}

// Download adds a download. The data is written to a partial file next to the target, which gets its final name when it
// is complete and verified, unless a file of that name exists by then. Download returns an error for an invalid file
// name before it does anything else.
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
	return m.add(row, &downloadTask{DownloadRequest: r}, resolveLinks(local)), nil
}

// resolveLinks returns path with symbolic links in its existing folders resolved.
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

var (
	// ErrObjectChanged means that the object differs from the one that was listed.
	ErrObjectChanged = errors.New("the object has changed since it was listed; refresh the list and start again")
	// ErrSizeUnknown means that the listing gives no size, so an incomplete download would go unnoticed.
	ErrSizeUnknown = errors.New(
		"the listing does not give the size of the object; refresh the list, or download it through a link",
	)
	// ErrCorrupt means that the received data is not the data of the object.
	ErrCorrupt = errors.New("the received data does not match the object")

	errConnectionCut = errors.New("the connection was lost")
	errBadResponse   = errors.New("the storage sent an unexpected response")
)

// downloadTask downloads one object.
type downloadTask struct {
	DownloadRequest
	part         *partFile
	sum          hash.Hash   // MD5 of the data in the part; nil if the ETag is not an MD5
	bodyComplete bool        // the storage has sent the whole body
	header       http.Header // of the first response that was accepted
	link         client.RenewableURL
	oneStream    bool // the storage or the system does not allow several connections
}

// emptyMD5 is the MD5 of no data.
const emptyMD5 = "d41d8cd98f00b204e9800998ecf8427e"

// incomplete reports whether there is more to download. A listed size of 0 is trusted only if the ETag confirms it.
func (d *downloadTask) incomplete() bool {
	return d.part.size < d.Object.Size ||
		d.Object.Size == 0 && !d.bodyComplete && !strings.EqualFold(d.etag(), emptyMD5)
}

// isMD5 reports whether an ETag is the MD5 of the object. The ETag of a multipart upload ends with -N and is not.
func isMD5(etag string) bool { return len(etag) == 2*md5.Size && isHex(etag) }

func isHex(text string) bool { return strings.Trim(text, "0123456789abcdefABCDEF") == "" }

func (d *downloadTask) run(ctx context.Context, m *Manager, p *progress) (err error) {
	var root *os.Root
	err = untilTaken(ctx, p, func() (err error) {
		if root, err = os.OpenRoot(d.Folder); err != nil {
			return fmt.Errorf("cannot open the folder %w", err)
		}
		if d.part, err = openPart(root, d.Path, d.versionKey(), d.Overwrite, m.wrapFile); err != nil {
			root.Close()
		}
		return err
	})
	if err != nil {
		return err
	}
	defer root.Close()
	defer d.part.closeAll()
	for _, stale := range staleParts(d.part.name, m.partsIn(root, path.Dir(d.part.name))) {
		removePart(root, stale)
	}
	if err := d.resume(p); err != nil {
		return err
	}
	if err := d.fetch(ctx, m, p); err != nil {
		return d.keepPart(err)
	}
	if err := d.verify(p); err != nil {
		return err
	}
	if err := d.part.publish(); err != nil {
		return err
	}
	if !d.part.isAt(d.part.localPath()) {
		p.setPath(
			"…/"+d.part.finalName,
			"the folder was moved or replaced during the download: the file's current location is unknown",
		)
	}
	return nil
}

// maxPartFolders is of how many folders the partial files are known.
const maxPartFolders = 256

// partsIn returns the names of the partial files that were in a folder when the first download went there.
func (m *Manager) partsIn(root *os.Root, folder string) []string {
	key := filepath.Join(root.Name(), filepath.FromSlash(folder))
	m.mu.Lock()
	names, known := m.parts[key]
	m.mu.Unlock()
	if known {
		return names
	}
	if dir, err := root.Open(folder); err == nil {
		names, _ = dir.Readdirnames(-1)
		names = slices.Clip(slices.DeleteFunc(names, func(name string) bool { return !isPartName(name) }))
		dir.Close()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.parts) >= maxPartFolders {
		clear(m.parts)
	}
	m.parts[key] = names
	return names
}

// etag returns the listed ETag without quotes, or "" if there is none or it is weak and so does not identify the bytes.
func (d *downloadTask) etag() string {
	etag := client.UnquoteETag(d.Object.ETag.Raw())
	if strings.HasPrefix(etag, "W/") {
		return ""
	}
	return etag
}

// versionKey identifies a version of an object. Data of different versions is never joined in one part.
func (d *downloadTask) versionKey() string {
	o := &d.Object
	return fmt.Sprintf("%q %q %q\x00%q %d", d.Cluster, d.Bucket, o.Name.Raw(), o.ETag.Raw(), o.Size)
}

// resume measures and hashes the part that an earlier run left. Without an ETag the part may belong to another version,
// so it is dropped.
func (d *downloadTask) resume(p *progress) error {
	d.sum = nil
	if isMD5(d.etag()) {
		d.sum = md5.New()
	}
	if d.part.size > d.Object.Size || d.etag() == "" {
		return d.restart(p)
	}
	if d.sum != nil && d.part.size > 0 {
		data := io.NewSectionReader(d.part.file, 0, d.part.size)
		if _, err := io.CopyBuffer(d.sum, data, make([]byte, bufferSize)); err != nil {
			return fmt.Errorf("cannot read the partial download: %w", err)
		}
	}
	p.set(d.part.size, d.Object.Size)
	return nil
}

// restart discards the data in the part.
func (d *downloadTask) restart(p *progress) error {
	if d.sum != nil {
		d.sum.Reset()
	}
	p.set(0, d.Object.Size)
	return d.part.truncate()
}

// fetch downloads until the part has the size of the object, over as many connections as it takes.
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

// attempt downloads over one connection. It starts again from the first byte if the storage cannot continue this
// version of the object.
func (d *downloadTask) attempt(ctx context.Context, m *Manager, p *progress) error {
	ctx, watch := withIdleTimeout(ctx)
	defer watch.close()
	if d.etag() == "" && d.part.size > 0 {
		if err := d.restart(p); err != nil {
			return err
		}
	}
	from, end := d.part.size, d.split(m)
	res, err := d.open(ctx, m, from, end)
	if err != nil {
		return d.rangeError(err, p)
	}
	defer res.Body.Close()
	ranged := from > 0 || end > 0
	switch {
	case !ranged && res.StatusCode != http.StatusOK:
		return errBadResponse
	case ranged && res.StatusCode == http.StatusPartialContent && !d.isPart(res, from, end):
		if err := d.restart(p); err != nil {
			return err
		}
		d.oneStream = true
		return fmt.Errorf("%w (the data does not continue the object), so the download starts again", errBadResponse)
	case ranged && res.StatusCode == http.StatusOK: // the storage has ignored the range
		d.oneStream, end = true, 0
		if err := d.restart(p); err != nil {
			return err
		}
	}
	rest := cmp.Or(end, d.Object.Size) - d.part.size
	if res.ContentLength >= 0 && res.ContentLength != rest {
		return d.discard(
			fmt.Errorf(
				"%w (the server reports %d bytes, but the listing says %d)", ErrCorrupt, res.ContentLength, rest,
			),
		)
	}
	if d.header == nil {
		d.header = res.Header
	}
	if end == 0 {
		return d.copyBody(ctx, res.Body, watch, p)
	}
	ranges := newRangeReader(ctx, d, m, res, watch)
	defer ranges.Close()
	err = d.copyBody(ctx, ranges, watch, p)
	if failed := ranges.failure; err != nil && ctx.Err() == nil && failed != nil {
		d.oneStream = lacksHandles(failed) || errors.Is(failed, errBadResponse)
		return d.rangeError(failed, p)
	}
	return err
}

// isPart reports whether a response holds exactly the bytes of this version from one up to another; an end of 0 means
// all that follow.
func (d *downloadTask) isPart(res *http.Response, from, end int64) bool {
	end = cmp.Or(end, d.Object.Size)
	want := fmt.Sprintf("bytes %d-%d/%d", from, end-1, d.Object.Size)
	encoding := res.Header.Get("Content-Encoding")
	return res.StatusCode == http.StatusPartialContent && strings.EqualFold(res.Header.Get("Content-Range"), want) &&
		client.UnquoteETag(res.Header.Get("ETag")) == d.etag() && (encoding == "" || encoding == "identity") &&
		(res.ContentLength < 0 || res.ContentLength == end-from)
}

// rangeError translates the storage's refusal of a range: the download starts again.
func (d *downloadTask) rangeError(err error, p *progress) error {
	var e *client.Error
	if !errors.As(err, &e) || !e.Presigned || e.Status != http.StatusRequestedRangeNotSatisfiable {
		return err
	}
	d.oneStream = true
	if failure := d.restart(p); failure != nil {
		return failure
	}
	return fmt.Errorf("%w (the range does not exist), so the download starts again", errBadResponse)
}

// copyBody appends a response body to the part.
func (d *downloadTask) copyBody(ctx context.Context, body io.Reader, watch *idleTimer, p *progress) error {
	buffer := make([]byte, bufferSize)
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n, err := body.Read(buffer)
		if int64(n) > d.Object.Size-d.part.size {
			return d.discard(fmt.Errorf(
				"%w (the storage sent more than the listed %d bytes)", ErrCorrupt, d.Object.Size,
			))
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
			return nil // the object is complete; an error after its last byte does not matter
		case err != nil && ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return errConnectionCut
		}
	}
}

// discard removes a part whose data is wrong, and returns err.
func (d *downloadTask) discard(err error) error {
	d.part.remove()
	return err
}

// keepPart adds the location of the part to an error, or removes the part if it is of no use.
func (d *downloadTask) keepPart(err error) error {
	var e *client.Error
	gone := errors.As(err, &e) && e.Presigned && e.Status == http.StatusNotFound
	if d.part.size == 0 || gone || errors.Is(err, ErrObjectChanged) {
		d.part.remove()
		return err
	}
	return &PartialDownloadError{Path: d.part.name, Size: d.part.size, Cause: err}
}

// verify compares the completed part with the listing.
func (d *downloadTask) verify(p *progress) error {
	if d.sum == nil {
		p.setNote("size checked only: the ETag is not the MD5 of the object")
		return nil
	}
	if got, want := hex.EncodeToString(d.sum.Sum(nil)), d.etag(); !strings.EqualFold(got, want) {
		return d.discard(fmt.Errorf("%w (its MD5 is %s, but %s was expected)", ErrCorrupt, got, want))
	}
	p.setNote("size and MD5 checked")
	return nil
}

// cleanUp removes the part of a cancelled download.
func (d *downloadTask) cleanUp() {
	if root, err := os.OpenRoot(d.Folder); err == nil {
		defer root.Close()
		removePart(root, partName(d.Path, d.versionKey()))
	}
}

// retryDelay reports whether another attempt may succeed, and how long the storage asks to wait before it.
func retryDelay(err error) (time.Duration, bool) {
	var e *client.Error
	switch {
	case errors.Is(err, errConnectionCut), errors.Is(err, errBadResponse), errors.Is(err, errIdleTimeout),
		lacksHandles(err):
		return 0, true
	case !errors.As(err, &e):
		return 0, false
	case e.Status == http.StatusTooManyRequests, e.Status >= 500, e.Status == http.StatusRequestTimeout:
		return e.RetryAfter, true
	}
	return 0, e.Offline()
}
