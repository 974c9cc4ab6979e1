package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"mime"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/client/transfer"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
)

func objectsResource() resourceCommand {
	type row = *client.Object
	size := func(o row) string {
		if o.IsPrefix() || o.Size < 0 {
			return ""
		}
		return strconv.FormatInt(o.Size, 10)
	}
	return resource[row]{
		name:        "objects",
		singular:    "object",
		idArg:       "CLUSTER/BUCKET",
		description: "Objects of a bucket: list, fetch, store, remove, make links",
		examples: "lookout objects list us-east-1/acme-backups db/\nlookout objects put us-east-1/acme-backups " +
			"new.txt password\nlookout objects get us-east-1/acme-backups new.txt -\nlookout objects acl " +
			"us-east-1/acme-backups new.txt\nlookout objects link us-east-1/acme-backups new.txt --for 1h\nlookout " +
			"objects rm us-east-1/acme-backups new.txt --yes",
		columns: []output.ColumnDefinition[row]{
			{Name: "last_modified", DropPriority: 1, Cell: func(o row) string { return formatAPITime(o.Modified) }},
			{Name: "size", Cell: size},
			{Name: "name", Cell: func(o row) string { return o.Name.Raw() }},
			{Name: "etag", DetailOnly: true, Cell: func(o row) string { return o.ETag.Raw() }},
			{Name: "owner", DetailOnly: true, Cell: func(o row) string { return o.Owner.Raw() }},
		},
		listArgs: "CLUSTER/BUCKET [PREFIX]",
		listFlags: func(set *pflag.FlagSet, q *listOptions) {
			set.BoolVarP(&q.recursive, "recursive", "r", false, "also what is in folders")
		},
		list:     listObjects,
		includes: []resourceCommand{linksResource(), objectACLsResource(), objectFilesResource()},
	}
}

// listObjects walks a bucket by its markers.
func listObjects(ctx context.Context, s *scriptSession, q listOptions) iter.Seq2[*client.Object, error] {
	return func(yield func(*client.Object, error) bool) {
		cluster, bucket, err := parseBucket(q.args[0])
		if err != nil {
			yield(nil, err)
			return
		}
		ask := client.ObjectQuery{Cluster: cluster, Bucket: bucket, Delimiter: "/"}
		if q.recursive {
			ask.Delimiter = ""
		}
		if len(q.args) > 1 {
			ask.Prefix = q.args[1]
		}
		for page, err := range s.api.Objects.Pages(ctx, ask) {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range page.Data {
				if !yield(&page.Data[i], nil) {
					return
				}
			}
			if page.Incomplete != "" {
				yield(nil, fmt.Errorf("list objects: the listing is %s: what came before is not all", page.Incomplete))
				return
			}
		}
	}
}

// An objectRef of the command line.
type objectRef struct{ cluster, bucket, name string }

func (o objectRef) String() string { return client.Clean(o.cluster + "/" + o.bucket + "/" + o.name) }

// objectFilesResource is what moves between objects and files. It stands among the commands of objects.
func objectFilesResource() resourceCommand {
	return resource[objectRef]{
		singular: "object",
		subcommands: []subcommand[objectRef]{
			{
				name:            "get",
				args:            "CLUSTER/BUCKET NAME [FILE]",
				noTarget:        true,
				readOnlyMaxArgs: 3,
				printsOwnResult: true,
				bindFlags:       getObject,
				description: "Fetch an object into a file, named as the object without its folders; - is " +
					"standard output",
			},
			{
				name:            "put",
				args:            "CLUSTER/BUCKET NAME FILE",
				noTarget:        true,
				printsOwnResult: true,
				takesReason:     true,
				bindFlags:       putObject,
				description:     "Store a file as an object",
			},
			{
				name:            "rm",
				args:            "CLUSTER/BUCKET NAME",
				noTarget:        true,
				printsOwnResult: true,
				takesReason:     true,
				description:     "Remove an object",
				confirmMessage: func(_ objectRef, args []string) string {
					return "Removes object " + client.Clean(args[0]+"/"+args[1])
				},
				bindFlags: withoutFlags(removeObject),
			},
		},
	}
}

func parseObjectArgs(args []string) (objectRef, error) {
	cluster, bucket, err := parseBucket(args[0])
	if err == nil && args[1] == "" {
		err = exit.Usage(errors.New("an object's name is needed"))
	}
	return objectRef{cluster, bucket, args[1]}, err
}

