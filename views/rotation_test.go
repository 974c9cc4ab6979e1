package views_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/emulator"
)

// rotate opens the form that replaces a key.
func (p *restartableProgram) rotate(label string) {
	p.Helper()
	p.press("9", "/", `label:="`+label+`"`, "<enter>", "N")
	p.requireDialog("Replace key "+label, "The API does not say which programs use it.")
}

// sentKey returns the body of the last key that was created.
func (p *restartableProgram) sentKey() string {
	p.Helper()
	ledger := p.emu.Ledger()
	if len(ledger) == 0 {
		p.Fatal("no key was created\n" + p.screen())
	}
	return string(toJSON(ledger[len(ledger)-1].Body))
}

const replacedBy = "Replaced by key finance"

// Rotating a key creates one with the same label and the same access, hands its secret over, and asks about the old
// one with the cursor on leaving it. Each start reminds of the old key, also after a compaction of what is known, until
// it is revoked.
func TestRotateKey_remindsUntilRevoked(t *testing.T) {
	t.Parallel()
	startRestartable(t, emulator.Options{}, func(p *restartableProgram) {
		p.rotate("finance")
		p.confirmForm()
		p.wait(time.Second)
		p.requireText("shown only once")
		p.requireNoText(stillToRevoke)
		same := `"bucket_access":[{"cluster":"us-east-1","bucket_name":"invoices-2026","permissions":"read_only"}],` +
			`"label":"finance"`
		if sent := p.sentKey(); !strings.Contains(sent, same) {
			t.Errorf("sent %s", sent)
		}
		p.press("y", "<enter>", "kept", "<enter>")
		p.wait(time.Second)
		p.requireDialog("Key finance (id 205) "+stillToRevoke, replacedBy, "Keys never expire")
		p.press("<enter>")
		p.wait(time.Second)
		p.requireNoText(stillToRevoke)
		p.requireApplied("create key")
		for range 2 {
			p.restart()
			p.requireText("Key finance (id 205) "+stillToRevoke, replacedBy)
			p.press("<esc>")
			p.wait(time.Second)
		}
		p.restart()
		p.press("r")
		p.wait(time.Second)
		p.requireDialog("Revoke key", "finance")
		p.press("finance", "<enter>")
		p.wait(2 * time.Second)
		p.requireApplied("create key", "revoke key")
		if last := p.emu.Ledger()[1]; !strings.HasSuffix(last.Path, "/205") {
			t.Errorf("revoked: %s", last.Path)
		}
		p.restart()
		p.requireNoText(stillToRevoke)
	})
}

// The old key can be revoked at once, after the question that revoking always asks, or be kept without a reminder.
func TestRotateKey_revokeNowOrKeep(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keys []string
		ops  []string
	}{
		"revoke": {[]string{"r", "finance", "<enter>"}, []string{"create key", "revoke key"}},
		"keep":   {[]string{"k"}, []string{"create key"}},
	} {
		t.Run(name, func(t *testing.T) {
			startRestartable(t, emulator.Options{}, func(p *restartableProgram) {
				p.rotate("finance")
				p.confirmForm()
				p.wait(time.Second)
				p.press("y", "<enter>", "kept", "<enter>")
				p.wait(time.Second)
				for _, key := range c.keys {
					p.press(key)
					p.wait(time.Second)
				}
				p.requireApplied(c.ops...)
				p.restart()
				p.requireNoText(stillToRevoke)
			})
		})
	}
}

// If the answer to the creation is lost, nothing offers to revoke the old key, now or at the next start: not as the key
// that was replaced, and not as one that may have been made, although it has the same label.
func TestRotateKey_lostAnswerLeavesOldKey(t *testing.T) {
	t.Parallel()
	startRestartable(t, emulator.Options{}, func(p *restartableProgram) {
		p.emu.InjectFault("create key", emulator.Fault{ApplyFirst: true, Reset: true, Times: 1})
		p.rotate("finance")
		p.confirmForm()
		p.wait(3 * time.Minute)
		p.requireNoText(stillToRevoke, "key 205")
		p.restart()
		p.requireDialog("It is unknown who made this key", "finance")
		p.requireNoText(stillToRevoke, "key 205")
		p.requireApplied("create key")
	})
}

// As long as nobody has the new secret, nothing reminds of the old key: the terminal was gone, or the secret was
// discarded.
func TestRotateKey_nobodyHasTheSecret(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][]string{"terminal gone": nil, "discarded": {"<esc>", "discard", "<enter>"}} {
		t.Run(name, func(t *testing.T) {
			startRestartable(t, emulator.Options{}, func(p *restartableProgram) {
				p.rotate("finance")
				p.confirmForm()
				p.wait(time.Second)
				p.press(keys...)
				p.wait(time.Second)
				p.requireNoText(stillToRevoke)
				p.restart()
				p.requireNoText(stillToRevoke)
				if noted := p.journal.KeysToRevoke(); len(noted) != 0 {
					t.Errorf("noted: %+v", noted)
				}
			})
		})
	}
}

// The replacement of an unlimited key is limited unless that is chosen otherwise, and then it is asked about.
func TestRotateKey_unlimitedIsAsked(t *testing.T) {
	t.Parallel()
	startRestartable(t, emulator.Options{}, func(p *restartableProgram) {
		p.rotate("ada")
		p.requireText("The old key reaches EVERYTHING", "‹yes›")
		p.confirmForm()
		p.wait(time.Second)
		if sent := p.sentKey(); !strings.Contains(sent, `"bucket_access":[]`) {
			t.Errorf("sent %s", sent)
		}
	})
	startRestartable(t, emulator.Options{}, func(p *restartableProgram) {
		p.rotate("ada")
		p.press("<tab>", "<left>", "<ctrl+s>")
		p.wait(time.Second)
		p.requireDialog("to replace ada", "EVERYTHING")
		p.requireNoChanges()
		p.press("y")
		p.wait(time.Second)
		if sent := p.sentKey(); strings.Contains(sent, "bucket_access") {
			t.Errorf("sent %s", sent)
		}
	})
}

