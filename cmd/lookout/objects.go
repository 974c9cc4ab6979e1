package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"mime"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/pflag"

	"lookout/client"
)

func objectsNoun() noun {
	type row = client.Object
	size := func(o row) string {
		if o.Prefix() {
			return ""
		}
		return strconv.FormatInt(o.Size, 10)
	}
	return resource[row]{
		name: "objects", one: "object", named: "CLUSTER/BUCKET", about: "Objects of a bucket: list, fetch, store, remove, make links",
		examples: "lookout objects list us-east-1/acme-backups db/\nlookout objects put us-east-1/acme-backups new.txt password\nlookout objects get us-east-1/acme-backups new.txt -\nlookout objects acl us-east-1/acme-backups new.txt\nlookout objects link us-east-1/acme-backups new.txt --for 1h\nlookout objects rm us-east-1/acme-backups new.txt --yes",
		columns: []column[row]{
			{name: "last_modified", drop: 1, cell: func(o row) string { return when(o.Modified) }},
			{name: "size", cell: size},
			{name: "name", cell: func(o row) string { return o.Name.Raw() }},
			{name: "etag", detail: true, cell: func(o row) string { return o.ETag.Raw() }},
			{name: "owner", detail: true, cell: func(o row) string { return o.Owner.Raw() }},
		},
		listArgs: "CLUSTER/BUCKET [PREFIX]",
		listFlags: func(set *pflag.FlagSet, q *listing) {
			set.BoolVarP(&q.recursive, "recursive", "r", false, "also what is in folders")
		},
		list: listObjects,
		also: []noun{linksNoun(), aclsNoun(), filesNoun()},
	}
}

// listObjects walks a bucket by its markers.
func listObjects(ctx context.Context, s *session, q listing) iter.Seq2[client.Object, error] {
	return func(yield func(client.Object, error) bool) {
		cluster, bucket, err := inBucket(q.args[0])
		if err != nil {
			yield(client.Object{}, err)
			return
		}
		ask := client.ObjectQuery{Cluster: cluster, Bucket: bucket, Delimiter: "/"}
		if q.recursive {
			ask.Delimiter = ""
		}
		if len(q.args) > 1 {
			ask.Prefix = q.args[1]
		}
		for {
			page, err := s.api.Objects.List(ctx, ask)
			if err != nil {
				yield(client.Object{}, err)
				return
			}
			for _, o := range page.Data {
				if !yield(o, nil) {
					return
				}
			}
			if page.Cut != "" {
				yield(client.Object{}, fmt.Errorf("list objects: the listing is %s: what came before is not all", page.Cut))
				return
			}
			if page.Next == "" {
				return
			}
			ask.Marker = page.Next
		}
	}
}

// An object of the command line.
type object struct{ cluster, bucket, name string }

func (o object) String() string { return client.Clean(o.cluster + "/" + o.bucket + "/" + o.name) }

// filesNoun is what moves between objects and files. It stands among the commands of objects.
func filesNoun() noun {
	return resource[object]{
		one: "object",
		verbs: []verb[object]{
			{name: "get", args: "CLUSTER/BUCKET NAME [FILE]", makes: true, quiet: true, with: getObject,
				about: "Fetch an object into a file, named as the object without its folders; - is standard output"},
			{name: "put", args: "CLUSTER/BUCKET NAME FILE", makes: true, quiet: true, why: true, with: putObject, about: "Store a file as an object"},
			{name: "rm", args: "CLUSTER/BUCKET NAME", makes: true, quiet: true, why: true, about: "Remove an object",
				loses: func(_ object, args []string) string {
					return "Removes object " + client.Clean(args[0]+"/"+args[1])
				},
				with: as(removeObject)},
		},
	}
}

func objectOf(args []string) (object, error) {
	cluster, bucket, err := inBucket(args[0])
	if err == nil && args[1] == "" {
		err = usage(errors.New("an object's name is needed"))
	}
	return object{cluster, bucket, args[1]}, err
}

// about names the object in the journal.
func (o object) about(ctx context.Context) context.Context {
	return about(ctx, "object", o.cluster+"/"+o.bucket+"/"+o.name, client.Clean(o.name), "")
}

// An objectACL is who may do what with an object, as a script gets it.
type objectACL struct {
	Name string     `json:"name"`
	ACL  client.ACL `json:"acl"`
}

// aclsNoun is who may do what with an object. It stands among the commands of objects.
func aclsNoun() noun {
	return resource[objectACL]{
		one: "object",
		columns: []column[objectACL]{
			{name: "name", cell: func(a objectACL) string { return a.Name }},
			{name: "acl", cell: func(a objectACL) string { return string(a.ACL) }},
		},
		verbs: []verb[objectACL]{{name: "acl", args: "CLUSTER/BUCKET NAME [ACL]", makes: true, why: true, with: as(accessOfObject),
			about: "Show who may do what with an object, or set it: " + acls}},
	}
}

func accessOfObject(ctx context.Context, s *session, _ objectACL, args []string) (objectACL, error) {
	o, err := objectOf(args)
	if err != nil {
		return objectACL{}, err
	}
	if len(args) > 2 {
		acl, err := aclOf(args[2])
		if err != nil {
			return objectACL{}, err
		}
		if _, err := s.api.Objects.SetACL(o.about(ctx), o.cluster, o.bucket, o.name, acl); err != nil {
			return objectACL{}, err
		}
	}
	now, err := s.api.Objects.ACL(ctx, o.cluster, o.bucket, o.name)
	return objectACL{o.name, now.ACL}, err
}

