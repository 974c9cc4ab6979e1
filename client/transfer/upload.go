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
	"unicode/utf8"

	"lookout/client"
)

// An UploadRequest describes a local file to store as an object.
type UploadRequest struct {
	Cluster, Bucket, Name string
	File                  string          // local file
	Folder                string          // if set, File is slash-separated, relative to it and cannot leave it
	ContentType           string          // "" means ContentType(Name)
	Consent               *client.Consent // for client.OpUploadObject on the object
	Reason                string          // why, for the journal
	Before                any             // the object that is replaced, for the journal; nil if there is none
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
}

// openSource opens a regular file. It does not open anything else: opening a pipe could block forever.
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
	_, err = w.UploadObject(within, object, client.ObjectBody{
		Reader:      body,
		Size:        src.size,
		ContentType: u.ContentType,
		Settle: func(etag string, err error) error {
			return u.decideOutcome(ctx, m.c, body, etag, err)
		},
	})
	return err
}

// decideOutcome decides how an upload ended from its response (an ETag or an error) and from the listing afterwards.
func (u *uploadTask) decideOutcome(
	ctx context.Context, c *client.Client, body *uploadBody, etag string, err error,
) error {
	n, sum, changed := body.sent()
	var e *client.Error
	switch {
	case changed:
		return ErrSourceChanged
	case err != nil && (!errors.As(err, &e) || !e.Unknown() || n < body.src.size):
		if e != nil && e.Unknown() {
			e.Outcome = client.NotSent // the storage does not create an object from an incomplete body
		}
		return err
	}
	// the object may be stored even if the transfer was cancelled meanwhile
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	o, there, failure := c.Objects.Find(ctx, u.Cluster, u.Bucket, u.Name)
	listed := client.UnquoteETag(o.ETag.Raw())
	sized := o.Size == body.src.size || o.Size < 0 && isMD5(listed)
	matches := failure == nil && there && sized && (!isMD5(listed) || strings.EqualFold(listed, sum))
	sure := matches && isMD5(listed)
	switch {
	case err != nil && sure:
		body.p.setNote("the response was lost, but the listing shows the object: size and MD5 checked")
		return nil
	case err != nil:
		return err
	case failure == nil && !matches:
		return &client.Error{
			Op:        "upload " + client.Clean(u.Name),
			Write:     true,
			Presigned: true,
			Outcome:   client.Unknown,
			Detail:    "it was accepted, but the listing does not show the object; refresh the list",
		}
	case isMD5(etag) && !strings.EqualFold(etag, sum):
		return fmt.Errorf("%w: the MD5 in the storage is %s, not %s", ErrCorrupt, etag, sum)
	case failure != nil:
		body.p.setNote("accepted; not checked, because the listing could not be read")
	case sure:
		body.p.setNote("size and MD5 checked")
	default:
		body.p.setNote("size checked only: the ETag is not the MD5 of the object")
	}
	return nil
}

func (u *uploadTask) cleanUp() {}

// A LocalFile is a file of a folder that can be uploaded.
type LocalFile struct {
	Path string // slash-separated and relative to the folder; raw, not safe to display
	Size int64
}

// A SkippedFile is an entry of a folder that is not uploaded, and why. Path is raw and not safe to display.
type SkippedFile struct{ Path, Reason string }

// Error returns both on one line.
func (s SkippedFile) Error() string { return client.Clean(s.Path) + ": " + s.Reason }

// ScanFolder returns the files below a folder that can be uploaded as objects whose names begin with a prefix, and
// those that cannot: links and everything else that is not a regular file, files that are too large or cannot be
// read, and names that the API does not accept.
func ScanFolder(ctx context.Context, folder, prefix string) (files []LocalFile, skipped []SkippedFile, err error) {
	root, err := whenHandlesAreFree(ctx, func() (*os.Root, error) { return os.OpenRoot(folder) })
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	skip := func(name, reason string) { skipped = append(skipped, SkippedFile{name, reason}) }
	err = fs.WalkDir(patientFS{ctx, root.FS()}, ".", func(name string, d fs.DirEntry, err error) error {
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
		info, err := whenHandlesAreFree(ctx, d.Info)
		problem := objectNameProblem(prefix + name)
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			skip(name, "it is a link")
		case !d.Type().IsRegular():
			skip(name, "it is not a regular file")
		case err != nil:
			skip(name, "it cannot be read")
		case info.Size() > client.MaxPutSize:
			skip(name, "it is larger than 5 GiB")
		case problem != "":
			skip(name, problem)
		case !isReadable(ctx, root, name):
			skip(name, "it cannot be read")
		default:
			files = append(files, LocalFile{name, info.Size()})
		}
		return nil
	})
	return files, skipped, err
}

// isReadable reports whether a regular file can be opened.
func isReadable(ctx context.Context, root *os.Root, name string) bool {
	f, err := whenHandlesAreFree(ctx, func() (*os.File, error) { return root.Open(name) })
	if err != nil {
		return false
	}
	f.Close()
	return true
}

// A FolderUpload describes the files of a folder to store as objects.
type FolderUpload struct {
	Cluster, Bucket string
	Prefix          string // names of the objects are prefix plus path
	Folder          string
	Files           []LocalFile
	Skipped         []SkippedFile   // are not sent; the list of transfers names them
	Consent         *client.Consent // for client.OpUploadObject on all objects
}

// UploadFolder adds an upload for each file of a folder, and a failed one for each file that is not sent. It returns
// the IDs of the uploads, and all files that are not sent: those that r skips and those that were refused just now.
func (m *Manager) UploadFolder(r FolderUpload) (ids []ID, skipped []SkippedFile) {
	batch := openBatch(m, Batch{Kind: Upload, Bucket: r.Bucket, Folder: r.Folder})
	defer func() { closeBatch(m, batch, ids) }()
	refuse := func(f SkippedFile) {
		skipped = append(skipped, f)
		m.addRefused(Status{
			Batch:     batch,
			Kind:      Upload,
			Cluster:   r.Cluster,
			Bucket:    r.Bucket,
			Name:      client.NewText(r.Prefix + f.Path),
			LocalPath: client.NewText(filepath.Join(r.Folder, filepath.FromSlash(f.Path))),
		}, errors.New(f.Reason))
	}
	for _, f := range r.Skipped {
		refuse(f)
	}
	for _, f := range r.Files {
		id, err := m.Upload(UploadRequest{
			Cluster: r.Cluster,
			Bucket:  r.Bucket,
			Name:    r.Prefix + f.Path,
			File:    f.Path,
			Folder:  r.Folder,
			Consent: r.Consent,
			batch:   batch,
		})
		if err != nil {
			refuse(SkippedFile{f.Path, err.Error()})
			continue
		}
		ids = append(ids, id)
	}
	return ids, skipped
}
