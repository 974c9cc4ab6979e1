package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/pflag"

	"lookout/client"
)

// nouns are all kinds of things that scripts can work on.
func nouns() []noun {
	return []noun{servicesNoun(), issuesNoun(), contactsNoun(), credentialsNoun(), sshNoun(), statsNoun(),
		bucketsNoun(), objectsNoun(), certificatesNoun(), keysNoun(), clustersNoun(), transferNoun(), journalNoun()}
}

func when(t client.Time) string {
	if t.Valid() {
		return t.Time().Format(time.RFC3339)
	}
	return t.Raw().String()
}

func numbers(ids []int) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = strconv.Itoa(id)
	}
	return strings.Join(words, ",")
}

func servicesNoun() noun {
	type row = client.Service
	return resource[row]{
		name: "services", one: "service", named: "ID", about: "Monitored services: list, disable for a while, enable, change",
		examples: "lookout services list -o json\nlookout services get web-1\nlookout services disable web-1 --for 1h --reason \"kernel update\"\nlookout services enable web-1\nlookout services create --label shop --address https://shop.example.com --group web",
		ident:    func(s row) (string, string) { return strconv.Itoa(s.ID), s.Label.String() },
		columns: []column[row]{
			{name: "id", cell: func(s row) string { return strconv.Itoa(s.ID) }},
			{name: "status", cell: func(s row) string { return s.Status.String() }},
			{name: "label", cell: func(s row) string { return s.Label.String() }},
			{name: "service_type", cell: func(s row) string { return s.Type.String() }},
			{name: "address", cell: func(s row) string { return s.Address.String() }},
			{name: "timeout", cell: func(s row) string { return strconv.Itoa(s.Timeout) }},
			{name: "consultation_group", cell: func(s row) string { return s.Group.String() }},
			{name: "updated", cell: func(s row) string { return when(s.Updated) }},
			{name: "body", detail: true, cell: func(s row) string { return s.Body.String() }},
			{name: "credentials", detail: true, cell: func(s row) string { return numbers(s.Credentials) }},
			{name: "notes", detail: true, cell: func(s row) string { return s.Notes.String() }},
			{name: "region", detail: true, cell: func(s row) string { return s.Region.String() }},
			{name: "created", detail: true, cell: func(s row) string { return when(s.Created) }},
		},
		list: func(ctx context.Context, s *session, _ listing) iter.Seq2[row, error] { return s.api.Services.All(ctx) },
		get:  byNumber(func(ctx context.Context, s *session, id int) (row, error) { return s.api.Services.View(ctx, id) }),
		verbs: []verb[row]{
			{name: "create", makes: true, about: "Monitor something new", with: createService},
			{name: "update", about: "Change what the flags name", with: updateService},
			{name: "disable", about: "Stop monitoring; --for says for how long", with: disableService},
			{name: "enable", about: "Monitor again", with: as(func(ctx context.Context, s *session, it row, _ []string) (row, error) {
				return s.api.Services.Enable(ctx, it.ID)
			})},
			{name: "delete", about: "Remove a service; monitoring stops", gone: "is deleted",
				loses: func(it row, _ []string) string { return fmt.Sprintf("Deletes service %s (%d)", it.Label, it.ID) },
				with: as(func(ctx context.Context, s *session, it row, _ []string) (row, error) {
					return it, s.api.Services.Delete(ctx, it.ID)
				})},
		},
	}
}

// disableService keeps the end in the journal: a dashboard enables the service then, or offers to at its next start.
func disableService(set *pflag.FlagSet) work[client.Service] {
	span := set.Duration("for", 0, "enable it again after this time, as 1h: a dashboard does it, or offers it at its next start")
	return func(ctx context.Context, s *session, it client.Service, _ []string) (client.Service, error) {
		if *span < 0 || *span > 365*24*time.Hour {
			return it, usage(fmt.Errorf("--for %s: a time between 0 and a year is needed", *span))
		}
		if *span > 0 {
			ctx = client.Until(ctx, s.now().Add(*span))
		}
		return s.api.Services.Disable(ctx, it.ID)
	}
}

// members takes what flags say into a request, and reports whether any of them was given; what is not given stays.
func members[R any](set *pflag.FlagSet, take map[string]func(*R)) func(*R) bool {
	return func(into *R) (given bool) {
		for name, one := range take {
			if set.Changed(name) {
				one(into)
				given = true
			}
		}
		return given
	}
}

