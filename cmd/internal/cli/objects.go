package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/client/objectindex"
	"lookout/client/transfer"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
	"lookout/cmd/internal/prompt"
	"lookout/views/operation"
	"lookout/views/resource"
	"lookout/views/storage"
)

// objectCommands adds the commands that move data, make links and set who may access an object.
func objectCommands(r scriptResource) scriptResource {
	r.includes = []scriptResource{
		folderSizesResource(), linksResource(), objectACLsResource(), objectFilesResource(),
		readersResource("object", "CLUSTER/BUCKET NAME", objectNames()...),
	}
	r.listNames = objectNames()
	return r
}

// A folderRow is the row of a folder's sums.
type folderRow struct {
	Name    string `json:"name"` // the prefix that the names of its objects begin with; "." for the whole bucket
	Size    int64  `json:"size"`
	Objects int64  `json:"objects"`
	Depth   int    `json:"depth"`    // levels below what was asked for
	AtLeast bool   `json:"at_least"` // there may be more
}

// folderSizesResource adds up the objects of folders. Its command stands among those of objects.
func folderSizesResource() scriptResource {
	depth := 1
	return scriptResource{
		singular:    "folder",
		listName:    "du",
		listSummary: "Show the number and size of objects in each folder and in total",
		listArgs:    "CLUSTER/BUCKET [PREFIX]",
		listNames:   objectNames(),
		listFlags: func(set *pflag.FlagSet, _ *listOptions) {
			set.IntVarP(&depth, "depth", "d", depth, "levels of folders to show; 0 shows only the total")
		},
		columns: resource.EraseColumns([]resource.ColumnDefinition[*folderRow]{
			{Name: "size", Value: func(r *folderRow) string { return strconv.FormatInt(r.Size, 10) }, Bytes: true},
			{
				Name:       "objects",
				Value:      func(r *folderRow) string { return strconv.FormatInt(r.Objects, 10) },
				OnTerminal: func(r *folderRow) string { return humanize.Comma(r.Objects) },
			},
			{Name: "name", Value: func(r *folderRow) string { return r.Name }},
			{
				Name:       "depth",
				Value:      func(r *folderRow) string { return strconv.Itoa(r.Depth) },
				DetailOnly: true,
			},
		}),
		list: func(ctx context.Context, s *scriptSession, q listOptions) iter.Seq2[any, error] {
			return rowsOf(func() (rows []*folderRow, err error) {
				sizes, err := s.readFolderSizes(ctx, q.args, depth)
				if err != nil {
					return nil, err
				}
				for f := range sizes.All() {
					rows = append(rows, &folderRow{cmp.Or(f.Name, "."), f.Bytes, f.Objects, f.Depth, f.AtLeast})
				}
				if why := sizes.Problem(); why != "" {
					err = fmt.Errorf("the listing of %s is %s; the totals may be too low", q.args[0], why)
				}
				return rows, err
			})
		},
	}
}

// readFolderSizes reads the sums of the folders of a bucket, or below a prefix: args are CLUSTER/BUCKET [PREFIX]. On a
// terminal it reports every second how far it is.
func (s *scriptSession) readFolderSizes(
	ctx context.Context, args []string, depth int,
) (*objectindex.FolderSizes, error) {
	cluster, bucket, err := parseBucket(args[0])
	if err == nil && depth < 0 {
		err = exit.Usage(fmt.Errorf("--depth %d: use 0 or more", depth))
	}
	if err != nil {
		return nil, err
	}
	prefix := ""
	if len(args) > 1 {
		prefix = args[1]
	}
	sizes := objectindex.NewFolderSizes(prefix, depth)
	reported := time.Now()
	_, onTerminal := output.AsTerminal(s.errOut)
	err = sizes.Read(ctx, s.api.Objects, cluster, bucket, func() {
		if now := time.Now(); onTerminal && now.Sub(reported) >= time.Second {
			reported = now
			sum, _ := sizes.Sum(prefix)
			s.reportf(
				"%s objects, %s so far", humanize.Comma(sum.Objects), operation.FormatSize(sum.Bytes),
			)
		}
	})
	return sizes, err
}

