package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/journal"
	"lookout/client/objectindex"
	"lookout/client/objectnames"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/views/operation"
	"lookout/views/resource"
)

// askWithKnownSizes asks whether to delete all objects of a bucket whose names begin with a prefix, if it is known how
// many there are; otherwise it returns nil.
func askWithKnownSizes(a *account.Account, prefix client.ObjectRef) tea.Cmd {
	sum, at, known := sizesOf(a, prefix).exact()(prefix.Name)
	if !known || sum.Objects == 0 {
		return nil
	}
	text := formatObjects(sum.Objects, sum.Bytes) + ", read " + formatReadAge(a.Now().Sub(at))
	return ui.Send(askEmptying(a, prefix, newEmptyCount(text, sum.Objects)))
}

// countThenEmpty asks whether to delete all objects of a bucket whose names begin with a prefix. It counts them before,
// unless their number was read. The answer is the bucket's label.
func countThenEmpty(a *account.Account, prefix client.ObjectRef) tea.Cmd {
	if ask := askWithKnownSizes(a, prefix); ask != nil {
		return ask
	}
	c := countingOf(a)
	return c.while(a, "the objects of "+client.Clean(prefix.Bucket), func(ctx context.Context) tea.Msg {
		count, err := countObjects(ctx, a, prefix, c)
		if err != nil {
			return ui.StatusMsg{
				Tone: theme.Bad,
				Text: client.Clean(prefix.Bucket) + ": not emptied; cannot count its objects: " + wording.Reason(err),
			}
		}
		if count.none {
			return nothingToDelete{a, prefix}
		}
		return askEmptying(a, prefix, count)
	})
}

// askEmptying asks, and empties.
func askEmptying(a *account.Account, prefix client.ObjectRef, count emptyCount) tea.Msg {
	return operation.AskConsentMsg(a, askToEmpty(prefix, count), func(c account.Consents) tea.Cmd {
		startEmptying(a, prefix, c, count.objects)
		what := client.Clean(prefix.Bucket + wording.WithPrefix(" › ", prefix.Name))
		operation.SyncTransfers(a)
		return ui.Send(ui.StatusMsg{Text: "emptying " + what, Tone: theme.Info, ShowsProgress: true})
	})
}

// startEmptying deletes the objects that begin with a prefix. Their number is 0 if it is not known.
func startEmptying(a *account.Account, prefix client.ObjectRef, c account.Consents, objects int64) {
	id := a.Transfers.Empty(c[client.OpEmptyBucket], prefix.Cluster, prefix.Bucket, prefix.Name, objects)
	sizesOf(a, prefix).changedBy(id)
}

// nothingToDelete says that there is no object to delete.
type nothingToDelete struct {
	a      *account.Account
	prefix client.ObjectRef
}

// Deliver brings the message. An emptying that was interrupted has then reached its end.
func (n nothingToDelete) Deliver() tea.Cmd {
	for _, e := range n.a.Journal.Unfinished(client.OpEmptyBucket) {
		if e.Change.ID == n.prefix.ID() {
			n.a.Journal.RecordOutcome(e.ID, client.Applied, client.FoundByReading("counted again: nothing is left"))
		}
	}
	return ui.ShowStatus(theme.Info, client.Clean(n.prefix.Bucket)+": there is nothing to delete")
}

// An emptyCount is what is known about the objects to be deleted.
type emptyCount struct {
	text    string // "62 objects, 132 GiB, counted just now"
	objects int64  // their number, if it is certain
	slow    bool   // deleting them takes long
	none    bool   // there are none, for certain
}

// newEmptyCount returns the count of a number of objects that is certain.
func newEmptyCount(text string, objects int64) emptyCount {
	return emptyCount{text, objects, objects >= slowEmptyObjects, objects == 0}
}

// maxCountTime is how long the objects are counted before a question.
const maxCountTime = 5 * time.Second

