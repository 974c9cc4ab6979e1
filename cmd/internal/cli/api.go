package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"lookout/client"
	"lookout/client/account"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
)

// An apiFlags holds the flags of lookout api.
type apiFlags struct {
	fields   []string
	input    string
	paginate bool
	yes      yesFlag
	reason   string
	printer  output.Printer
}

// apiCommand sends one request to the API and prints the answer. It takes the same path as all other commands: the same
// transport, journal, read-only mode and questions.
func apiCommand(f *config.Flags) *cobra.Command {
	a := apiFlags{printer: output.Printer{Format: "json"}}
	c := &cobra.Command{
		Use:   "api METHOD PATH",
		Short: "Send one request to the API, and print the response as JSON",
		Long: "PATH is relative to the account's base URL. With --paginate, one request is sent for each page.\n\n" +
			"Changes are recorded in the journal, with the documented body fields except secrets. Deletions and " +
			"cancelling Object Storage need confirmation on every account, other changes only on protected accounts. " +
			"--read-only refuses every change except creating download links.\n\n" +
			"Only these operations are accepted:\n\n" + operationsHelp(),
		Args: ArgsFromUse,
		Example: indentExamples(`lookout api GET /managed/services/4
lookout api GET /managed/services --paginate --jq '.[].label'
lookout api GET /object-storage/buckets/us-east-1/acme-backups/object-list --field prefix=db/ --paginate
lookout api PUT /managed/services/4 --field timeout=20 --dry-run
lookout api POST /managed/services/4/disable --reason "kernel update"`),
	}
	f.AddAccountFlags(c.Flags())
	f.AddDebugFlag(c.Flags())
	f.AddDryRunFlag(c.Flags())
	set := c.Flags()
	set.StringArrayVar(&a.fields, "field", nil, "NAME=VALUE: a body field or, with GET, a query parameter; numbers, "+
		"true, false, null, lists and objects in a body are sent as JSON, anything else as text; can be repeated")
	set.StringVar(&a.input, "input", "", "file with the body as JSON; - is standard input")
	config.CompleteFile(set, "input")
	set.BoolVar(&a.paginate, "paginate", false, "read all pages of a list, and print their rows as one list")
	set.StringVar(&a.reason, "reason", "", "reason for the change, for the journal and the handover")
	a.printer.AddJQFlag(set)
	addYesFlag(set, &a.yes, asksAlways)
	methods := []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete}
	completeArgs(c, cobra.FixedCompletions(methods, noFiles), completePath)
	c.RunE = func(c *cobra.Command, args []string) error {
		a.printer.Out = c.OutOrStdout()
		if err := a.printer.Check(nil); err != nil {
			return err
		}
		s, end, err := startSession(c, f, true)
		if err != nil {
			return err
		}
		defer end()
		return s.journal.outcomeError(a.run(c.Context(), s, args[0], args[1]))
	}
	return c
}

