package managed

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/views/account"
)

func newServiceAction(a *account.Account) ui.Action {
	return ui.Action{
		Key:         ui.Bind("new service", "n"),
		Group:       "this list",
		Writes:      true,
		OpensView:   true,
		ShowInHints: true,
		Do:          func() tea.Cmd { return ui.Send(form.OpenFormMsg{Form: newServiceForm(a)}) },
	}
}

// newServiceForm asks for a service. Monitoring begins once it is created.
func newServiceForm(a *account.Account) form.Form {
	in := client.ServiceRequest{Type: client.TypeURL, Timeout: 10}
	before := a.Services().Rows()
	form := serviceForm(a, "New service", "added", &in, func(ctx context.Context) (ui.Result[*client.Service], error) {
		return ui.ResultRow(a.Api.Services.Create(client.ContextWithResource(ctx, "service", "", in.Label), in))
	}, func(now []*client.Service) ui.AttemptOutcome {
		return account.CreateOutcome(before, now, serviceID, func(s *client.Service) bool { return serviceMatches(s, in) })
	})
	form.ProgressText, form.SubmitLabel = "adding", "add"
	return form
}

// editServiceForm changes a service.
func editServiceForm(a *account.Account, s *client.Service) form.Form {
	e := &account.EditState[client.ServiceRequest]{Original: s.Request(), Latest: s.Request(), Edited: s.Request()}
	form := serviceForm(a,
		fmt.Sprintf("Edit service %d", s.ID),
		"saved",
		&e.Edited,
		func(ctx context.Context) (ui.Result[*client.Service], error) {
			return account.SaveEdit(
				contextWithService(ctx, s),
				e,
				func(ctx context.Context) (*client.Service, error) { return a.Api.Services.Get(ctx, s.ID) },
				(*client.Service).Request,
				func(ctx context.Context, p client.Patch) (*client.Service, error) {
					return a.Api.Services.Update(ctx, s.ID, p)
				},
			)
		},
		account.UpdateOutcome(s.ID, serviceID, func(now *client.Service) bool { return serviceMatches(now, e.Edited) }),
	)
	form.ProgressText, form.SubmitLabel = "saving", "save"
	return form
}

// serviceForm is the same for new and edit, which is said when it is done ("added"): the bounds are those of "Managed
// Service".
func serviceForm(a *account.Account,
	title, past string,
	in *client.ServiceRequest,
	send func(context.Context) (ui.Result[*client.Service], error),
	check func([]*client.Service) ui.AttemptOutcome,
) form.Form {
	return form.NewStoreForm(a.Services(), title, []form.Field{
		form.Text("label", "Label", &in.Label, form.Length(3, 64)),
		form.Choice("service_type", "Type", &in.Type, client.TypeURL, client.TypeTCP),
		form.Text(
			"address",
			"Address",
			&in.Address,
			form.Length(3, 100),
		).Note(
			"a URL, or host:port for tcp; the part after # is not kept",
		),
		form.Text(
			"region",
			"Region",
			&in.Region,
		).When(
			func() bool { return isPrivateAddress(in.Address) },
		).Note(
			"needed for a private address, and only then",
		),
		form.Number("timeout", "Timeout, s", &in.Timeout, 1, 255),
		form.Text(
			"body",
			"Expected text",
			&in.Body,
			form.Length(0, 100),
		).Note(
			"the answer must contain it; empty accepts any",
		),
		form.Combobox(
			"consultation_group",
			"Group to call",
			&in.Group,
			a.SuggestedGroups,
			form.Length(0, 50),
		).Note(
			"the contacts of this group are called; up and down go through those that exist",
		),
		form.MultiChoice(
			"credentials",
			"Credentials",
			&in.Credentials,
			func() []form.Option { return credentialOptions(a) },
		),
		form.Lines("notes", "Notes", &in.Notes),
	}, func(s *client.Service) string {
		return fmt.Sprintf("%s: %s, monitoring is %s", s.Label, past, s.Status)
	}, send, check)
}

func serviceID(s *client.Service) int { return s.ID }

// serviceMatches reports whether a service has the fields of a request. A fragment of its address is not preserved.
func serviceMatches(s *client.Service, in client.ServiceRequest) bool {
	now := s.Request()
	now.Address, in.Address = withoutFragment(now.Address), withoutFragment(in.Address)
	if len(now.Credentials) == 0 && len(in.Credentials) == 0 {
		now.Credentials, in.Credentials = nil, nil
	}
	return reflect.DeepEqual(now, in)
}

func withoutFragment(address string) string {
	whole, _, _ := strings.Cut(address, "#")
	return whole
}
