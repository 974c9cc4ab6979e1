package faulttest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// tracedTest is set, in the process that is traced, to the name of its test.
const tracedTest = "LOOKOUT_TEST_TRACED"

// endOfTrace is a file that the traced process writes at the end.
const endOfTrace = "end of trace"

// TraceFileCalls runs a function in a process of its own and returns what that process told the system to put on the
// disk, in order: "sync NAME" with the name of the file or folder, "write NAME", "rename" and "link". The function gets
// a folder, which is called "folder". The test is skipped where processes cannot be traced.
func TraceFileCalls(t *testing.T, do func(folder string)) (calls []string) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "folder")
	if os.Getenv(tracedTest) == t.Name() {
		folder = os.Getenv("LOOKOUT_TEST_FOLDER")
		do(folder)
		if err := os.WriteFile(filepath.Join(folder, endOfTrace), []byte("."), 0o600); err != nil {
			t.Fatal(err)
		}
		t.SkipNow() // the other process checks the calls
	}
	if testing.CoverMode() != "" {
		do(t.TempDir()) // the other process's coverage is not counted
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	// all calls of ptrace must come from the thread that has started the process
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.Command(os.Args[0], "-test.run=^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$")
	cmd.Env = append(os.Environ(), tracedTest+"="+t.Name(), "LOOKOUT_TEST_FOLDER="+folder)
	output, err := os.Create(filepath.Join(t.TempDir(), "output"))
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	cmd.Stderr, cmd.Stdout = output, output
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Skip("processes cannot be traced here: ", err)
	}
	calls, err = trace(cmd.Process.Pid, folder)
	if err != nil {
		said, _ := os.ReadFile(output.Name())
		t.Fatalf("%v\n%s", err, said)
	}
	if end := slices.Index(calls, "write "+endOfTrace); end >= 0 {
		return calls[:end]
	}
	t.Fatalf("the trace has no end: %q", calls)
	return nil
}

// trace follows a process that has stopped at its start, with all its threads, until it ends.
func trace(pid int, folder string) (calls []string, err error) {
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil {
		return nil, err
	}
	const options = syscall.PTRACE_O_TRACESYSGOOD | syscall.PTRACE_O_TRACECLONE
	if err := syscall.PtraceSetOptions(pid, options); err != nil {
		return nil, err
	}
	entered := map[int]bool{} // threads inside of a call
	for thread := pid; ; {
		signal := 0
		switch stop := status.StopSignal(); {
		case stop == syscall.SIGTRAP|0x80:
			if entered[thread] = !entered[thread]; entered[thread] {
				if call := fileCall(thread, folder); call != "" {
					calls = append(calls, call)
				}
			}
		case stop != syscall.SIGTRAP && stop != syscall.SIGSTOP:
			signal = int(stop)
		}
		if status.Stopped() {
			if err := syscall.PtraceSyscall(thread, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
				return nil, err
			}
		}
		if thread, err = syscall.Wait4(-1, &status, syscall.WALL, nil); err != nil {
			return nil, err
		}
		switch {
		case thread != pid || status.Stopped():
		case status.Signaled() || status.ExitStatus() != 0:
			return nil, fmt.Errorf("the traced process ended with %d", status)
		default:
			return calls, nil
		}
	}
}

// fileCall describes the call that a thread has begun; "" if it is none of a file in the folder.
func fileCall(thread int, folder string) string {
	var registers syscall.PtraceRegs
	if syscall.PtraceGetRegs(thread, &registers) != nil {
		return ""
	}
	switch registers.Orig_rax {
	case syscall.SYS_RENAME, syscall.SYS_RENAMEAT, 316: // renameat2
		return "rename"
	case syscall.SYS_LINK, syscall.SYS_LINKAT:
		return "link"
	}
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", thread, registers.Rdi))
	if err != nil || !strings.HasPrefix(path, folder) {
		return ""
	}
	switch registers.Orig_rax {
	case syscall.SYS_FSYNC, syscall.SYS_FDATASYNC:
		return "sync " + filepath.Base(path)
	case syscall.SYS_WRITE, syscall.SYS_PWRITE64:
		return "write " + filepath.Base(path)
	}
	return ""
}
