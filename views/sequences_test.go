package views_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/emulator"
	"lookout/client/journal"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/shell"
	"lookout/views"
	"lookout/views/operation"
)

// programRun is one run of the program on an account whose journal and state are in files.
type programRun struct {
	*harness
	account *account.Account
	cancel  context.CancelFunc
}

// startRun starts the program on the services pane.
func startRun(t *testing.T, emu *emulator.Emulator, path string) *programRun {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := &harness{
		T:         t,
		ctx:       ctx,
		emu:       emu,
		transport: emu,
		width:     200,
		height:    60,
		queued:    make(chan struct{}, 1),
		loop:      &ui.EventLoop{},
	}
	var err error
	if r.journal, err = journal.Open(path, "acme-prod", time.Now); err != nil {
		t.Fatal(err)
	}
	if r.theme, err = theme.New("dark", colorprofile.ASCII, false); err != nil {
		t.Fatal(err)
	}
	if r.api, err = client.New(
		"https://api.example.test/v4", client.NewSecret(token), client.WithTransport(emu),
		client.WithRecorder(r.journal), client.WithDialect(client.DialectProvider),
	); err != nil {
		t.Fatal(err)
	}
	acc := r.newAccount(ctx, "acme-prod", r.api, r.journal)
	if r.shell, err = shell.New(shell.Options{
		Panes:           views.Panes(acc),
		Loop:            r.loop,
		Theme:           r.theme,
		AccountInfo:     shell.AccountInfo{Account: "acme-prod"},
		RefreshInterval: 20 * time.Second,
		Now:             time.Now,
		Location:        time.UTC,
		OnOpen:          func() tea.Cmd { return views.OnOpen(acc) },
		Notify: shell.NotifyOptions{
			Notices: func(paused bool) []ui.Notification {
				return operation.Notifications(acc.Notices(paused))
			},
		},
	}); err != nil {
		t.Fatal(err)
	}
	r.run(r.shell.Init())
	r.send(tea.WindowSizeMsg{Width: r.width, Height: r.height})
	r.press("1")
	r.wait(30 * time.Second)
	return &programRun{harness: r, account: acc, cancel: cancel}
}

// end ends the program; killed, it does not save anything.
func (p *programRun) end(killed bool) {
	p.cancel()
	synctest.Wait()
	if !killed {
		p.account.Close()
	}
	p.journal.Close()
}

// A sequence is a random course of an account, with what a user must see of it.
type sequence struct {
	*programRun
	path     string
	random   *rand.Rand
	open     map[int]int          // issues with an open ticket, and their service
	closed   map[int]int          // the service of each issue whose ticket was closed
	disabled map[string]time.Time // when services were disabled, by id
	ages     map[string]time.Time // since when they were shown as disabled
	labels   map[int]string       // of the services that exist
	log      []string
}

// The events and the places of a sequence.
var (
	sequenceEvents = []string{"problem", "disable", "enable", "edit", "delete", "ticket closed"}
	sequencePlaces = []string{"here", "elsewhere", "offline", "across a restart"}
)

// messageOf is what the message says about an event that nobody here caused.
var messageOf = map[string]string{
	"problem": "a problem",
	"disable": "disabled elsewhere",
	"enable":  "enabled elsewhere",
	"edit":    "edited elsewhere",
	"delete":  "deleted elsewhere",
}

// possible reports whether an event can happen to a service.
func (s *sequence) possible(event string, id int) bool {
	_, off := s.disabled[strconv.Itoa(id)]
	_, exists := s.labels[id]
	down := slices.Contains(s.downServices(), id)
	switch event {
	case "problem":
		return exists && !off && !down
	case "disable":
		return exists && !off
	case "enable":
		return exists && off
	case "ticket closed":
		return len(s.open) > 0
	}
	return exists
}

// downServices returns the services that have a problem now.
func (s *sequence) downServices() []int {
	var ids []int
	for _, row := range s.account.Services().Rows() {
		if row.Status == client.StatusProblem {
			ids = append(ids, row.ID)
		}
	}
	return ids
}

