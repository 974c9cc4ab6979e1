package transfer

import (
	"errors"
	"path/filepath"
	"sort"
	"time"

	"lookout/client"
)

// StartOptions says how the files of a plan are moved.
type StartOptions struct {
	Existing ConflictPolicy
	Consent  *client.Consent // for client.OpUploadObject on all objects
	Reason   string          // for the journal
	// for client.OpDeleteObject on the sources of a move
	DeleteConsent *client.Consent
	ACLConsent    *client.Consent // for client.OpSetObjectACL on the objects that will be public
}

// A planRun holds the transfers of a plan. A file that waits, or has ended with nothing to say, takes only the pointer
// to a status that it shares with others.
type planRun struct {
	plan    *Plan
	options StartOptions
	batch   int
	first   ID       // of its first transfer; the others follow
	files   []uint32 // positions in the plan of what its transfers move
	reader  fileReader
	next    int        // the first transfer that may wait for its turn
	queued  bool       // it is in the queue
	shared  [2]*Status // of all that wait, and of all that are paused
	ended   *Status    // of those that ended last
	folder  string     // absolute
	links   map[string]string
}

// A PlanStream starts the files of a plan while it is being made.
type PlanStream struct {
	m       *Manager
	plan    *Plan
	options StartOptions
	batch   int
	run     *planRun
	seen    int // of Plan.Files
	refused int // of Plan.Skipped
	ids     []ID
}

// Open begins to move the files of a plan, which it keeps: each as soon as Extend has added it.
func (m *Manager) Open(p *Plan, o StartOptions) *PlanStream {
	s := &PlanStream{m: m, plan: p, options: o}
	s.batch = m.openBatch(Batch{Kind: p.Kind, Bucket: p.Bucket, Folder: p.Folder})
	p.mu = &m.mu
	return s
}

// Extend adds a transfer for each file that is to be sent, and a failed one for each that cannot be, of those that the
// plan has now. Their states must not change any more.
func (s *PlanStream) Extend() {
	p := s.plan
	row := Status{Batch: s.batch, Kind: p.Kind, Cluster: p.Cluster, Bucket: p.Bucket}
	for _, f := range p.Skipped[s.refused:] {
		name, local := f.Path, ""
		if p.Kind == Upload {
			name, local = p.Prefix+f.Path, filepath.Join(p.Folder, filepath.FromSlash(f.Path))
		}
		row.Name, row.LocalPath = client.NewText(name), client.NewText(local)
		s.m.addRefused(row, errors.New(f.Reason))
	}
	s.refused = len(p.Skipped)
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	var files []uint32
	bytes, sends := int64(0), p.sends(s.options.Existing)
	for i, f := range p.Files.from(s.seen) {
		if sends(f.State) {
			files, bytes = append(files, uint32(i)), bytes+f.Size
		}
	}
	if s.seen = p.Files.length(); len(files) > 0 {
		s.m.extend(s, files, bytes)
	}
}

// Close ends the plan. It returns the IDs of the transfers, and the files that the plan leaves out.
func (s *PlanStream) Close() (ids []ID, refused []SkippedFile) {
	s.m.closeBatch(s.batch, s.ids)
	return s.ids, s.plan.Skipped
}

// Start adds a transfer for each file of a plan that is to be sent, and a failed one for each that cannot be. It
// returns the IDs of the transfers, and the files that the plan leaves out.
func (m *Manager) Start(p Plan, o StartOptions) (ids []ID, refused []SkippedFile) {
	for range p.ToSend(o.Existing) { // chooses the names of copies
	}
	s := m.Open(&p, o)
	s.Extend()
	return s.Close()
}

// extend adds transfers of files of a plan, by their positions.
func (m *Manager) extend(s *PlanStream, files []uint32, bytes int64) {
	r, n := s.run, len(files)
	if r == nil || int(r.first)+len(r.files) != len(m.statuses)+1 {
		folder, err := filepath.Abs(s.plan.Folder)
		if err != nil || s.plan.Kind != Download {
			folder = s.plan.Folder
		}
		r = &planRun{
			plan:    s.plan,
			options: s.options,
			batch:   s.batch,
			first:   ID(len(m.statuses) + 1),
			reader:  fileReader{list: s.plan.Files},
			folder:  folder,
			links:   map[string]string{},
		}
		for state := range r.shared {
			r.shared[state] = r.newShared(State(state) * Paused)
		}
		s.run, m.runs = r, append(m.runs, r)
	}
	for range n {
		m.statuses = append(m.statuses, r.shared[0])
		s.ids = append(s.ids, ID(len(m.statuses)))
	}
	m.addUnfinished(n)
	m.counts[Waiting] += n
	m.waiting += bytes
	b := m.batches.of(r.shared[0])
	b.Files, b.Remaining = b.Files+n, b.Remaining+n
	from := len(r.files)
	r.files = append(r.files, files...)
	m.log.beginRun(r, from)
	if b.diskFull {
		m.failWaiting(r.batch)
	}
	m.enqueueRun(r)
	notify(m.dirty)
}