// describeObject returns how questions and reports name an object.
func describeObject(o client.ObjectRef) string { return client.Clean(o.ID()) }

// objectFilesResource moves data between objects and files. Its commands stand among those of objects.
func objectFilesResource() scriptResource {
	return scriptResource{
		singular: "object",
		subcommands: []subcommand{
			{
				name:            "get",
				args:            "CLUSTER/BUCKET NAME... [FILE]",
				names:           objectNames(completeFiles),
				noTarget:        true,
				printsOwnResult: true,
				columns:         transferRowColumns(),
				bindFlags:       getObject,
				description:     "Download objects",
				details: "Downloads to FILE (default: the object's base name; - writes to standard output). If " +
					"FILE is a folder or ends with /, the object goes into it. With several names, a pattern or -r, " +
					"FILE is a folder. With two or more arguments after the bucket, the last is FILE.",
			},
			{
				name:            "put",
				op:              client.OpUploadObject,
				otherOps:        []string{client.OpSetObjectACL},
				verb:            "Stores",
				args:            "CLUSTER/BUCKET NAME FILE...",
				names:           objectNames(completeFiles),
				noTarget:        true,
				printsOwnResult: true,
				columns:         transferRowColumns(),
				bindFlags:       putObject,
				description: "Store a file as an object (- is standard input), or several files and folders under " +
					"NAME/",
			},
			{
				name:            "rm",
				op:              client.OpDeleteObject,
				verb:            "Removes",
				asks:            asksAlways,
				args:            "CLUSTER/BUCKET NAME...",
				names:           objectNames(),
				noTarget:        true,
				printsOwnResult: true,
				description:     "Remove an object or, with patterns or -r, several objects",
				columns:         transferRowColumns(),
				bindFlags:       removeObject,
			},
			{
				name:            "sync",
				op:              client.OpUploadObject,
				otherOps:        []string{client.OpDeleteObject, client.OpSetObjectACL},
				verb:            "Stores",
				args:            "SOURCE TARGET",
				names:           []cobra.CompletionFunc{completeSide, completeSide},
				noTarget:        true,
				printsOwnResult: true,
				description:     "Copy new files from a folder to a bucket, or the other way round",
				details: "Copies what is new or, with --force, different. The path of the folder must begin with / " +
					"or . (./site); the other side is CLUSTER/BUCKET[/PREFIX].",
				bindFlags: syncObjects,
				columns:   transferRowColumns(),
			},
			copyCommand("cp", transfer.Copy), copyCommand("mv", transfer.Move), rcloneCommand(),
		},
	}
}

// copyCommand returns the command that copies or moves objects.
func copyCommand(name string, kind transfer.Kind) subcommand {
	c := subcommand{
		name:            name,
		op:              client.OpUploadObject,
		otherOps:        []string{client.OpSetObjectACL},
		verb:            "Copies",
		args:            "SOURCE... TARGET",
		names:           []cobra.CompletionFunc{completePlace, completePlace},
		noTarget:        true,
		printsOwnResult: true,
		description:     "Copy objects within a bucket or to another one",
		details: "Copies each SOURCE (CLUSTER/BUCKET/NAME, in which NAME may be a pattern) to TARGET " +
			"(CLUSTER/BUCKET[/NAME]).",
		bindFlags: copyObjects(kind),
		columns:   transferRowColumns(),
	}
	if kind == transfer.Move {
		c.verb, c.otherOps = "Moves", []string{client.OpDeleteObject, client.OpSetObjectACL}
		c.description = "Rename or move objects: like cp, but deletes each source once its copy is verified"
		c.details = ""
	}
	return c
}

func parseObjectArgs(args []string) (client.ObjectRef, error) {
	cluster, bucket, err := parseBucket(args[0])
	if err == nil && args[1] == "" {
		err = exit.Usage(errors.New("the object's name is empty"))
	}
	return client.ObjectRef{Cluster: cluster, Bucket: bucket, Name: args[1]}, err
}