func getObject(set *pflag.FlagSet) work[object] {
	force := set.Bool("force", false, "replace a file that is there")
	return func(ctx context.Context, s *session, _ object, args []string) (object, error) {
		o, err := objectOf(args)
		if err != nil {
			return o, err
		}
		if len(args) > 2 && args[2] == "-" {
			_, err := s.fetch(ctx, o, s.out)
			return o, err
		}
		file, err := fileFor(o, args[2:])
		if err != nil {
			return o, err
		}
		if _, err := os.Lstat(file); err == nil && !*force {
			return o, fmt.Errorf("%s is there already: name another file, or --force replaces it", file)
		}
		return o, s.into(ctx, o, file)
	}
}

// fileFor is the file that an object goes to. A name that came from somebody else is taken only where it is plainly a file's.
func fileFor(o object, given []string) (string, error) {
	if len(given) > 0 && given[0] != "" {
		return given[0], nil
	}
	name := path.Base(o.name)
	if strings.HasSuffix(o.name, "/") || name == "." || name == ".." || strings.ContainsAny(name, `\:`) || client.Clean(name) != name || !filepath.IsLocal(name) {
		return "", usage(fmt.Errorf("%q makes no name of a file: give FILE", client.Clean(o.name)))
	}
	return name, nil
}

// into fetches an object into a file that is there only once it is whole.
func (s *session) into(ctx context.Context, o object, file string) error {
	part, err := os.CreateTemp(filepath.Dir(file), ".lookout-*")
	if err != nil {
		return fmt.Errorf("fetch %s: %w", o, err)
	}
	defer os.Remove(part.Name())
	n, err := s.fetch(ctx, o, part)
	if err = errors.Join(err, part.Sync(), part.Close()); err != nil {
		return err
	}
	if err := os.Rename(part.Name(), file); err != nil {
		return fmt.Errorf("fetch %s: %w", o, err)
	}
	s.say("%s: %s (%d bytes) in %s", o, humanize.IBytes(uint64(n)), n, file)
	return nil
}

// fetches is how often a cut answer is taken up where it ended.
const fetches = 4

// fetch writes an object. An answer that is cut is taken up again, as long as the object is the same.
func (s *session) fetch(ctx context.Context, o object, out io.Writer) (written int64, err error) {
	etag := ""
	for range fetches {
		res, failure := s.api.Objects.Get(ctx, o.cluster, o.bucket, o.name, written, etag)
		if failure != nil {
			return written, failure
		}
		if written > 0 && res.StatusCode != http.StatusPartialContent {
			res.Body.Close()
			return written, fmt.Errorf("fetch %s: the answer was cut, and the storage cannot go on: %w", o, err)
		}
		etag = client.Unquote(res.Header.Get("ETag"))
		var n int64
		n, err = io.Copy(out, res.Body)
		res.Body.Close()
		if written += n; err == nil {
			return written, nil
		}
		var refused *fs.PathError
		if ctx.Err() != nil || errors.As(err, &refused) {
			break
		}
	}
	return written, fmt.Errorf("fetch %s: after %d bytes: %w", o, written, err)
}

func putObject(set *pflag.FlagSet) work[object] {
	force := set.Bool("force", false, "replace an object that is there")
	kind := set.String("content-type", "", "what it is (default: by the file's name)")
	return func(ctx context.Context, s *session, _ object, args []string) (object, error) {
		o, err := objectOf(args)
		if err != nil {
			return o, err
		}
		file, err := os.Open(args[2])
		if err != nil {
			return o, fmt.Errorf("store %s: %w", o, err)
		}
		defer file.Close()
		info, err := file.Stat()
		if err != nil || !info.Mode().IsRegular() {
			return o, usage(fmt.Errorf("%s is no plain file: its size must be known before it is sent", args[2]))
		}
		if !*force {
			if _, there, err := s.api.Objects.Find(ctx, o.cluster, o.bucket, o.name); err != nil {
				return o, err
			} else if there {
				return o, fmt.Errorf("%s is there already: choose another name, or --force replaces it", o)
			}
		}
		what := orElse(*kind, orElse(mime.TypeByExtension(filepath.Ext(args[2])), "application/octet-stream"))
		etag, err := s.api.Objects.Put(o.about(ctx), o.cluster, o.bucket, o.name, client.ObjectBody{Reader: file, Size: info.Size(), Type: what}, nil)
		if err == nil {
			s.say("%s: %d bytes stored, etag %s", o, info.Size(), client.Clean(orElse(etag, "not told")))
		}
		return o, err
	}
}

func removeObject(ctx context.Context, s *session, _ object, args []string) (object, error) {
	o, err := objectOf(args)
	if err != nil {
		return o, err
	}
	_, there, err := s.api.Objects.Find(ctx, o.cluster, o.bucket, o.name)
	switch {
	case err != nil:
		return o, err
	case !there:
		return o, &exit{exitMissing, fmt.Errorf("%s is not there", o)}
	}
	if err := s.api.Objects.Delete(o.about(ctx), o.cluster, o.bucket, o.name); err != nil {
		return o, err
	}
	s.say("%s is removed", o)
	return o, nil
}
