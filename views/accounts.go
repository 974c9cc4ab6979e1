package views

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/account/incident"
	"lookout/client/account/join"
	"lookout/client/lists"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/views/managed"
	"lookout/views/operation"
	"lookout/views/resource"
)

// An AccountSource is a configured account, as the pane of all accounts shows and reads it.
type AccountSource struct {
	Name   string
	Tone   theme.Tone           // of the name
	Badges []theme.TitleSegment // how it differs from others: its label, PROD, read-only
	Waits  string               // what reading its token waits for: "token_command pass, at most 10s"; "" is a moment
	// Open returns the account, of which nothing has been read yet. It reads the token, and runs off the loop.
	Open func(context.Context) (*account.Account, error) `json:"-"`
	// Token reads the token again, after the API refused it. It runs off the loop.
	Token func(context.Context) (client.Secret, error) `json:"-"`
	// ForgetToken lets the account read its token again when it is opened next.
	ForgetToken func() `json:"-"`
}

// AllAccountsPane is the pane of all accounts, with what the program around it needs of them.
type AllAccountsPane struct {
	Pane     ui.Pane
	accounts []*watchedAccount
	order    *accountOrder
}

// NewAllAccounts returns the pane of all accounts, one line each. Each account is read on its own: none waits for
// another. ctx ends everything.
func NewAllAccounts(
	ctx context.Context, loop lists.Executor, sources []AccountSource, now func() time.Time,
) *AllAccountsPane {
	all := &AllAccountsPane{}
	list := &table.List[*watchedAccount]{
		Title:     "accounts",
		Columns:   accountColumns(),
		SortBy:    "problems",
		EmptyText: "no account is configured",
		Detail:    (*watchedAccount).detail,
		Label:     (*watchedAccount).Name,
		RowActions: []table.RowAction[*watchedAccount]{{
			Keys:        []string{"enter"},
			Name:        "open account",
			Description: "show its dashboard; O returns to this list",
			ShowInHints: true,
			OpensView:   true,
			Message:     (*watchedAccount).openDashboard,
		}},
	}
	for _, s := range sources {
		w := &watchedAccount{AccountSource: s, Executor: loop, ctx: ctx, now: now, rank: accountReading}
		all.accounts, list.JoinedStores = append(all.accounts, w), append(list.JoinedStores, w)
	}
	list.Store = lists.NewRowStore(ctx, loop, lists.RowSource[*watchedAccount]{
		Name: "accounts",
		ID:   (*watchedAccount).Name,
		Now:  now,
		Fetch: func(context.Context, string) (lists.RowPage[*watchedAccount], error) {
			return lists.RowPage[*watchedAccount]{Rows: all.accounts, Total: len(all.accounts)}, nil
		},
	})
	list.AutoRefresh.Joined = all.freshness
	all.order = &accountOrder{list: list, accounts: all.accounts}
	list.OnVisible = all.order.update
	all.Pane = list
	return all
}

// freshness returns the freshness of the accounts that can be read: that of the one that was read first. The joined
// lists name the others.
func (p *AllAccountsPane) freshness() lists.Freshness {
	var oldest, failed lists.Freshness
	loading := false
	for _, w := range p.accounts {
		f := w.Freshness()
		loading = loading || f.Loading
		switch {
		case f.Err != nil:
			failed = f
		case f.Loaded && (!oldest.Loaded || f.LoadedAt.Before(oldest.LoadedAt)):
			oldest = f
		}
	}
	if !oldest.Loaded && !loading {
		oldest = failed
	}
	oldest.Loading = loading
	return oldest
}

// Select puts the cursor on an account and stops the automatic choice of the worst one.
func (p *AllAccountsPane) Select(name string) {
	for _, w := range p.accounts {
		if w.AccountSource.Name == name {
			p.order.settled = true
			p.order.list.Select(name)
		}
	}
}

// Notices returns the changes of all accounts since the last call, with the names of the accounts.
func (p *AllAccountsPane) Notices(bool) (all []ui.Notification) {
	for _, w := range p.accounts {
		if w.account == nil {
			continue
		}
		for _, n := range operation.Notifications(w.account.ListNotices()) {
			n.Text = w.Name() + ": " + n.Text
			all = append(all, n)
		}
	}
	return all
}

