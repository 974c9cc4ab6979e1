package account

import (
	"cmp"
	"fmt"
	"lookout/client"
	"lookout/ui"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"
)

// A memoEntry is something made from sets, and the versions that they had.
type memoEntry struct {
	sources  []versioned
	versions []int
	value    any
}

// versioned is a set that says when its rows have changed.
type versioned interface{ Version() int }

// fresh reports whether none of the sets has changed since.
func (j *memoEntry) fresh() bool {
	for i, set := range j.sources {
		if set.Version() != j.versions[i] {
			return false
		}
	}
	return true
}

// memo is a join that is made when it is first asked for and stands until one of its sets has changed: frames come far
// more often than answers. It belongs to everybody and nobody may change it.
func Memo[V any](a *Account, name string, make func() V, of ...versioned) V {
	j := a.memoEntries[name]
	if j == nil || !j.fresh() {
		j = &memoEntry{sources: of, value: make()}
		for _, set := range of {
			j.versions = append(j.versions, set.Version())
		}
		a.memoEntries[name] = j
	}
	return j.value.(V)
}

// groupBy puts rows beneath the keys that they have, in their order.
func groupBy[T any, K comparable](rows []T, keys func(T) []K) map[K][]T {
	found := map[K][]T{}
	for _, row := range rows {
		for _, key := range keys(row) {
			found[key] = append(found[key], row)
		}
	}
	return found
}

// servicesInGroup are the services that name a group of contacts.
func (a *Account) ServicesInGroup(group string) []*client.Service {
	return Memo(a, "services of groups", func() map[string][]*client.Service {
		return groupBy(a.Services().Rows(), func(s *client.Service) []string { return named(s.Group) })
	}, a.Services())[group]
}

// contactsInGroup are the contacts of a group. The document links them by nothing but the group's name.
func (a *Account) ContactsInGroup(group string) []*client.Contact {
	return Memo(a, "contacts of groups", func() map[string][]*client.Contact {
		return groupBy(a.Contacts().Rows(), func(c *client.Contact) []string { return named(c.Group.Text) })
	}, a.Contacts())[group]
}

// named is a text as the only key, or no key where it is empty.
func named(text client.Text) []string {
	if text.Raw() == "" {
		return nil
	}
	return []string{text.Raw()}
}

// contactGroups are the names of the contacts' groups, each once, in order.
func (a *Account) ContactGroups() []string {
	return Memo(a, "groups", func() []string {
		var names []string
		for _, c := range a.Contacts().Rows() {
			names = append(names, named(c.Group.Text)...)
		}
		slices.Sort(names)
		return slices.Compact(names)
	}, a.Contacts())
}

// servicesUsingCredential are the services that a credential was given for.
func (a *Account) ServicesUsingCredential(credential int) []*client.Service {
	return Memo(a, "services of credentials", func() map[int][]*client.Service {
		return groupBy(a.Services().Rows(), func(s *client.Service) []int { return unique(s.Credentials) })
	}, a.Services())[credential]
}

// issuesOfService are the issues that name a service, newest first.
func (a *Account) IssuesOfService(service int) []*client.Issue {
	return Memo(a, "issues of services", func() map[int][]*client.Issue {
		return groupBy(NewestFirst(a), func(i *client.Issue) []int { return unique(i.Services) })
	}, a.Issues())[service]
}

// unique are numbers, each once.
func unique(ids []int) []int {
	ids = slices.Sorted(slices.Values(ids))
	return slices.Compact(ids)
}

// serviceCountByStatus counts services by their state.
func (a *Account) ServiceCountByStatus() map[client.ServiceStatus]int {
	return Memo(a, "services by state", func() map[client.ServiceStatus]int {
		counts := map[client.ServiceStatus]int{}
		for _, s := range a.Services().Rows() {
			counts[s.Status]++
		}
		return counts
	}, a.Services())
}

// unhealthyServices are the services in trouble, then those that are disabled.
func (a *Account) UnhealthyServices() []*client.Service {
	return Memo(a, "services not well", func() []*client.Service {
		rows := slices.DeleteFunc(a.Services().Rows(), func(s *client.Service) bool {
			return s.Status != client.StatusProblem && s.Status != client.StatusDisabled
		})
		slices.SortStableFunc(
			rows,
			func(s, t *client.Service) int { return StatusRank(s.Status) - StatusRank(t.Status) },
		)
		return rows
	}, a.Services())
}

// hostIndex are the places of services by the names that an instance may have for them: the whole host, and its first
// part.
type hostIndex struct{ byHost, byFirstLabel map[string][]int }

func (a *Account) hostIndex() hostIndex {
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

// servicesOnInstance are the services whose address may stand for an instance.
func (a *Account) ServicesOnInstance(i *client.Instance) []*client.Service {
	h, label := a.hostIndex(), i.Label.Raw()
	return rowsAt(a.Services(), h.byHost[label], h.byFirstLabel[label], h.byHost[i.SSH.IP.Raw()])
}

// instancesOfService are the instances that a service's address may stand for. The document links services and
// instances by nothing, so the address's host is compared with an instance's label (whole, or the first part of a host
// name) and with its SSH address.
func (a *Account) InstancesOfService(s *client.Service) []*client.Instance {
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
		return nil
	}
	return rowsAt(a.Instances(), known.label[whole], known.label[first], known.address[whole])
}

