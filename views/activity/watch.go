package activity

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/views/account"
	"lookout/views/resource"
)

// WatchView shows what is broken, since when, and whom to call, in a few lines. It has no actions.
type WatchView struct {
	Account     *account.Account
	accountName string // the account, as it is called
}

// WatchPane returns the pane for a small corner of the screen.
func WatchPane(a *account.Account, lead string) ui.Pane { return &WatchView{a, lead} }

// Name returns the pane's name.
func (w *WatchView) Name() string { return "watch" }

// Actions returns nothing: there is nothing to choose.
func (w *WatchView) Actions() []ui.Action { return nil }

// Update ignores input.
func (w *WatchView) Update(tea.Msg) tea.Cmd { return nil }

// Freshness returns the freshness of services and issues together.
func (w *WatchView) Freshness() ui.Freshness {
	return w.Account.Services().Freshness().Worst(w.Account.Issues().Freshness())
}

// Refresh reads services and issues, and contacts if they are old.
func (w *WatchView) Refresh() tea.Cmd {
	return tea.Batch(account.RefreshAll(w.Account.Services(), w.Account.Issues()), w.refreshContacts())
}

// Poll does the same, but does not cancel a read under way.
func (w *WatchView) Poll() tea.Cmd {
	return tea.Batch(account.PollAll(w.Account.Services(), w.Account.Issues()), w.refreshContacts())
}

func (w *WatchView) refreshContacts() tea.Cmd {
	return account.RefreshIfOlder(w.Account, w.Account.Contacts(), account.StorageMaxAge)
}

// MissingLists names the lists that the watch lacks, apart from those that its freshness is about.
func (w *WatchView) MissingLists() []string {
	return table.JoinedStores{w.Account.Contacts()}.Missing()
}

// View draws a head line, then the broken services.
func (w *WatchView) View(b ui.Box) string {
	lines := []string{w.headLine(b)}
	broken := w.ProblemServices()
	for n, s := range broken {
		next := w.serviceLines(s, b)
		room := b.Height - len(lines)
		if n < len(broken)-1 {
			room-- // for how many more there are
		}
		if len(next) > room {
			lines = append(lines, b.Theme.Paint(theme.Bad, fmt.Sprintf("and %d more", len(broken)-n)))
			break
		}
		lines = append(lines, next...)
	}
	return b.Fit(strings.Join(lines, "\n"))
}

// ProblemServices returns the services with a problem, the oldest problem first.
func (w *WatchView) ProblemServices() []*client.Service {
	rows := slices.DeleteFunc(
		w.Account.Services().Rows(), func(s *client.Service) bool { return s.Status != client.StatusProblem },
	)
	slices.SortStableFunc(rows, func(s, t *client.Service) int {
		return w.problemSince(s).Compare(w.problemSince(t))
	})
	return rows
}

// problemSince returns when the newest issue of a service was detected; the zero time if there is none.
func (w *WatchView) problemSince(s *client.Service) time.Time {
	if issue, found := account.NewestIssue(w.Account, s.ID); found {
		return issue.Created.Time()
	}
	return time.Time{}
}

// headLine returns the account and how many services are broken, or why that is not known.
func (w *WatchView) headLine(b ui.Box) string {
	g, f := b.Theme.Glyphs, w.Freshness()
	state, tone := "", theme.Good
	switch n := len(w.ProblemServices()); {
	case !f.Loaded && f.Err == nil:
		state, tone = g.Pending+" reading", theme.Warn
	case n > 0:
		state, tone = fmt.Sprintf("%s %d", g.Problem, n), theme.Bad
	case f.Loaded:
		state = fmt.Sprintf("%s %d", g.OK, w.Account.Services().Len())
	}
	line := b.Theme.Paint(tone, state)
	if f.Err != nil {
		why := ui.ShortReason(f.Err)
		switch {
		case ui.Denied(f.Err):
			why = "not allowed"
		case ui.Unauthorized(f.Err):
			why = "token not accepted"
		case ui.Offline(f.Err):
			why = "offline"
		}
		if f.Loaded {
			here := w.Account.Location
			why += ", as of " + account.FormatClock(f.LoadedAt.In(here), w.Account.Now().In(here))
		}
		line = b.Theme.Paint(theme.Warn, g.Pending+" "+why) + account.WithPrefix(" ", line)
	}
	return ui.Truncate(line+" "+b.Theme.Paint(theme.Strong, w.accountName), b.Width, g.Ellipsis)
}

// serviceLines returns a broken service and the number to call, in one line if it fits, otherwise in two.
func (w *WatchView) serviceLines(s *client.Service, b ui.Box) []string {
	since := ""
	if issue, found := account.NewestIssue(w.Account, s.ID); found {
		since = w.Account.FormatTimestamp(issue.Created)
	}
	name, number := w.contactToCall(s)
	mark := b.Theme.Glyphs.Problem + " "
	const wide = 60
	if b.Width >= wide {
		call := name
		if number != "" {
			call = ui.Pad(number, 16) + " " + name
		}
		label := ui.Pad(ui.Truncate(s.Label.String(), b.Width-48, b.Theme.Glyphs.Ellipsis), b.Width-48)
		return []string{
			b.Theme.Paint(theme.Bad, mark+label) + " " + b.Theme.Paint(theme.Muted, ui.Pad(since, 13)) + ui.Truncate(
				call, 32, b.Theme.Glyphs.Ellipsis,
			),
		}
	}
	room := max(0, b.Width-ui.Width(mark)-ui.Width(since)-1)
	return []string{
		b.Theme.Paint(
			theme.Bad, mark+ui.Pad(ui.Truncate(s.Label.String(), room, b.Theme.Glyphs.Ellipsis), room),
		) + " " + b.Theme.Paint(theme.Muted, since),
		ui.Truncate("  "+number+account.WithPrefix(" ", name), b.Width, b.Theme.Glyphs.Ellipsis),
	}
}

// contactToCall returns whom to call about a service, and the number.
func (w *WatchView) contactToCall(s *client.Service) (name, number string) {
	contacts := w.Account.ContactsInGroup(s.Group.Raw())
	for _, c := range resource.Found(contacts) {
		if number := account.OrDefault(c.Phone.Primary.String(), c.Phone.Secondary.String()); number != "" {
			return c.Name.String(), number
		}
	}
	return resource.Fold(contacts, func(all []*client.Contact) string {
		if len(all) > 0 {
			return "no phone number"
		}
		return "nobody to call"
	}, func(_ []*client.Contact, state resource.JoinState) string { return state.Reason() }), ""
}