// countObjects lists the objects that begin with a prefix. If that takes too long, it says how many there are at least
// and, for a whole bucket, how many the bucket itself reports.
func countObjects(
	ctx context.Context, a *account.Account, prefix client.ObjectRef, c *counting,
) (emptyCount, error) {
	short, cancel := context.WithTimeout(ctx, maxCountTime)
	defer cancel()
	q := client.ObjectQuery{Cluster: prefix.Cluster, Bucket: prefix.Bucket, Prefix: prefix.Name}
	sum, err := objectindex.Count(short, a.API.Objects, q, func(n, size int64) {
		c.objects.Store(n)
		c.bytes.Store(size)
	})
	objects, bytes := c.objects.Load(), c.bytes.Load()
	switch {
	case err == nil && !sum.AtLeast:
		text := formatObjects(sum.Objects, sum.Bytes) + ", counted just now"
		return newEmptyCount(text, sum.Objects), nil
	case err == nil:
		text := "at least " + formatObjects(sum.Objects, sum.Bytes) + ": the listing is incomplete"
		return emptyCount{text: text, slow: sum.Objects >= slowEmptyObjects}, nil
	case ctx.Err() != nil || !errors.Is(short.Err(), context.DeadlineExceeded):
		return emptyCount{}, err
	}
	count := emptyCount{text: "at least " + formatObjects(objects, bytes), slow: objects >= slowEmptyObjects}
	if b, err := a.API.Buckets.Get(ctx, prefix.Cluster, prefix.Bucket); err == nil && prefix.Name == "" {
		n, _ := b.Objects.Value()
		count.text += fmt.Sprintf(
			"; the bucket reports %s objects, %s", operation.FormatOptionalCount(b.Objects),
			operation.FormatOptionalSize(b.Size),
		)
		count.slow = count.slow || n >= slowEmptyObjects
	}
	return count, nil
}

// formatObjects returns "62 objects, 132 GiB".
func formatObjects(objects, bytes int64) string {
	return operation.FormatTotal(client.StorageTotal{Objects: objects, Size: bytes}, ", ")
}

// askToEmpty is the question about the objects that begin with a prefix.
func askToEmpty(prefix client.ObjectRef, count emptyCount) operation.ConfirmationRequest {
	title, name := "Empty bucket", "empty it"
	what := "every object in bucket " + client.Clean(prefix.Bucket)
	if prefix.Name != "" {
		title, name = "Delete "+client.Clean(prefix.Name), "delete"
		what = fmt.Sprintf(
			"every object whose name begins with %s in bucket %s",
			client.Clean(prefix.Name),
			client.Clean(prefix.Bucket),
		)
	}
	effect := fmt.Sprintf("This deletes %s (%s) for good: %s.", what, client.Clean(prefix.Cluster), count.text)
	if count.slow {
		effect += " This takes a long time; a lifecycle policy, set with an S3 client, does it on the server."
	}
	return operation.ConfirmationRequest{
		Ops:  []string{client.OpEmptyBucket},
		IDs:  []string{prefix.ID()},
		Name: name,
		Confirm: resource.ConfirmationSpec{
			Title:    title,
			Effect:   effect,
			Word:     client.Clean(prefix.Bucket),
			Required: true,
		},
	}
}

// slowEmptyObjects is the number of objects from which emptying takes so long that the question names another way.
const slowEmptyObjects = 100_000

// OfferResumeEmptying offers to go on emptying the buckets that an earlier run did not finish. The question about each
// comes after its objects have been counted again.
func OfferResumeEmptying(a *account.Account) tea.Cmd {
	leave := ui.Action{Key: ui.Bind("keep the remaining objects", "l"), Do: func() tea.Cmd { return nil }}
	actions := []ui.Action{leave}
	for _, e := range a.Journal.Unfinished(client.OpEmptyBucket) {
		if prefix, ok := emptiedPrefix(e); ok {
			name := "count the remaining objects in " + client.Clean(prefix.ID())
			if e.Gone > 0 {
				name += fmt.Sprintf(" (%s)", client.Clean(e.OutcomeDetail))
			}
			name += ", then ask"
			actions = append(actions, ui.Action{
				Key:       ui.Bind(name, fmt.Sprint(len(actions))),
				Writes:    true,
				OpensView: true,
				Do:        func() tea.Cmd { return countThenEmpty(a, prefix) },
			})
		}
	}
	if len(actions) == 1 {
		return nil
	}
	return ui.Send(ui.OpenMenuMsg{Title: "Emptying was interrupted", Actions: actions})
}