// changed is what flags change of a thing. Nothing of it where all is so already, which is told.
func changed[R any](s *session, one string, before R, fill func(*R) bool) (map[string]any, error) {
	after := before
	if !fill(&after) {
		return nil, usage(errors.New("nothing is to be changed: give a flag with a new value"))
	}
	patch := client.Changes(before, after)
	if len(patch) == 0 {
		s.say("the %s is so already; nothing was sent", one)
	}
	return patch, nil
}

// serviceFlags are the members of a service as flags.
func serviceFlags(set *pflag.FlagSet) func(*client.ServiceRequest) bool {
	type request = client.ServiceRequest
	in := request{}
	set.StringVar(&in.Label, "label", "", "3 to 64 characters")
	set.StringVar((*string)(&in.Type), "type", string(client.URL), "url or tcp")
	set.StringVar(&in.Address, "address", "", "an address for url, host:port for tcp")
	set.IntVar(&in.Timeout, "timeout", 10, "seconds until it counts as down, 1 to 255")
	set.StringVar(&in.Body, "body", "", "what the answer must hold")
	set.StringVar(&in.Group, "group", "", "group of contacts to consult")
	set.StringVar(&in.Notes, "notes", "", "what whoever is called should know")
	set.StringVar(&in.Region, "region", "", "only for a private address")
	set.IntSliceVar(&in.Credentials, "credential", nil, "ID of a credential that helps; may be given several times")
	return members(set, map[string]func(*request){
		"label": func(r *request) { r.Label = in.Label }, "type": func(r *request) { r.Type = in.Type }, "address": func(r *request) { r.Address = in.Address },
		"timeout": func(r *request) { r.Timeout = in.Timeout }, "body": func(r *request) { r.Body = in.Body }, "group": func(r *request) { r.Group = in.Group },
		"notes": func(r *request) { r.Notes = in.Notes }, "region": func(r *request) { r.Region = in.Region }, "credential": func(r *request) { r.Credentials = in.Credentials },
	})
}

func createService(set *pflag.FlagSet) work[client.Service] {
	fill := serviceFlags(set)
	return func(ctx context.Context, s *session, it client.Service, _ []string) (client.Service, error) {
		in := client.ServiceRequest{Type: client.URL, Timeout: 10}
		if fill(&in); in.Label == "" || in.Address == "" {
			return it, usage(errors.New("a service needs --label and --address"))
		}
		return s.api.Services.Create(about(ctx, "service", "", in.Label, ""), in)
	}
}

func updateService(set *pflag.FlagSet) work[client.Service] {
	fill := serviceFlags(set)
	return func(ctx context.Context, s *session, it client.Service, _ []string) (client.Service, error) {
		patch, err := changed(s, "service", it.Request(), fill)
		if err != nil || len(patch) == 0 {
			return it, err
		}
		return s.api.Services.Update(ctx, it.ID, patch)
	}
}

func issuesNoun() noun {
	type row = client.Issue
	return resource[row]{
		name: "issues", one: "issue", named: "ID", about: "What was detected on monitored services",
		examples: "lookout issues list --limit 3\nlookout issues get 823 -o json",
		columns: []column[row]{
			{name: "id", cell: func(i row) string { return strconv.Itoa(i.ID) }},
			{name: "created", cell: func(i row) string { return when(i.Created) }},
			{name: "services", cell: func(i row) string { return numbers(i.Services) }},
			{name: "ticket", cell: func(i row) string { return strconv.Itoa(i.Ticket.ID) }},
			{name: "ticket_label", cell: func(i row) string { return i.Ticket.Label.String() }},
			{name: "ticket_url", detail: true, cell: func(i row) string { return i.Ticket.URL.String() }},
		},
		list: func(ctx context.Context, s *session, _ listing) iter.Seq2[row, error] { return s.api.Issues.All(ctx) },
		get:  byNumber(func(ctx context.Context, s *session, id int) (row, error) { return s.api.Issues.View(ctx, id) }),
	}
}

