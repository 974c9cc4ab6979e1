package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"

	"lookout/client"
	"lookout/client/objectindex"
	"lookout/client/objectnames"
	"lookout/client/transfer"
	"lookout/client/wording"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/progress"
	"lookout/views/operation"
)

// delete runs a deletion of several objects, and reports how many are gone and which are not. rows returns their rows
// with their outcomes; nil if they have none.
func (s *scriptSession) delete(
	ctx context.Context, reason string, begin func(*transfer.Manager) transfer.ID,
	rows func(outcome func(name string) (outcome, reason string)) iter.Seq[*transferRow],
) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	m := transfer.New(ctx, s.api)
	m.Reason = reason
	id := begin(m)
	s.follow(m, progress.NewMeter(s.errOut))
	if rows != nil {
		s.addRows(rows(deletionOutcomes(m, id)))
	}
	row, _ := m.Status(id)
	s.reportf("%s removed", wording.Plural(int(row.Done), "object", "objects"))
	if row.State == transfer.Done {
		return nil
	}
	if left, ok := errors.AsType[*transfer.UndeletedError](row.Err); ok {
		named := 0
		for name, unknown := range m.Undeleted(id) {
			if named++; named > len(left.Names) {
				break
			}
			how := "not removed"
			if unknown {
				how = "it is unknown whether this was removed"
			}
			s.reportf("%s: %s", how, client.Clean(name))
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

// planRemoval plans to remove the objects of a selection.
func (s *scriptSession) planRemoval(ctx context.Context, sel transfer.Selection) (c change, err error) {
	var single client.Object
	names := objectnames.NewSortedNamesBuilder(client.BucketID(sel.Cluster, sel.Bucket))
	err = s.eachSelected(ctx, sel, func(o transfer.DownloadItem) {
		if names.Len() == 0 {
			single = o.Object.Clone()
		}
		names.Add(objectnames.ObjectEntry{Name: o.Object.Name.Raw(), Size: o.Object.Size})
	})
	switch folder := sel.Recursive && len(sel.Names) == 1 && strings.HasSuffix(sel.Names[0], "/"); {
	case errors.Is(err, transfer.ErrNoMatch) && folder:
		s.reportf("%s: there is nothing to remove", describeObject(client.ObjectRef{
			Cluster: sel.Cluster, Bucket: sel.Bucket, Name: sel.Names[0],
		}))
		s.addRows(func(func(*transferRow) bool) {})
		return c, nil
	case err != nil:
		return c, err
	}
	c.names = names.List()
	var named []string
	for o := range c.names.From(0) {
		if len(named) == 3 {
			named = append(named, fmt.Sprintf("%s more", wording.FormatCount(int64(c.names.Len()-3))))
			break
		}
		named = append(named, client.Clean(o.Name))
	}
	first := client.ObjectRef{Cluster: sel.Cluster, Bucket: sel.Bucket, Name: single.Name.Raw()}
	c.Change = client.Change{ID: first.ID(), Label: fmt.Sprint(c.names.Len())}
	c.effect = fmt.Sprintf("Removes %s (%s) from %s for good: %s", wording.Plural(c.names.Len(), "object", "objects"),
		operation.FormatSize(c.names.Bytes()), client.Clean(c.names.Bucket()), strings.Join(named, ", "))
	list := c.names
	rows := func(outcome func(string) (string, string)) iter.Seq[*transferRow] {
		return func(yield func(*transferRow) bool) {
			for o := range list.From(0) {
				row := &transferRow{Name: o.Name, Action: actionDelete, Size: sizeOrNull(o.Size)}
				row.finish(outcome, o.Name)
				if !yield(row) {
					return
				}
			}
		}
	}
	c.show = func() error {
		if s.printsRows() {
			s.addRows(rows(nil))
			return nil
		}
		out := bufio.NewWriter(s.out)
		for o := range c.names.From(0) {
			fmt.Fprintf(out, "delete   %10s  %s\n", operation.FormatSize(o.Size), client.Clean(o.Name))
		}
		err := out.Flush()
		for o := range c.names.From(0) {
			at := client.ObjectRef{Cluster: sel.Cluster, Bucket: sel.Bucket, Name: o.Name}
			err = cmp.Or(err, s.showObject(http.MethodDelete, at, "", ""))
		}
		return err
	}
	c.send = func(ctx context.Context, w *approvedChange) (any, error) {
		return nil, s.delete(ctx, w.change.Reason, func(m *transfer.Manager) transfer.ID {
			return m.DeleteList(w.consent(), sel.Cluster, sel.Bucket, list, single)
		}, rows)
	}
	return c, nil
}

// planEmptying plans to remove everything that begins with a prefix, after counting it. The answer is the name of the
// bucket.
func (s *scriptSession) planEmptying(ctx context.Context, prefix client.ObjectRef) (c change, err error) {
	line := progress.NewMeter(s.errOut)
	q := client.ObjectQuery{Cluster: prefix.Cluster, Bucket: prefix.Bucket, Prefix: prefix.Name}
	count, err := objectindex.Count(ctx, s.api.Objects, q, func(objects, _ int64) {
		line.Show("counting: %s objects", wording.FormatCount(objects))
	})
	line.Clear()
	switch {
	case err != nil:
		return c, fmt.Errorf("cannot count what would be removed: %w", err)
	case count.Objects == 0 && !count.AtLeast:
		s.reportf("%s: there is nothing to remove", describeObject(prefix))
		return c, nil
	}
	total := operation.FormatTotal(client.StorageTotal{
		Objects:        count.Objects,
		Size:           count.Bytes,
		ObjectsPartial: count.AtLeast,
		SizePartial:    count.AtLeast,
	}, ", ")
	c.Change = client.Change{Op: client.OpEmptyBucket, ID: prefix.ID(), Label: prefix.Bucket}
	c.effect = fmt.Sprintf("Removes everything below %s for good: %s", describeObject(prefix), total)
	c.send = func(ctx context.Context, w *approvedChange) (any, error) {
		return nil, s.delete(ctx, w.change.Reason, func(m *transfer.Manager) transfer.ID {
			return m.Empty(w.consent(), prefix.Cluster, prefix.Bucket, prefix.Name, 0)
		}, nil)
	}
	c.below = true
	c.show = func() error {
		fmt.Fprintf(s.out, "# for each object below %s; NAME is the rest of its name\n", describeObject(prefix))
		prefix.Name += "NAME"
		return s.showObject(http.MethodDelete, prefix, "", "")
	}
	return c, nil
}
