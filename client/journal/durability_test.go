package journal

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/client/filelock"
)

// writeJournal returns a journal of changes with every outcome, and those outcomes.
func writeJournal(t testing.TB, path string) (data []byte, ends []client.Outcome) {
	t.Helper()
	j := openJournal(t, path)
	for i, end := range []struct {
		outcome client.Outcome
		err     error
	}{
		{client.Applied, nil},
		{client.Rejected, errors.New("no")},
		{client.Unknown, errCut},
		{client.Applied, nil},
		{client.Unknown, errCut},
	} {
		id, err := j.RecordIntent(t.Context(), disableChange(fmt.Sprint(i+1), "größe ‹1›\n"))
		if err != nil {
			t.Fatal(err)
		}
		j.RecordOutcome(id, end.outcome, end.err)
		ends = append(ends, end.outcome)
	}
	if _, err := j.RecordIntent(t.Context(), disableChange("6", "x")); err != nil {
		t.Fatal(err)
	}
	j.Close()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data, append(ends, client.Pending)
}

func openJournal(t testing.TB, path string) *Journal {
	t.Helper()
	j, err := Open(path, "a", testTime)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

// Wherever the file ends after a crash, each change has its real outcome or none. Lines that are written afterwards are
// not lost to the torn one.
func TestOpen_truncatedAtEveryByte(t *testing.T) {
	folder := t.TempDir()
	whole, ends := writeJournal(t, filepath.Join(folder, "whole"))
	for part := range 5 {
		faulttest.RunCase(t, "C1", fmt.Sprintf("cut in line group %d", part+1), func(t *testing.T) {
			t.Parallel()
			for n := part * len(whole) / 5; n <= (part+1)*len(whole)/5; n++ {
				checkTruncated(t, filepath.Join(folder, fmt.Sprintf("cut%d", n)), whole[:n], ends)
			}
		})
	}
}

func checkTruncated(t *testing.T, path string, data []byte, ends []client.Outcome) {
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(path)
	j := openJournal(t, path)
	begun := bytes.Count(data, []byte(`"intent"`))
	entries := j.Entries(time.Time{})
	if len(entries) > begun || len(entries) < begun-1 {
		t.Fatalf("%d of %d changes at byte %d", len(entries), begun, len(data))
	}
	unsure := 0
	for i, e := range entries {
		if e.Outcome != ends[i] && e.Outcome != client.Pending {
			t.Errorf("byte %d: change %d is %s; want %s", len(data), i, e.Outcome, ends[i])
		}
		if e.Outcome == client.Pending && i < len(entries)-1 {
			unsure++
		}
	}
	if unsure > 0 {
		t.Errorf("byte %d: %d changes before the last are unsure", len(data), unsure)
	}
	if n := len(data); n%11 != 0 && n > 0 && data[n-1] != '}' && data[n-1] != '\n' {
		// writes afterwards are tried at the ends of lines and at every eleventh byte, because each syncs the disk
		return
	}
	id, err := j.RecordIntent(t.Context(), disableChange("99", "after"))
	if err != nil {
		t.Fatal(err)
	}
	j.RecordOutcome(id, client.Applied, nil)
	j.Close()
	again := openJournal(t, path).Entries(time.Time{})
	if len(again) < len(entries)+1 || again[len(again)-1].ID != id ||
		again[len(again)-1].Outcome != client.Applied {
		t.Fatalf("byte %d: the change that was sent after the crash is lost: %+v", len(data), again)
	}
}

// runChild is the program that is killed. It prints each change when it is on the disk and before it is sent.
func runChild(path string) {
	segmentBytes, err := strconv.ParseInt(os.Getenv("LOOKOUT_JOURNAL_SEGMENT"), 10, 64)
	if err != nil {
		panic(err)
	}
	j, err := openWithSegments(path, "a", time.Now, segmentBytes)
	if err != nil {
		panic(err)
	}
	for n := 1; ; n++ {
		id, err := j.RecordIntent(context.Background(), disableChange(fmt.Sprint(n), "x"))
		if err != nil {
			panic(err)
		}
		fmt.Println(id)
		j.RecordOutcome(id, client.Applied, nil)
	}
}

func TestMain(m *testing.M) {
	if path := os.Getenv("LOOKOUT_JOURNAL_CHILD"); path != "" {
		runChild(path)
	}
	os.Exit(m.Run())
}

// A program that is killed leaves a journal that holds every change that it sent, at most one of them without an
// outcome.
func TestOpen_afterKill(t *testing.T) {
	for _, at := range []int{1, 2, 25, 49, 50} {
		faulttest.RunCase(t, "C1", fmt.Sprintf("killed after item %d", at), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "j")
			program := exec.Command(os.Args[0])
			program.Env = append(os.Environ(), "LOOKOUT_JOURNAL_CHILD="+path, "LOOKOUT_JOURNAL_SEGMENT=1000000")
			out, err := program.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := program.Start(); err != nil {
				t.Fatal(err)
			}
			sent, lines := 0, bufio.NewScanner(out)
			for lines.Scan() {
				if sent++; sent == at {
					_ = program.Process.Kill()
				}
			}
			_ = program.Wait()
			unsure := 0
			entries := openJournal(t, path).Entries(time.Time{})
			for _, e := range entries {
				if e.Outcome == client.Pending {
					unsure++
				}
			}
			if len(entries) < sent || unsure > 1 {
				t.Errorf("%d entries of %d changes, %d unsure", len(entries), sent, unsure)
			}
		})
	}
}

