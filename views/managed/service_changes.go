package managed

import (
	"cmp"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/account/join"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/views/operation"
	"lookout/views/resource"
)

// serviceRunner performs the operations on services.
func serviceRunner(a *account.Account) operation.OperationRunner[*client.Service] {
	return operation.NewRunner(a, a.Services(), Services(a))
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
		Argument:      "ID",
		ID:            func(s *client.Service) string { return account.FormatID(s.ID) },
		Label:         func(s *client.Service) string { return s.Label.String() },
		Calls:         resource.APICalls{List: "list services", Get: "view service", Managed: true},
		Columns:       serviceColumns(a),
		TerminalReads: []ui.Refresher{a.Credentials()},
		PaneOrder: []string{
			"status", "label", "service_type", "address", "timeout", "consultation_group", "open issue", "off", "back",
			"updated",
		},
		List:       resource.ListAll(a.API.Services.All),
		Get:        resource.ByID(a.API.Services.Get),
		Operations: slices.Concat(monitoringOperations(a), windowOperations(a), editableService(a).Operations()),
	}
}

// editableService declares how services are made, changed and deleted.
func editableService(a *account.Account) operation.EditableResource[*client.Service, client.ServiceRequest] {
	return operation.EditableResource[*client.Service, client.ServiceRequest]{
		Account:      a,
		Store:        a.Services(),
		Noun:         "service",
		ID:           serviceID,
		Label:        func(s *client.Service) client.ServerText { return s.Label },
		Request:      func(s *client.Service) client.ServiceRequest { return s.Request() },
		Defaults:     client.ServiceRequest{Type: client.TypeURL, Timeout: 10},
		RequestLabel: func(in client.ServiceRequest) string { return in.Label },
		Fields: func(in *client.ServiceRequest, edited *client.Service) []form.Field {
			return serviceFields(a, in, edited)
		},
		Normalize: sentService,
		Success: func(verb string) func(*client.Service) string {
			return func(s *client.Service) string { return fmt.Sprintf("%s, monitoring is %s", verb, s.Status) }
		},
		CreateEffect:  "Adds service %s and starts monitoring it.",
		DeleteEffect:  "monitoring stops for good",
		ConfirmDelete: askToDeleteServices,
		UpdateCall:    client.OpUpdateService,
		DeleteCall:    client.OpDeleteService,
		CreateCall:    client.OpCreateService,
		Get:           a.API.Services.Get,
		Create:        (*client.Writer).CreateService,
		Update:        (*client.Writer).UpdateService,
		Delete:        (*client.Writer).DeleteService,
	}
}

// askToDeleteServices is the question before services are deleted.
func askToDeleteServices(rows []*client.Service) resource.ConfirmationSpec {
	s := rows[0]
	return resource.ConfirmationSpec{
		Title: "Delete service",
		Effect: fmt.Sprintf(
			"This deletes service %q (id %d, %s): nobody will be alerted to its problems.", s.Label, s.ID, s.Address,
		),
		Loss:     "Nobody will be alerted to their problems.",
		Word:     s.Label.String(),
		Required: true,
	}
}

// serviceFields returns the fields of a service. The bounds are those of "Managed Service". edited is nil for a new
// service.
func serviceFields(a *account.Account, in *client.ServiceRequest, edited *client.Service) []form.Field {
	timeout := form.Number("timeout", "Timeout (s)", &in.Timeout, 1, 255)
	if edited != nil && edited.ID != 0 {
		if _, known := edited.Timeout.Value(); !known {
			timeout = form.OptionalNumber("timeout", "Timeout (s)", &in.Timeout, 1, 255).
				Note("not reported by the API; leave empty to keep it")
		}
	}
	unread := func() string { return join.FormRemark(account.AllRows(a, a.Credentials())) }
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
		timeout.Flag("timeout", "seconds until the service counts as down, 1 to 255"),
		form.Text("body", "Expected text", &in.Body, form.Length(0, 100)).
			Note("the response must contain this text; leave empty to accept any").
			Flag("body", "text that the response must contain"),
		form.Combobox("consultation_group", "Group to call", &in.Group, a.SuggestedGroups, form.Length(0, 50)).
			Note("the contacts of this group are called").
			Flag("group", "group of contacts to call").Names("contacts.group"),
		form.MultiChoice("credentials", "Credentials", &in.Credentials, options).
			WhyEmpty(unread).
			NoteFunc(func() string {
				if len(options()) == 0 {
					return "" // the field itself says why
				}
				return cmp.Or(unread(), "support may use them")
			}).
			Flag("credential", "ID of a credential for support to use, or none; can be repeated").
			Names("credentials.id"),
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

// sentService returns a service without its region if the address is not private any more: the API refuses it. An
// address that was not edited keeps its region.
func sentService(in client.ServiceRequest, opened *client.Service) client.ServiceRequest {
	if !isPrivateAddress(in.Address) && (opened == nil || in.Address != opened.Address.Raw()) {
		in.Region = ""
	}
	return in
}

// serviceID returns the identity of a service.
func serviceID(s *client.Service) int { return s.ID }
