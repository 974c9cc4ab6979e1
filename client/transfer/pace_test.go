package transfer

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"lookout/client"
)

// errNoHandle is what the system answers to a program that has too many files open.
var errNoHandle = &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", syscall.EMFILE)}

// limitHandles lets a number of requests to the storage run at the same time; others find no file handle.
func (r *rig) limitHandles(limit int32) {
	var open atomic.Int32
	r.transport.mu.Lock()
	defer r.transport.mu.Unlock()
	r.transport.onObject = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
		n := open.Add(1)
		defer open.Add(-1)
		if n > limit {
			return nil, errNoHandle
		}
		time.Sleep(time.Second)
		return next.RoundTrip(req)
	}
}

// Too few file handles slow transfers down instead of making them fail.
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
				objects := make([]client.Object, 20)
				for i := range objects {
					objects[i] = r.putObject(fmt.Sprint("o", i), "some text")
				}
				file := r.writeFile("f", "text")
				r.limitHandles(2)
				for _, o := range objects {
					ids = append(ids, start(r, o, file))
				}
				for _, id := range ids {
					if row := r.waitEnded(id); row.State != Done {
						t.Errorf("transfer %d is %s: %v", id, row.State, row.Err)
					}
				}
			})
		})
	}
}

// A transfer that finds no file handle is tried again for about a minute.
func TestTransfers_noFileHandleAtAll(t *testing.T) {
	runInBubble(t, func(r *rig) {
		o := r.putObject("o", "some text")
		r.limitHandles(0)
		began := time.Now()
		id := r.startDownload(o, "")
		r.m.Wait()
		row, _ := r.m.Status(id)
		if took := time.Since(began); row.State != Failed || !errors.Is(row.Err, syscall.EMFILE) ||
			took < 40*time.Second || took > 2*time.Minute {
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

// The real thing: twenty downloads in a process that may have 256 files open.
func TestTransfers_underALimitOfFiles(t *testing.T) {
	if os.Getenv("LOOKOUT_TEST_FEW_HANDLES") == "" {
		sh, err := exec.LookPath("sh")
		if err != nil || runtime.GOOS == "windows" {
			t.Skip("this needs a shell that limits open files")
		}
		limited := exec.Command(sh, "-c", `ulimit -n 256 && exec "$0" -test.run=underALimitOfFiles`, os.Args[0])
		limited.Env = append(os.Environ(), "LOOKOUT_TEST_FEW_HANDLES=1")
		if out, err := limited.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
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