func contactsNoun() noun {
	type row = client.Contact
	return resource[row]{
		name: "contacts", one: "contact", named: "ID", about: "People whom support may call",
		examples: "lookout contacts list -o csv\nlookout contacts create --name \"Eve Adams\" --email eve@example.com --phone \"+1 555 0199\"\nlookout contacts update 11 --group night",
		ident:    func(c row) (string, string) { return strconv.Itoa(c.ID), c.Name.String() },
		columns: []column[row]{
			{name: "id", cell: func(c row) string { return strconv.Itoa(c.ID) }},
			{name: "name", cell: func(c row) string { return c.Name.String() }},
			{name: "group", cell: func(c row) string { return c.Group.String() }},
			{name: "email", cell: func(c row) string { return c.Email.String() }},
			{name: "phone_primary", cell: func(c row) string { return c.Phone.Primary.String() }},
			{name: "phone_secondary", cell: func(c row) string { return c.Phone.Secondary.String() }},
			{name: "updated", detail: true, cell: func(c row) string { return when(c.Updated) }},
		},
		list: func(ctx context.Context, s *session, _ listing) iter.Seq2[row, error] { return s.api.Contacts.All(ctx) },
		get:  byNumber(func(ctx context.Context, s *session, id int) (row, error) { return s.api.Contacts.View(ctx, id) }),
		verbs: []verb[row]{
			{name: "create", makes: true, about: "Add a contact", with: createContact},
			{name: "update", about: "Change what the flags name", with: updateContact},
			{name: "delete", about: "Remove a contact", gone: "is deleted",
				loses: func(it row, _ []string) string { return fmt.Sprintf("Deletes contact %s (%d)", it.Name, it.ID) },
				with: as(func(ctx context.Context, s *session, it row, _ []string) (row, error) {
					return it, s.api.Contacts.Delete(ctx, it.ID)
				})},
		},
	}
}

// contactFlags are the members of a contact as flags.
func contactFlags(set *pflag.FlagSet) func(*client.ContactRequest) bool {
	type request = client.ContactRequest
	in := request{}
	set.StringVar(&in.Name, "name", "", "2 to 64 characters")
	set.StringVar(&in.Email, "email", "", "where alerts go")
	set.StringVar(&in.Group, "group", "", "2 to 50 characters")
	set.StringVar(&in.Phone.Primary, "phone", "", "first number to call")
	set.StringVar(&in.Phone.Secondary, "phone2", "", "second number to call")
	return members(set, map[string]func(*request){
		"name": func(r *request) { r.Name = in.Name }, "email": func(r *request) { r.Email = in.Email }, "group": func(r *request) { r.Group = in.Group },
		"phone": func(r *request) { r.Phone.Primary = in.Phone.Primary }, "phone2": func(r *request) { r.Phone.Secondary = in.Phone.Secondary },
	})
}

func createContact(set *pflag.FlagSet) work[client.Contact] {
	fill := contactFlags(set)
	return func(ctx context.Context, s *session, it client.Contact, _ []string) (client.Contact, error) {
		var in client.ContactRequest
		if fill(&in); in.Name == "" || in.Email == "" {
			return it, usage(errors.New("a contact needs --name and --email"))
		}
		return s.api.Contacts.Create(about(ctx, "contact", "", in.Name, ""), in)
	}
}

func updateContact(set *pflag.FlagSet) work[client.Contact] {
	fill := contactFlags(set)
	return func(ctx context.Context, s *session, it client.Contact, _ []string) (client.Contact, error) {
		patch, err := changed(s, "contact", it.Request(), fill)
		if err != nil || len(patch) == 0 {
			return it, err
		}
		return s.api.Contacts.Update(ctx, it.ID, patch)
	}
}

func credentialsNoun() noun {
	type row = client.Credential
	return resource[row]{
		name: "credentials", one: "credential", named: "ID", about: "Logins that support may use",
		examples: "lookout credentials create db9-root --username root < password\nlookout credentials login db2-root --username root --password-file password",
		ident:    func(c row) (string, string) { return strconv.Itoa(c.ID), c.Label.String() },
		columns: []column[row]{
			{name: "id", cell: func(c row) string { return strconv.Itoa(c.ID) }},
			{name: "label", cell: func(c row) string { return c.Label.String() }},
			{name: "last_decrypted", cell: func(c row) string { return when(c.LastDecrypted) }},
		},
		list: func(ctx context.Context, s *session, _ listing) iter.Seq2[row, error] {
			return s.api.Credentials.All(ctx)
		},
		get: byNumber(func(ctx context.Context, s *session, id int) (row, error) { return s.api.Credentials.View(ctx, id) }),
		verbs: []verb[row]{
			{name: "create", args: "LABEL", makes: true, about: "Store a login; the password comes from a file or standard input", with: createCredential},
			{name: "rename", args: "LABEL", about: "Give it another label", with: as(func(ctx context.Context, s *session, it row, args []string) (row, error) {
				return s.api.Credentials.Update(ctx, it.ID, args[0])
			})},
			{name: "login", about: "Replace user name and password", gone: "has its new login", with: changeLogin},
			{name: "delete", about: "Take a login from support", gone: "is deleted",
				loses: func(it row, _ []string) string { return fmt.Sprintf("Deletes credential %s (%d)", it.Label, it.ID) },
				with: as(func(ctx context.Context, s *session, it row, _ []string) (row, error) {
					return it, s.api.Credentials.Delete(ctx, it.ID)
				})},
		},
	}
}

