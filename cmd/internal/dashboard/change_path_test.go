package dashboard

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/journal"
	"lookout/cmd/internal/config"
	"lookout/ui/terminal/termtest"
)

// TestChangePath disables a service through the keys. .ci/house runs its two subtests with coverage: the functions that
// "disable" enters and "other" does not are the path of a change. So "other" does everything else that leads to these
// functions: it moves, filters, reads, fails to read, draws a form that it does not send, and shows that another
// program on this machine has disabled the same service. It must not begin an operation, the first step of the path.
func TestChangePath(t *testing.T) {
	t.Parallel()
	t.Run("disable", func(t *testing.T) {
		t.Parallel()
		p := startChangePath(t)
		p.Type("d")
		p.WaitFor("Disable monitoring of cdn-origin")
		p.Type("<ctrl+s>")
		p.WaitFor("monitoring is disabled")
		p.check(t)
	})
	t.Run("other", func(t *testing.T) {
		t.Parallel()
		p := startChangePath(t)
		p.Type("<enter>")
		p.WaitFor("purge before restarting")
		p.Type("<esc>", "<down>", "<up>", "?")
		p.WaitFor("type to search")
		p.Type("<esc>")
		p.WaitGone("type to search")
		p.disableElsewhere(t)
		p.Type("r")
		p.WaitFor("disabled")
		p.WaitFor("elsewhere")
		if err := p.api.InjectSpec("GET /managed/contacts status=404"); err != nil {
			t.Fatal(err)
		}
		p.Type("4", "r")
		p.WaitFor("404")
		p.Type("8", "<enter>")
		p.WaitFor("prefix")
		p.Type("w")
		p.WaitFor("If it exists")
		p.Type("<tab>", "<esc>", "3")
		p.check(t)
	})
}

// changePathSession is a dashboard with the service cdn-origin selected.
type changePathSession struct {
	*termtest.VirtualTerminal
	api     *emulator.Emulator
	journal string // the file
}

func startChangePath(t *testing.T) changePathSession {
	p := changePathSession{
		api:     emulator.New(emulator.Options{Token: "demo"}),
		journal: filepath.Join(t.TempDir(), "acme-prod.journal"),
	}
	p.record(t, "earlier", client.OpDisableService, time.Now().Add(-2*time.Hour))
	p.record(t, "enabled", client.OpEnableService, time.Now().Add(-time.Hour))
	j, err := journal.Open(p.journal, "acme-prod", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	s, err := newTestShellWithJournal(t, p.api, config.Settings{Account: "acme-prod", Theme: "dark"}, j)
	if err != nil {
		t.Fatal(err)
	}
	p.VirtualTerminal = termtest.New(t, 160, 36, s)
	p.WaitFor("Services ─ 14")
	p.WaitFor("12 buckets")
	p.Type("3", "/", "cdn-origin", "<enter>")
	p.WaitFor("1 of 14 match")
	p.WaitIdle(300 * time.Millisecond)
	return p
}

// record writes a change into the journal as another program does. It does not enter the functions of the journal.
func (p changePathSession) record(t *testing.T, id, op string, at time.Time) {
	t.Helper()
	lines := fmt.Sprintf(
		`{"intent":{"id":%q,"time":%q,"change":{"op":%q,"kind":"service","id":"8","reason":%q,"until":%q}}}`+"\n"+
			`{"id":%q,"outcome":"done"}`+"\n",
		id, at.Format(time.RFC3339), op, id, at.Add(time.Hour).Format(time.RFC3339), id,
	)
	file, err := os.OpenFile(p.journal, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(lines); err != nil {
		t.Fatal(err)
	}
}

// disableElsewhere disables the service as another program on this machine does.
func (p changePathSession) disableElsewhere(t *testing.T) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, "https://demo.invalid/v4/managed/services/8/disable", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer demo")
	answer, err := p.api.RoundTrip(req)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatal(answer, err)
	}
	answer.Body.Close()
	p.record(t, "elsewhere", client.OpDisableService, time.Now())
}

// check waits until the screen is still and checks that the service was disabled once.
func (p changePathSession) check(t *testing.T) {
	t.Helper()
	p.WaitIdle(300 * time.Millisecond)
	if n := len(p.api.Ledger()); n != 1 {
		t.Errorf("%d changes were sent, want 1", n)
	}
}
