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
	"lookout/cmd/internal/output"
)

func servicesResource() resourceCommand {
	type row = *client.Service
	return resource[row]{
		name:        "services",
		singular:    "service",
		idArg:       "ID",
		description: "Monitored services: list, disable for a while, enable, change",
		examples: "lookout services list -o json\nlookout services get web-1\nlookout services disable web-1 " +
			"--for 1h --reason \"kernel update\"\nlookout services enable web-1\nlookout services create --label " +
			"shop --address https://shop.example.com --group web",
		identify: func(s row) (string, string) { return strconv.Itoa(s.ID), s.Label.String() },
		columns: []output.ColumnDefinition[row]{
			{Name: "id", Cell: func(s row) string { return strconv.Itoa(s.ID) }},
			{Name: "status", Cell: func(s row) string { return string(s.Status) }},
			{Name: "label", Cell: func(s row) string { return s.Label.Raw() }},
			{Name: "service_type", DropPriority: 2, Cell: func(s row) string { return string(s.Type) }},
			{Name: "address", Cell: func(s row) string { return s.Address.Raw() }},
			{Name: "timeout", DropPriority: 4, Cell: func(s row) string { return strconv.Itoa(s.Timeout) }},
			{Name: "consultation_group", DropPriority: 1, Cell: func(s row) string { return s.Group.Raw() }},
			{Name: "updated", DropPriority: 3, Cell: func(s row) string { return formatAPITime(s.Updated) }},
			{Name: "body", DetailOnly: true, Cell: func(s row) string { return s.Body.Raw() }},
			{Name: "credentials", DetailOnly: true, Cell: func(s row) string { return joinIDs(s.Credentials) }},
			{Name: "notes", DetailOnly: true, Cell: func(s row) string { return s.Notes.Raw() }},
			{Name: "region", DetailOnly: true, Cell: func(s row) string { return s.Region.Raw() }},
			{Name: "created", DetailOnly: true, Cell: func(s row) string { return formatAPITime(s.Created) }},
		},
		list: func(ctx context.Context, s *scriptSession, _ listOptions) iter.Seq2[row, error] {
			return s.api.Services.All(ctx)
		},
		get: getByID(
			func(ctx context.Context, s *scriptSession, id int) (row, error) { return s.api.Services.Get(ctx, id) },
		),
		subcommands: []subcommand[row]{
			{
				name:        "create",
				noTarget:    true,
				description: "Monitor something new",
				bindFlags:   createService,
			},
			{name: "update", description: "Change what the flags name", bindFlags: updateService},
			{name: "disable", description: "Stop monitoring; --for says for how long", bindFlags: disableService},
			{
				name:        "enable",
				description: "Monitor again",
				bindFlags: withoutFlags(func(ctx context.Context, s *scriptSession, it row, _ []string) (row, error) {
					return s.api.Services.Enable(ctx, it.ID)
				}),
			},
			{
				name:        "delete",
				description: "Remove a service; monitoring stops",
				doneMessage: "is deleted",
				confirmMessage: func(it row, _ []string) string {
					return fmt.Sprintf("Deletes service %s (%d)", it.Label, it.ID)
				},
				bindFlags: withoutFlags(func(ctx context.Context, s *scriptSession, it row, _ []string) (row, error) {
					return it, s.api.Services.Delete(ctx, it.ID)
				}),
			},
		},
	}
}

// disableService keeps the end in the journal: a dashboard enables the service then, or offers to at its next start.
func disableService(set *pflag.FlagSet) runFunc[*client.Service] {
	span := set.Duration(
		"for",
		0,
		"enable it again after this time, as 1h: a dashboard does it, or offers it at its next start",
	)
	return func(ctx context.Context, s *scriptSession, it *client.Service, _ []string) (*client.Service, error) {
		if *span < 0 || *span > 365*24*time.Hour {
			return it, exit.Usage(fmt.Errorf("--for %s: a time between 0 and a year is needed", *span))
		}
		if *span > 0 {
			ctx = client.ContextWithRevertAt(ctx, s.now().Add(*span))
		}
		return s.api.Services.Disable(ctx, it.ID)
	}
}

// addServiceFlags are the members of a service as flags.
func addServiceFlags(set *pflag.FlagSet) func(*client.ServiceRequest) bool {
	type request = client.ServiceRequest
	in := request{}
	set.StringVar(&in.Label, "label", "", "3 to 64 characters")
	set.StringVar((*string)(&in.Type), "type", string(client.TypeURL), "url or tcp")
	setFlagChoices(set, "type", string(client.TypeURL), string(client.TypeTCP))
	set.StringVar(&in.Address, "address", "", "an address for url, host:port for tcp")
	set.IntVar(&in.Timeout, "timeout", 10, "seconds until it counts as down, 1 to 255")
	set.StringVar(&in.Body, "body", "", "what the answer must hold")
	set.StringVar(&in.Group, "group", "", "group of contacts to consult")
	set.StringVar(&in.Notes, "notes", "", "what whoever is called should know")
	set.StringVar(&in.Region, "region", "", "only for a private address")
	set.IntSliceVar(&in.Credentials, "credential", nil, "ID of a credential that helps; may be given several times")
	return applyChangedFlags(set, map[string]func(*request){
		"label":      func(r *request) { r.Label = in.Label },
		"type":       func(r *request) { r.Type = in.Type },
		"address":    func(r *request) { r.Address = in.Address },
		"timeout":    func(r *request) { r.Timeout = in.Timeout },
		"body":       func(r *request) { r.Body = in.Body },
		"group":      func(r *request) { r.Group = in.Group },
		"notes":      func(r *request) { r.Notes = in.Notes },
		"region":     func(r *request) { r.Region = in.Region },
		"credential": func(r *request) { r.Credentials = in.Credentials },
	})
}

func createService(set *pflag.FlagSet) runFunc[*client.Service] {
	fill := addServiceFlags(set)
	return func(ctx context.Context, s *scriptSession, it *client.Service, _ []string) (*client.Service, error) {
		in := client.ServiceRequest{Type: client.TypeURL, Timeout: 10}
		if fill(&in); in.Label == "" || in.Address == "" {
			return it, exit.Usage(errors.New("a service needs --label and --address"))
		}
		return s.api.Services.Create(withTarget(ctx, "service", "", in.Label, ""), in)
	}
}

func updateService(set *pflag.FlagSet) runFunc[*client.Service] {
	fill := addServiceFlags(set)
	return func(ctx context.Context, s *scriptSession, it *client.Service, _ []string) (*client.Service, error) {
		patch, err := patchFromFlags(s, "service", it.Request(), fill)
		if err != nil || len(patch) == 0 {
			return it, err
		}
		return s.api.Services.Update(ctx, it.ID, patch)
	}
}