// rowsAt are the rows of a set at places, each once, in the order of the set.
func rowsAt[T any](set *ui.Store[T], places ...[]int) []T {
	all := unique(slices.Concat(places...))
	rows := make([]T, len(all))
	for n, i := range all {
		rows[n] = set.At(i)
	}
	return rows
}

// serviceName is a service's label; #7 until the services have arrived, and said to be gone once they are known without
// it.
func ServiceName(a *Account, id int) string {
	s, found := a.Services().Get(FormatID(id))
	switch {
	case found:
		return s.Label.String()
	case a.Services().Complete():
		return fmt.Sprintf("#%d (deleted)", id)
	}
	return fmt.Sprintf("#%d", id)
}

// isIssueOpen reports whether an issue is still to be dealt with: its ticket is not closed where that is known,
// else it is the newest issue of a service that is in the state problem.
func IsIssueOpen(a *Account, i *client.Issue) bool {
	if state, known := a.Tickets.Lookup(i.Ticket.ID); known {
		return state.IsOpen()
	}
	return slices.ContainsFunc(i.Services, func(id int) bool {
		s, found := a.Services().Get(FormatID(id))
		newest, known := NewestIssue(a, id)
		return found && s.Status == client.StatusProblem && known && newest.ID == i.ID
	})
}

func IssuesSince(a *Account, t time.Time) []*client.Issue {
	rows := NewestFirst(a)
	n := slices.IndexFunc(rows, func(i *client.Issue) bool { return i.Created.Time().Before(t) })
	if n < 0 {
		n = len(rows)
	}
	return rows[:n:n]
}

// newestFirst are all issues, the latest detection first.
func NewestFirst(a *Account) []*client.Issue {
	return Memo(a, "issues newest first", func() []*client.Issue {
		rows := a.Issues().Rows()
		slices.SortStableFunc(rows, func(i, j *client.Issue) int {
			return cmp.Or(j.Created.Time().Compare(i.Created.Time()), j.ID-i.ID)
		})
		return rows
	}, a.Issues())
}

func NewestIssue(a *Account, service int) (*client.Issue, bool) {
	if issues := a.IssuesOfService(service); len(issues) > 0 {
		return issues[0], true
	}
	return nil, false
}

// hostNames are the host of a service's address and the first part of it.
func hostNames(s *client.Service) (whole, first string) {
	whole = addressHost(s.Address.Raw())
	first, _, _ = strings.Cut(whole, ".")
	return whole, first
}

// affectedServices are the services of an issue that still exist.
func AffectedServices(a *Account, i *client.Issue) []*client.Service {
	var services []*client.Service
	for _, id := range i.Services {
		if s, found := a.Services().Get(FormatID(id)); found {
			services = append(services, s)
		}
	}
	return services
}

// credentialLabels names credentials; #7 where the label is not known.
func (a *Account) CredentialLabels(ids []int) []string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = fmt.Sprintf("#%d", id)
		if c, found := a.Credentials().Get(FormatID(id)); found {
			names[i] = c.Label.String()
		}
	}
	return names
}

func (a *Account) BucketsInCluster(cluster string) []*client.Bucket {
	var rows []*client.Bucket
	for _, k := range a.Buckets().Rows() {
		if k.Cluster.Raw() == cluster {
			rows = append(rows, k)
		}
	}
	return rows
}

// keysForBucket are the keys that are limited to some buckets, this one among them.
func (a *Account) KeysForBucket(b *client.Bucket) []*client.Key {
	return slices.DeleteFunc(a.Keys().Rows(), func(k *client.Key) bool { return BucketPermission(k, b) == "" })
}

func BucketPermission(k *client.Key, b *client.Bucket) string {
	for _, g := range k.Buckets {
		if g.Bucket.Raw() == b.Label.Raw() && g.Cluster.Raw() == b.Cluster.Raw() {
			return FormatPermission(g.Permissions)
		}
	}
	return ""
}

// addressHost is the host of a service's address: a URL's, or what stands before the port.
func addressHost(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Hostname()
	}
	if h, _, err := net.SplitHostPort(address); err == nil {
		return h
	}
	return strings.Trim(address, "[]")
}

// formatPermission is a grant's permission as a reader says it. One that is not known is shown as it came.
func FormatPermission(p client.Text) string {
	switch p.Raw() {
	case "read_only":
		return string(ReadOnly)
	case "read_write":
		return string(ReadWrite)
	}
	return p.String()
}

// A grantLevel is what a limited key may do with a bucket.
type GrantLevel string

const (
	NoAccess  GrantLevel = "none"
	ReadOnly  GrantLevel = "read only"
	ReadWrite GrantLevel = "read and write"
)
