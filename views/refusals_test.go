package views_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
)

// refusals are answers that refuse a change, with the next step that fits each.
var refusals = map[string]struct {
	fault  emulator.Fault
	reason string
	next   string
}{
	"restricted user": {
		emulator.Fault{Status: 403, Body: `{"errors":[{"reason":"Unauthorized"}]}`},
		`"Unauthorized" (403)`,
		"ask for an unrestricted user of the account",
	},
	"balance": {
		emulator.Fault{Status: 403, Body: `{"errors":[{"reason":"Your account has a negative balance."}]}`},
		"Your account has a negative balance.",
		"must settle the account's balance first",
	},
	"scope": {
		emulator.Fault{Status: 403, Body: `{"errors":[{"reason":"This token lacks required scopes"}]}`},
		"This token lacks required scopes",
		"use a token with the scope account:read_write",
	},
	"429 page": {
		emulator.Fault{Status: 429, HTML: true, RetryAfter: "37"},
		"429 Too Many Requests",
		"try again in 37s",
	},
}

// dialogText returns the text of the dialog in front, without its border and line breaks. It is the smallest box in the
// middle of the screen.
func (r *harness) dialogText() string {
	r.Helper()
	var lines [][]rune
	for line := range strings.SplitSeq(r.screen(), "\n") {
		lines = append(lines, []rune(line))
	}
	text, area := "", 0
	for y, line := range lines {
		for left := range line {
			width := slices.Index(line[left:], '╮')
			words, height := boxText(lines[y:], left, left+width)
			centred := left > 2 && max(2*left+width-len(line), len(line)-2*left-width) < 6 // a dialog, not a pane's box
			middle := width > 0 && centred && y+height > len(lines)/3
			if middle && height > 0 && (area == 0 || width*height < area) {
				text, area = words, width*height
			}
		}
	}
	if area == 0 {
		r.Fatalf("no dialog\n%s", r.screen())
	}
	return text
}

// boxText returns the words of the box that begins in the first line, between two columns, and its height; 0 if there
// is no closed box.
func boxText(lines [][]rune, left, right int) (string, int) {
	if right <= left || lines[0][left] != '╭' || strings.ContainsAny(string(lines[0][left+1:right]), "╭│") {
		return "", 0
	}
	words := strings.Fields(string(lines[0][left+1 : right]))
	for y, line := range lines[1:] {
		switch {
		case len(line) <= right:
			return "", 0
		case line[left] == '╰' && line[right] == '╯':
			return strings.Join(words, " "), y + 2
		case line[left] != '│' || line[right] != '│':
			return "", 0
		}
		words = append(words, strings.Fields(string(line[left+1:right]))...)
	}
	return "", 0
}

// requireDialog fails unless all texts are in the dialog in front.
func (r *harness) requireDialog(texts ...string) {
	r.Helper()
	dialog := r.dialogText()
	for _, text := range texts {
		if !strings.Contains(dialog, text) {
			r.Fatalf("not in the dialog: %q\n%s\n%s", text, dialog, r.screen())
		}
	}
}

// The advice below a refusal fits its reason (balance, scope, restricted user), in the message and in a form.
func TestRefusals_adviceFitsReason(t *testing.T) {
	t.Parallel()
	for name, c := range refusals {
		t.Run(name+", message", func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{200, 36}, func(r *harness) {
				r.emu.InjectFault("enable service", c.fault)
				r.press("3")
				r.press("/", "billing-cron", "<enter>", "t")
				r.wait(time.Second)
				r.requireText(c.reason, "; nothing was changed · ", c.next)
				r.requireApplied()
			})
		})
		t.Run(name+", form", func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{200, 36}, func(r *harness) {
				r.emu.InjectFault("create contact", c.fault)
				r.press("4", "n", "Zed Ek", "<tab>", "zed@acme.net", "<ctrl+s>")
				r.wait(time.Second)
				r.requireDialog("; nothing was changed · ", c.next, "Zed Ek")
				r.requireApplied()
			})
		})
	}
}

