package managed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/lists"
	"lookout/client/window"
	"lookout/client/wording"
	"lookout/ui/form"
	"lookout/views/resource"
)

// monitoringOperations are the two operations that switch the monitoring of services; each undoes the other.
func monitoringOperations(a *account.Account) []resource.Operation[*client.Service] {
	return []resource.Operation[*client.Service]{
		{
			Name:            "disable",
			CommandHelp:     "Stop monitoring, now or in a planned window: --for says how long, or from when to when",
			RepeatInScripts: true,
			Description:     "stop monitoring now or later, for as long as you choose",
			Scope:           string(hour1),
			Keys:            []string{"d"},
			Call:            client.OpDisableService,
			OtherCalls:      []string{client.OpPlanMaintenance, client.OpChangeMaintenance},
			Target:          resource.AnyRows,
			ShowInHints:     true,
			BusyText:        "disabling",
			SuccessText:     "monitoring is disabled",
			Shows:           func(s *client.Service) string { return s.Status.String() },
			Applies: func(s *client.Service) string {
				return wording.If(s.Status == client.StatusDisabled, "already disabled")
			},
			Draft: func(s *client.Service) resource.Draft[*client.Service] { return disableService(a, s) },
		},
		{
			Name:            "enable",
			CommandHelp:     "Resume monitoring",
			RepeatInScripts: true,
			Description:     "resume monitoring",
			Keys:            []string{"E"},
			Call:            client.OpEnableService,
			Target:          resource.AnyRows,
			ShowInHints:     true,
			BusyText:        "enabling",
			SuccessText:     "monitoring is enabled",
			Shows:           func(s *client.Service) string { return s.Status.String() },
			Applies: func(s *client.Service) string {
				return wording.If(s.Status != client.StatusDisabled, "monitoring is on")
			},
			Draft: func(*client.Service) resource.Draft[*client.Service] { return enableService(a, "") },
		},
	}
}

// windowOperations change the maintenance windows of services.
func windowOperations(a *account.Account) []resource.Operation[*client.Service] {
	return []resource.Operation[*client.Service]{
		{
			Name:        "change window",
			Command:     resource.PaneOnly, // disable with --for and --replace does it
			Description: "change the end or the reason of a window, or the start of a planned one",
			Keys:        []string{"w"},
			Call:        client.OpChangeMaintenance,
			OtherCalls: []string{
				client.OpDisableService, client.OpEnableService, client.OpPlanMaintenance, client.OpCancelMaintenance,
			},
			Target:      resource.AnyRows,
			ShowInHints: true,
			BusyText:    "changing the window",
			SuccessText: "stays disabled",
			Shows:       func(s *client.Service) string { return s.Status.String() },
			Applies: func(s *client.Service) string {
				_, planned := nextWindow(a, s.ID)
				return wording.If(s.Status != client.StatusDisabled && !planned, "monitoring is on, and no "+
					"maintenance is planned")
			},
			Draft: func(s *client.Service) resource.Draft[*client.Service] { return changeWindow(a, s) },
		},
		{
			Name:        "cancel maintenance",
			Command:     "cancel-maintenance",
			CommandHelp: "Cancel the next planned maintenance window (see services disable --for)",
			Description: "cancel the next planned maintenance window",
			Keys:        []string{"W"},
			Call:        client.OpCancelMaintenance,
			OtherCalls:  []string{client.OpChangeMaintenance},
			Target:      resource.AnyRows,
			BusyText:    "cancelling",
			SuccessText: "planned maintenance is cancelled",
			Applies: func(s *client.Service) string {
				_, planned := nextWindow(a, s.ID)
				return wording.If(!planned, "no maintenance is planned")
			},
			Draft: func(*client.Service) resource.Draft[*client.Service] { return cancelMaintenance(a) },
		},
	}
}

// serviceUndo is what undoes an operation on services.
type serviceUndo = resource.Undo[*client.Service]

