package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strconv"

	"lookout/client"
	"lookout/client/transfer"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
	"lookout/views/resource"
)

// A transferRow says what becomes of one object or file. Commands that move or delete objects print these rows with -o
// json, ndjson and csv: with --dry-run the plan, otherwise the result.
type transferRow struct {
	Name    string  `json:"name"` // of the object; of a copy, the source's; of what cannot be moved, the path
	Action  string  `json:"action"`
	Size    *int64  `json:"size"`    // bytes; null if it is not known
	Reason  *string `json:"reason"`  // why the action, or why it failed
	Outcome *string `json:"outcome"` // null in a plan
	File    *string `json:"file"`    // of a download or an upload
	Target  *string `json:"target"`  // of a copy: CLUSTER/BUCKET/NAME
}

// The actions besides the kinds of transfers.
const (
	actionDelete    = "delete"
	actionSkip      = "skip"
	actionUndecided = "undecided" // it exists and differs, and no flag says what becomes of it
)

// The outcomes.
const (
	outcomeDone      = "done"
	outcomeUnchanged = "unchanged" // there was nothing to do
	outcomeLeftOut   = "left out"  // it can never be moved
	outcomeFailed    = "failed"
	outcomeCancelled = "cancelled"
	outcomeUnknown   = "unknown"
)

// onlyInTarget is the reason of the deletions of a sync.
const onlyInTarget = "only the target has it"

// transferRowColumns are the columns of -o csv.
func transferRowColumns() []resource.ColumnDefinition[any] {
	column := func(name string, value func(*transferRow) string) resource.ColumnDefinition[*transferRow] {
		return resource.ColumnDefinition[*transferRow]{Name: name, Value: value}
	}
	return resource.EraseColumns([]resource.ColumnDefinition[*transferRow]{
		column("name", func(r *transferRow) string { return r.Name }),
		column("action", func(r *transferRow) string { return r.Action }),
		column("size", func(r *transferRow) string {
			if r.Size == nil {
				return ""
			}
			return strconv.FormatInt(*r.Size, 10)
		}),
		column("reason", func(r *transferRow) string { return textOf(r.Reason) }),
		column("outcome", func(r *transferRow) string { return textOf(r.Outcome) }),
		column("file", func(r *transferRow) string { return textOf(r.File) }),
		column("target", func(r *transferRow) string { return textOf(r.Target) }),
	})
}

// textOf returns a text, or "" for null.
func textOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// orNull returns a text, or null for "".
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// sizeOrNull returns a size, or null if it is not known.
func sizeOrNull(size int64) *int64 {
	if size < 0 {
		return nil
	}
	return &size
}

// printsRows reports whether standard output is for rows, so that nothing else may be written to it.
func (s *scriptSession) printsRows() bool { return s.printer != nil && s.printer.Format != "table" }

// addRows adds rows to the output of the command. They are made when it ends.
func (s *scriptSession) addRows(rows iter.Seq[*transferRow]) {
	if s.printsRows() {
		s.rows = append(s.rows, rows)
	}
}

// addRow adds one row to the output of the command.
func (s *scriptSession) addRow(row *transferRow) {
	s.addRows(func(yield func(*transferRow) bool) { yield(row) })
}

// writeRows writes the rows of a command that has ended with an error, or nil.
func (s *scriptSession) writeRows(ctx context.Context, err error) error {
	if s.rows == nil {
		return err
	}
	all := func(yield func(any, error) bool) {
		for _, rows := range s.rows {
			for row := range rows {
				if !yield(row, nil) {
					return
				}
			}
		}
	}
	failure := output.WriteRows(context.WithoutCancel(ctx), *s.printer, transferRowColumns(), all)
	switch {
	case failure == nil || err != nil:
		return err
	case s.dryRun:
		return failure
	}
	return exit.WithCode(exit.CodeUnknown, fmt.Errorf("the result could not be printed: %w", failure))
}

// outcomeOf returns how a transfer has ended, and why if not as it should.
func outcomeOf(row transfer.Status, err error) (outcome, reason string) {
	var failure *client.Error
	unknown := errors.As(err, &failure) && failure.Unknown() || errors.As(row.Err, &failure) && failure.Unknown()
	unknown = unknown && !isAccessError(cmp.Or(err, row.Err))
	if err == nil {
		err = row.Err
	}
	if err != nil {
		reason = exit.Text(err)
	}
	switch {
	case unknown:
		return outcomeUnknown, reason
	case row.State == transfer.Done && err == nil:
		if row.AccessLost {
			reason = client.Clean(row.Note)
		}
		return outcomeDone, reason
	case row.State.Unfinished() && row.ID > 0, row.State == transfer.Cancelled:
		return outcomeCancelled, reason
	}
	return outcomeFailed, reason
}

// newUploadRow returns the row of one file that is stored; "" is standard input.
func newUploadRow(o client.ObjectRef, file string) *transferRow {
	row := &transferRow{Name: o.Name, Action: transfer.Upload.String(), File: orNull(file)}
	if info, err := os.Stat(file); err == nil {
		row.Size = sizeOrNull(info.Size())
	}
	return row
}

// newDeletionRow returns the row of one object that is deleted.
func newDeletionRow(o client.Object) *transferRow {
	return &transferRow{Name: o.Name.Raw(), Action: actionDelete, Size: sizeOrNull(o.Size)}
}

