package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/client/objectindex"
	"lookout/client/objectnames"
	"lookout/client/transfer"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
	"lookout/cmd/internal/progress"
	"lookout/ui"
	"lookout/views/account"
	"lookout/views/storage"
)

// A planFlags holds the flags of the commands that move many files.
type planFlags struct {
	force, skip, keepBoth, sizeOnly bool
	deletes                         bool // what only the target has is deleted in the end
}

// add adds the flags. force says what --force replaces.
func (f *planFlags) add(set *pflag.FlagSet, force string) {
	set.BoolVar(&f.force, "force", false, force)
	set.BoolVar(&f.skip, "skip-existing", false, "skip everything that exists, without comparing it")
	set.BoolVar(
		&f.keepBoth,
		"keep-both",
		false,
		`if a file differs from an existing one, store it under another name: "a (2).txt"`,
	)
	set.BoolVar(
		&f.sizeOnly,
		"size-only",
		false,
		"treat files of the same size as identical, without reading them to compare MD5s",
	)
}

// check refuses flags that contradict each other.
func (f *planFlags) check() error {
	given := 0
	for _, set := range []bool{f.force, f.skip, f.keepBoth} {
		if set {
			given++
		}
	}
	if given > 1 {
		return exit.Usage(errors.New("give only one of --force, --skip-existing and --keep-both"))
	}
	return nil
}

// existing returns what becomes of files that exist and differ.
func (f *planFlags) existing() transfer.ConflictPolicy {
	switch {
	case f.force:
		return transfer.ReplaceExisting
	case f.keepBoth:
		return transfer.KeepBoth
	}
	return transfer.SkipExisting
}

// A batchTransfer is the transfer of many files in one command.
type batchTransfer struct {
	session *scriptSession
	plan    transfer.Plan
	flags   planFlags
	line    *progress.Meter
	// for the sources of a move
	deleteConsent *client.Consent
}

// newBatch returns the transfer of a plan between a bucket and a folder.
func (s *scriptSession) newBatch(p transfer.Plan, at client.ObjectRef, folder string, f planFlags) *batchTransfer {
	p.Cluster, p.Bucket, p.Prefix, p.Folder = at.Cluster, at.Bucket, at.Name, folder
	return &batchTransfer{
		session: s,
		plan:    p,
		flags:   f,
		line:    progress.NewMeter(s.errOut),
	}
}

// words returns what a batch does in several forms: "store", "stored", "sent".
func (b *batchTransfer) words() (do, done string) {
	switch b.plan.Kind {
	case transfer.Download:
		return "fetch", "fetched"
	case transfer.Copy:
		return "copy", "copied"
	case transfer.Move:
		return "move", "moved"
	}
	return "store", "stored"
}

// place names the target for reports.
func (b *batchTransfer) place() string {
	if b.plan.Kind == transfer.Download {
		return client.Clean(b.plan.Folder)
	}
	return describeObject(client.ObjectRef{Cluster: b.plan.Cluster, Bucket: b.plan.Bucket, Name: b.plan.Prefix})
}

// compare finds out what exists in the target, and names what cannot be moved.
func (b *batchTransfer) compare(ctx context.Context) error {
	var read atomic.Int64
	c := transfer.CompareOptions{
		Names:    b.flags.skip,
		SizeOnly: b.flags.sizeOnly,
		Extra:    b.flags.deletes,
		Progress: func(n int64) { b.line.Show("comparing: %s read", account.FormatSize(read.Add(n))) },
	}
	b.line.Show("comparing %s", ui.Plural(len(b.plan.Files), "file", "files"))
	defer b.line.Clear()
	if b.plan.Kind == transfer.Download {
		return b.plan.CompareFiles(ctx, c)
	}
	return b.plan.CompareObjects(ctx, b.session.api.Objects, c)
}

