package transfer

import (
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

	"lookout/client"
)

// An UploadRequest is one file to be stored as an object.
type UploadRequest struct {
	Cluster, Bucket, Name string
	File                  string // of this machine
	Folder                string // where not "", File is relative to it, with slashes, and links do not lead out of it
	ContentType           string // content type; "" is guessed from the name
	batch                 int
}

// Upload stores a file as an object, in place of one of that name: ask Existing before. A file that is none, or too
// large, is told before anything is sent. Its bytes are sent once; sending them again takes Retry.
func (m *Manager) Upload(r UploadRequest) (ID, error) {
	if r.Name == "" || len(r.Name) > 1024 {
		return 0, errors.New("an object's name has 1 to 1024 bytes")
	}
	if r.ContentType == "" {
		r.ContentType = ContentType(r.Name)
	}
	var local string
	if r.Folder == "" {
		abs, err := filepath.Abs(r.File)
		if err != nil {
			return 0, err
		}
		r.File, local = abs, abs
	} else {
		local = filepath.Join(r.Folder, filepath.FromSlash(r.File))
	}
	src, err := openSource(r)
	if err != nil {
		return 0, sanitizedError{err}
	}
	src.Close()
	row := Status{
		Batch:     r.batch,
		Kind:      Upload,
		Cluster:   r.Cluster,
		Bucket:    r.Bucket,
		Name:      client.NewText(r.Name),
		LocalPath: client.NewText(local),
		Total:     src.size,
	}
	return m.add(row, &uploadTask{r}, ""), nil
}

// ContentType is the content type that a name's ending stands for.
func ContentType(name string) string {
	if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
		return kind
	}
	return "application/octet-stream"
}

// ExistingObject is the object that an upload of a name would replace; false where there is none.
func (m *Manager) ExistingObject(ctx context.Context, cluster, bucket, name string) (client.Object, bool, error) {
	return m.c.Objects.Find(ctx, cluster, bucket, name)
}

// ErrSourceChanged is a file that was written to, cut or replaced while it was sent. No object was made of it.
var ErrSourceChanged = errors.New("the file changed while it was being sent, so nothing was stored")

// sourceFile is a file that is being sent: what is open, and what its name stood for then.
type sourceFile struct {
	*os.File
	size int64
	info fs.FileInfo
	stat func() (fs.FileInfo, error) // what the name stands for now
}

