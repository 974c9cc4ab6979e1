package storage

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/objectindex"
	"lookout/client/transfer"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/views/operation"
)

// OfferInterruptedTransfers offers to continue the downloads and copies that an earlier run did not finish.
func OfferInterruptedTransfers(a *account.Account) tea.Cmd {
	return func() tea.Msg {
		found := a.Transfers.Interrupted()
		switch {
		case len(found.Downloads) > 0:
			return interruptedMenu(a, found)
		case len(found.Copies) > 0:
			return forgetDownloads(a, found)
		}
		return nil
	}
}

// interruptedMenu asks what to do with interrupted downloads. What is left for later is offered at the next start.
func interruptedMenu(a *account.Account, found transfer.InterruptedTransfers) ui.OpenMenuMsg {
	downloads := found.Downloads
	var size, kept int64
	for _, d := range downloads {
		size, kept = size+d.Size, kept+d.Kept
	}
	first := downloads[0]
	what := fmt.Sprintf("%s to %s", client.Clean(first.Name), client.Clean(first.Folder))
	if more := len(downloads) - 1; more > 0 {
		what += " and " + wording.FormatCount(int64(more)) + " more"
	}
	goOn := fmt.Sprintf("continue: %s of %s are here", operation.FormatSize(kept), operation.FormatSize(size))
	return ui.OpenMenuMsg{Title: "Interrupted: " + what, Actions: []ui.Action{
		{Key: ui.Bind(goOn, "c"), Do: func() tea.Cmd { return continueDownloads(a, found) }},
		{Key: ui.Bind("later: ask again at the next start", "l"), Do: func() tea.Cmd { return nil }},
		{Key: ui.Bind("forget them; the partial files stay", "f"), Do: func() tea.Cmd {
			return func() tea.Msg { return forgetDownloads(a, found) }
		}},
	}}
}

// continueDownloads adds the downloads again.
func continueDownloads(a *account.Account, found transfer.InterruptedTransfers) tea.Cmd {
	return func() tea.Msg {
		ids, refused := a.Transfers.Continue(found.Downloads)
		return tea.BatchMsg{ui.Send(downloadsContinued{a, ids, refused}), ui.Send(forgetDownloads(a, found))}
	}
}

// forgetDownloads forgets the downloads that an earlier run did not finish, and then offers to continue its copies.
func forgetDownloads(a *account.Account, found transfer.InterruptedTransfers) tea.Msg {
	forget := transfer.SaveInterruptedCopies(a.Transfers, found.Copies)
	found.Forget() // this run keeps what is left
	if len(found.Copies) == 0 {
		return nil
	}
	return interruptedCopiesMenu(a, found.Copies, forget)
}

// downloadsContinued says that interrupted downloads go on.
type downloadsContinued struct {
	a       *account.Account
	ids     []transfer.ID
	refused []error
}

// Deliver brings the message.
func (m downloadsContinued) Deliver() tea.Cmd {
	if len(m.ids) == 0 {
		return ui.ShowStatus(theme.Bad, "nothing could be resumed: "+client.Clean(errors.Join(m.refused...).Error()))
	}
	message := "continuing " + wording.Plural(len(m.ids), "download", "downloads")
	return transfersStarted(m.a, "", message+leftOut("left out", m.refused), m.ids...)()
}

// interruptedCopiesMenu asks what to do with interrupted copies, of which this run keeps all until forget is called.
// Those from one bucket to another are continued together.
func interruptedCopiesMenu(a *account.Account, all []transfer.InterruptedCopy, forget func()) ui.OpenMenuMsg {
	first := all[0]
	var copies, others []transfer.InterruptedCopy
	for _, c := range all {
		if c.Move == first.Move && bucketOf(c.From) == bucketOf(first.From) && bucketOf(c.To) == bucketOf(first.To) {
			copies = append(copies, c)
		} else {
			others = append(others, c)
		}
	}
	doing := "copying "
	if first.Move {
		doing = "moving "
	}
	places := " within " + client.Clean(bucketOf(first.To))
	if bucketOf(first.From) != bucketOf(first.To) {
		places = " from " + client.Clean(bucketOf(first.From)) + " to " + client.Clean(bucketOf(first.To))
	}
	what := doing + wording.Plural(len(copies), "object", "objects") + places
	settled := func() {
		forget()
		transfer.SaveInterruptedCopies(a.Transfers, others)
	}
	return ui.OpenMenuMsg{Title: "Interrupted: " + what, Actions: []ui.Action{
		{
			Key:            ui.Bind("continue: compare again, and ask before sending", "c"),
			Writes:         true,
			OpensView:      true,
			DisabledReason: a.MissingScope(client.OpUploadObject),
			Do:             func() tea.Cmd { return continueCopies(a, copies, settled) },
		},
		{Key: ui.Bind("later: ask again at the next start", "l"), Do: func() tea.Cmd { return nil }},
		{Key: ui.Bind("forget them; objects already copied stay", "f"), Do: func() tea.Cmd {
			settled()
			return nil
		}},
	}}
}