// A refused change says that nothing was changed, also in a form whose fields show the reasons, and of a part of a
// batch. An unknown outcome does not say it.
func TestRefusals_sayNothingWasChanged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		op, keys string
		fault    emulator.Fault
		want     string
	}{
		"field": {
			client.OpCreateContact, "4 n Zed <tab> zed@acme.net <ctrl+s>",
			emulator.Fault{Status: 400, Body: `{"errors":[{"field":"name","reason":"Taken"}]}`}, "nothing was changed",
		},
		"conflict": {
			client.OpEnableService, "3 / billing-cron <enter> t", emulator.Fault{Status: 409},
			`"Conflict" (409); nothing was changed`,
		},
		"part of a batch": {
			client.OpDisableService, "3 g <space> j j <space> d <tab> <tab> 2 <ctrl+s>",
			emulator.Fault{Status: 404, Times: 1}, "nothing was changed for these",
		},
		"cancel": {
			client.OpCancelObjectStorage, "8 : cancel <enter> ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ acme-prod <enter>",
			emulator.Fault{Status: 400, Body: `{"errors":[{"reason":"Buckets exist"}]}`},
			`"Buckets exist" (400); nothing was changed`,
		},
		"unknown": {
			client.OpEnableService, "3 / billing-cron <enter> t", emulator.Fault{Status: 504}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{200, 40}, func(r *harness) {
				r.emu.InjectFault(c.op, c.fault)
				r.pressAll(c.keys)
				r.wait(time.Second)
				if r.requireText(c.want); c.want == "" {
					r.requireNoText("nothing was changed")
				}
			})
		})
	}
}

// The answers to a change of an access, the reading after it, and what the message says.
var accessAnswers = map[string]struct {
	read emulator.Fault // to reading the access again; none is the truth
	want string
}{
	"read back": {emulator.Fault{}, "access is now public-read"},
	"still private": {
		emulator.Fault{Status: 200, Body: `{"acl":"private","cors_enabled":false}`},
		"access was set to public-read · a later read shows private",
	},
	"cannot be read": {emulator.Fault{Status: 404}, "access was set to public-read · its current state is not known"},
}

// After {} in answer to an ACL change, lookout reads the ACL back and reports what it finds, of a bucket and of an
// object.
func TestAccess_emptyAnswerIsReadBack(t *testing.T) {
	t.Parallel()
	for name, c := range accessAnswers {
		t.Run("bucket, "+name, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{200, 36}, func(r *harness) {
				r.press("8", "/", "acme-www", "<enter>", "x", "<right>")
				r.injectUnlessZero("view access", c.read)
				r.press("<ctrl+s>")
				r.wait(time.Second)
				r.press("acme-www", "<enter>")
				r.wait(time.Second)
				r.requireText("acme-www: " + c.want)
				r.requireApplied("modify access")
			})
		})
		t.Run("object, "+name, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{200, 36}, func(r *harness) {
				r.emu.InjectFault("update object ACL", emulator.Fault{Status: 200, Body: "{}", ApplyFirst: true})
				r.press("8", "/", "acme-www", "<enter>", "<enter>", "/", "index.html", "<enter>", "c", "<right>")
				r.emu.InjectFault("view object ACL", emulator.Fault{
					Status: 200,
					Body:   `{"acl":"private","acl_xml":""}`,
					Times:  1, // before the change
				})
				r.injectUnlessZero("view object ACL", c.read)
				r.press("<ctrl+s>")
				r.wait(time.Second)
				r.press("y")
				r.wait(time.Second)
				r.requireText("index.html: " + c.want)
				r.requireApplied("update object ACL")
			})
		})
	}
}

// injectUnlessZero injects a fault, if it is one.
func (r *harness) injectUnlessZero(match string, f emulator.Fault) {
	if f != (emulator.Fault{}) {
		r.emu.InjectFault(match, f)
	}
}