// newFaultyClient returns a client whose changes go into a journal on a disk that fails.
func newFaultyClient(t *testing.T, d *faulttest.FaultyFile) (*client.Client, *emulator.Emulator, *Journal, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "j")
	j := openJournal(t, path)
	d.File = j.file.(*os.File)
	j.file = d
	e := emulator.New(emulator.Options{Token: "t0ken"})
	c, err := client.New(
		"https://api.example.test/v4", client.NewSecret("t0ken"), client.WithTransport(e), client.WithRecorder(j),
	)
	if err != nil {
		t.Fatal(err)
	}
	return c, e, j, path
}

// disableService disables a service without a question.
func disableService(c *client.Client, id int) error {
	change := client.Change{Op: client.OpDisableService, ID: strconv.Itoa(id)}
	consent, err := c.Consent(context.Background(), nil, client.ConsentQuestion{Op: change.Op}, change.ID)
	if err != nil {
		return err
	}
	w, err := c.Begin(change, consent)
	if err != nil {
		return err
	}
	_, err = w.DisableService(context.Background(), id)
	return err
}

// Each item of a batch has its own outcome in the journal.
func TestJournal_failedRequests(t *testing.T) {
	for _, fault := range []emulator.Fault{
		{Status: 404},
		{Status: 403},
		{Status: 401},
		{Status: 429},
		{Status: 500},
		{Reset: true, ApplyFirst: true},
	} {
		faulttest.RunCase(t, "C2", fmt.Sprint(fault.Status, " ", fault.Reset), func(t *testing.T) {
			c, e, _, path := newFaultyClient(t, &faulttest.FaultyFile{})
			fault.Times = 1
			for id := 1; id <= 5; id++ {
				if id == 3 {
					e.InjectFault("disable service", fault)
				}
				_ = disableService(c, id)
			}
			want := client.Rejected
			if fault.Status >= 500 || fault.Reset {
				want = client.Unknown
			}
			for i, entry := range openJournal(t, path).Entries(time.Time{}) {
				if i == 2 && entry.Outcome != want || i != 2 && entry.Outcome != client.Applied {
					t.Errorf("item %d is %s", i+1, entry.Outcome)
				}
			}
		})
	}
}

