package views

import (
	"slices"

	"lookout/client"
	"lookout/ui"
)

// A join is something made from sets, and the versions that they had.
type join struct {
	of    []versioned
	at    []int
	value any
}

// versioned is a set that says when its rows have changed.
type versioned interface{ Version() int }

// fresh reports whether none of the sets has changed since.
func (j *join) fresh() bool {
	for i, set := range j.of {
		if set.Version() != j.at[i] {
			return false
		}
	}
	return true
}

// derived is a join that is made when it is first asked for and stands until one of its sets has changed: frames come far more often than
// answers. It belongs to everybody and nobody may change it.
func derived[V any](a *Account, name string, make func() V, of ...versioned) V {
	j := a.joins[name]
	if j == nil || !j.fresh() {
		j = &join{of: of, value: make()}
		for _, set := range of {
			j.at = append(j.at, set.Version())
		}
		a.joins[name] = j
	}
	return j.value.(V)
}

// by puts rows beneath the keys that they have, in their order.
func by[T any, K comparable](rows []T, keys func(T) []K) map[K][]T {
	found := map[K][]T{}
	for _, row := range rows {
		for _, key := range keys(row) {
			found[key] = append(found[key], row)
		}
	}
	return found
}

// servicesOfGroup are the services that name a group of contacts.
func (a *Account) servicesOfGroup(group string) []*client.Service {
	return derived(a, "services of groups", func() map[string][]*client.Service {
		return by(a.services().Rows(), func(s *client.Service) []string { return named(s.Group) })
	}, a.services())[group]
}

// inGroup are the contacts of a group. The document links them by nothing but the group's name.
func (a *Account) inGroup(group string) []*client.Contact {
	return derived(a, "contacts of groups", func() map[string][]*client.Contact {
		return by(a.contacts().Rows(), func(c *client.Contact) []string { return named(c.Group.Text) })
	}, a.contacts())[group]
}

// named is a text as the only key, or no key where it is empty.
func named(text client.Text) []string {
	if text.Raw() == "" {
		return nil
	}
	return []string{text.Raw()}
}

// groups are the names of the contacts' groups, each once, in order.
func (a *Account) groups() []string {
	return derived(a, "groups", func() []string {
		var names []string
		for _, c := range a.contacts().Rows() {
			names = append(names, named(c.Group.Text)...)
		}
		slices.Sort(names)
		return slices.Compact(names)
	}, a.contacts())
}

// servicesUsing are the services that a credential was given for.
func (a *Account) servicesUsing(credential int) []*client.Service {
	return derived(a, "services of credentials", func() map[int][]*client.Service {
		return by(a.services().Rows(), func(s *client.Service) []int { return unique(s.Credentials) })
	}, a.services())[credential]
}

// issuesOf are the issues that name a service, newest first.
func (a *Account) issuesOf(service int) []*client.Issue {
	return derived(a, "issues of services", func() map[int][]*client.Issue {
		return by(a.newestFirst(), func(i *client.Issue) []int { return unique(i.Services) })
	}, a.issues())[service]
}

// unique are numbers, each once.
func unique(ids []int) []int {
	ids = slices.Sorted(slices.Values(ids))
	return slices.Compact(ids)
}

// servicesIn counts services by their state.
func (a *Account) servicesIn() map[client.ServiceStatus]int {
	return derived(a, "services by state", func() map[client.ServiceStatus]int {
		counts := map[client.ServiceStatus]int{}
		for _, s := range a.services().Rows() {
			counts[s.Status]++
		}
		return counts
	}, a.services())
}

// notWell are the services in trouble, then those that are disabled.
func (a *Account) notWell() []*client.Service {
	return derived(a, "services not well", func() []*client.Service {
		rows := slices.DeleteFunc(a.services().Rows(), func(s *client.Service) bool {
			return s.Status != client.StatusProblem && s.Status != client.StatusDisabled
		})
		slices.SortStableFunc(rows, func(s, t *client.Service) int { return rank(s.Status) - rank(t.Status) })
		return rows
	}, a.services())
}

// hosts are the places of services by the names that an instance may have for them: the whole host, and its first part.
type hosts struct{ whole, first map[string][]int }

func (a *Account) hosts() hosts {
	return derived(a, "hosts of services", func() hosts {
		h := hosts{map[string][]int{}, map[string][]int{}}
		for i, s := range a.services().Rows() {
			whole, first := hostNames(s)
			if whole != "" {
				h.whole[whole], h.first[first] = append(h.whole[whole], i), append(h.first[first], i)
			}
		}
		return h
	}, a.services())
}

// servicesOn are the services whose address may stand for an instance.
func (a *Account) servicesOn(i *client.Instance) []*client.Service {
	h, label := a.hosts(), i.Label.Raw()
	return rowsAt(a.services(), h.whole[label], h.first[label], h.whole[i.SSH.IP.Raw()])
}

// instancesOf are the instances that a service's address may stand for. The document links services and instances by nothing, so
// the address's host is compared with an instance's label (whole, or the first part of a host name) and with its SSH address.
func (a *Account) instancesOf(s *client.Service) []*client.Instance {
	type names struct{ label, address map[string][]int }
	known := derived(a, "names of instances", func() names {
		n := names{map[string][]int{}, map[string][]int{}}
		for at, i := range a.instances().Rows() {
			label, address := i.Label.Raw(), i.SSH.IP.Raw()
			n.label[label], n.address[address] = append(n.label[label], at), append(n.address[address], at)
		}
		return n
	}, a.instances())
	whole, first := hostNames(s)
	if whole == "" {
		return nil
	}
	return rowsAt(a.instances(), known.label[whole], known.label[first], known.address[whole])
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