// deletedMeanwhile are changes of something that a colleague deletes while the user looks at it.
var deletedMeanwhile = []struct {
	name, keys, send string
	remove           func(*harness) error
	gone             string // its name in the message
	label            string // in the list
	typed            string // what the form keeps
	asNew            string // title of the form that ctrl+n opens
}{
	{
		"edit contact", "4 / Ada <enter> e 2 <tab>", "<ctrl+s>",
		func(r *harness) error { return r.writer(client.OpDeleteContact, "11").DeleteContact(r.Context(), 11) },
		"contact 11", "Ada Wong", "Ada Wong2", "New contact",
	},
	{
		"edit service", "3 / edge-router <enter> e 2 <tab>", "<ctrl+s>",
		func(r *harness) error { return r.writer(client.OpDeleteService, "9").DeleteService(r.Context(), 9) },
		"service 9", "edge-router", "edge-router2", "New service",
	},
	{
		"rename credential", "5 / db2-root <enter> e 2", "<ctrl+s>",
		func(r *harness) error {
			return r.writer(client.OpDeleteCredential, "31").DeleteCredential(r.Context(), 31)
		},
		"credential 31", "db2-root", "db2-root2", "New credential",
	},
	{
		"change login", "5 / db2-root <enter> P ops <tab> secret", "<ctrl+s>",
		func(r *harness) error {
			return r.writer(client.OpDeleteCredential, "31").DeleteCredential(r.Context(), 31)
		},
		"credential 31", "db2-root", "ops", "New credential",
	},
	{
		"rename key", "9 / finance <enter> e 2", "<ctrl+s>",
		func(r *harness) error { return r.writer(client.OpRevokeKey, "205").RevokeKey(r.Context(), 205) },
		"key 205", "finance", "finance2", "New access key",
	},
	{
		"access of a bucket", "8 / scratch <enter> x <right> <ctrl+s> ~ scratch", "<enter>",
		func(r *harness) error {
			return r.writer(client.OpDeleteBucket, "ap-south-1/scratch").
				DeleteBucket(r.Context(), "ap-south-1", "scratch")
		},
		"bucket ap-south-1/scratch", "scratch", "public-read", "New bucket",
	},
	{
		"disable service", "3 / edge-router <enter> t", "<ctrl+s>",
		func(r *harness) error { return r.writer(client.OpDeleteService, "9").DeleteService(r.Context(), 9) },
		"service 9", "edge-router", "", "",
	},
	{
		"delete contact", "4 / Ada <enter> D", "y",
		func(r *harness) error { return r.writer(client.OpDeleteContact, "11").DeleteContact(r.Context(), 11) },
		"contact 11", "Ada Wong", "", "",
	},
}

// When the user edits, disables or deletes something that somebody deleted, lookout says so and removes the row. The
// form keeps what was typed, and offers to put it into a new row.
func TestRefusals_deletedMeanwhile(t *testing.T) {
	t.Parallel()
	for _, c := range deletedMeanwhile {
		t.Run(c.name, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{100, 36}, func(r *harness) {
				r.pressAll(c.keys)
				if err := c.remove(r); err != nil {
					t.Fatal(err)
				}
				applied := len(r.appliedOperations())
				r.wait(time.Second)
				r.press(c.send)
				r.wait(time.Second)
				says := "deleted in the meantime: the API no longer has " + c.gone + " (404); nothing was changed"
				if c.typed == "" {
					r.requireText(says[:60])
				} else {
					r.requireDialog(says, c.typed)
				}
				if c.asNew != "" {
					r.requireDialog("ctrl+n copies what you typed into a new")
					r.press("<ctrl+n>")
					r.requireDialog(c.asNew, c.typed)
					r.press("<esc>")
					r.requireDialog(c.typed) // asks before it loses what was typed
				}
				r.press("<esc>", "<esc>", "<esc>")
				r.requireNoText(c.label + "  ")
				if n := len(r.appliedOperations()); n != applied {
					r.Errorf("%d changes more", n-applied)
				}
			})
		})
	}
}