// check refuses a plan whose files would replace others although no flag says what becomes of these, or that does not
// fit on the disk.
func (b *batchTransfer) check() error {
	do, done := b.words()
	for _, f := range b.plan.Skipped {
		b.session.reportf("%s; it is not %s", f.Error(), done)
	}
	if len(b.plan.TooLarge()) > 0 {
		hintRclone(b.session, b.plan.Cluster, b.plan.Bucket)
	}
	if len(b.plan.Files) == 0 && len(b.plan.Extra)+len(b.plan.Skipped) > 0 {
		return fmt.Errorf("%s: there is no file to %s", b.place(), do)
	}
	differs := 0
	first := transfer.PlannedFile{}
	for _, f := range b.plan.Files {
		if f.State == transfer.FileChanged || f.State == transfer.FileUnknown {
			if differs++; differs == 1 {
				first = f
			}
		}
	}
	if differs > 0 && !b.flags.force && !b.flags.skip && !b.flags.keepBoth {
		more := ""
		if differs > 1 {
			more = ", like " + ui.Plural(differs-1, "other", "others")
		}
		how := "differs"
		if first.State == transfer.FileUnknown {
			how = "cannot be compared (its ETag is not an MD5)"
		}
		return fmt.Errorf(
			"%s already exists and %s%s; nothing was changed: run it again with --force to replace, with "+
				"--keep-both to %s under another name, or with --skip-existing to %[4]s only what is missing",
			b.targetName(first),
			how,
			more,
			do,
		)
	}
	if free, needed := b.space(); free >= 0 && needed > free {
		return fmt.Errorf(
			"%s has %s free, and %s are needed; nothing was changed", b.place(), account.FormatSize(free),
			account.FormatSize(needed),
		)
	}
	return nil
}

// targetName names what a file becomes.
func (b *batchTransfer) targetName(f transfer.PlannedFile) string {
	if b.plan.Kind == transfer.Download {
		return client.Clean(filepath.Join(b.plan.Folder, filepath.FromSlash(f.Path)))
	}
	return describeObject(client.ObjectRef{Cluster: b.plan.Cluster, Bucket: b.plan.Bucket, Name: f.Name})
}

// sourceName names the object that a copy is made from.
func (b *batchTransfer) sourceName(f transfer.PlannedFile) string {
	return describeObject(client.ObjectRef{Cluster: b.plan.From.Cluster, Bucket: b.plan.From.Bucket, Name: f.Path})
}

// space returns the free bytes of the target's disk, or -1 if there is no limit or it is not known, and the bytes to
// move.
func (b *batchTransfer) space() (free, needed int64) {
	for _, f := range b.plan.ToSend(b.flags.existing()) {
		if f.State != transfer.FileSame {
			needed += f.Size
		}
	}
	if b.plan.Kind != transfer.Download {
		return -1, needed
	}
	if bytes, known := transfer.FreeSpace(b.plan.Folder); known {
		return bytes, needed
	}
	return -1, needed
}

