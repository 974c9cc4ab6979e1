package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lookout/client"
	"lookout/client/journal"
	"lookout/ui"
)

// A handover is what the next shift must know.
type handover struct {
	Account    string      `json:"account"`
	From       time.Time   `json:"from"`
	To         time.Time   `json:"to"`
	Changes    []entry     `json:"changes"`
	Unknown    []entry     `json:"unknown"` // sent without an outcome
	Disabled   []held      `json:"disabled"`
	Problems   []problem   `json:"problems"`
	Issues     []openIssue `json:"issues"`
	Unreadable []string    `json:"unreadable,omitempty"` // what the API did not tell
	failure    error       // the first of them that makes the hand-over incomplete
	lacks      lacks
}

// lacks are what the sections of a hand-over must say beside their rows; empty where all was read.
type lacks struct{ problems, issues, disabled string }

// held is a service that is not monitored.
type held struct {
	ID     int       `json:"id"`
	Label  string    `json:"label"`
	Since  time.Time `json:"since,omitzero"`
	Until  time.Time `json:"until,omitzero"`
	Reason string    `json:"reason,omitempty"`
	Ours   bool      `json:"ours"` // disabled by this program on this machine
}

// problem is a service that is down.
type problem struct {
	ID      int    `json:"id"`
	Label   string `json:"label"`
	Address string `json:"address"`
	Group   string `json:"group"` // whom to consult
}

// openIssue is an issue whose ticket is not closed, as far as can be known.
type openIssue struct {
	ID       int       `json:"id"`
	Created  time.Time `json:"created"`
	Services []string  `json:"services"`
	Ticket   int       `json:"ticket"`
	Label    string    `json:"label"`
	Status   string    `json:"status"`
}

func handoverCommand(f *flags) *cobra.Command {
	var since, format string
	c := &cobra.Command{
		Use: "handover", Short: "The shift's hand-over as Markdown", Args: nothing, Example: examples("lookout handover --since 8h > handover.md\nlookout handover --since 2026-11-20 -o json"),
		Long: "Writes what was changed from this machine and why, what is still disabled and until when, changes whose outcome is unknown,\n" +
			"services in trouble and open issues. What the API cannot tell is named; the rest is written all the same.",
		RunE: func(c *cobra.Command, _ []string) error {
			if format != "markdown" && format != "json" {
				return usage(fmt.Errorf("-o %q is no format; choose markdown, json", format))
			}
			s, end, err := begin(c, f, true)
			if err != nil {
				return err
			}
			defer end()
			from, err := sinceOf(since, s.now())
			if err != nil {
				return err
			}
			h, err := s.handover(c.Context(), from)
			if err != nil {
				return err
			}
			return h.write(c.OutOrStdout(), format)
		},
	}
	f.ofAccount(c.Flags())
	c.Flags().StringVar(&since, "since", "8h", "begin of the shift: a time as 8h, or a day as 2026-11-20")
	c.Flags().StringVarP(&format, "output", "o", "markdown", "how to write: markdown, json")
	oneOf(c.Flags(), "output", "markdown", "json")
	return c
}

// handover gathers the shift from the journal and the API.
func (s *session) handover(ctx context.Context, from time.Time) (handover, error) {
	h := handover{Account: s.settings.Account, From: from.UTC(), To: s.now().UTC(), Changes: []entry{}, Unknown: []entry{}, Disabled: []held{}, Problems: []problem{}, Issues: []openIssue{}}
	j, err := s.journal.read()
	if err != nil {
		return h, err
	}
	for _, e := range j.Entries(from) {
		h.Changes = append(h.Changes, entryOf(e))
		if e.Outcome == journal.Unknown || e.Outcome == journal.Sent {
			h.Unknown = append(h.Unknown, entryOf(e))
		}
	}
	if n := j.Torn(); n > 0 {
		h.Unreadable = append(h.Unreadable, fmt.Sprintf("journal: %d lines of %s", n, s.journal.path))
	}
	labels := h.services(ctx, s, j.Holds())
	h.issues(ctx, s, labels)
	slices.SortFunc(h.Disabled, func(a, b held) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID)) })
	return h, nil
}

