// Package audit looks through an account for what nobody notices until it is needed: services that nobody is called
// for, keys that reach everything, monitoring that stays off.
package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"time"

	"lookout/client"
	"lookout/client/journal"
)

// An observationState says how a check of one thing ended.
type observationState string

// The states.
const (
	OK       observationState = "ok"
	Found    observationState = "found"
	NotKnown observationState = "not known" // something could not be read, or the API does not tell
)

// An CheckResult is what a check says about one thing, or about all things of its kind.
type CheckResult struct {
	State observationState `json:"state"`
	Check string           `json:"check"`          // "nobody-called"
	Kind  string           `json:"kind"`           // "service"
	ID    string           `json:"id,omitempty"`   // "" is about all of them
	Label client.Text      `json:"label,omitzero"` // what people call it
	Text  string           `json:"text"`
	Next  string           `json:"next,omitempty"`
}

// A list is what was read of a kind of row, and why it is not all of them.
type list[T any] struct {
	rows []T
	err  error
}

// facts are what the checks look at.
type facts struct {
	services    list[*client.Service]
	contacts    list[*client.Contact]
	credentials list[*client.Credential]
	keys        list[*client.Key]
	buckets     list[*client.Bucket]
	access      map[string]list[client.ACL] // of buckets, by their IDs
	uploaded    map[string]list[bool]       // whether a bucket has a certificate of its own
	windows     map[string]journal.DisabledService
}

// Run reads an account and returns what the checks say, and the first error of a list that could not be read. Each
// check says something, be it that all is well. windows are the services that lookout disabled, by their IDs.
func Run(
	ctx context.Context, c *client.Client, windows map[string]journal.DisabledService,
) ([]CheckResult, error) {
	f := facts{
		services:    readAll(c.Services.All(ctx)),
		contacts:    readAll(c.Contacts.All(ctx)),
		credentials: readAll(c.Credentials.All(ctx)),
		keys:        readAll(c.Keys.All(ctx)),
		buckets:     readAll(c.Buckets.All(ctx)),
		access:      map[string]list[client.ACL]{},
		uploaded:    map[string]list[bool]{},
		windows:     windows,
	}
	for _, b := range f.buckets.rows {
		f.access[b.ID()] = readAccess(ctx, c, b)
		f.uploaded[b.ID()] = readCertificate(ctx, c, b)
	}
	failure := cmp.Or(f.services.err, f.contacts.err, f.credentials.err, f.keys.err, f.buckets.err)
	return f.observe(), failure
}

// readAll reads all rows, or those until the first error.
func readAll[T any](rows iter.Seq2[T, error]) (l list[T]) {
	for row, err := range rows {
		if err != nil {
			l.err = err
			break
		}
		l.rows = append(l.rows, row)
	}
	return l
}

// readAccess reads who may read a bucket.
func readAccess(ctx context.Context, c *client.Client, b *client.Bucket) list[client.ACL] {
	status, err := c.Buckets.Access(ctx, b.Location().Raw(), b.Label.Raw())
	switch {
	case err != nil:
		return list[client.ACL]{err: err}
	case status.ACL == "":
		return list[client.ACL]{err: errors.New("the API does not say")}
	}
	return list[client.ACL]{rows: []client.ACL{status.ACL}}
}

// readCertificate reads whether a bucket has a certificate of the account's own.
func readCertificate(ctx context.Context, c *client.Client, b *client.Bucket) list[bool] {
	status, err := c.Certificates.Get(ctx, b.Location().Raw(), b.Label.Raw())
	if err != nil {
		return list[bool]{err: err}
	}
	return list[bool]{rows: []bool{status.SSL != nil && *status.SSL}}
}

// Checks returns the names of the checks, in their order.
func Checks() []string {
	return []string{
		"nobody-called", "no-phone", "unused-contact", "unused-credential", "off-without-end", "unlimited-key",
		"public-bucket", "certificate",
	}
}