// A change that cannot be recorded is not sent and not reported as sent later. The next one is recorded once the disk
// works again.
func TestJournal_failingDisk(t *testing.T) {
	for name, disk := range map[string]*faulttest.FaultyFile{
		"full":                     {FailWrite: 1},
		"full after a byte":        {FailWrite: 1, KeepBytes: 1},
		"full after 50 bytes":      {FailWrite: 1, KeepBytes: 50},
		"full before the last":     {FailWrite: 1, KeepBytes: 1 << 20},
		"not synced":               {FailSync: 1},
		"input/output error":       {FailWrite: 1, Err: errors.New("input/output error")},
		"full for good":            {FailWrite: 1, KeepBytes: 20, FailAfter: true},
		"fails for good to synced": {FailSync: 1, FailAfter: true},
	} {
		faulttest.RunCase(t, "C3", name, func(t *testing.T) {
			c, e, j, path := newFaultyClient(t, disk)
			err := disableService(c, 4)
			var failure *client.Error
			if !errors.As(err, &failure) || failure.Outcome != client.NotSent ||
				!strings.Contains(err.Error(), "not sent") {
				t.Errorf("%v", err)
			}
			if e.RequestCount("") != 0 || len(e.Ledger()) != 0 {
				t.Error("it was sent all the same")
			}
			for _, entry := range j.Entries(time.Time{}) {
				if entry.Outcome != client.Rejected {
					t.Errorf("an unsent change is %s", entry.Outcome)
				}
			}
			if disk.FailAfter {
				return
			}
			for _, entry := range openJournal(t, path).Entries(time.Time{}) {
				if entry.Outcome != client.Rejected {
					t.Errorf("an unsent change is %s", entry.Outcome)
				}
			}
			if err := disableService(c, 5); err != nil {
				t.Fatal(err)
			}
			entries := openJournal(t, path).Entries(time.Time{})
			if last := entries[len(entries)-1]; last.Outcome != client.Applied || len(e.Ledger()) != 1 {
				t.Errorf("the change after it is %+v", last)
			}
		})
	}
	faulttest.RunCase(t, "C3", "outcome lost", func(t *testing.T) {
		c, e, j, path := newFaultyClient(t, &faulttest.FaultyFile{FailWrite: 2, KeepBytes: 9})
		if err := disableService(c, 4); err != nil {
			t.Fatal(err)
		}
		if got := j.Entries(time.Time{})[0].Outcome; got != client.Applied {
			t.Errorf("in this program it is %s", got)
		}
		if got := openJournal(t, path).Entries(time.Time{})[0].Outcome; got != client.Pending || len(e.Ledger()) != 1 {
			t.Errorf("in the next program it is %s", got)
		}
	})
}

// Open refuses paths that cannot be a journal.
func TestOpen_notAFile(t *testing.T) {
	folder := t.TempDir()
	for name, prepare := range map[string]func(path string) error{
		"a folder":          func(path string) error { return os.Mkdir(path, 0o700) },
		"a pipe":            mkfifo,
		"a device":          func(path string) error { return os.Symlink(os.DevNull, path) },
		"beneath a file":    func(path string) error { return os.WriteFile(filepath.Dir(path), nil, 0o600) },
		"a read-only place": func(path string) error { return os.Mkdir(filepath.Dir(path), 0o500) },
		"a read-only file":  func(path string) error { return os.WriteFile(path, nil, 0o400) },
	} {
		faulttest.RunCase(t, "C3", name, func(t *testing.T) {
			if strings.Contains(name, "read-only") && os.Geteuid() == 0 || runtime.GOOS == "windows" {
				t.Skip("root can write everywhere")
			}
			path := filepath.Join(folder, strings.ReplaceAll(name, " ", "-"))
			if strings.HasPrefix(name, "beneath") || name == "a read-only place" {
				path = filepath.Join(path, "j")
			}
			if err := prepare(path); err != nil {
				t.Skip(err)
			}
			done := make(chan error, 1)
			go func() {
				_, err := Open(path, "a", testTime)
				done <- err
			}()
			select {
			case err := <-done:
				if err == nil {
					t.Error("it passes for a journal")
				}
			case <-time.After(20 * time.Second):
				t.Error("it is waited for")
			}
		})
	}
}