// missing notes what the API did not tell.
func (h *handover) missing(what string, err error) {
	h.Unreadable = append(h.Unreadable, what+": "+err.Error())
	h.failure = cmp.Or(h.failure, err)
}

// notRead stands where the API did not tell all.
const notRead = "**could not be read**"

// orNull is rows of which more could not be read. Where there are none, an empty list would be a lie.
func orNull[T any](rows []T) []T {
	if len(rows) == 0 {
		return nil
	}
	return rows
}

// services reads what is disabled and what is in trouble, and every label. The journal stands in where the API does not answer.
func (h *handover) services(ctx context.Context, s *session, holds map[string]journal.Hold) map[int]string {
	labels := map[int]string{}
	for v, err := range s.api.Services.All(ctx) {
		if err != nil {
			h.missing("services", err)
			h.lacks.problems, h.lacks.disabled = notRead, notRead+"; what this machine's journal knows is named"
			for id, hold := range holds {
				n, _ := strconv.Atoi(id)
				if _, read := labels[n]; !read {
					h.Disabled = append(h.Disabled, heldOf(n, hold.Label, hold, true))
				}
			}
			h.Problems, h.Disabled = orNull(h.Problems), orNull(h.Disabled)
			return labels
		}
		labels[v.ID] = v.Label.Raw()
		hold, ours := holds[strconv.Itoa(v.ID)]
		switch v.Status {
		case client.StatusDisabled:
			if !ours {
				hold.Since = v.Updated.Time()
			}
			h.Disabled = append(h.Disabled, heldOf(v.ID, v.Label.Raw(), hold, ours))
		case client.StatusProblem:
			h.Problems = append(h.Problems, problem{v.ID, v.Label.Raw(), v.Address.Raw(), v.Group.Raw()})
		}
	}
	return labels
}

func heldOf(id int, label string, hold journal.Hold, ours bool) held {
	return held{ID: id, Label: label, Since: hold.Since, Until: hold.Until, Reason: hold.Reason, Ours: ours}
}

// ticketsAsked bounds the requests of a hand-over.
const ticketsAsked = 20

// issues are those whose ticket is not closed. Where tickets cannot be read, those of the shift are taken.
func (h *handover) issues(ctx context.Context, s *session, labels map[int]string) {
	asked, left := 0, 0
	defer func() { h.leftOut(left) }()
	for i, err := range s.api.Issues.All(ctx) {
		if err != nil {
			h.missing("issues", err)
			h.lacks.issues, h.Issues = notRead, orNull(h.Issues)
			return
		}
		status := "unknown"
		if asked < ticketsAsked {
			asked++
			if t, err := s.api.Tickets.Get(ctx, i.Ticket.ID); err == nil {
				if !t.IsOpen() {
					continue
				}
				status = orElse(t.Status.Raw(), "open")
			}
		}
		if status == "unknown" && i.Created.Time().Before(h.From) {
			left++
			continue
		}
		one := openIssue{ID: i.ID, Created: i.Created.Time(), Services: []string{}, Ticket: i.Ticket.ID, Label: i.Ticket.Label.Raw(), Status: status}
		for _, id := range i.Services {
			one.Services = append(one.Services, orElse(labels[id], "service "+strconv.Itoa(id)))
		}
		h.Issues = append(h.Issues, one)
	}
}

// leftOut tells of older issues that may be open, which their tickets would tell.
func (h *handover) leftOut(n int) {
	if n == 0 {
		return
	}
	text := fmt.Sprintf("tickets: %d older issues are left out: whether they are open is not known", n)
	h.Unreadable = append(h.Unreadable, text)
	h.lacks.issues = orElse(h.lacks.issues, notRead+": "+text)
}

