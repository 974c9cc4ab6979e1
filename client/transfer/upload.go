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
	"io/fs"
	"mime"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"lookout/client"
)

// An UploadRequest describes a local file to store as an object.
type UploadRequest struct {
	Cluster, Bucket, Name string
	File                  string          // local file
	Folder                string          // if set, File is slash-separated, relative to it and cannot leave it
	Spooled               *os.File        // instead of File: what Spool returned. It stays open.
	ContentType           string          // "" means ContentType(Name)
	Consent               *client.Consent // for client.OpUploadObject on the object
	Reason                string          // why, for the journal
	Before                any             // the object that is replaced, for the journal; nil if there is none
	MustNew               bool            // fail if an object of this name was stored meanwhile, if the API says so
	Keep                  KeptACL         // what becomes of the access to the object that is replaced
	ACLConsent            *client.Consent // for client.OpSetObjectACL on the object, if Keep has an ACL
	batch                 int
}

// Upload adds an upload. It replaces an object of the same name without asking. Upload returns an error at once if the
// file is not a regular file or is too large. The data is sent once; Retry sends it again.
func (m *Manager) Upload(r UploadRequest) (ID, error) {
	if reason := objectNameProblem(r.Name); reason != "" {
		return 0, errors.New(reason)
	}
	if r.ContentType == "" {
		r.ContentType = ContentType(r.Name)
	}
	var local string
	switch {
	case r.Spooled != nil:
	case r.Folder == "":
		abs, err := filepath.Abs(r.File)
		if err != nil {
			return 0, err
		}
		r.File, local = abs, abs
	default:
		local = filepath.Join(r.Folder, filepath.FromSlash(r.File))
	}
	src, err := openSource(r)
	if err != nil {
		return 0, sanitizedError{err}
	}
	src.close()
	row := Status{
		Batch:     r.batch,
		Kind:      Upload,
		Cluster:   r.Cluster,
		Bucket:    r.Bucket,
		Name:      client.NewText(r.Name),
		LocalPath: client.NewText(local),
		Total:     src.size,
	}
	return m.add(row, &uploadTask{UploadRequest: r}, ""), nil
}

// objectNameProblem returns why a name cannot be that of an object, or "".
func objectNameProblem(name string) string {
	switch {
	case name == "" || len(name) > maxObjectName:
		return fmt.Sprintf("an object name must be 1 to %d bytes long, this one has %d", maxObjectName, len(name))
	case !utf8.ValidString(name):
		return "its name is not valid UTF-8, and the API accepts no other names"
	}
	return ""
}

// maxObjectName is the longest name of an object, in bytes.
const maxObjectName = 1024

// ContentType returns the content type for the extension of a name.
func ContentType(name string) string {
	if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
		return kind
	}
	return "application/octet-stream"
}

// ErrSourceChanged means that the file was written to, truncated or replaced during the upload. No object was created
// from it.
var ErrSourceChanged = errors.New("the file changed while it was being sent, so nothing was stored")

// sourceFile is the open file of an upload, with its state when it was opened.
type sourceFile struct {
	*os.File
	size int64
	info fs.FileInfo
	stat func() (fs.FileInfo, error) // of the file that has the name now
	kept bool                        // close leaves it open
}

// close closes the file, unless somebody else does.
func (s *sourceFile) close() {
	if !s.kept {
		s.File.Close()
	}
}

