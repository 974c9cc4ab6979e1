// Package audit looks through an account for what nobody notices until it is needed: services that nobody is called
// for, keys that reach everything, monitoring that stays off.
package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"sync"
	"time"

	"lookout/client"
	"lookout/client/journal"
	"lookout/client/window"
)

// A checkState says how a check of one thing ended.
type checkState string

// The states.
const (
	OK       checkState = "ok"
	Found    checkState = "found"
	NotKnown checkState = "not known" // something could not be read, or the API does not tell
)

// A CheckResult is what a check says about one thing, or about all things of its kind.
type CheckResult struct {
	State checkState        `json:"state"`
	Check string            `json:"check"`          // "nobody-called"
	Kind  string            `json:"kind"`           // "service"
	ID    string            `json:"id,omitempty"`   // "" is about all of them
	Label client.ServerText `json:"label,omitzero"` // what people call it
	Text  string            `json:"text"`
	Next  string            `json:"next,omitempty"`
}

// Options say what to check.
type Options struct {
	Windows map[string]window.Window // the active windows, by service
	Journal *journal.Journal         // the changes of this machine
	Now     time.Time
	Ignore  []string // names of checks to leave out
}

// A check looks for one thing that nobody notices.
type check struct {
	name, kind string
	next       string   // the next step after a finding
	well       string   // what it says if it finds nothing
	needs      []source // what it looks at
	look       func(facts, *collector)
}

// checks are all checks, in the order in which they report.
var checks = []check{
	{
		name:  "nobody-called",
		kind:  "service",
		next:  "give it a consultation group that has contacts",
		well:  "each service has somebody to call",
		needs: []source{services, contacts},
		look:  facts.nobodyCalled,
	},
	{
		name:  "no-phone",
		kind:  "group",
		next:  "add a phone number to one of its contacts",
		well:  "each group in use has a phone number",
		needs: []source{services, contacts},
		look:  facts.groupsWithoutPhone,
	},
	{
		name:  "unused-contact",
		kind:  "contact",
		next:  "move it to a group in use, or delete it",
		well:  "every contact is in a group that a service uses",
		needs: []source{services, contacts},
		look:  facts.unusedContacts,
	},
	{
		name:  "unused-credential",
		kind:  "credential",
		next:  "delete it, or add it to the services that need it",
		well:  "each credential is used by a service",
		needs: []source{services, credentials},
		look:  facts.unusedCredentials,
	},
	{
		name:  "off-without-end",
		kind:  "service",
		next:  "re-enable monitoring, or set an end time",
		well:  "no service is disabled indefinitely or past its end time",
		needs: []source{services},
		look:  facts.offWithoutEnd,
	},
	{
		name:  "unlimited-key",
		kind:  "key",
		next:  "create a limited key to replace this one, then revoke this one",
		well:  "every key is limited",
		needs: []source{keys},
		look:  facts.unlimitedKeys,
	},
	{
		name:  "public-bucket",
		kind:  "bucket",
		next:  "make it private, unless everybody is meant to read it",
		well:  "every bucket is private",
		needs: []source{buckets, access},
		look:  facts.publicBuckets,
	},
	{
		name:  "public-object",
		kind:  "object",
		next:  "make it private, unless everybody is meant to read it",
		well:  "no object that was opened from this machine is public",
		needs: []source{buckets, objects},
		look:  facts.publicObjects,
	},
	{
		name:  "certificate",
		kind:  "bucket",
		next:  "replace the certificate",
		well:  "no bucket has a certificate",
		needs: []source{buckets, certificates},
		look:  facts.certificates,
	},
}

// Checks returns the names of the checks, in their order.
func Checks() []string {
	names := make([]string, len(checks))
	for i, c := range checks {
		names[i] = c.name
	}
	return names
}

// A source is something that is read for checks.
type source int

const (
	services source = iota
	contacts
	credentials
	keys
	buckets
	access       // of each bucket
	certificates // of each bucket
	objects      // that were opened from this machine
)

// A list is what was read of a kind of row, and why it is not all of them.
type list[T any] struct {
	rows []T
	err  error
}

// facts are what the checks look at.
type facts struct {
	Options
	services    list[*client.Service]
	contacts    list[*client.Contact]
	credentials list[*client.Credential]
	keys        list[*client.AccessKey]
	buckets     list[*client.Bucket]
	access      []list[client.ACL] // of the buckets, in their order
	uploaded    []list[bool]       // whether the buckets have certificates of their own
	opened      []openedObject
}

