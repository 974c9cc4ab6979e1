package transfer

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"strings"

	"lookout/client"
)

// A Selection names objects of a bucket as a command line does.
type Selection struct {
	Cluster, Bucket string
	Names           []string // names, or patterns as path.Match has them
	Recursive       bool     // a name stands for everything in the folder of that name, too
}

// ErrNoMatch means that a name or a pattern stands for no object.
var ErrNoMatch = errors.New("there is no such object")

// A SelectionError is why a name or a pattern of a selection could not be read.
type SelectionError struct {
	Name string
	Err  error
}

// Error returns the message on one line.
func (e *SelectionError) Error() string { return client.Clean(e.Name) + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *SelectionError) Unwrap() error { return e.Err }

// All lists the objects of the selection, each once. An object goes to its own name without its folders, to its path
// below the folder that was named, or to its path below the folder in which its pattern begins. If several names are
// given, what lies in a folder keeps the folder's name. The iteration ends at the first error.
func (s Selection) All(ctx context.Context, objects client.ObjectReader) iter.Seq2[DownloadItem, error] {
	return func(yield func(DownloadItem, error) bool) {
		seen := map[string]bool{}
		for _, name := range s.Names {
			found := false
			for o, err := range s.named(ctx, objects, name) {
				if err != nil {
					yield(DownloadItem{}, err)
					return
				}
				found = true
				if key := o.Object.Name.Raw(); len(s.Names) > 1 {
					if seen[key] {
						continue
					}
					seen[key] = true
				}
				if !yield(o, nil) {
					return
				}
			}
			if !found {
				yield(DownloadItem{}, &SelectionError{name, ErrNoMatch})
				return
			}
		}
	}
}

// named lists the objects that one name stands for. An object that has exactly this name comes before any pattern.
func (s Selection) named(ctx context.Context, objects client.ObjectReader, name string) iter.Seq2[DownloadItem, error] {
	return func(yield func(DownloadItem, error) bool) {
		// with Recursive, what begins with the name of a folder includes its own object
		if name != "" && !(s.Recursive && strings.HasSuffix(name, "/")) {
			leaf := name[strings.LastIndexByte(strings.TrimSuffix(name, "/"), '/')+1:]
			switch o, found, err := objects.Find(ctx, s.Cluster, s.Bucket, name); {
			case err != nil:
				yield(DownloadItem{}, err)
				return
			case found && !yield(DownloadItem{o, leaf}, nil):
				return
			case found && !s.Recursive:
				return
			}
		}
		_, invalid := path.Match(name, "")
		switch {
		case strings.ContainsAny(name, `*?[`) && invalid != nil:
			err := errors.New("there is no object of this name, and it is not a valid pattern")
			yield(DownloadItem{}, &SelectionError{name, err})
		case strings.ContainsAny(name, `*?[`):
			s.matching(ctx, objects, name, yield)
		case s.Recursive:
			s.inFolder(ctx, objects, name, yield)
		}
	}
}

// inFolder lists the objects in a folder and below it.
func (s Selection) inFolder(
	ctx context.Context, objects client.ObjectReader, name string, yield func(DownloadItem, error) bool,
) {
	if name != "" && !strings.HasSuffix(name, "/") {
		name += "/"
	}
	cut := len(name)
	if len(s.Names) > 1 {
		cut = strings.LastIndexByte(strings.TrimSuffix(name, "/"), '/') + 1
	}
	for o, err := range listAll(ctx, objects, s.query(name)) {
		if err != nil {
			yield(DownloadItem{}, err)
			return
		}
		if !yield(DownloadItem{o, o.Name.Raw()[cut:]}, nil) {
			return
		}
	}
}

// matching lists the objects that a pattern matches, and with Recursive those in the folders that it matches.
func (s Selection) matching(
	ctx context.Context, objects client.ObjectReader, pattern string, yield func(DownloadItem, error) bool,
) {
	literal := pattern[:strings.IndexAny(pattern, `*?[\`)]
	cut := strings.LastIndexByte(literal, '/') + 1
	depth := strings.Count(strings.TrimSuffix(pattern, "/"), "/")
	for o, err := range listAll(ctx, objects, s.query(literal)) {
		if err != nil {
			yield(DownloadItem{}, err)
			return
		}
		name := o.Name.Raw()
		matched, _ := path.Match(pattern, name)
		if parts := strings.SplitN(name, "/", depth+2); !matched && s.Recursive && len(parts) == depth+2 {
			folder := strings.Join(parts[:depth+1], "/")
			matched, _ = path.Match(strings.TrimSuffix(pattern, "/"), folder)
		}
		if matched && !yield(DownloadItem{o, name[cut:]}, nil) {
			return
		}
	}
}

func (s Selection) query(prefix string) client.ObjectQuery {
	return client.ObjectQuery{Cluster: s.Cluster, Bucket: s.Bucket, Prefix: prefix}
}

// ErrIncompleteListing means that a listing ended too early.
var ErrIncompleteListing = errors.New("the listing is incomplete")

// listAll lists all objects of a query. An incomplete listing is an error: what it leaves out would pass for missing.
// While the API is too busy, it waits.
func listAll(ctx context.Context, objects client.ObjectReader, q client.ObjectQuery) iter.Seq2[client.Object, error] {
	return func(yield func(client.Object, error) bool) {
		for page, err := range patientPages(ctx, objects, q) {
			if err != nil {
				yield(client.Object{}, contextCauseOr(ctx, err))
				return
			}
			for _, o := range page.Data {
				if strings.HasPrefix(o.Name.Raw(), q.Prefix) && !o.IsPrefix() && !yield(o, nil) {
					return
				}
			}
			if page.Incomplete != "" {
				why := strings.TrimPrefix(page.Incomplete, "incomplete: ")
				yield(client.Object{}, fmt.Errorf("%w (%s)", ErrIncompleteListing, why))
				return
			}
		}
	}
}

// NeedsFullListing reports whether CompareObjects lists everything that begins with the prefix, so that its progress
// can be shown; it looks a few names up one by one. findExtra is CompareOptions.FindExtra.
func (p *Plan) NeedsFullListing(findExtra bool) bool { return findExtra || p.Files.Len() > fewFiles }

// targets lists the objects that may have the names of an upload. A few names are looked up one by one.
func (p *Plan) targets(
	ctx context.Context,
	objects client.ObjectReader,
	c CompareOptions,
) iter.Seq2[client.Object, error] {
	if p.NeedsFullListing(c.FindExtra) {
		return listAll(ctx, objects, client.ObjectQuery{Cluster: p.Cluster, Bucket: p.Bucket, Prefix: p.Prefix})
	}
	return func(yield func(client.Object, error) bool) {
		for f := range p.Files.All() {
			o, found, err := objects.Find(ctx, p.Cluster, p.Bucket, f.Name)
			if (err != nil || found) && (!yield(o, err) || err != nil) {
				return
			}
		}
	}
}
