package transfer

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"lookout/client"
	"lookout/client/visible"
)

// An InterruptedDownload is a download that an earlier run of the program did not finish.
type InterruptedDownload struct {
	Cluster   string `json:"cluster"`
	Bucket    string `json:"bucket"`
	Name      string `json:"name"`
	ETag      string `json:"etag"`
	Size      int64  `json:"size"`
	Folder    string `json:"folder"`
	Path      string `json:"path"`
	Overwrite bool   `json:"overwrite,omitempty"`
	Kept      int64  `json:"-"` // bytes in the partial file
}

// request returns the request that continues the download.
func (d InterruptedDownload) request() DownloadRequest {
	return DownloadRequest{
		Cluster: d.Cluster,
		Bucket:  d.Bucket,
		Object: client.Object{
			Name: client.NewText(d.Name),
			ETag: client.NewETag(d.ETag),
			Size: d.Size,
		},
		Folder:     d.Folder,
		Path:       d.Path,
		PathChosen: true,
		Overwrite:  d.Overwrite,
	}
}

// kept returns the number of bytes in the partial file.
func (d InterruptedDownload) kept() int64 {
	root, err := os.OpenRoot(d.Folder)
	if err != nil {
		return 0
	}
	defer root.Close()
	task := downloadTask{DownloadRequest: d.request()}
	info, err := root.Lstat(partName(d.Path, task.versionKey()))
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// InterruptedDownloads holds the downloads that earlier runs did not finish, and the files that name them.
type InterruptedDownloads struct {
	Downloads []InterruptedDownload
	files     []string
}

// Forget removes the files, so that the downloads are not offered again. The partial files of the downloads stay.
func (i InterruptedDownloads) Forget() {
	for _, path := range i.files {
		_ = os.Remove(path)
	}
}

// Interrupted returns the downloads that earlier runs kept at the same path as this one and did not finish. It leaves
// out those of programs that are still running.
func (m *Manager) Interrupted() InterruptedDownloads {
	var found InterruptedDownloads
	m.mu.Lock()
	kept := m.downloads
	m.mu.Unlock()
	if kept == nil {
		return found
	}
	path := kept.base
	entries, _ := os.ReadDir(filepath.Dir(path))
	for _, e := range entries {
		if !e.Type().IsRegular() || !strings.HasPrefix(e.Name(), filepath.Base(path)+".") {
			continue
		}
		file := filepath.Join(filepath.Dir(path), e.Name())
		open, ok := readDownloadLog(file)
		switch {
		case !ok:
		case len(open) == 0:
			_ = os.Remove(file)
		default:
			found.Downloads, found.files = append(found.Downloads, open...), append(found.files, file)
		}
	}
	for i := range found.Downloads {
		found.Downloads[i].Kept = found.Downloads[i].kept()
	}
	return found
}

// readDownloadLog returns the unfinished downloads of a file, in their order; false if another program writes to it.
func readDownloadLog(path string) (open []InterruptedDownload, ok bool) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	if lock(f) != nil {
		return nil, false
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, false
	}
	var order []ID
	downloads := map[ID]*InterruptedDownload{}
	for line := range bytes.Lines(data) {
		var entry downloadLogEntry
		if json.Unmarshal(line, &entry) != nil { // the last line may be cut
			continue
		}
		if entry.Download != nil {
			order = append(order, entry.ID)
		}
		downloads[entry.ID] = entry.Download
	}
	for _, id := range order {
		if d := downloads[id]; d != nil {
			open, downloads[id] = append(open, *d), nil
		}
	}
	return open, true
}

// downloadLogEntry is a line of a downloadLog: a download that begins, or one that has ended.
type downloadLogEntry struct {
	ID       ID                   `json:"id"`
	Download *InterruptedDownload `json:"download,omitempty"`
}

// A downloadLog keeps the unfinished downloads of this run in a file of its own, which is locked while the program
// runs. A goroutine writes it, so that nobody waits for the disk.
type downloadLog struct {
	base string // of the paths of all runs
	path string

	mu      sync.Mutex
	open    map[ID]bool
	pending bytes.Buffer
	signal  chan struct{}
	ended   chan struct{} // nil until the goroutine was started
}

