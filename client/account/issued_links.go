package account

import (
	"slices"
	"strings"
	"sync"
	"time"

	"lookout/client"
)

// IssuedLinks holds the links of this run in the order in which they were made. Several goroutines may use it.
type IssuedLinks struct {
	mu    sync.Mutex
	links []*PresignedLink
}

// Add numbers a link and keeps it.
func (g *IssuedLinks) Add(l PresignedLink) *PresignedLink {
	g.mu.Lock()
	defer g.mu.Unlock()
	l.ID = len(g.links) + 1
	g.links = append(g.links, &l)
	return &l
}

// newestFirst returns all links, the latest first.
func (g *IssuedLinks) newestFirst() []*PresignedLink {
	g.mu.Lock()
	defer g.mu.Unlock()
	rows := slices.Clone(g.links)
	slices.Reverse(rows)
	return rows
}

// PresignedLink is a pre-signed URL that was given out in this run. The URL is a credential and is never written to a
// file.
type PresignedLink struct {
	ID          int               `json:"id"` // counts from 1 in each run
	Bucket      string            `json:"bucket"`
	Name        client.ServerText `json:"name"`
	Method      string            `json:"method"`
	ContentType string            `json:"content_type,omitempty"` // that an upload must send; "" if any
	URL         client.Secret     `json:"url"`
	// Expires is read from the URL; zero if the URL does not tell
	Expires time.Time             `json:"ends,omitzero"`
	Exists  client.Optional[bool] `json:"exists"` // whether the object was there when the link was made
}

// Expired reports whether the link is known to have expired.
func (l *PresignedLink) Expired(now time.Time) bool {
	return !l.Expires.IsZero() && !l.Expires.After(now)
}

// CurlCommand returns the link as a curl command. The URL is quoted for the shell.
func (l *PresignedLink) CurlCommand() string {
	quoted := "'" + strings.ReplaceAll(l.URL.Reveal(), "'", `'\''`) + "'"
	switch l.Method {
	case "PUT":
		return "curl --fail -H 'Content-Type: " + strings.ReplaceAll(l.ContentType, "'", "") + "' -T FILE " + quoted
	case "DELETE":
		return "curl --fail -X DELETE " + quoted
	}
	return "curl --fail -o FILE " + quoted
}
