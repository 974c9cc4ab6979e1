package managed

import (
	"context"
	"fmt"
	"iter"
	"net/netip"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"lookout/client"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/views/account"
	"lookout/views/resource"
)

// serviceRunner performs the operations on services.
func serviceRunner(a *account.Account) account.OperationRunner[*client.Service] {
	r := Services(a)
	return account.OperationRunner[*client.Service]{
		Account:  a,
		Store:    a.Services(),
		Resource: r,
		FetchOne: r.FetchOne,
	}
}

// Services declares services: the document's "Managed Service".
func Services(a *account.Account) resource.Resource[*client.Service] {
	return resource.Resource[*client.Service]{
		Name:        "services",
		Singular:    "service",
		Description: "Monitored services: list, disable for a while, enable, change",
		Examples: []string{
			"services list -o json",
			"services list --filter '!status:ok' --columns id,label,status --sort -updated",
			`services list --jq '.[] | select(.status != "ok") | .label'`,
			"services get web-1",
			"services wait web-1 --for ok --timeout 5m",
			`services disable web-1 --for 1h --reason "kernel update"`,
			"services enable web-1",
			"services update web-1 --timeout 20",
			"services cancel-maintenance web-1",
			"services delete edge-router --dry-run",
			"services create --label shop --address https://shop.example.com --group web",
		},
		Argument: "ID",
		ID:       func(s *client.Service) string { return account.FormatID(s.ID) },
		Label:    func(s *client.Service) string { return s.Label.String() },
		Calls:    resource.APICalls{List: "list services", Get: "view service", Managed: true},
		Columns:  serviceColumns(a),
		PaneOrder: []string{
			"status", "label", "service_type", "address", "timeout", "consultation_group", "open issue", "off", "back",
			"updated",
		},
		List: func(ctx context.Context, _ resource.ListQuery) iter.Seq2[*client.Service, error] {
			return a.API.Services.All(ctx)
		},
		Get:        resource.ByID(a.API.Services.Get),
		Operations: serviceOperations(a),
	}
}

// serviceOperations returns the operations on services.
func serviceOperations(a *account.Account) []resource.Operation[*client.Service] {
	return append(
		slices.Concat(monitoringOperations(a), windowOperations(a)),
		resource.Operation[*client.Service]{
			Name:        "edit",
			Keys:        []string{"e"},
			Call:        client.OpUpdateService,
			ShowInHints: true,
			BusyText:    "saving",
			SuccessText: "saved",
			Draft:       func(s *client.Service) resource.Draft[*client.Service] { return editService(a, s) },
		},
		resource.Operation[*client.Service]{
			Name:        "delete",
			Description: "monitoring stops for good",
			Keys:        []string{"D"},
			Call:        client.OpDeleteService,
			Target:      resource.AnyRows,
			BusyText:    "deleting",
			SuccessText: "deleted",
			Draft:       func(*client.Service) resource.Draft[*client.Service] { return deleteService() },
		},
		resource.Operation[*client.Service]{
			Name:        "new service",
			Keys:        []string{"n"},
			Call:        client.OpCreateService,
			Target:      resource.NewRow,
			ShowInHints: true,
			BusyText:    "adding",
			SuccessText: "added",
			Draft:       func(*client.Service) resource.Draft[*client.Service] { return newService(a) },
		},
	)
}

// newService asks for a service. Monitoring begins once it is created.
func newService(a *account.Account) resource.Draft[*client.Service] {
	return newServiceFrom(a, client.ServiceRequest{Type: client.TypeURL, Timeout: 10})
}

