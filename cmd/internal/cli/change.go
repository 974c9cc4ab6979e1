package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/lists"
	"lookout/client/objectnames"
	"lookout/client/transfer"
	"lookout/client/wording"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
	"lookout/ui"
	"lookout/views/operation"
)

// A change is one change that a subcommand is about to make, with its values bound. If send is nil there is nothing to
// change, and result is shown.
type change struct {
	// Op, Resource, ID and Label are needed only if they differ from the subcommand's operation and its row.
	client.Change
	below     bool   // it is done to everything whose id begins with ID
	effect    string // the question: "Makes a link to …"; if empty, it is made from the subcommand's verb and the thing
	verb      string // what is done to the thing, if it is not the subcommand's verb: "delete ", "deny access: "
	detail    string // is added to a question that is made from the verb: "group, phone"
	summary   string // of the question, for errors; filled in by subcommandRun
	name      string // of the thing, in questions and reports; filled in by subcommandRun
	unchanged string // why nothing is sent, after the thing's name: " already has these values"
	send      func(context.Context, *approvedChange) (any, error)
	result    any
	show      func() error             // prints what the requests at objects would be, for --dry-run; nil for others
	asks      askRule                  // if it asks more than the subcommand
	opens     bool                     // it opens something to everyone, so it asks on every account
	keep      transfer.KeptACL         // what becomes of the access to the object that is replaced
	word      string                   // what must be typed if it always asks; "" is the name of the thing
	ids       []string                 // what the consent covers, if it is not the ID
	names     *objectnames.SortedNames // the objects that are deleted, instead of ids
	otherIDs  []string                 // what the consent to client.OpDeleteObject covers, if it differs
}

// An approvedChange is a change that may be sent.
type approvedChange struct {
	*client.Writer // of the change's operation
	api            *client.Client
	change         client.Change
	consents       map[string]*client.Consent // by operation
	success        string                     // reported after the thing's name if there is no row to show
	secret         string                     // of key, to be printed with the result; "" for none
	key            *createdKey
	onSecretSeen   func(*client.AccessKey) // runs once somebody has the secret of a new key; nil does nothing
	refusal        error                   // of a dry run: why the change would not be sent
}

// confirmSecret records that somebody has the secret of a new key.
func (a *approvedChange) confirmSecret(made *client.AccessKey) {
	a.SecretSeen()
	if a.onSecretSeen != nil {
		a.onSecretSeen(made)
	}
}

// dryRunError returns how the command would end whose plan was shown: err is how showing it has ended. What only
// sending can tell is no error.
func (a *approvedChange) dryRunError(s *scriptSession, err error) error {
	err = s.endDryRun(err, a.change.Op)
	if code := exit.CodeFor(err); code != exit.CodeFailure && a.refusal != nil {
		return a.refusal
	}
	return err
}

// consent returns the consent to the change's operation, for transfers.
func (a *approvedChange) consent() *client.Consent { return a.consents[a.change.Op] }

// targetName returns how questions and reports name a target: "service web-1 (4)", "bucket us-east-1/photos". Its texts
// are clean.
func targetName(resource, id, label string) string {
	switch {
	case id == "":
		return resource + " " + label
	case id == label || strings.HasSuffix(id, "/"+label):
		return resource + " " + id
	}
	return fmt.Sprintf("%s %s (%s)", resource, label, id)
}

// showChange prints the request of a change as a curl command, and those that are sent when its time comes.
func (s *scriptSession) showChange(c client.Change) {
	if c.Method == "" {
		fmt.Fprintln(s.out, "# "+c.Op+": it exists only in the journal, so there is no request")
	} else {
		s.showRequest(c)
	}
	s.showLater(client.OpDisableService, c.StartAt, c.ID)
	s.showLater(client.OpEnableService, c.RevertAt, c.ID)
}

// showRequest prints the request of a change as a curl command.
func (s *scriptSession) showRequest(c client.Change) {
	fmt.Fprintln(s.out, operation.ChangeCurlCommand(s.api, c))
}

// showLater prints a request that is sent at a time, unless that is zero.
func (s *scriptSession) showLater(op string, at time.Time, id string) {
	method, address, err := s.api.Endpoint(op, nil, id)
	if at.IsZero() || err != nil {
		return
	}
	fmt.Fprintf(
		s.out, "# sent at %s by a dashboard or lookout keep, or when one is next started, unless somebody has:\n",
		at.UTC().Format(time.RFC3339),
	)
	s.showRequest(client.Change{Method: method, Path: strings.TrimPrefix(address, s.api.Origin())})
}

