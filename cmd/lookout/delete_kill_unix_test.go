//go:build unix

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lookout/client/emulator"
)

// If a deletion of many objects is killed, the next start says how many are gone, not known and left, looks up what is
// not known, and then says what the bucket has.
func TestDeletionIsKilled_nextStartTellsWhatIsGone(t *testing.T) {
	t.Parallel()
	const (
		objects  = 600
		answered = 300 // the second of three batches is killed in its middle
		inFlight = 48  // every other one of these is deleted, and none is answered
	)
	for name, start := range map[string]func(*testEnv) *os.Process{
		"script": func(r *testEnv) *os.Process {
			return r.startProgram("objects rm ap-south-1/scratch many/* -r --yes").Process
		},
		"dashboard": func(r *testEnv) *os.Process {
			c := startSizedPty(r.T, r.environ(), 200, 50, "--linear")
			c.startReading()
			c.waitFor("live")
			c.typeKeys("8/scratch\r\r")
			c.waitFor("many/")
			c.typeKeys("D")
			c.waitFor("type 600")
			c.typeKeys("600\r")
			return c.cmd.Process
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newTestEnv(t, emulator.Options{})
			for i := range objects {
				emulator.StoreObject(r.API, "ap-south-1", "scratch", fmt.Sprintf("many/%03d", i), "text")
			}
			var waiting atomic.Int64
			reached := make(chan struct{})
			r.Intercept(func(_ http.ResponseWriter, req *http.Request) bool {
				i := 0
				n, _ := fmt.Sscanf(path.Base(req.URL.Path), "%d", &i)
				if req.Method != http.MethodDelete || n == 0 || i < answered {
					return false
				}
				if i%2 == 0 {
					r.API.ServeHTTP(httptest.NewRecorder(), req)
				}
				if waiting.Add(1) == inFlight {
					close(reached)
				}
				<-req.Context().Done()
				return true
			})
			p := start(r)
			select {
			case <-reached:
			case <-time.After(20 * time.Second):
				t.Fatalf("%d deletions are under way", waiting.Load())
			}
			_ = p.Kill()
			_, _ = p.Wait()
			hold := make(chan struct{})
			r.Intercept(func(_ http.ResponseWriter, req *http.Request) bool {
				if strings.HasSuffix(req.URL.Path, "/object-list") {
					<-hold // what is not known is looked up once the first message was seen
				}
				return false
			})
			c := startSizedPty(t, r.environ(), 200, 50, "--linear")
			c.startReading()
			gone := answered + inFlight/2
			c.waitFor("250 of 600 gone, 250 may be gone, 100 not deleted")
			close(hold)
			c.waitFor(fmt.Sprintf("%d of 600 gone, %d not deleted", gone, objects-gone))
			c.typeKeys("q")
			left := r.MustRun("objects", "list", "ap-south-1/scratch", "-r", "-o", "csv", "--columns", "name").Out
			if n := strings.Count(left, "many/"); n != objects-gone {
				t.Errorf("%d objects are left, not %d", n, objects-gone)
			}
			entry := r.MustRun("journal", "-o", "csv").Out
			if !strings.Contains(entry, fmt.Sprintf("%d of 600 gone, %d not deleted", gone, objects-gone)) {
				t.Errorf("the journal says %s", entry)
			}
		})
	}
}
