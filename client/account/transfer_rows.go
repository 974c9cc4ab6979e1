package account

import (
	"strconv"

	"lookout/client/transfer"
)

// TransferID returns the identity of a transfer's row.
func TransferID(r *transfer.Status) string { return strconv.Itoa(int(r.ID)) }

// TransferRows holds the transfers as they were at some time. Most of a million have no row until someone looks. The
// row with an ID is at position ID-1.
type TransferRows struct {
	all   transfer.Snapshot
	shown map[int]*transfer.Status // rows that were looked at last, because each frame draws them again
}

// maxShownTransfers is more than a screen shows.
const maxShownTransfers = 512

// NewTransferRows returns the transfers of an account as they are now.
func NewTransferRows(a *Account) *TransferRows {
	return &TransferRows{a.Transfers.Snapshot(), map[int]*transfer.Status{}}
}

// Len returns the number of transfers.
func (m *TransferRows) Len() int { return m.all.Len() }

// At returns the transfer at position i.
func (m *TransferRows) At(i int) *transfer.Status {
	row, shown := m.shown[i]
	if !shown {
		if len(m.shown) == maxShownTransfers {
			clear(m.shown)
		}
		row = m.all.At(i)
		m.shown[i] = row
	}
	return row
}

// Index returns the position of an ID.
func (m *TransferRows) Index(id string) (int, bool) {
	n, err := strconv.Atoi(id)
	return n - 1, err == nil && n >= 1 && n <= m.Len()
}

// Append drops rows: only the manager adds transfers.
func (m *TransferRows) Append(rows []*transfer.Status) (dropped int) { return len(rows) }

// Put does nothing: only the manager changes transfers.
func (m *TransferRows) Put(string, *transfer.Status) {}

// Drop does nothing: all transfers of a run are kept.
func (m *TransferRows) Drop(string) {}

// Snapshot returns the rows as they are now.
func (m *TransferRows) Snapshot() func(i int) *transfer.Status { return m.all.At }