// show prints the plan: a line for each file that is not the same on both sides, and the totals.
func (b *batchTransfer) show() error {
	var text strings.Builder
	existing := b.flags.existing()
	for _, f := range b.plan.Files {
		if f.State == transfer.FileSame && b.plan.Kind != transfer.Move {
			continue
		}
		action := ""
		switch {
		case f.State == transfer.FileSame:
			action = " (only the source is deleted)"
		case f.State == transfer.FileNew:
		case b.flags.force:
			action = " (replaced)"
		case b.flags.keepBoth:
			action = " (another name)"
		default:
			action = " (left as it is)"
		}
		name := b.targetName(f)
		if b.plan.Kind.Copies() {
			name = b.sourceName(f) + " to " + name
		}
		fmt.Fprintf(&text, "%-8s %10s  %s%s\n", f.State, account.FormatSize(f.Size), name, action)
	}
	for _, f := range b.plan.Skipped {
		fmt.Fprintf(&text, "%-8s %10s  %s\n", "left out", "", f.Error())
	}
	for _, name := range b.plan.Extra {
		f := transfer.PlannedFile{Name: name, Path: name}
		fmt.Fprintf(&text, "%-8s %10s  %s\n", "delete", "", b.targetName(f))
	}
	if len(b.plan.TooLarge()) > 0 {
		hintRclone(b.session, b.plan.Cluster, b.plan.Bucket)
	}
	free, needed := b.space()
	fmt.Fprintf(&text, "%s: %s", ui.Plural(len(b.plan.ToSend(existing)), "file", "files"), account.FormatSize(needed))
	for _, state := range []transfer.ComparisonResult{
		transfer.FileNew, transfer.FileSame, transfer.FileChanged, transfer.FileUnknown,
	} {
		n, _ := b.plan.Count(state)
		fmt.Fprintf(&text, ", %s %s", ui.FormatCount(int64(n)), state)
	}
	fmt.Fprintf(&text, ", %d left out", len(b.plan.Skipped))
	if b.flags.deletes {
		fmt.Fprintf(&text, ", %d to delete", len(b.plan.Extra))
	}
	if free >= 0 {
		fmt.Fprintf(&text, "; %s free", account.FormatSize(free))
	}
	return output.WriteText(b.session.out, text.String()+"\n")
}

// run moves the files, names those that were not moved, and reports how many were. The error has the exit code.
func (b *batchTransfer) run(ctx context.Context, consent *client.Consent, reason string) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	if b.plan.Kind == transfer.Download {
		if err := os.MkdirAll(b.plan.Folder, 0o777); err != nil {
			return err
		}
	}
	m := transfer.New(ctx, b.session.api)
	alreadyNamed := len(b.plan.Skipped)
	ids, refused := m.Start(b.plan, transfer.StartOptions{
		Existing:      b.flags.existing(),
		Consent:       consent,
		DeleteConsent: b.deleteConsent,
		Reason:        reason,
	})
	_, done := b.words()
	for _, f := range refused[alreadyNamed:] {
		b.session.reportf("%s; it is not %s", f.Error(), done)
	}
	b.session.follow(m, b.line)
	r := batchResult{total: len(ids) + len(refused)}
	for _, id := range ids {
		row, _ := m.Status(id)
		name := row.Name.String()
		if row.Kind.Copies() {
			name = row.Source.String()
		}
		if err := r.add(transferError(ctx, "not "+done+": "+name, row)); err != nil {
			b.session.reportf("%v", exit.Text(err))
		} else if row.Kind.Copies() && (row.Note != checkedNote || len(ids) == 1) {
			b.session.reportf("%s: %s to %s; %s", name, done, b.targetName(transfer.PlannedFile{Name: row.Name.Raw()}),
				client.Clean(row.Note))
		}
	}
	b.session.reportf("%s: %s", b.place(), b.summary(r.moved, r.total))
	r.same = b.unsentCount()
	return r.err(ctx, done)
}

// A batchResult counts what became of the transfers of a batch.
type batchResult struct {
	total, moved, unknown, same int
	first                       error
}

// add counts a transfer that has ended with an error or nil, and returns the error.
func (r *batchResult) add(err error) error {
	var failure *client.Error
	switch {
	case err == nil:
		r.moved++
		return nil
	case errors.As(err, &failure) && failure.Unknown():
		r.unknown++
	}
	if r.first == nil {
		r.first = err
	}
	return err
}

// err returns the error of the batch with its exit code. done is what was to be done: "stored".
func (r *batchResult) err(ctx context.Context, done string) error {
	switch {
	case r.unknown > 0:
		return exit.WithCode(exit.CodeUnknown, fmt.Errorf(
			"%d of %d files: it is not known whether they were %s", r.unknown, r.total, done,
		))
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case r.moved == r.total:
		return nil
	}
	code := exit.CodePartial
	if r.moved+r.same == 0 && r.first != nil {
		code = exit.CodeFor(r.first)
	}
	return exit.WithCode(code, fmt.Errorf("%d of %d files were not %s", r.total-r.moved, r.total, done))
}