// windowNote tells a script what ends a window, and which program does so.
func windowNote(s *client.Service, w MaintenanceWindow) string {
	const by = "by a dashboard or lookout keep, or when one is next started"
	start, end := w.Start.Format(time.RFC3339), w.End.Format(time.RFC3339)
	switch {
	case w.End.IsZero():
		return fmt.Sprintf("nothing will enable it automatically · to enable it: lookout services enable %d", s.ID)
	case w.Start.IsZero():
		return fmt.Sprintf("is to be enabled at %s, %s", end, by)
	}
	return fmt.Sprintf("is to be disabled from %s until %s, %s", start, end, by)
}

// windowChanges are changes of windows that are about to be sent, with the windows before them, by service.
type windowChanges struct {
	a      *account.Account
	before map[int][]window.Window
	sent   map[int]client.Change
}

func newWindowChanges(a *account.Account) windowChanges {
	return windowChanges{a, map[int][]window.Window{}, map[int]client.Change{}}
}

// attempt returns the attempt that makes a change of the windows of a service.
func (w windowChanges) attempt(s *client.Service, c client.Change) account.Attempt[*client.Service] {
	before := w.a.Journal.WindowsOf(account.FormatID(s.ID))
	w.before[s.ID], w.sent[s.ID] = before, c
	var attempt account.Attempt[*client.Service]
	switch c.Op {
	case client.OpDisableService:
		attempt = monitoringAttempt(s, (*client.Writer).DisableService)
	case client.OpEnableService:
		attempt = monitoringAttempt(s, (*client.Writer).EnableService)
	default:
		attempt = account.Attempt[*client.Service]{
			ID:    account.FormatID(s.ID),
			Label: s.Label.Raw(),
			Send: func(ctx context.Context, w *client.Writer) (lists.ChangeResult[*client.Service], error) {
				record := map[string]func(context.Context, int) error{
					client.OpPlanMaintenance:   w.PlanMaintenance,
					client.OpChangeMaintenance: w.ChangeMaintenance,
					client.OpCancelMaintenance: w.CancelMaintenance,
				}[c.Op]
				return lists.ResultRow(s, record(ctx, s.ID))
			},
		}
		var was []string
		for _, old := range before {
			if old.ID == c.Scheduled || slices.Contains(c.Replaces, old.ID) {
				was = append(was, formatWindow(w.a, old))
			}
		}
		attempt.Was = account.JoinWithCommas(was)
	}
	attempt.Call, attempt.Reason, attempt.StartAt, attempt.RevertAt = c.Op, c.Reason, c.StartAt, c.RevertAt
	attempt.Scheduled, attempt.Replaces, attempt.Restores = c.Scheduled, c.Replaces, c.Restores
	return attempt
}

// undo returns what takes the changes back.
func (w windowChanges) undo() serviceUndo {
	back := newWindowChanges(w.a)
	draft := resource.Draft[*client.Service]{
		Attempt: func(s *client.Service) account.Attempt[*client.Service] {
			c, ok := window.Undo(w.sent[s.ID], w.before[s.ID], w.a.Journal.WindowsOf(account.FormatID(s.ID)))
			if !ok {
				return account.Attempt[*client.Service]{Err: errors.New("the window was changed meanwhile")}
			}
			return back.attempt(s, c)
		},
		Undo: func() serviceUndo { return back.undo() },
	}
	undo := serviceUndo{Operation: "enable", Text: "enable again", Draft: draft}
	for _, c := range w.sent {
		switch c.Op {
		case client.OpPlanMaintenance:
			undo.Operation, undo.Text, undo.Draft.Success = "cancel maintenance", "cancel it", w.restored
		case client.OpCancelMaintenance:
			return serviceUndo{Operation: "disable", Text: "plan it again", Draft: draft}
		case client.OpChangeMaintenance:
			return serviceUndo{Operation: "change window", Text: "change it back", Draft: draft}
		}
	}
	return undo
}

// restored says what is so once a plan is undone: the windows that it had replaced are planned again.
func (w windowChanges) restored(s *client.Service) string {
	var back []string
	for _, old := range w.before[s.ID] {
		if slices.Contains(w.sent[s.ID].Replaces, old.ID) {
			back = append(back, formatWindow(w.a, old))
		}
	}
	if len(back) == 0 {
		return "planned maintenance is cancelled"
	}
	return account.JoinWithCommas(back) + " is planned again"
}

