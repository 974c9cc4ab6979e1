package emulator

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

// consistency is what the emulator needs for faults with Late and Stale.
type consistency struct {
	simulated   time.Time // while it is not zero, this is the current time
	lateChanges []lateChange
	history     history
}

// history holds the account after each change. It is kept only while a fault with Stale needs it.
type history struct {
	states []pastAccount // oldest first
	reach  time.Duration // how far it reaches back
}

// A lateChange is a change that was answered with an error and is applied later.
type lateChange struct {
	due   time.Time
	apply func()
}

// pastAccount is a copy of the account.
type pastAccount struct {
	at    time.Time
	state account
}

// now returns the time at which the current request is executed. The caller holds the lock.
func (e *Emulator) now() time.Time {
	if !e.simulated.IsZero() {
		return e.simulated
	}
	return e.clock()
}

// at runs do as if it was another time. The caller holds the lock.
func (e *Emulator) at(when time.Time, do func()) {
	before := e.simulated
	e.simulated = when
	do()
	e.simulated = before
}

// postpone applies a request after a delay.
func (e *Emulator) postpone(r *http.Request, op Route, h handler, delay time.Duration) {
	later := r.Clone(context.WithoutCancel(r.Context()))
	if r.Body != nil {
		data, _ := readLimited(r.Body)
		r.Body, later.Body = io.NopCloser(bytes.NewReader(data)), io.NopCloser(bytes.NewReader(data))
	}
	e.addLateChange(delay, func() { e.execute(http.Header{}, later, op, h) })
}

// postponeObject applies an upload or a deletion at a pre-signed URL after a delay.
func (e *Emulator) postponeObject(r *http.Request, delay time.Duration) {
	b, name, status := e.verifyRequest(r)
	if status != 0 {
		return
	}
	later := r.Clone(context.WithoutCancel(r.Context()))
	switch r.Method {
	case http.MethodPut:
		if o, err := readObject(r, name, e.clock().Add(delay)); err == nil {
			e.addLateChange(delay, func() { e.storeObject(later, b, o) })
		}
	case http.MethodDelete:
		e.addLateChange(delay, func() { e.removeObject(later, b, name) })
	}
}

// answerOldRow answers a change of a row with the row as it was before. If apply is set, the change is applied.
func (e *Emulator) answerOldRow(w http.ResponseWriter, r *http.Request, op Route, h handler, apply bool) {
	e.mu.Lock()
	before := e.account.copyAccount()
	e.mu.Unlock()
	if !apply {
		op.Write, h = false, func(*apiRequest) (any, error) { return emptyObject{}, nil }
	}
	status, answer := e.process(w, r, op, h, 0)
	if row := before.rowAt(r); row != nil && status == http.StatusOK {
		answer = row
	}
	writeJSON(w, status, answer)
}

// rowAt returns the row that a request is about, or nil.
func (a *account) rowAt(r *http.Request) any {
	id, err := strconv.Atoi(r.PathValue("id"))
	if err != nil {
		return nil
	}
	var row any
	switch path := r.URL.Path; {
	case strings.Contains(path, "/contacts/"):
		row = findByID(a.contacts, id, func(x *contact) int { return x.ID })
	case strings.Contains(path, "/credentials/"):
		row = findByID(a.credentials, id, func(x *credential) int { return x.ID })
	case strings.Contains(path, "/services/"):
		row = findByID(a.services, id, func(x *service) int { return x.ID })
	case strings.Contains(path, "-settings/"):
		row = findByID(a.instances, id, func(x *instance) int { return x.ID })
	case strings.Contains(path, "/keys/"):
		row = findByID(a.keys, id, func(x *key) int { return x.ID })
	}
	if row == nil || reflect.ValueOf(row).IsNil() {
		return nil
	}
	return row
}

func (e *Emulator) addLateChange(delay time.Duration, apply func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lateChanges = append(e.lateChanges, lateChange{e.clock().Add(delay), apply})
	sort.SliceStable(e.lateChanges, func(i, j int) bool { return e.lateChanges[i].due.Before(e.lateChanges[j].due) })
}

// applyLateChanges applies the late changes that are due, each at its own time. The caller holds the lock.
func (e *Emulator) applyLateChanges() {
	for len(e.lateChanges) > 0 && !e.lateChanges[0].due.After(e.now()) {
		next := e.lateChanges[0]
		e.lateChanges = e.lateChanges[1:]
		e.at(next.due, func() {
			e.passTime()
			next.apply()
		})
	}
}

// keep makes the history reach back this far, beginning with the account as it is now.
func (h *history) keep(reach time.Duration, now time.Time, a *account) {
	h.reach = max(h.reach, reach)
	if len(h.states) == 0 {
		h.states = []pastAccount{{now, a.copyAccount()}}
	}
}

// add adds the account if a history is kept, and drops what is too old.
func (h *history) add(now time.Time, a *account) {
	if len(h.states) == 0 {
		return
	}
	h.states = append(h.states, pastAccount{now, a.copyAccount()})
	for len(h.states) > 1 && !h.states[1].at.After(now.Add(-h.reach)) {
		h.states = h.states[1:]
	}
}

// stateAt returns a copy of the account as it was at a time, or of the oldest one that is known.
func (h *history) stateAt(when time.Time) account {
	past := &h.states[0]
	for i := range h.states {
		if !h.states[i].at.After(when) {
			past = &h.states[i]
		}
	}
	return past.state.copyAccount()
}

// withAge runs do on the account as it was age ago, or on the oldest one that is known. The caller holds the lock.
func (e *Emulator) withAge(age time.Duration, do func()) {
	if age <= 0 || len(e.history.states) == 0 {
		do()
		return
	}
	when := e.now().Add(-age)
	current := e.account
	e.account = e.history.stateAt(when)
	e.at(when, func() {
		e.passTime()
		do()
	})
	e.account = current
}

// copyAccount copies the rows of the account. Values that rows point to are shared, because they are replaced and never
// changed.
func (a *account) copyAccount() account {
	c := *a
	c.contacts = copyRows(a.contacts)
	c.credentials = copyRows(a.credentials)
	c.services = copyRows(a.services)
	c.issues = copyRows(a.issues)
	c.instances = copyRows(a.instances)
	c.tickets = copyRows(a.tickets)
	c.keys = copyRows(a.keys)
	c.buckets = copyRows(a.buckets)
	for _, b := range c.buckets {
		b.objects = b.objects.copyStore()
	}
	return c
}

func copyRows[T any](rows []*T) []*T {
	copied := make([]*T, len(rows))
	for i, row := range rows {
		value := *row
		copied[i] = &value
	}
	return copied
}

func (s *objectStore) copyStore() *objectStore {
	c := *s
	c.stored, c.storedNames, c.deleted = maps.Clone(s.stored), slices.Clone(s.storedNames), maps.Clone(s.deleted)
	return &c
}
