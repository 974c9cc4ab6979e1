package managed

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/journal"
	"lookout/client/lists"
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
			OtherCalls:      []string{client.OpPlanMaintenance},
			Target:          resource.AnyRows,
			ShowInHints:     true,
			BusyText:        "disabling",
			SuccessText:     "monitoring is disabled",
			Shows:           func(s *client.Service) string { return s.Status.String() },
			Applies: func(s *client.Service) string {
				return account.ReasonIf(s.Status == client.StatusDisabled, "already disabled")
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
				return account.ReasonIf(s.Status != client.StatusDisabled, "monitoring is on")
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
			Command:     resource.PaneOnly, // disable with --for does it
			Description: "change when a disabled service is enabled again",
			Keys:        []string{"w"},
			Call:        client.OpDisableService,
			Target:      resource.AnyRows,
			ShowInHints: true,
			BusyText:    "changing the window",
			SuccessText: "stays disabled",
			Shows:       func(s *client.Service) string { return s.Status.String() },
			Applies: func(s *client.Service) string {
				return account.ReasonIf(s.Status != client.StatusDisabled, "monitoring is on")
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
			Target:      resource.AnyRows,
			BusyText:    "cancelling",
			SuccessText: "planned maintenance is cancelled",
			Applies: func(s *client.Service) string {
				_, planned := nextWindow(a, s.ID)
				return account.ReasonIf(!planned, "no maintenance is planned")
			},
			Draft: func(*client.Service) resource.Draft[*client.Service] { return cancelMaintenance(a, time.Time{}) },
		},
	}
}

// serviceUndo is what undoes an operation on services.
type serviceUndo = resource.Undo[*client.Service]

// windowNote tells a script what ends a window, and that a program must run to do so.
func windowNote(s *client.Service, w MaintenanceWindow) string {
	const by = "by a dashboard or lookout keep, if one is running"
	start, end := w.Start.Format(time.RFC3339), w.End.Format(time.RFC3339)
	switch {
	case w.End.IsZero():
		return fmt.Sprintf("nothing will enable it automatically · to enable it: lookout services enable %d", s.ID)
	case w.Start.IsZero():
		return fmt.Sprintf("is to be enabled at %s, %s", end, by)
	}
	return fmt.Sprintf("is to be disabled from %s until %s, %s", start, end, by)
}

// disableService stops the monitoring of services, for a while and for a reason. The journal keeps both, and the end of
// the window brings the monitoring back.
func disableService(a *account.Account, s *client.Service) resource.Draft[*client.Service] {
	in := &disableRequest{choice: hour1}
	window := sync.OnceValue(
		func() MaintenanceWindow { return in.window(a) },
	) // the same for all rows, from when they are sent
	draft := resource.Draft[*client.Service]{
		Text: "Nobody is alerted in the meantime. Nothing else is stopped. " +
			"Monitoring resumes only if lookout or lookout keep is running at that time.",
		SubmitLabel:  "disable",
		Fields:       in.fields(a),
		EnterSubmits: form.AlwaysSubmit,
		ClosesAtOnce: true,
		Confirm: func(rows []*client.Service) resource.ConfirmationSpec {
			now := a.Now().In(a.Location)
			effect := fmt.Sprintf("Nobody is alerted about %s %s.", rows[0].Label, in.span(in.window(a), now))
			return resource.ConfirmationSpec{Effect: effect}
		},
		Attempt: func(s *client.Service) resource.Attempt[*client.Service] {
			attempt := disableAttempt(s)
			if !window().Start.IsZero() {
				attempt = planAttempt(s, window())
			}
			attempt.Reason, attempt.RevertAt = in.reason, window().End
			return attempt
		},
		ScriptNote: func(s *client.Service) string { return windowNote(s, window()) },
		Undo: func() serviceUndo {
			if !window().Start.IsZero() {
				return serviceUndo{
					Operation: "cancel maintenance",
					Text:      "cancel it",
					Draft:     cancelMaintenance(a, window().Start),
				}
			}
			return serviceUndo{Operation: "enable", Text: "enable again", Draft: enableService(a, "")}
		},
		OnApplied: func([]*client.Service) tea.Cmd { watchWindows(a); return nil },
	}
	if s != nil {
		draft.Title = "Disable monitoring of " + s.Label.String()
	}
	return draft
}

// changeWindow gives disabled services another end.
func changeWindow(a *account.Account, s *client.Service) resource.Draft[*client.Service] {
	draft := disableService(a, s)
	before := map[int]journal.DisabledService{}
	disable := draft.Attempt
	draft.Attempt = func(s *client.Service) resource.Attempt[*client.Service] {
		attempt := disable(s)
		before[s.ID], _ = a.Journal.DisabledService(attempt.ID)
		attempt.Was = ""
		return attempt
	}
	draft.SubmitLabel, draft.Text = "change", ""
	draft.Undo = func() serviceUndo {
		return serviceUndo{Operation: "change window", Text: "change it back", Draft: disableAgain(a, before)}
	}
	if s != nil {
		draft.Title = "Maintenance window of " + s.Label.String()
		if d, disabled := account.DisabledInfo(a, s); disabled {
			draft.Text = "Disabled " + describeDisabled(a, d) + ". It stays disabled."
		}
	}
	return draft
}