// summary returns how many files were moved, and what became of the others: "2 of 4 files stored, 3 are the same on
// both sides", "nothing to store, 12 files are the same on both sides".
func (b *batchTransfer) summary(moved, total int) string {
	do, done := b.words()
	text := fmt.Sprintf("%s of %s %s", ui.FormatCount(int64(moved)), ui.Plural(total, "file", "files"), done)
	one, many := "is", "are"
	if total == 0 {
		text, one, many = "nothing to "+do, "file is", "files are"
	}
	same := b.unsentCount()
	if same > 0 {
		text += fmt.Sprintf(", %s the same on both sides", ui.Plural(same, one, many))
	}
	if left := len(b.plan.Files) - len(b.plan.ToSend(b.flags.existing())); left > same {
		text += fmt.Sprintf(", %s left as they exist", ui.FormatCount(int64(left-same)))
	}
	return text
}

// unsentCount returns how many files are not sent because they are the same. A move deletes their sources.
func (b *batchTransfer) unsentCount() int {
	if b.plan.Kind == transfer.Move {
		return 0
	}
	same, _ := b.plan.Count(transfer.FileSame)
	return same
}

// follow waits for all transfers of a manager to end, and shows how far they are.
func (s *scriptSession) follow(m *transfer.Manager, line *progress.Meter) {
	defer line.Clear()
	over := transfersDone(m)
	for {
		select {
		case <-over:
			return
		case <-m.Changed():
			line.Show("%s", describeProgress(m))
		}
	}
}

// describeProgress says how far the transfers of a manager are: "12 of 40 · 1.2 GiB of 3 GiB · 45 MiB/s · 41s left".
func describeProgress(m *transfer.Manager) string {
	rows := m.Snapshot()
	ended, moved, total, rate := 0, int64(0), int64(0), 0.0
	for _, row := range rows {
		if !row.State.Unfinished() {
			ended++
		}
		moved, total, rate = moved+row.Done, total+row.Total, rate+row.Rate
	}
	text, left := "", transfer.NoETA
	switch {
	case len(rows) > 0 && !rows[0].Kind.MovesBytes():
		text = fmt.Sprintf("%s of %s objects · %.0f/s", ui.FormatCount(moved), ui.FormatCount(total), rate)
		left = rows[0].ETA
	default:
		speed := m.Throughput()
		text = fmt.Sprintf("%s of %s · %s of %s · %s/s", ui.FormatCount(int64(ended)),
			ui.Plural(len(rows), "file", "files"), account.FormatSize(moved), account.FormatSize(total),
			account.FormatSize(int64(speed.Rate)))
		left = speed.ETA(total - moved)
	}
	if left != transfer.NoETA {
		text += " · " + left.Round(time.Second).String() + " left"
	}
	return text
}

// getMany fetches the objects of a selection into a folder.
func (s *scriptSession) getMany(
	ctx context.Context, sel transfer.Selection, folder string, flags planFlags, dryRun bool,
) error {
	b, err := s.planDownload(ctx, sel, folder, flags)
	switch {
	case err != nil:
		return err
	case dryRun:
		return b.show()
	}
	if err := b.check(); err != nil {
		return err
	}
	return b.run(ctx, nil, "")
}

// planDownload plans to fetch the objects of a selection into a folder.
func (s *scriptSession) planDownload(
	ctx context.Context, sel transfer.Selection, folder string, flags planFlags,
) (*batchTransfer, error) {
	selected, err := s.selectObjects(ctx, sel)
	if err != nil {
		return nil, err
	}
	plan := transfer.PlanDownload(selected, func() bool { return transfer.FoldsCase(existingParent(folder)) })
	b := s.newBatch(plan, client.ObjectRef{Cluster: sel.Cluster, Bucket: sel.Bucket, Name: sel.Names[0]}, folder, flags)
	return b, b.compare(ctx)
}