// formatWindow returns the times of a window: "22:00–23:30"; "until 23:30" if it is active.
func formatWindow(a *account.Account, w window.Window) string {
	if w.State == window.Active {
		return formatTimes(a, time.Time{}, w.End)
	}
	return formatTimes(a, w.Start, w.End)
}

// formatTimes returns a start and an end: "22:00–23:30", "until 23:30", "until Mon 23 Nov 06:00".
func formatTimes(a *account.Account, start, end time.Time) string {
	now, from := a.Now().In(a.Location), start.In(a.Location)
	if start.IsZero() {
		from = now
	}
	until := "somebody enables it"
	if !end.IsZero() {
		until = account.FormatMoment(end.In(a.Location), from)
	}
	if start.IsZero() {
		return "until " + until
	}
	return account.FormatMoment(from, now) + "–" + until
}

// A replacement is what a new window would take the place of.
type replacement struct {
	agreed map[string]bool // the windows that the user has agreed to replace
	always bool            // --replace
}

// question asks about the windows of services that a change would replace; "" if there are none.
func (p *replacement) question(
	a *account.Account, rows []*client.Service, by MaintenanceWindow,
	change func(s *client.Service, replace bool) error,
) string {
	p.agreed = map[string]bool{}
	var texts []string
	for _, s := range rows {
		var overlap *window.OverlapError
		if s == nil || !errors.As(change(s, false), &overlap) {
			continue
		}
		for _, w := range overlap.Windows {
			p.agreed[w.ID] = true
			start := by.Start
			if w.State != window.Active {
				start = cmp.Or(start, a.Now())
			}
			texts = append(texts, fmt.Sprintf(
				"%s: replace %s by %s?", s.Label, formatWindow(a, w), formatTimes(a, start, by.End),
			))
		}
	}
	return strings.Join(texts, " ")
}

// refusal returns why a change must not be made: it would replace windows to which nobody has agreed.
func (p *replacement) refusal(a *account.Account, s *client.Service, err error) error {
	var overlap *window.OverlapError
	if p.always || !errors.As(err, &overlap) {
		return nil
	}
	for _, w := range overlap.Windows {
		if p.agreed[w.ID] {
			continue
		}
		text := "is planned to be disabled " + formatWindow(a, w)
		if w.State == window.Active {
			text = "is disabled " + formatWindow(a, w)
		}
		return &overlapRefusal{fmt.Sprintf("%s %s; to replace that, add --replace", s.Label, text), overlap}
	}
	return nil
}

// isAsAsked reports whether a window could not be made because the active one is as it was to be.
func isAsAsked(s *client.Service, reason string, asked MaintenanceWindow, err error) bool {
	var overlap *window.OverlapError
	if !errors.As(err, &overlap) || len(overlap.Windows) != 1 {
		return false
	}
	w := overlap.Windows[0]
	return w.State == window.Active && s.Status == client.StatusDisabled && asked.Start.IsZero() &&
		w.End.Equal(asked.End) && (reason == "" || reason == w.Reason)
}

// An overlapRefusal is an OverlapError in words.
type overlapRefusal struct {
	text  string
	cause error
}

func (e *overlapRefusal) Error() string { return e.text }
func (e *overlapRefusal) Unwrap() error { return e.cause }

// disableService stops the monitoring of services, for a while and for a reason. The journal keeps both, and the end of
// the window brings the monitoring back.
func disableService(a *account.Account, s *client.Service) resource.Draft[*client.Service] {
	in := &disableRequest{choice: hour1}
	draft := windowDraft(a, s, in, func(s *client.Service, r window.Request, now time.Time) (client.Change, error) {
		return window.Disable(a.Journal.WindowsOf(r.Service), r, now)
	})
	draft.Text = "Nobody is alerted in the meantime. Nothing else is stopped. " +
		"With an end, monitoring resumes then, or when lookout or lookout keep is next started."
	draft.SubmitLabel = "disable"
	if s != nil {
		draft.Title = "Disable monitoring of " + s.Label.String()
	}
	return draft
}

