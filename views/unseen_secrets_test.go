package views_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/journal"
	"lookout/ui/shell"
)

// restartableProgram is a program whose terminal can go away, and that starts again with the same journal and account.
type restartableProgram struct {
	*harness
	path    string // of the journal
	options shell.Options
}

// startRestartable runs a test with a restartable program.
func startRestartable(t *testing.T, o emulator.Options, test func(*restartableProgram)) {
	t.Helper()
	p := &restartableProgram{path: filepath.Join(t.TempDir(), "journal")}
	configure := func(r *harness, o *shell.Options) {
		p.harness = r
		p.open()
		p.wire(o)
		p.options = *o
	}
	startWithOptions(t, o, screenSize{120, 36}, configure, func(*harness) { test(p) })
}

// open opens the journal as a new run of the program.
func (p *restartableProgram) open(options ...client.Option) {
	p.Helper()
	j, err := journal.Open(p.path, "acme-prod", time.Now)
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { j.Close() })
	p.journal = j
	p.connect(options...)
}

// wire gives the shell the panes of this run.
func (p *restartableProgram) wire(o *shell.Options) {
	o.Panes, o.OnOpen, o.LeaveWarnings, o.TokenForm = p.panes, p.onOpen, p.leaveWarnings, p.tokenForm
}

// restart starts the program again, without an end of the run before.
func (p *restartableProgram) restart(options ...client.Option) {
	p.Helper()
	p.open(options...)
	o := p.options
	p.wire(&o)
	var err error
	if p.shell, err = shell.New(o); err != nil {
		p.Fatal(err)
	}
	p.run(p.shell.Init())
	p.send(tea.WindowSizeMsg{Width: 120, Height: 36})
	p.wait(time.Second)
}

// createKey creates a key and leaves the dialog with its secret open.
func (p *restartableProgram) createKey() {
	p.Helper()
	p.press("9", "n", "orphan")
	p.confirmForm()
	p.wait(time.Second)
	p.requireText("Access key orphan")
}

const neverSeen = "The secret of key orphan"

// A key whose secret was never seen, because the terminal was gone before its dialog was closed, is remembered. The
// next start offers to revoke it: the cursor is not on revoke, and revoking asks for the key's name.
func TestUnseenSecret_offeredAtNextStart(t *testing.T) {
	t.Parallel()
	startRestartable(t, emulator.Options{}, func(p *restartableProgram) {
		p.createKey()
		p.restart()
		p.requireText(neverSeen, "revoke key")
		p.press("<enter>")
		p.wait(time.Second)
		p.requireNoText(neverSeen)
		p.requireApplied("create key")

		p.restart()
		p.requireText(neverSeen)
		p.press("r")
		p.wait(time.Second)
		p.requireDialog("Revoke key", "orphan")
		p.press("<enter>", "y", "<enter>")
		p.wait(time.Second)
		p.requireApplied("create key")
		p.press("<ctrl+u>", "orphan", "<enter>")
		p.wait(2 * time.Second)
		p.requireApplied("create key", "revoke key")

		p.restart()
		p.requireNoText(neverSeen)
	})
}

// On a protected account revoking a key whose secret was never seen names the account.
func TestUnseenSecret_protectedAccountAsks(t *testing.T) {
	t.Parallel()
	startRestartable(t, emulator.Options{}, func(p *restartableProgram) {
		p.createKey()
		p.restart(client.WithProtected("acme-prod"))
		p.press("r")
		p.wait(time.Second)
		p.requireDialog("PROD: account acme-prod is protected")
		p.requireApplied("create key")
	})
}