// Run reads of an account what the checks need, and returns what they say, and the first error of what could not be
// read. Each check says something, be it that all is well.
func Run(ctx context.Context, c *client.Client, o Options) ([]CheckResult, error) {
	wanted := slices.DeleteFunc(slices.Clone(checks), func(k check) bool { return slices.Contains(o.Ignore, k.name) })
	needed := map[source]bool{}
	for _, k := range wanted {
		for _, s := range k.needs {
			needed[s] = true
		}
	}
	f := facts{Options: o}
	f.readLists(ctx, c, needed)
	f.readBuckets(ctx, c, needed)
	if needed[objects] {
		f.readOpened(ctx, c)
	}
	var results []CheckResult
	for _, k := range wanted {
		said := collector{check: k}
		k.look(f, &said)
		results = append(results, said.finish(f)...)
	}
	failure := cmp.Or(f.services.err, f.contacts.err, f.credentials.err, f.keys.err, f.buckets.err)
	for i := range f.buckets.rows {
		if failure == nil {
			failure = f.access[i].err
		}
		if failure == nil {
			failure = f.uploaded[i].err
		}
	}
	for i := range f.opened {
		if failure == nil {
			failure = f.opened[i].now.err
		}
	}
	return results, failure
}

// readLists reads the lists that are needed.
func (f *facts) readLists(ctx context.Context, c *client.Client, needed map[source]bool) {
	var reads []func()
	for s, read := range map[source]func(){
		services:    func() { f.services = readAll(c.Services.All(ctx)) },
		contacts:    func() { f.contacts = readAll(c.Contacts.All(ctx)) },
		credentials: func() { f.credentials = readAll(c.Credentials.All(ctx)) },
		keys:        func() { f.keys = readAll(c.Keys.All(ctx)) },
		buckets:     func() { f.buckets = readAll(c.Buckets.All(ctx)) },
	} {
		if needed[s] {
			reads = append(reads, read)
		}
	}
	inParallel(reads)
}

// readBuckets reads what is needed of each bucket.
func (f *facts) readBuckets(ctx context.Context, c *client.Client, needed map[source]bool) {
	f.access = make([]list[client.ACL], len(f.buckets.rows))
	f.uploaded = make([]list[bool], len(f.buckets.rows))
	var reads []func()
	for i, b := range f.buckets.rows {
		if needed[access] {
			reads = append(reads, func() { f.access[i] = readAccess(ctx, c, b) })
		}
		if needed[certificates] {
			reads = append(reads, func() { f.uploaded[i] = readCertificate(ctx, c, b) })
		}
	}
	inParallel(reads)
}

// maxParallelReads is the number of reads that are under way at once; the client's slots bound the requests.
const maxParallelReads = 8

