package keep

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"lookout/client/filelock"
	"lookout/client/journal"
	"lookout/client/statefile"
)

// An AlreadyRunningError means that another process watches the windows already.
type AlreadyRunningError struct{ PID int }

// Error names the process.
func (e AlreadyRunningError) Error() string {
	return fmt.Sprintf("lookout keep is already running (process %d)", e.PID)
}

// Lock makes this process the only one that looks after the windows of a state folder, until it ends, however it does.
// The error is an AlreadyRunningError if another one does.
func Lock(folder string) (*os.File, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("state folder: %w", err)
	}
	file, err := journal.OpenStateFile(lockPath(folder), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	if err := filelock.Try(file); err != nil {
		file.Close()
		if errors.Is(err, filelock.ErrLocked) {
			return nil, AlreadyRunningError{readPID(folder)}
		}
		return nil, fmt.Errorf("lock: %w", err)
	}
	if err := WriteStatus(file, nil); err != nil {
		file.Close()
		return nil, fmt.Errorf("lock: %w", err)
	}
	return file, nil
}

// Running returns the process that looks after the windows of a state folder, and whether there is one. There is none
// without a folder.
func Running(folder string) (pid int, running bool) {
	if folder == "" {
		return 0, false
	}
	file, err := journal.OpenStateFile(lockPath(folder), os.O_RDWR)
	if err != nil {
		return 0, false
	}
	defer file.Close()
	if !errors.Is(filelock.Try(file), filelock.ErrLocked) {
		return 0, false
	}
	return readPID(folder), true
}

func lockPath(folder string) string { return filepath.Join(folder, "keep.lock") }

// WriteStatus writes into the lock which process has it, and the journals whose windows it looks after.
func WriteStatus(file *os.File, journals []string) error {
	lines := append([]string{strconv.Itoa(os.Getpid())}, journals...)
	err := file.Truncate(0)
	if err == nil {
		_, err = file.WriteAt([]byte(strings.Join(lines, "\n")+"\n"), 0)
	}
	return err
}

// Watches reports whether a process looks after the windows of a journal in a state folder.
func Watches(folder, journal string) bool {
	if _, running := Running(folder); !running {
		return false
	}
	data, _ := statefile.New(lockPath(folder)).Read()
	return slices.Contains(strings.Split(string(data), "\n"), journal)
}

// readPID returns the process that has the lock; 0 if it has not written its number yet.
func readPID(folder string) int {
	data, _ := statefile.New(lockPath(folder)).Read()
	first, _, _ := strings.Cut(string(data), "\n")
	pid, _ := strconv.Atoi(first)
	return pid
}