// withTarget names the object in the journal.
func (o objectRef) withTarget(ctx context.Context) context.Context {
	return withTarget(ctx, "object", o.cluster+"/"+o.bucket+"/"+o.name, o.name, "")
}

// An objectACL is who may do what with an object, as a script gets it.
type objectACL struct {
	Name string     `json:"name"`
	ACL  client.ACL `json:"acl"`
}

// objectACLsResource is who may do what with an object. It stands among the commands of objects.
func objectACLsResource() resourceCommand {
	return resource[*objectACL]{
		singular: "object",
		columns: []output.ColumnDefinition[*objectACL]{
			{Name: "name", Cell: func(a *objectACL) string { return a.Name }},
			{Name: "acl", Cell: func(a *objectACL) string { return string(a.ACL) }},
		},
		subcommands: []subcommand[*objectACL]{{
			name:            "acl",
			args:            "CLUSTER/BUCKET NAME [ACL]",
			noTarget:        true,
			readOnlyMaxArgs: 2,
			takesReason:     true,
			bindFlags:       withoutFlags(showOrSetObjectACL),
			description:     "Show who may do what with an object, or set it: " + aclChoices,
		}},
	}
}

func showOrSetObjectACL(ctx context.Context, s *scriptSession, _ *objectACL, args []string) (*objectACL, error) {
	o, err := parseObjectArgs(args)
	if err != nil {
		return nil, err
	}
	if len(args) > 2 {
		acl, err := parseACL(args[2])
		if err != nil {
			return nil, err
		}
		if _, err := s.api.Objects.SetACL(o.withTarget(ctx), o.cluster, o.bucket, o.name, acl); err != nil {
			return nil, err
		}
	}
	now, err := s.api.Objects.ACL(ctx, o.cluster, o.bucket, o.name)
	if err != nil {
		return nil, err
	}
	return &objectACL{o.name, now.ACL}, nil
}

func getObject(set *pflag.FlagSet) runFunc[objectRef] {
	force := set.Bool("force", false, "replace a file that is there")
	return func(ctx context.Context, s *scriptSession, _ objectRef, args []string) (objectRef, error) {
		o, err := parseObjectArgs(args)
		if err != nil {
			return o, err
		}
		if len(args) > 2 && args[2] == "-" {
			return o, s.streamObject(ctx, o)
		}
		file, err := downloadPath(o, args[2:])
		if err != nil {
			return o, err
		}
		if _, err := os.Lstat(file); err == nil && !*force {
			return o, fmt.Errorf("%s is there already: name another file, or --force replaces it", client.Clean(file))
		}
		return o, s.downloadObject(ctx, o, file, *force)
	}
}

// downloadPath is the file that an object goes to. A name that came from somebody else is taken only where it is
// plainly a file's.
func downloadPath(o objectRef, given []string) (string, error) {
	if len(given) > 0 && given[0] != "" {
		return given[0], nil
	}
	name := path.Base(o.name)
	if strings.HasSuffix(o.name, "/") || name == "." || name == ".." || strings.ContainsAny(name, `\:`) ||
		client.Clean(name) != name ||
		!filepath.IsLocal(name) {
		return "", exit.Usage(fmt.Errorf("%q makes no name of a file: give FILE", client.Clean(o.name)))
	}
	return name, nil
}

// findObject is the object as the listing has it.
func (s *scriptSession) findObject(ctx context.Context, o objectRef) (client.Object, error) {
	found, there, err := s.api.Objects.Find(ctx, o.cluster, o.bucket, o.name)
	if err == nil && !there {
		err = exit.WithCode(exit.CodeNotFound, fmt.Errorf("%s is not there", o))
	}
	return found, err
}

// streamObject writes an object to standard output.
func (s *scriptSession) streamObject(ctx context.Context, o objectRef) error {
	found, err := s.findObject(ctx, o)
	if err != nil {
		return err
	}
	_, err = s.runTransfer(ctx, fmt.Sprintf("fetch %s", o), func(m *transfer.Manager) (transfer.ID, error) {
		return m.Stream(transfer.DownloadRequest{Cluster: o.cluster, Bucket: o.bucket, Object: found}, s.out), nil
	})
	return err
}

