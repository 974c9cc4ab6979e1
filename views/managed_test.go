package views_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/client/lists"
)

// With a token that may only read, the program explains why a change is not possible, and shows the row of the list.
func TestForm_readOnlyScopeIsExplained(t *testing.T) {
	t.Parallel()
	faulttest.ReportCase(t, "A26", "told on the screen")
	readOnly := emulator.Options{Scopes: "account:read_only object_storage:read_only"}
	startProgram(t, readOnly, screenSize{120, 36}, func(r *harness) {
		r.press("4", "e")
		r.requireText("edit: the token has account:read_only object_storage:read_only; this needs account:read_write")
		r.press("<enter>")
		r.requireText("values from the list", "account:read_write", "Night desk", "+1 555 0199")
		r.requireNoChanges()
	})
	startProgram(t, readOnly, screenSize{120, 60}, func(r *harness) {
		r.press("6", "a")
		toggle := regexp.MustCompile(`t +toggle access +the token has account:read_only`)
		if !toggle.MatchString(r.screen()) {
			r.Errorf("the menu does not say why access cannot be toggled:\n%s", r.screen())
		}
	})
}

// If another user changed the same member, the form shows their value and does not overwrite it. Their changes to other
// members stay.
func TestEdit_conflictWithAnotherUser(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("4", "/", "Ada", "<enter>", "e", " M.")
		patch := client.Patch{"name": "Ada Wong-Li", "email": "ada@new.acme.net"}
		if _, err := r.writer(client.OpUpdateContact, "11").UpdateContact(r.Context(), 11, patch); err != nil {
			r.Fatal(err)
		}
		r.press("<ctrl+s>")
		r.requireText("somebody else has changed this", "is now: Ada Wong-Li", "Ada Wong M.")
		if got := len(r.appliedOperations()); got != 1 {
			r.Fatalf("%d changes instead of the other's alone", got)
		}
		r.press("<ctrl+s>")
		r.requireText(`"Ada Wong M.": saved`)
		now, err := r.api.Contacts.Get(r.Context(), 11)
		if err != nil || now.Name.Raw() != "Ada Wong M." || now.Email.Raw() != "ada@new.acme.net" {
			r.Errorf("%+v %v", now, err)
		}
		entries := r.journal.Entries(time.Time{})
		if got := string(toJSON(entries[len(entries)-1].Change.Before)); got != `{"name":"Ada Wong-Li"}` {
			r.Errorf("the journal holds the value before %s", got)
		}
	})
}

// An edit that changes nothing is not sent.
func TestEdit_unchangedIsNotSent(t *testing.T) {
	t.Parallel()
	faulttest.ReportCase(t, "B11", "nothing")
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("4", "e", "<ctrl+s>")
		r.requireText("nothing has been changed")
		r.requireNoChanges()
	})
}

// If the answer to a change of login is lost, lookout does not send it again on its own, but the user may.
func TestLogin_lostAnswerIsNotRepeated(t *testing.T) {
	t.Parallel()
	faulttest.ReportCase(t, "B3", "the same login is offered again")
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.emu.InjectFault("change login", emulator.Fault{ApplyFirst: true, Reset: true, Times: 1})
		r.press("5", "/", "db2", "<enter>", "P", "root", "<tab>", "canary-password", "<ctrl+s>")
		r.wait(3 * time.Second)
		r.requireText(lists.NotKnown, "does no harm", "root")
		r.requireNoText("canary-password")
		if got := r.appliedOperations(); len(got) != 1 {
			r.Fatalf("applied: %v", got)
		}
		r.press("<ctrl+s>")
		r.wait(time.Second)
		r.requireText("it may be done twice")
		r.press("y")
		r.requireText("login is changed")
		for _, e := range r.journal.Entries(time.Time{}) {
			if strings.Contains(strings.ToLower(string(toJSON(e))), "canary") {
				r.Errorf("the journal holds the password: %v", e)
			}
		}
	})
}

// Access is toggled for one instance and for many, and undone.
func TestSSH_toggleAndUndo(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		access := func() (on []string) {
			for i, err := range r.api.Instances.All(r.Context()) {
				if err != nil {
					r.Fatal(err)
				}
				if i.SSH.Access == client.Known(true) {
					on = append(on, i.Label.Raw())
				}
			}
			return on
		}
		before := access()
		r.press("6", "/", "db1", "<enter>", "d")
		r.requireText("db1: support may not log in", "u")
		r.press("u")
		r.requireText("db1: support may log in")
		r.press("t")
		r.requireText("db1: support may not log in")
		r.press("t", "<esc>", "A", "d")
		r.wait(time.Second)
		count := len(before)
		r.requireText("Deny access:")
		r.press(strings.TrimSpace(string(rune('0'+count))), "<enter>")
		if on := access(); len(on) != 0 {
			r.Errorf("still on: %v\n%s", on, r.screen())
		}
		r.press("u")
		r.wait(time.Second)
		if on := access(); !slices.Equal(on, before) {
			r.Errorf("after the undo: %v, before: %v\n%s", on, before, r.screen())
		}
	})
}