// A journal path that is a symbolic link is refused, and nothing is written through it.
func TestOpen_refusesSymbolicLinks(t *testing.T) {
	for name, link := range map[string]func(folder, target, path string) error{
		"the journal":             func(_, target, path string) error { return os.Symlink(target, path) },
		"the journal, to nowhere": func(_, target, path string) error { return os.Symlink(target+"2", path) },
		"its folder": func(folder, _, path string) error {
			return errors.Join(os.Remove(filepath.Dir(path)), os.Symlink(folder, filepath.Dir(path)))
		},
	} {
		faulttest.RunCase(t, "F3", "a link in place of "+name, func(t *testing.T) {
			folder, path := t.TempDir(), filepath.Join(t.TempDir(), "lookout", "a.journal")
			target := filepath.Join(folder, "target")
			err := errors.Join(
				os.Mkdir(filepath.Dir(path), 0o700), os.WriteFile(target, []byte("x"), 0o600),
				link(folder, target, path),
			)
			if err != nil {
				t.Skip(err)
			}
			if _, err := Open(path, "a", testTime); err == nil || !strings.Contains(err.Error(), "symbolic link") {
				t.Errorf("opened: %v", err)
			}
			j := OpenForReading(path, "a", testTime, errors.New("why not"))
			if _, err := j.RecordIntent(t.Context(), disableChange("1", "x")); err == nil || err.Error() != "why not" {
				t.Errorf("recorded: %v", err)
			}
			data, err := os.ReadFile(target)
			entries, _ := os.ReadDir(folder)
			if string(data) != "x" || err != nil || len(entries) != 1 {
				t.Errorf("the target is %q, %v, beside %d files", data, err, len(entries)-1)
			}
		})
	}
	path := filepath.Join(t.TempDir(), "j")
	j := openSmall(t, path, testTime)
	target := filepath.Join(t.TempDir(), "target")
	if err := errors.Join(os.WriteFile(target, []byte("x"), 0o600), os.Symlink(target, path+".next")); err != nil {
		t.Skip(err)
	}
	for n := range 30 {
		recordChange(t, j, client.OpEnableService, fmt.Sprint(n))
	}
	if data, err := os.ReadFile(target); string(data) != "x" || err != nil || j.lastFile == 0 {
		t.Errorf("compacting writes %d bytes through a link, %v", len(data), err)
	}
}

// A journal in a folder that is a link is not even read: somebody else may have put it there.
func TestOpenForReading_refusesLinkedFolder(t *testing.T) {
	folder, link := t.TempDir(), filepath.Join(t.TempDir(), "lookout")
	recordChange(t, openJournal(t, filepath.Join(folder, "j")), client.OpDisableService, "7")
	if err := os.Symlink(folder, link); err != nil {
		t.Skip(err)
	}
	if j := OpenForReading(filepath.Join(link, "j"), "a", testTime, errors.New("why not")); j.Len() != 0 {
		t.Errorf("%d changes are read", j.Len())
	}
}

// A journal that cannot be written is read all the same, with what others add to it. It refuses every change.
func TestOpenForReading(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	writer := openSmall(t, path, testTime)
	recordChange(t, writer, client.OpDisableService, "7")
	j := OpenForReading(path, "a", testTime, errors.New("why not"))
	for n := range 30 {
		recordChange(t, writer, client.OpEnableService, fmt.Sprint(100+n))
	}
	checkCatchUp(t, j, true)
	if _, held := j.ActiveWindow("7"); !held || j.Len() != 31 || writer.lastFile == 0 {
		t.Errorf("%d changes, %v", j.Len(), held)
	}
	if _, err := j.RecordIntent(t.Context(), disableChange("1", "x")); err == nil || j.Len() != 31 {
		t.Errorf("recorded: %v", err)
	}
}