// loginFlags read a login. The password is never an argument.
func loginFlags(set *pflag.FlagSet) func(*session) (client.LoginRequest, error) {
	user := set.String("username", "", "user name")
	path := set.String("password-file", "", "file that holds the password; - or nothing reads standard input")
	return func(s *session) (client.LoginRequest, error) {
		password, err := s.secret(*path, "password")
		r := client.LoginRequest{Password: password}
		if *user != "" {
			r.Username = client.NewSecret(*user)
		}
		return r, err
	}
}

func createCredential(set *pflag.FlagSet) work[client.Credential] {
	login := loginFlags(set)
	return func(ctx context.Context, s *session, it client.Credential, args []string) (client.Credential, error) {
		l, err := login(s)
		if err != nil {
			return it, err
		}
		return s.api.Credentials.Create(about(ctx, "credential", "", args[0], ""), client.CredentialRequest{Label: args[0], Username: l.Username, Password: l.Password})
	}
}

func changeLogin(set *pflag.FlagSet) work[client.Credential] {
	login := loginFlags(set)
	return func(ctx context.Context, s *session, it client.Credential, _ []string) (client.Credential, error) {
		l, err := login(s)
		if err != nil {
			return it, err
		}
		return it, s.api.Credentials.SetLogin(ctx, it.ID, l)
	}
}

func sshNoun() noun {
	type row = client.Instance
	access := func(on bool) func(*pflag.FlagSet) work[row] {
		return as(func(ctx context.Context, s *session, it row, _ []string) (row, error) {
			return setSSH(ctx, s, it, func(r *client.InstanceRequest) bool { r.SSH.Access = on; return true })
		})
	}
	return resource[row]{
		name: "ssh", one: "instance", named: "ID", about: "How support logs in to each instance",
		examples: "lookout ssh list\nlookout ssh deny db1 --reason audit\nlookout ssh set db1 --port 2222\nlookout ssh key",
		ident:    func(i row) (string, string) { return strconv.Itoa(i.ID), i.Label.String() },
		columns: []column[row]{
			{name: "id", cell: func(i row) string { return strconv.Itoa(i.ID) }},
			{name: "label", cell: func(i row) string { return i.Label.String() }},
			{name: "access", cell: func(i row) string { return strconv.FormatBool(i.SSH.Access) }},
			{name: "user", cell: func(i row) string { return orElse(i.SSH.User.String(), "root") }},
			{name: "ip", cell: func(i row) string { return i.SSH.IP.String() }},
			{name: "port", cell: func(i row) string { return orElse(positive(i.SSH.Port), "22") }},
			{name: "group", detail: true, cell: func(i row) string { return i.Group.String() }},
		},
		list: func(ctx context.Context, s *session, _ listing) iter.Seq2[row, error] {
			return s.api.Instances.All(ctx)
		},
		get: byNumber(func(ctx context.Context, s *session, id int) (row, error) { return s.api.Instances.View(ctx, id) }),
		verbs: []verb[row]{
			{name: "allow", about: "Let support log in", with: access(true)},
			{name: "deny", about: "Keep support out", with: access(false)},
			{name: "set", about: "Change user, address or port", with: changeSSH},
		},
		also: []noun{resource[client.SSHKey]{
			name: "key", about: "Show the public key by which support logs in",
			columns: []column[client.SSHKey]{{name: "ssh_key", cell: func(k client.SSHKey) string { return k.SSHKey.String() }}},
			get: func(ctx context.Context, s *session, _ string) (client.SSHKey, error) {
				return s.api.Credentials.SSHKey(ctx)
			},
		}},
	}
}

