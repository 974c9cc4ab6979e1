package transfer

import (
	"bufio"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"lookout/client"
)

// copyTask stores an object under another name, or in another bucket or cluster. The API cannot copy: the bytes come
// over one pre-signed URL and go over another one, and never touch the disk.
type copyTask struct {
	Source  client.ObjectRef
	Object  *client.Object // the source as listed; its size and ETag identify the version
	Target  client.ObjectRef
	Move    bool // delete the source once the copy is verified
	Same    bool // the comparison has found the same bytes at the target, so nothing is sent
	Consent *client.Consent
	// consent to client.OpDeleteObject on the source, for a move; Consent is for client.OpUploadObject on the target
	DeleteConsent *client.Consent
	Reason        string // why, for the journal
	Before        any    // the object that is replaced, for the journal; nil if there is none
	Keep          KeptACL
	ACLConsent    *client.Consent // for client.OpSetObjectACL on the target, if Keep has an ACL
	MustNew       bool            // fail if an object of the target's name was stored meanwhile, if the API says so

	sum      string // MD5 of the bytes that the target has if the copy is stored; "" if nothing was sent yet
	verified bool   // a fresh listing shows the size and the MD5 of these bytes
}

var (
	// errTargetChanged means that a move would have trusted a copy that is not there any more.
	errTargetChanged = errors.New(
		"the object at the target has changed since it was compared, so nothing was done; start again",
	)
	// errUnverified means that the source of a move was kept.
	errUnverified = errors.New("it was copied, but the listing does not confirm it, so the source was not deleted")
	// errSourceReplaced means that the source of a move is not the object that was copied.
	errSourceReplaced = errors.New("it was copied, but the source has changed since, so the source was not deleted")
)

// TooLargeToCopy is why an object cannot be copied, and what works instead.
const TooLargeToCopy = "it is larger than 5 GiB, the most that the API can store; an S3 client can copy it " +
	"within the storage: create a key with lookout keys create and use rclone copyto"

// copyProblem returns why an object cannot be stored under a name, or "".
func copyProblem(name string, o *client.Object) string {
	switch {
	case o.Size < 0:
		return "its size is unknown"
	case o.Size > client.MaxPutSize:
		return TooLargeToCopy
	}
	return objectNameProblem(name)
}