// Open reads the complete lines, counts the others, removes nothing, and makes the file private.
func TestOpen_damagedFile(t *testing.T) {
	whole, _ := writeJournal(t, filepath.Join(t.TempDir(), "whole"))
	long := 10 << 20
	if os.Getenv("LOOKOUT_LONG") != "" {
		long = 100 << 20
	}
	for name, file := range map[string]struct {
		data          []byte
		entries, torn int
	}{
		"empty":           {nil, 0, 0},
		"garbage before":  {append([]byte("\x00\xff garbage\n"), whole...), 6, 1},
		"garbage after":   {append(bytes.Clone(whole), "garbage"...), 6, 1},
		"a newer version": {append(bytes.Clone(whole), "{\"v\":2,\"note\":{\"x\":1}}\n"...), 6, 1},
		"a strange outcome": {
			append(bytes.Clone(whole), "{\"id\":\"x\",\"outcome\":\"done\"}\n{\"outcome\":\"\"}\n"...),
			6,
			2,
		},
		"twice":             {append(bytes.Clone(whole), whole...), 6, 6},
		"a huge line":       {append(bytes.Repeat([]byte("x"), long), "\n"+string(whole)...), 6, 1},
		"100,000 lines":     {append(bytes.Repeat([]byte("{}\n"), 100_000), whole...), 6, 100_000},
		"zeroes at the end": {append(bytes.Clone(whole), make([]byte, 4096)...), 6, 1},
		"line ends of DOS":  {bytes.ReplaceAll(whole, []byte("\n"), []byte("\r\n")), 6, 0},
	} {
		faulttest.RunCase(t, "C4", name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "j")
			if err := os.WriteFile(path, file.data, 0o644); err != nil {
				t.Fatal(err)
			}
			j := openJournal(t, path)
			if n := len(j.Entries(time.Time{})); n != file.entries || j.UnreadableLines() != file.torn {
				t.Errorf("%d entries and %d torn, not %d and %d", n, j.UnreadableLines(), file.entries, file.torn)
			}
			j.Close()
			data, err := os.ReadFile(path + ".000001") // a large file becomes one of segments as it is
			if err != nil {
				data, err = os.ReadFile(path)
			}
			if err != nil || !bytes.Equal(data, file.data) {
				t.Error("opening changed the file")
			}
			if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
		})
	}
}

// A line that another process is writing is not torn: neither the first opening nor the one after a compaction takes
// its half for a line.
func TestJournal_opensWhileALineIsWritten(t *testing.T) {
	line, err := encode(record{Intent: &Entry{ID: "other-1", Time: testTime(), Change: disableChange("7", "web-1")}})
	if err != nil {
		t.Fatal(err)
	}
	for name, compacted := range map[string]bool{"first opening": false, "after a compaction": true} {
		faulttest.RunCase(t, "C5", name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "j")
			var j *Journal
			if compacted {
				j = openJournal(t, path)
				if err := os.Rename(path, path+".before"); err != nil {
					t.Fatal(err)
				}
			}
			writer, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			defer writer.Close()
			unlock := filelock.Wait(writer)
			if _, err := writer.Write(line[:len(line)/2]); err != nil {
				t.Fatal(err)
			}
			read := make(chan error, 1)
			go func() {
				var err error
				if compacted {
					_, err = j.CatchUp()
				} else {
					j, err = Open(path, "a", testTime)
				}
				read <- err
			}()
			for runtime.GOOS == "linux" && faulttest.LockWaiters(t) == 0 {
				select {
				case err := <-read:
					t.Fatalf("half of the line was read: %v", err)
				case <-time.After(time.Millisecond):
				}
			}
			if _, err := writer.Write(line[len(line)/2:]); err != nil {
				t.Fatal(err)
			}
			unlock()
			if err := <-read; err != nil {
				t.Fatal(err)
			}
			defer j.Close()
			if n := len(j.Entries(time.Time{})); n != 1 || j.UnreadableLines() != 0 {
				t.Errorf("%d entries, %d torn", n, j.UnreadableLines())
			}
		})
	}
}