// observe runs all checks.
func (f facts) observe() []CheckResult {
	return slices.Concat(
		f.nobodyCalled(), f.groupsWithoutPhone(), f.unusedContacts(), f.unusedCredentials(), f.offWithoutEnd(),
		f.unlimitedKeys(), f.publicBuckets(), f.certificates(),
	)
}

// A check collects what it says about things of a kind.
type check struct {
	name, kind string
	next       string
	said       []CheckResult
}

func (c *check) add(state observationState, id string, label client.Text, text string) {
	o := CheckResult{
		State: state,
		Check: c.name,
		Kind:  c.kind,
		ID:    id,
		Label: label,
		Text:  text,
	}
	if state == Found {
		o.Next = c.next
	}
	c.said = append(c.said, o)
}

// result returns what the check said. If it said nothing, all is well; if lists are missing, that is not known.
func (c *check) result(well string, missing ...error) []CheckResult {
	if err := cmp.Or(missing...); err != nil {
		c.add(NotKnown, "", client.Text{}, "not all could be read: "+client.Clean(err.Error()))
	} else if len(c.said) == 0 {
		c.add(OK, "", client.Text{}, well)
	}
	return c.said
}

// groupsOfContacts returns the contacts by their groups. The API links services and contacts only by the group's name.
func (f facts) groupsOfContacts() map[string][]*client.Contact {
	groups := map[string][]*client.Contact{}
	for _, c := range f.contacts.rows {
		if name := c.Group.Raw(); name != "" {
			groups[name] = append(groups[name], c)
		}
	}
	return groups
}

// nobodyCalled finds services whose group is empty or has no contact. A group that is missing from a list that could
// not be read to its end is not known to be empty.
func (f facts) nobodyCalled() []CheckResult {
	c := check{name: "nobody-called", kind: "service", next: "give it a consultation group that has contacts"}
	groups := f.groupsOfContacts()
	for _, s := range f.services.rows {
		switch group := s.Group.Raw(); {
		case group == "":
			c.add(Found, strconv.Itoa(s.ID), s.Label, "has no consultation group: nobody is called")
		case len(groups[group]) == 0 && f.contacts.err == nil:
			c.add(Found, strconv.Itoa(s.ID), s.Label, fmt.Sprintf("group %s has no contact: nobody is called", s.Group))
		}
	}
	return c.result("somebody is called for each service", f.services.err, f.contacts.err)
}

// groupsWithoutPhone finds groups that services name and in which nobody has a telephone number.
func (f facts) groupsWithoutPhone() []CheckResult {
	c := check{name: "no-phone", kind: "group", next: "add a phone number to one of its contacts"}
	if f.contacts.err == nil {
		groups, seen := f.groupsOfContacts(), map[string]bool{}
		for _, s := range f.services.rows {
			name := s.Group.Raw()
			if people := groups[name]; !seen[name] && len(people) > 0 && !slices.ContainsFunc(people, hasPhone) {
				c.add(Found, name, s.Group, "nobody in this group has a phone number")
			}
			seen[name] = true
		}
	}
	return c.result("each group in use has a phone number", f.services.err, f.contacts.err)
}

func hasPhone(c *client.Contact) bool {
	return c.Phone.Primary.Raw() != "" || c.Phone.Secondary.Raw() != ""
}

// unusedContacts finds contacts in no group that a service names.
func (f facts) unusedContacts() []CheckResult {
	c := check{name: "unused-contact", kind: "contact", next: "move it to a group in use, or delete it"}
	used := map[string]bool{}
	for _, s := range f.services.rows {
		used[s.Group.Raw()] = true
	}
	for _, p := range f.contacts.rows {
		switch group := p.Group.Raw(); {
		case group == "":
			c.add(Found, strconv.Itoa(p.ID), p.Name, "is in no group: never called")
		case !used[group] && f.services.err == nil:
			text := fmt.Sprintf("no service names the group %s: never called", p.Group)
			c.add(Found, strconv.Itoa(p.ID), p.Name, text)
		}
	}
	return c.result("each contact is in a group in use", f.services.err, f.contacts.err)
}

