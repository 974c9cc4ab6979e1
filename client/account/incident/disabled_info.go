package incident

import (
	"slices"
	"strconv"
	"time"

	"lookout/client"
	"lookout/client/journal"
	"lookout/client/window"
	"lookout/client/wording"
)

// DisabledInfo is what is known about a disabled service: since when, until when, by whom and why.
type DisabledInfo struct {
	Since  time.Time // zero if nothing is known
	Bound  bool      // Since is only a lower bound of the age: the service may have been disabled for longer
	Until  time.Time // when it is to be enabled again; zero if no time was set
	Reason string    // as it was given, not cleaned
	Ours   bool      // the change that disabled it is in this machine's journal
	// Perhaps is set if that journal has a change that may have disabled it: its answer was lost.
	Perhaps bool
}

// Age returns for how long the service has been disabled: "2 d 4 h", or "≥ 2 d 4 h" if that is only a lower bound. It
// returns "" if nothing is known.
func (d DisabledInfo) Age(now time.Time) string {
	switch {
	case d.Since.IsZero():
		return ""
	case d.Bound:
		return "≥ " + wording.FormatAge(now.Sub(d.Since))
	}
	return wording.FormatAge(now.Sub(d.Since))
}

// forgottenAfter is the age at which a disabled service is marked: somebody may have forgotten it.
const forgottenAfter = 24 * time.Hour

// Forgotten reports whether the service has been disabled for so long that somebody may have forgotten it.
func (d DisabledInfo) Forgotten(now time.Time) bool {
	return !d.Since.IsZero() && now.Sub(d.Since) > forgottenAfter
}

// clockTolerance is how far the clocks of this machine and of the API may be apart: two times that are closer are taken
// to be of the same change.
const clockTolerance = time.Minute

// MayHaveDisabled reports whether one of the changes whose outcome is not known may have disabled a service.
func MayHaveDisabled(service int, unresolved []journal.Entry) bool {
	return slices.ContainsFunc(unresolved, func(e journal.Entry) bool {
		return e.Change.Op == client.OpDisableService && e.Change.ID == strconv.Itoa(service)
	})
}

// DisabledInfo returns what is known about a disabled service: from the window that this machine's journal holds for
// it, nil if there is none, from what was seen, and from when it was updated last. The window counts unless the service
// was seen enabled since.
func (m *Observations) DisabledInfo(service int, updated time.Time, w *window.Window) DisabledInfo {
	seen := m.Services[service]
	d := DisabledInfo{Since: seen.Disabled, Bound: !seen.Exact}
	if d.Since.IsZero() {
		d.Since = updated // before the first look at all services
	}
	if w == nil || m.EnabledSince(service, w.Since.Add(clockTolerance)) {
		return d
	}
	switch {
	case d.Since.IsZero() || seen.Disabled.IsZero() || w.Since.Before(d.Since):
		d.Since, d.Bound = w.Since, false
	case w.Since.Sub(d.Since) < clockTolerance:
		d.Bound = false
	}
	d.Until, d.Reason, d.Ours, d.Perhaps = w.End, w.Reason, !w.ByReading, w.ByReading
	return d
}