// windowDraft is a form for the time of a window. change returns the change of one service.
func windowDraft(
	a *account.Account, s *client.Service, in *disableRequest,
	change func(s *client.Service, r window.Request, now time.Time) (client.Change, error),
) resource.Draft[*client.Service] {
	times := sync.OnceValue(
		func() MaintenanceWindow { return in.window(a) },
	) // the same for all rows, from when they are sent
	request := func(s *client.Service, w MaintenanceWindow, replace bool) (client.Change, error) {
		return change(s, window.Request{
			Service: account.FormatID(s.ID),
			Label:   s.Label.Raw(),
			Over:    window.IsOver(a.Journal.WindowsOf(account.FormatID(s.ID)), s, a.Now()),
			Start:   w.Start,
			End:     w.End,
			Reason:  in.reason,
			Replace: replace,
		}, a.Now())
	}
	changes := newWindowChanges(a)
	return resource.Draft[*client.Service]{
		Fields:       in.fields(a),
		EnterSubmits: form.AlwaysSubmit,
		ClosesAtOnce: true,
		Confirm: func(rows []*client.Service) resource.ConfirmationSpec {
			now, w := a.Now().In(a.Location), in.window(a)
			spec := resource.ConfirmationSpec{}
			if rows[0] != nil {
				spec.Effect = fmt.Sprintf("Nobody is alerted about %s %s.", rows[0].Label, in.span(w, now))
			}
			question := in.replace.question(a, rows, w, func(s *client.Service, replace bool) error {
				_, err := request(s, w, replace)
				return err
			})
			if question != "" {
				spec.Effect, spec.Required = question, !in.replace.always
			}
			return spec
		},
		Attempt: func(s *client.Service) account.Attempt[*client.Service] {
			_, err := request(s, times(), false)
			if isAsAsked(s, in.reason, times(), err) {
				return account.Attempt[*client.Service]{ID: account.FormatID(s.ID), Unchanged: true}
			}
			if err = in.replace.refusal(a, s, err); err != nil {
				return account.Attempt[*client.Service]{ID: account.FormatID(s.ID), Err: err}
			}
			c, err := request(s, times(), true)
			if err != nil {
				return account.Attempt[*client.Service]{ID: account.FormatID(s.ID), Err: err}
			}
			return changes.attempt(s, c)
		},
		ScriptNote: func(s *client.Service) string { return windowNote(s, times()) },
		Undo:       changes.undo,
		OnApplied: func([]*client.Service) tea.Cmd {
			if a.Maintenance.Keeper != nil {
				a.Maintenance.Keeper.Wake()
			}
			return nil
		},
	}
}

// changeWindow gives services another end and reason, or their planned windows another start. Services that somebody
// else has disabled get a window.
func changeWindow(a *account.Account, s *client.Service) resource.Draft[*client.Service] {
	in := &disableRequest{choice: hour1}
	current := func(s *client.Service) (window.Window, bool) {
		of := a.Journal.WindowsOf(account.FormatID(s.ID))
		want := window.Active
		if window.IsOver(of, s, a.Now()) {
			want = window.Planned
		}
		i := slices.IndexFunc(of, func(w window.Window) bool { return w.State == want })
		if i < 0 {
			return window.Window{}, false
		}
		return of[i], true
	}
	text := ""
	if s != nil {
		w, ok := current(s)
		if in.reason = w.Reason; ok && w.State == window.Planned {
			in.choice, in.other = otherWindow, windowText(w, a.Location)
			text = "Planned: " + formatWindow(a, w) + "."
		} else if d, disabled := a.DisabledInfo(s); disabled {
			in.begun = true
			text = "Disabled " + describeDisabled(a, d) + ". It stays disabled."
		}
	}
	draft := windowDraft(a, s, in, func(s *client.Service, r window.Request, now time.Time) (client.Change, error) {
		of := a.Journal.WindowsOf(r.Service)
		if w, ok := current(s); ok {
			return window.Change(w, of, r, now)
		}
		return window.Disable(of, r, now)
	})
	draft.SubmitLabel, draft.Text = "change", text
	if s != nil {
		draft.Title = "Maintenance window of " + s.Label.String()
	}
	return draft
}