// unusedCredentials finds credentials that no service uses.
func (f facts) unusedCredentials() []CheckResult {
	c := check{name: "unused-credential", kind: "credential", next: "delete it, or add it to the services that need it"}
	used := map[int]bool{}
	for _, s := range f.services.rows {
		for _, id := range s.Credentials {
			used[id] = true
		}
	}
	for _, k := range f.credentials.rows {
		if !used[k.ID] && f.services.err == nil {
			c.add(Found, strconv.Itoa(k.ID), k.Label, "no service uses it")
		}
	}
	return c.result("each credential is used by a service", f.services.err, f.credentials.err)
}

// offWithoutEnd finds disabled services that nothing will enable again.
func (f facts) offWithoutEnd() []CheckResult {
	c := check{name: "off-without-end", kind: "service", next: "enable it, or disable it until a time"}
	for _, s := range f.services.rows {
		id := strconv.Itoa(s.ID)
		w, ours := f.windows[id]
		if s.Status != client.StatusDisabled || ours && !w.Until.IsZero() {
			continue
		}
		text := "monitoring is disabled; this machine's journal knows no end time"
		if ours {
			text = "monitoring is disabled since " + w.Since.UTC().Format(time.DateOnly) + ", with no end time"
		}
		c.add(Found, id, s.Label, text)
	}
	return c.result("no service is disabled with no end time", f.services.err)
}

// unlimitedKeys finds access keys that reach all buckets.
func (f facts) unlimitedKeys() []CheckResult {
	c := check{name: "unlimited-key", kind: "key", next: "replace it by a limited key, and revoke it"}
	for _, k := range f.keys.rows {
		switch limited, known := k.IsLimited(); {
		case !known:
			c.add(NotKnown, strconv.Itoa(k.ID), k.Label, "the API does not say what it reaches")
		case !limited:
			c.add(Found, strconv.Itoa(k.ID), k.Label, "reaches every bucket, to read, write and delete")
		}
	}
	return c.result("every key is limited", f.keys.err)
}

// publicBuckets finds buckets that others can read.
func (f facts) publicBuckets() []CheckResult {
	c := check{name: "public-bucket", kind: "bucket", next: "make it private, unless everybody is meant to read it"}
	readers := map[client.ACL]string{
		client.ACLPublicRead:        "anybody can list and read it",
		client.ACLPublicReadWrite:   "anybody can read it and write to it",
		client.ACLAuthenticatedRead: "every user of the provider can list and read it",
	}
	for _, b := range f.buckets.rows {
		access := f.access[b.ID()]
		switch {
		case access.err != nil:
			c.add(NotKnown, b.ID(), b.Label, "its access is not known: "+client.Clean(access.err.Error()))
		case readers[access.rows[0]] != "":
			c.add(Found, b.ID(), b.Label, access.rows[0].String()+": "+readers[access.rows[0]])
		case access.rows[0] != client.ACLPrivate:
			c.add(NotKnown, b.ID(), b.Label, "its access is "+access.rows[0].String())
		}
	}
	return c.result("every bucket is private", f.buckets.err)
}

// certificates names the buckets whose certificate can expire. The API does not say when.
func (f facts) certificates() []CheckResult {
	c := check{name: "certificate", kind: "bucket"}
	for _, b := range f.buckets.rows {
		uploaded := f.uploaded[b.ID()]
		switch {
		case uploaded.err != nil:
			c.add(NotKnown, b.ID(), b.Label, "its certificate is not known: "+client.Clean(uploaded.err.Error()))
		case uploaded.rows[0]:
			c.add(NotKnown, b.ID(), b.Label, "it has a certificate; the API does not say when it expires")
		}
	}
	return c.result("no bucket has a certificate that can expire", f.buckets.err)
}
