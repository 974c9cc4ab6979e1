package transfer

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"

	"lookout/client"
)

// Limits of parallel downloads. The memory of one is at most 1+maxExtraRanges ranges.
const (
	defaultParallelFrom = 64 << 20 // bytes left from which on a download uses several connections
	defaultRangeSize    = 8 << 20
	maxConnections      = 4 // of one download
	maxExtraRanges      = 4 // ranges that are read beside the first one of each download, in all downloads
	maxRangeAttempts    = 4 // attempts for one range before the whole download pauses
)

// parallelism says how much of a transfer is done at the same time.
type parallelism struct {
	deletes   *deletePace
	from      int64 // bytes left from which on a download is split
	rangeSize int64
	extra     chan struct{} // holds a value for each further range in memory
}

func newParallelism() parallelism {
	return parallelism{
		deletes:   &deletePace{slots: make(chan struct{}, maxConcurrentDeletes)},
		from:      defaultParallelFrom,
		rangeSize: defaultRangeSize,
		extra:     make(chan struct{}, maxExtraRanges),
	}
}

// A rangeReader reads the rest of an object over several connections, one range after another on each. It yields the
// bytes in their order, so a partial file is always the beginning of its object; what arrives earlier waits in memory.
type rangeReader struct {
	d       *downloadTask
	m       *Manager
	ctx     context.Context
	stop    context.CancelFunc
	idle    *idleTimer // of the whole download
	workers sync.WaitGroup
	queue   chan *rangePart // in their order
	current *rangePart      // the one that is read
	failure error           // why the bytes end early
	own     chan struct{}   // the token of the range that each download may always have in memory

	mu   sync.Mutex
	next int64    // where the next range begins
	free [][]byte // memory of ranges that were read
}

// newRangeReader reads from where the part ends. first is the answer to the request for the first range.
func newRangeReader(
	ctx context.Context, d *downloadTask, m *Manager, first *http.Response, idle *idleTimer,
) *rangeReader {
	r := &rangeReader{
		d:     d,
		m:     m,
		idle:  idle,
		next:  d.part.size,
		queue: make(chan *rangePart, 1+cap(m.parallel.extra)),
		own:   make(chan struct{}, 1),
	}
	r.ctx, r.stop = context.WithCancel(ctx)
	begin := r.begin(r.own)
	r.workers.Go(func() {
		begin.finish(r.fetch(begin, first))
		r.work(r.own)
	})
	for range maxConnections - 1 {
		r.workers.Go(func() { r.work(m.parallel.extra) })
	}
	return r
}

// work reads ranges until there is none left.
func (r *rangeReader) work(tokens chan struct{}) {
	for part := r.begin(tokens); part != nil; part = r.begin(tokens) {
		part.finish(r.fetch(part, nil))
	}
}

