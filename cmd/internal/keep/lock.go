package keep

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"lookout/client/journal"
)

// errLocked says that another process holds the lock.
var errLocked = errors.New("locked")

// A RunningError says that another process looks after the windows already.
type RunningError struct{ PID int }

// Error names the process.
func (e RunningError) Error() string {
	return fmt.Sprintf("lookout keep is already running (process %d)", e.PID)
}

// Lock makes this process the only one that looks after the windows of a state folder, until it ends, however it does.
// The error is a RunningError if another one does.
func Lock(folder string) (*os.File, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("state folder: %w", err)
	}
	file, err := journal.OpenStateFile(lockPath(folder), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	if err := lock(file); err != nil {
		file.Close()
		if errors.Is(err, errLocked) {
			return nil, RunningError{readPID(folder)}
		}
		return nil, fmt.Errorf("lock: %w", err)
	}
	if err := errors.Join(file.Truncate(0), writePID(file)); err != nil {
		file.Close()
		return nil, fmt.Errorf("lock: %w", err)
	}
	return file, nil
}

// Running returns the process that looks after the windows of a state folder, and whether there is one.
func Running(folder string) (pid int, running bool) {
	file, err := journal.OpenStateFile(lockPath(folder), os.O_RDWR)
	if err != nil {
		return 0, false
	}
	defer file.Close()
	if !errors.Is(lock(file), errLocked) {
		return 0, false
	}
	return readPID(folder), true
}

func lockPath(folder string) string { return filepath.Join(folder, "keep.lock") }

func writePID(file *os.File) error {
	_, err := file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// readPID returns the process that has the lock; 0 if it has not written its number yet.
func readPID(folder string) int {
	data, _ := os.ReadFile(lockPath(folder))
	pid, _ := strconv.Atoi(strings.TrimSpace(string(data)))
	return pid
}