// cause makes an event happen, by this program or by somebody else.
func (s *sequence) cause(event string, id int, here bool) {
	s.Helper()
	path, op := fmt.Sprintf("/managed/services/%d", id), map[string]string{
		"disable": client.OpDisableService, "enable": client.OpEnableService,
		"edit": client.OpUpdateService, "delete": client.OpDeleteService,
	}[event]
	change := client.Change{Op: op, Resource: "service", ID: strconv.Itoa(id), Label: s.labels[id]}
	note := fmt.Sprintf(`{"notes":"%d"}`, s.random.Int())
	var err error
	switch event {
	case "problem":
		s.open[s.emu.FailService(id)] = id
	case "ticket closed":
		for issue, service := range s.open {
			s.emu.CloseTicket(issue)
			s.closed[issue] = service
			delete(s.open, issue)
			break
		}
	case "disable":
		if s.disabled[strconv.Itoa(id)] = time.Now(); here {
			_, err = s.beginFor(s.api, change).DisableService(s.ctx, id)
		} else {
			s.elsewhere("POST", path+"/disable", "")
		}
	case "enable":
		if delete(s.disabled, strconv.Itoa(id)); here {
			_, err = s.beginFor(s.api, change).EnableService(s.ctx, id)
		} else {
			s.elsewhere("POST", path+"/enable", "")
		}
	case "edit":
		if here {
			patch := client.Patch{"notes": strconv.Itoa(s.random.Int())}
			_, err = s.beginFor(s.api, change).UpdateService(s.ctx, id, patch)
		} else {
			s.elsewhere("PUT", path, note)
		}
	case "delete":
		if delete(s.disabled, strconv.Itoa(id)); here {
			err = s.beginFor(s.api, change).DeleteService(s.ctx, id)
		} else {
			s.elsewhere("DELETE", path, "")
		}
		delete(s.ages, strconv.Itoa(id))
		defer delete(s.labels, id)
	}
	if err != nil {
		s.Fatal(err)
	}
}

// step makes an event happen in a place, and checks what the user sees afterwards.
func (s *sequence) step(event, place string, id int) {
	s.Helper()
	s.log = append(s.log, fmt.Sprintf("%s %s %s", event, s.labels[id], place))
	label, known := s.labels[id], len(s.messages)
	switch place {
	case "here", "elsewhere":
		s.cause(event, id, place == "here")
	case "offline":
		for _, list := range []string{"GET /managed/services", "GET /managed/issues", "view ticket"} {
			s.emu.InjectFault(list, emulator.Fault{Status: 503})
		}
		s.wait(time.Minute)
		s.cause(event, id, false)
		s.wait(time.Minute)
		s.emu.ClearFaults()
	case "across a restart":
		s.end(s.random.IntN(2) == 0)
		known = 0
		s.ctx = s.Context()
		s.cause(event, id, false)
		time.Sleep(3 * time.Minute)
		s.programRun = startRun(s.T, s.emu, s.path)
	}
	s.wait(4 * time.Minute)
	var said []string
	for _, n := range s.messages[known:] {
		said = append(said, n.Text)
	}
	s.checkMessage(event, label, place == "here", said)
	s.checkTickets()
	s.checkAges()
	if s.Failed() {
		s.Fatalf("after %s\n%s", strings.Join(s.log, ", "), s.screen())
	}
}

// checkMessage checks that a change by others is shown as a message, and that one of this machine is not.
func (s *sequence) checkMessage(event, label string, here bool, said []string) {
	s.Helper()
	want := messageOf[event]
	about := slices.ContainsFunc(said, func(text string) bool {
		return strings.Contains(text, label) && strings.Contains(text, want)
	})
	byOthers := slices.ContainsFunc(said, func(text string) bool { return strings.Contains(text, "elsewhere") })
	switch {
	case event == "ticket closed":
	case event == "problem" && !about, event != "problem" && !here && !about:
		s.Errorf("%s of %s is not in the messages: %q", event, label, said)
	case here && byOthers:
		s.Errorf("a change of this machine is told as somebody else's: %q", said)
	}
}

