package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/cmd/internal/exit"
	"lookout/ui/form"
	"lookout/views/managed"
	"lookout/views/resource"
)

func servicesResource() resourceCommand {
	type row = *client.Service
	return scriptResource[row]{
		name:        "services",
		singular:    "service",
		idArg:       "ID",
		description: "Monitored services: list, disable for a while, enable, change",
		examples: "lookout services list -o json\nlookout services get web-1\nlookout services disable web-1 " +
			"--for 1h --reason \"kernel update\"\nlookout services enable web-1\nlookout services create --label " +
			"shop --address https://shop.example.com --group web",
		identify: func(s row) (string, string) { return strconv.Itoa(s.ID), s.Label.String() },
		columns:  serviceColumns(),
		list: func(ctx context.Context, s *scriptSession, _ listOptions) iter.Seq2[row, error] {
			return s.api.Services.All(ctx)
		},
		get: getByID(
			func(ctx context.Context, s *scriptSession, id int) (row, error) { return s.api.Services.Get(ctx, id) },
		),
		subcommands: serviceSubcommands(),
	}
}

// serviceColumns returns the columns of services.
func serviceColumns() []resource.ColumnDefinition[*client.Service] {
	type row = *client.Service
	return []resource.ColumnDefinition[row]{
		{Name: "id", Value: func(s row) string { return strconv.Itoa(s.ID) }},
		{Name: "status", Value: func(s row) string { return string(s.Status) }},
		{Name: "label", Value: func(s row) string { return s.Label.Raw() }},
		{Name: "service_type", DropPriority: 2, Value: func(s row) string { return string(s.Type) }},
		{Name: "address", Value: func(s row) string { return s.Address.Raw() }},
		{Name: "timeout", DropPriority: 4, Value: func(s row) string { return strconv.Itoa(s.Timeout) }},
		{Name: "consultation_group", DropPriority: 1, Value: func(s row) string { return s.Group.Raw() }},
		{Name: "updated", DropPriority: 3, Value: func(s row) string { return formatAPITime(s.Updated) }},
		{Name: "body", DetailOnly: true, Value: func(s row) string { return s.Body.Raw() }},
		{Name: "credentials", DetailOnly: true, Value: func(s row) string { return joinIDs(s.Credentials) }},
		{Name: "notes", DetailOnly: true, Value: func(s row) string { return s.Notes.Raw() }},
		{Name: "region", DetailOnly: true, Value: func(s row) string { return s.Region.Raw() }},
		{Name: "created", DetailOnly: true, Value: func(s row) string { return formatAPITime(s.Created) }},
	}
}

// serviceSubcommands returns the commands that change services.
func serviceSubcommands() []subcommand[*client.Service] {
	type row = *client.Service
	return []subcommand[row]{
		{
			name:        "create",
			op:          client.OpCreateService,
			verb:        "Creates",
			noTarget:    true,
			description: "Create a service",
			bindFlags:   createService,
		},
		{
			name:        "update",
			op:          client.OpUpdateService,
			verb:        "Changes",
			description: "Change the values given as flags",
			bindFlags:   updateService,
		},
		{
			name:        "disable",
			op:          client.OpDisableService,
			verb:        "Disables",
			description: "Stop monitoring; --for says for how long",
			bindFlags:   disableService,
		},
		{
			name:        "enable",
			op:          client.OpEnableService,
			verb:        "Enables",
			description: "Resume monitoring",
			bindFlags:   planForRow(enableService),
		},
		{
			name:        "delete",
			op:          client.OpDeleteService,
			verb:        "Deletes",
			asks:        asksAlways,
			description: "Remove a service; monitoring stops",
			doneMessage: "is deleted",
			bindFlags:   planForRow(deleteService),
		},
	}
}

// enableService plans to monitor a service again.
func enableService(it *client.Service) change[*client.Service] {
	return change[*client.Service]{
		Change: client.Change{Before: serviceStatus(it)},
		send: func(ctx context.Context, w *approvedChange) (*client.Service, error) {
			return w.EnableService(ctx, it.ID)
		},
	}
}

// deleteService plans to remove a service.
func deleteService(it *client.Service) change[*client.Service] {
	return change[*client.Service]{
		Change: client.Change{Before: it.Request()},
		send: func(ctx context.Context, w *approvedChange) (*client.Service, error) {
			return it, w.DeleteService(ctx, it.ID)
		},
	}
}

// serviceStatus returns what disabling and enabling change, for the journal.
func serviceStatus(s *client.Service) any { return map[string]any{"status": s.Status} }