// skipped returns the row as that of a file that exists and is left as it is.
func (r *transferRow) skipped(inPlan bool) *transferRow {
	r.Action, r.Reason = actionSkip, orNull("it exists")
	if !inPlan {
		r.Outcome = orNull(outcomeUnchanged)
	}
	return r
}

// same returns the row as that of a file that is the same on both sides.
func (r *transferRow) same(inPlan bool) *transferRow {
	r.skipped(inPlan)
	r.Reason = orNull(transfer.FileSame.String())
	return r
}

// setOutcome fills in how a transfer has ended.
func (r *transferRow) setOutcome(row transfer.Status, err error) {
	outcome, reason := outcomeOf(row, err)
	r.Outcome = &outcome
	if reason != "" {
		r.Reason = &reason
	}
}

// rowOf returns the row of a file of the plan, as it is sent or would be.
func (b *batchTransfer) rowOf(f transfer.PlannedFile) *transferRow {
	row := &transferRow{Name: f.Name, Action: b.plan.Kind.String(), Size: sizeOrNull(f.Size)}
	switch b.plan.Kind {
	case transfer.Download:
		row.File = orNull(filepath.Join(b.plan.Folder, filepath.FromSlash(f.Path)))
	case transfer.Upload:
		row.File = orNull(filepath.Join(f.Folder, filepath.FromSlash(f.Path)))
	default:
		row.Name = f.Path
		row.Target = orNull(b.target(f.Name).ID())
	}
	return row
}

// planRows returns the rows of the plan. finish completes those of files that are sent and of deletions; nil leaves
// them without an outcome, as the others then are.
func (b *batchTransfer) planRows(finish func(sent *transferRow)) iter.Seq[*transferRow] {
	outcome := func(text string) *string {
		if finish == nil {
			return nil
		}
		return &text
	}
	return func(yield func(*transferRow) bool) {
		for f, sent := range b.plan.Each(b.flags.existing()) {
			row := b.rowOf(f)
			switch {
			case sent != nil:
				row = b.rowOf(*sent)
				row.Reason = orNull(f.State.String() + b.accessNote(*sent))
				if finish != nil {
					finish(row)
				}
			case f.State == transfer.FileSame || b.flags.decided():
				row.Action, row.Reason, row.Outcome = actionSkip, orNull(f.State.String()), outcome(outcomeUnchanged)
			default:
				row.Action, row.Reason = actionUndecided, orNull(f.State.String())
			}
			if !yield(row) {
				return
			}
		}
		for _, f := range b.plan.Skipped {
			row := &transferRow{
				Name:    f.Path,
				Action:  actionSkip,
				Reason:  orNull(f.Reason),
				Outcome: outcome(outcomeLeftOut),
			}
			if !yield(row) {
				return
			}
		}
	}
}

// extraNotDeleted returns the outcome of what only the target has if nothing of it is deleted.
func extraNotDeleted(why string) func(name string) (outcome, reason string) {
	return func(string) (outcome, reason string) { return outcomeUnchanged, "not deleted: " + why }
}

// extraRows returns the rows of what only the target has. outcome returns how the deletion of a name has ended, and why
// if it failed; nil leaves the rows without outcomes.
func (b *batchTransfer) extraRows(outcome func(name string) (outcome, reason string)) iter.Seq[*transferRow] {
	return func(yield func(*transferRow) bool) {
		for _, name := range b.plan.Extra {
			row := &transferRow{Name: name, Action: actionDelete, Reason: orNull(onlyInTarget)}
			if b.plan.Kind == transfer.Download {
				row.File = orNull(filepath.Join(b.plan.Folder, filepath.FromSlash(name)))
			}
			row.finish(outcome, name)
			if !yield(row) {
				return
			}
		}
	}
}

// endDryRun returns how a command would end whose plan was shown and that needs the scope of an operation: the last
// answer shows which scopes the token has.
func (s *scriptSession) endDryRun(err error, op string) error {
	if code := exit.CodeFor(err); code != exit.CodeOK && code != exit.CodePartial {
		return err
	}
	needed, have := client.RequiredScope(op), s.api.Scopes()
	if needed == "" || have == "" || have == "unknown" || client.ScopesAllow(have, needed) {
		return err
	}
	return exit.Denied(fmt.Errorf("%s: the token has %s; this needs %s", op, client.Clean(have), needed))
}

// finish fills in the outcome of a deletion, if it has one.
func (r *transferRow) finish(outcome func(name string) (outcome, reason string), name string) {
	if outcome == nil {
		return
	}
	text, reason := outcome(name)
	if r.Outcome = orNull(text); reason != "" {
		r.Reason = &reason
	}
}

// deletionOutcomes returns how the deletion of each object has ended.
func deletionOutcomes(m *transfer.Manager, id transfer.ID) func(name string) (outcome, reason string) {
	status, _ := m.Status(id)
	left := map[string]bool{} // whether it is not known
	for name, unknown := range m.Undeleted(id) {
		left[name] = unknown
	}
	outcome, reason := outcomeOf(status, nil)
	if outcome == outcomeUnknown {
		outcome = outcomeFailed // of those that are known to exist
	}
	return func(name string) (string, string) {
		switch unknown, found := left[name]; {
		case !found:
			return outcomeDone, ""
		case unknown:
			return outcomeUnknown, reason
		}
		return outcome, reason
	}
}