// An objectACL is the row of an object's ACL.
type objectACL struct {
	Name string                      `json:"name"`
	ACL  client.Optional[client.ACL] `json:"acl"`     // null if the endpoint has no ACLs
	XML  client.OptionalServerText   `json:"acl_xml"` // the whole policy
}

func newObjectACL(name string, a *client.ObjectACL) *objectACL {
	row := &objectACL{Name: name, XML: client.OptionalServerText{ServerText: a.XML}}
	if a.ACL != "" {
		row.ACL = client.Known(a.ACL)
	}
	return row
}

// objectACLsResource shows and sets who may do what with an object. Its command stands among those of objects.
func objectACLsResource() scriptResource {
	return scriptResource{
		singular: "object",
		columns: resource.EraseColumns([]resource.ColumnDefinition[*objectACL]{
			{Name: "name", Value: func(a *objectACL) string { return a.Name }},
			{Name: "acl", Value: func(a *objectACL) string {
				acl, _ := a.ACL.Value()
				return string(acl)
			}},
		}),
		subcommands: []subcommand{{
			name:        "acl",
			op:          client.OpSetObjectACL,
			verb:        "Changes the access to",
			args:        "CLUSTER/BUCKET NAME [ACL]",
			names:       objectNames(cobra.FixedCompletions(aclNames(), noFiles)),
			noTarget:    true,
			bindFlags:   withoutFlags(showOrSetObjectACL),
			description: "Show or set who may access an object: " + client.ACLChoices,
		}},
	}
}

// showOrSetObjectACL reads an object's ACL, and plans to set it if args name another one.
func showOrSetObjectACL(ctx context.Context, s *scriptSession, _ any, args []string) (c change, err error) {
	o, err := parseObjectArgs(args)
	if err != nil {
		return c, err
	}
	if len(args) > 2 && !slices.Contains(aclNames(), args[2]) {
		return c, exit.Usage(fmt.Errorf("unknown ACL %q (use %s)", client.Clean(args[2]), client.ACLChoices))
	}
	found, err := s.api.Objects.ACL(ctx, o.Cluster, o.Bucket, o.Name)
	if err != nil {
		return c, err
	}
	before := newObjectACL(o.Name, found)
	if len(args) < 3 {
		return change{result: before}, nil
	}
	acl := client.ACL(args[2])
	present, _ := before.ACL.Value()
	return change{
		Change: client.Change{ID: o.ID(), Label: o.Name, Before: map[string]any{"acl": before.ACL}},
		opens:  acl.Opens(present),
		word:   "y",
		detail: string(acl),
		send: func(ctx context.Context, w *approvedChange) (any, error) {
			now, err := w.SetObjectACL(ctx, o, acl)
			switch {
			case err != nil:
				return nil, err
			case now == nil:
				s.reportf("%s: the access was set to %s, but could not be read again", describeObject(o), acl)
				now = &client.ObjectACL{}
			case now.ACL == "":
				s.reportf("%s: the access was set to %s; the API does not report it", describeObject(o), acl)
			case now.ACL != acl:
				return nil, exit.WithCode(exit.CodeUnknown, fmt.Errorf(
					"%s: the API accepted the access settings, but a later read shows %s; check again in a minute",
					describeObject(o), now.ACL,
				))
			}
			return newObjectACL(o.Name, now), nil
		},
	}, nil
}