// windowText returns the times of a window as ParseWindow reads them.
func windowText(w window.Window, zone *time.Location) string {
	const layout = "2006-01-02 15:04"
	start, end := w.Start.In(zone), w.End.In(zone)
	if end.Sub(start) < 24*time.Hour {
		return start.Format(layout) + "-" + end.Format("15:04")
	}
	return start.Format(layout) + " - " + end.Format(layout)
}

// cancelMaintenance cancels the next planned window of services.
func cancelMaintenance(a *account.Account) resource.Draft[*client.Service] {
	changes := newWindowChanges(a)
	return resource.Draft[*client.Service]{
		Confirm: func(rows []*client.Service) resource.ConfirmationSpec {
			if rows[0] == nil {
				return resource.ConfirmationSpec{}
			}
			w, _ := nextWindow(a, rows[0].ID)
			return resource.ConfirmationSpec{
				Effect: fmt.Sprintf("Service %s will not be disabled at %s.", rows[0].Label, a.FormatTime(w.Start)),
			}
		},
		Attempt: func(s *client.Service) account.Attempt[*client.Service] {
			w, _ := nextWindow(a, s.ID)
			return changes.attempt(s, client.Change{Op: client.OpCancelMaintenance, Scheduled: w.ID})
		},
		Undo: changes.undo,
	}
}

// enableService starts the monitoring of services again. The reason goes into the journal: "time is up".
func enableService(a *account.Account, reason string) resource.Draft[*client.Service] {
	ended := map[int]window.Window{} // windows, by service
	return resource.Draft[*client.Service]{
		Confirm: func(rows []*client.Service) resource.ConfirmationSpec {
			return resource.ConfirmationSpec{Effect: fmt.Sprintf("Enables monitoring of service %s.", rows[0].Label)}
		},
		Attempt: func(s *client.Service) account.Attempt[*client.Service] {
			attempt := monitoringAttempt(s, (*client.Writer).EnableService)
			attempt.Reason = reason
			ended[s.ID], _ = a.Journal.ActiveWindow(attempt.ID)
			return attempt
		},
		Undo: func() serviceUndo {
			return serviceUndo{Operation: "disable", Text: "disable again", Draft: disableAgain(a, ended)}
		},
	}
}

// disableAgain disables services that were enabled by mistake, for the rest of their windows.
func disableAgain(a *account.Account, ended map[int]window.Window) resource.Draft[*client.Service] {
	changes := newWindowChanges(a)
	return resource.Draft[*client.Service]{
		Confirm: func(rows []*client.Service) resource.ConfirmationSpec {
			return resource.ConfirmationSpec{
				Effect: fmt.Sprintf("As before, nobody will be alerted about %s.", rows[0].Label),
			}
		},
		Attempt: func(s *client.Service) account.Attempt[*client.Service] {
			c := client.Change{Op: client.OpDisableService}
			if w := ended[s.ID]; w.End.IsZero() || w.End.After(a.Now()) {
				c.Reason, c.RevertAt = w.Reason, w.End
			}
			return changes.attempt(s, c)
		},
		Undo: changes.undo,
	}
}

// monitoringAttempt is the change that disables or enables a service.
func monitoringAttempt(
	s *client.Service, send func(*client.Writer, context.Context, int) (*client.Service, error),
) account.Attempt[*client.Service] {
	return account.Attempt[*client.Service]{
		ID:     account.FormatID(s.ID),
		Label:  s.Label.Raw(),
		Before: serviceSnapshot(s),
		Was:    s.Status.String(),
		Send: func(ctx context.Context, w *client.Writer) (lists.ChangeResult[*client.Service], error) {
			return lists.ResultRow(send(w, ctx, s.ID))
		},
	}
}

