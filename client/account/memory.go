package account

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"lookout/client"
	"lookout/client/account/incident"
	"lookout/client/journal"
	"lookout/client/statefile"
	"lookout/client/window"
	"lookout/client/wording"
)

// memory is what was seen of the account, and its file.
type memory struct {
	read         func() rememberedFile  // reads the file, only once, and may be called off the event loop
	seen         *incident.Observations // nil until observations is called
	file         statefile.StateFile
	err          error // why the file could not be read, in a clean text: it names a path
	reported     bool  // err was reported
	saved        int   // changes of seen that the file has
	savedAt      time.Time
	saving       bool
	held         bool // see HoldMemory
	failed       bool // the last attempt to write the file failed
	retryAt      time.Time
	version      int       // grows with every observation
	readAt       time.Time // when the services that were observed last were read
	services     int       // versions of what was observed last
	journal      int
	issues       int
	unsaved      *unsavedMemory
	published    int                      // changes of seen that unsaved has
	judgedAt     time.Time                // when the services were read by which windows were judged
	notExplained []incident.ServiceChange // wait for the journal to be read
	byOthers     []incident.ServiceChange // are to be reported
}

// Version grows with every observation that changed something.
func (m *memory) Version() int { return m.version }

// HoldMemory decides whether the memory is held: nothing is compared with it, or written, while it may be another
// user's.
func (a *Account) HoldMemory(held bool) { a.memory.held = held }

// unsavedMemory is what the file does not have yet, for the end of the program, which does not wait for the event loop.
type unsavedMemory struct {
	atomic.Pointer[incident.Observations]
	mu    sync.Mutex // held while the file is written
	ended bool       // the file was written for the last time
}

// rememberedFile is what earlier runs have seen.
type rememberedFile struct {
	seen *incident.Observations
	file statefile.StateFile // nowhere if it could not be read: nothing is remembered then
	err  error
}

// newMemory returns a memory whose file is read when it is needed: that of thousands of services takes longer than the
// first frame.
func newMemory(file func() statefile.StateFile) memory {
	return memory{
		read:    sync.OnceValue(func() rememberedFile { return readMemory(file()) }),
		unsaved: &unsavedMemory{},
	}
}

// readMemory reads what earlier runs have seen.
func readMemory(file statefile.StateFile) rememberedFile {
	r := rememberedFile{file: file, seen: incident.NewMemory()}
	data, err := file.Read()
	if err == nil {
		r.seen, err = incident.Load(data)
	} else {
		r.file = statefile.StateFile{}
	}
	if err != nil {
		r.err = errors.New(client.Clean(err.Error()))
	}
	return r
}

// observations returns what was seen.
func (m *memory) observations() *incident.Observations {
	if m.seen == nil {
		r := m.read()
		m.seen, m.file, m.err = r.seen, r.file, r.err
		m.saved = m.seen.Changes()
		m.published = m.saved
	}
	return m.seen
}

// Observe compares services and issues with what was seen before. Differences are held until the journal has been read:
// another program on this machine may have caused them.
func (a *Account) Observe() {
	m := &a.memory
	if m.held {
		return
	}
	services := a.Services()
	if v, j := services.Version(), a.Journal.Version(); services.Loaded() && (v != m.services || j != m.journal) {
		read := services.Freshness().LoadedAt.Round(0).UTC()
		// a row that only this program has removed is missing in no list
		complete := services.Complete() && len(services.Missing()) == 0 && !read.Equal(m.readAt)
		changes := m.observations().Changes()
		if v != m.services {
			m.notExplained = append(m.notExplained, m.seen.Observe(incident.ServiceSnapshot{
				Services: services.Rows(),
				Complete: complete,
				Read:     read,
				Now:      a.Now().Round(0).UTC(),
			})...)
		}
		for _, w := range a.Journal.ActiveWindows() {
			if id, ok := parseServiceID(w.Service); ok {
				m.seen.SetDisabled(id, w.Since)
			}
		}
		m.services, m.journal, m.readAt = v, j, read
		if m.seen.Changes() != changes {
			m.version++
		}
	}
	a.explainDifferences()
	a.observeWindows()
}

// observeWindows ends the maintenance windows that others have ended, as the services tell.
func (a *Account) observeWindows() {
	m, services, keeper := &a.memory, a.Services(), a.Maintenance.Keeper
	read := services.Freshness().LoadedAt
	if read.Equal(m.judgedAt) || keeper == nil || a.API.ReadOnly() {
		return
	}
	m.judgedAt = read
	var rows []*client.Service
	for _, w := range a.Journal.Windows() {
		if s, found := services.Get(w.Service); found && w.State == window.Active && w.Judge(s, read) != window.AsLeft {
			rows = append(rows, s)
		}
	}
	if len(rows) > 0 {
		a.Go(func() (apply func()) {
			keeper.Observe(read, rows)
			return nil
		})
	}
}