// begin waits until there is room for a range and returns the next one; nil at the end.
func (r *rangeReader) begin(tokens chan struct{}) *rangePart {
	select {
	case tokens <- struct{}{}:
	case <-r.ctx.Done():
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n := min(r.m.parallel.rangeSize, r.d.Object.Size-r.next)
	if n == 0 || r.ctx.Err() != nil {
		<-tokens
		return nil
	}
	var data []byte
	if last := len(r.free) - 1; last >= 0 {
		data, r.free = r.free[last], r.free[:last]
	} else {
		data = make([]byte, n)
	}
	part := &rangePart{
		from:   r.next,
		data:   data[:n],
		tokens: tokens,
		grown:  make(chan struct{}, 1),
	}
	r.next += n
	r.queue <- part
	return part
}

// release makes room for another range.
func (r *rangeReader) release(part *rangePart) {
	r.mu.Lock()
	r.free = append(r.free, part.data)
	r.mu.Unlock()
	<-part.tokens
}

// fetch reads a range. res is the answer to the request for it, if there was one.
func (r *rangeReader) fetch(part *rangePart, res *http.Response) error {
	for try := 1; ; try++ {
		err := r.attempt(part, res)
		if err == nil || r.ctx.Err() != nil {
			return err
		}
		rest, again := retryDelay(err)
		if !again || try == maxRangeAttempts {
			return err
		}
		r.idle.reset()
		rest = max(rest, minBackoff<<(try-1))
		if err := sleep(r.ctx, rest/2+rand.N(rest/2+1)); err != nil {
			return err
		}
		res = nil
	}
}

// attempt reads what is missing of a range over one connection.
func (r *rangeReader) attempt(part *rangePart, res *http.Response) (err error) {
	ctx, watch := withIdleTimeout(r.ctx)
	defer watch.close()
	if res == nil {
		from, end := part.from+int64(part.size), part.from+int64(len(part.data))
		if res, err = r.d.open(ctx, r.m, from, end); err != nil {
			return err
		}
		if !r.d.isPart(res, from, end) {
			res.Body.Close()
			return errBadResponse
		}
	}
	defer res.Body.Close()
	for part.size < len(part.data) {
		n, err := res.Body.Read(part.data[part.size:])
		if n > 0 {
			part.add(n)
			watch.reset()
			r.idle.reset()
		}
		switch {
		case part.size == len(part.data):
		case err != nil && ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return errConnectionCut
		}
	}
	if res.ContentLength >= 0 {
		_, _ = res.Body.Read(make([]byte, 1)) // sees the end, so that the connection can be used again
	}
	return nil
}

// Read reads the next bytes of the object.
func (r *rangeReader) Read(into []byte) (n int, err error) {
	if r.current == nil {
		r.mu.Lock()
		ended := r.next == r.d.Object.Size && len(r.queue) == 0
		r.mu.Unlock()
		if ended {
			return 0, io.EOF
		}
		select {
		case r.current = <-r.queue:
		case <-r.ctx.Done():
			return 0, context.Cause(r.ctx)
		}
	}
	n, err = r.current.Read(r.ctx, into)
	if r.current.read == len(r.current.data) {
		r.release(r.current)
		r.current, err = nil, nil
	}
	r.failure = err
	return n, err
}

// Close ends the requests and waits for them.
func (r *rangeReader) Close() {
	r.stop()
	r.workers.Wait()
	if r.current != nil {
		r.release(r.current)
	}
	for len(r.queue) > 0 {
		r.release(<-r.queue)
	}
}

// A rangePart is one range of an object in memory. One goroutine fills it while another one reads it.
type rangePart struct {
	from   int64
	data   []byte
	tokens chan struct{} // holds a value for it
	read   int           // bytes that were taken
	size   int           // bytes that have arrived; only the goroutine that fills it uses it

	mu      sync.Mutex
	ready   int   // the same for the goroutine that reads
	failure error // why no more arrive
	grown   chan struct{}
}

// add counts bytes that have arrived.
func (p *rangePart) add(n int) {
	p.size += n
	p.mu.Lock()
	p.ready = p.size
	p.mu.Unlock()
	notify(p.grown)
}

// finish says why no more bytes arrive; nil if all have.
func (p *rangePart) finish(err error) {
	p.mu.Lock()
	p.failure = err
	p.mu.Unlock()
	notify(p.grown)
}

// Read waits for bytes and takes them.
func (p *rangePart) Read(ctx context.Context, into []byte) (int, error) {
	for {
		p.mu.Lock()
		ready, failure := p.ready, p.failure
		p.mu.Unlock()
		switch {
		case ready > p.read:
			n := copy(into, p.data[p.read:ready])
			p.read += n
			return n, nil
		case failure != nil:
			return 0, failure
		}
		select {
		case <-p.grown:
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
}

// open requests the bytes of the object from one up to another; an end of 0 means up to its own.
func (d *downloadTask) open(ctx context.Context, m *Manager, from, end int64) (*http.Response, error) {
	object := client.ObjectRef{Cluster: d.Cluster, Bucket: d.Bucket, Name: d.Object.Name.Raw()}
	res, err := m.c.Objects.Get(ctx, object, client.GetObjectOptions{
		From: from,
		End:  end,
		ETag: d.etag(),
		Link: &d.link,
	})
	var refused *client.Error
	if errors.As(err, &refused) && refused.Presigned && refused.Status == http.StatusPreconditionFailed {
		return nil, ErrObjectChanged
	}
	if err != nil {
		return nil, err
	}
	etag := client.UnquoteETag(res.Header.Get("ETag"))
	if etag != "" && d.etag() != "" && etag != d.etag() && etag != `W/"`+d.etag()+`"` {
		res.Body.Close()
		return nil, ErrObjectChanged
	}
	return res, nil
}

// split returns the end of the first range if the rest of the object is to be read in several; 0 if not. Without an
// ETag the ranges might belong to different versions.
func (d *downloadTask) split(m *Manager) int64 {
	if d.oneStream || d.etag() == "" || d.Object.Size-d.part.size < m.parallel.from {
		return 0
	}
	return d.part.size + m.parallel.rangeSize
}