// serviceSnapshot returns a service as the journal keeps it beside a change. Of a service that has not been read, only
// the status is known.
func serviceSnapshot(s *client.Service) client.Patch {
	before := client.Patch{}
	if s.Address.String() != "" {
		before = client.Diff(client.ServiceRequest{}, s.Request())
	}
	before["status"] = s.Status
	return before
}

// disableRequest holds the values of the form that disables services.
type disableRequest struct {
	choice  windowChoice
	other   string // a text for ParseWindow, if choice is otherWindow
	reason  string
	begun   bool // the window has begun, so that it has no other start
	replace replacement
}

func (in *disableRequest) fields(a *account.Account) []form.Field {
	preview := func() string { return in.preview(a.Now().In(a.Location)) }
	return []form.Field{
		form.Choice("for", "For", &in.choice, minutes15, hour1, hours4, noEnd, otherWindow).
			NoteFunc(preview).
			Scripted(form.ScriptInput{
				Flag:    "for",
				Default: "none",
				Values:  []string{"15m", "1h", "4h", "24h", "none"},
				Usage: "for how long or until when, in local time: " + WindowExamples +
					" (until you enable it); at the end, a dashboard or \"lookout keep\" enables the " +
					"service, as soon as one is running",
				Set: func(text string) string {
					in.choice, in.other = otherWindow, text
					return in.problem(a)
				},
			}),
		form.Text("until", "Until", &in.other, func(string) string { return in.problem(a) }).
			When(func() bool { return in.choice == otherWindow }).
			NoteFunc(preview),
		form.Text("reason", "Reason", &in.reason, form.Length(0, 200)).
			Note("for the journal and the next person on call"),
		form.Switch("replace", "Replace", &in.replace.always).Scripted(form.ScriptInput{
			Flag:  "replace",
			Usage: "replace overlapping windows of the service, instead of failing",
			Bool:  true,
			Only:  true,
		}),
	}
}

// text is what ParseWindow reads.
func (in *disableRequest) text() string {
	switch in.choice {
	case otherWindow:
		return in.other
	case noEnd:
		return "none"
	}
	return string(in.choice)
}

// problem returns what is wrong with the window, or "".
func (in *disableRequest) problem(a *account.Account) string {
	switch w, err := ParseWindow(in.text(), a.Now().In(a.Location)); {
	case err != nil:
		return err.Error()
	case in.begun && !w.Start.IsZero():
		return "it is disabled already: give only the end"
	}
	return ""
}

// preview says what the window is, with the time zone.
func (in *disableRequest) preview(now time.Time) string {
	w, err := ParseWindow(in.text(), now)
	switch zone := now.Format("MST"); {
	case in.choice == otherWindow && strings.TrimSpace(in.other) == "":
		return "times are " + zone + "; for example " + WindowExamples + " (no end)"
	case err != nil:
		return err.Error()
	}
	return in.span(w, now)
}

// span says for how long, as the end of a sentence: "until 23:01 UTC".
func (in *disableRequest) span(w MaintenanceWindow, now time.Time) string {
	switch {
	case w.End.IsZero():
		return "until somebody enables it"
	case !w.Start.IsZero():
		return fmt.Sprintf(
			"from %s until %s %s",
			account.FormatMoment(w.Start, now), account.FormatMoment(w.End, w.Start), w.End.Format("MST"),
		)
	}
	return "until " + account.FormatMoment(w.End, now) + w.End.Format(" MST")
}

// window returns the window that begins now.
func (in *disableRequest) window(a *account.Account) MaintenanceWindow {
	w, _ := ParseWindow(in.text(), a.Now().In(a.Location)) // its field accepts nothing else
	return w
}

// A windowChoice is for how long services stay disabled.
type windowChoice string

const (
	minutes15   windowChoice = "15 min"
	hour1       windowChoice = "1 h"
	hours4      windowChoice = "4 h"
	noEnd       windowChoice = "until I enable it"
	otherWindow windowChoice = "another time"
)