// downloadObject fetches an object into a file that is there only once it is whole.
func (s *scriptSession) downloadObject(ctx context.Context, o objectRef, file string, force bool) error {
	found, err := s.findObject(ctx, o)
	if err != nil {
		return err
	}
	row, err := s.runTransfer(ctx, fmt.Sprintf("fetch %s", o), func(m *transfer.Manager) (transfer.ID, error) {
		return m.Download(transfer.DownloadRequest{
			Cluster:    o.cluster,
			Bucket:     o.bucket,
			Object:     found,
			Folder:     filepath.Dir(file),
			Path:       filepath.Base(file),
			PathChosen: true,
			Overwrite:  force,
		})
	})
	if err == nil {
		s.reportf(
			"%s: %s (%d bytes) in %s; %s",
			o,
			humanize.IBytes(uint64(row.Done)),
			row.Done,
			client.Clean(file),
			row.Note,
		)
	}
	return err
}

// runTransfer runs one transfer to its end. What is to be known on its way is said once.
func (s *scriptSession) runTransfer(
	ctx context.Context,
	what string,
	begin func(*transfer.Manager) (transfer.ID, error),
) (transfer.Status, error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	m := transfer.New(ctx, s.api)
	id, err := begin(m)
	if err != nil {
		return transfer.Status{}, fmt.Errorf("%s: %w", what, err)
	}
	over := transfersDone(m)
	for note := ""; ; {
		select {
		case <-m.Changed():
		case <-over:
			row, _ := m.Status(id)
			return row, transferError(ctx, what, row)
		}
		if row, _ := m.Status(id); row.State == transfer.Running && row.Note != note {
			if note = row.Note; note != "" {
				s.reportf("%s: %s", what, note)
			}
		}
	}
}

// transferError is why a transfer that has ended is not done.
func transferError(ctx context.Context, what string, row transfer.Status) error {
	switch {
	case row.State == transfer.Done:
		return nil
	case row.Err != nil:
		return fmt.Errorf("%s: %w", what, row.Err)
	case row.Kind == transfer.Upload:
		return fmt.Errorf("%s: %w; nothing was stored", what, context.Cause(ctx))
	case row.LocalPath.Raw() != "":
		return fmt.Errorf("%s: %w after %d bytes, which the same command takes up", what, context.Cause(ctx), row.Done)
	}
	return fmt.Errorf("%s: %w after %d bytes", what, context.Cause(ctx), row.Done)
}

func putObject(set *pflag.FlagSet) runFunc[objectRef] {
	force := set.Bool("force", false, "replace an object that is there")
	kind := set.String("content-type", "", "what it is (default: by the file's name)")
	return func(ctx context.Context, s *scriptSession, _ objectRef, args []string) (objectRef, error) {
		o, err := parseObjectArgs(args)
		if err != nil {
			return o, err
		}
		info, err := os.Stat(args[2]) // not opened before: a pipe would wait for ever
		switch {
		case err != nil:
			return o, fmt.Errorf("store %s: %w", o, err)
		case !info.Mode().IsRegular():
			return o, exit.Usage(
				fmt.Errorf("%s is not a regular file: its size must be known before it is sent", client.Clean(args[2])),
			)
		}
		if !*force {
			if _, there, err := s.api.Objects.Find(ctx, o.cluster, o.bucket, o.name); err != nil {
				return o, err
			} else if there {
				return o, fmt.Errorf("%s is there already: choose another name, or --force replaces it", o)
			}
		}
		row, err := s.runTransfer(
			o.withTarget(ctx),
			fmt.Sprintf("store %s", o),
			func(m *transfer.Manager) (transfer.ID, error) {
				return m.Upload(transfer.UploadRequest{
					Cluster: o.cluster,
					Bucket:  o.bucket,
					Name:    o.name,
					File:    args[2],
					ContentType: cmp.Or(
						*kind,
						cmp.Or(mime.TypeByExtension(filepath.Ext(args[2])), "application/octet-stream"),
					),
				})
			},
		)
		if err == nil {
			s.reportf("%s: %d bytes stored; %s", o, row.Done, row.Note)
		}
		return o, err
	}
}

func removeObject(ctx context.Context, s *scriptSession, _ objectRef, args []string) (objectRef, error) {
	o, err := parseObjectArgs(args)
	if err != nil {
		return o, err
	}
	if _, err := s.findObject(ctx, o); err != nil {
		return o, err
	}
	if err := s.api.Objects.Delete(o.withTarget(ctx), o.cluster, o.bucket, o.name); err != nil {
		return o, err
	}
	s.reportf("%s is removed", o)
	return o, nil
}