// emptiedPrefix returns what an emptying deleted: its id is location/bucket/prefix.
func emptiedPrefix(e journal.Entry) (client.ObjectRef, bool) {
	parts := strings.SplitN(e.Change.ID, "/", 3)
	if len(parts) != 3 {
		return client.ObjectRef{}, false
	}
	return client.ObjectRef{Cluster: parts[0], Bucket: parts[1], Name: parts[2]}, true
}

// ReportInterruptedDeletions says of each deletion of many objects that an earlier run did not finish what is gone, not
// known and left. It then looks up in the bucket what is not known.
func ReportInterruptedDeletions(a *account.Account) tea.Cmd {
	var cmds []tea.Cmd
	for _, e := range a.UnresolvedChanges() {
		if e.Change.Op != client.OpDeleteObjects || a.Journal.FromThisRun(*e) {
			continue
		}
		cmds = append(
			cmds, ui.ShowStatus(theme.Warn, describeInterrupted(*e)+" · see the journal"), lookUpDeletion(a, *e),
		)
	}
	return tea.Batch(cmds...)
}

// describeInterrupted says what became of an interrupted deletion.
func describeInterrupted(e journal.Entry) string {
	what := "Deleting " + account.EntryName(&e) + " was interrupted"
	if e.Deletion == nil {
		return what + ": nothing was sent"
	}
	return what + ": " + e.Deletion.Describe(e.Change.Objects)
}

// maxDeletionLookups is how many objects are looked up at the same time.
const maxDeletionLookups = 8

// lookUpDeletion finds out which objects exist whose deletion was sent and has no known outcome, and records that.
func lookUpDeletion(a *account.Account, e journal.Entry) tea.Cmd {
	cluster, rest, _ := strings.Cut(e.Change.ID, "/")
	bucket, _, _ := strings.Cut(rest, "/")
	return func() tea.Msg {
		if e.Deletion == nil {
			a.Journal.RecordOutcome(e.ID, client.Rejected, errors.New("it was interrupted before anything was sent"))
			return nil
		}
		for _, batch := range e.Deletion.Open {
			at := client.ObjectRef{Cluster: cluster, Bucket: bucket}
			ended, err := lookUpBatch(a.Context, a.API.Objects, at, batch)
			if err == nil {
				err = a.Journal.RecordBatch(e.ID, ended)
			}
			if err != nil {
				return ui.StatusMsg{
					Tone: theme.Warn,
					Text: account.EntryName(
						&e,
					) + ": cannot look up objects with an unknown outcome: " + wording.Reason(err),
				}
			}
		}
		known, _ := a.Journal.Entry(e.ID)
		if known.Deletion == nil {
			return nil
		}
		outcome := client.Rejected
		if known.Deletion.Gone == e.Change.Objects {
			outcome = client.Applied
		}
		text := known.Deletion.Describe(e.Change.Objects)
		a.Journal.RecordOutcome(e.ID, outcome, errors.New("it was interrupted; "+text))
		return ui.StatusMsg{Tone: theme.Warn, Text: describeInterrupted(known)}
	}
}

// lookUpBatch returns the end of a batch: which of its objects exist.
func lookUpBatch(
	ctx context.Context, objects client.ObjectReader, at client.ObjectRef, batch client.BatchRecord,
) (client.BatchRecord, error) {
	names, err := objectnames.Decode(batch.Names)
	if err == nil && len(names) != batch.UnknownCount() {
		err = fmt.Errorf("%d of %d names are in the journal", len(names), batch.UnknownCount())
	}
	if err != nil {
		return batch, err
	}
	batch.Ended, batch.Names = true, nil
	var mu sync.Mutex
	var workers sync.WaitGroup
	for some := range slices.Chunk(names, len(names)/maxDeletionLookups+1) {
		workers.Go(func() {
			for _, name := range some {
				_, there, failure := objects.Find(ctx, at.Cluster, at.Bucket, name)
				mu.Lock()
				switch {
				case failure != nil:
					err = failure
				case there:
					batch.Left++
				default:
					batch.Gone++
				}
				mu.Unlock()
				if failure != nil {
					return
				}
			}
		})
	}
	workers.Wait()
	return batch, err
}
