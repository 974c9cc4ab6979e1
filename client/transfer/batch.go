package transfer

// A Batch is a group of transfers that were requested together: the files of a folder, or the marked objects.
type Batch struct {
	Kind                    Kind
	Bucket                  string
	Folder                  string // local folder that downloads go to, or uploads come from
	Files                   int
	Remaining               int // unfinished transfers; one more while transfers are being added
	Done, Failed, Cancelled int
	Bytes                   int64   // total size of the completed files
	FirstFailed             *Status // first failure since the batch last ended; nil if none
}

// A Completion reports the end of a single transfer, the first failure of a batch, or the end of a batch.
type Completion struct {
	Status *Status // status at the end
	Batch  Batch   // its batch at that time (Remaining is 0 when the batch has ended); zero for a single transfer
}

// Completions returns the completions of this session, starting at index from.
func (m *Manager) Completions(from int) []Completion {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Completion(nil), m.completions[from:]...)
}

// openBatch starts a batch and returns its number. Transfers can be added until closeBatch.
func (m *Manager) openBatch(b Batch) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	b.Remaining = 1
	m.batches = append(m.batches, b)
	return len(m.batches)
}

// closeBatch ends the adding of transfers to a batch. ids are its transfers.
func (m *Manager) closeBatch(number int, ids []ID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := &m.batches[number-1]
	if b.Remaining--; b.Remaining == 0 && len(ids) > 0 {
		m.appendCompletion(b, m.statuses[ids[len(ids)-1]-1])
	}
}

// batchOf returns the batch of a job, or nil for a single transfer.
func (m *Manager) batchOf(j *job) *Batch {
	if j.status.Batch == 0 {
		return nil
	}
	return &m.batches[j.status.Batch-1]
}

// addRetry counts a job that runs again after its end.
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

// recordCompletion records the end of a job. In a batch, it records only the first failure and the end of the batch.
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
