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
	m.mu.Lock()
	kept := m.log
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
		open, ok := readTransferLog(file)
		switch {
		case !ok:
		case len(open) == 0:
			_ = os.Remove(file)
		default:
			found.files = append(found.files, file)
		}
		for _, entry := range open {
			found.Downloads = append(found.Downloads, *entry.Download)
		}
	}
	for i := range found.Downloads {
		found.Downloads[i].Kept = found.Downloads[i].kept()
	}
	return found
}

// readTransferLog returns the unfinished entries of a file, in their order; false if another program writes to it.
func readTransferLog(path string) (open []transferLogEntry, ok bool) {
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
	entries := map[ID]transferLogEntry{}
	for line := range bytes.Lines(data) {
		var entry transferLogEntry
		if json.Unmarshal(line, &entry) != nil { // the last line may be cut
			continue
		}
		if entry.isOpen() {
			order = append(order, entry.ID)
		}
		entries[entry.ID] = entry
	}
	for _, id := range order {
		if entry := entries[id]; entry.isOpen() {
			open = append(open, entry)
			delete(entries, id)
		}
	}
	return open, true
}

// transferLogEntry is a line of a transferLog: a download that begins, or one that has ended.
type transferLogEntry struct {
	ID       ID                   `json:"id"`
	Download *InterruptedDownload `json:"download,omitempty"`
}

// isOpen reports whether the entry is about a download that begins.
func (e transferLogEntry) isOpen() bool { return e.Download != nil }

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
	ended   chan struct{} // nil until the goroutine was started
}

// KeepUnfinished makes the manager keep its unfinished downloads at a path, for Interrupted of the next run.
func (m *Manager) KeepUnfinished(path string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.log = &transferLog{
		base:   path,
		path:   path + "." + strings.ToLower(rand.Text()),
		open:   map[ID]bool{},
		signal: make(chan struct{}, 1),
	}
}

// KeepsUnfinished reports whether unfinished downloads are offered again at the next start.
func (m *Manager) KeepsUnfinished() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.log != nil
}

// begin records that a download waits or runs.
func (l *transferLog) begin(ctx context.Context, j *job) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[j.status.ID] {
		return
	}
	if entry := entryOf(j.status.ID, j.task); entry.isOpen() {
		l.keep(ctx, entry)
	}
}

// entryOf returns the entry of a task that begins; it is not open if the task is not kept.
func entryOf(id ID, work task) transferLogEntry {
	entry := transferLogEntry{ID: id}
	if t, is := work.(*downloadTask); is {
		entry.Download = &InterruptedDownload{
			Cluster:   t.Cluster,
			Bucket:    t.Bucket,
			Name:      t.Object.Name.Raw(),
			ETag:      t.Object.ETag.Raw(),
			Size:      t.Object.Size,
			Folder:    t.Folder,
			Path:      t.Path,
			Overwrite: t.Overwrite,
		}
	}
	return entry
}

// beginRun records that the transfers of a run wait, from the nth on.
func (l *transferLog) beginRun(ctx context.Context, r *planRun, from int) {
	if l == nil || r.plan.Kind != Download {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	to, reader := len(r.files), &fileReader{list: r.plan.Files}
	l.runs += to - from
	l.addLines(ctx, func(yield func(transferLogEntry) bool) {
		for n := from; n < to && yield(r.entry(reader, r.first+ID(n))); n++ {
		}
	})
}

// beginRow is beginRun for one transfer.
func (l *transferLog) beginRow(ctx context.Context, r *planRun, id ID) {
	if l == nil || r.plan.Kind != Download {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.runs++
	l.addLines(ctx, slices.Values([]transferLogEntry{r.entry(&fileReader{list: r.plan.Files}, id)}))
}

// entry returns the entry of a transfer that begins.
func (r *planRun) entry(reader *fileReader, id ID) transferLogEntry {
	f := r.file(reader, id)
	return entryOf(id, r.newTask(&f))
}

// keep adds a line about something that begins. The caller holds the lock.
func (l *transferLog) keep(ctx context.Context, entry transferLogEntry) {
	l.open[entry.ID] = true
	l.addLines(ctx, slices.Values([]transferLogEntry{entry}))
}

// addLines adds lines, and starts the goroutine that writes them. The caller holds the lock.
func (l *transferLog) addLines(ctx context.Context, entries iter.Seq[transferLogEntry]) {
	l.pending = append(l.pending, entries)
	notify(l.signal)
	if l.ended == nil {
		l.ended = make(chan struct{})
		go l.write(ctx)
	}
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
	l.pending = append(l.pending, slices.Values([]transferLogEntry{{ID: id}}))
	notify(l.signal)
}

// write writes lines to the file until ctx ends. Without a file nothing is kept.
func (l *transferLog) write(ctx context.Context) {
	defer close(l.ended)
	file := l.create() // a nil file takes nothing
	defer file.Close()
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

// wait waits until the goroutine has ended, after its context has.
func (l *transferLog) wait() {
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