// disableService records the end in the journal: a dashboard enables the service then, or offers to at its next start.
func disableService(set *pflag.FlagSet) planFunc[*client.Service] {
	type row = *client.Service
	text := set.String(
		"for", "none",
		"for how long: "+managed.WindowExamples+
			"; a running dashboard enables the service then, otherwise the next one offers to",
	)
	return func(_ context.Context, s *scriptSession, it row, _ []string) (change[row], error) {
		window, err := managed.ParseWindow(*text, s.now())
		if err == nil && !window.Start.IsZero() {
			err = fmt.Errorf("%q: give the end alone: the window begins at once", *text)
		}
		if err != nil {
			return change[row]{}, exit.Usage(fmt.Errorf("--for %w", err))
		}
		c := change[row]{
			Change: client.Change{Before: serviceStatus(it), RevertAt: window.End},
			send: func(ctx context.Context, w *approvedChange) (row, error) {
				after, err := w.DisableService(ctx, it.ID)
				if err == nil && window.End.IsZero() {
					s.reportf(
						"service %s (%d): nothing will enable it again · lookout services enable %[2]d does",
						it.Label, it.ID,
					)
				}
				return after, err
			},
		}
		if !window.End.IsZero() {
			c.detail = "until " + window.End.Format(time.RFC3339)
		}
		return c, nil
	}
}

// serviceFlags returns the flags that set the members of a service.
func serviceFlags(set *pflag.FlagSet) memberFlags[client.ServiceRequest] {
	type request = client.ServiceRequest
	in := request{}
	set.StringVar(&in.Label, "label", "", "3 to 64 characters")
	set.StringVar((*string)(&in.Type), "type", string(client.TypeURL), "url or tcp")
	setFlagChoices(set, "type", string(client.TypeURL), string(client.TypeTCP))
	set.StringVar(&in.Address, "address", "", "a URL, or host:port for tcp")
	set.IntVar(&in.Timeout, "timeout", 10, "seconds until it counts as down, 1 to 255")
	set.StringVar(&in.Body, "body", "", "text that the answer must contain")
	set.StringVar(&in.Group, "group", "", "group of contacts to call")
	set.StringVar(&in.Notes, "notes", "", "notes for the people who are called")
	set.StringVar(&in.Region, "region", "", "only for a private address")
	set.IntSliceVar(&in.Credentials, "credential", nil, "ID of a credential that helps; may be given several times")
	flags := []memberFlag[request]{
		{"label", "label", func(r *request) { r.Label = in.Label }},
		{"type", "service_type", func(r *request) { r.Type = in.Type }},
		{"address", "address", func(r *request) { r.Address = in.Address }},
		{"timeout", "timeout", func(r *request) { r.Timeout = in.Timeout }},
		{"body", "body", func(r *request) { r.Body = in.Body }},
		{"group", "consultation_group", func(r *request) { r.Group = in.Group }},
		{"notes", "notes", func(r *request) { r.Notes = in.Notes }},
		{"region", "region", func(r *request) { r.Region = in.Region }},
		{"credential", "credentials", func(r *request) { r.Credentials = in.Credentials }},
	}
	return memberFlags[request]{set, flags, func(r *request) []form.Field { return managed.ServiceFields(r, nil) }}
}

func createService(set *pflag.FlagSet) planFunc[*client.Service] {
	type row = *client.Service
	flags := serviceFlags(set)
	return func(context.Context, *scriptSession, row, []string) (change[row], error) {
		in := client.ServiceRequest{Type: client.TypeURL, Timeout: 10}
		if flags.apply(&in); in.Label == "" || in.Address == "" {
			return change[row]{}, exit.Usage(errors.New("a service needs --label and --address"))
		}
		return change[row]{
			Change: client.Change{Label: in.Label},
			send:   func(ctx context.Context, w *approvedChange) (row, error) { return w.CreateService(ctx, in) },
		}, flags.check(in)
	}
}

func updateService(set *pflag.FlagSet) planFunc[*client.Service] {
	type row = *client.Service
	flags := serviceFlags(set)
	return func(_ context.Context, _ *scriptSession, it row, _ []string) (change[row], error) {
		after, err := flags.applyTo(it.Request())
		return edit[row, client.ServiceRequest]{
			row:    it,
			before: it.Request(),
			after:  after,
			send: func(ctx context.Context, w *approvedChange, p client.Patch) (row, error) {
				return w.UpdateService(ctx, it.ID, p)
			},
		}.plan(), err
	}
}