// selectObjects lists the objects of a selection.
func (s *scriptSession) selectObjects(
	ctx context.Context, sel transfer.Selection,
) (selected []transfer.DownloadItem, err error) {
	err = s.eachSelected(ctx, sel, func(o transfer.DownloadItem) {
		o.Object = o.Object.Clone()
		selected = append(selected, o)
	})
	return selected, err
}

// eachSelected lists the objects of a selection, and gives each to a function.
func (s *scriptSession) eachSelected(
	ctx context.Context, sel transfer.Selection, do func(transfer.DownloadItem),
) error {
	line, n := progress.NewMeter(s.errOut), int64(0)
	defer line.Clear()
	for o, err := range sel.All(ctx, s.api.Objects) {
		if errors.Is(err, transfer.ErrNoMatch) {
			return exit.WithCode(exit.CodeNotFound, err)
		}
		if err != nil {
			return err
		}
		do(o)
		n++
		line.Show("listing: %s objects", ui.FormatCount(n))
	}
	return nil
}

// existingParent returns a folder, or the nearest one above it that exists.
func existingParent(folder string) string {
	for {
		if _, err := os.Stat(folder); err == nil || folder == filepath.Dir(folder) {
			return folder
		}
		folder = filepath.Dir(folder)
	}
}

// planUpload plans to store local files below a prefix.
func (s *scriptSession) planUpload(
	ctx context.Context, prefix client.ObjectRef, paths []string, flags planFlags,
) (c change[client.ObjectRef], err error) {
	plan, err := transfer.PlanUpload(ctx, prefix.Name, paths...)
	if err != nil {
		return c, fmt.Errorf("store in %s: %w", describeObject(prefix), err)
	}
	b := s.newBatch(plan, prefix, paths[0], flags)
	if err := b.compare(ctx); err != nil {
		return c, err
	}
	if s.dryRun {
		return b.change(), nil
	}
	if err := b.check(); err != nil {
		return c, err
	}
	if c = b.change(); len(b.plan.ToSend(flags.existing()))+len(b.plan.Extra) == 0 {
		return change[client.ObjectRef]{}, b.run(ctx, nil, "") // reports that there is nothing to do
	}
	return c, nil
}

// change returns the change that an upload makes. It is shown if it is not to be sent.
func (b *batchTransfer) change() change[client.ObjectRef] {
	prefix := client.ObjectRef{Cluster: b.plan.Cluster, Bucket: b.plan.Bucket, Name: b.plan.Prefix}
	files := b.plan.ToSend(b.flags.existing())
	replaced := 0
	for _, f := range files {
		if f.State != transfer.FileNew {
			replaced++
		}
	}
	effect := fmt.Sprintf("Stores %s below %s", ui.Plural(len(files), "file", "files"), describeObject(prefix))
	if replaced > 0 {
		effect += fmt.Sprintf(", replaces %s", ui.Plural(replaced, "object", "objects"))
	}
	c := change[client.ObjectRef]{
		Change: client.Change{ID: prefix.ID(), Label: prefix.Name},
		below:  true,
		show:   b.show,
	}
	if n := len(b.plan.Extra); n > 0 {
		c.asks = asksAlways
		effect += fmt.Sprintf(", deletes %s that the folder does not have", ui.Plural(n, "object", "objects"))
	}
	c.effect = effect
	c.send = func(ctx context.Context, w *approvedChange) (client.ObjectRef, error) {
		err := b.run(ctx, w.consent(), w.change.Reason)
		if err != nil || len(b.plan.Extra) == 0 {
			return prefix, err
		}
		return prefix, b.session.delete(ctx, w.change.Reason, func(m *transfer.Manager) transfer.ID {
			return m.Delete(w.consents[client.OpDeleteObject], prefix.Cluster, prefix.Bucket, b.plan.Extra)
		})
	}
	return c
}

