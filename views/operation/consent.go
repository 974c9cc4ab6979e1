package operation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/lists"
	"lookout/client/objectnames"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/views/resource"
)

// ConfirmationRequest is what must be asked before a change: on a protected account always, on others if Confirm
// requires it.
type ConfirmationRequest struct {
	Ops []string // the client's operations that the answer covers
	IDs []string // what they are done to; none for what has no id yet
	// what client.OpDeleteObject is done to, if that differs: the sources of a move
	SourceIDs []string
	// the objects that client.OpDeleteObject is done to, instead of IDs
	Names *objectnames.SortedNames
	// the ids are parents ("us-east-1/photos/2024/"), and the answer covers everything below them
	Below   bool
	Name    string // what the button says: "delete"
	Confirm resource.ConfirmationSpec
	Items   []string // what it is done to, line by line, if that is more than one thing
}

// AskConsent asks what must be asked and goes on with the consents. It is called on the event loop and returns at once.
func AskConsent(a *account.Account, ask ConfirmationRequest, then func(account.Consents) tea.Cmd) tea.Cmd {
	return ui.Send(ui.RunActionMsg{Action: askAction(a, ask.withUnsettled(a), then)})
}

// AskConsentMsg is AskConsent for work off the event loop: the message asks, and goes on.
func AskConsentMsg(a *account.Account, ask ConfirmationRequest, then func(account.Consents) tea.Cmd) tea.Msg {
	return ui.RunActionMsg{Action: askAction(a, ask.withUnsettled(a), then)}
}

// withUnsettled adds to a question which changes of the same things have an unknown outcome.
func (ask ConfirmationRequest) withUnsettled(a *account.Account) ConfirmationRequest {
	var texts []string
	for _, e := range a.UnresolvedChanges() {
		if e.Change.ID != "" && ask.isAbout(e.Change.ID) && slices.Contains(ask.Ops, e.Change.Op) {
			texts = append(texts, fmt.Sprintf(
				"%s %s, sent %s ago: %s. If you send this now, it may be done twice.",
				wording.Capitalize(e.Change.Op), // one of the client's operations, as ask.Ops
				account.EntryName(e),
				wording.FormatAge(a.Now().Sub(e.Time)),
				lists.NotSeenYet,
			))
		}
	}
	if len(texts) > 0 {
		ask.Confirm.Required = true
		ask.Confirm.Effect = strings.TrimSpace(strings.Join(texts, " ") + " " + ask.Confirm.Effect)
	}
	return ask
}

// isAbout reports whether a question is about a thing.
func (ask ConfirmationRequest) isAbout(id string) bool {
	if ask.Below {
		return slices.ContainsFunc(ask.IDs, func(parent string) bool { return strings.HasPrefix(id, parent) })
	}
	if ask.Names == nil {
		return slices.Contains(ask.IDs, id)
	}
	name, inBucket := strings.CutPrefix(id, ask.Names.Bucket()+"/")
	return inBucket && ask.Names.Contains(name) || slices.Contains(ask.IDs, id)
}

// askAction is the question as an action. Its Confirm is nil if nothing need be asked.
func askAction(a *account.Account, ask ConfirmationRequest, then func(account.Consents) tea.Cmd) ui.Action {
	requests := make(map[string]*client.ConsentRequest, len(ask.Ops))
	var question *client.ConsentQuestion
	for _, op := range ask.Ops {
		ids, names := ask.IDs, ask.Names
		switch {
		case op != client.OpDeleteObject:
			names = nil
		case names != nil:
			ids = nil
		case ask.SourceIDs != nil:
			ids = ask.SourceIDs
		}
		requests[op] = a.API.RequestConsent(client.ConsentQuestion{
			Op:       op,
			Effect:   ask.Confirm.Effect,
			Word:     ask.Confirm.Word,
			Required: ask.Confirm.Required,
			Below:    ask.Below,
			Names:    names,
		}, ids...)
		question = requests[op].Question()
	}
	action := ui.Action{
		Key: ui.Bind(ask.Name),
		Do: func() tea.Cmd {
			consents := make(account.Consents, len(requests))
			for op, request := range requests {
				consent, err := request.Answer(true)
				if err != nil {
					return ui.ShowStatus(theme.Bad, wording.Reason(err))
				}
				consents[op] = consent
			}
			return then(consents)
		},
	}
	if question != nil {
		action.Confirm = ask.dialog(question.Account)
	}
	return action
}

// dialog is the question as a dialog shows it. On a protected account it names the account, and the account's name must
// be typed if nothing else must.
func (ask ConfirmationRequest) dialog(protected string) *ui.Confirmation {
	d := &ui.Confirmation{
		Title:        ask.Confirm.Title,
		Text:         ask.Confirm.Effect,
		Items:        ask.Items,
		RequiredText: ask.Confirm.Word,
		ConfirmLabel: ask.Name,
		Delay:        ask.Confirm.Delay,
		NoPaste:      ask.Confirm.NoPaste,
	}
	if protected != "" {
		d.Warning = "PROD: account " + protected + " is protected."
		if d.RequiredText == "" {
			d.RequiredText = protected
		}
	}
	return d
}

// FormWithConsent makes a form ask before it sends, for a change that has no row in a store. send is called off the
// event loop, with the consents to what ask returned for the values in the fields.
func FormWithConsent(a *account.Account,
	f form.Form, ask func() ConfirmationRequest, send func(context.Context, account.Consents) (func() tea.Cmd, error),
) form.Form {
	var consents account.Consents
	lost := false // the answer to what this form sent
	f.BeforeSend = func(next func() tea.Cmd) tea.Cmd {
		question := ask()
		if lost {
			question.Confirm.Required = true
			question.Confirm.Effect = "This was sent before, and its outcome is not known: it may be done twice. " +
				question.Confirm.Effect
		}
		return AskConsent(a, question, func(c account.Consents) tea.Cmd {
			consents = c
			return next()
		})
	}
	f.Send = func(ctx context.Context) (func() tea.Cmd, error) { return send(ctx, consents) }
	f.OnUnknown = func() tea.Cmd {
		lost = true
		a.ResumeLookups(a.UnresolvedChanges(), "")
		return nil
	}
	return f
}