// What settles the question about a secret that was never seen ends the offers.
func TestUnseenSecret_offersEnd(t *testing.T) {
	t.Parallel()
	for name, settle := range map[string]func(*restartableProgram){
		"copied and closed": func(p *restartableProgram) { p.press("y", "<enter>", "kept", "<enter>") },
		"discarded":         func(p *restartableProgram) { p.press("<esc>", "discard", "<enter>") },
		"kept":              func(p *restartableProgram) { p.restart(); p.press("k") },
		"revoked by a colleague": func(p *restartableProgram) {
			id, err := strconv.Atoi(p.journal.Entries(time.Time{})[0].UnseenSecretOf)
			if err != nil {
				p.Fatal(err)
			}
			other, err := client.New(
				"https://api.example.test/v4", client.NewSecret(token), client.WithTransport(p.transport),
			)
			if err != nil {
				p.Fatal(err)
			}
			w := p.beginFor(other, client.Change{Op: client.OpRevokeKey, ID: strconv.Itoa(id)})
			if err := w.RevokeKey(p.Context(), id); err != nil {
				p.Fatal(err)
			}
			p.restart()
		},
	} {
		t.Run(name, func(t *testing.T) {
			startRestartable(t, emulator.Options{}, func(p *restartableProgram) {
				p.createKey()
				settle(p)
				p.wait(time.Second)
				p.restart()
				p.requireNoText(neverSeen)
				if left := p.journal.KeysWithUnseenSecret(); len(left) != 0 {
					p.Errorf("the journal still holds %+v", left)
				}
			})
		})
	}
}

// In read-only mode nothing is offered, and the key is not forgotten.
func TestUnseenSecret_readOnlyOffersNothing(t *testing.T) {
	t.Parallel()
	startRestartable(t, emulator.Options{}, func(p *restartableProgram) {
		p.createKey()
		p.restart(client.WithReadOnly())
		p.requireNoText(neverSeen)
		p.restart()
		p.requireText(neverSeen)
	})
}

// The journal remembers that a secret was not seen, and never the secret.
func TestUnseenSecret_journalHoldsNoSecret(t *testing.T) {
	t.Parallel()
	startRestartable(t, emulator.Options{}, func(p *restartableProgram) {
		p.createKey()
		p.press("r")
		data, err := os.ReadFile(p.path)
		if err != nil || strings.Contains(string(data), "emulated-secret") {
			p.Errorf("%v\n%s", err, data)
		}
		if !strings.Contains(string(data), `"unseen_secret"`) {
			p.Errorf("the journal does not remember the key\n%s", data)
		}
	})
}

// If the terminal was gone before the answer to the creation of a key, the next start shows every key with its label,
// calls none of them ours, and offers to revoke them. The cursor is not on revoke.
func TestUnseenSecret_lostAnswerOfEarlierRun(t *testing.T) {
	t.Parallel()
	startRestartable(t, emulator.Options{}, func(p *restartableProgram) {
		p.emu.InjectFault("create key", emulator.Fault{ApplyFirst: true, Reset: true, Times: 1})
		p.press("9", "n", "orphan")
		p.confirmForm()
		p.wait(time.Second)
		p.restart()
		p.requireDialog(
			"It is unknown who made this key", "orphan: the API does not say when it was made, reaches nothing",
			"its secret is lost", "revoke key",
		)
		p.press("<enter>")
		p.wait(time.Second)
		p.requireApplied("create key")

		p.restart()
		p.press("r")
		p.wait(time.Second)
		p.requireDialog("Revoke key")
		p.press("<enter>")
		p.wait(time.Second)
		p.requireApplied("create key")
		p.press("<ctrl+u>", "orphan", "<enter>")
		p.wait(2 * time.Second)
		p.requireApplied("create key", "revoke key")

		p.restart()
		p.requireNoText("It is unknown who made this key")
	})
}

const stillToRevoke = "is still to be revoked"

// A key that is to be revoked later is remembered. Each start offers to revoke it, with the reason, until it is revoked
// or somebody says to keep it; the cursor is not on revoke, and revoking asks for the key's name.
func TestRevokeLater_offeredAtEachStart(t *testing.T) {
	t.Parallel()
	startRestartable(t, emulator.Options{}, func(p *restartableProgram) {
		p.createKey()
		made := p.journal.Entries(time.Time{})[0]
		p.press("y", "<enter>", "kept", "<enter>")
		p.wait(time.Second)
		p.journal.RecordRevokeLater(made.ID, made.UnseenSecretOf, "created for rclone in us-east-1/acme-www")
		p.restart(client.WithReadOnly())
		p.requireNoText(stillToRevoke)
		for range 2 {
			p.restart()
			p.requireText("Key orphan", stillToRevoke, "created for rclone in us-east-1/acme-www", "Keys never expire")
			p.press("<enter>")
			p.wait(time.Second)
			p.requireNoText(stillToRevoke)
			p.requireApplied("create key")
		}
		p.restart()
		p.press("r")
		p.wait(time.Second)
		p.requireDialog("Revoke key", "orphan")
		p.press("orphan", "<enter>")
		p.wait(2 * time.Second)
		p.requireApplied("create key", "revoke key")
		p.restart()
		p.requireNoText(stillToRevoke)
		if left := p.journal.KeysToRevoke(); len(left) != 0 {
			p.Errorf("the journal still holds %+v", left)
		}
	})
}

