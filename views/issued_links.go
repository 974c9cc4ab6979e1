package views

import (
	"lookout/client"
	"slices"
	"sync"
	"time"
)

// issuedLinks are the links of this run in the order they were made. It may be used by several goroutines.
type issuedLinks struct {
	mu    sync.Mutex
	links []*link
}

// add numbers a link and keeps it.
func (g *issuedLinks) add(l link) *link {
	g.mu.Lock()
	defer g.mu.Unlock()
	l.ID = len(g.links) + 1
	g.links = append(g.links, &l)
	return &l
}

// newestFirst are all links, the latest first.
func (g *issuedLinks) newestFirst() []*link {
	g.mu.Lock()
	defer g.mu.Unlock()
	rows := slices.Clone(g.links)
	slices.Reverse(rows)
	return rows
}

// A link is a pre-signed URL that was given out in this run. The URL is a credential: it is in no file.
type link struct {
	ID          int           `json:"id"` // its place among those of this run, from 1
	Bucket      string        `json:"bucket"`
	Name        client.Text   `json:"name"`
	Method      string        `json:"method"`
	ContentType string        `json:"content_type,omitempty"` // must be sent; "" for none
	URL         client.Secret `json:"url"`
	Expires     time.Time     `json:"ends"`
}