// newServiceFrom asks for a service, beginning with values.
func newServiceFrom(a *account.Account, values client.ServiceRequest) resource.Draft[*client.Service] {
	in := &values
	return resource.Draft[*client.Service]{
		Title:       "New service",
		SubmitLabel: "add",
		Fields:      serviceFields(a, in),
		Success:     func(s *client.Service) string { return fmt.Sprintf("added, monitoring is %s", s.Status) },
		Confirm: func([]*client.Service) resource.ConfirmationSpec {
			return resource.ConfirmationSpec{Effect: fmt.Sprintf("Adds service %s and starts monitoring it.", in.Label)}
		},
		Attempt: func(*client.Service) resource.Attempt[*client.Service] {
			sent := withoutNeedlessRegion(*in)
			made := account.CreateLookup[*client.Service]{
				SameLabel: func(s *client.Service) bool { return s.Label.Raw() == sent.Label },
				MadeAt:    func(s *client.Service) client.Timestamp { return s.Created },
				Sent:      sent,
			}
			return resource.Attempt[*client.Service]{
				Label: sent.Label,
				Send: func(ctx context.Context, w *client.Writer) (ui.ChangeResult[*client.Service], error) {
					return ui.ResultRow(w.CreateService(ctx, sent))
				},
				Find:     account.FindCreated(a.Services(), made),
				Describe: func(s *client.Service) string { return made.Describe(a, s) },
			}
		},
	}
}

// editService changes a service.
func editService(a *account.Account, s *client.Service) resource.Draft[*client.Service] {
	e := &account.EditForm[*client.Service, *client.ServiceRequest]{
		Row:     s,
		ID:      serviceID,
		Label:   s.Label.Raw(),
		Request: func(row *client.Service) *client.ServiceRequest { r := row.Request(); return &r },
		Fetch:   a.API.Services.Get,
		Update:  (*client.Writer).UpdateService,
		Updated: serviceUpdated,
		Matches: serviceMatches,
	}
	in := e.Open()
	fields := serviceFields(a, in)
	if _, known := s.Timeout.Value(); !known && s.ID != 0 {
		n := slices.IndexFunc(fields, func(f form.Field) bool { return f.Name == "timeout" })
		fields[n] = form.OptionalNumber("timeout", "Timeout (s)", &in.Timeout, 1, 255).
			Note("not reported by the API; leave empty to keep it").
			Flag("timeout", timeoutUsage)
	}
	return resource.Draft[*client.Service]{
		Title:       "Edit service " + account.OrDefault(s.Label.String(), account.FormatID(s.ID)),
		SubmitLabel: "save",
		Fields:      fields,
		Success:     func(s *client.Service) string { return fmt.Sprintf("saved, monitoring is %s", s.Status) },
		AsNew:       func() resource.Draft[*client.Service] { return newServiceFrom(a, *in) },
		Confirm: func(rows []*client.Service) resource.ConfirmationSpec {
			dropNeedlessRegion(in, s)
			return e.Confirm(rows)
		},
		Attempt: func(row *client.Service) resource.Attempt[*client.Service] {
			dropNeedlessRegion(in, s)
			return e.Attempt(row)
		},
	}
}

// deleteService deletes services.
func deleteService() resource.Draft[*client.Service] {
	return resource.Draft[*client.Service]{
		Confirm: func(rows []*client.Service) resource.ConfirmationSpec {
			s := rows[0]
			return resource.ConfirmationSpec{
				Title: "Delete service",
				Effect: fmt.Sprintf(
					"This deletes service %q (id %d, %s): nobody will be alerted to its problems.",
					s.Label, s.ID, s.Address,
				),
				Loss:     "Nobody will be alerted to their problems.",
				Word:     s.Label.String(),
				Required: true,
			}
		},
		Attempt: func(s *client.Service) resource.Attempt[*client.Service] {
			return resource.Attempt[*client.Service]{
				ID:     account.FormatID(s.ID),
				Label:  s.Label.Raw(),
				Before: serviceSnapshot(s),
				Send: func(ctx context.Context, w *client.Writer) (ui.ChangeResult[*client.Service], error) {
					return ui.ResultDeleted[*client.Service](w.DeleteService(ctx, s.ID))
				},
			}
		},
	}
}

// timeoutUsage explains the timeout to scripts.
const timeoutUsage = "seconds until the service counts as down, 1 to 255"

