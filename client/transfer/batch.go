package transfer

import "slices"

// A Batch is a group of transfers that were requested together: the files of a folder, or the marked objects.
type Batch struct {
	Kind                    Kind
	Bucket                  string
	Folder                  string // local folder that downloads go to, or uploads come from
	Files                   int
	Remaining               int // unfinished transfers; one more while transfers are being added
	Done, Failed, Cancelled int
	Refused                 int     // files that were not started; not among Failed
	AccessLost              int     // among Done: see Status
	Bytes                   int64   // total size of the completed files
	FirstFailed             *Status // first failure since the batch last ended; nil if none
	FirstRefused            *Status // nil if none
	diskFull                bool    // a download found no space, so no more are started
}

// An EndReport reports the end of a single transfer, the first failure of a batch, or the end of a batch.
type EndReport struct {
	Status *Status // status at the end
	Batch  Batch   // its batch at that time (Remaining is 0 when the batch has ended); zero for a single transfer
}

// Completions returns the completions of this session, starting at index from.
func (m *Manager) Completions(from int) []EndReport {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.batches.completions[from:])
}

// openBatch starts a batch and returns its number. Transfers can be added until closeBatch.
func (m *Manager) openBatch(b Batch) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	b.Remaining = 1
	m.batches.all = append(m.batches.all, b)
	return len(m.batches.all)
}

// closeBatch ends the adding of transfers to a batch. ids are its transfers.
func (m *Manager) closeBatch(number int, ids []ID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := &m.batches.all[number-1]
	if b.Remaining--; b.Remaining == 0 && len(ids) > 0 {
		m.batches.append(b, m.row(ids[len(ids)-1]))
	}
}

// batches holds the batches of a manager and what there is to report about their ends.
type batches struct {
	all         []Batch // a batch is at index number-1
	completions []EndReport
}

// of returns the batch of a transfer, or nil for a single transfer.
func (l *batches) of(row *Status) *Batch {
	if row.Batch == 0 {
		return nil
	}
	return &l.all[row.Batch-1]
}

// addRetry counts a job that runs again after its end.
func (b *Batch) addRetry(was State, refused bool) {
	b.Remaining++
	switch {
	case refused:
		b.Refused--
	case was == Failed:
		b.Failed--
	case was == Cancelled:
		b.Cancelled--
	}
}

// addResult counts a job that has ended.
func (b *Batch) addResult(row *Status) {
	b.Remaining--
	switch row.State {
	case Done:
		b.Done, b.Bytes = b.Done+1, b.Bytes+row.Total
		if row.AccessLost {
			b.AccessLost++
		}
	case Failed:
		b.Failed++
		if b.FirstFailed == nil {
			b.FirstFailed = row
		}
	case Cancelled:
		b.Cancelled++
	}
}

// record records the end of a transfer. In a batch, it records only the first failure and the end of the batch.
func (l *batches) record(row *Status) {
	b := l.of(row)
	if b == nil {
		l.completions = append(l.completions, EndReport{Status: row})
		return
	}
	b.addResult(row)
	if b.Remaining == 0 || b.FirstFailed == row {
		l.append(b, row)
	}
}

func (l *batches) append(b *Batch, row *Status) {
	l.completions = append(l.completions, EndReport{row, *b})
	if b.Remaining == 0 {
		b.FirstFailed = nil
	}
}