// showObject prints the request for a URL of an object, and the request to that URL. A PUT sends a file of some type;
// "" is standard input.
func (s *scriptSession) showObject(method string, o client.ObjectRef, kind, file string) error {
	_, address, err := s.api.Endpoint(client.OpCreateObjectURL, nil, o.Cluster, o.Bucket)
	if err != nil {
		return err
	}
	s.showRequest(client.Change{
		Method: http.MethodPost,
		Path:   strings.TrimPrefix(address, s.api.Origin()),
		Body: client.PresignRequest{
			Name:        o.Name,
			Method:      method,
			Expires:     client.PresignedLifetime,
			ContentType: kind,
		},
	})
	second, note := "-X "+method, "URL is in the response"
	switch method {
	case http.MethodGet:
		second = "-o FILE"
	case http.MethodPut:
		// --data-binary would hold the whole file in memory; without -g, brackets in its name are a pattern
		switch file {
		case "":
			file, note = "FILE", note+"; FILE holds standard input: the storage must know the size before"
		case "-": // curl would read standard input
			file = "./-"
		}
		second += " -g -H " + ui.ShellQuote("Content-Type: "+kind) + " -T " + ui.ShellQuote(file)
	}
	if kind == copiedType {
		note += "; TYPE is the content type of the source, whose Cache-Control and Content-* headers are sent too"
	}
	return output.WriteText(s.out, "curl -sS --fail "+second+` "$URL"   # `+note+"\n")
}

// copiedType stands for the content type of a copy, which is known only once the source has been fetched.
const copiedType = "TYPE"

// waitLimit is how long --wait reads again: 125 s of readings that agree, and what the last one takes.
const waitLimit = 150 * time.Second

// addWaitFlag adds --wait to the flags of a change that can be read back.
func addWaitFlag(set *pflag.FlagSet, wait *bool, op string) {
	switch op {
	case client.OpCreateObjectURL, client.OpUploadObject, client.OpDeleteObject:
		return
	}
	set.BoolVar(wait, "wait", false, "if the response is lost or shows the old values, check for up to 150 s "+
		"whether the change was applied")
}

// lookUpLost returns the error of a change. If its answer was lost and --wait is given, it reads again first: there is
// no error if a reading shows what the change wanted. What a create may have made is reported, with how it differs.
func (r *subcommandRun) lookUpLost(ctx context.Context, s *scriptSession, c change, err error) error {
	var e *client.Error
	if !errors.As(err, &e) || !e.Unknown() || e.IntentID() == "" {
		return err
	}
	j, failed := s.journal.get()
	if failed != nil {
		return err
	}
	a := s.account
	a.Journal = j // the change may have made it
	if !r.wait {
		return reportCandidates(ctx, s, a, e.IntentID(), err)
	}
	s.reportf("%s: %s; %s; checking for up to %v", c.name, wording.UnknownReason(err), lists.NotSeenYet, waitLimit)
	wait, cancel := context.WithTimeout(ctx, waitLimit)
	defer cancel()
	switch outcome, reason := a.WaitForOutcome(wait, e.IntentID()); outcome {
	case lists.Applied:
		s.reportf("%s: as wanted: %s; %s", c.name, reason, lists.OwnerNotKnown)
		return nil
	case lists.Rejected:
		return exit.WithCode(exit.CodeFailure, fmt.Errorf(
			"%s: not seen after 2 min of checking; treated as not applied, but it may still arrive (%s; %s)",
			c.name,
			wording.UnknownReason(err),
			reason,
		))
	}
	return reportCandidates(ctx, s, a, e.IntentID(), err)
}

// candidatesLimit is how long a script reads what a create may have made.
const candidatesLimit = 15 * time.Second

// reportCandidates reports what a create may have made whose answer was lost, and returns the error of the create.
func reportCandidates(ctx context.Context, s *scriptSession, a *account.Account, intent string, lost error) error {
	limited, cancel := context.WithTimeout(ctx, candidatesLimit)
	defer cancel()
	candidates := a.LostCandidates(limited, intent)
	if len(candidates) == 0 {
		return lost
	}
	for _, line := range candidates {
		s.reportf("%s", line)
	}
	text := "there is no way to tell whether this command or somebody else made it; check before you repeat it"
	if len(candidates) > 1 {
		text = "there is no way to tell which of them this command made, if any; check before you repeat it"
	}
	return exit.WithCode(exit.CodeUnknown, fmt.Errorf("%w; %s", lost, text))
}