// checkTickets checks that every open ticket has a visible mark, and a closed one only while its service is down.
func (s *sequence) checkTickets() {
	s.Helper()
	s.press("2")
	s.wait(90 * time.Second)
	row := func(issue int) string {
		for line := range strings.Lines(s.screen()) {
			if text, _, _ := strings.Cut(line, "│"); strings.Contains(text, strconv.Itoa(issue+50_000)) {
				return text
			}
		}
		return ""
	}
	for issue, service := range s.open {
		if text := row(issue); !strings.Contains(text, "▲") || !strings.Contains(text, "open") {
			s.Errorf("issue %d of service %d has an open ticket and no mark: %q", issue, service, text)
		}
	}
	problems := len(s.open) + 1 // and the one that the account began with
	for issue, service := range s.closed {
		down := slices.Contains(s.downServices(), service)
		if down {
			problems++
		}
		if text := row(issue); strings.Contains(text, "▲") != down || !strings.Contains(text, "closed") {
			s.Errorf("issue %d has a closed ticket, and its service is down: %t; drawn as %q", issue, down, text)
		}
	}
	badge := fmt.Sprintf("2 Issues %d ", problems)
	if !strings.Contains(s.screen(), badge) {
		s.Errorf("the badge is not %q", badge)
	}
	s.press("1")
}

// checkAges checks that no age shrinks, and that none is longer than the truth.
func (s *sequence) checkAges() {
	s.Helper()
	for id, began := range s.disabled {
		row, found := s.account.Services().Get(id)
		if !found {
			s.Errorf("service %s is not there", id)
			continue
		}
		d, is := s.account.DisabledInfo(row)
		before, shown := s.ages[id]
		switch {
		case !is || d.Since.IsZero():
			s.Errorf("service %s is disabled, and its age is not shown", id)
		case shown && d.Since.After(before):
			s.Errorf("the age of %s has shrunk: since %s, then since %s", id, before, d.Since)
		case d.Since.Before(began.Truncate(time.Second)):
			s.Errorf("service %s was disabled at %s, and is shown as disabled since %s", id, began, d.Since)
		}
		s.ages[id] = d.Since
	}
	for id := range s.ages {
		if _, off := s.disabled[id]; !off {
			delete(s.ages, id)
		}
	}
}

// In 40 courses of problems, disabling, enabling, edits, deletions and closed tickets, here, elsewhere, while the API
// does not answer and across a restart: no open ticket lacks a visible mark, no change by others is left out of the
// messages, and no age shrinks.
func TestSequences_ticketsMessagesAndAgesStayTrue(t *testing.T) {
	t.Parallel()
	count := 4
	if runsLongSeries() {
		count = 40
	}
	for seed := range count {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "acme-prod.journal")
			synctest.Test(t, func(t *testing.T) {
				emu := emulator.New(emulator.Options{Token: token, Seed: "demo", Now: time.Now})
				s := &sequence{
					programRun: startRun(t, emu, path),
					path:       path,
					random:     rand.New(rand.NewPCG(uint64(seed), 12)),
					open:       map[int]int{},
					closed:     map[int]int{},
					disabled:   map[string]time.Time{},
					ages:       map[string]time.Time{},
					labels:     map[int]string{},
				}
				defer time.Sleep(24 * time.Hour) // timers that are still armed end here
				defer func() { s.end(false) }()
				for _, row := range s.account.Services().Rows() {
					if row.Status == client.StatusOK {
						s.labels[row.ID] = row.Label.String()
					}
				}
				for n := range 8 {
					event := sequenceEvents[s.random.IntN(len(sequenceEvents))]
					place := sequencePlaces[(seed+n)%len(sequencePlaces)]
					var able []int
					for id := 4; id < 8; id++ {
						if s.possible(event, id) {
							able = append(able, id)
						}
					}
					if len(able) > 0 {
						s.step(event, place, able[s.random.IntN(len(able))])
					}
				}
				t.Log(strings.Join(s.log, ", "))
			})
		})
	}
}
