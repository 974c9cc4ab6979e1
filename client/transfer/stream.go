package transfer

import (
	"context"
	"errors"
	"io"
)

// Stream fetches an object into a writer, with the checks of Download. What was written cannot be taken back: where the
// rest cannot be had of exactly this version, or the whole is not the object, the transfer fails after its bytes are
// out. Folder, Path and what belongs to them do not count.
func (m *Manager) Stream(r DownloadRequest, out io.Writer) ID {
	row := Status{
		Kind:    Download,
		Cluster: r.Cluster,
		Bucket:  r.Bucket,
		Name:    r.Object.Name,
		Total:   r.Object.Size,
	}
	return m.add(row, &streamTask{downloadTask{DownloadRequest: r}, out}, "")
}

// streamTask is the work of fetching one object into a writer.
type streamTask struct {
	downloadTask
	out io.Writer
}

func (s *streamTask) run(ctx context.Context, m *Manager, p *progress) error {
	s.part = &partFile{file: &appendOnlyFile{out: s.out}}
	if err := s.resume(p); err != nil {
		return err
	}
	if err := s.fetch(ctx, m, p); err != nil {
		return err
	}
	return s.verify(p)
}

func (s *streamTask) cleanUp() {}

// errCannotRewind is a download that would have to begin anew although bytes of it are gone.
var errCannotRewind = errors.New(
	"what was written cannot be taken back, and the storage does not go on where it was cut",
)

// appendOnlyFile is a writer as a file that grows at its end alone.
type appendOnlyFile struct {
	out    io.Writer
	offset int64
}

// WriteAt writes behind what was written.
func (o *appendOnlyFile) WriteAt(data []byte, at int64) (int, error) {
	if at != o.offset {
		return 0, errCannotRewind
	}
	n, err := o.out.Write(data)
	o.offset += int64(n)
	return n, err
}

// Truncate refuses to take back what was written.
func (o *appendOnlyFile) Truncate(size int64) error {
	if size != o.offset {
		return errCannotRewind
	}
	return nil
}

// ReadAt reads nothing: what is out is out.
func (*appendOnlyFile) ReadAt([]byte, int64) (int, error) { return 0, io.EOF }

// Sync does nothing.
func (*appendOnlyFile) Sync() error { return nil }

// Close does nothing.
func (*appendOnlyFile) Close() error { return nil }