// newShared returns the status that transfers in a state share.
func (r *planRun) newShared(s State) *Status {
	return &Status{
		Batch:   r.batch,
		Kind:    r.plan.Kind,
		State:   s,
		Cluster: r.plan.Cluster,
		Bucket:  r.plan.Bucket,
		ETA:     NoETA,
		run:     r,
	}
}

// enqueueRun makes a run wait for its turn.
func (m *Manager) enqueueRun(r *planRun) {
	if !r.queued {
		r.queued = true
		m.queue = append(m.queue, queued{run: r})
	}
	m.schedule()
}

// file returns the file of a transfer. A nil reader needs no lock, if the plan is complete.
func (r *planRun) file(reader *fileReader, id ID) PlannedFile {
	i := int(r.files[id-r.first])
	var f PlannedFile
	if reader == nil {
		f = r.plan.Files.at(i)
	} else {
		f = reader.at(i)
	}
	f.State = r.plan.Files.states[i]
	return r.plan.asSent(i, f, r.options.Existing)
}

// status returns the status of a transfer that shares one.
func (r *planRun) status(shared *Status, reader *fileReader, id ID) *Status {
	row, f := *shared, r.file(reader, id)
	row.run, row.ID, row.Name, row.Total = nil, id, client.NewText(f.Name), f.Size
	switch {
	case r.plan.Kind.Copies():
		row.Source = client.NewText(r.plan.sourceOf(&f).ID())
	case r.plan.Kind == Download:
		row.LocalPath = client.NewText(filepath.Join(r.folder, filepath.FromSlash(f.Path)))
	case f.Folder != "":
		row.LocalPath = client.NewText(filepath.Join(f.Folder, filepath.FromSlash(f.Path)))
	default:
		local, _ := filepath.Abs(f.Path)
		row.LocalPath = client.NewText(local)
	}
	if row.State == Done {
		row.Done = row.Total
	}
	return &row
}

// newJob returns the job of a transfer, with its file claimed or with why it must fail.
func (r *planRun) newJob(m *Manager, id ID) *job {
	f := r.file(&r.reader, id)
	row := *r.status(m.statuses[id-1], &r.reader, id)
	row.State, row.Err, row.Ended = Waiting, nil, time.Time{}
	j := &job{status: row, run: r, task: r.newTask(&f)}
	if local := row.LocalPath.Raw(); r.plan.Kind == Download {
		j.claimedPath = filepath.Join(r.resolved(filepath.Dir(local)), filepath.Base(local))
	}
	return j
}

// newTask returns what moves a file.
func (r *planRun) newTask(f *PlannedFile) task {
	p := r.plan
	var before any
	if f.State != FileNew {
		before = f.Object
	}
	switch {
	case p.Kind.Copies():
		return &copyTask{
			Source:        p.sourceOf(f),
			Object:        f.Source,
			Target:        client.ObjectRef{Cluster: p.Cluster, Bucket: p.Bucket, Name: f.Name},
			Move:          p.Kind == Move,
			Same:          f.State == FileSame,
			Consent:       r.options.Consent,
			DeleteConsent: r.options.DeleteConsent,
			Reason:        r.options.Reason,
			Before:        before,
			Keep:          p.acls[f.Name],
			ACLConsent:    r.options.ACLConsent,
			MustNew:       f.State == FileNew,
		}
	case p.Kind == Download:
		return r.newDownload(f)
	}
	u := UploadRequest{
		Cluster:     p.Cluster,
		Bucket:      p.Bucket,
		Name:        f.Name,
		File:        f.Path,
		Folder:      f.Folder,
		ContentType: ContentType(f.Name),
		Consent:     r.options.Consent,
		Reason:      r.options.Reason,
		Before:      before,
		MustNew:     f.State == FileNew,
		Keep:        p.acls[f.Name],
		ACLConsent:  r.options.ACLConsent,
	}
	if u.Folder == "" {
		u.File, _ = filepath.Abs(f.Path)
	}
	return &uploadTask{UploadRequest: u}
}

// newDownload is newTask for a download.
func (r *planRun) newDownload(f *PlannedFile) *downloadTask {
	return &downloadTask{DownloadRequest: DownloadRequest{
		Cluster:   r.plan.Cluster,
		Bucket:    r.plan.Bucket,
		Object:    f.Object,
		Folder:    r.folder,
		Path:      f.Path,
		Overwrite: f.State != FileNew,
	}}
}

// maxLinks is how many folders of a run are kept resolved.
const maxLinks = 256

// resolved returns a folder with symbolic links resolved.
func (r *planRun) resolved(folder string) string {
	real, known := r.links[folder]
	if !known {
		if len(r.links) == maxLinks {
			clear(r.links)
		}
		real = resolveLinks(filepath.Join(folder, "x"))
		real = filepath.Dir(real)
		r.links[folder] = real
	}
	return real
}

// nextJob returns the next transfer of a run that waits as a job, or nil.
func (m *Manager) nextJob(r *planRun) *job {
	for ; r.next < len(r.files); r.next++ {
		id := r.first + ID(r.next)
		if s := m.statuses[id-1]; s.run != r || s.State != Waiting {
			continue
		}
		r.next++
		j := r.newJob(m, id)
		m.prepare(j)
		m.waiting -= j.status.Total
		return j
	}
	return nil
}

