package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
)

// A link is a pre-signed URL as a script gets it.
type link struct {
	URL     string    `json:"url"`
	Method  string    `json:"method"`
	Name    string    `json:"name"`
	Type    string    `json:"content_type,omitempty"` // must be sent with the request
	Expires time.Time `json:"expires"`
}

func linksResource() resourceCommand {
	return resource[*link]{
		singular: "link",
		columns: []output.ColumnDefinition[*link]{
			{Name: "url", Cell: func(l *link) string { return l.URL }},
			{Name: "method", Cell: func(l *link) string { return l.Method }},
			{Name: "name", Cell: func(l *link) string { return l.Name }},
			{Name: "content_type", Cell: func(l *link) string { return l.Type }},
			{Name: "expires", Cell: func(l *link) string { return l.Expires.Format(time.RFC3339) }},
		},
		subcommands: []subcommand[*link]{{
			name:            "link",
			args:            "CLUSTER/BUCKET NAME",
			noTarget:        true,
			readOnlyMaxArgs: 2,
			bindFlags:       makeLink,
			description:     "Make a link to one object; whoever has it may do that one thing until it ends",
		}},
	}
}

func makeLink(set *pflag.FlagSet) runFunc[*link] {
	life := set.Duration("for", time.Hour, "how long it works: 6m to 24h")
	method := set.String("method", http.MethodGet, "GET, PUT or DELETE")
	setFlagChoices(set, "method", http.MethodGet, http.MethodPut, http.MethodDelete)
	kind := set.String(
		"content-type",
		"",
		"must then be sent with the request (default for PUT: application/octet-stream)",
	)
	return func(ctx context.Context, s *scriptSession, _ *link, args []string) (*link, error) {
		cluster, bucket, err := parseBucket(args[0])
		l := &link{
			Method:  strings.ToUpper(*method),
			Name:    args[1],
			Type:    *kind,
			Expires: s.now().Add(*life).UTC().Truncate(time.Second),
		}
		switch {
		case err != nil:
			return l, err
		case *life < 6*time.Minute || *life > 24*time.Hour:
			return l, exit.Usage(fmt.Errorf("--for %s: a link works for 6m to 24h", *life))
		case !slices.Contains([]string{http.MethodGet, http.MethodPut, http.MethodDelete}, l.Method):
			return l, exit.Usage(fmt.Errorf("--method %q: choose GET, PUT or DELETE", client.Clean(*method)))
		case s.settings.ReadOnly && l.Method != http.MethodGet:
			return l, exit.Denied(fmt.Errorf("a link for %s could change something: %w", l.Method, client.ErrReadOnly))
		}
		if l.Method == http.MethodPut {
			l.Type = cmp.Or(l.Type, "application/octet-stream") // the service wants one
		}
		signed, err := s.api.Objects.Presign(ctx, cluster, bucket, client.PresignRequest{
			Name:        l.Name,
			Method:      l.Method,
			Expires:     int(life.Seconds()),
			ContentType: l.Type,
		})
		l.URL = signed.URL.Reveal()
		return l, err
	}
}
