package window

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"lookout/client"
)

// Seen is a service as it was seen at one moment.
type Seen struct {
	Updated time.Time `json:"updated,omitzero"`
	Values  string    `json:"values,omitempty"` // a fingerprint of what can be edited
}

// SeenOf returns a service as it is seen in a row.
func SeenOf(s *client.Service) Seen {
	r := s.Request()
	r.Credentials = append([]int{}, r.Credentials...)
	slices.Sort(r.Credentials)
	data, _ := json.Marshal(r) // texts and numbers
	sum := sha256.Sum256(data)
	return Seen{Updated: s.Updated.Time(), Values: hex.EncodeToString(sum[:8])}
}

// A Verdict is what a service tells about its active window.
type Verdict int

// The verdicts.
const (
	AsLeft           Verdict = iota // disabled, and nobody has changed it since
	Edited                          // disabled, and somebody has edited it since
	EnabledByOthers                 // somebody else has enabled it
	DisabledByOthers                // somebody else has enabled and disabled it
	NotKnown                        // disabled, and it cannot be told by whom
	Behind                          // what was read is older than what is known
)

const (
	// clockTolerance is how far the clocks of this machine and of the API may be apart.
	clockTolerance = time.Minute
	// trustReadsAfter is how long after a change a read may still show the time before it, if updated does not tell.
	trustReadsAfter = 5 * time.Minute
)

// Judge returns what a service, in a reading that began at a time, tells about its active window. The service says when
// it was changed last: a change that other values explain was an edit, and one without was enabling and disabling.
func (w Window) Judge(s *client.Service, read time.Time) Verdict {
	seen, known := SeenOf(s), w.Seen
	newer, older := seen.Updated.After(known.Updated), seen.Updated.Before(known.Updated)
	if known.Updated.IsZero() { // the answer was lost, or an older version has recorded it
		latest := w.At
		if w.ByReading {
			latest = w.Sent // somebody else may have disabled it later
		}
		newer, older = seen.Updated.After(latest.Add(clockTolerance)), false
	}
	if s.Status != client.StatusDisabled {
		if newer || !older && read.Sub(w.At) > trustReadsAfter {
			return EnabledByOthers
		}
		return Behind
	}
	switch {
	case seen.Updated.IsZero():
		return NotKnown
	case known.Updated.IsZero() && (newer || seen.Updated.Before(w.Sent.Add(-clockTolerance))):
		return NotKnown
	case older:
		return Behind
	case !newer:
		return AsLeft
	case known.Values == "":
		return NotKnown
	case known.Values == seen.Values:
		return DisabledByOthers
	}
	return Edited
}
