package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/client/transfer"
	"lookout/client/wording"
	"lookout/cmd/internal/exit"
	"lookout/views/operation"
	"lookout/views/storage"
)

// parseSide returns what an argument of sync names: a local folder, or a place in a bucket.
func parseSide(arg string) (folder string, place client.ObjectRef, err error) {
	if arg == "." || arg == ".." || strings.HasPrefix(arg, "./") || strings.HasPrefix(arg, "../") ||
		strings.Contains(arg, `\`) || filepath.IsAbs(arg) {
		return arg, place, nil
	}
	parts := strings.SplitN(arg, "/", 3)
	if len(parts) < 2 {
		return "", place, exit.Usage(fmt.Errorf(
			"%s is neither a folder (./%[1]s) nor CLUSTER/BUCKET[/PREFIX]", client.Clean(arg),
		))
	}
	place.Cluster, place.Bucket, err = parseBucket(parts[0] + "/" + parts[1])
	if len(parts) > 2 && parts[2] != "" {
		place.Name = strings.TrimSuffix(parts[2], "/") + "/"
	}
	return "", place, err
}

// syncObjects plans to copy what is new from a folder to a bucket, or back.
func syncObjects(set *pflag.FlagSet) planFunc {
	var flags planFlags
	flags.add(set, "replace what differs")
	flags.addSizeOnly(set)
	const deletes = "at the end, delete what exists only in the target; lookout asks on every " +
		"account first, unless --yes is given"
	set.BoolVar(&flags.deletes, "delete", false, deletes)
	return func(ctx context.Context, s *scriptSession, _ any, args []string) (c change, err error) {
		from, source, err := parseSide(args[0])
		to, target, failure := parseSide(args[1])
		if err = errors.Join(err, failure, flags.check()); err != nil {
			return c, exit.Usage(err)
		}
		switch {
		case (from == "") == (to == ""):
			return c, exit.Usage(errors.New(
				"one side must be the path of a folder, with / or . first (./site), the other CLUSTER/BUCKET[/PREFIX]",
			))
		case to != "":
			yes, _ := set.Lookup("yes").Value.(*yesFlag)
			sel := transfer.Selection{
				Cluster:   source.Cluster,
				Bucket:    source.Bucket,
				Names:     []string{source.Name},
				Recursive: true,
			}
			return c, s.download(ctx, sel, to, flags, s.dryRun, *yes)
		}
		if info, err := os.Stat(from); err == nil && !info.IsDir() {
			return c, exit.Usage(fmt.Errorf("%s is not a folder", client.Clean(from)))
		}
		return s.planUpload(ctx, target, []string{from}, flags)
	}
}

// download fetches the objects of a selection into a folder, and then deletes what only the folder has if the flags say
// so; yes agrees to that.
func (s *scriptSession) download(
	ctx context.Context, sel transfer.Selection, folder string, flags planFlags, dryRun bool, yes yesFlag,
) error {
	if !dryRun && flags.needsNoPlan(folder) {
		return s.stream(ctx, sel, folder, flags)
	}
	b := s.newDownload(sel, folder, flags)
	err := s.eachSelected(ctx, sel, b.plan.Add)
	if err == nil {
		err = b.compare(ctx)
	}
	if err != nil {
		return err
	}
	if dryRun {
		if s.dryRun {
			s.reportf("dry run: nothing is changed")
		}
		err := s.endDryRun(b.show(), client.OpCreateObjectURL)
		if code := exit.CodeFor(err); len(b.plan.Extra) > 0 && (code == exit.CodeOK || code == exit.CodePartial) {
			asker, question := b.askerOfDeletion(yes)
			if _, refused := asker.flagAnswer(question); refused != nil {
				return refused
			}
		}
		return err
	}
	if err := b.check(); err != nil {
		return err
	}
	extra := len(b.plan.Extra)
	if extra > 0 {
		asker, question := b.askerOfDeletion(yes)
		agreed, err := asker.Ask(ctx, question)
		if err == nil && !agreed {
			err = client.ErrDeclined
		}
		if err != nil {
			return err
		}
	}
	if err = b.run(ctx, nil, ""); !flags.deletes {
		return err
	}
	return b.deleteExtra(ctx, err, func() error {
		left, err := transfer.DeleteFiles(folder, b.plan.Extra)
		reasons := map[string]string{}
		for _, f := range left {
			s.reportf("not deleted: %s", f.Error())
			reasons[f.Path] = f.Reason
		}
		s.addRows(b.extraRows(func(name string) (outcome, reason string) {
			switch reason, failed := reasons[name]; {
			case err != nil:
				return outcomeFailed, exit.Text(err)
			case failed:
				return outcomeFailed, reason
			}
			return outcomeDone, ""
		}))
		s.reportf("%s: %s deleted", client.Clean(folder), wording.Plural(extra-len(left), "file", "files"))
		if err == nil && len(left) > 0 {
			err = exit.WithCode(exit.CodePartial, fmt.Errorf("%d of %d files were not deleted", len(left), extra))
		}
		return err
	})
}

// askerOfDeletion returns who asks before files are deleted that the bucket does not have, and the question.
func (b *batchTransfer) askerOfDeletion(yes yesFlag) (*scriptAsker, client.ConsentQuestion) {
	effect := fmt.Sprintf("Deletes %s in %s that the bucket does not have",
		wording.Plural(len(b.plan.Extra), "file", "files"), client.Clean(b.plan.Folder))
	question := client.ConsentQuestion{Effect: effect, Word: fmt.Sprint(len(b.plan.Extra))}
	return &scriptAsker{session: b.session, summary: effect, yes: yes}, question
}

// checkedNote is the note of a copy of which there is nothing else to say.
const checkedNote = "size and MD5 checked"

// copyObjects plans to copy or move objects: kind is transfer.Copy or transfer.Move.
func copyObjects(kind transfer.Kind) func(*pflag.FlagSet) planFunc {
	return func(set *pflag.FlagSet) planFunc {
		var flags planFlags
		flags.add(set, "replace existing objects that differ")
		const inFolders = "also take everything in the folders that SOURCE names or matches"
		recursive := set.BoolP("recursive", "r", false, inFolders)
		return func(ctx context.Context, s *scriptSession, _ any, args []string) (c change, err error) {
			sel, target, err := parseCopyArgs(args, *recursive)
			if err = errors.Join(err, flags.check()); err != nil {
				return c, exit.Usage(err)
			}
			return s.planCopy(ctx, kind, sel, target, flags)
		}
	}
}

// parseCopyArgs returns what the sources of a copy select, and the target.
func parseCopyArgs(args []string, recursive bool) (sel transfer.Selection, target client.ObjectRef, err error) {
	sel.Recursive = recursive
	for i, arg := range args {
		parts := strings.SplitN(arg, "/", 3)
		if len(parts) < 2 {
			return sel, target, fmt.Errorf("%s is not CLUSTER/BUCKET/NAME", client.Clean(arg))
		}
		place := client.ObjectRef{}
		if place.Cluster, place.Bucket, err = parseBucket(parts[0] + "/" + parts[1]); err != nil {
			return sel, target, err
		}
		if len(parts) > 2 {
			place.Name = parts[2]
		}
		switch {
		case i == len(args)-1:
			target = place
			continue
		case place.Name == "" && !recursive:
			return sel, target, fmt.Errorf("%s: name an object, or everything in the bucket with -r", client.Clean(arg))
		case i == 0:
			sel.Cluster, sel.Bucket = place.Cluster, place.Bucket
		case sel.Cluster != place.Cluster || sel.Bucket != place.Bucket:
			return sel, target, errors.New("all sources must be in one bucket")
		}
		sel.Names = append(sel.Names, place.Name)
	}
	return sel, target, nil
}

// planCopy plans to copy or move the objects of a selection.
func (s *scriptSession) planCopy(
	ctx context.Context, kind transfer.Kind, sel transfer.Selection, target client.ObjectRef, flags planFlags,
) (c change, err error) {
	many := sel.Recursive || len(sel.Names) > 1
	if !many {
		from := client.ObjectRef{Cluster: sel.Cluster, Bucket: sel.Bucket, Name: sel.Names[0]}
		if many, err = s.isPattern(ctx, from); err != nil {
			return c, err
		}
	}
	folder := target.Name == "" || strings.HasSuffix(target.Name, "/")
	switch {
	case many && !folder && sel.Recursive && len(sel.Names) == 1:
		target.Name += "/"
	case many && !folder:
		return c, exit.Usage(errors.New("several objects: TARGET must end with /"))
	}
	var selected []transfer.DownloadItem
	err = s.eachSelected(ctx, sel, func(o transfer.DownloadItem) {
		o.Object = o.Object.Clone()
		selected = append(selected, o)
	})
	if err != nil {
		return c, err
	}
	if !many && !folder {
		selected[0].Path = "" // the target is its name
	}
	from := client.ObjectRef{Cluster: sel.Cluster, Bucket: sel.Bucket}
	plan, err := transfer.CopySpec{Kind: kind, From: from, To: target}.Plan(ctx, s.api, selected)
	if err != nil {
		return c, err
	}
	target.Cluster = plan.Cluster
	b := s.newBatch(plan, target, "", flags)
	return b.prepare(ctx, b.copyChange)
}

// copyChange returns the change that a copy or a move makes.
func (b *batchTransfer) copyChange() change {
	files, replaced := b.plan.CountToSend(b.flags.existing())
	c := change{Change: client.Change{Label: b.plan.Prefix}}
	c.show = b.showRequests
	for f := range b.plan.ToSend(b.flags.existing()) {
		c.ids, c.otherIDs = append(c.ids, b.target(f.Name).ID()), append(c.otherIDs, b.source(f.Path).ID())
	}
	if files == 0 {
		return c
	}
	c.ID = c.ids[0]
	verb := "Copies"
	if b.plan.Kind == transfer.Move {
		verb = "Moves"
	}
	_, bytes := b.plan.Space(b.flags.existing())
	c.effect = fmt.Sprintf("%s %s from %s to %s, %s", verb, wording.Plural(files, "object", "objects"),
		client.Clean(client.BucketID(b.plan.From.Cluster, b.plan.From.Bucket)), b.place(), operation.FormatSize(bytes))
	if replaced > 0 {
		c.effect += fmt.Sprintf(", replaces %s", wording.Plural(replaced, "object", "objects"))
	}
	c.effect += ". " + strings.TrimSuffix(storage.CopyLosses(b.plan.Kind), ".")
	c.send = func(ctx context.Context, w *approvedChange) (any, error) {
		b.deleteConsent = w.consents[client.OpDeleteObject]
		return nil, b.run(ctx, w.consent(), w.change.Reason)
	}
	b.askToOpen(&c)
	return c
}
