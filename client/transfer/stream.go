package transfer

import (
	"context"
	"errors"
	"io"
)

// Stream adds a download to a writer, with the checks of Download. Written data cannot be taken back, so a transfer
// that cannot continue this version of the object, or that receives wrong data, fails after its data was written.
// Stream ignores the fields of the request that concern files.
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

// streamTask downloads one object to a writer.
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

// errCannotRewind means that a download would have to start again although its data is already written.
var errCannotRewind = errors.New(
	"the storage cannot resume the download, and the data already written cannot be taken back",
)

// appendOnlyFile adapts a writer to the file interface. It can only grow.
type appendOnlyFile struct {
	out    io.Writer
	offset int64
}

// WriteAt writes at the current end. Any other offset is an error.
func (o *appendOnlyFile) WriteAt(data []byte, at int64) (int, error) {
	if at != o.offset {
		return 0, errCannotRewind
	}
	n, err := o.out.Write(data)
	o.offset += int64(n)
	return n, err
}

// Truncate fails if it would have to remove written data.
func (o *appendOnlyFile) Truncate(size int64) error {
	if size != o.offset {
		return errCannotRewind
	}
	return nil
}

// ReadAt always returns io.EOF.
func (*appendOnlyFile) ReadAt([]byte, int64) (int, error) { return 0, io.EOF }

// Sync does nothing.
func (*appendOnlyFile) Sync() error { return nil }

// Close does nothing.
func (*appendOnlyFile) Close() error { return nil }
