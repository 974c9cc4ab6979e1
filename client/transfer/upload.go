package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"os"
	"path"
	"path/filepath"
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

// next reads the next bytes of the file, and holds back the last ones if it has changed.
func (s *sourceFile) next(into []byte, offset int64, p *progress) (int, error) {
	n, err := s.ReadAt(into, offset)
	end := offset+int64(n) == s.size
	if err != nil && !(end && errors.Is(err, io.EOF)) || end && !s.unchanged() {
		return 0, ErrSourceChanged
	}
	p.add(int64(n))
	return n, nil
}

// stop does nothing: no read takes long.
func (s *sourceFile) stop() {}

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
	sent, err := put{
		object: client.ObjectRef{Cluster: u.Cluster, Bucket: u.Bucket, Name: u.Name},
		change: client.Change{Reason: u.Reason, Before: u.Before},
		upload: client.UploadBody{Size: src.size, ContentType: u.ContentType, MustNew: u.MustNew},
		source: src,
	}.send(ctx, m, p, u.Consent)
	if err == nil && sent.verified {
		u.size, u.sum = sent.size, sent.sum
	}
	return err
}

func (u *uploadTask) cleanUp() {}