// A new key in the place of a revoked one reaches no more than that one did.
func TestRefusals_newKeyReachesNoMore(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 40}, func(r *harness) {
		r.pressAll("9 / backup <enter> e 2")
		id := strings.Fields(r.dialogText())[4]
		if n, err := strconv.Atoi(id); err != nil {
			t.Fatalf("%v in %q", err, r.dialogText())
		} else if err := r.writer(client.OpRevokeKey, id).RevokeKey(r.Context(), n); err != nil {
			t.Fatal(err)
		}
		r.press("<ctrl+s>")
		r.wait(time.Second)
		r.press("<ctrl+n>")
		r.requireDialog("New access key", "It may read", "and nothing else")
	})
}

// A 404 about something that a change names, while its row is there, does not remove the row.
func TestRefusals_404OfSomethingElseKeepsRow(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{100, 36}, func(r *harness) {
		r.emu.InjectFault("update service", emulator.Fault{
			Status: 404,
			Body:   `{"errors":[{"reason":"The credential was not found"}]}`,
		})
		r.pressAll("3 / edge-router <enter> e 2")
		r.press("<ctrl+s>")
		r.wait(time.Second)
		r.requireDialog("The credential was not found")
		r.press("<esc>", "<esc>")
		r.requireText("edge-router")
	})
}

// A deleted row that a stale list brings back says so, and deleting it again says so too and asks, also when the user
// has deleted it, and when the API said that a colleague has.
func TestRefusals_staleListBringsDeletedRowBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keys, answer, note string
		colleague          bool
	}{
		"contact":   {"4 / Ada <enter> D", "y", "deleted 10 s ago; the list still shows it", false},
		"service":   {"3 / edge-router <enter> D", "edge-router", "deleted 10 s ago; the list still shows it", false},
		"key":       {"9 / finance <enter> D", "finance", "revoked 10 s ago; the list still shows it", false},
		"colleague": {"4 / Ada <enter> D", "y", "not found 10 s ago; the list still shows it", true},
	} {
		t.Run(name, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{200, 36}, func(r *harness) {
				r.emu.InjectFault("GET /managed/contacts", emulator.Fault{Stale: 5 * time.Minute})
				r.emu.InjectFault("GET /managed/services", emulator.Fault{Stale: 5 * time.Minute})
				r.emu.InjectFault("GET /object-storage/keys", emulator.Fault{Stale: 5 * time.Minute})
				r.wait(6 * time.Minute)
				r.pressAll(c.keys)
				r.wait(time.Second)
				if c.colleague {
					if err := r.writer(client.OpDeleteContact, "11").DeleteContact(r.Context(), 11); err != nil {
						t.Fatal(err)
					}
				}
				r.press(c.answer)
				if c.answer != "y" {
					r.press("<enter>")
				}
				r.wait(10 * time.Second)
				applied := len(r.appliedOperations())
				r.press("r")
				r.requireText(c.note)
				r.press("D")
				r.wait(time.Second)
				r.requireDialog("ago; the list still shows it.")
				r.press("<enter>", "<esc>")
				r.wait(time.Minute)
				if n := len(r.appliedOperations()); n != applied {
					r.Errorf("deleted again: %v", r.appliedOperations())
				}
			})
		})
	}
}