// operationsHelp lists the operations with their paths.
func operationsHelp() string {
	var b strings.Builder
	for _, o := range client.Operations() {
		fmt.Fprintf(&b, "    %-6s %s\n", o.Method, o.Path)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// run sends the request and prints the answer.
func (a *apiFlags) run(ctx context.Context, s *scriptSession, method, path string) error {
	if err := a.yes.checkAccount(s.settings.Account); err != nil {
		return err
	}
	call, err := s.api.ParseCall(method, path)
	if err != nil {
		return exit.Usage(fmt.Errorf("%w; lookout api --help lists them all", err))
	}
	if err := a.fill(ctx, s, call); err != nil {
		return err
	}
	switch {
	case call.Writes():
		return a.change(ctx, s, call)
	case a.paginate:
		return output.WriteRows(ctx, a.printer, nil, allPages(ctx, s.api, call))
	}
	answer, err := s.api.Call(ctx, call)
	if err != nil {
		return err
	}
	return output.WriteValue(ctx, a.printer, json.RawMessage(answer))
}

// fill sets the body or the query of the call from the flags.
func (a *apiFlags) fill(ctx context.Context, s *scriptSession, call *client.RawRequest) error {
	if !call.Writes() && a.input != "" {
		return exit.Usage(errors.New("--input is for methods other than GET; use --field for the query"))
	}
	if call.Writes() && a.paginate {
		return exit.Usage(errors.New("--paginate is for GET"))
	}
	if a.input != "" {
		data, err := s.readInput(ctx, a.input, maxInput)
		if len(data) > maxInput {
			err = fmt.Errorf("it is longer than %d bytes", maxInput)
		}
		if err != nil {
			return exit.Usage(fmt.Errorf("--input: %w", err))
		}
		value, _ := parseJSON(data)
		if call.Body, _ = value.(map[string]any); call.Body == nil {
			return exit.Usage(errors.New("--input: the body must be one JSON object"))
		}
	}
	for _, field := range a.fields {
		name, text, found := strings.Cut(field, "=")
		if !found || name == "" {
			return exit.Usage(fmt.Errorf("--field %q: use NAME=VALUE", client.Clean(field)))
		}
		if !call.Writes() {
			call.Query.Set(name, text)
			continue
		}
		if call.IsSecret(name) {
			return exit.Usage(
				fmt.Errorf("--field %s: other programs can read arguments; use --input", client.Clean(name)),
			)
		}
		if call.Body == nil {
			call.Body = map[string]any{}
		}
		if value, isJSON := parseJSON([]byte(text)); isJSON {
			call.Body[name] = value // text in quotation marks stays text
		} else {
			call.Body[name] = text
		}
	}
	return nil
}

// maxInput is the size of the largest body.
const maxInput = 1 << 20

// parseJSON returns a value of JSON, with the digits of its numbers as they are; ok is false for anything else.
func parseJSON(data []byte) (value any, ok bool) {
	if !json.Valid(data) {
		return nil, false
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	err := decoder.Decode(&value)
	return value, err == nil
}

// change sends a call that changes something, once it may.
func (a *apiFlags) change(ctx context.Context, s *scriptSession, call *client.RawRequest) error {
	run := &subcommandRun{
		subcommand: subcommand{op: call.Op(), noTarget: true, asks: askRuleOf(call.Op())},
		yes:        a.yes,
		reason:     a.reason,
	}
	answer := json.RawMessage("{}")
	acl, _ := call.Body["acl"].(string)
	c := change{
		Change: client.Change{Op: call.Op(), Resource: call.Resource(), ID: call.ID(), Label: call.ID()},
		effect: capitalize(strings.TrimSpace(call.Op() + " " + client.Clean(call.ID()))),
		opens:  client.ACL(acl).Public(),
		send: func(ctx context.Context, w *approvedChange) (any, error) {
			data, err := w.Call(ctx, call)
			if len(data) > 0 {
				answer = data
			}
			return nil, err
		},
	}
	if c.Op == client.OpCancelObjectStorage { // its path names no row
		c.ID, c.Label = s.settings.Account, s.settings.Account
	}
	run.describe(&c, nil)
	approved, err := run.approve(ctx, s, c)
	if err != nil {
		return err
	}
	if s.dryRun {
		s.reportf("dry run: nothing is sent")
	}
	switch _, err := c.send(ctx, approved); {
	case errors.Is(err, client.ErrDryRun):
		return approved.dryRunError(s, nil)
	case err != nil:
		return run.lookUpLost(ctx, s, c, err)
	}
	var key client.AccessKey
	_ = json.Unmarshal(answer, &key)
	secret, _ := key.Secret()
	printed := watchFor(&a.printer.Out, secret.Reveal())
	if err := output.WriteValue(ctx, a.printer, answer); err != nil {
		return run.resource.resultNotPrinted(run.subcommand, nil, err)
	}
	if call.Op() == client.OpCreateKey && !secret.IsZero() {
		return printed.confirmSecret(approved, &createdKey{AccessKey: account.WithoutSecret(&key)})
	}
	return nil
}

// askRuleOf returns when to ask before an operation, as the commands do.
func askRuleOf(op string) askRule {
	switch {
	case op == client.OpCancelObjectStorage:
		return asksForAccount
	case strings.HasPrefix(op, "delete ") || op == client.OpRevokeKey:
		return asksAlways
	}
	return asksIfProtected
}

// A rawPage is one page of a list, numbered or with a marker.
type rawPage struct {
	Data       *[]json.RawMessage `json:"data"`
	Page       int                `json:"page"`
	Pages      int                `json:"pages"`
	Results    int                `json:"results"`
	NextMarker *string            `json:"next_marker"`
	Truncated  bool               `json:"is_truncated"`
}

// allPages iterates over the rows of all pages of a list. If the list ends before it should, or changes while it is
// read, an error follows its rows.
func allPages(ctx context.Context, api *client.Client, call *client.RawRequest) iter.Seq2[any, error] {
	next := *call
	next.Query = maps.Clone(call.Query)
	return func(yield func(any, error) bool) {
		changed := ""
		for before := (rawPage{}); ; {
			answer, err := api.Call(ctx, &next)
			var page rawPage
			if err == nil {
				err = json.NewDecoder(bytes.NewReader(answer)).Decode(&page)
			}
			if err == nil && page.Data == nil {
				err = exit.Usage(fmt.Errorf("%s: the response is not paged; omit --paginate", call.Op()))
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for _, row := range *page.Data {
				if !yield(row, nil) {
					return
				}
			}
			more, err := page.follow(&next)
			if err != nil {
				yield(nil, fmt.Errorf("%s: %w", call.Op(), err))
			}
			if before.Pages > 0 && changed == "" {
				changed = client.ListChange(before.Results, before.Pages, page.Results, page.Pages)
			}
			before = page
			if !more && err == nil && changed != "" {
				yield(nil, fmt.Errorf("%s: %s", call.Op(), changed))
			}
			if !more {
				return
			}
		}
	}
}

// follow sets the query of the next page, and reports whether there is one.
func (p rawPage) follow(call *client.RawRequest) (more bool, err error) {
	switch {
	case p.Truncated && (p.NextMarker == nil || *p.NextMarker == "" || *p.NextMarker == call.Query.Get("marker")):
		return false, errors.New("the listing is incomplete (marker missing or repeated)")
	case p.Truncated:
		call.Query.Set("marker", *p.NextMarker)
		return true, nil
	case p.Page >= p.Pages:
		return false, nil
	case len(*p.Data) == 0:
		return false, fmt.Errorf("page %d of %d is empty; rows are missing", p.Page, p.Pages)
	}
	call.Query.Set("page", strconv.Itoa(p.Page+1))
	return true, nil
}
