package transfer

import (
	"context"
	"errors"
	"io"
)

// Stream fetches an object into a writer, with the checks of Download. What was written cannot be taken back: where the rest cannot be had of
// exactly this version, or the whole is not the object, the transfer fails after its bytes are out. Folder, Path and what belongs to them do
// not count.
func (m *Manager) Stream(r DownloadRequest, out io.Writer) ID {
	row := Row{Kind: Download, Cluster: r.Cluster, Bucket: r.Bucket, Name: r.Object.Name, Total: r.Object.Size}
	return m.add(row, &streaming{download{DownloadRequest: r}, out}, "")
}

// streaming is the work of fetching one object into a writer.
type streaming struct {
	download
	out io.Writer
}

func (s *streaming) run(ctx context.Context, m *Manager, p *progress) error {
	s.part = &part{file: &outward{out: s.out}}
	if err := s.takeUp(p); err != nil {
		return err
	}
	if err := s.fetch(ctx, m, p); err != nil {
		return err
	}
	return s.verify(p)
}

func (s *streaming) drop() {}

// errOut is a download that would have to begin anew although bytes of it are gone.
var errOut = errors.New("what was written cannot be taken back, and the storage does not go on where it was cut")

// outward is a writer as a file that grows at its end alone.
type outward struct {
	out io.Writer
	at  int64
}

// WriteAt writes behind what was written.
func (o *outward) WriteAt(data []byte, at int64) (int, error) {
	if at != o.at {
		return 0, errOut
	}
	n, err := o.out.Write(data)
	o.at += int64(n)
	return n, err
}

// Truncate refuses to take back what was written.
func (o *outward) Truncate(size int64) error {
	if size != o.at {
		return errOut
	}
	return nil
}

// ReadAt reads nothing: what is out is out.
func (*outward) ReadAt([]byte, int64) (int, error) { return 0, io.EOF }

// Sync does nothing.
func (*outward) Sync() error { return nil }

// Close does nothing.
func (*outward) Close() error { return nil }