// openSource opens a regular file. It does not open anything else: opening a pipe could block forever.
func openSource(r UploadRequest) (*sourceFile, error) {
	if f := r.Spooled; f != nil {
		info, err := f.Stat()
		if err != nil {
			return nil, err
		}
		return &sourceFile{f, info.Size(), info, f.Stat, true}, nil
	}
	stat, open := func() (fs.FileInfo, error) { return os.Stat(r.File) }, os.Open
	if r.Folder != "" {
		root, err := os.OpenRoot(r.Folder)
		if err != nil {
			return nil, err
		}
		defer root.Close()
		stat, open = func() (fs.FileInfo, error) { return root.Stat(r.File) }, root.Open
	}
	before, err := stat()
	switch {
	case err != nil:
		return nil, err
	case before.IsDir():
		return nil, fmt.Errorf("%s is a folder", client.Clean(r.File))
	case !before.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", client.Clean(r.File))
	case before.Size() > client.MaxPutSize:
		return nil, fmt.Errorf(
			"%s has %d bytes; the limit for one upload is 5 GiB (%d bytes)", client.Clean(r.File), before.Size(),
			int64(client.MaxPutSize),
		)
	}
	f, err := open(r.File)
	if err != nil {
		return nil, err
	}
	after, err := f.Stat()
	if err != nil || !os.SameFile(before, after) || after.Size() != before.Size() {
		f.Close()
		return nil, ErrSourceChanged
	}
	return &sourceFile{
		File: f,
		size: after.Size(),
		info: after,
		stat: func() (fs.FileInfo, error) { return os.Stat(f.Name()) },
	}, nil
}

// unchanged reports whether the open file and the file that has its name are both the same as at the start.
func (s *sourceFile) unchanged() bool {
	open, err := s.Stat()
	if err != nil || open.Size() != s.size || !open.ModTime().Equal(s.info.ModTime()) {
		return false
	}
	named, err := s.stat()
	return err == nil && os.SameFile(s.info, named)
}

// uploadBody is the request body of an upload. It counts and hashes the data, and holds back the last bytes if the file
// has changed.
type uploadBody struct {
	ctx  context.Context
	src  *sourceFile
	p    *progress
	idle *idleTimer

	mu      sync.Mutex // the transport may read after the response has arrived
	offset  int64
	sum     hash.Hash
	changed bool
}

// Read reads the next bytes of the file.
func (s *uploadBody) Read(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return 0, context.Cause(s.ctx)
	}
	if s.offset == s.src.size {
		return 0, io.EOF
	}
	n, err := s.src.ReadAt(b[:min(int64(len(b)), s.src.size-s.offset)], s.offset)
	if errors.Is(err, io.EOF) && s.offset+int64(n) == s.src.size {
		err = nil
	}
	if err != nil || s.offset+int64(n) == s.src.size && !s.src.unchanged() {
		s.changed = true
		return 0, ErrSourceChanged
	}
	s.sum.Write(b[:n])
	s.offset += int64(n)
	if s.offset == s.src.size {
		s.idle.resetTo(responseTimeout)
	} else {
		s.idle.reset()
	}
	s.p.add(int64(n))
	return n, nil
}

// sent returns the number of bytes sent, their MD5, and whether the file has changed.
func (s *uploadBody) sent() (n int64, sum string, changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.offset, hex.EncodeToString(s.sum.Sum(nil)), s.changed
}

// uploadTask uploads one file.
type uploadTask struct {
	UploadRequest
	size int64
	sum  string // MD5 of the bytes that are stored and verified; "" until then
}

// run uploads the file, and then keeps the access to the object that it replaces. If only that has failed, a retry does
// not send the file again.
func (u *uploadTask) run(ctx context.Context, m *Manager, p *progress) error {
	object := client.ObjectRef{Cluster: u.Cluster, Bucket: u.Bucket, Name: u.Name}
	if u.sum == "" {
		if err := untilTaken(ctx, p, func() error { return u.attempt(ctx, m, p) }); err != nil {
			return err
		}
	} else if there, err := isStored(ctx, m.c, object, u.size, u.sum); err != nil || !there {
		return &AccessError{u.Keep.ACL, cmp.Or(err, errReplaced)}
	}
	return storedObject{object, u.Keep, u.sum != "", u.ACLConsent, u.Reason}.keepAccess(ctx, m.c, p)
}

// errReplaced means that an object is no longer the one that was stored.
var errReplaced = errors.New("it has been replaced since, so lookout did not set its access")