// KeepDownloads makes the manager keep its unfinished downloads at a path, for Interrupted of the next run.
func (m *Manager) KeepDownloads(path string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.downloads = &downloadLog{
		base:   path,
		path:   path + "." + strings.ToLower(rand.Text()[:12]),
		open:   map[ID]bool{},
		signal: make(chan struct{}, 1),
	}
}

// KeepsDownloads reports whether unfinished downloads are offered again at the next start.
func (m *Manager) KeepsDownloads() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.downloads != nil
}

// begin records that a download waits or runs.
func (l *downloadLog) begin(ctx context.Context, j *job) {
	d, ok := j.task.(*downloadTask)
	if l == nil || !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[j.status.ID] {
		return
	}
	l.open[j.status.ID] = true
	l.add(downloadLogEntry{j.status.ID, &InterruptedDownload{
		Cluster:   d.Cluster,
		Bucket:    d.Bucket,
		Name:      d.Object.Name.Raw(),
		ETag:      d.Object.ETag.Raw(),
		Size:      d.Object.Size,
		Folder:    d.Folder,
		Path:      d.Path,
		Overwrite: d.Overwrite,
	}})
	if l.ended == nil {
		l.ended = make(chan struct{})
		go l.write(ctx)
	}
}

// end records that a download needs not be offered again.
func (l *downloadLog) end(id ID) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[id] {
		delete(l.open, id)
		l.add(downloadLogEntry{ID: id})
	}
}

// add adds a line. The caller holds the lock.
func (l *downloadLog) add(entry downloadLogEntry) {
	line, err := json.Marshal(entry)
	if err != nil {
		return
	}
	l.pending.Write(append(visible.EscapeJSON(line), '\n'))
	notify(l.signal)
}

// write writes lines to the file until ctx ends. Without a file nothing is kept.
func (l *downloadLog) write(ctx context.Context) {
	defer close(l.ended)
	file, err := l.create()
	if err != nil {
		return
	}
	defer file.Close()
	for running := true; running; {
		select {
		case <-l.signal:
		case <-ctx.Done():
			running = false
		}
		l.mu.Lock()
		lines, open := slices.Clone(l.pending.Bytes()), len(l.open)
		l.pending.Reset()
		l.mu.Unlock()
		if open == 0 {
			_ = file.Truncate(0)
			continue
		}
		_, _ = file.Write(lines)
	}
	if info, err := file.Stat(); err == nil && info.Size() == 0 {
		_ = os.Remove(l.path)
	}
}

// create creates the file and locks it.
func (l *downloadLog) create() (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lock(file); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// wait waits until the goroutine has ended, after its context has.
func (l *downloadLog) wait() {
	if l == nil {
		return
	}
	l.mu.Lock()
	ended := l.ended
	l.mu.Unlock()
	if ended != nil {
		<-ended
	}
}

// Continue adds the downloads again: each goes on where it stopped, if the object is the same. It returns the IDs of
// the transfers, and why others were refused.
func (m *Manager) Continue(downloads []InterruptedDownload) (ids []ID, refused []error) {
	type place struct{ cluster, bucket, folder string }
	groups := map[place][]InterruptedDownload{}
	var order []place
	for _, d := range downloads {
		at := place{d.Cluster, d.Bucket, d.Folder}
		if groups[at] == nil {
			order = append(order, at)
		}
		groups[at] = append(groups[at], d)
	}
	for _, at := range order {
		batch := openBatch(m, Batch{Kind: Download, Bucket: at.bucket, Folder: at.folder})
		var added []ID
		for _, d := range groups[at] {
			r := d.request()
			r.batch = batch
			id, err := m.Download(r)
			if err != nil {
				refused = append(refused, err)
				continue
			}
			added = append(added, id)
		}
		closeBatch(m, batch, added)
		ids = append(ids, added...)
	}
	return ids, refused
}
