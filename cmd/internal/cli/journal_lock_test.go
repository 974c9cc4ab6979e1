package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"lookout/client/emulator"
	"lookout/client/filelock"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/testenv"
)

// A notice is an output that calls something when a text was written to it.
type notice struct {
	mu   sync.Mutex
	all  bytes.Buffer
	text string
	then func()
}

func (n *notice) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all.Write(p)
	if n.then != nil && strings.Contains(n.all.String(), n.text) {
		n.then()
		n.then = nil
	}
	return len(p), nil
}

// A change that waits because another program has locked the journal says so and can be interrupted. Then nothing was
// sent, and the message does not blame the API. If the lock is given back, the change is made.
func TestJournal_lockedByAnotherProgram(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.MustRun("services", "disable", "4")
	path := r.journalPath()
	lock := func() (unlock func()) {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return filelock.Wait(f)
	}
	sent := 0
	r.Intercept(func(_ http.ResponseWriter, req *http.Request) bool {
		if req.Method == http.MethodPost {
			sent++
		}
		return false
	})
	waiting := "waiting for the journal " + path + ", which another program has locked; ctrl+c cancels"

	unlock := lock()
	ctx, cancel := context.WithCancelCause(t.Context())
	out := &notice{text: waiting, then: func() { cancel(context.Canceled) }}
	code := r.executeWithin(ctx, []string{"services", "enable", "4"}, out)
	r.CheckResult(
		testenv.CommandResult{Code: code, Err: out.all.String()}, exit.CodeInterrupted, waiting,
		"cannot record it in the journal, so it was not sent; another program has locked "+path,
	)
	if sent > 0 || strings.Contains(out.all.String(), "cannot reach") {
		t.Errorf("%d requests sent: %s", sent, out.all.String())
	}

	out = &notice{text: waiting, then: unlock}
	code = r.executeWithin(t.Context(), []string{"services", "enable", "4"}, out)
	if code != exit.CodeOK || sent != 1 {
		t.Errorf("exit code %d, %d requests: %s", code, sent, out.all.String())
	}
}

// executeWithin runs a command line that a context can cancel, as a signal does.
func (r *testEnv) executeWithin(ctx context.Context, args []string, out io.Writer) int {
	root := NewRootCommand()
	flagsOf(root).Env = r.Variables
	root.SetArgs(args)
	root.SetOut(io.Discard)
	root.SetErr(out)
	err := root.ExecuteContext(ctx)
	if err != nil {
		fmt.Fprintln(out, exit.Describe(err))
	}
	return exit.CodeFor(err)
}