// untilTaken sends a request. While the API or the storage is too busy to take it, it waits and tries again: nothing
// was done then.
func untilTaken(ctx context.Context, p *progress, attempt func() error) error {
	for try := 0; ; try++ {
		err := attempt()
		rest, busy := busyDelay(err)
		if !busy || try == maxAttempts-1 {
			return err
		}
		p.setNote(fmt.Sprintf("attempt %d of %d: %v", try+2, maxAttempts, err))
		if failure := sleep(ctx, max(rest, min(maxBackoff, minBackoff<<try))); failure != nil {
			return failure
		}
		p.setNote("")
	}
}

// attempt uploads the file once.
func (u *uploadTask) attempt(ctx context.Context, m *Manager, p *progress) error {
	src, err := openSource(u.UploadRequest)
	if err != nil {
		return err
	}
	defer src.close()
	p.set(0, src.size)
	within, watch := withIdleTimeout(ctx)
	defer watch.close()
	body := &uploadBody{
		ctx:  within,
		src:  src,
		p:    p,
		idle: watch,
		sum:  md5.New(),
	}
	object := client.ObjectRef{Cluster: u.Cluster, Bucket: u.Bucket, Name: u.Name}
	change := client.Change{
		Op:       client.OpUploadObject,
		Resource: "object",
		ID:       object.ID(),
		Label:    u.Name,
		Reason:   u.Reason,
		Before:   u.Before,
	}
	w, err := m.c.Begin(change, u.Consent)
	if err != nil {
		return err
	}
	return w.UploadObject(within, object, client.UploadBody{
		Reader:      body,
		Size:        src.size,
		ContentType: u.ContentType,
		MustNew:     u.MustNew,
		Settle: func(etag string, err error) error {
			n, sum, changed := body.sent()
			if changed {
				return ErrSourceChanged
			}
			sent := sentBody{object: object, n: n, size: src.size, sum: sum, p: p}
			if err = sent.settle(ctx, m.c, etag, err); err == nil && sent.verified {
				u.size, u.sum = src.size, sum
			}
			return err
		},
	})
}

// A sentBody is the body of an upload after its request has ended.
type sentBody struct {
	object   client.ObjectRef
	n, size  int64  // bytes sent, of how many
	sum      string // MD5 of the bytes sent
	p        *progress
	verified bool // set by settle: the listing shows the size and the MD5 of what was sent
}

// settle decides how an upload ended from its response (an ETag or an error) and from the listing afterwards.
func (s *sentBody) settle(ctx context.Context, c *client.Client, etag string, err error) error {
	var e *client.Error
	if err != nil && (!errors.As(err, &e) || !e.Unknown() || s.n < s.size) {
		if e != nil && e.Unknown() {
			e.Outcome = client.NotSent // the storage does not create an object from an incomplete body
		}
		return err
	}
	// the object may be stored even if the transfer was cancelled meanwhile
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	o, there, failed := c.Objects.Find(ctx, s.object.Cluster, s.object.Bucket, s.object.Name)
	listed := client.UnquoteETag(o.ETag.Raw())
	sized := o.Size == s.size || o.Size < 0 && isMD5(listed)
	matches := failed == nil && there && sized && (!isMD5(listed) || strings.EqualFold(listed, s.sum))
	s.verified = matches && isMD5(listed)
	switch {
	case err != nil && s.verified:
		s.p.setNote("the response was lost, but the listing shows the object: size and MD5 checked")
		return nil
	case err != nil:
		return err
	case failed == nil && !matches:
		return &client.Error{
			Op:        "upload " + client.Clean(s.object.Name),
			Write:     true,
			Presigned: true,
			Outcome:   client.Unknown,
			Detail:    "it was accepted, but the listing does not show the object; refresh the list",
		}
	case isMD5(etag) && !strings.EqualFold(etag, s.sum):
		return fmt.Errorf("%w (the MD5 in the storage is %s, not %s)", ErrCorrupt, etag, s.sum)
	case failed != nil:
		s.p.setNote("accepted by the API, but not verified: the listing could not be read")
	case s.verified:
		s.p.setNote("size and MD5 checked")
	default:
		s.p.setNote("size checked only: the ETag is not the MD5 of the object")
	}
	return nil
}

func (u *uploadTask) cleanUp() {}