// Resume ends the pauses of all accounts: the user wants to know now.
func (p *AllAccountsPane) Resume() {
	for _, w := range p.accounts {
		if w.account != nil {
			w.account.API.Resume()
		}
	}
}

// Freshness returns how fresh each account is, and why it could not be read.
func (p *AllAccountsPane) Freshness() map[string]lists.Freshness {
	read := map[string]lists.Freshness{}
	for _, w := range p.accounts {
		read[w.Name()] = w.Freshness()
	}
	return read
}

// An accountOrder puts the cursor on the worst account until all were read or failed to be, unless the user moves it or
// comes from an account.
type accountOrder struct {
	list     *table.List[*watchedAccount]
	accounts []*watchedAccount
	placed   string // the row that the cursor was put on
	settled  bool
}

// update puts the cursor on its row after every change.
func (o *accountOrder) update([]*watchedAccount) {
	if row := o.list.SaveState().Row; o.settled || row != "" && row != cmp.Or(o.placed, o.accounts[0].Name()) {
		o.settled = true
		return
	}
	o.settled = true
	worst := o.accounts[0]
	for _, w := range o.accounts {
		if o.settled = o.settled && w.rank != accountReading; w.rank < worst.rank {
			worst = w
		}
	}
	if o.placed != worst.Name() {
		o.placed = worst.Name()
		o.list.Select(o.placed)
	}
}

// A watchedAccount is an account with what was read of it. It is a joined store of the pane: services and issues
// together.
type watchedAccount struct {
	AccountSource
	lists.Executor
	ctx      context.Context
	now      func() time.Time
	account  *account.Account // nil until it is open
	opening  bool
	err      error // why it could not be opened, or its token not be read again
	failedAt time.Time
	version  int
	rank     int // in the last version
}

// openDashboard asks for the account. A token that was refused is read again.
func (w *watchedAccount) openDashboard() tea.Msg {
	if wording.Unauthorized(w.Freshness().Err) {
		w.ForgetToken()
	}
	return ui.SwitchAccountMsg{Account: w.Name()}
}

// Name returns the name of the account.
func (w *watchedAccount) Name() string { return w.AccountSource.Name }

// Version grows with every change of what is shown, and of the urgency.
func (w *watchedAccount) Version() int {
	if w.account == nil {
		return w.version
	}
	a := w.account
	return w.version + a.Services().Version() + a.Issues().Version() + a.Journal.Version()
}

// Freshness returns the freshness of services and issues together; if the account is not open, why.
func (w *watchedAccount) Freshness() lists.Freshness {
	f := lists.Freshness{}
	if w.account != nil {
		f = w.account.Services().Freshness().Worst(w.account.Issues().Freshness())
	}
	f.Loading = f.Loading || w.opening
	if w.err != nil {
		f.Err, f.FailedAt = w.err, w.failedAt
		f.FailingSince = cmp.Or(f.FailingSince, w.failedAt)
	}
	return f
}

// EnsureLoaded opens the account unless that was tried, and notes whether its urgency has changed.
func (w *watchedAccount) EnsureLoaded() {
	if rank := w.urgency(); rank != w.rank {
		w.rank = rank
		w.version++
	}
	if w.account == nil && !w.opening && w.err == nil {
		w.open()
	}
}

// Refresh reads the account again. If it could not be opened, or its token was refused, it reads the token first.
func (w *watchedAccount) Refresh() {
	switch {
	case w.opening:
	case w.account == nil, w.err != nil, wording.Unauthorized(w.Freshness().Err):
		w.open()
	default:
		account.RefreshAll(w.account.Services(), w.account.Issues())
		w.catchUp()
	}
}

// retryAge is the age of a failure at which Poll tries again.
const retryAge = time.Minute