// f opens the object that a row names; ctrl+o returns.
func TestReferences_followAndReturn(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3", "/", "billing-api", "<enter>", "f")
		r.requireText("Go to", "issue 823", "contact Ada Wong", "credential db2-root", "instance db2")
		r.press("2")
		r.requireText("9 contacts · 4 groups", "▸ Ada Wong")
		r.press("<ctrl+o>")
		r.requireText("▸ ▲ problem")
		r.press("f", "4")
		r.requireText("▸ db2-root")
		r.press("f", "1")
		r.requireText("▸ ▲ problem")
	})
}

// A cleared group is sent as null. A phone number that was never given is not sent.
func TestEdit_clearedFieldSentAsNull(t *testing.T) {
	t.Parallel()
	faulttest.ReportCase(t, "B11", "as forms send them")
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("4", "/", "Ben", "<enter>", "e", "<tab>", "<tab>", "<tab>", "<tab>")
		for range "billing" {
			r.press("<backspace>")
		}
		r.press("<ctrl+s>")
		r.requireText(`"Ben Idris": saved`)
		body := r.emu.Ledger()[0].Body
		if len(body) != 1 || string(body["group"]) != "null" {
			r.Errorf("sent %s", toJSON(body))
		}
	})
}

// If the server refuses a field, the form shows the reason below it and keeps what was typed.
func TestForm_serverErrorsBelowTheirFields(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.emu.InjectFault("create contact", emulator.Fault{
			Status: 400,
			Times:  1,
			Body: `{"errors":[{"field":"phone.primary","reason":"Must be a phone number"},` +
				`{"reason":"Too many contacts"}]}`,
		})
		r.press("4", "n", "Zed Ek", "<tab>", "zed@acme.net", "<tab>", "nonsense", "<ctrl+s>")
		r.requireText("Must be a phone number", "Too many contacts", "Zed Ek", "zed@acme.net", "nonsense")
		r.press("<ctrl+s>")
		r.requireText(`"Zed Ek": added`)
	})
}

// Each field checks the bounds of the API document before anything is sent.
func TestForm_checksBounds(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 101)
	for name, c := range map[string]struct {
		keys []string
		see  string
	}{
		"name too short":  {[]string{"4", "n", "Z", "<ctrl+s>"}, "2 to 64 characters"},
		"name too long":   {[]string{"4", "n", long, "<ctrl+s>"}, "2 to 64 characters"},
		"no mail address": {[]string{"4", "n", "Zed", "<tab>", "nowhere", "<ctrl+s>"}, "e-mail"},
		"group too short": {
			[]string{"4", "n", "Zed", "<tab>", "z@a.net", "<tab>", "<tab>", "<tab>", "g", "<ctrl+s>"},
			"2 to 50 characters",
		},
		"label too short": {[]string{"5", "n", "l", "<ctrl+s>"}, "2 to 75 characters"},
		"label taken": {
			[]string{"5", "n", "db2-root", "<tab>", "<tab>", "p", "<ctrl+s>"},
			"another credential has this label",
		},
		"no password":       {[]string{"5", "n", "a label", "<ctrl+s>"}, "required"},
		"ssh user too long": {[]string{"6", "e", "<tab>", long, "<ctrl+s>"}, "32 characters"},
		"ssh address is no IP": {
			[]string{"6", "/", "db1", "<enter>", "e", "<tab>", "<tab>", "x", "<ctrl+s>"},
			"enter an IP address",
		},
		"ssh port out of range": {
			[]string{"6", "/", "db1", "<enter>", "e", "<tab>", "<tab>", "<tab>", "99", "<ctrl+s>"},
			"65535",
		},
		"service label": {[]string{"3", "n", "ab", "<ctrl+s>"}, "3 to 64 characters"},
		"service timeout": {
			[]string{"3", "n", "abc", "<tab>", "<tab>", "http://a.net", "<tab>", "99", "<ctrl+s>"},
			"1 to 255",
		},
		"service body": {
			[]string{"3", "n", "abc", "<tab>", "<tab>", "http://a.net", "<tab>", "<tab>", long, "<ctrl+s>"},
			"100 characters",
		},
	} {
		t.Run(name, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{120, 50}, func(r *harness) {
				r.press(c.keys...)
				r.requireText(c.see)
				r.requireNoChanges()
			})
		})
	}
}