// inParallel runs reads side by side and waits for all of them.
func inParallel(reads []func()) {
	var wait sync.WaitGroup
	free := make(chan struct{}, maxParallelReads)
	for _, read := range reads {
		free <- struct{}{}
		wait.Go(func() {
			defer func() { <-free }()
			read()
		})
	}
	wait.Wait()
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
	if err != nil {
		return list[client.ACL]{err: err}
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

// A collector collects what a check says.
type collector struct {
	check
	results []CheckResult
}

func (c *collector) add(state checkState, id string, label client.ServerText, text string) {
	r := CheckResult{
		State: state,
		Check: c.name,
		Kind:  c.kind,
		ID:    id,
		Label: label,
		Text:  text,
	}
	if state == Found {
		r.Next = c.next
	}
	c.results = append(c.results, r)
}

// finish returns what the check said. If it said nothing, all is well; if lists are missing, that is not known.
func (c *collector) finish(f facts) []CheckResult {
	errs := map[source]error{
		services:    f.services.err,
		contacts:    f.contacts.err,
		credentials: f.credentials.err,
		keys:        f.keys.err,
		buckets:     f.buckets.err,
	}
	for _, s := range c.needs {
		if err := errs[s]; err != nil {
			c.add(NotKnown, "", client.ServerText{}, "reading failed: "+err.Error())
			return c.results
		}
	}
	if len(c.results) == 0 {
		c.add(OK, "", client.ServerText{}, c.well)
	}
	return c.results
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
func (f facts) nobodyCalled(c *collector) {
	groups := f.groupsOfContacts()
	for _, s := range f.services.rows {
		switch group := s.Group.Raw(); {
		case group == "":
			c.add(Found, strconv.Itoa(s.ID), s.Label, "has no consultation group: nobody is called")
		case len(groups[group]) == 0 && f.contacts.err == nil:
			c.add(
				Found, strconv.Itoa(s.ID), s.Label, fmt.Sprintf("group %s has no contacts: nobody is called", s.Group),
			)
		}
	}
}

// groupsWithoutPhone finds groups that services name and in which nobody has a telephone number.
func (f facts) groupsWithoutPhone(c *collector) {
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
}

func hasPhone(c *client.Contact) bool {
	return c.Phone.Primary.Raw() != "" || c.Phone.Secondary.Raw() != ""
}

// unusedContacts finds contacts in no group that a service names.
func (f facts) unusedContacts(c *collector) {
	used := map[string]bool{}
	for _, s := range f.services.rows {
		used[s.Group.Raw()] = true
	}
	for _, p := range f.contacts.rows {
		switch group := p.Group.Raw(); {
		case group == "":
			c.add(Found, strconv.Itoa(p.ID), p.Name, "is in no group, so it is never called")
		case !used[group] && f.services.err == nil:
			text := fmt.Sprintf("no service uses group %s, so it is never called", p.Group)
			c.add(Found, strconv.Itoa(p.ID), p.Name, text)
		}
	}
}

// unusedCredentials finds credentials that no service uses.
func (f facts) unusedCredentials(c *collector) {
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
}

// offWithoutEnd finds disabled services that nothing will enable again: their windows have no end, or nothing ended
// them.
func (f facts) offWithoutEnd(c *collector) {
	for _, s := range f.services.rows {
		if s.Status != client.StatusDisabled {
			continue
		}
		id := strconv.Itoa(s.ID)
		switch w, ours := f.Windows[id]; {
		case !ours:
			c.add(Found, id, s.Label, "monitoring is disabled; no end time is on record on this machine")
		case w.End.IsZero():
			since := w.Since.UTC().Format(time.DateOnly)
			c.add(Found, id, s.Label, "monitoring has been disabled since "+since+", with no end time")
		case w.End.Before(f.Now):
			end := w.End.UTC().Format("2006-01-02 15:04 MST")
			c.add(Found, id, s.Label, "monitoring is still disabled; its maintenance window ended "+end)
		}
	}
}

// unlimitedKeys finds access keys that reach all buckets.
func (f facts) unlimitedKeys(c *collector) {
	for _, k := range f.keys.rows {
		switch all, known := k.ReachesAll(); {
		case !known:
			c.add(NotKnown, strconv.Itoa(k.ID), k.Label, "the API does not say what it reaches")
		case all:
			c.add(Found, strconv.Itoa(k.ID), k.Label, "reaches every bucket, to read, write and delete")
		}
	}
}

// publicBuckets finds buckets that others can read.
func (f facts) publicBuckets(c *collector) {
	for i, b := range f.buckets.rows {
		access := f.access[i]
		switch {
		case access.err != nil:
			c.add(NotKnown, b.ID(), b.Label, "its access is not known: "+client.Clean(access.err.Error()))
		case access.rows[0].Public():
			c.add(Found, b.ID(), b.Label, access.rows[0].String()+": "+access.rows[0].OnBucket())
		case access.rows[0] != client.ACLPrivate:
			acl := cmp.Or(access.rows[0].String(), "not known: the API does not say")
			c.add(NotKnown, b.ID(), b.Label, "its access is "+acl)
		}
	}
}

// certificateNotice is how long before its end a certificate is found.
const certificateNotice = 30 * 24 * time.Hour

// certificates finds certificates that expire soon, as far as this machine knows: the API does not say when they do.
func (f facts) certificates(c *collector) {
	set := map[string]bool{}
	for i, b := range f.buckets.rows {
		if uploaded := f.uploaded[i]; uploaded.err == nil && uploaded.rows[0] {
			set[b.ID()] = true
		}
	}
	ends := f.certificateEnds(set)
	for i, b := range f.buckets.rows {
		uploaded, end := f.uploaded[i], ends[b.ID()]
		switch date := end.UTC().Format(time.DateOnly); {
		case uploaded.err != nil:
			c.add(NotKnown, b.ID(), b.Label, "its certificate is not known: "+client.Clean(uploaded.err.Error()))
		case !uploaded.rows[0]:
		case end.IsZero():
			c.add(NotKnown, b.ID(), b.Label, "it has a certificate; the API does not say when it expires")
		case end.Before(f.Now):
			c.add(Found, b.ID(), b.Label, "the certificate uploaded from this machine expired on "+date)
		case end.Before(f.Now.Add(certificateNotice)):
			c.add(Found, b.ID(), b.Label, "the certificate uploaded from this machine expires on "+date)
		default:
			c.add(OK, b.ID(), b.Label, "the certificate uploaded from this machine expires on "+date)
		}
	}
}

// certificateEnds returns when the certificates expire that were uploaded last from this machine, of a set of buckets.
// It empties the set as far as it finds them.
func (f facts) certificateEnds(set map[string]bool) map[string]time.Time {
	ends := map[string]time.Time{}
	if len(set) == 0 {
		return ends
	}
	for e := range f.Journal.Changes() {
		if e.Change.Op != client.OpUploadCertificate || !set[e.Change.ID] || e.Outcome == client.Rejected {
			continue
		}
		var recorded struct{ Expires time.Time }
		if body, err := json.Marshal(e.Change.Body); err == nil && e.Outcome == client.Applied &&
			json.Unmarshal(body, &recorded) == nil {
			ends[e.Change.ID] = recorded.Expires
		}
		if delete(set, e.Change.ID); len(set) == 0 {
			break
		}
	}
	return ends
}