// runOf returns the run of a transfer, or nil.
func (m *Manager) runOf(id ID) *planRun {
	i := sort.Search(len(m.runs), func(i int) bool { return m.runs[i].first > id }) - 1
	if i < 0 || int(id-m.runs[i].first) >= len(m.runs[i].files) {
		return nil
	}
	return m.runs[i]
}

// row returns the status of a transfer.
func (m *Manager) row(id ID) *Status {
	s := m.statuses[id-1]
	if s.run == nil {
		return s
	}
	return s.run.status(s, &s.run.reader, id)
}

// setRow puts a transfer of a run that has no job into another state.
func (m *Manager) setRow(id ID, to State, why error) {
	r, row := m.runOf(id), m.row(id)
	from := row.State
	if from.Unfinished() {
		m.waiting -= row.Total
	}
	if to.Unfinished() {
		m.waiting += row.Total
		m.statuses[id-1] = r.shared[to/Paused]
	} else {
		m.statuses[id-1] = r.sharedEnd(to, "", why, time.Now())
	}
	switch {
	case to.Unfinished() && !from.Unfinished():
		f := r.file(&r.reader, id)
		m.log.begin(id, r.newTask(&f))
	case !to.Unfinished() && from.Unfinished():
		m.log.end(id, true)
	}
	m.countChange(m.row(id), from, false)
	if to == Waiting {
		r.next = min(r.next, int(id-r.first))
		m.enqueueRun(r)
	}
}

// sharedEnd returns the status of a transfer that has ended, which others share that ended in the same second alike.
func (r *planRun) sharedEnd(s State, note string, why error, at time.Time) *Status {
	e := r.ended
	if e != nil && e.State == s && e.Note == note && e.Err == why && at.Sub(e.Ended) < time.Second {
		return e
	}
	r.ended = r.newShared(s)
	r.ended.Note, r.ended.Err, r.ended.Started, r.ended.Ended = note, why, at, at
	return r.ended
}

// forget drops the job of a transfer of a run that has ended: a retry makes it again. It keeps the job of one that has
// sent its bytes and failed after that, which a retry must not send again.
func (m *Manager) forget(j *job) {
	if j.run == nil || j.cleaningUp || j.status.State.Unfinished() ||
		j.status.State != Done && hasSent(j.task) {
		return
	}
	id, row := j.status.ID, m.statuses[j.status.ID-1]
	delete(m.jobs, id)
	if row.State == Done && j.progress.path == "" && !row.AccessLost && row.Ended.Sub(row.Started) < time.Second {
		m.statuses[id-1] = j.run.sharedEnd(Done, row.Note, nil, row.Ended)
	}
}

// hasSent reports whether a task has stored its object, or may have.
func hasSent(t task) bool {
	switch t := t.(type) {
	case *uploadTask:
		return t.sum != ""
	case *copyTask:
		return t.sum != "" && !t.Same
	}
	return false
}

// A Snapshot holds the statuses of all transfers at some time, oldest first. It does not change.
type Snapshot struct{ rows []*Status }

// Len returns the number of transfers.
func (s Snapshot) Len() int { return len(s.rows) }

// At returns the status of the transfer at position i, which has the ID i+1. It must not be modified.
func (s Snapshot) At(i int) *Status {
	row := s.rows[i]
	if row.run == nil {
		return row
	}
	return row.run.status(row, nil, ID(i+1))
}

// State returns the state of the transfer at position i.
func (s Snapshot) State(i int) State { return s.rows[i].State }

// Totals sums up transfers.
type Totals struct {
	States [Cancelled + 1]int // transfers in each state
	Active bool               // there are bytes to be moved
	// of the transfers of bytes that are unfinished, or were done since nothing was under way last
	Files, Ended int
	Done, Total  int64
	// of the deletions under way
	Deleted, ToDelete int64
	DeletionRate      float64
	DeletionETA       time.Duration
}

// Totals sums up all transfers.
func (m *Manager) Totals() Totals {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := Totals{
		States: m.counts,
		Active: m.waiting > 0,
		Files:  m.endedFiles + m.unfinished,
		Ended:  m.endedFiles,
		Done:   m.ended,
		Total:  m.ended + m.waiting,
	}
	now := time.Now()
	for _, j := range m.jobs {
		if !j.status.State.Unfinished() {
			continue
		}
		row := j.status
		j.progress.fill(&row, now)
		if row.Kind.MovesBytes() {
			t.Done, t.Total, t.Active = t.Done+row.Done, t.Total+max(row.Done, row.Total), true
			continue
		}
		t.Files--
		t.Deleted, t.ToDelete = t.Deleted+row.Done, t.ToDelete+max(row.Done, row.Total)
		t.DeletionRate, t.DeletionETA = t.DeletionRate+row.Rate, max(t.DeletionETA, row.ETA)
	}
	return t
}