func positive(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func changeSSH(set *pflag.FlagSet) work[client.Instance] {
	type request = client.InstanceRequest
	in := request{}
	set.StringVar(&in.SSH.User, "user", "", "user name; empty is root")
	set.StringVar(&in.SSH.IP, "ip", "", "an address of the instance, or any")
	set.IntVar(&in.SSH.Port, "port", 0, "port; 0 is 22")
	fill := members(set, map[string]func(*request){
		"user": func(r *request) { r.SSH.User = in.SSH.User }, "ip": func(r *request) { r.SSH.IP = in.SSH.IP }, "port": func(r *request) { r.SSH.Port = in.SSH.Port },
	})
	return func(ctx context.Context, s *session, it client.Instance, _ []string) (client.Instance, error) {
		return setSSH(ctx, s, it, fill)
	}
}

func setSSH(ctx context.Context, s *session, it client.Instance, fill func(*client.InstanceRequest) bool) (client.Instance, error) {
	patch, err := changed(s, "instance", it.Request(), fill)
	if err != nil || len(patch) == 0 {
		return it, err
	}
	return s.api.Instances.Update(ctx, it.ID, patch)
}

// A series is one of the stats with what it comes to.
type series struct {
	Name   string   `json:"name"`
	Unit   string   `json:"unit"`
	Min    *float64 `json:"min"` // null where there is no sample
	Avg    *float64 `json:"avg"`
	Max    *float64 `json:"max"`
	Last   *float64 `json:"last"`
	Points []sample `json:"points"`
}

// A sample is one point of a series.
type sample struct {
	At    time.Time `json:"at"`
	Value *float64  `json:"value"` // null is a gap
}

func statsNoun() noun {
	value := func(get func(series) *float64) func(series) string {
		return func(s series) string {
			if v := get(s); v != nil {
				return humanize.FtoaWithDigits(*v, 2)
			}
			return ""
		}
	}
	return resource[series]{
		name: "stats", one: "series", about: "CPU, disk, network and swap of all instances over the last 24 hours",
		examples: "lookout stats\nlookout stats -o ndjson",
		columns: []column[series]{
			{name: "name", cell: func(s series) string { return s.Name }},
			{name: "unit", cell: func(s series) string { return s.Unit }},
			{name: "min", cell: value(func(s series) *float64 { return s.Min })},
			{name: "avg", cell: value(func(s series) *float64 { return s.Avg })},
			{name: "max", cell: value(func(s series) *float64 { return s.Max })},
			{name: "last", cell: value(func(s series) *float64 { return s.Last })},
		},
		list: func(ctx context.Context, s *session, _ listing) iter.Seq2[series, error] {
			return func(yield func(series, error) bool) {
				stats, err := s.api.Stats.View(ctx)
				if err == nil && len(stats.Unavailable) > 0 {
					err = fmt.Errorf("stats: %s", stats.Unavailable[0])
				}
				if err != nil {
					yield(series{}, err)
					return
				}
				for _, one := range summed(stats) {
					if !yield(one, nil) {
						return
					}
				}
			}
		},
	}
}

// summed is every series with its least, mean, greatest and last value.
func summed(s client.Stats) []series {
	kinds := []struct {
		name, unit string
		points     []client.Point
	}{{"cpu", "%", s.CPU}, {"disk", "op/s", s.Disk}, {"net_in", "bit/s", s.NetIn}, {"net_out", "bit/s", s.NetOut}, {"swap", "op/s", s.Swap}}
	var out []series
	for _, k := range kinds {
		out = append(out, sum(series{Name: k.name, Unit: k.unit, Points: []sample{}}, k.points))
	}
	return out
}

func sum(s series, points []client.Point) series {
	var values []float64
	for _, p := range points {
		if math.IsNaN(p.Value) || math.IsInf(p.Value, 0) {
			s.Points = append(s.Points, sample{At: p.At})
			continue
		}
		values = append(values, p.Value)
		s.Points = append(s.Points, sample{At: p.At, Value: &p.Value})
	}
	if len(values) == 0 {
		return s
	}
	total := 0.0
	for _, v := range values {
		total += v
	}
	least, most, mean, last := slices.Min(values), slices.Max(values), total/float64(len(values)), values[len(values)-1]
	s.Min, s.Avg, s.Max, s.Last = &least, &mean, &most, &last
	return s
}
