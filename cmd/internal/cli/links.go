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
	"lookout/views/resource"
)

// A link is the row of a pre-signed URL.
type link struct {
	URL    string `json:"url"`
	Method string `json:"method"`
	Name   string `json:"name"`
	Type   string `json:"content_type,omitempty"` // must be sent with the request
	// Expires is read from the URL; null if the URL does not tell
	Expires client.Optional[time.Time] `json:"expires"`
	Exists  client.Optional[bool]      `json:"exists"` // whether the object is there now; null if that is unknown
}

func (l *link) expiresText() string {
	if at, known := l.Expires.Value(); known {
		return at.Format(time.RFC3339)
	}
	return ""
}

func linksResource() scriptResource {
	return scriptResource{
		singular: "link",
		columns: resource.EraseColumns([]resource.ColumnDefinition[*link]{
			{Name: "url", Value: func(l *link) string { return l.URL }},
			{Name: "method", Value: func(l *link) string { return l.Method }},
			{Name: "name", Value: func(l *link) string { return l.Name }},
			{Name: "content_type", Value: func(l *link) string { return l.Type }},
			{Name: "expires", Value: (*link).expiresText},
			{Name: "exists", Value: func(l *link) string { return resource.OptionalValue(l.Exists) }},
		}),
		subcommands: []subcommand[any]{subcommand[*link]{
			name:        "link",
			op:          client.OpCreateObjectURL,
			args:        "CLUSTER/BUCKET NAME",
			noTarget:    true,
			bindFlags:   makeLink,
			description: "Create a link to one object; anyone who has it can use it until it expires",
		}.erase()},
	}
}

func makeLink(set *pflag.FlagSet) planFunc[*link] {
	life := set.Duration("for", time.Hour, "how long it works: 6m to 24h")
	method := set.String("method", http.MethodGet, "GET, PUT or DELETE")
	setFlagChoices(set, "method", http.MethodGet, http.MethodPut, http.MethodDelete)
	kind := set.String(
		"content-type", "", "must then be sent with the request (default for PUT: application/octet-stream)",
	)
	return func(_ context.Context, s *scriptSession, _ *link, args []string) (c change[*link], err error) {
		o, err := parseObjectArgs(args)
		l := &link{
			Method: strings.ToUpper(*method),
			Name:   o.Name,
			Type:   *kind,
		}
		switch {
		case err != nil:
			return c, err
		case *life < 6*time.Minute || *life > 24*time.Hour:
			return c, exit.Usage(fmt.Errorf("--for %s: use a time from 6m to 24h", *life))
		case !slices.Contains([]string{http.MethodGet, http.MethodPut, http.MethodDelete}, l.Method):
			return c, exit.Usage(fmt.Errorf("unknown --method %q (use GET, PUT or DELETE)", client.Clean(*method)))
		}
		if l.Method == http.MethodPut {
			l.Type = cmp.Or(l.Type, "application/octet-stream") // the service requires one
		}
		in := client.PresignRequest{
			Name:        l.Name,
			Method:      l.Method,
			Expires:     int(life.Seconds()),
			ContentType: l.Type,
		}
		return change[*link]{
			Change: client.Change{Op: in.Op(), Resource: "object", ID: o.ID(), Label: o.Name},
			effect: fmt.Sprintf("Makes a %s link to object %s that works for %s", l.Method, describeObject(o), *life),
			send: func(ctx context.Context, w *approvedChange) (*link, error) {
				signed, err := w.CreateObjectURL(ctx, o.Cluster, o.Bucket, in)
				if err != nil {
					return l, err
				}
				l.URL, l.Exists = signed.URL.Reveal(), s.api.Objects.Exists(ctx, o, signed)
				if at, told := signed.Expires(); told {
					l.Expires = client.Known(at)
				}
				if exists, known := l.Exists.Value(); known && !exists && l.Method != http.MethodPut {
					s.reportf("there is no object %s: the link fails until there is one", describeObject(o))
				}
				return l, nil
			},
		}, nil
	}
}
