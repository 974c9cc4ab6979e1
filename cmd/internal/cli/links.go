package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/journal"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/views/resource"
	"lookout/views/storage/readers"
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
		subcommands: []subcommand{{
			name:        "link",
			op:          client.OpCreateObjectURL,
			args:        "CLUSTER/BUCKET NAME",
			names:       objectNames(),
			noTarget:    true,
			bindFlags:   makeLink,
			description: "Create a link to one object; anyone who has it can use it until it expires",
		}},
	}
}

func makeLink(set *pflag.FlagSet) planFunc {
	life := set.Duration("for", time.Hour, "how long the link works: 6m to 24h")
	method := set.String("method", http.MethodGet, "GET, PUT or DELETE")
	config.CompleteValues(set, "for", "15m", "1h", "4h", "24h")
	config.CompleteValues(set, "method", http.MethodGet, http.MethodPut, http.MethodDelete)
	kind := set.String(
		"content-type", "", "Content-Type that users of the link must send (default for PUT: application/octet-stream)",
	)
	return func(_ context.Context, s *scriptSession, _ any, args []string) (c change, err error) {
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
		return change{
			Change: client.Change{Op: in.Op(), Resource: "object", ID: o.ID(), Label: o.Name},
			effect: fmt.Sprintf("Creates a %s link to object %s that works for %s", l.Method, describeObject(o), *life),
			send: func(ctx context.Context, w *approvedChange) (any, error) {
				signed, err := w.CreateObjectURL(ctx, o.Cluster, o.Bucket, in)
				if err != nil {
					return l, err
				}
				l.URL, l.Exists = signed.URL.Reveal(), s.api.Objects.Exists(ctx, o, signed)
				if at, told := signed.Expires(); told {
					l.Expires = client.Known(at.UTC())
				}
				if exists, known := l.Exists.Value(); known && !exists && l.Method != http.MethodPut {
					s.reportf("there is no object %s: the link fails until there is one", describeObject(o))
				}
				return l, nil
			},
		}, nil
	}
}

// readersResource lists who can read a bucket, or an object of it. Its command stands among those of buckets and of
// objects; args are its arguments, whose names the shell completes.
func readersResource(singular, args string, names ...cobra.CompletionFunc) scriptResource {
	type row = readers.Grant
	return scriptResource{
		singular: singular,
		listName: "readers",
		listSummary: "Show who can read the " + singular +
			", according to its ACL, CORS setting, access keys and links; policies set through S3 are not visible",
		listArgs:  args,
		listNames: names,
		columns: resource.EraseColumns([]resource.ColumnDefinition[*row]{
			{Name: "kind", Value: func(r *row) string { return string(r.Kind) }},
			{Name: "name", Value: func(r *row) string { return r.Name }},
			{Name: "access", Value: func(r *row) string { return r.Access }},
			{Name: "public", Value: func(r *row) string { return resource.OptionalValue(r.Public) }},
			{Name: "expires", Value: func(r *row) string {
				if at, known := r.Expires.Value(); known {
					return at.UTC().Format(time.RFC3339)
				}
				return ""
			}},
			{Name: "note", Value: func(r *row) string { return r.Note }},
			{Name: "key_id", DetailOnly: true, Value: func(r *row) string {
				if r.KeyID == 0 {
					return ""
				}
				return strconv.Itoa(r.KeyID)
			}},
			{Name: "regions", DetailOnly: true, Value: func(r *row) string { return strings.Join(r.Regions, ",") }},
		}),
		list: func(ctx context.Context, s *scriptSession, q listOptions) iter.Seq2[any, error] {
			return rowsOf(func() ([]*row, error) { return s.listReaders(ctx, q.args) })
		},
	}
}

// listReaders returns who can read a bucket, or an object of it: args are CLUSTER/BUCKET [NAME]. With an error it
// returns what was read nevertheless.
func (s *scriptSession) listReaders(ctx context.Context, args []string) ([]*readers.Grant, error) {
	o, err := parseObjectArgs(append(args, "")[:2])
	if o.Cluster == "" || err != nil && len(args) > 1 {
		return nil, err
	}
	bucket, err := s.api.Buckets.Get(ctx, o.Cluster, o.Bucket)
	if err != nil {
		return nil, err
	}
	j, unread := s.journal.getIfExists()
	if unread != nil {
		j, unread = journal.NewInMemory(s.now), fmt.Errorf("links may be missing: %w", unread)
	}
	access := readers.Read(ctx, s.api, j, o, s.now())
	if errors.Is(access.ObjectErr, client.ErrNotFound) {
		return nil, exit.WithCode(exit.CodeNotFound, fmt.Errorf("there is no object %s", describeObject(o)))
	}
	rows := access.ACLs(o)
	keys, err := account.Collect(s.api.Keys.All(ctx))
	if err != nil {
		err = fmt.Errorf("the access keys may be missing: %w", err)
	}
	rows = append(append(rows, readers.Keys(keys, bucket.ID(), bucket.Region.Raw())...), access.Links...)
	rows = append(rows, &readers.Grant{
		Kind:   readers.S3Policy,
		Name:   bucket.ID(),
		Access: account.UnknownText,
		Note:   readers.PolicyNote,
	})
	err = cmp.Or(err, unread)
	for _, failed := range []error{access.BucketErr, access.ObjectErr} {
		if failed != nil && !errors.Is(failed, client.ErrNotFound) {
			err = cmp.Or(err, failed)
		}
	}
	return rows, err
}