// delete runs a deletion of several objects, and reports how many are gone and which are not.
func (s *scriptSession) delete(
	ctx context.Context, reason string, begin func(*transfer.Manager) transfer.ID,
) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	m := transfer.New(ctx, s.api)
	m.Reason = reason
	id := begin(m)
	s.follow(m, progress.NewMeter(s.errOut))
	row, _ := m.Status(id)
	s.reportf("%s removed", ui.Plural(int(row.Done), "object", "objects"))
	if row.State == transfer.Done {
		return nil
	}
	if left, ok := errors.AsType[*transfer.UndeletedError](row.Err); ok {
		for _, name := range left.Names {
			s.reportf("not removed: %s", name)
		}
	}
	var failure *client.Error
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case row.Done > 0 && !(errors.As(row.Err, &failure) && failure.Unknown()):
		return exit.WithCode(exit.CodePartial, row.Err)
	}
	return row.Err
}

// planRemoval plans to remove the objects of a selection. The answer is their number.
func (s *scriptSession) planRemoval(
	ctx context.Context, sel transfer.Selection,
) (c change[client.ObjectRef], err error) {
	var single client.Object
	names := objectnames.NewBuilder(client.BucketID(sel.Cluster, sel.Bucket))
	err = s.eachSelected(ctx, sel, func(o transfer.DownloadItem) {
		if names.Len() == 0 {
			single = o.Object.Clone()
		}
		names.Add(objectnames.SizedName{Name: o.Object.Name.Raw(), Size: o.Object.Size})
	})
	if err != nil {
		return c, err
	}
	c.names = names.List()
	var named []string
	for o := range c.names.From(0) {
		if len(named) == 3 {
			named = append(named, fmt.Sprintf("%s more", ui.FormatCount(int64(c.names.Len()-3))))
			break
		}
		named = append(named, client.Clean(o.Name))
	}
	first := client.ObjectRef{Cluster: sel.Cluster, Bucket: sel.Bucket, Name: single.Name.Raw()}
	c.Change = client.Change{ID: first.ID(), Label: fmt.Sprint(c.names.Len())}
	c.effect = fmt.Sprintf("Removes %s (%s) from %s for good: %s", ui.Plural(c.names.Len(), "object", "objects"),
		account.FormatSize(c.names.Bytes()), client.Clean(c.names.Bucket()), strings.Join(named, ", "))
	c.show = func() error {
		out := bufio.NewWriter(s.out)
		for o := range c.names.From(0) {
			fmt.Fprintf(out, "delete   %10s  %s\n", account.FormatSize(o.Size), client.Clean(o.Name))
		}
		return out.Flush()
	}
	list := c.names
	c.send = func(ctx context.Context, w *approvedChange) (client.ObjectRef, error) {
		return client.ObjectRef{}, s.delete(ctx, w.change.Reason, func(m *transfer.Manager) transfer.ID {
			if list.Len() == 1 {
				return m.DeleteObject(w.consent(), sel.Cluster, sel.Bucket, single)
			}
			return m.DeleteList(w.consent(), sel.Cluster, sel.Bucket, list)
		})
	}
	return c, nil
}

