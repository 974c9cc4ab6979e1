package account

import (
	"lookout/client"
	"lookout/ui"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

// issuedLinks are the links of this run in the order they were made. It may be used by several goroutines.
type issuedLinks struct {
	mu    sync.Mutex
	links []*Link
}

// add numbers a link and keeps it.
func (g *issuedLinks) Add(l Link) *Link {
	g.mu.Lock()
	defer g.mu.Unlock()
	l.ID = len(g.links) + 1
	g.links = append(g.links, &l)
	return &l
}

// newestFirst are all links, the latest first.
func (g *issuedLinks) newestFirst() []*Link {
	g.mu.Lock()
	defer g.mu.Unlock()
	rows := slices.Clone(g.links)
	slices.Reverse(rows)
	return rows
}

// A link is a pre-signed URL that was given out in this run. The URL is a credential: it is in no file.
type Link struct {
	ID          int           `json:"id"` // its place among those of this run, from 1
	Bucket      string        `json:"bucket"`
	Name        client.Text   `json:"name"`
	Method      string        `json:"method"`
	ContentType string        `json:"content_type,omitempty"` // must be sent; "" for none
	URL         client.Secret `json:"url"`
	Expires     time.Time     `json:"ends"`
}

// curlCommand is the link as a command. The URL stands in single quotes that nothing in it can end.
func (l *Link) curlCommand() string {
	quoted := "'" + strings.ReplaceAll(l.URL.Reveal(), "'", `'\''`) + "'"
	switch l.Method {
	case "PUT":
		return "curl --fail -H 'Content-Type: " + strings.ReplaceAll(l.ContentType, "'", "") + "' -T FILE " + quoted
	case "DELETE":
		return "curl --fail -X DELETE " + quoted
	}
	return "curl --fail -o FILE " + quoted
}

// copyURL is the link on its way to the clipboard.
func (l *Link) CopyURL() tea.Msg { return ui.CopyMsg{Text: l.URL.Reveal(), Label: "link"} }

// copyCurl is the link as a command on its way to the clipboard.
func (l *Link) CopyCurl() tea.Msg { return ui.CopyMsg{Text: l.curlCommand(), Label: "curl line"} }