// bucketOf returns the id of an object's bucket.
func bucketOf(o client.ObjectRef) string { return client.BucketID(o.Cluster, o.Bucket) }

// continueCopies compares the sources of interrupted copies that still exist with their targets, and asks. It calls
// settled once there is nothing left to do, or the answer is yes.
func continueCopies(a *account.Account, copies []transfer.InterruptedCopy, settled func()) tea.Cmd {
	c, from, to := countingOf(a), copies[0].From, copies[0].To
	d := &copyDraft{
		a:        a,
		from:     &client.Bucket{Cluster: client.NewText(from.Cluster), Label: client.NewText(from.Bucket)},
		choice:   copyObjects,
		existing: skipExisting,
	}
	q := transfer.CopySpec{Kind: transfer.Copy}
	if copies[0].Move {
		q.Kind, d.choice = transfer.Move, moveObjects
	}
	q.From, q.To = d.from.Object(""), client.ObjectRef{Cluster: to.Cluster, Bucket: to.Bucket}
	return c.while(a, "the objects in "+client.Clean(bucketOf(from)), func(ctx context.Context) tea.Msg {
		selected, err := findSources(ctx, a, copies, c)
		var plan transfer.Plan
		if err == nil {
			plan, err = q.Plan(ctx, a.API, selected)
		}
		if err == nil {
			plan.Prefix = to.Name
			for _, one := range copies {
				plan.Prefix = commonPrefix(plan.Prefix, one.To.Name)
			}
			err = plan.CompareObjects(ctx, a.API.Objects, transfer.CompareOptions{})
		}
		if err == nil {
			err = plan.ReadACLs(ctx, a.API.Objects, d.existing.policy(), nil)
		}
		if err != nil {
			return ui.StatusMsg{Tone: theme.Bad, Text: "could not compare: " + wording.Reason(err)}
		}
		if n, _ := plan.CountToSend(d.existing.policy()); n == 0 {
			settled()
			return ui.StatusMsg{Tone: theme.Good, Text: "there is nothing left to " + string(d.choice)}
		}
		return operation.AskConsentMsg(a, d.ask(&plan), func(consents account.Consents) tea.Cmd {
			settled()
			return d.start(plan, consents)
		})
	})
}

// findSources lists the sources of copies that still exist, each with the whole name of its target.
func findSources(
	ctx context.Context, a *account.Account, copies []transfer.InterruptedCopy, c *counting,
) (selected []transfer.DownloadItem, err error) {
	q := client.ObjectQuery{
		Cluster: copies[0].From.Cluster,
		Bucket:  copies[0].From.Bucket,
		Prefix:  copies[0].From.Name,
	}
	targets := make(map[string]string, len(copies))
	for _, one := range copies {
		targets[one.From.Name], q.Prefix = one.To.Name, commonPrefix(q.Prefix, one.From.Name)
	}
	missing := ""
	err = objectindex.EachPage(ctx, a.API.Objects, q, func(p client.ObjectPage, restarted bool) bool {
		if restarted {
			selected = nil
			c.objects.Store(0)
		}
		for _, o := range p.Rows() {
			if target, is := targets[o.Name.Raw()]; is {
				selected = append(selected, transfer.DownloadItem{Object: o.Clone(), Path: target})
			}
			c.objects.Add(1)
		}
		missing = p.Incomplete
		return missing == ""
	})
	if err == nil && missing != "" {
		err = errors.New("the listing is " + missing)
	}
	return selected, err
}

// commonPrefix returns what two names begin with, in whole characters.
func commonPrefix(a, b string) string {
	n := 0
	for i, r := range a {
		if !strings.HasPrefix(b[i:], string(r)) {
			return a[:i]
		}
		n = i + len(string(r))
	}
	return a[:n]
}
