package shell

import (
	"fmt"
	"testing"

	"lookout/client/faulttest"
	"lookout/theme"
	"lookout/ui"
)

// The history keeps a bounded number of messages, the newest ones.
func TestStatusMessages_historyIsBounded(t *testing.T) {
	faulttest.RunCase(t, "I5", "5,000 messages", func(t *testing.T) {
		b := newShellTest(t, nil)
		for i := range 5000 {
			b.shell.Update(ui.StatusMsg{Text: fmt.Sprint("message ", i), Tone: theme.Good})
		}
		past := b.shell.status.history
		if len(past) > 200 || past[len(past)-1].text != "message 4999" {
			t.Errorf("%d messages are kept, the last is %+v", len(past), past[len(past)-1])
		}
	})
}