func (t *copyTask) run(ctx context.Context, m *Manager, p *progress) (err error) {
	if sum, known := t.Object.ETag.MD5(); known && t.Same {
		t.sum = hex.EncodeToString(sum[:])
	}
	if t.verified = false; t.sum != "" {
		t.verified, err = isStored(ctx, m.c, t.Target, t.Object.Size, t.sum)
	}
	switch {
	case err != nil:
		return err
	case t.verified:
		p.set(t.Object.Size, t.Object.Size)
		p.setNote("the copy is there: size and MD5 checked")
	case t.Same:
		return errTargetChanged
	default:
		err = untilTaken(ctx, p, func() error { return t.send(ctx, m, p) })
	}
	if err == nil {
		stored := storedObject{t.Target, t.Keep, t.verified, t.ACLConsent, t.Reason}
		if err = stored.keepAccess(ctx, m.c, p); err != nil && t.Move {
			err = fmt.Errorf("%w; the source was not deleted", err)
		}
	}
	switch {
	case err != nil || !t.Move:
		return err
	case !t.verified:
		return errUnverified
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return untilTaken(ctx, p, func() error { return t.deleteSource(ctx, m, p) })
}

// isStored reports whether a fresh listing shows an object with a size and an MD5.
func isStored(ctx context.Context, c *client.Client, at client.ObjectRef, size int64, sum string) (bool, error) {
	o, there, err := c.Objects.Find(ctx, at.Cluster, at.Bucket, at.Name)
	etag := client.UnquoteETag(o.ETag.Raw())
	return err == nil && there && o.Size == size && strings.EqualFold(etag, sum), err
}

// send copies the object once.
func (t *copyTask) send(ctx context.Context, m *Manager, p *progress) error {
	source, err := t.openSource(ctx, m, p)
	if err != nil {
		return err
	}
	defer source.stop()
	sent, err := put{
		object: t.Target,
		change: client.Change{Reason: t.Reason, Before: t.Before},
		upload: client.UploadBody{
			Size:        t.Object.Size,
			ContentType: cmp.Or(source.header.Get("Content-Type"), ContentType(t.Target.Name)),
			Header:      keptHeader(source.header),
			CopiedFrom:  t.Source.ID(),
			MustNew:     t.MustNew,
		},
		source: source,
	}.send(ctx, m, p, t.Consent)
	if sent.n == t.Object.Size {
		t.sum = sent.sum
	}
	t.verified = sent.verified
	if lost := lostHeader(source.header); err == nil && lost != "" {
		p.addNote("not copied: " + lost)
	}
	return err
}

// keptHeaders are the headers besides the content type that the storage keeps with an object and that a pre-signed URL
// accepts without being made for them.
var keptHeaders = []string{"Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Language"}

// keptHeader returns the headers that a copy gets.
func keptHeader(from http.Header) http.Header {
	kept := http.Header{}
	for _, name := range keptHeaders {
		if value := from.Get(name); value != "" {
			kept.Set(name, value)
		}
	}
	return kept
}

// lostHeader names the metadata of an object that a copy does not get: the API signs no URL that would store it.
func lostHeader(from http.Header) string {
	var lost []string
	for name := range from {
		if strings.HasPrefix(name, "X-Amz-Meta-") {
			lost = append(lost, strings.ToLower(name))
		}
	}
	slices.Sort(lost)
	return strings.Join(lost, ", ")
}

// deleteSource deletes the source of a move, if it is still the version that was copied.
func (t *copyTask) deleteSource(ctx context.Context, m *Manager, p *progress) error {
	now, there, err := m.c.Objects.Find(ctx, t.Source.Cluster, t.Source.Bucket, t.Source.Name)
	switch {
	case err != nil:
		return fmt.Errorf("it was copied, but the source was not deleted: %w", err)
	case !there:
		p.addNote("the source is already gone")
		return nil
	case now.Size != t.Object.Size || now.ETag != t.Object.ETag || !now.Modified.Time().Equal(t.Object.Modified.Time()):
		return errSourceReplaced
	}
	w, err := m.c.Begin(client.Change{
		Op:       client.OpDeleteObject,
		Resource: "object",
		ID:       t.Source.ID(),
		Label:    t.Source.Name,
		Reason:   t.Reason,
		Before:   *t.Object,
		Body:     map[string]any{"moved_to": t.Target.ID()},
	}, t.DeleteConsent)
	if err != nil {
		return err
	}
	if err := w.DeleteObject(context.WithoutCancel(ctx), t.Source); err != nil {
		return fmt.Errorf("it was copied, but the source was not deleted: %w", err)
	}
	return nil
}

func (t *copyTask) cleanUp() {}

// objectSource is the download of the source, which writes into a pipe.
type objectSource struct {
	data   *bufio.Reader
	size   int64
	header http.Header   // of the storage's answer
	ended  chan struct{} // is closed when the download has ended
	err    error         // why it failed, once it has ended
	cancel func()
}

// openSource begins to download the source and waits for its first byte, so that nothing is recorded or sent for a
// source that cannot be read.
func (t *copyTask) openSource(ctx context.Context, m *Manager, p *progress) (*objectSource, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	out, in := io.Pipe()
	source := DownloadRequest{Cluster: t.Source.Cluster, Bucket: t.Source.Bucket, Object: *t.Object}
	download := &streamTask{downloadTask{DownloadRequest: source, oneStream: true}, in} // the upload is one too
	s := &objectSource{
		data:  bufio.NewReaderSize(out, bufferSize),
		size:  t.Object.Size,
		ended: make(chan struct{}),
	}
	s.cancel = func() {
		cancel(nil)
		out.Close()
	}
	go func() {
		s.err = download.run(ctx, m, p)
		in.CloseWithError(s.err)
		close(s.ended)
	}()
	_, err := s.data.Peek(1)
	if t.Object.Size == 0 {
		<-s.ended
		err = s.err
	}
	if s.header = download.header; err == nil && s.header == nil { // an empty object is not fetched
		var res *http.Response
		if res, err = download.open(ctx, m, 0, 0); err == nil {
			s.header = res.Header
			res.Body.Close()
		}
	}
	if err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// stop ends the download.
func (s *objectSource) stop() {
	s.cancel()
	<-s.ended
}

// next reads the next bytes of the source, and holds back the last ones until the download has proved that they are
// those of the object. The download counts the progress.
func (s *objectSource) next(into []byte, offset int64, _ *progress) (int, error) {
	n, err := s.data.Read(into)
	if err == nil && s.size == offset+int64(n) {
		<-s.ended
		err = s.err
	}
	return n, err
}

// A CopySpec says what is copied or moved where: objects of the bucket of From become objects of the bucket of To,
// named To.Name followed by their paths.
type CopySpec struct {
	Kind     Kind // Copy or Move
	From, To client.ObjectRef
}

// Plan returns the copies that objects of a bucket become. It leaves out what is too large, what would replace itself
// or another object of the plan, and two objects that would get one name. It looks up whether both places are the same
// bucket: one that has a cluster and a region can be named by both.
func (q CopySpec) Plan(ctx context.Context, c *client.Client, selected []DownloadItem) (p Plan, err error) {
	same, err := isSameBucket(ctx, c, q.From, q.To)
	if err != nil {
		return p, err
	}
	if same {
		q.To.Cluster = q.From.Cluster
	}
	p = newPlan(q.Kind)
	p.Cluster, p.Bucket, p.Prefix = q.To.Cluster, q.To.Bucket, q.To.Name
	p.From.Cluster, p.From.Bucket = q.From.Cluster, q.From.Bucket
	sources := map[string]bool{}
	for i := range selected {
		sources[selected[i].Object.Name.Raw()] = same
	}
	for i := range selected {
		s := &selected[i]
		source, name := s.Object.Name.Raw(), q.To.Name+s.Path
		if name == "" { // the object of the folder itself; a bucket needs none
			p.FolderMarkers++
			continue
		}
		reason := copyProblem(name, &s.Object)
		_, _, taken := p.find(name)
		switch {
		case reason != "":
		case sources[name] && name == source:
			reason = "it has this name already"
		case sources[name]:
			reason = client.Clean(name) + " is to be copied itself; copy it first"
		case taken:
			reason = "another object is stored as " + client.Clean(name)
		}
		if reason != "" {
			p.skip(source, reason)
			continue
		}
		p.add(PlannedFile{Name: name, Source: &s.Object, Path: source, Size: s.Object.Size})
	}
	return p, nil
}

// isSameBucket reports whether two references are to one bucket.
func isSameBucket(ctx context.Context, c *client.Client, from, to client.ObjectRef) (bool, error) {
	if from.Bucket != to.Bucket || from.Cluster == to.Cluster {
		return from.Bucket == to.Bucket, nil
	}
	source, err := c.Buckets.Get(ctx, from.Cluster, from.Bucket)
	if err != nil {
		return false, err
	}
	target, err := c.Buckets.Get(ctx, to.Cluster, to.Bucket)
	if err != nil {
		return false, err
	}
	if source.Hostname.Raw() == "" || target.Hostname.Raw() == "" {
		return false, fmt.Errorf(
			"the API does not say whether %s and %s are the same bucket",
			client.Clean(
				client.BucketID(from.Cluster, from.Bucket),
			),
			client.Clean(client.BucketID(to.Cluster, to.Bucket)),
		)
	}
	return source.Hostname == target.Hostname, nil
}
