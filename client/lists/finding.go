package lists

// A LookupResult is what rows, read again, tell about a change whose answer was lost.
type LookupResult[T any] struct {
	Verdict LookupVerdict
	Row     T      // the row that the change is about
	Gone    bool   // the row is gone, as the change wanted it
	Text    string // what was found, in words: "it still has the old values"
	// Candidates are rows that may be what a create has made, while nothing proves whose they are. Descriptions say how
	// each of them differs from what was sent.
	Candidates   []T
	Descriptions []string
}

// A LookupVerdict says what one reading of the rows tells about a change whose answer was lost.
type LookupVerdict int

// The verdicts.
const (
	CannotTell LookupVerdict = iota // the API does not return what was changed, or somebody else may have made it
	NotSeen                         // the rows are as they were before: the change may still arrive
	// SeenAsWanted says that the rows are as the change wanted them. The API does not say whose change did that: a
	// colleague may have made the same one.
	SeenAsWanted
	SeenCandidates // rows may be what a create has made, or somebody else's
)

// seen reports whether a reading shows something that may be the change.
func (v LookupVerdict) seen() bool { return v == SeenAsWanted || v == SeenCandidates }