// openSource opens an ordinary file. Nothing else is opened: a pipe would wait for ever.
func openSource(r UploadRequest) (*sourceFile, error) {
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
		return nil, fmt.Errorf("%s is no ordinary file", client.Clean(r.File))
	case before.Size() > client.MaxPutSize:
		return nil, fmt.Errorf(
			"%s has %d bytes; one object can be sent with at most 5 GiB (%d bytes)",
			client.Clean(r.File),
			before.Size(),
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

// unchanged reports whether the open file, and what its name stands for, are as they were.
func (s *sourceFile) unchanged() bool {
	open, err := s.Stat()
	if err != nil || open.Size() != s.size || !open.ModTime().Equal(s.info.ModTime()) {
		return false
	}
	named, err := s.stat()
	return err == nil && os.SameFile(s.info, named)
}

// uploadBody is the body of an upload as it goes out: counted, summed, and held back at its last bytes where the file
// has changed.
type uploadBody struct {
	ctx  context.Context
	src  *sourceFile
	p    *progress
	idle *idleTimer

	mu      sync.Mutex // the transport may still read when its answer is here
	offset  int64
	sum     hash.Hash
	changed bool
}

// Read gives the next bytes.
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

// sent is how many bytes went out, and their MD5.
func (s *uploadBody) sent() (n int64, sum string, changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.offset, hex.EncodeToString(s.sum.Sum(nil)), s.changed
}

// uploadTask is the work of storing one file.
type uploadTask struct{ UploadRequest }

func (u *uploadTask) run(ctx context.Context, m *Manager, p *progress) error {
	src, err := openSource(u.UploadRequest)
	if err != nil {
		return err
	}
	defer src.Close()
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
	_, err = m.c.Objects.Put(
		within,
		u.Cluster,
		u.Bucket,
		u.Name,
		client.ObjectBody{Reader: body, Size: src.size, ContentType: u.ContentType},
		func(etag string, err error) error { return u.decideOutcome(ctx, m, p, body, etag, err) },
	)
	return err
}

// decideOutcome decides how an upload ended: from its answer, and from what the listing has afterwards.
func (u *uploadTask) decideOutcome(
	ctx context.Context,
	m *Manager,
	p *progress,
	body *uploadBody,
	etag string,
	err error,
) error {
	n, sum, changed := body.sent()
	var e *client.Error
	switch {
	case changed:
		return ErrSourceChanged
	case err != nil && (!errors.As(err, &e) || !e.Unknown() || n < body.src.size):
		if e != nil && e.Unknown() {
			e.Outcome = client.NotSent // the storage makes no object of a body that is cut
		}
		return err
	}
	// what is stored is stored, whoever left meanwhile
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	o, there, failure := m.c.Objects.Find(ctx, u.Cluster, u.Bucket, u.Name)
	listed := client.UnquoteETag(o.ETag.Raw())
	sized := o.Size == body.src.size || o.Size < 0 && isMD5(listed)
	matches := failure == nil && there && sized && (!isMD5(listed) || strings.EqualFold(listed, sum))
	sure := matches && isMD5(listed)
	switch {
	case err != nil && sure:
		p.setNote("the answer was lost, but the listing has it: size and MD5 checked")
		return nil
	case err != nil:
		return err
	case failure == nil && !matches:
		return &client.Error{
			Op:        "upload " + client.Clean(u.Name),
			Write:     true,
			Presigned: true,
			Outcome:   client.Unknown,
			Detail:    "it was accepted, but the listing does not show what was sent",
		}
	case isMD5(etag) && !strings.EqualFold(etag, sum):
		return fmt.Errorf("%w: the storage has the MD5 %s, not %s", ErrCorrupt, etag, sum)
	case failure != nil:
		p.setNote("accepted; the listing could not be read to check it")
	case sure:
		p.setNote("size and MD5 checked")
	default:
		p.setNote("size checked only: the etag is not the MD5 of the object")
	}
	return nil
}

func (u *uploadTask) cleanUp() {}

// A LocalFile is one file of a folder that can be sent.
type LocalFile struct {
	Path string // with slashes, relative to the folder; as the system gives it, not for drawing
	Size int64
}

// A SkippedFile is something of a folder that cannot be sent, and why. Path is as the system gives it, not for drawing.
type SkippedFile struct{ Path, Reason string }

// ScanFolder lists what of a folder and all below it can be sent. Links are not followed: they are skipped, and so is
// all that is no ordinary file.
func ScanFolder(ctx context.Context, folder string) (files []LocalFile, skipped []SkippedFile, err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	skip := func(name, reason string) { skipped = append(skipped, SkippedFile{name, reason}) }
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			skip(name, "it cannot be read")
			return nil
		}
		if d.IsDir() {
			return nil
		}
		info, err := d.Info()
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			skip(name, "it is a link")
		case !d.Type().IsRegular():
			skip(name, "it is no ordinary file")
		case err != nil:
			skip(name, "it cannot be read")
		case info.Size() > client.MaxPutSize:
			skip(name, "it is larger than 5 GiB")
		default:
			files = append(files, LocalFile{name, info.Size()})
		}
		return nil
	})
	return files, skipped, err
}

// UploadFolder stores files of a folder as prefix and their paths. Files that cannot be taken any more are given with
// their reasons.
func (m *Manager) UploadFolder(
	cluster, bucket, prefix, folder string,
	files []LocalFile,
) (ids []ID, skipped []SkippedFile) {
	batch := m.openBatch(Batch{Kind: Upload, Bucket: bucket, Folder: folder})
	defer func() { m.closeBatch(batch, ids) }()
	for _, f := range files {
		id, err := m.Upload(UploadRequest{
			Cluster: cluster,
			Bucket:  bucket,
			Name:    prefix + f.Path,
			File:    f.Path,
			Folder:  folder,
			batch:   batch,
		})
		if err != nil {
			skipped = append(skipped, SkippedFile{f.Path, err.Error()})
			continue
		}
		ids = append(ids, id)
	}
	return ids, skipped
}
