package transfer

// A Batch is transfers that were asked for as one: the files of a folder, or of marked objects.
type Batch struct {
	Kind                    Kind
	Bucket                  string
	Folder                  string // of this machine: where downloads go, or uploads come from
	Files                   int
	Left                    int // unfinished; the making of the list counts as one
	Done, Failed, Cancelled int
	Bytes                   int64 // of the files that are done
	First                   *Row  // the first that failed since all had ended last; nil is none
}

// An End is what is to be told of transfers that have come to an end: one that was asked for alone, the first of a batch that failed, or the
// last of a batch.
type End struct {
	Row   *Row  // how it ended
	Batch Batch // as it was then, Left of which is 0 after the last; without Files where there is none
}

// Ends are those from a place in their list on.
func (m *Manager) Ends(from int) []End {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]End(nil), m.ends[from:]...)
}

// open begins a batch and gives its number. Until it is sealed, others may join it.
func (m *Manager) open(b Batch) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	b.Left = 1
	m.batches = append(m.batches, b)
	return len(m.batches)
}

// seal says that no more will join a batch; ids are those of its transfers.
func (m *Manager) seal(number int, ids []ID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := &m.batches[number-1]
	if b.Left--; b.Left == 0 && len(ids) > 0 {
		m.tellEnd(b, m.rows[ids[len(ids)-1]-1])
	}
}

// batch is that of a job; nil where it was asked for alone.
func (m *Manager) batch(j *job) *Batch {
	if j.row.Batch == 0 {
		return nil
	}
	return &m.batches[j.row.Batch-1]
}

// again counts a job that is to be done once more, after it has ended.
func (b *Batch) again(was State) {
	b.Left++
	switch was {
	case Failed:
		b.Failed--
	case Cancelled:
		b.Cancelled--
	}
}

// end counts a job that has ended.
func (b *Batch) end(row *Row) {
	b.Left--
	switch row.State {
	case Done:
		b.Done, b.Bytes = b.Done+1, b.Bytes+row.Total
	case Failed:
		b.Failed++
		if b.First == nil {
			b.First = row
		}
	case Cancelled:
		b.Cancelled++
	}
}

// ended takes into the list of ends what a job's end has to tell. Of a hundred thousand files each is not.
func (m *Manager) ended(j *job) {
	row, b := m.rows[j.row.ID-1], m.batch(j)
	if b == nil {
		m.ends = append(m.ends, End{Row: row})
		return
	}
	b.end(row)
	if b.Left == 0 || b.First == row {
		m.tellEnd(b, row)
	}
}

func (m *Manager) tellEnd(b *Batch, row *Row) {
	m.ends = append(m.ends, End{row, *b})
	if b.Left == 0 {
		b.First = nil
	}
}
