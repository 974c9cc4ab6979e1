package account

import (
	"fmt"
	"slices"
	"strconv"

	"lookout/client"
	"lookout/client/window"
	"lookout/client/wording"
)

// activeWindows returns the active windows of the journal, by service.
func (a *Account) activeWindows() map[string]window.Window {
	return Memo(a, "active windows", a.Journal.ActiveWindows, a.Journal)
}

// unreadWindow returns the active window of a service whose row does not show it, because the window began after the
// services were read: another program has begun it.
func (a *Account) unreadWindow(s *client.Service) (window.Window, bool) {
	w, active := a.activeWindows()[FormatID(s.ID)]
	read := a.Services().Freshness().LoadedAt // zero while the first reading is under way
	return w, active && s.Status != client.StatusDisabled && !read.IsZero() && !w.At.Before(read)
}

// unreadWindowNote says that a row does not show its window.
func (a *Account) unreadWindowNote(s *client.Service) string {
	w, began := a.unreadWindow(s)
	if !began {
		return ""
	}
	return fmt.Sprintf("disabled %s ago; the list still says %s", wording.FormatAge(a.Now().Sub(w.At)), s.Status)
}

// unreadWindows returns the active windows, by service, that no row shows: those that began after the services were
// read, and those of services that are not read.
func (a *Account) unreadWindows() map[string]window.Window {
	set, found := a.Services(), map[string]window.Window{}
	complete := set.Complete() && len(set.Missing()) == 0
	for id, w := range a.activeWindows() {
		s, read := set.Get(id)
		unread := !complete || !w.At.Before(set.Freshness().LoadedAt)
		if read {
			_, unread = a.unreadWindow(s)
		}
		if unread {
			found[id] = w
		}
	}
	return found
}

// ServicesOff returns the services that are disabled, those that were disabled first before the others. What the
// journal has of a service counts until the service is read.
func (a *Account) ServicesOff() []*client.Service {
	return Memo(a, "services off", func() []*client.Service {
		var off []*client.Service
		for _, s := range a.Services().Rows() {
			if _, disabled := a.DisabledInfo(s); disabled {
				off = append(off, s)
			}
		}
		for id, w := range a.unreadWindows() {
			if _, read := a.Services().Get(id); !read {
				if s, ok := ServiceOfWindow(w); ok {
					off = append(off, s)
				}
			}
		}
		slices.SortStableFunc(off, func(s, t *client.Service) int {
			d, _ := a.DisabledInfo(s)
			e, _ := a.DisabledInfo(t)
			return d.Since.Compare(e.Since)
		})
		return off
	}, append(a.IncidentSources(), servicesRead{a})...)
}

// servicesRead is the time of the last reading of the services as a source of memos: it also counts if no row changed.
type servicesRead struct{ a *Account }

// Version returns the time.
func (r servicesRead) Version() int { return int(r.a.Services().Freshness().LoadedAt.UnixNano()) }

// ServiceOfWindow returns the service of a window as far as the journal knows it. It reports false if the window has no
// valid id.
func ServiceOfWindow(w window.Window) (*client.Service, bool) {
	id, err := strconv.Atoi(w.Service)
	return &client.Service{ID: id, Label: client.NewText(w.Label), Status: client.StatusDisabled}, err == nil
}
