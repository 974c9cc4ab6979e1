package transfer

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"lookout/client"
)

// A byteSource is what is stored: a file, or another object.
type byteSource interface {
	// next reads the next bytes, which begin at an offset. It fails instead of giving the last ones if these are not
	// the bytes that were to be stored.
	next(into []byte, offset int64, p *progress) (int, error)
	stop() // ends a read that waits
}

// A put stores an object: an upload, or the second half of a copy.
type put struct {
	object client.ObjectRef
	change client.Change // the reason, and the object that is replaced
	upload client.UploadBody
	source byteSource
}

// send sends the request once, and decides from its answer and from the listing whether the object is stored.
func (u put) send(ctx context.Context, m *Manager, p *progress, consent *client.Consent) (sent sentBody, err error) {
	u.change.Op, u.change.Resource = client.OpUploadObject, "object"
	u.change.ID, u.change.Label = u.object.ID(), u.object.Name
	w, err := m.c.Begin(u.change, consent)
	if err != nil {
		return sent, err
	}
	within, watch := withIdleTimeout(ctx)
	defer watch.close()
	body := &putBody{put: u, ctx: within, idle: watch, p: p, sum: md5.New()}
	u.upload.Reader = body
	u.upload.Settle = func(etag string, err error) error {
		if sent = body.end(); body.failure != nil {
			return body.failure
		}
		return sent.settle(ctx, m.c, etag, err)
	}
	err = w.UploadObject(within, u.object, u.upload)
	return sent, err
}

// putBody is the request body of a put. It counts and hashes what is sent.
type putBody struct {
	put
	ctx    context.Context
	idle   *idleTimer
	p      *progress
	ending atomic.Bool // nobody wants the rest: an error says nothing about the source

	mu      sync.Mutex // the transport may read after the response has arrived
	offset  int64
	sum     hash.Hash
	failure error // why the source could not be read
}

// Read reads the next bytes of the source.
func (b *putBody) Read(into []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch left := b.upload.Size - b.offset; {
	case b.ctx.Err() != nil:
		return 0, context.Cause(b.ctx)
	case b.failure != nil:
		return 0, b.failure
	case left == 0:
		return 0, io.EOF
	default:
		into = into[:min(int64(len(into)), left)]
	}
	n, err := b.source.next(into, b.offset, b.p)
	if err != nil {
		if !b.ending.Load() {
			b.failure = err
		}
		return 0, err
	}
	b.sum.Write(into[:n])
	b.offset += int64(n)
	if b.offset == b.upload.Size {
		b.idle.resetTo(responseTimeout)
	} else {
		b.idle.reset()
	}
	return n, nil
}

// end stops the source, since the transport may still wait for it, and returns what was sent until then.
func (b *putBody) end() sentBody {
	b.ending.Store(true)
	b.source.stop()
	b.mu.Lock()
	defer b.mu.Unlock()
	sum := hex.EncodeToString(b.sum.Sum(nil))
	return sentBody{object: b.object, n: b.offset, size: b.upload.Size, sum: sum, p: b.p}
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
