package transfer

// A Batch is transfers that were asked for as one: the files of a folder, or of marked objects.
type Batch struct {
	Kind                    Kind
	Bucket                  string
	Folder                  string // of this machine: where downloads go, or uploads come from
	Files                   int
	Remaining               int // unfinished; the making of the list counts as one
	Done, Failed, Cancelled int
	Bytes                   int64   // of the files that are done
	FirstFailed             *Status // the first that failed since all had ended last; nil is none
}

// An Completion is what is to be told of transfers that have come to an end: one that was asked for alone, the first of
// a batch that failed, or the last of a batch.
type Completion struct {
	Status *Status // how it ended
	Batch  Batch   // as it was then, Left of which is 0 after the last; without Files where there is none
}

// Completions are those from a place in their list on.
func (m *Manager) Completions(from int) []Completion {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Completion(nil), m.completions[from:]...)
}

// openBatch begins a batch and gives its number. Until it is sealed, others may join it.
func (m *Manager) openBatch(b Batch) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	b.Remaining = 1
	m.batches = append(m.batches, b)
	return len(m.batches)
}

// closeBatch says that no more will join a batch; ids are those of its transfers.
func (m *Manager) closeBatch(number int, ids []ID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := &m.batches[number-1]
	if b.Remaining--; b.Remaining == 0 && len(ids) > 0 {
		m.appendCompletion(b, m.statuses[ids[len(ids)-1]-1])
	}
}

// batchOf is that of a job; nil where it was asked for alone.
func (m *Manager) batchOf(j *job) *Batch {
	if j.status.Batch == 0 {
		return nil
	}
	return &m.batches[j.status.Batch-1]
}

// addRetry counts a job that is to be done once more, after it has ended.
func (b *Batch) addRetry(was State) {
	b.Remaining++
	switch was {
	case Failed:
		b.Failed--
	case Cancelled:
		b.Cancelled--
	}
}

// addResult counts a job that has ended.
func (b *Batch) addResult(row *Status) {
	b.Remaining--
	switch row.State {
	case Done:
		b.Done, b.Bytes = b.Done+1, b.Bytes+row.Total
	case Failed:
		b.Failed++
		if b.FirstFailed == nil {
			b.FirstFailed = row
		}
	case Cancelled:
		b.Cancelled++
	}
}

// recordCompletion takes into the list of ends what a job's end has to tell. Of a hundred thousand files each is not.
func (m *Manager) recordCompletion(j *job) {
	row, b := m.statuses[j.status.ID-1], m.batchOf(j)
	if b == nil {
		m.completions = append(m.completions, Completion{Status: row})
		return
	}
	b.addResult(row)
	if b.Remaining == 0 || b.FirstFailed == row {
		m.appendCompletion(b, row)
	}
}

func (m *Manager) appendCompletion(b *Batch, row *Status) {
	m.completions = append(m.completions, Completion{row, *b})
	if b.Remaining == 0 {
		b.FirstFailed = nil
	}
}
