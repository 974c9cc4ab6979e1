package managed

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/views/account"
	"lookout/views/resource"
)

// monitoringOperations are the two operations that switch the monitoring of services; each undoes the other.
func monitoringOperations(a *account.Account) []resource.Operation[*client.Service] {
	return []resource.Operation[*client.Service]{
		{
			Name:         "disable",
			Description:  "stop monitoring for a while: asks for how long and why",
			Keys:         []string{"d"},
			Call:         client.OpDisableService,
			Target:       resource.AnyRows,
			ShowInHints:  true,
			ProgressText: "disabling",
			SuccessText:  "monitoring is disabled",
			Applies: func(s *client.Service) string {
				return account.ReasonIf(s.Status == client.StatusDisabled, "already disabled")
			},
			Draft: func(s *client.Service) resource.Draft[*client.Service] { return disableService(a, s) },
		},
		{
			Name:         "enable",
			Description:  "monitor again",
			Keys:         []string{"E"},
			Call:         client.OpEnableService,
			Target:       resource.AnyRows,
			ShowInHints:  true,
			ProgressText: "enabling",
			SuccessText:  "monitoring is enabled",
			Applies: func(s *client.Service) string {
				return account.ReasonIf(s.Status != client.StatusDisabled, "not disabled")
			},
			Draft: func(*client.Service) resource.Draft[*client.Service] { return enableService(a, "") },
		},
	}
}

// disableService stops the monitoring of services, for a while and for a reason. The journal keeps both, and the end of
// the window brings the monitoring back.
func disableService(a *account.Account, s *client.Service) resource.Draft[*client.Service] {
	in := &disableRequest{duration: untilEnabled}
	end := sync.OnceValue(func() time.Time { return in.endTime(a) }) // the same for all rows, from when they are sent
	draft := resource.Draft[*client.Service]{
		Text:         "Nobody is alerted about it meanwhile. Nothing else changes.",
		SubmitLabel:  "disable",
		Fields:       in.fields(a),
		EnterSubmits: form.AlwaysSubmit,
		ClosesAtOnce: true,
		Confirm: func(rows []*client.Service) resource.Confirm {
			return resource.Confirm{Effect: fmt.Sprintf("Nobody is alerted about %s %s.", rows[0].Label, in.span())}
		},
		Attempt: func(s *client.Service) resource.Attempt[*client.Service] {
			attempt := monitoringAttempt(s, (*client.Writer).DisableService, func(now *client.Service) bool {
				return now.Status == client.StatusDisabled
			})
			attempt.Reason, attempt.RevertAt = in.reason, end()
			return attempt
		},
		UndoName:  "enable",
		Undo:      func() resource.Draft[*client.Service] { return enableService(a, "") },
		OnApplied: func(rows []*client.Service) tea.Cmd { return scheduleEnableOf(a, rows) },
	}
	if s != nil {
		draft.Title = "Disable monitoring of " + s.Label.String()
	}
	return draft
}

// enableService starts the monitoring of services again. The reason goes into the journal: "time is up".
func enableService(a *account.Account, reason string) resource.Draft[*client.Service] {
	return resource.Draft[*client.Service]{
		Confirm: func(rows []*client.Service) resource.Confirm {
			return resource.Confirm{Effect: fmt.Sprintf("Service %s is monitored again.", rows[0].Label)}
		},
		Attempt: func(s *client.Service) resource.Attempt[*client.Service] {
			attempt := monitoringAttempt(s, (*client.Writer).EnableService, func(now *client.Service) bool {
				return now.Status != client.StatusDisabled
			})
			attempt.Reason = reason
			return attempt
		},
		UndoName: "disable",
		Undo:     func() resource.Draft[*client.Service] { return disableService(a, nil) },
	}
}

// monitoringAttempt is the change that disables or enables a service. applied tells from the service, read again,
// whether it was made.
func monitoringAttempt(
	s *client.Service, send func(*client.Writer, context.Context, int) (*client.Service, error),
	applied func(now *client.Service) bool,
) resource.Attempt[*client.Service] {
	return resource.Attempt[*client.Service]{
		ID:     account.FormatID(s.ID),
		Label:  s.Label.String(),
		Before: serviceSnapshot(s),
		Was:    s.Status.String(),
		Send: func(ctx context.Context, w *client.Writer) (ui.Result[*client.Service], error) {
			return ui.ResultRow(send(w, ctx, s.ID))
		},
		Find: account.FindUpdated(s.ID, serviceID, applied),
	}
}

// disableRequest holds the values of the form that disables services.
type disableRequest struct {
	duration disableDuration
	until    string // time of day, if duration is untilTime: "06:30"
	reason   string
}

func (in *disableRequest) fields(a *account.Account) []form.Field {
	return []form.Field{
		form.Choice("for", "For", &in.duration, untilEnabled, minutes15, hour1, hours4, untilTime),
		form.Text("until", "Until", &in.until, checkTimeOfDay).
			When(func() bool { return in.duration == untilTime }).
			Note("the next time the clock shows it: 06:30"),
		form.Text("reason", "Reason", &in.reason, form.Length(0, 200)).
			Note("for the journal and the next person on call"),
	}
}

// span says for how long, as the end of a sentence: "for 1 h".
func (in *disableRequest) span() string {
	switch in.duration {
	case untilEnabled:
		return "until somebody enables it"
	case untilTime:
		return "until " + strings.TrimSpace(in.until)
	}
	return "for " + string(in.duration)
}

// endTime returns the end of a window that starts now; it is zero for one that has no end.
func (in *disableRequest) endTime(a *account.Account) time.Time {
	now := a.Now().In(a.Location)
	switch in.duration {
	case minutes15:
		return now.Add(15 * time.Minute)
	case hour1:
		return now.Add(time.Hour)
	case hours4:
		return now.Add(4 * time.Hour)
	case untilTime:
		end, _ := nextTimeOfDay(in.until, now) // its field accepts nothing else
		return end
	}
	return time.Time{}
}

// A disableDuration is for how long services stay disabled.
type disableDuration string

const (
	untilEnabled disableDuration = "until I enable it"
	minutes15    disableDuration = "15 min"
	hour1        disableDuration = "1 h"
	hours4       disableDuration = "4 h"
	untilTime    disableDuration = "until a time"
)

// nextTimeOfDay returns the next time at which a clock shows "15:04".
func nextTimeOfDay(text string, now time.Time) (time.Time, error) {
	t, err := time.Parse("15:04", strings.TrimSpace(text))
	if err != nil {
		return time.Time{}, fmt.Errorf("not a time of day: use 06:30")
	}
	at := time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), 0, 0, now.Location())
	if !at.After(now) {
		at = at.AddDate(0, 0, 1)
	}
	return at, nil
}

// checkTimeOfDay checks the text of a time of day.
func checkTimeOfDay(text string) string {
	if _, err := nextTimeOfDay(text, time.Time{}); err != nil {
		return err.Error()
	}
	return ""
}

// nameOrCount names one row, or counts many.
func nameOrCount(rows []*client.Service) string {
	if len(rows) == 1 {
		return rows[0].Label.String()
	}
	return account.Pluralize(len(rows), "service", "services")
}
