package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/client/transfer"
	"lookout/client/wording"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
	"lookout/cmd/internal/progress"
	"lookout/views/operation"
)

// A planFlags holds the flags of the commands that move many files.
type planFlags struct {
	force, skip, keepBoth, sizeOnly bool
	deletes                         bool // what only the target has is deleted in the end
}

// add adds the flags that say what becomes of what exists. force says what --force replaces.
func (f *planFlags) add(set *pflag.FlagSet, force string) {
	set.BoolVar(&f.force, "force", false, force)
	const skip = "skip everything that already exists in the target, without comparing it"
	set.BoolVar(&f.skip, "skip-existing", false, skip)
	const keepBoth = `if a file differs from an existing one, store it under another name: "a (2).txt"`
	set.BoolVar(&f.keepBoth, "keep-both", false, keepBoth)
}

// addSizeOnly adds the flag of commands that compare files with objects.
func (f *planFlags) addSizeOnly(set *pflag.FlagSet) {
	const sizeOnly = "treat files of the same size as identical, without reading them to compare MD5s"
	set.BoolVar(&f.sizeOnly, "size-only", false, sizeOnly)
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

// decided reports whether a flag says what becomes of files that exist and differ.
func (f *planFlags) decided() bool { return f.force || f.skip || f.keepBoth }

// compares reports whether a single file is compared with what has its name.
func (f *planFlags) compares() bool { return f.keepBoth || f.sizeOnly }

// compare returns how both sides are compared.
func (f *planFlags) compare() transfer.CompareOptions {
	return transfer.CompareOptions{
		NameOnly:  f.skip,
		SizeOnly:  f.sizeOnly,
		KeepBoth:  f.keepBoth,
		FindExtra: f.deletes,
	}
}

// toSend returns the file of a plan of one file as it is sent, or that both sides are the same.
func (f *planFlags) toSend(p *transfer.Plan) (file transfer.PlannedFile, same bool) {
	for file := range p.ToSend(f.existing()) {
		return file, false
	}
	n, _ := p.Files.Count(transfer.FileSame)
	return file, n > 0
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
	// for the objects that stay public
	aclConsent *client.Consent
	failed     int // transfers that were not done, or of which that is not known; set by run
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

// target returns the object of a name in the target, and source the one in the bucket that is copied from.
func (b *batchTransfer) target(name string) client.ObjectRef {
	return client.ObjectRef{Cluster: b.plan.Cluster, Bucket: b.plan.Bucket, Name: name}
}

func (b *batchTransfer) source(name string) client.ObjectRef {
	return client.ObjectRef{Cluster: b.plan.From.Cluster, Bucket: b.plan.From.Bucket, Name: name}
}

// place names the target for reports.
func (b *batchTransfer) place() string {
	if b.plan.Kind == transfer.Download {
		return client.Clean(b.plan.Folder)
	}
	return describeObject(b.target(b.plan.Prefix))
}

// compare finds out what exists in the target, and names what cannot be moved.
func (b *batchTransfer) compare(ctx context.Context) error {
	var read, listed atomic.Int64
	c := b.flags.compare()
	c.OnListed = func(*client.Object) {
		b.line.Show("comparing: %s objects listed", wording.FormatCount(listed.Add(1)))
	}
	c.Progress = func(n int64) { b.line.Show("comparing: %s read", operation.FormatSize(read.Add(n))) }
	saveMemory(&b.plan)
	b.line.Show("comparing %s", wording.Plural(b.plan.Files.Len(), "file", "files"))
	defer b.line.Clear()
	if b.plan.Kind == transfer.Download {
		return b.plan.CompareFiles(ctx, c)
	}
	if err := b.plan.CompareObjects(ctx, b.session.api.Objects, c); err != nil {
		return err
	}
	return b.plan.ReadACLs(ctx, b.session.api.Objects, b.flags.existing(), func(done, all int) {
		b.line.Show(
			"reading access: %s of %s", wording.FormatCount(int64(done)), wording.Plural(all, "object", "objects"),
		)
	})
}

// check names what cannot be moved, and returns why the plan cannot be run.
func (b *batchTransfer) check() error {
	_, done := b.words()
	for _, f := range b.plan.Skipped {
		b.session.reportf("%s; it is not %s", f.Error(), done)
	}
	if len(b.plan.TooLarge()) > 0 {
		hintRclone(b.session, b.plan.Cluster, b.plan.Bucket)
	}
	for f := range b.plan.ToSend(b.flags.existing()) {
		if why := b.plan.KeptACL(f.Name).Lost; why != "" {
			b.session.reportf("%s: %s, so it will not be kept", b.targetName(f), why)
		}
	}
	return b.problem()
}

// problem refuses a plan whose files would replace others although no flag says what becomes of these, or that does not
// fit on the disk.
func (b *batchTransfer) problem() error {
	do, _ := b.words()
	if b.plan.Files.Len() == 0 && len(b.plan.Skipped)+len(b.plan.ExtraKept) > 0 {
		return b.extraKept(fmt.Errorf("%s: there is no file to %s", b.place(), do))
	}
	changed, _ := b.plan.Files.Count(transfer.FileChanged)
	unknown, _ := b.plan.Files.Count(transfer.FileUnknown)
	if differs := changed + unknown; differs > 0 && !b.flags.decided() {
		first := transfer.PlannedFile{}
		for first = range b.plan.Files.All() {
			if first.State == transfer.FileChanged || first.State == transfer.FileUnknown {
				break
			}
		}
		more := ""
		if differs > 1 {
			more = ", like " + wording.Plural(differs-1, "other", "others")
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
	if free, needed := b.plan.Space(b.flags.existing()); free >= 0 && needed > free {
		return fmt.Errorf(
			"%s has %s free, but %s is needed; nothing was changed", b.place(), operation.FormatSize(free),
			operation.FormatSize(needed),
		)
	}
	return nil
}

// extraKept returns an error, and adds that nothing is deleted if the plan says so.
func (b *batchTransfer) extraKept(err error) error {
	if b.plan.ExtraKept == "" {
		return err
	}
	kept := fmt.Errorf("nothing is deleted: %s", b.plan.ExtraKept)
	if err != nil {
		kept = fmt.Errorf("%w; %w", err, kept)
	}
	return exit.WithCode(exit.CodePartial, kept)
}

// deleteExtra deletes what only the target has, after run has ended with an error or nil, unless a transfer has failed.
func (b *batchTransfer) deleteExtra(ctx context.Context, err error, remove func() error) error {
	switch {
	case len(b.plan.Extra) == 0 || ctx.Err() != nil:
		b.session.addRows(b.extraRows(extraNotDeleted("the command was cancelled")))
		return err
	case b.failed > 0:
		b.session.addRows(b.extraRows(extraNotDeleted("a transfer failed")))
		_, done := b.words()
		b.session.reportf("nothing is deleted: %s not %s", wording.Plural(b.failed, "file was", "files were"), done)
		return err
	}
	return cmp.Or(remove(), err)
}

// targetName names what a file becomes.
func (b *batchTransfer) targetName(f transfer.PlannedFile) string {
	if b.plan.Kind == transfer.Download {
		return client.Clean(filepath.Join(b.plan.Folder, filepath.FromSlash(f.Path)))
	}
	return describeObject(b.target(f.Name))
}

// show prints the plan: a line for each file that is not the same on both sides, and the totals. It returns why the
// plan cannot be run.
func (b *batchTransfer) show() error {
	if b.session.printsRows() {
		b.session.addRows(b.planRows(nil))
		b.session.addRows(b.extraRows(nil))
		return b.planError()
	}
	var text strings.Builder
	existing := b.flags.existing()
	for f := range b.plan.Files.All() {
		if f.State == transfer.FileSame && b.plan.Kind != transfer.Move {
			continue
		}
		name := b.targetName(f)
		if b.plan.Kind.Copies() {
			name = describeObject(b.source(f.Path)) + " to " + name
		}
		fmt.Fprintf(&text, "%-8s %10s  %s%s\n", f.State, operation.FormatSize(f.Size), name, b.note(f)+b.accessNote(f))
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
	free, needed := b.plan.Space(existing)
	sent, _ := b.plan.CountToSend(existing)
	fmt.Fprintf(&text, "%s: %s", wording.Plural(sent, "file", "files"), operation.FormatSize(needed))
	for _, state := range []transfer.ComparisonResult{
		transfer.FileNew, transfer.FileSame, transfer.FileChanged, transfer.FileUnknown,
	} {
		n, _ := b.plan.Files.Count(state)
		fmt.Fprintf(&text, ", %s %s", wording.FormatCount(int64(n)), state)
	}
	fmt.Fprintf(&text, ", %d left out", len(b.plan.Skipped))
	if b.flags.deletes {
		fmt.Fprintf(&text, ", %d to delete", len(b.plan.Extra))
	}
	if public, lost := b.plan.CountACLs(); public+lost > 0 {
		if public > 0 {
			fmt.Fprintf(&text, ", %s public afterwards", wording.FormatCount(int64(public)))
		}
		if lost > 0 {
			fmt.Fprintf(&text, ", access of %s not kept", wording.FormatCount(int64(lost)))
		}
	}
	if free >= 0 {
		fmt.Fprintf(&text, "; %s free", operation.FormatSize(free))
	}
	if b.plan.ExtraKept != "" {
		fmt.Fprintf(&text, "; nothing is deleted: %s", b.plan.ExtraKept)
	}
	if err := output.WriteText(b.session.out, text.String()+"\n"); err != nil {
		return err
	}
	return b.planError()
}

// planError returns how the command would end by what is known from the plan.
func (b *batchTransfer) planError() error {
	var partial error
	if left := len(b.plan.Skipped); left > 0 {
		_, done := b.words()
		sent, _ := b.plan.CountToSend(b.flags.existing())
		partial = exit.WithCode(exit.CodePartial, fmt.Errorf("%d of %d files would not be %s", left, sent+left, done))
	}
	_, lost := b.plan.CountACLs()
	return cmp.Or(b.problem(), b.extraKept(cmp.Or(partial, lostAccessError(lost))))
}

// note returns what becomes of a file that exists, for its line of the plan; "" for one that is new.
func (b *batchTransfer) note(f transfer.PlannedFile) string {
	switch {
	case f.State == transfer.FileSame:
		return " (only the source is deleted)"
	case f.State == transfer.FileNew:
		return ""
	case b.flags.force:
		return " (replaced)"
	case b.flags.keepBoth:
		return " (under another name)"
	case !b.flags.decided():
		return " (not decided)"
	}
	return " (unchanged)"
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
	saveMemory(&b.plan)
	m := transfer.New(ctx, b.session.api)
	ids, refused := m.Start(b.plan, transfer.StartOptions{
		Existing:      b.flags.existing(),
		Consent:       consent,
		DeleteConsent: b.deleteConsent,
		ACLConsent:    b.aclConsent,
		Reason:        reason,
	})
	return b.finish(ctx, m, ids, len(refused))
}

// finish waits for transfers to end, names those that failed, and reports how many did not.
func (b *batchTransfer) finish(ctx context.Context, m *transfer.Manager, ids []transfer.ID, refused int) error {
	_, done := b.words()
	b.session.follow(m, b.line)
	b.session.addRows(func(yield func(*transferRow) bool) {
		next := 0
		b.planRows(func(row *transferRow) {
			if next == len(ids) { // the listing failed before it was started
				row.Outcome = orNull(outcomeCancelled)
				return
			}
			s, _ := m.Status(ids[next])
			row.setOutcome(s, nil)
			next++
		})(yield)
	})
	r, taken := batchResult{total: len(ids) + refused}, 0
	for _, id := range ids {
		if m.State(id) == transfer.Done && b.plan.Kind == transfer.Download {
			r.moved++
			continue
		}
		row, _ := m.Status(id)
		if taken += isTaken(row); taken > 1 && isTaken(row) == 1 {
			_ = r.add(row.Err)
			continue // the first one is named
		}
		name := row.Name.String()
		if row.Kind.Copies() {
			name = row.Source.String()
		}
		what := name + " was not " + done
		switch outcome, _ := outcomeOf(row, nil); {
		case isAccessError(row.Err):
			what = name
		case outcome == outcomeUnknown:
			what = "it is unknown whether " + name + " was " + done
		}
		if err := r.add(transferError(ctx, what, row)); err != nil {
			b.session.reportf("%v", exit.Text(err))
		} else if row.AccessLost {
			r.lost++
			b.session.reportf("%s: %s; %s", name, done, client.Clean(row.Note))
		} else if row.Kind.Copies() && (row.Note != checkedNote || len(ids) == 1) {
			b.session.reportf("%s: %s to %s; %s", name, done, b.targetName(transfer.PlannedFile{Name: row.Name.Raw()}),
				client.Clean(row.Note))
		}
	}
	if taken > 1 {
		b.session.reportf("%s more were not %s for the same reason: does another program move the same files? "+
			"Run it again when that has ended", wording.FormatCount(int64(taken-1)), done)
	}
	b.session.reportf("%s: %s", b.place(), b.summary(&r))
	if b.plan.ExtraKept != "" {
		b.session.reportf("nothing is deleted: %s", b.plan.ExtraKept)
	}
	r.same, b.failed = b.unsentCount(), len(ids)-r.moved
	return r.err(ctx, done)
}

// isTaken returns 1 for a transfer that failed because somebody else creates, or has created, its target.
func isTaken(row transfer.Status) int {
	if row.State == transfer.Failed && transfer.IsTaken(row.Err) {
		return 1
	}
	return 0
}

// A batchResult counts what became of the transfers of a batch.
type batchResult struct {
	total, moved, unknown, same int
	lost                        int // were moved, but their access was not kept
	first                       error
}

// add counts a transfer that has ended with an error or nil, and returns the error.
func (r *batchResult) add(err error) error {
	var failure *client.Error
	switch {
	case err == nil:
		r.moved++
		return nil
	case isAccessError(err):
		r.lost, r.moved = r.lost+1, r.moved+1
		return err
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
			"%d of %d files: it is unknown whether they were %s; check before you repeat it", r.unknown, r.total, done,
		))
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case r.moved == r.total:
		return lostAccessError(r.lost)
	}
	code := exit.CodePartial
	if r.moved+r.same == 0 && r.first != nil {
		code = exit.CodeFor(r.first)
	}
	return exit.WithCode(code, fmt.Errorf("%d of %d files were not %s", r.total-r.moved, r.total, done))
}

// summary returns how many files were moved, and what became of the others: "2 of 4 files stored, 3 are the same on
// both sides", "nothing to store, 12 files are the same on both sides".
func (b *batchTransfer) summary(r *batchResult) string {
	do, done := b.words()
	text := fmt.Sprintf(
		"%s of %s %s", wording.FormatCount(int64(r.moved)), wording.Plural(r.total, "file", "files"), done,
	)
	one, many := "is", "are"
	switch {
	case r.total == 0:
		text, one, many = "nothing to "+do, "file is", "files are"
	case r.unknown > 0:
		text += fmt.Sprintf(", %s unknown", wording.FormatCount(int64(r.unknown)))
	}
	same := b.unsentCount()
	if same > 0 {
		text += fmt.Sprintf(", %s the same on both sides", wording.Plural(same, one, many))
	}
	sent, _ := b.plan.CountToSend(b.flags.existing())
	if left := b.plan.Files.Len() - sent; left > same {
		text += fmt.Sprintf(", %s unchanged", wording.FormatCount(int64(left-same)))
	}
	return text
}

// unsentCount returns how many files are not sent because they are the same. A move deletes their sources.
func (b *batchTransfer) unsentCount() int {
	if b.plan.Kind == transfer.Move {
		return 0
	}
	same, _ := b.plan.Files.Count(transfer.FileSame)
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
	text, left := "", transfer.NoETA
	t := m.Totals()
	files, ended := 0, 0
	for state, n := range t.States {
		if files += n; !transfer.State(state).Unfinished() {
			ended += n
		}
	}
	if first, found := m.Status(1); found && !first.Kind.MovesBytes() {
		text = fmt.Sprintf(
			"%s of %s objects · %.0f/s", wording.FormatCount(first.Done), wording.FormatCount(first.Total), first.Rate,
		)
		left = first.ETA
	} else {
		speed := m.Throughput()
		text = fmt.Sprintf("%s of %s · %s of %s · %s/s", wording.FormatCount(int64(ended)),
			wording.Plural(files, "file", "files"), operation.FormatSize(t.Done), operation.FormatSize(t.Total),
			operation.FormatSize(int64(speed.Rate)))
		left = speed.ETA(t.Total - t.Done)
	}
	if left != transfer.NoETA {
		text += " · " + left.Round(time.Second).String() + " left"
	}
	return text
}

// newDownload returns a transfer into a folder whose plan is empty.
func (s *scriptSession) newDownload(sel transfer.Selection, folder string, flags planFlags) *batchTransfer {
	plan := transfer.NewDownload(func() bool { return transfer.FoldsCase(existingParent(folder)) })
	at := client.ObjectRef{Cluster: sel.Cluster, Bucket: sel.Bucket, Name: sel.Names[0]}
	return s.newBatch(plan, at, folder, flags)
}

// needsNoPlan reports whether a download into a folder can begin before all objects are listed: nothing is asked, and
// nothing is in the way, or it is known what becomes of it.
func (f *planFlags) needsNoPlan(folder string) bool {
	if f.deletes || f.keepBoth {
		return false
	}
	if f.force || f.skip {
		return true
	}
	entries, err := os.Open(folder)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	defer entries.Close()
	_, err = entries.Readdirnames(1)
	return errors.Is(err, io.EOF)
}

// streamStep is how many objects are listed before their transfers are added.
const streamStep = 500

// stream fetches the objects of a selection into a folder while it lists them. What is found out about an object only
// later, such as a file that has its name by then, is a failed transfer like any other.
func (s *scriptSession) stream(ctx context.Context, sel transfer.Selection, folder string, flags planFlags) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	b := s.newDownload(sel, folder, flags)
	m := transfer.New(ctx, s.api)
	stream := m.Open(&b.plan, transfer.StartOptions{Existing: flags.existing()})
	free, known := transfer.FreeSpace(existingParent(folder))
	listed, named := 0, 0
	extend := func() error {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return err
		}
		if flags.decided() {
			if err := b.plan.CompareFiles(ctx, flags.compare()); err != nil {
				return err
			}
		}
		_, needed := b.plan.Space(flags.existing())
		if known && needed > free {
			return fmt.Errorf("%s had %s free, but more is needed; the rest is not fetched", b.place(),
				operation.FormatSize(free))
		}
		stream.Extend()
		for _, f := range b.plan.Skipped[named:] {
			b.line.Clear()
			s.reportf("%s; it is not fetched", f.Error())
		}
		named = len(b.plan.Skipped)
		saveMemory(&b.plan)
		b.line.Show("listing: %s objects · %s", wording.FormatCount(int64(listed)), describeProgress(m))
		return nil
	}
	failure := error(nil)
	for o, err := range sel.All(ctx, s.api.Objects) {
		switch {
		case errors.Is(err, transfer.ErrNoMatch):
			err = exit.WithCode(exit.CodeNotFound, err)
		case err == nil:
			b.plan.Add(o)
			if listed++; listed%streamStep == 0 {
				err = extend()
			}
		}
		if err != nil {
			failure = err
			break
		}
	}
	if failure == nil {
		failure = extend()
	}
	ids, refused := stream.Close()
	switch {
	case failure != nil && len(ids) == 0:
		return failure
	case b.plan.Files.Len() == 0 && len(refused) > 0:
		return b.problem()
	}
	err := b.finish(ctx, m, ids, len(refused))
	return cmp.Or(failure, err)
}

// manyFiles is the number of files from which on memory counts more than time.
const manyFiles = 100_000

// saveMemory makes the program collect its garbage more often if a plan has many files.
func saveMemory(p *transfer.Plan) {
	if p.Files.Len() >= manyFiles {
		debug.SetGCPercent(20)
	}
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
		line.Show("listing: %s objects", wording.FormatCount(n))
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
) (c change, err error) {
	plan, err := transfer.PlanUpload(ctx, prefix.Name, paths...)
	if err != nil {
		return c, fmt.Errorf("store in %s: %w", describeObject(prefix), err)
	}
	b := s.newBatch(plan, prefix, paths[0], flags)
	return b.prepare(ctx, b.change)
}

// prepare compares both sides of a plan and returns what newChange returns, or no change if there is nothing to do.
func (b *batchTransfer) prepare(ctx context.Context, newChange func() change) (c change, err error) {
	if err := b.compare(ctx); err != nil {
		return c, err
	}
	if b.session.dryRun {
		if c = newChange(); c.send == nil {
			return c, c.show()
		}
		return c, nil
	}
	if err := b.check(); err != nil {
		return c, err
	}
	if sent, _ := b.plan.CountToSend(b.flags.existing()); sent+len(b.plan.Extra) == 0 {
		return c, b.run(ctx, nil, "") // reports that there is nothing to do
	}
	return newChange(), nil
}

// change returns the change that an upload makes. It is shown if it is not to be sent.
func (b *batchTransfer) change() change {
	prefix := b.target(b.plan.Prefix)
	files, replaced := b.plan.CountToSend(b.flags.existing())
	effect := fmt.Sprintf("Stores %s below %s", wording.Plural(files, "file", "files"), describeObject(prefix))
	if replaced > 0 {
		effect += fmt.Sprintf(", replaces %s", wording.Plural(replaced, "object", "objects"))
	}
	c := change{
		Change: client.Change{ID: prefix.ID(), Label: prefix.Name},
		below:  true,
		show:   b.showRequests,
	}
	if n := len(b.plan.Extra); n > 0 {
		c.asks = asksAlways
		effect += fmt.Sprintf(", deletes %s that the folder does not have", wording.Plural(n, "object", "objects"))
	}
	c.effect = effect
	c.send = func(ctx context.Context, w *approvedChange) (any, error) {
		err := b.run(ctx, w.consent(), w.change.Reason)
		return nil, b.deleteExtra(ctx, err, func() error {
			return b.session.delete(ctx, w.change.Reason, func(m *transfer.Manager) transfer.ID {
				return m.Delete(w.consents[client.OpDeleteObject], prefix.Cluster, prefix.Bucket, b.plan.Extra)
			}, b.extraRows)
		})
	}
	b.askToOpen(&c)
	return c
}

// showRequests prints the plan and the requests that store, copy, move and delete objects.
func (b *batchTransfer) showRequests() error {
	err := b.show()
	if b.session.printsRows() || exit.CodeFor(err) != exit.CodePartial && err != nil {
		return err
	}
	show := func(method string, o client.ObjectRef, kind, file string) {
		err = errors.Join(err, b.session.showObject(method, o, kind, file))
	}
	for f := range b.plan.ToSend(b.flags.existing()) {
		target := b.target(f.Name)
		switch {
		case !b.plan.Kind.Copies():
			file := filepath.Join(f.Folder, filepath.FromSlash(f.Path))
			show(http.MethodPut, target, transfer.ContentType(f.Name), file)
		case f.State != transfer.FileSame:
			show(http.MethodGet, b.source(f.Path), "", "")
			show(http.MethodPut, target, copiedType, "FILE")
		}
		err = errors.Join(err, b.session.showACL(target, b.plan.KeptACL(f.Name)))
		if b.plan.Kind == transfer.Move {
			show(http.MethodDelete, b.source(f.Path), "", "")
		}
	}
	for _, name := range b.plan.Extra {
		show(http.MethodDelete, b.target(name), "", "")
	}
	return err
}