// Keeping the key ends the reminder, and so does a colleague who has revoked it.
func TestRevokeLater_ends(t *testing.T) {
	t.Parallel()
	startRestartable(t, emulator.Options{}, func(p *restartableProgram) {
		p.createKey()
		made := p.journal.Entries(time.Time{})[0]
		p.press("y", "<enter>", "kept", "<enter>")
		p.wait(time.Second)
		p.journal.RecordRevokeLater(made.ID, made.UnseenSecretOf, "replaced by another key")
		p.restart()
		p.press("k")
		p.wait(time.Second)
		p.restart()
		p.requireNoText(stillToRevoke)
		p.journal.RecordRevokeLater(made.ID, "424242", "replaced by another key")
		p.restart()
		p.requireNoText(stillToRevoke)
		if left := p.journal.KeysToRevoke(); len(left) != 0 {
			p.Errorf("the journal still holds %+v", left)
		}
	})
}

// A file that is too large for the API is named before anything is sent. Setting up rclone is an offer that the cursor
// is not on; it asks, writes the secret only to the profile that was named, shows the command, and each start reminds
// of the key.
func TestRclone_offeredForLargeFiles(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "isos")
	large, profile := filepath.Join(folder, "large.iso"), filepath.Join(t.TempDir(), "rclone.conf")
	err := os.Mkdir(folder, 0o700)
	for _, name := range []string{"large.iso", "small"} {
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, name), []byte("small"), 0o600))
	}
	if err = errors.Join(err, os.Truncate(large, 5<<30+1)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(folder))
	startRestartable(t, emulator.Options{}, func(p *restartableProgram) {
		p.openBucket("cdn.acme")
		for _, path := range []string{large, folder} {
			p.press("U", "<ctrl+u>", path, "<ctrl+s>")
			p.wait(time.Second)
			p.requireText("1 file is larger than 5 GiB", "large.iso", "set up rclone")
			p.press("<enter>") // the first choice
			p.wait(time.Second)
			p.requireApplied()
		}
		p.requireText("Upload a folder", "not sent: large.iso")
		p.press("<esc>", "U", "<ctrl+u>", "isos", "<ctrl+s>")
		p.wait(time.Second)
		p.press("r")
		p.requireText("Set up rclone for us-east-1/cdn.acme.net", "for this bucket only")
		p.press("<ctrl+u>", profile, "<ctrl+s>")
		p.wait(time.Second)
		p.requireDialog(
			"Create a key for rclone",
			"nowhere else",
			"Keys never expire",
			"cdn.acme.net in us-east-1, and nothing else",
		)
		p.requireApplied()
		p.press("n")
		p.wait(time.Second)
		if _, err := os.Lstat(profile); err == nil {
			t.Error("the profile was written although the answer was no")
		}
		p.press("<ctrl+s>")
		p.wait(time.Second)
		p.press("y")
		p.wait(2 * time.Second)
		p.requireApplied("create key")
		p.requireText(
			"Commands for the larger files",
			large,
			"rclone-cdn-acme-net:cdn.acme.net/isos/large.iso",
		)
		text, err := os.ReadFile(profile)
		if err != nil || !strings.Contains(string(text), "emulated-secret") {
			t.Errorf("%s, %v", text, err)
		}
		if recorded, err := os.ReadFile(p.path); err != nil || strings.Contains(string(recorded), "emulated-secret") ||
			strings.Contains(p.screen(), "emulated-secret") {
			t.Errorf("the secret is not only in the profile: %v", err)
		}
		p.press("<esc>")
		p.restart()
		p.requireText("Key rclone-cdn-acme-net", stillToRevoke, "created for rclone in us-east-1/cdn.acme.net")
	})
}