// Poll reads the account again because it is time. It neither starts a token command nor asks an API that wants a
// pause.
func (w *watchedAccount) Poll() {
	if w.account == nil || w.err != nil {
		return
	}
	limit, now := w.account.API.RateLimit(), w.now()
	if _, resume := limit.Low(now); limit.PausedUntil.After(now) || resume.After(now) {
		return
	}
	w.catchUp()
	for _, set := range []table.JoinedStore{w.account.Services(), w.account.Issues()} {
		age := time.Duration(0)
		if set.Freshness().Err != nil {
			age = retryAge
		}
		w.account.RefreshIfOlder(set, age)
	}
}

// catchUp reads what other programs have written into the journal, which holds the maintenance windows.
func (w *watchedAccount) catchUp() {
	j := w.account.Journal
	w.Go(func() (apply func()) {
		_, _ = j.CatchUp() // what was read before counts
		return nil
	})
}

// open opens the account, or reads the token of an open one again.
func (w *watchedAccount) open() {
	w.opening = true
	isOpen := w.account != nil
	w.Go(func() (apply func()) {
		if isOpen {
			token, err := w.Token(w.ctx)
			return func() { w.opened(w.account, token, err) }
		}
		a, err := w.Open(w.ctx)
		return func() { w.opened(a, client.Secret{}, err) }
	})
}

// opened takes the account that was opened, or another token for the one that is open, and reads it.
func (w *watchedAccount) opened(a *account.Account, token client.Secret, err error) {
	w.opening, w.err = false, err
	w.version++
	if err == nil && a == w.account {
		w.err = a.API.SetToken(token, false)
	}
	if w.err != nil {
		w.failedAt = w.now()
		return
	}
	w.account, a.Executor = a, w.Executor
	operation.Show(a)
	account.RefreshAll(a.Services(), a.Issues())
}

// The urgencies of accounts, the worst first.
const (
	accountDown = iota
	accountAlerts
	accountNotKnown
	accountReading
	accountOK
)

// urgency orders accounts: broken ones first, then those that could not be read.
func (w *watchedAccount) urgency() int {
	down, open, uncertain := w.countAlerts()
	switch {
	case down > 0:
		return accountDown
	case open > 0, uncertain > 0:
		return accountAlerts
	case w.Freshness().Err != nil:
		return accountNotKnown
	case w.account == nil, w.account.IncidentState().Kind != join.Known:
		return accountReading
	}
	return accountOK
}

// alerts returns what needs attention. While services are read for the first time, nothing is known about them.
func (w *watchedAccount) alerts() []incident.Alert {
	if w.account == nil {
		return nil
	}
	if f := w.account.Services().Freshness(); !f.Loaded && f.Err == nil {
		return nil
	}
	return w.account.Incidents().Alerts()
}

// countAlerts counts what needs attention; see managed.CountAlerts.
func (w *watchedAccount) countAlerts() (down, open, uncertain int) {
	return managed.CountAlerts(w.alerts())
}

// accountColumns returns the columns of the pane of all accounts.
func accountColumns() []table.Column[*watchedAccount] {
	type row = *watchedAccount
	return resource.PaneColumns(
		resource.PaneColumn("account", table.TextCell(theme.Accent, func(r row) string {
			return joinSpans(r.name())
		})).Width(24).MinWidth(16).Label().
			Spans(func(r row, _ ui.Box) []table.TonedText { return r.name() }).
			Shortened(row.shortName),
		resource.PaneColumn("problems", row.problems).Width(11).
			SortedBy(func(r, s row) bool { return r.urgency() < s.urgency() }),
		resource.PaneColumn("newest issue", func(r row, b ui.Box) (string, theme.Tone) {
			return joinSpans(r.newest(b)), theme.Muted
		}).MinWidth(14).
			Spans(row.newest).
			SortedBy(func(r, s row) bool { return r.newestAt().After(s.newestAt()) }),
		resource.PaneColumn("maintenance", row.maintenance).Width(18).Drop(1, 0),
		resource.PaneColumn("read", row.age).Width(12).MinWidth(7).
			Shortened(func(r row, b ui.Box) string {
				text, _ := r.age(b)
				_, why, _ := strings.Cut(text, ", ")
				return why
			}),
	)
}

