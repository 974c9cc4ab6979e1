package cli

import (
	"net/http"
	"strings"
	"testing"

	"lookout/client/emulator"
)

// An issue without a ticket does not have ticket 0.
func TestIssues_withoutTicket(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{Service: emulator.ServiceNow})
	r.API.InjectFault("list issues", emulator.Fault{Status: http.StatusOK, Body: `{"data":[{"id":7,` +
		`"created":"2026-01-02T03:04:05","entity":{"id":0,"label":"","type":"","url":""},"services":[3]}],` +
		`"page":1,"pages":1,"results":1}`})
	listed := r.MustRun("issues", "list", "--columns", "id,services,ticket", "-o", "csv").Out
	if listed != "id,services,ticket\n7,3,\n" {
		t.Errorf("%q", listed)
	}
}

// On an API without tickets, an issue whose services are ok again is over: the hand-over does not list it, as the
// dashboard does not.
func TestHandover_overWithoutTickets(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{Service: emulator.ServiceDocument})
	text := r.MustRun("handover", "--since", "8h").Out
	if !strings.Contains(text, "issue 823") || strings.Contains(text, "issue 821") {
		t.Error(text)
	}
}