func getObject(set *pflag.FlagSet) planFunc {
	var flags planFlags
	flags.add(set, "replace existing files that differ")
	flags.addSizeOnly(set)
	const inFolders = "also download everything in the folders that NAME names or matches"
	recursive := set.BoolP("recursive", "r", false, inFolders)
	dryRun := set.Bool("dry-run", false, "print what would be downloaded, and download nothing")
	return func(ctx context.Context, s *scriptSession, _ any, args []string) (c change, err error) {
		o, err := parseObjectArgs(args)
		if *recursive && o.Cluster != "" {
			err = nil // an empty name is the whole bucket
		}
		if err == nil {
			err = flags.check()
		}
		if err != nil {
			return c, err
		}
		names, target := args[1:], ""
		if len(names) > 1 {
			names, target = names[:len(names)-1], names[len(names)-1]
		}
		many := *recursive || len(names) > 1
		if !many {
			if many, err = s.isPattern(ctx, o); err != nil {
				return c, err
			}
		}
		switch {
		case target == "-" && s.printsRows():
			const next = "the object goes to standard output: remove -o, or name a file"
			return c, exit.Usage(fmt.Errorf("-o %s: %s", s.printer.Format, next))
		case many && target == "-":
			return c, exit.Usage(errors.New("only a single object can go to standard output"))
		case many:
			sel := transfer.Selection{
				Cluster:   o.Cluster,
				Bucket:    o.Bucket,
				Names:     names,
				Recursive: *recursive,
			}
			return c, s.download(ctx, sel, cmp.Or(target, "."), flags, *dryRun, "")
		case target == "-" && !*dryRun:
			return c, s.streamObject(ctx, o)
		}
		return c, s.getOne(ctx, o, target, flags, *dryRun)
	}
}

// getOne fetches one object to a file.
func (s *scriptSession) getOne(
	ctx context.Context, o client.ObjectRef, target string, flags planFlags, dryRun bool,
) error {
	file, err := downloadPath(o, target)
	if err != nil {
		return err
	}
	row := &transferRow{Name: o.Name, Action: transfer.Download.String(), File: &file}
	_, failure := os.Lstat(file)
	exists := failure == nil
	taken := fmt.Errorf("%s already exists: choose another file, or replace it with --force", client.Clean(file))
	switch {
	case exists && flags.skip:
		s.reportf("%s exists; nothing was downloaded", client.Clean(file))
		s.addRow(row.skipped(dryRun))
		return nil
	case exists && !flags.force && !flags.compares():
		return taken
	}
	found, err := s.findObject(ctx, o)
	if err != nil {
		return err
	}
	row.Size = sizeOrNull(found.Size)
	if exists && flags.compares() {
		plan := transfer.PlanObject(found, file)
		err := plan.CompareFiles(ctx, flags.compare())
		switch f, same := flags.toSend(&plan); {
		case err != nil:
			return err
		case len(plan.Skipped) > 0:
			return plan.Skipped[0]
		case same:
			s.reportf("%s and %s are the same; nothing was downloaded", describeObject(o), client.Clean(file))
			s.addRow(row.same(dryRun))
			return nil
		case !flags.decided():
			return taken
		default:
			file = filepath.Join(filepath.Dir(file), f.Path)
		}
	}
	if dryRun {
		s.reportf(
			"dry run: %s (%d bytes) would be downloaded to %s", describeObject(o), found.Size, client.Clean(file),
		)
		s.addRow(row)
		return s.endDryRun(nil, client.OpCreateObjectURL)
	}
	if target != "" && os.IsPathSeparator(target[len(target)-1]) {
		if err := os.MkdirAll(target, 0o777); err != nil {
			return err
		}
	}
	return s.downloadObject(ctx, o, found, file, flags.force, row)
}

// isPattern reports whether a name is a pattern: there is no object of exactly this name.
func (s *scriptSession) isPattern(ctx context.Context, o client.ObjectRef) (bool, error) {
	if !strings.ContainsAny(o.Name, "*?[") {
		return false, nil
	}
	_, there, err := s.api.Objects.Find(ctx, o.Cluster, o.Bucket, o.Name)
	return !there, err
}

// downloadPath returns the file that an object is stored in. In a folder, or if none is given, it is named after the
// object, provided that the object's name is safe as a file name.
func downloadPath(o client.ObjectRef, given string) (string, error) {
	if given != "" && !os.IsPathSeparator(given[len(given)-1]) {
		if info, err := os.Stat(given); err != nil || !info.IsDir() {
			return given, nil
		}
	}
	name, err := transfer.DefaultFileName(o.Name)
	if err != nil {
		return "", exit.Usage(fmt.Errorf("%w: give FILE", err))
	}
	return filepath.Join(given, name), nil
}