// parseServiceID returns the id of a service in the journal.
func parseServiceID(id string) (int, bool) {
	n, err := strconv.Atoi(id)
	return n, err == nil
}

// explainDifferences reads the journal for changes of this machine that caused the differences.
func (a *Account) explainDifferences() {
	m, j := &a.memory, a.Journal
	if len(m.notExplained) == 0 {
		return
	}
	found := m.notExplained
	m.notExplained = nil
	rows := map[string]*client.Service{}
	for _, d := range found {
		id := FormatID(d.ID)
		if row, ok := a.Services().Get(id); ok {
			rows[id] = row
		}
	}
	a.Go(func() (apply func()) {
		_, _ = j.CatchUp() // if it cannot be read, what it has so far must do
		var own []incident.JournaledChange
		for _, e := range j.Entries(incident.Earliest(found)) {
			late := e.ByReading && e.Outcome != client.Applied
			refused := e.Outcome == client.NotSent || e.Outcome == client.Rejected && !late
			if e.Change.Resource == "service" && !refused {
				own = append(own, incident.JournaledChange{
					Op:      e.Change.Op,
					ID:      e.Change.ID,
					Label:   client.Clean(e.Change.Label),
					At:      e.Time,
					Late:    late,
					Members: editedMembers(&e, rows[e.Change.ID], late),
				})
			}
		}
		return func() {
			m.byOthers = append(m.byOthers, m.seen.ByOthers(found, own)...) // for the next call of Notices
			m.version++
		}
	})
}

// editedMembers returns the members that an edit has set; of one that readings did not show in time, those with the
// values that the service has now: somebody else may have set the others.
func editedMembers(e *journal.Entry, now *client.Service, late bool) []string {
	if e.Change.Op != client.OpUpdateService || late && now == nil {
		return nil
	}
	sent := client.FlattenJSON(e.Change.Body)
	if late {
		values := client.FlattenJSON(now.Request())
		maps.DeleteFunc(sent, func(name, value string) bool {
			return !client.MembersMatch(values, map[string]string{name: value})
		})
	}
	return slices.Collect(maps.Keys(sent))
}

// memorySaveInterval is how often the memory is saved although nothing has changed but the time of the last read.
const memorySaveInterval = 5 * time.Minute

// saveMemory writes the memory if something has changed, off the loop and once at a time.
func (a *Account) saveMemory() {
	m := &a.memory
	if m.held || m.seen == nil {
		return
	}
	changes := m.seen.Changes()
	if changes != m.published && !m.seen.Read.IsZero() {
		m.published = changes
		m.unsaved.Store(m.seen.Clone())
	}
	due := changes != m.saved || a.Now().Sub(m.savedAt) >= memorySaveInterval
	if m.file.Path() == "" || m.saving || !due || m.seen.Read.IsZero() || a.Now().Before(m.retryAt) {
		return
	}
	m.saving = true
	unsaved, file, seen, at := m.unsaved, m.file, m.seen.Clone(), a.Now()
	a.Go(func() (apply func()) {
		unsaved.mu.Lock()
		defer unsaved.mu.Unlock()
		var aside string
		var err error
		if !unsaved.ended {
			aside, err = writeMemory(file, seen)
		}
		return func() { a.memorySaved(changes, at, aside, err) }
	})
}

// writeUnsaved waits until the file is not being written, and writes what it does not have yet. Afterwards nothing is
// written any more. It may be called off the event loop.
func (m *memory) writeUnsaved() {
	m.unsaved.mu.Lock()
	defer m.unsaved.mu.Unlock()
	m.unsaved.ended = true
	if seen := m.unsaved.Load(); seen != nil && m.file.Path() != "" {
		_, _ = writeMemory(m.file, seen) // nobody is left to hear of a failure
	}
}

// writeMemory writes a memory, with what another program has written since. It sets a file aside that makes no sense.
func writeMemory(file statefile.StateFile, seen *incident.Observations) (aside string, err error) {
	data, err := file.Read()
	if err != nil {
		return "", err
	}
	if others, err := incident.Load(data); err == nil {
		seen.Merge(others)
	} else if aside, err = file.SetAside(); err != nil {
		return "", err
	}
	if data, err = seen.Encode(); err != nil {
		return aside, err
	}
	return aside, file.Replace(data)
}

// memorySaved notes that the memory was written, or reports the first failure. After one, the file is tried again
// later. aside is where a file is now that made no sense.
func (a *Account) memorySaved(changes int, at time.Time, aside string, err error) {
	m := &a.memory
	m.saving = false
	if aside != "" {
		a.Tell(Warn, "state: the file made no sense and was set aside as "+client.Clean(aside))
	}
	if err == nil {
		m.saved, m.savedAt, m.failed = changes, at, false
		if m.published == changes {
			m.unsaved.Store(nil)
		}
		return
	}
	if m.retryAt = a.Now().Add(time.Minute); !m.failed {
		m.failed = true
		a.Tell(Warn, wording.Reason(err)+" · anything seen now is forgotten when lookout ends")
	}
}