// When two programs write a thousand lines at once, no lines mix and each change has its own outcome.
func TestJournal_concurrentProcesses(t *testing.T) {
	rounds := 1
	if os.Getenv("LOOKOUT_LONG") != "" {
		rounds = 3
	}
	for round := range rounds {
		faulttest.RunCase(t, "C5", fmt.Sprint("round ", round+1), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "j")
			var group sync.WaitGroup
			for range 2 {
				j, err := Open(path, "a", time.Now)
				if err != nil {
					t.Fatal(err)
				}
				defer j.Close()
				group.Go(func() {
					for n := range 250 {
						id, err := j.RecordIntent(t.Context(), disableChange(fmt.Sprint(n), strings.Repeat("x", n*20)))
						if err != nil {
							t.Error(err)
							return
						}
						j.RecordOutcome(id, [...]client.Outcome{client.Applied, client.Rejected}[n%2], errors.New("no"))
					}
				})
			}
			group.Wait()
			j := openJournal(t, path)
			entries := j.Entries(time.Time{})
			if len(entries) != 500 || j.UnreadableLines() != 0 {
				t.Fatalf("%d entries, %d torn", len(entries), j.UnreadableLines())
			}
			for _, e := range entries {
				want := client.Rejected
				if len(e.Change.Label)/20%2 == 0 {
					want = client.Applied
				}
				if e.Outcome != want {
					t.Errorf("change %s is %s", e.Change.ID, e.Outcome)
				}
			}
		})
	}
}

// Only its owner can read a journal, from the moment it is created, even if the file existed before.
func TestOpen_filePermissions(t *testing.T) {
	for _, mode := range []os.FileMode{0, 0o600, 0o640, 0o644, 0o666} {
		faulttest.RunCase(t, "F3", fmt.Sprintf("journal, %04o before", mode), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state", "j")
			if mode != 0 {
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, nil, mode); err != nil {
					t.Fatal(err)
				}
				_ = os.Chmod(path, mode)
			}
			writeJournal(t, path)
			file, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			folder, err := os.Stat(filepath.Dir(path))
			if err != nil ||
				runtime.GOOS != "windows" && (file.Mode().Perm() != 0o600 || folder.Mode().Perm() != 0o700) {
				t.Errorf("modes %v and %v, %v", file.Mode(), folder.Mode(), err)
			}
		})
	}
}

// While another program has locked the journal, a change waits, says so after a second, and ends with the truth when
// its context does. Meanwhile the journal can be read, and afterwards it can be written.
func TestJournal_RecordIntent_waitsForLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "j")
		j := openJournal(t, path)
		other, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		unlock := filelock.Wait(other)
		ctx, cancel := context.WithCancel(t.Context())
		waits := make(chan string, 9)
		j.Locked = func(path string) { waits <- path }
		ended := make(chan error, 1)
		go func() {
			_, err := j.RecordIntent(ctx, disableChange("7", "x"))
			ended <- err
		}()
		if got := <-waits; got != path {
			t.Errorf("it waits for %q", got)
		}
		if _, err := j.CatchUp(); err != nil || j.OutcomeError() != nil {
			t.Errorf("the journal cannot be read while a change waits: %v", err)
		}
		cancel()
		var locked *LockedError
		err = <-ended
		if !errors.As(err, &locked) || !errors.Is(err, context.Canceled) ||
			err.Error() != "another program has locked "+path {
			t.Errorf("%v", err)
		}
		go func() {
			_, err := j.RecordIntent(t.Context(), disableChange("8", "x"))
			ended <- err
		}()
		<-waits
		unlock()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if data, err := os.ReadFile(path); err != nil || strings.Count(string(data), "\n") != 1 || len(waits) > 0 {
			t.Errorf("%v, %d more notices\n%s", err, len(waits), data)
		}
	})
}
