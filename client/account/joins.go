package account

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"slices"
	"sort"
	"strings"
	"time"

	"lookout/client"
	"lookout/client/account/join"
	"lookout/client/lists"
	"lookout/client/wording"
)

// memoEntry is a value that was computed from stores, with the versions that they had.
type memoEntry struct {
	sources  []Versioned
	versions []int
	value    any
}

// Versioned is a store, or another source, whose version grows with every change.
type Versioned interface{ Version() int }

// fresh reports whether none of the stores has changed since.
func (j *memoEntry) fresh() bool {
	for i, set := range j.sources {
		if set.Version() != j.versions[i] {
			return false
		}
	}
	return true
}

// freshMemo returns what Memo kept under a name, if nothing has changed since. It saves making the list of sources.
func freshMemo[V any](a *Account, name string) (kept V, fresh bool) {
	j := a.memoEntries[name]
	if j == nil || !j.fresh() {
		return kept, false
	}
	return j.value.(V), true
}

// Memo returns a value that is computed again only if one of its stores has changed: frames come far more often than
// answers. Callers share the value and must not change it.
func Memo[V any](a *Account, name string, make func() V, of ...Versioned) V {
	return a.memo(name, func() any { return make() }, of).(V)
}

// memo is Memo for values of any type.
func (a *Account) memo(name string, make func() any, of []Versioned) any {
	j := a.memoEntries[name]
	if j == nil || !j.fresh() {
		j = &memoEntry{sources: of, value: make()}
		for _, set := range of {
			j.versions = append(j.versions, set.Version())
		}
		a.memoEntries[name] = j
	}
	return j.value
}

// groupBy groups rows by their keys and keeps their order.
func groupBy[T any, K comparable](rows []T, keys func(T) []K) map[K][]T {
	found := map[K][]T{}
	for _, row := range rows {
		for _, key := range keys(row) {
			found[key] = append(found[key], row)
		}
	}
	return found
}

// noneNamed returns the join of a row that names nothing: it is known without the other list.
func noneNamed[T any]() join.Joined[T] {
	return join.Join[T](nil, join.JoinState{Kind: join.Known})
}

// AllRows returns all rows of a store, with its state.
func AllRows[T any](a *Account, set *lists.RowStore[T]) join.Joined[T] {
	return join.Join(Memo(a, "rows of "+set.Name(), set.Rows, set), join.StateOf(set))
}

// ServicesInGroup returns the services that name a group of contacts.
func (a *Account) ServicesInGroup(group string) join.Joined[*client.Service] {
	if group == "" {
		return noneNamed[*client.Service]()
	}
	groups := Memo(a, "services of groups", func() map[string][]*client.Service {
		return groupBy(a.Services().Rows(), func(s *client.Service) []string { return nonEmpty(s.Group) })
	}, a.Services())
	return join.Join(groups[group], join.StateOf(a.Services()))
}

// ContactsInGroup returns the contacts of a group. The API links them only by the group's name.
func (a *Account) ContactsInGroup(group string) join.Joined[*client.Contact] {
	if group == "" {
		return noneNamed[*client.Contact]()
	}
	groups := Memo(a, "contacts of groups", func() map[string][]*client.Contact {
		return groupBy(a.Contacts().Rows(), func(c *client.Contact) []string { return nonEmpty(c.Group.ServerText) })
	}, a.Contacts())
	return join.Join(groups[group], join.StateOf(a.Contacts()))
}

// nonEmpty returns a text as the only key, or no key if it is empty.
func nonEmpty(text client.ServerText) []string {
	if text.Raw() == "" {
		return nil
	}
	return []string{text.Raw()}
}

// ContactGroups returns the names of the contacts' groups, each once, in order.
func (a *Account) ContactGroups() join.Joined[string] {
	groups := Memo(a, "groups", func() []string {
		var names []string
		for _, c := range a.Contacts().Rows() {
			names = append(names, nonEmpty(c.Group.ServerText)...)
		}
		slices.Sort(names)
		return slices.Compact(names)
	}, a.Contacts())
	return join.Join(groups, join.StateOf(a.Contacts()))
}

// SuggestedGroups returns the groups that a form can offer now. Any other may be typed.
func (a *Account) SuggestedGroups() []string { return join.Found(a.ContactGroups()) }

// ServicesUsingCredential returns the services that a credential was given for.
func (a *Account) ServicesUsingCredential(credential int) join.Joined[*client.Service] {
	services := Memo(a, "services of credentials", func() map[int][]*client.Service {
		return groupBy(a.Services().Rows(), func(s *client.Service) []int { return unique(s.Credentials) })
	}, a.Services())
	return join.Join(services[credential], join.StateOf(a.Services()))
}

// IssuesOfService returns the issues that name a service, newest first.
func (a *Account) IssuesOfService(service int) join.Joined[*client.Issue] {
	return join.Join(a.issuesByService()[service], join.StateOf(a.Issues()))
}