// joinSpans returns the text of spans.
func joinSpans(spans []table.TonedText) string {
	text := ""
	for _, s := range spans {
		text += s.Text
	}
	return text
}

// name returns the name of the account with its badges.
func (w *watchedAccount) name() []table.TonedText {
	spans := []table.TonedText{{Text: w.Name(), Tone: cmp.Or(w.Tone, theme.Accent)}}
	for _, badge := range w.Badges {
		spans = append(spans, table.TonedText{Text: " " + badge.Text, Tone: badge.Tone})
	}
	return spans
}

// shortName returns the name in the width of a box. The badges stay whole: they say where a change would be made.
func (w *watchedAccount) shortName(b ui.Box) string {
	whole := joinSpans(w.name())
	badges := strings.TrimPrefix(whole, w.Name())
	return ui.Truncate(w.Name(), max(1, b.Width-ui.Width(badges)), b.Theme.Glyphs.Ellipsis) + badges
}

// problems returns how many services are down, or what else needs attention.
func (w *watchedAccount) problems(b ui.Box) (string, theme.Tone) {
	g := b.Theme.Glyphs
	down, open, uncertain := w.countAlerts()
	switch rank := w.urgency(); {
	case down > 0:
		return fmt.Sprintf("%s %d down", g.Problem, down), theme.Bad
	case open > 0:
		return fmt.Sprintf("%s %d open", g.Problem, open), theme.Warn
	case uncertain > 0:
		return fmt.Sprintf("%s %d unknown", g.Unknown, uncertain), theme.Warn
	case rank == accountNotKnown:
		return g.Unknown + " not known", theme.Warn
	case rank == accountReading:
		return g.Pending + " reading", theme.Muted
	}
	return g.OK + " ok", theme.Good
}

// newestAlert returns what is shown of what needs attention: the newest incident that is not over, else a service that
// is down.
func (w *watchedAccount) newestAlert() (found incident.Alert, there bool) {
	for _, c := range w.alerts() {
		if !there || c.Since().After(found.Since()) {
			found, there = c, true
		}
	}
	return found, there
}

// newestAt returns when the newest incident was detected that is not over.
func (w *watchedAccount) newestAt() time.Time {
	c, _ := w.newestAlert()
	return c.Since()
}

// newest names the newest incident that is not over, with its age, or says why nothing is known.
func (w *watchedAccount) newest(b ui.Box) []table.TonedText {
	one := func(tone theme.Tone, text string) []table.TonedText {
		return []table.TonedText{{Text: text, Tone: tone}}
	}
	c, there := w.newestAlert()
	switch f := w.Freshness(); {
	case there && c.Incident != nil:
		age := ui.Pad(account.FormatAge(c.Incident.Issue.Created, b.Now), 6)
		return append(one(theme.Muted, age+" "), managed.AffectedSpans(w.account, c.Incident.Issue, b)...)
	case there:
		name := b.Theme.Glyphs.Problem + " " + w.account.ServiceName(c.ID)
		about := " without an issue"
		if state := join.StateOf(w.account.Issues()); state.Kind != join.Known {
			about = " · " + state.Reason()
		}
		return append(one(theme.Bad, name), one(theme.Muted, about)...)
	case f.Err != nil:
		return one(theme.Warn, w.reason())
	case w.opening:
		return one(theme.Muted, "waiting for "+cmp.Or(w.Waits, "its token"))
	case w.urgency() == accountReading:
		return one(theme.Muted, "reading services and issues")
	}
	return one(theme.Muted, "nothing is down") // whether issues are over depends on tickets, which are not read
}

// reason says why the account could not be read, and the next step.
func (w *watchedAccount) reason() string {
	err := w.Freshness().Err
	switch {
	case err == nil:
		return ""
	case w.err != nil:
		return w.err.Error() + " · press r to retry"
	case wording.Unauthorized(err):
		return "token not accepted · lookout accounts token " + w.Name() + " replaces it, then press r"
	}
	advice := cmp.Or(wording.Advice(err), "press r to retry")
	return operation.FailureWord(err) + " · " + advice
}