// twins are creates whose answer is lost, and a colleague's object with the same label.
var twins = []struct {
	name, keys, op string
	colleague      func(*harness) error
	says           []string // how the colleague's differs
}{
	{
		"contact", "4 n Zed <tab> zed@acme.net", client.OpCreateContact,
		func(r *harness) error { return r.createContact("Zed", "other@acme.net") },
		[]string{
			"It is unknown who made this contact", "contact 901 Zed: made 00:00:",
			"email is other@acme.net, not zed@acme.net",
		},
	},
	{
		"service", "3 n night <tab> <right> <tab> 203.0.113.7:22", client.OpCreateService,
		func(r *harness) error {
			_, err := r.writer(client.OpCreateService, "").CreateService(r.Context(), client.ServiceRequest{
				Label:   "night",
				Type:    client.TypeURL,
				Address: "https://acme.net/",
				Timeout: 30,
			})
			return err
		},
		[]string{
			"It is unknown who made this service", "service 901 night: made 00:00:",
			"address is https://acme.net/, not 203.0.113.7:22", "timeout is 30, not 10",
		},
	},
	{
		"credential", "5 n night <tab> ops <tab> hunter2", client.OpCreateCredential,
		func(r *harness) error {
			_, err := r.writer(client.OpCreateCredential, "").CreateCredential(r.Context(), client.CredentialRequest{
				Label:    "night",
				Username: client.NewSecret("root"),
				Password: client.NewSecret("other"),
			})
			return err
		},
		[]string{
			"It is unknown who made this credential", "credential 901 night: the API does not say when it was made",
			"never used by support",
		},
	},
	{
		"key", "9 n night", client.OpCreateKey,
		func(r *harness) error {
			_, err := r.writer(client.OpCreateKey, "").CreateKey(r.Context(), client.AccessKeyRequest{Label: "night"})
			return err
		},
		[]string{
			"It is unknown who made this key",
			"key 901 night: the API does not say when it was made, reaches everything",
			"revoke key 901",
		},
	},
}

// After a lost answer to a create, a colleague's object with the same label is never called ours. It is shown with how
// it differs, and the cursor is on leaving it, not on revoking it.
func TestCandidates_colleaguesTwin(t *testing.T) {
	t.Parallel()
	for _, c := range twins {
		for name, fault := range map[string]emulator.Fault{
			"not applied": {Status: 504, Times: 1},
			"late":        {Late: 40 * time.Second, Times: 1},
		} {
			t.Run(c.name+", "+name, func(t *testing.T) {
				startProgram(t, emulator.Options{}, screenSize{200, 40}, func(r *harness) {
					r.emu.InjectFault(c.op, fault)
					r.pressAll(c.keys)
					r.confirmForm()
					r.wait(time.Second)
					if err := c.colleague(r); err != nil {
						t.Fatal(err)
					}
					r.wait(20 * time.Second)
					r.requireDialog(c.says...)
					r.requireNoText("hunter2")
					applied := len(r.appliedOperations())
					r.press("<enter>")
					r.wait(time.Second)
					if n := len(r.appliedOperations()); n != applied {
						r.Errorf("enter changed something: %v", r.appliedOperations())
					}
					if e := r.journal.Entries(time.Time{})[0]; e.Outcome != client.Unknown {
						r.Errorf("the journal says %s: %s", e.Outcome, e.OutcomeDetail)
					}
				})
			})
		}
	}
}

// identicalTwins are creates whose answer is lost, and a request with the same values by a colleague.
var identicalTwins = []struct{ keys, op, path, body, says string }{
	{
		"4 n Zed <tab> zed@acme.net", client.OpCreateContact, "/managed/contacts",
		`{"name":"Zed","email":"zed@acme.net"}`, "exactly as it was sent",
	},
	{
		"3 n night <tab> <right> <tab> 203.0.113.7:22", client.OpCreateService, "/managed/services",
		`{"label":"night","service_type":"tcp","address":"203.0.113.7:22","timeout":10}`, "exactly as it was sent",
	},
	{
		"8 n night2", client.OpCreateBucket, "/object-storage/buckets",
		`{"label":"night2","cluster":"us-east-1"}`, "as it was sent, as far as the API shows it",
	},
}