// findObject returns an object as the listing has it.
func (s *scriptSession) findObject(ctx context.Context, o client.ObjectRef) (client.Object, error) {
	found, there, err := s.api.Objects.Find(ctx, o.Cluster, o.Bucket, o.Name)
	if err == nil && !there {
		err = exit.WithCode(exit.CodeNotFound, fmt.Errorf("there is no object %s", describeObject(o)))
	}
	return found, err
}

// streamObject writes an object to standard output.
func (s *scriptSession) streamObject(ctx context.Context, o client.ObjectRef) error {
	found, err := s.findObject(ctx, o)
	if err != nil {
		return err
	}
	_, err = s.runTransfer(ctx, "fetch "+describeObject(o), func(m *transfer.Manager) (transfer.ID, error) {
		return m.Stream(transfer.DownloadRequest{Cluster: o.Cluster, Bucket: o.Bucket, Object: found}, s.out), nil
	})
	return err
}

// downloadObject fetches an object into a file, which appears only once it is complete.
func (s *scriptSession) downloadObject(
	ctx context.Context, o client.ObjectRef, found client.Object, file string, force bool, result *transferRow,
) error {
	row, err := s.runTransfer(ctx, "fetch "+describeObject(o), func(m *transfer.Manager) (transfer.ID, error) {
		return m.Download(transfer.DownloadRequest{
			Cluster:    o.Cluster,
			Bucket:     o.Bucket,
			Object:     found,
			Folder:     filepath.Dir(file),
			Path:       filepath.Base(file),
			PathChosen: true,
			Overwrite:  force,
		})
	})
	result.setOutcome(row, err)
	s.addRow(result)
	if err == nil {
		if abs, failure := filepath.Abs(file); failure == nil && row.LocalPath.Raw() != abs {
			file = row.LocalPath.Raw() // its folder was moved meanwhile
		}
		s.reportf(
			"%s: %s (%d bytes) in %s; %s", describeObject(o), humanize.IBytes(uint64(row.Done)), row.Done,
			client.Clean(file), row.Note,
		)
	}
	return err
}