// write writes the hand-over, and says by its error what the API did not tell.
func (h handover) write(out io.Writer, format string) error {
	text := func() error { return emit(out, h.markdown()) }
	if format == "json" {
		text = func() error { return writeJSON(out, h, "  ") }
	}
	if err := text(); err != nil || h.failure == nil {
		return err
	}
	return fmt.Errorf("the hand-over is not complete: %w", h.failure)
}

// markdown is the hand-over to be read.
func (h handover) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Hand-over of %s\n\n%s to %s\n", escape(h.Account), shown(h.From), shown(h.To))
	section(&b, "Services in trouble", "none", h.lacks.problems, h.Problems, func(p problem) string {
		text := fmt.Sprintf("**%s** (%d) %s", escape(p.Label), p.ID, escape(p.Address))
		if p.Group != "" {
			text += "; call the group " + escape(p.Group)
		}
		return text
	})
	section(&b, "Open issues", "none", h.lacks.issues, h.Issues, func(i openIssue) string {
		names := make([]string, len(i.Services))
		for n, label := range i.Services {
			names[n] = escape(label)
		}
		return fmt.Sprintf("%s issue %d: %s; ticket %d, %s", shown(i.Created), i.ID, strings.Join(names, ", "), i.Ticket, escape(i.Status))
	})
	section(&b, "Still disabled", "nothing", h.lacks.disabled, h.Disabled, func(d held) string { return d.sentence(h.To) })
	section(&b, "Outcome unknown: look before doing it again", "none", "", h.Unknown, sentence)
	section(&b, "Changed", "nothing from this machine", "", h.Changes, sentence)
	if len(h.Unreadable) > 0 {
		section(&b, "Could not be read", "", "", h.Unreadable, escape)
	}
	return b.String()
}

// section writes rows, and what is lacking: only where nothing is, no rows are none.
func section[T any](b *strings.Builder, title, none, lacking string, rows []T, line func(T) string) {
	fmt.Fprintf(b, "\n## %s\n\n", title)
	for _, row := range rows {
		b.WriteString("- " + line(row) + "\n")
	}
	switch {
	case lacking != "" && len(rows) > 0:
		b.WriteString("- " + lacking + "\n")
	case lacking != "":
		b.WriteString(lacking + "\n")
	case len(rows) == 0:
		b.WriteString(none + "\n")
	}
}

// sentence is a change in a line.
func sentence(e entry) string {
	text := fmt.Sprintf("%s %s %s", shown(e.Time), e.Op, escape(orElse(e.Label, e.Of)))
	if !e.Until.IsZero() {
		text += ", until " + shown(e.Until)
	}
	if e.Outcome != journal.Done {
		text += ", **" + string(e.Outcome) + "**"
	}
	if e.Reason != "" {
		text += ": " + escape(e.Reason)
	}
	return text
}

// sentence is a disabled service in a line.
func (d held) sentence(now time.Time) string {
	text := fmt.Sprintf("**%s** (%d)", escape(d.Label), d.ID)
	if !d.Since.IsZero() {
		text += " since " + shown(d.Since) + ", for " + ui.Age(now.Sub(d.Since))
	}
	switch {
	case d.Until.IsZero():
		text += ", without an end"
	case d.Until.Before(now):
		text += ", **overdue** since " + shown(d.Until)
	default:
		text += ", until " + shown(d.Until)
	}
	if !d.Ours {
		text += "; not by this program here"
	}
	if d.Reason != "" {
		text += ": " + escape(d.Reason)
	}
	return text
}

func shown(t time.Time) string {
	if t.IsZero() {
		return "the beginning"
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

// escape makes a text one line of Markdown that means nothing but itself.
func escape(text string) string {
	var b strings.Builder
	for _, r := range client.Clean(text) {
		if strings.ContainsRune("\\`*_[]<>#|", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
