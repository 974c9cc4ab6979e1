package account

// Severity is how much a message matters.
type Severity int

// The severities.
const (
	Info Severity = iota
	Good
	Warn
	Bad
	Plain
	Off
)

// Notice is something that the user should know without having asked.
type Notice struct {
	Rule string // its kind: "new issue"
	Text string
	Tone Severity
}