// runTransfer runs one transfer to its end, and reports each note on the way once.
func (s *scriptSession) runTransfer(
	ctx context.Context, what string, begin func(*transfer.Manager) (transfer.ID, error),
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

// transferError returns why a transfer failed, or nil.
func transferError(ctx context.Context, what string, row transfer.Status) error {
	switch {
	case row.State == transfer.Done:
		return nil
	case isAccessError(row.Err):
		return exit.WithCode(exit.CodePartial, fmt.Errorf("%s: %w", what, row.Err))
	case row.Err != nil:
		return fmt.Errorf("%s: %w", what, row.Err)
	case row.Kind == transfer.Upload:
		return fmt.Errorf("%s: %w; nothing was stored", what, context.Cause(ctx))
	case row.LocalPath.Raw() != "":
		return fmt.Errorf("%s: %w after %d bytes; the same command resumes it", what, context.Cause(ctx), row.Done)
	}
	return fmt.Errorf("%s: %w after %d bytes", what, context.Cause(ctx), row.Done)
}

func putObject(set *pflag.FlagSet) planFunc {
	var flags planFlags
	flags.add(set, "replace existing objects that differ")
	flags.addSizeOnly(set)
	recursive := set.BoolP("recursive", "r", false, "FILE is a folder: store everything in it")
	kind := set.String("content-type", "", "content type of a single file (default: guessed from the file's name)")
	return func(ctx context.Context, s *scriptSession, _ any, args []string) (c change, err error) {
		o, err := parseObjectArgs(args)
		if err == nil {
			err = flags.check()
		}
		if err != nil {
			return c, err
		}
		files := args[2:]
		if files[0] == "-" && len(files) == 1 {
			return s.planFile(ctx, o, "", cmp.Or(*kind, transfer.ContentType(o.Name)), flags)
		}
		many, err := putsMany(o, files, *recursive)
		switch {
		case err != nil:
			return c, err
		case many && *kind != "":
			return c, exit.Usage(errors.New("--content-type is for a single file, and NAME ends with /"))
		case many:
			return s.planUpload(ctx, o, files, flags)
		}
		return s.planFile(ctx, o, files[0], *kind, flags)
	}
}

// putsMany reports whether files are stored below a name, and not one of them under this name.
func putsMany(o client.ObjectRef, files []string, recursive bool) (bool, error) {
	folder, prefix := "", strings.HasSuffix(o.Name, "/")
	for _, file := range files {
		info, err := os.Stat(file) // not opened before: a pipe would wait for ever
		switch {
		case err != nil:
			return false, fmt.Errorf("store %s: %w", describeObject(o), err)
		case info.IsDir():
			folder = file
		case !info.Mode().IsRegular():
			name := client.Clean(file)
			return false, exit.Usage(fmt.Errorf("%s is not a regular file, so its size is unknown", name))
		}
	}
	switch {
	case folder != "" && !prefix:
		return false, exit.Usage(fmt.Errorf("%s is a folder: NAME must end with /", client.Clean(folder)))
	case len(files) > 1 && !prefix:
		return false, exit.Usage(errors.New("several files: NAME must end with /"))
	case recursive && folder == "":
		return false, exit.Usage(fmt.Errorf("%s is not a folder", client.Clean(files[0])))
	}
	return prefix, nil
}

// planFile plans to store one file as an object; "" is standard input.
func (s *scriptSession) planFile(
	ctx context.Context, o client.ObjectRef, file, kind string, flags planFlags,
) (c change, err error) {
	c.Change = client.Change{ID: o.ID(), Label: o.Name}
	if info, err := os.Stat(file); err == nil && info.Size() > client.MaxPutSize {
		hintRclone(s, o.Cluster, o.Bucket)
	}
	existing, found, err := s.api.Objects.Find(ctx, o.Cluster, o.Bucket, o.Name)
	switch {
	case found && err == nil && flags.skip:
		s.reportf("%s exists; nothing was stored", describeObject(o))
		s.addRow(newUploadRow(o, file).skipped(s.dryRun))
		return change{}, nil
	case found && err == nil && !flags.force && !flags.compares():
		return c, errObjectExists(o)
	case found && err == nil && flags.compares():
		sent, failure := s.compareFile(ctx, o, file, flags)
		if failure == nil && sent == "" {
			s.addRow(newUploadRow(o, file).same(s.dryRun))
		}
		if failure != nil || sent == "" {
			return change{}, failure
		}
		o.Name = sent
		c.ID, c.Label = o.ID(), o.Name
	case err != nil && !flags.force:
		return c, err
	}
	if found && err == nil && flags.force {
		c.Before = existing
	}
	if flags.force && (found || err != nil) {
		if err := s.keepAccess(ctx, o, &c); err != nil {
			return c, err
		}
	}
	upload := transfer.UploadRequest{
		Cluster:     o.Cluster,
		Bucket:      o.Bucket,
		Name:        o.Name,
		File:        file,
		ContentType: cmp.Or(kind, mime.TypeByExtension(filepath.Ext(file)), "application/octet-stream"),
		MustNew:     !flags.force,
		Keep:        c.keep,
	}
	keep := c.keep
	c.show = func() error {
		var lost error
		if keep.Lost != "" {
			lost = lostAccessError(1)
		}
		if s.printsRows() {
			row := newUploadRow(o, file)
			row.Reason = orNull(storage.DescribeKeptACL(keep))
			s.addRow(row)
			return lost
		}
		return cmp.Or(s.showObject(http.MethodPut, o, upload.ContentType, file), s.showACL(o, keep), lost)
	}
	c.send = func(ctx context.Context, w *approvedChange) (any, error) {
		if file == "" {
			spooled, err := prompt.UnlessInterrupted(ctx, func() (*os.File, error) { return transfer.Spool(s.in) })
			if err != nil {
				return nil, fmt.Errorf("standard input: %w", err)
			}
			defer spooled.Close()
			upload.Spooled = spooled
		}
		return nil, s.storeObject(ctx, w, upload, newUploadRow(o, file))
	}
	return c, nil
}

// errObjectExists returns the error of an object that would be replaced.
func errObjectExists(o client.ObjectRef) error {
	return fmt.Errorf("%s already exists: choose another name, or replace it with --force", describeObject(o))
}

// compareFile compares a file with the object that has its name already, and returns the name under which it is to be
// stored; "" if it is the same. Nothing is known yet of standard input, whose file is "".
func (s *scriptSession) compareFile(
	ctx context.Context, o client.ObjectRef, file string, flags planFlags,
) (name string, err error) {
	var size int64
	options := flags.compare()
	if info, err := os.Stat(file); err == nil {
		size = info.Size()
	} else {
		options.NameOnly = true
	}
	plan := transfer.PlanFile(file, size, o)
	err = plan.CompareObjects(ctx, s.api.Objects, options)
	switch f, same := flags.toSend(&plan); {
	case err != nil:
		return "", err
	case len(plan.Skipped) > 0:
		return "", plan.Skipped[0]
	case same:
		s.reportf("%s and %s are the same; nothing was stored", client.Clean(file), describeObject(o))
		return "", nil
	case !flags.decided():
		return "", errObjectExists(o)
	default:
		return f.Name, nil
	}
}

// storeObject uploads a file.
func (s *scriptSession) storeObject(
	ctx context.Context, w *approvedChange, r transfer.UploadRequest, result *transferRow,
) error {
	r.Consent, r.Reason, r.Before = w.consent(), w.change.Reason, w.change.Before
	r.ACLConsent = w.consents[client.OpSetObjectACL]
	name := client.Clean(w.change.ID)
	row, err := s.runTransfer(ctx, "store "+name, func(m *transfer.Manager) (transfer.ID, error) {
		return m.Upload(r)
	})
	result.Size = sizeOrNull(row.Total)
	result.setOutcome(row, err)
	s.addRow(result)
	if err == nil {
		s.reportf("%s: %d bytes stored; %s", name, row.Done, row.Note)
	}
	if row.AccessLost {
		err = cmp.Or(err, lostAccessError(1))
	}
	return err
}

// removeObject plans to remove an object, or several.
func removeObject(set *pflag.FlagSet) planFunc {
	recursive := set.BoolP("recursive", "r", false, "also remove everything in the folders that NAME names or matches")
	return func(ctx context.Context, s *scriptSession, _ any, args []string) (c change, err error) {
		o, err := parseObjectArgs(args)
		if err != nil {
			return c, err
		}
		many := *recursive || len(args) > 2
		if !many {
			if many, err = s.isPattern(ctx, o); err != nil {
				return c, err
			}
		}
		switch {
		case *recursive && len(args) == 2 && strings.HasSuffix(o.Name, "/") && !s.printsRows():
			return s.planEmptying(ctx, o) // which needs no list of the names
		case many:
			return s.planRemoval(ctx, transfer.Selection{
				Cluster:   o.Cluster,
				Bucket:    o.Bucket,
				Names:     args[1:],
				Recursive: *recursive,
			})
		}
		found, err := s.findObject(ctx, o)
		if err != nil {
			return c, err
		}
		return change{
			Change: client.Change{ID: o.ID(), Label: o.Name, Before: found},
			show: func() error {
				if s.printsRows() {
					s.addRow(newDeletionRow(found))
					return nil
				}
				return s.showObject(http.MethodDelete, o, "", "")
			},
			send: func(ctx context.Context, w *approvedChange) (any, error) {
				err := w.DeleteObject(ctx, o)
				row := newDeletionRow(found)
				row.setOutcome(transfer.Status{State: transfer.Done}, err)
				s.addRow(row)
				if err == nil {
					s.reportf("%s is removed", describeObject(o))
				}
				return nil, err
			},
		}, nil
	}
}