// serviceFields returns the fields of a service. The bounds are those of "Managed Service".
func serviceFields(a *account.Account, in *client.ServiceRequest) []form.Field {
	unread := func() string { return resource.FormRemark(account.AllRows(a, a.Credentials())) }
	options := func() []form.MultiChoiceOption { return credentialOptions(a) }
	return []form.Field{
		form.Text("label", "Label", &in.Label, form.Length(3, 64)).Flag("label", "label (3 to 64 characters)"),
		form.Choice("service_type", "Type", &in.Type, client.TypeURL, client.TypeTCP).
			Flag("type", "type of check: url or tcp"),
		form.Text("address", "Address", &in.Address, form.Length(3, 100)).
			Note("a URL, or host:port for tcp; the part after # is not kept").
			Flag("address", "a URL, or host:port for tcp"),
		form.Text("region", "Region", &in.Region, func(region string) string {
			if region == "" && isPrivateAddress(in.Address) {
				return "required because the address is private"
			}
			return ""
		}).
			When(func() bool { return isPrivateAddress(in.Address) }).
			Note("needed only for a private address").
			Flag("region", "region of the address; needed only for a private address"),
		form.Number("timeout", "Timeout (s)", &in.Timeout, 1, 255).
			Flag("timeout", timeoutUsage),
		form.Text("body", "Expected text", &in.Body, form.Length(0, 100)).
			Note("the response must contain this text; leave empty to accept any").
			Flag("body", "text that the response must contain"),
		form.Combobox("consultation_group", "Group to call", &in.Group, a.SuggestedGroups, form.Length(0, 50)).
			Note("the contacts of this group are called").
			Flag("group", "group of contacts to call"),
		form.MultiChoice("credentials", "Credentials", &in.Credentials, options).
			WhyEmpty(unread).
			NoteFunc(func() string {
				if len(options()) == 0 {
					return "" // the field itself says why
				}
				return account.OrDefault(unread(), "support may use them")
			}).
			Flag("credential", "ID of a credential for support to use; can be repeated"),
		form.Lines("notes", "Notes", &in.Notes).Flag("notes", "notes for the people who are called"),
	}
}

// credentialOptions are the credentials that a service can use.
func credentialOptions(a *account.Account) []form.MultiChoiceOption {
	rows := a.Credentials().Rows()
	options := make([]form.MultiChoiceOption, len(rows))
	for i, c := range rows {
		options[i] = form.MultiChoiceOption{ID: c.ID, Label: c.Label.String()}
	}
	return options
}

// isPrivateAddress reports whether an address is one that needs a region: a private IP, alone, with a port, or as the
// host of a URL. The document says only "a private IP": RFC 1918 and the unique local IPv6 range are meant.
func isPrivateAddress(address string) bool {
	host := address
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		host = u.Host
	}
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return ip.IsPrivate()
	}
	if ap, err := netip.ParseAddrPort(host); err == nil {
		return ap.Addr().IsPrivate()
	}
	return false
}

// serviceUpdated returns when a service was changed last.
func serviceUpdated(s *client.Service) client.Timestamp { return s.Updated }

// dropNeedlessRegion removes the region of a service whose address was private and is not any more: the API refuses it.
func dropNeedlessRegion(in *client.ServiceRequest, opened *client.Service) {
	if in.Address != opened.Address.Raw() {
		*in = withoutNeedlessRegion(*in)
	}
}

// withoutNeedlessRegion returns a service without its region, unless its address is private.
func withoutNeedlessRegion(in client.ServiceRequest) client.ServiceRequest {
	if !isPrivateAddress(in.Address) {
		in.Region = ""
	}
	return in
}

// serviceID returns the identity of a service.
func serviceID(s *client.Service) int { return s.ID }

// serviceMatches reports whether a service has the fields of a request. The API does not keep the fragment of an
// address.
func serviceMatches(s *client.Service, edited *client.ServiceRequest) bool {
	now, in := s.Request(), *edited
	now.Address, in.Address = withoutFragment(now.Address), withoutFragment(in.Address)
	if len(now.Credentials) == 0 && len(in.Credentials) == 0 {
		now.Credentials, in.Credentials = nil, nil
	}
	return reflect.DeepEqual(now, in)
}

// withoutFragment returns an address up to its fragment.
func withoutFragment(address string) string {
	whole, _, _ := strings.Cut(address, "#")
	return whole
}