// A colleague's object that is the same in every member, while ours never arrives, is shown and never called ours,
// whenever it appears.
func TestCandidates_identicalTwinIsNotCalledOurs(t *testing.T) {
	t.Parallel()
	for _, c := range identicalTwins {
		for _, after := range []time.Duration{time.Second, 20 * time.Second, 80 * time.Second} {
			t.Run(fmt.Sprintf("%s, after %v", c.op, after), func(t *testing.T) {
				startProgram(t, emulator.Options{}, screenSize{200, 40}, func(r *harness) {
					r.emu.InjectFault(c.op, emulator.Fault{Status: 504, Times: 1})
					r.pressAll(c.keys)
					r.press("<ctrl+s>")
					r.wait(after)
					r.elsewhere("POST", c.path, c.body)
					r.wait(40 * time.Second)
					r.requireDialog("It is unknown who made this", c.says)
					r.wait(3 * time.Minute)
					if e := r.journal.Entries(time.Time{})[0]; e.Outcome != client.Unknown {
						r.Errorf("the journal says %s: %s", e.Outcome, e.OutcomeDetail)
					}
				})
			})
		}
	}
}

// Every candidate is shown, ours and the colleague's, and none is called ours.
func TestCandidates_everyOneIsShown(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{200, 40}, func(r *harness) {
		r.emu.InjectFault("create key", emulator.Fault{ApplyFirst: true, Reset: true, Times: 1})
		r.emu.InjectFault("list keys", emulator.Fault{Status: 503, Times: 4})
		r.pressAll("9 n night <tab> <left>")
		r.press("<ctrl+s>")
		r.wait(time.Second)
		r.press("y")
		r.wait(time.Second)
		_, err := r.writer(client.OpCreateKey, "").CreateKey(
			r.Context(), client.AccessKeyRequest{Label: "night", Buckets: []client.BucketGrantRequest{}},
		)
		if err != nil {
			t.Fatal(err)
		}
		r.wait(time.Minute)
		r.requireDialog("key 901 night", "reaches everything", "key 902 night", "reaches nothing", "show key 902")
		r.press("2")
		r.wait(time.Second)
		r.requireText("▸ night")
		r.requireApplied("create key", "create key")
	})
}

// A change that is answered with 500 or 503 keeps the server's reason: in the message, in the form and in the journal,
// while it is not known whether it was done and once that is known.
func TestRefusals_keepServerReason(t *testing.T) {
	t.Parallel()
	const reason = "The database is moving."
	fault := emulator.Fault{Status: 503, Body: `{"errors":[{"reason":"` + reason + `"}]}`, Times: 1}
	for name, c := range map[string]struct{ op, keys, send string }{
		"message": {"enable service", "3 / billing-cron <enter>", "E"},
		"form":    {"create contact", "4 n Zed <tab> zed@acme.net", "<ctrl+s>"},
	} {
		t.Run(name, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{240, 36}, func(r *harness) {
				r.emu.InjectFault(c.op, fault)
				r.pressAll(c.keys)
				r.press(c.send)
				r.wait(time.Second)
				r.requireText(reason)
				r.wait(140 * time.Second)
				r.requireText("not done: not seen in 2 min of checking", reason)
				if e := r.journal.Entries(time.Time{})[0]; e.Outcome != client.Rejected ||
					!strings.Contains(e.OutcomeDetail, reason) {
					r.Errorf("the journal says %s: %s", e.Outcome, e.OutcomeDetail)
				}
			})
		})
	}
}

// A change that reads its row first and cannot is not sent. The message says so, as after a change that was refused.
func TestChanges_failedReadFirstSaysNothingChanged(t *testing.T) {
	for name, keys := range map[string]string{"form": "e 2 <ctrl+s>", "question": "D ~ y"} {
		t.Run(name, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
				r.pressAll("4 / Ada <enter>")
				r.wait(time.Second)
				r.emu.InjectFault("view contact", emulator.Fault{Status: 503})
				before := len(r.emu.Ledger())
				r.pressAll(keys)
				r.wait(time.Minute)
				r.requireText("could not read the current state", "(503); nothing", "changed")
				if len(r.emu.Ledger()) != before {
					t.Error("the change was sent")
				}
			})
		})
	}
}