// planEmptying plans to remove everything that begins with a prefix, after counting it. The answer is the name of the
// bucket.
func (s *scriptSession) planEmptying(
	ctx context.Context, prefix client.ObjectRef,
) (c change[client.ObjectRef], err error) {
	line := progress.NewMeter(s.errOut)
	q := client.ObjectQuery{Cluster: prefix.Cluster, Bucket: prefix.Bucket, Prefix: prefix.Name}
	count, err := objectindex.Count(ctx, s.api.Objects, q, func(objects, _ int64) {
		line.Show("counting: %s objects", ui.FormatCount(objects))
	})
	line.Clear()
	switch {
	case err != nil:
		return c, fmt.Errorf("what would be removed cannot be counted: %w", err)
	case count.Objects == 0 && !count.AtLeast:
		s.reportf("%s: there is nothing to remove", describeObject(prefix))
		return c, nil
	}
	total := account.FormatTotal(client.StorageTotal{
		Objects:        count.Objects,
		Size:           count.Bytes,
		ObjectsPartial: count.AtLeast,
		SizePartial:    count.AtLeast,
	}, ", ")
	c.Change = client.Change{Op: client.OpEmptyBucket, ID: prefix.ID(), Label: prefix.Bucket}
	c.effect = fmt.Sprintf("Removes everything below %s for good: %s", describeObject(prefix), total)
	c.send = func(ctx context.Context, w *approvedChange) (client.ObjectRef, error) {
		return prefix, s.delete(ctx, w.change.Reason, func(m *transfer.Manager) transfer.ID {
			return m.Empty(w.consent(), prefix.Cluster, prefix.Bucket, prefix.Name)
		})
	}
	c.below = true
	return c, nil
}

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
func syncObjects(set *pflag.FlagSet) planFunc[client.ObjectRef] {
	var flags planFlags
	flags.add(set, "replace what differs")
	const deletes = "as the last step, and only after asking, delete what only the target has"
	set.BoolVar(&flags.deletes, "delete", false, deletes)
	return func(
		ctx context.Context, s *scriptSession, _ client.ObjectRef, args []string,
	) (c change[client.ObjectRef], err error) {
		from, source, err := parseSide(args[0])
		to, target, failure := parseSide(args[1])
		if err = errors.Join(err, failure, flags.check()); err != nil {
			return c, exit.Usage(err)
		}
		switch {
		case (from == "") == (to == ""):
			return c, exit.Usage(errors.New(
				"one side must be a folder, which begins with / or . (./site), the other one CLUSTER/BUCKET[/PREFIX]",
			))
		case to != "":
			yes, _ := set.Lookup("yes").Value.(*yesFlag)
			return c, s.syncDown(ctx, source, to, flags, *yes)
		}
		if info, err := os.Stat(from); err == nil && !info.IsDir() {
			return c, exit.Usage(fmt.Errorf("%s is not a folder", client.Clean(from)))
		}
		return s.planUpload(ctx, target, []string{from}, flags)
	}
}

// syncDown fetches what is new below a prefix into a folder.
func (s *scriptSession) syncDown(
	ctx context.Context, from client.ObjectRef, folder string, flags planFlags, yes yesFlag,
) error {
	sel := transfer.Selection{
		Cluster:   from.Cluster,
		Bucket:    from.Bucket,
		Names:     []string{from.Name},
		Recursive: true,
	}
	b, err := s.planDownload(ctx, sel, folder, flags)
	if err != nil {
		return err
	}
	if s.dryRun {
		s.reportf("dry run: nothing is changed")
		return b.show()
	}
	if err := b.check(); err != nil {
		return err
	}
	extra := len(b.plan.Extra)
	if extra > 0 {
		effect := fmt.Sprintf("Deletes %s in %s that the bucket does not have", ui.Plural(extra, "file", "files"),
			client.Clean(folder))
		asker := scriptAsker{session: s, summary: effect, yes: yes}
		agreed, err := asker.Ask(ctx, client.ConsentQuestion{Effect: effect, Word: fmt.Sprint(extra)})
		if err == nil && !agreed {
			err = client.ErrDeclined
		}
		if err != nil {
			return err
		}
	}
	if err := b.run(ctx, nil, ""); err != nil || extra == 0 {
		return err
	}
	left, err := transfer.DeleteFiles(folder, b.plan.Extra)
	for _, f := range left {
		s.reportf("not deleted: %s", f.Error())
	}
	s.reportf("%s: %s deleted", client.Clean(folder), ui.Plural(extra-len(left), "file", "files"))
	if err == nil && len(left) > 0 {
		err = exit.WithCode(exit.CodePartial, fmt.Errorf("%d of %d files were not deleted", len(left), extra))
	}
	return err
}

