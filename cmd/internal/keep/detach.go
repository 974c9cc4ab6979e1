package keep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"lookout/client/journal"
)

// startTimeout is how long a detached process may take until it has the lock.
const startTimeout = 5 * time.Second

// LogPath returns the file that a detached process writes to.
func LogPath(folder string) string { return filepath.Join(folder, "keep.log") }

// Detach starts this program with arguments so that it outlives the terminal, and waits until it looks after the
// windows. The error is an AlreadyRunningError if another process does.
func Detach(ctx context.Context, folder string, args, environ []string) (pid int, err error) {
	if pid, running := Running(folder); running {
		return 0, AlreadyRunningError{pid}
	}
	program, err := os.Executable()
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return 0, fmt.Errorf("state folder: %w", err)
	}
	log, err := journal.OpenStateFile(LogPath(folder), os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return 0, fmt.Errorf("log: %w", err)
	}
	defer log.Close()
	c := exec.Command(program, args...)
	c.Env, c.Stdout, c.Stderr, c.SysProcAttr = environ, log, log, detached()
	if err := c.Start(); err != nil {
		return 0, err
	}
	pid = c.Process.Pid
	ended := make(chan struct{})
	go func() {
		_ = c.Wait()
		close(ended)
	}()
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		if holder, running := Running(folder); running && holder == pid {
			return pid, nil
		}
		select {
		case <-look.C:
		case <-ended:
			return 0, fmt.Errorf("it ended at once: %s says why", LogPath(folder))
		case <-ctx.Done():
			return 0, errors.Join(fmt.Errorf("it has not started: %s says why", LogPath(folder)), c.Process.Kill())
		}
	}
}
