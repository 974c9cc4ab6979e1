package account

import (
	"slices"
	"strconv"

	"lookout/client/transfer"
)

// transferRowStorage is the store of transfers: the row of an ID is at ID-1, so that a hundred thousand are taken over
// in no time. Its slice is replaced, never changed.
type transferRowStorage struct{ rows []*transfer.Status }

// Len is how many transfers there are.
func (m *transferRowStorage) Len() int { return len(m.rows) }

// At is the transfer at a place.
func (m *transferRowStorage) At(i int) *transfer.Status { return m.rows[i] }

// Index is the place of an ID.
func (m *transferRowStorage) Index(id string) (int, bool) {
	n, err := strconv.Atoi(id)
	return n - 1, err == nil && n >= 1 && n <= len(m.rows)
}

// Append takes rows that follow those that are held; others are dropped.
func (m *transferRowStorage) Append(rows []*transfer.Status) (dropped int) {
	for _, row := range rows {
		if int(row.ID) != len(m.rows)+1 {
			dropped++
			continue
		}
		m.rows = append(m.rows, row)
	}
	return dropped
}

// Put replaces a row. Slices handed out before do not change.
func (m *transferRowStorage) Put(id string, row *transfer.Status) {
	if i, held := m.Index(id); held {
		m.rows = slices.Clone(m.rows)
		m.rows[i] = row
	}
}

// Drop does nothing: no transfer of this run is ever forgotten.
func (m *transferRowStorage) Drop(string) {}

// Snapshot is the rows as they are now.
func (m *transferRowStorage) Snapshot() func(i int) *transfer.Status {
	rows := m.rows
	return func(i int) *transfer.Status { return rows[i] }
}
