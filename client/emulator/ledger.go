package emulator

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"
)

// An AppliedChange is a change that the emulator made.
type AppliedChange struct {
	Seq    int
	Time   time.Time
	Op     string // "disable service"
	Method string
	Path   string
	Body   map[string]json.RawMessage
}

// Ledger is every change that was applied, in order. Refused ones are not in it.
func (e *Emulator) Ledger() []AppliedChange {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.ledger)
}

// RequestCount counts the requests of an operation, whatever their answer; "" counts all.
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

// maxBody bounds the body of an API request.
const maxBody = 1 << 20

func readLimited(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxBody+1))
	if err == nil && len(data) > maxBody {
		err = fmt.Errorf("larger than %d bytes", maxBody)
	}
	return data, err
}