// issuesByService returns the issues by the services that they name, newest first.
func (a *Account) issuesByService() map[int][]*client.Issue {
	return Memo(a, "issues of services", func() map[int][]*client.Issue {
		return groupBy(a.IssuesNewestFirst(), func(i *client.Issue) []int { return unique(i.Services) })
	}, a.Issues())
}

// unique returns numbers in order, each once.
func unique(ids []int) []int {
	ids = slices.Sorted(slices.Values(ids))
	return slices.Compact(ids)
}

// StatusCount says how many services have a status.
type StatusCount struct {
	Status client.ServiceStatus
	Count  int
}

// StatusCounts counts the services by their status, problems first.
func (a *Account) StatusCounts() join.Joined[StatusCount] {
	counts := Memo(a, "services by state", func() []StatusCount {
		byStatus := map[client.ServiceStatus]int{}
		for _, s := range a.Services().Rows() {
			byStatus[s.Status]++
		}
		var counts []StatusCount
		for status, n := range byStatus {
			counts = append(counts, StatusCount{status, n})
		}
		sort.Slice(counts, func(i, j int) bool {
			c, d := counts[i].Status, counts[j].Status
			return cmp.Or(StatusRank(c)-StatusRank(d), cmp.Compare(c, d)) < 0
		})
		return counts
	}, a.Services())
	return join.Join(counts, join.StateOf(a.Services()))
}

// hostIndex holds the positions of services by the whole host name of their address, and by its first label.
type hostIndex struct{ byHost, byFirstLabel map[string][]int }

func (a *Account) indexHosts() hostIndex {
	return Memo(a, "hosts of services", func() hostIndex {
		h := hostIndex{map[string][]int{}, map[string][]int{}}
		for i, s := range a.Services().Rows() {
			whole, first := hostNames(s)
			if whole != "" {
				h.byHost[whole], h.byFirstLabel[first] = append(h.byHost[whole], i), append(h.byFirstLabel[first], i)
			}
		}
		return h
	}, a.Services())
}

// ServicesOnInstance returns the services whose address may stand for an instance.
func (a *Account) ServicesOnInstance(i *client.Instance) join.Joined[*client.Service] {
	h, label := a.indexHosts(), i.Label.Raw()
	return rowsAt(a.Services(), h.byHost[label], h.byFirstLabel[label], h.byHost[i.SSH.IP.Raw()])
}

// InstancesOfService returns the instances that a service's address may stand for. The API does not link services and
// instances, so the address's host is compared with an instance's label (whole, or the first part of a host name) and
// with its SSH address.
func (a *Account) InstancesOfService(s *client.Service) join.Joined[*client.Instance] {
	type names struct{ label, address map[string][]int }
	known := Memo(a, "names of instances", func() names {
		n := names{map[string][]int{}, map[string][]int{}}
		for at, i := range a.Instances().Rows() {
			label, address := i.Label.Raw(), i.SSH.IP.Raw()
			n.label[label], n.address[address] = append(n.label[label], at), append(n.address[address], at)
		}
		return n
	}, a.Instances())
	whole, first := hostNames(s)
	if whole == "" {
		return noneNamed[*client.Instance]()
	}
	return rowsAt(a.Instances(), known.label[whole], known.label[first], known.address[whole])
}

// rowsAt returns the rows of a store at positions, each once, in the order of the store.
func rowsAt[T any](set *lists.RowStore[T], places ...[]int) join.Joined[T] {
	all := unique(slices.Concat(places...))
	rows := make([]T, len(all))
	for n, i := range all {
		rows[n] = set.At(i)
	}
	return join.Join(rows, join.StateOf(set))
}

// QuotedService returns ServiceName for a sentence.
func (a *Account) QuotedService(id int) string {
	if s, found := a.Services().Get(FormatID(id)); found {
		return wording.Quoted(s.Label.String())
	}
	return a.ServiceName(id)
}

// ServiceName returns a service's label. Without it, it returns "#7" until all services are known, then "#7 (deleted)".
func (a *Account) ServiceName(id int) string {
	s, found := a.Services().Get(FormatID(id))
	switch {
	case found:
		return s.Label.String()
	case join.StateOf(a.Services()).Kind == join.Known:
		return fmt.Sprintf("#%d (deleted)", id)
	}
	return fmt.Sprintf("#%d", id)
}

// IssuesSince returns the issues that were detected at a time or later, newest first.
func (a *Account) IssuesSince(t time.Time) join.Joined[*client.Issue] {
	rows := a.IssuesNewestFirst()
	n := sort.Search(len(rows), func(n int) bool { return rows[n].Created.Time().Before(t) })
	return join.Join(rows[:n:n], join.StateOf(a.Issues()))
}

// IssuesNewestFirst returns the issues read so far, the latest first.
func (a *Account) IssuesNewestFirst() []*client.Issue {
	return Memo(a, "issues newest first", func() []*client.Issue {
		rows := a.Issues().Rows()
		slices.SortStableFunc(rows, func(i, j *client.Issue) int {
			return cmp.Or(j.Created.Time().Compare(i.Created.Time()), j.ID-i.ID)
		})
		return rows
	}, a.Issues())
}