// A key whose regions are reported is replaced by one for the same regions, each named once.
func TestRotateKey_keepsRegions(t *testing.T) {
	t.Parallel()
	if testedService != emulator.ServiceNow {
		t.Skip("the document has no regions of keys")
	}
	startRestartable(t, emulator.Options{}, func(p *restartableProgram) {
		p.rotate("telemetry london")
		p.confirmForm()
		p.wait(time.Second)
		if sent := p.sentKey(); !strings.Contains(sent, `"regions":["gb-lon"]`) ||
			!strings.Contains(sent, `"region":"gb-lon","bucket_name":"telemetry"`) {
			t.Errorf("sent %s", sent)
		}
	})
}

// A key cannot be rotated while it is not known what it reaches, in read-only mode, or with a token that may only read.
// On a protected account the question names the account.
func TestRotateKey_refusals(t *testing.T) {
	t.Parallel()
	startRestartable(t, emulator.Options{}, func(p *restartableProgram) {
		p.emu.InjectFault("list keys", emulator.Fault{Status: 200, Body: `{"page":1,"pages":1,"results":1,"data":[` +
			`{"id":7,"label":"unreported","access_key":"A"}]}`})
		p.press("9", "r")
		p.wait(time.Second)
		p.press("/", "unreported", "<enter>", "N")
		p.requireText("the API does not report what it reaches")
		p.requireNoText("Replace key")
	})
	startRestartable(t, emulator.Options{}, func(p *restartableProgram) {
		p.options.AccountInfo.ReadOnly = true
		p.restart(client.WithReadOnly())
		p.press("9", "N")
		p.requireNoText("Replace key")
		p.requireNoChanges()
		p.options.AccountInfo.ReadOnly = false
		p.restart(client.WithProtected("acme-prod"))
		p.rotate("finance")
		p.press("<ctrl+s>")
		p.wait(time.Second)
		p.requireDialog("PROD: account acme-prod is protected")
		p.requireNoChanges()
	})
	scopes := emulator.Options{Scopes: "object_storage:read_only account:read_only"}
	startRestartable(t, scopes, func(p *restartableProgram) {
		p.press("9", "N")
		p.requireText("object_storage:read_write")
		p.requireNoText("Replace key")
	})
}

// What was noted about the old key before, such as what it was made for, is named in the form, and is reminded of once.
func TestRotateKey_namesWhatWasNoted(t *testing.T) {
	t.Parallel()
	startRestartable(t, emulator.Options{}, func(p *restartableProgram) {
		p.createKey()
		p.press("y", "<enter>", "kept", "<enter>")
		made := p.journal.Entries(time.Time{})[0]
		p.journal.RecordRevokeLater(made.ID, "205", "created for rclone in us-east-1/photos")
		p.rotate("finance")
		p.requireText("created for rclone in us-east-1/photos")
		p.confirmForm()
		p.wait(time.Second)
		p.press("y", "<enter>", "kept", "<enter>")
		p.wait(time.Second)
		if noted := p.journal.KeysToRevoke(); len(noted) != 1 {
			t.Errorf("noted: %+v", noted)
		}
		p.restart()
		p.requireText(replacedBy, "created for rclone")
	})
}

// The key that is replaced is known by its whole id: another one is not ruled out because its id begins that way.
func TestIsReplaced_wholeID(t *testing.T) {
	t.Parallel()
	before, _ := account.Replaces(&client.AccessKey{ID: 205, Label: client.NewText("finance")})
	c := client.Change{Op: client.OpCreateKey, Before: before}
	for id, want := range map[string]bool{"205": true, "2": false, "20": false, "2050": false} {
		if got := account.IsReplaced(c, id); got != want {
			t.Errorf("key %s is the replaced one: %v, want %v", id, got, want)
		}
	}
}

// What a key reaches is said beside what its request asked for, if that is something else. Names that differ in case
// are different buckets.
func TestDescribeKey(t *testing.T) {
	t.Parallel()
	sent := func(bucket, region string) any {
		return json.RawMessage(`{"bucket_access":[{"bucket_name":"` + bucket +
			`","region":"` + region + `","permissions":"read_only"}]}`)
	}
	var key client.AccessKey
	data := `{"id":1,"limited":true,"bucket_access":[{"bucket_name":"photos","region":"us-east-1",` +
		`"permissions":"read_only"}]}`
	if err := json.Unmarshal([]byte(data), &key); err != nil {
		t.Fatal(err)
	}
	const reach = "reaches photos in us-east-1 (read only)"
	for _, c := range []struct {
		sent any
		want string
	}{
		{sent("photos", "us-east-1"), reach + ", as it was sent"},
		{sent("Photos", "us-east-1"), reach + ", not Photos in us-east-1 (read only)"},
		{sent("photos", "us-east-2"), reach + ", not photos in us-east-2 (read only)"},
		{json.RawMessage(`{"bucket_access":null}`), reach + ", not everything"},
		{json.RawMessage(`{"bucket_access":"all"}`), reach},
		{json.RawMessage(`[]`), reach},
	} {
		if got := account.DescribeKey(&key, c.sent); got != c.want {
			t.Errorf("%s: %q, want %q", c.sent, got, c.want)
		}
	}
}