// maintenance returns how many services are disabled or planned to be, and when the first comes back.
func (w *watchedAccount) maintenance(b ui.Box) (string, theme.Tone) {
	if w.account == nil || !w.account.Services().Loaded() {
		return "", theme.Muted
	}
	return managed.MaintenanceSummary(w.account, b)
}

// readAt returns when the rows were read: those of the older list. It is zero if none has been read.
func (w *watchedAccount) readAt() (at time.Time) {
	if w.account == nil {
		return at
	}
	for _, set := range []table.JoinedStore{w.account.Services(), w.account.Issues()} {
		if f := set.Freshness(); f.Loaded && (at.IsZero() || f.LoadedAt.Before(at)) {
			at = f.LoadedAt
		}
	}
	return at
}

// age returns how old the rows are, and why they are not newer.
func (w *watchedAccount) age(b ui.Box) (string, theme.Tone) {
	err, parts := w.Freshness().Err, []string{}
	if at := w.readAt(); !at.IsZero() {
		parts = append(parts, wording.FormatAge(b.Now.Sub(at)))
	}
	paused := w.account != nil && w.account.API.RateLimit().PausedUntil.After(b.Now)
	switch {
	case paused:
		parts = append(parts, "paused")
	case err != nil && len(parts) == 0:
		parts = append(parts, "never")
	case err != nil:
		parts = append(parts, operation.FailureWord(err))
	}
	if text := strings.Join(parts, ", "); paused || err != nil {
		return text, theme.Warn
	} else {
		return text, theme.Muted
	}
}

// maxAlertLines is the number of alerts that a detail names.
const maxAlertLines = 8

// detail describes the account: why it cannot be read, what needs attention, and its maintenance windows.
func (w *watchedAccount) detail(b ui.Box) string {
	d := operation.NewDetailWriter(b)
	d.Field("account", joinSpans(w.name()), theme.Plain)
	if w.account != nil {
		d.Field("host", w.account.API.Host(), theme.Plain)
	}
	text, tone := w.age(b)
	d.Field("read", cmp.Or(text, "not yet"), tone)
	if reason := w.reason(); reason != "" {
		d.Field("not known", reason, theme.Warn)
	}
	if w.account == nil || !w.account.Services().Loaded() {
		return d.String()
	}
	d.Heading("Needs attention")
	alerts := w.alerts()
	for n, c := range alerts {
		if n == maxAlertLines {
			d.Paragraph(fmt.Sprintf("and %d more", len(alerts)-n), theme.Muted)
			break
		}
		d.Rendered(w.alertLine(c, b))
	}
	if len(alerts) == 0 {
		text, tone := w.problems(b)
		d.Paragraph(text, tone)
	}
	if counts := managed.StateCountLines(w.account, b); counts[0] != "" {
		d.Heading("Services")
		for _, line := range counts {
			d.Rendered(line)
		}
	}
	d.Heading("Maintenance")
	b.Height = maxAlertLines
	d.Rendered(managed.RenderMaintenance(w.account, b))
	return d.String()
}

// alertLine returns what needs attention in one line: its mark and name, what is wrong, and since when.
func (w *watchedAccount) alertLine(c incident.Alert, b ui.Box) string {
	mark, tone := managed.AlertMark(c, b.Theme.Glyphs)
	name, parts := w.account.ServiceName(c.ID), []string{}
	if c.Down() {
		parts = append(parts, "down")
	}
	if c.Incident != nil {
		issue := fmt.Sprintf("#%d", c.Incident.Issue.ID)
		if c.ID == 0 {
			name, issue = "issue "+issue, "names no service"
		}
		parts = append(parts, issue, account.FormatAge(c.Incident.Issue.Created, b.Now))
	} else {
		parts = append(parts, "no issue")
		if !c.DownSince.IsZero() {
			parts = append(parts, account.FormatAge(client.NewTime(c.DownSince), b.Now))
		}
	}
	about := strings.Join(parts, " "+b.Theme.Glyphs.Bullet+" ")
	line := b.Theme.Paint(tone, mark) + " " + name + "  " + b.Theme.Paint(theme.Muted, about)
	return ui.Truncate(line, b.Width, b.Theme.Glyphs.Ellipsis)
}
