package transfer

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"iter"
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

// Forget removes the logs, so that nothing in them is offered again. The partial files of the downloads stay.
func (i InterruptedDownloads) Forget() {
	for _, path := range i.files {
		_ = os.Remove(path)
	}
}

// Interrupted returns the downloads that earlier runs left unfinished, from their logs at the manager's
// path. It leaves out those of programs that are still running.
func (m *Manager) Interrupted() InterruptedDownloads {
	var found InterruptedDownloads
	if m.log == nil {
		return found
	}
	path := m.log.base
	entries, _ := os.ReadDir(filepath.Dir(path))
	for _, e := range entries {
		if !e.Type().IsRegular() || !strings.HasPrefix(e.Name(), filepath.Base(path)+".") {
			continue
		}
		file := filepath.Join(filepath.Dir(path), e.Name())
		open, ok := readTransferLog(file)
		switch {
		case !ok:
		case len(open) == 0:
			_ = os.Remove(file)
		default:
			found.files = append(found.files, file)
		}
		for _, download := range open {
			download.Kept = download.kept()
			found.Downloads = append(found.Downloads, download)
		}
	}
	return found
}

// readTransferLog returns the unfinished downloads of a file, in their order; false if another program writes to it.
func readTransferLog(path string) (open []InterruptedDownload, ok bool) {
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
		var entry transferLogEntry
		if json.Unmarshal(line, &entry) != nil { // the last line may be cut
			continue
		}
		order = append(order, entry.ID)
		downloads[entry.ID] = entry.Download
	}
	for _, id := range order {
		if download := downloads[id]; download != nil {
			open = append(open, *download)
			delete(downloads, id)
		}
	}
	return open, true
}

// transferLogEntry is a line of a transferLog: a download that begins, or one that has ended.
type transferLogEntry struct {
	ID       ID                   `json:"id"`
	Download *InterruptedDownload `json:"download,omitempty"`
}

// A transferLog keeps the unfinished downloads of this run in a file of its own, which is locked while the
// program runs. A goroutine writes it, so that nobody waits for the disk.
type transferLog struct {
	base string // of the paths of all runs
	path string

	mu      sync.Mutex
	open    map[ID]bool
	runs    int // transfers of runs that are open
	pending []iter.Seq[transferLogEntry]
	signal  chan struct{}
	ended   chan struct{} // is closed when the goroutine has ended
}

// KeepUnfinished makes the manager keep its unfinished downloads at a path, for Interrupted of the next run. It is
// called before there are any.
func (m *Manager) KeepUnfinished(path string) {
	m.log = &transferLog{
		base:   path,
		path:   path + "." + strings.ToLower(rand.Text()),
		open:   map[ID]bool{},
		signal: make(chan struct{}, 1),
		ended:  make(chan struct{}),
	}
	go m.log.write(m.ctx)
}

// KeepsUnfinished reports whether unfinished downloads are offered again at the next start.
func (m *Manager) KeepsUnfinished() bool { return m.log != nil }

// begin records that a transfer waits or runs, if it is a download.
func (l *transferLog) begin(id ID, work task) {
	download, is := work.(*downloadTask)
	if l == nil || !is {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.open[id] {
		l.open[id] = true
		l.addLines(slices.Values([]transferLogEntry{{id, download.interrupted()}}))
	}
}

// interrupted returns the download as it is offered if the program ends now.
func (d *downloadTask) interrupted() *InterruptedDownload {
	return &InterruptedDownload{
		Cluster:   d.Cluster,
		Bucket:    d.Bucket,
		Name:      d.Object.Name.Raw(),
		ETag:      d.Object.ETag.Raw(),
		Size:      d.Object.Size,
		Folder:    d.Folder,
		Path:      d.Path,
		Overwrite: d.Overwrite,
	}
}

// beginRun records that the transfers of a run wait, from the nth on.
func (l *transferLog) beginRun(r *planRun, from int) {
	if l == nil || r.plan.Kind != Download {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	to, reader := len(r.files), &fileReader{list: r.plan.Files}
	l.runs += to - from
	l.addLines(func(yield func(transferLogEntry) bool) {
		for n := from; n < to; n++ {
			id := r.first + ID(n)
			f := r.file(reader, id)
			if !yield(transferLogEntry{id, r.newDownload(&f).interrupted()}) {
				return
			}
		}
	})
}

// addLines adds lines for the goroutine to write. The caller holds the lock.
func (l *transferLog) addLines(entries iter.Seq[transferLogEntry]) {
	l.pending = append(l.pending, entries)
	notify(l.signal)
}

// end records that a download, maybe of a run, need not be offered again.
func (l *transferLog) end(id ID, ofRun bool) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.open[id]:
		delete(l.open, id)
	case ofRun && l.runs > 0:
		l.runs--
	default:
		return
	}
	l.addLines(slices.Values([]transferLogEntry{{ID: id}}))
}

// write writes lines to the file until ctx ends. Without a file nothing is kept.
func (l *transferLog) write(ctx context.Context) {
	defer close(l.ended)
	var file *os.File // takes nothing while it is nil
	defer func() { file.Close() }()
	for running := true; running; {
		select {
		case <-l.signal:
		case <-ctx.Done():
			running = false
		}
		l.mu.Lock()
		pending, open := l.pending, len(l.open)+l.runs
		l.pending = nil
		l.mu.Unlock()
		if open == 0 {
			_ = file.Truncate(0)
			continue
		}
		if file == nil {
			file = l.create()
		}
		out := bufio.NewWriter(file)
		for _, entries := range pending {
			for entry := range entries {
				if line, err := json.Marshal(entry); err == nil {
					_, _ = out.Write(append(visible.EscapeJSON(line), '\n'))
				}
			}
		}
		_ = out.Flush()
	}
	if info, err := file.Stat(); err == nil && info.Size() == 0 {
		_ = os.Remove(l.path)
	}
}

// create creates the file and locks it, or returns nil.
func (l *transferLog) create() *os.File {
	_ = os.MkdirAll(filepath.Dir(l.path), 0o700) // without its folder, the file cannot be created
	file, err := os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return nil
	}
	if lock(file) != nil {
		file.Close()
		return nil
	}
	return file
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
		batch := m.openBatch(Batch{Kind: Download, Bucket: at.bucket, Folder: at.folder})
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
		m.closeBatch(batch, added)
		ids = append(ids, added...)
	}
	return ids, refused
}