// hostNames returns the host of a service's address, and its first label.
func hostNames(s *client.Service) (whole, first string) {
	whole = addressHost(s.Address.Raw())
	first, _, _ = strings.Cut(whole, ".")
	return whole, first
}

// AffectedServices returns the services of an issue that still exist.
func (a *Account) AffectedServices(i *client.Issue) join.Joined[*client.Service] {
	if len(i.Services) == 0 {
		return noneNamed[*client.Service]()
	}
	var services []*client.Service
	for _, id := range i.Services {
		if s, found := a.Services().Get(FormatID(id)); found {
			services = append(services, s)
		}
	}
	if len(services) == len(i.Services) {
		return join.Join(services, join.JoinState{Kind: join.Known}) // whatever others there may be
	}
	return join.Join(services, join.StateOf(a.Services()))
}

// CredentialLabels returns the labels of credentials, "#7" for one whose label is not known.
func (a *Account) CredentialLabels(ids []int) join.Joined[string] {
	names, known := make([]string, len(ids)), true
	for i, id := range ids {
		c, found := a.Credentials().Get(FormatID(id))
		if known = known && found; found {
			names[i] = c.Label.String()
			continue
		}
		names[i] = fmt.Sprintf("#%d", id)
	}
	if known {
		return join.Join(names, join.JoinState{Kind: join.Known})
	}
	return join.Join(names, join.StateOf(a.Credentials()))
}

// BucketsInCluster returns the buckets of a cluster.
func (a *Account) BucketsInCluster(cluster string) join.Joined[*client.Bucket] {
	buckets := Memo(a, "buckets of clusters", func() map[string][]*client.Bucket {
		return groupBy(a.Buckets().Rows(), func(b *client.Bucket) []string { return nonEmpty(b.Cluster) })
	}, a.Buckets())
	return join.Join(buckets[cluster], join.StateOf(a.Buckets()))
}

// KeysForBucket returns the limited keys that reach a bucket.
func (a *Account) KeysForBucket(b *client.Bucket) join.Joined[*client.AccessKey] {
	keys := Memo(a, "keys of buckets", func() map[string][]*client.AccessKey {
		return groupBy(a.Keys().Rows(), func(k *client.AccessKey) (buckets []string) {
			for _, g := range k.Buckets {
				if id := g.BucketID(); FormatPermission(g.Permissions) != "" && !slices.Contains(buckets, id) {
					buckets = append(buckets, id)
				}
			}
			return buckets
		})
	}, a.Keys())
	return join.Join(keys[b.ID()], join.StateOf(a.Keys()))
}

// UnlimitedKeys returns the keys that reach every bucket.
func (a *Account) UnlimitedKeys() join.Joined[*client.AccessKey] {
	return a.keysThat("keys without a limit", func(k *client.AccessKey) bool {
		all, _ := k.ReachesAll()
		return all
	})
}

// KeysOfUnknownReach returns the keys of which the API does not report what they reach.
func (a *Account) KeysOfUnknownReach() join.Joined[*client.AccessKey] {
	return a.keysThat("keys with unknown access", func(k *client.AccessKey) bool {
		_, known := k.ReachesAll()
		return !known
	})
}

func (a *Account) keysThat(name string, holds func(*client.AccessKey) bool) join.Joined[*client.AccessKey] {
	rows := Memo(a, name, func() []*client.AccessKey {
		return slices.DeleteFunc(a.Keys().Rows(), func(k *client.AccessKey) bool { return !holds(k) })
	}, a.Keys())
	return join.Join(rows, join.StateOf(a.Keys()))
}

// StorageTotal returns what the buckets hold together, as far as they have been read.
func (a *Account) StorageTotal() client.StorageTotal {
	return Memo(
		a, "storage total", func() client.StorageTotal { return client.TotalOf(a.Buckets().Rows()) }, a.Buckets(),
	)
}

// BucketPermission returns what a key may do in a bucket, "" if nothing or if the key is not limited.
func BucketPermission(k *client.AccessKey, b *client.Bucket) string {
	for _, g := range k.Buckets {
		if g.BucketID() == b.ID() {
			return FormatPermission(g.Permissions)
		}
	}
	return ""
}

// addressHost returns the host of an address: of a URL, or of host:port.
func addressHost(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Hostname()
	}
	if h, _, err := net.SplitHostPort(address); err == nil {
		return h
	}
	return strings.Trim(address, "[]")
}

// FormatPermission returns the permission of a grant in words. One that the document does not name is shown as it came.
func FormatPermission(p client.ServerText) string {
	switch p.Raw() {
	case "read_only":
		return string(ReadOnly)
	case "read_write":
		return string(ReadWrite)
	}
	return p.String()
}

// GrantLevel is what a limited key may do with a bucket.
type GrantLevel string

// The levels.
const (
	NoAccess  GrantLevel = "none"
	ReadOnly  GrantLevel = "read only"
	ReadWrite GrantLevel = "read and write"
)