// checkedNote is the note of a copy of which there is nothing else to say.
const checkedNote = "size and MD5 checked"

// copyObjects plans to copy or move objects: kind is transfer.Copy or transfer.Move.
func copyObjects(kind transfer.Kind) func(*pflag.FlagSet) planFunc[client.ObjectRef] {
	return func(set *pflag.FlagSet) planFunc[client.ObjectRef] {
		var flags planFlags
		set.BoolVar(&flags.force, "force", false, "replace existing objects that differ")
		set.BoolVar(&flags.skip, "skip-existing", false, "leave alone everything that exists, without comparing it")
		set.BoolVar(
			&flags.keepBoth,
			"keep-both",
			false,
			`if a file differs from an existing one, store it under another name: "a (2).txt"`,
		)
		recursive := set.BoolP("recursive", "r", false, "SOURCE is a folder: everything in it")
		return func(
			ctx context.Context, s *scriptSession, _ client.ObjectRef, args []string,
		) (c change[client.ObjectRef], err error) {
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
) (c change[client.ObjectRef], err error) {
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
	selected, err := s.selectObjects(ctx, sel)
	if err != nil {
		return c, err
	}
	if !many && !folder {
		selected[0].Path = "" // the target is its name
	}
	from := client.ObjectRef{Cluster: sel.Cluster, Bucket: sel.Bucket}
	plan, err := transfer.Copying{Kind: kind, From: from, To: target}.Plan(ctx, s.api, selected)
	if err != nil {
		return c, err
	}
	target.Cluster = plan.Cluster
	b := s.newBatch(plan, target, "", flags)
	if err := b.compare(ctx); err != nil {
		return c, err
	}
	if s.dryRun {
		return b.copyChange(), nil
	}
	if err := b.check(); err != nil {
		return c, err
	}
	if c = b.copyChange(); len(c.ids) == 0 {
		return change[client.ObjectRef]{}, b.run(ctx, nil, "") // reports that there is nothing to do
	}
	return c, nil
}

// copyChange returns the change that a copy or a move makes.
func (b *batchTransfer) copyChange() change[client.ObjectRef] {
	files, replaced := b.plan.ToSend(b.flags.existing()), 0
	c := change[client.ObjectRef]{Change: client.Change{Label: b.plan.Prefix}, show: b.show}
	for _, f := range files {
		if f.State == transfer.FileChanged || f.State == transfer.FileUnknown {
			replaced++
		}
		target := client.ObjectRef{Cluster: b.plan.Cluster, Bucket: b.plan.Bucket, Name: f.Name}
		source := client.ObjectRef{Cluster: b.plan.From.Cluster, Bucket: b.plan.From.Bucket, Name: f.Path}
		c.ids, c.otherIDs = append(c.ids, target.ID()), append(c.otherIDs, source.ID())
	}
	if len(files) == 0 {
		return c
	}
	c.ID = c.ids[0]
	verb := "Copies"
	if b.plan.Kind == transfer.Move {
		verb, c.moves = "Moves", true
	}
	_, bytes := b.space()
	c.effect = fmt.Sprintf("%s %s from %s to %s, %s", verb, ui.Plural(len(files), "object", "objects"),
		client.Clean(client.BucketID(b.plan.From.Cluster, b.plan.From.Bucket)), b.place(), account.FormatSize(bytes))
	if replaced > 0 {
		c.effect += fmt.Sprintf(", replaces %s", ui.Plural(replaced, "object", "objects"))
	}
	c.effect += ". " + storage.CopyLosses
	c.send = func(ctx context.Context, w *approvedChange) (client.ObjectRef, error) {
		b.deleteConsent = w.consents[client.OpDeleteObject]
		return client.ObjectRef{}, b.run(ctx, w.consent(), w.change.Reason)
	}
	return c
}
