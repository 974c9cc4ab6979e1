package emulator

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"
)

// An AppliedChange is a change that the emulator has applied.
type AppliedChange struct {
	Seq    int
	Time   time.Time
	Op     string // "disable service"
	Method string
	Path   string
	Body   map[string]json.RawMessage
}

// recordChange adds a change to the ledger. The caller holds the lock.
func (e *Emulator) recordChange(op string, r *http.Request, body map[string]json.RawMessage) {
	e.ledger = append(e.ledger, AppliedChange{
		Seq:    len(e.ledger) + 1,
		Time:   e.now(),
		Op:     op,
		Method: r.Method,
		Path:   r.URL.Path,
		Body:   body,
	})
	e.history.add(e.now(), &e.account)
}

// Ledger returns all applied changes in order. It does not contain rejected ones.
func (e *Emulator) Ledger() []AppliedChange {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.applyLateChanges()
	return slices.Clone(e.ledger)
}

// RequestCount returns the number of requests for an operation, whatever the response; "" counts all operations.
func (e *Emulator) RequestCount(op string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	if op != "" {
		return e.requestCounts[op]
	}
	n := 0
	for _, k := range e.requestCounts {
		n += k
	}
	return n
}

// maxBody is the largest body of an API request, in bytes.
const maxBody = 1 << 20

func readLimited(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxBody+1))
	if err == nil && len(data) > maxBody {
		err = fmt.Errorf("larger than %d bytes", maxBody)
	}
	return data, err
}
