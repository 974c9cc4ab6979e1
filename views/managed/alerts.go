package managed

import (
	"cmp"
	"lookout/client"
	"lookout/client/account/incident"
	"lookout/client/account/join"
	"lookout/theme"
)

// AlertMark returns the glyph and the tone of an alert: red for what is down, yellow for what is not over.
func AlertMark(c incident.Alert, g theme.Glyphs) (string, theme.Tone) {
	switch {
	case c.Down():
		return g.Problem, theme.Bad
	case c.Incident.Phase == incident.Open:
		return g.Problem, theme.Warn
	}
	return g.Unknown, theme.Warn
}

// CountAlerts returns how many services are down, and of the other alerts how many are open and how many uncertain.
func CountAlerts(alerts []incident.Alert) (down, open, uncertain int) {
	for _, c := range alerts {
		switch {
		case c.Down():
			down++
		case c.Incident.Phase == incident.Open:
			open++
		default:
			uncertain++
		}
	}
	return down, open, uncertain
}

// ContactToCall returns whom of the contacts of a group to call, and the number. Without a number, the name says why
// there is none.
func ContactToCall(contacts join.Joined[*client.Contact]) (name, number string) {
	for _, c := range join.Found(contacts) {
		if number := cmp.Or(c.Phone.Primary.String(), c.Phone.Secondary.String()); number != "" {
			return c.Name.String(), number
		}
	}
	return join.Fold(contacts, func(all []*client.Contact) string {
		if len(all) > 0 {
			return "no phone number"
		}
		return "nobody to call"
	}, func(_ []*client.Contact, state join.JoinState) string { return state.Reason() }), ""
}
