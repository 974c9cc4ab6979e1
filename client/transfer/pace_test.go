package transfer

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"lookout/client"
)

// errNoHandle is what the system answers to a program that has too many files open.
var errNoHandle = &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", syscall.EMFILE)}

// limitHandles lets a number of requests to the storage run at the same time; others find no file handle.
func (r *rig) limitHandles(limit int32) (most *atomic.Int32) {
	var open atomic.Int32
	most = &atomic.Int32{}
	r.transport.mu.Lock()
	defer r.transport.mu.Unlock()
	r.transport.onObject = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
		n := open.Add(1)
		defer open.Add(-1)
		if n > limit {
			return nil, errNoHandle
		}
		most.Store(max(most.Load(), n))
		time.Sleep(time.Second)
		return next.RoundTrip(req)
	}
	return most
}

// What finds no file handle is tried again for about two minutes, at least twice a minute.
func TestWhenHandlesAreFree_tries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, last := time.Now(), time.Now()
		_, err := whenHandlesAreFree(t.Context(), func() (*os.File, error) {
			if pause := time.Since(last); pause > 30*time.Second {
				t.Errorf("a pause of %v", pause)
			}
			last = time.Now()
			return nil, errNoHandle
		})
		took := time.Since(begun).Round(time.Minute)
		if !errors.Is(err, syscall.EMFILE) || took < time.Minute || took > 2*time.Minute {
			t.Errorf("%v after %v", err, took)
		}
	})
}

// Too few file handles slow transfers down instead of making them all fail: fewer run at once, and more again later.
func TestTransfers_tooFewFileHandlesSlowThemDown(t *testing.T) {
	for kind, start := range map[string]func(r *rig, o client.Object, file string) ID{
		"download": func(r *rig, o client.Object, _ string) ID { return r.startDownload(o, "") },
		"upload": func(r *rig, o client.Object, file string) ID {
			id, err := r.m.Upload(UploadRequest{
				Consent:     r.consent(client.OpUploadObject),
				Cluster:     cluster,
				Bucket:      bucket,
				Name:        "new-" + o.Name.Raw(),
				File:        file,
				ContentType: "text/plain",
			})
			if err != nil {
				r.Fatal(err)
			}
			return id
		},
	} {
		t.Run(kind, func(t *testing.T) {
			runInBubble(t, func(r *rig) {
				var ids []ID
				objects := make([]client.Object, 60)
				for i := range objects {
					objects[i] = r.putObject(fmt.Sprint("o", i), "some text")
				}
				file := r.writeFile("f", "text")
				for _, stage := range []struct {
					objects []client.Object
					most    int32
				}{{objects[:20], 2}, {objects[20:], MaxRunning}} {
					most := r.limitHandles(stage.most)
					for _, o := range stage.objects {
						ids = append(ids, start(r, o, file))
					}
					for _, id := range ids {
						if row := r.waitEnded(id); row.State != Done {
							t.Errorf("transfer %d is %s: %v", id, row.State, row.Err)
						}
					}
					if most.Load() != stage.most {
						t.Errorf("%d at once, not %d", most.Load(), stage.most)
					}
				}
				if limit := r.m.Limit(); limit != MaxRunning {
					t.Errorf("%d may run in the end", limit)
				}
			})
		})
	}
}

// A transfer that finds no file handle even though it runs alone is tried again for two minutes. Wait waits for it.
func TestTransfers_noFileHandleAtAll(t *testing.T) {
	runInBubble(t, func(r *rig) {
		o := r.putObject("o", "some text")
		r.limitHandles(0)
		began := time.Now()
		id := r.startDownload(o, "")
		r.m.Wait()
		row, _ := r.m.Status(id)
		if took := time.Since(began); row.State != Failed || !errors.Is(row.Err, syscall.EMFILE) ||
			took < time.Minute || took > 5*time.Minute {
			t.Errorf("after %v: %s, %v", took, row.State, row.Err)
		}
		r.limitHandles(1)
		r.m.Retry(id)
		r.m.Wait()
		if row, _ := r.m.Status(id); row.State != Done {
			t.Errorf("%s: %v", row.State, row.Err)
		}
	})
	if lacksHandles(&client.Error{Write: true, Outcome: client.Unknown, Cause: errNoHandle}) {
		t.Error("a change whose outcome is unknown would be sent again")
	}
	if !lacksHandles(&fs.PathError{Op: "open", Path: "x", Err: syscall.ENFILE}) {
		t.Error("a file that cannot be opened is not recognised")
	}
}

// runWithFewHandles runs a test again in a process that may have sixteen files open.
func runWithFewHandles(t *testing.T, test string) {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("this needs a shell that limits open files")
	}
	limited := exec.Command(sh, "-c", `ulimit -n 16 && exec "$0" -test.run="$1"`, os.Args[0], test)
	limited.Env = append(os.Environ(), "LOOKOUT_TEST_FEW_HANDLES=1")
	if out, err := limited.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// The real thing: twenty downloads at once in a process that may have sixteen files open.
func TestTransfers_underALimitOfFiles(t *testing.T) {
	if os.Getenv("LOOKOUT_TEST_FEW_HANDLES") == "" {
		runWithFewHandles(t, "underALimitOfFiles")
		return
	}
	r := newRig(t)
	objects := make([]client.Object, 20)
	for i := range objects {
		objects[i] = r.putObject(fmt.Sprint("o", i), "some text")
	}
	r.transport.onObject = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
		time.Sleep(20 * time.Millisecond) // so that several are open at once
		return next.RoundTrip(req)
	}
	var ids []ID
	for _, o := range objects {
		ids = append(ids, r.startDownload(o, ""))
	}
	for i, id := range ids {
		if row := r.waitEnded(id); row.State != Done {
			t.Errorf("download %d is %s: %v", i, row.State, row.Err)
		}
	}
}

// Planning a folder waits for file handles too: no file is left out because there were too few of them for a moment.
func TestPlanUpload_waitsForFileHandles(t *testing.T) {
	if os.Getenv("LOOKOUT_TEST_FEW_HANDLES") == "" {
		runWithFewHandles(t, "TestPlanUpload_waitsForFileHandles")
		return
	}
	folder := t.TempDir()
	for _, name := range []string{"a/b/c/one", "a/b/two", "a/three", "four"} {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for _, free := range []int{0, 2} {
		var held []*os.File
		for {
			f, err := os.Open(folder)
			if err != nil {
				break
			}
			held = append(held, f)
		}
		if len(held) < 4 {
			t.Fatalf("only %d handles could be taken", len(held))
		}
		for _, f := range held[:free] {
			f.Close()
		}
		allClosed := make(chan struct{})
		time.AfterFunc(200*time.Millisecond, func() {
			defer close(allClosed)
			for _, f := range held[free:] {
				f.Close()
			}
		})
		plan, err := PlanUpload(t.Context(), "p/", folder)
		if plan.Files.Len() != 4 || len(plan.Skipped) != 0 || err != nil {
			t.Errorf("with %d handles: %+v, %v", free, plan, err)
		}
		<-allClosed
	}
}