// planAttempt records a window that begins later.
func planAttempt(s *client.Service, w MaintenanceWindow) resource.Attempt[*client.Service] {
	return resource.Attempt[*client.Service]{
		Call:    client.OpPlanMaintenance,
		ID:      account.FormatID(s.ID),
		Label:   s.Label.Raw(),
		StartAt: w.Start,
		Send: func(ctx context.Context, w *client.Writer) (lists.ChangeResult[*client.Service], error) {
			return lists.ResultRow(s, w.PlanMaintenance(ctx, s.ID))
		},
	}
}

// cancelMaintenance cancels the planned window of services that begins at start; the next one if start is zero.
func cancelMaintenance(a *account.Account, start time.Time) resource.Draft[*client.Service] {
	return resource.Draft[*client.Service]{
		Confirm: func(rows []*client.Service) resource.ConfirmationSpec {
			if rows[0] == nil {
				return resource.ConfirmationSpec{}
			}
			w, _ := windowFrom(a, rows[0].ID, start)
			return resource.ConfirmationSpec{
				Effect: fmt.Sprintf("Service %s will not be disabled at %s.", rows[0].Label, a.FormatTime(w.Start)),
			}
		},
		Attempt: func(s *client.Service) resource.Attempt[*client.Service] {
			w, _ := windowFrom(a, s.ID, start)
			return resource.Attempt[*client.Service]{
				ID:        account.FormatID(s.ID),
				Label:     s.Label.Raw(),
				Scheduled: w.IntentID,
				Send: func(ctx context.Context, w *client.Writer) (lists.ChangeResult[*client.Service], error) {
					return lists.ResultRow(s, w.CancelMaintenance(ctx, s.ID))
				},
			}
		},
	}
}

// enableService starts the monitoring of services again. The reason goes into the journal: "time is up".
func enableService(a *account.Account, reason string) resource.Draft[*client.Service] {
	ended := map[int]journal.DisabledService{} // windows, by service
	return resource.Draft[*client.Service]{
		Confirm: func(rows []*client.Service) resource.ConfirmationSpec {
			return resource.ConfirmationSpec{Effect: fmt.Sprintf("Enables monitoring of service %s.", rows[0].Label)}
		},
		Attempt: func(s *client.Service) resource.Attempt[*client.Service] {
			attempt := monitoringAttempt(s, (*client.Writer).EnableService)
			attempt.Reason = reason
			ended[s.ID], _ = a.Journal.DisabledService(attempt.ID)
			return attempt
		},
		Undo: func() serviceUndo {
			return serviceUndo{Operation: "disable", Text: "disable again", Draft: disableAgain(a, ended)}
		},
	}
}

// disableAgain disables services that were enabled by mistake, for the rest of their windows.
func disableAgain(a *account.Account, ended map[int]journal.DisabledService) resource.Draft[*client.Service] {
	draft := disableService(a, nil)
	draft.Attempt = func(s *client.Service) resource.Attempt[*client.Service] {
		attempt := disableAttempt(s)
		if w := ended[s.ID]; w.Until.IsZero() || w.Until.After(a.Now()) {
			attempt.Reason, attempt.RevertAt = w.Reason, w.Until
		}
		return attempt
	}
	draft.Confirm = func(rows []*client.Service) resource.ConfirmationSpec {
		return resource.ConfirmationSpec{
			Effect: fmt.Sprintf("As before, nobody will be alerted about %s.", rows[0].Label),
		}
	}
	return draft
}

// disableAttempt is the change that disables a service.
func disableAttempt(s *client.Service) resource.Attempt[*client.Service] {
	return monitoringAttempt(s, (*client.Writer).DisableService)
}

// monitoringAttempt is the change that disables or enables a service.
func monitoringAttempt(
	s *client.Service, send func(*client.Writer, context.Context, int) (*client.Service, error),
) resource.Attempt[*client.Service] {
	return resource.Attempt[*client.Service]{
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
	choice windowChoice
	other  string // a text for ParseWindow, if choice is otherWindow
	reason string
}

func (in *disableRequest) fields(a *account.Account) []form.Field {
	preview := func() string { return in.preview(a.Now().In(a.Location)) }
	return []form.Field{
		form.Choice("for", "For", &in.choice, minutes15, hour1, hours4, noEnd, otherWindow).
			NoteFunc(preview).
			Scripted(form.ScriptInput{
				Flag:    "for",
				Default: "none",
				Usage: "for how long or until when, in local time: " + WindowExamples +
					" (until you enable it); then a dashboard or \"lookout keep\" enables the service, " +
					"if one is running",
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
	if _, err := ParseWindow(in.text(), a.Now().In(a.Location)); err != nil {
		return err.Error()
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
			"from %s until %s %s", formatMoment(w.Start, now), formatMoment(w.End, w.Start), w.End.Format("MST"),
		)
	}
	return "until " + formatMoment(w.End, now) + w.End.Format(" MST")
}

// window returns the window that begins now.
func (in *disableRequest) window(a *account.Account) MaintenanceWindow {
	w, _ := ParseWindow(in.text(), a.Now().In(a.Location)) // its field accepts nothing else
	return w
}

// formatMoment returns a time with its day, unless that is today.
func formatMoment(at, now time.Time) string {
	if at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return at.Format("15:04")
	}
	return at.Format("Mon 2 Jan 15:04")
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
