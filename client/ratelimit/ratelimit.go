// Package ratelimit limits the requests of all programs that use one account on a machine. They share a file that holds
// the times of the newest requests, and nothing else.
package ratelimit

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"lookout/client/filelock"
)

const (
	// Max is how many requests all programs together send in any ten seconds.
	Max = 60
	// reserved of them are left to those that go first.
	reserved = Max / 5
	// window is how long a request counts: ten seconds, and one more in which a busy machine may send it late.
	window = 11 * time.Second
	// aloneWindow is window for a program that cannot know of others: it takes a tenth.
	aloneWindow = 10 * window
	// lockAttempts of a millisecond each are made: a program holds the lock for microseconds, unless it is stopped.
	lockAttempts = 100
)

// magic begins the file. What follows are Max times, in nanoseconds since 1970; zero is none.
const magic = "lookout\x01"

const fileSize = len(magic) + 8*Max

// A Limiter counts the requests of all programs that have the same file. It is safe for concurrent use.
type Limiter struct {
	path string
	now  func() time.Time
	mu   sync.Mutex // a lock of the file may not exclude goroutines
	own  [Max]int64 // what this program has sent while it could not use the file
}

// New returns a limiter that shares the file at a path. If it cannot use the file, or the path is empty, the program
// limits itself to a tenth.
func New(path string, now func() time.Time) *Limiter { return &Limiter{path: path, now: now} }

// Take counts a request that is about to be sent. If too many were sent, it counts nothing, and returns how long to
// wait before trying again. Requests that go first may use all of the limit, the others four fifths.
func (l *Limiter) Take(first bool) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if wait, err := l.takeShared(first); err == nil {
		return wait
	}
	return take(&l.own, l.now(), aloneWindow, first)
}

// takeShared is Take on the file.
func (l *Limiter) takeShared(first bool) (wait time.Duration, err error) {
	file, err := l.open()
	if err != nil {
		return 0, err
	}
	defer file.Close() // ends the lock
	if err := lock(file); err != nil {
		return 0, err
	}
	var sent [Max]int64
	data := make([]byte, fileSize+1)
	if n, _ := file.ReadAt(data, 0); n == fileSize && string(data[:len(magic)]) == magic {
		for i := range sent {
			sent[i] = int64(binary.LittleEndian.Uint64(data[len(magic)+8*i:]))
		}
	} else if err := file.Truncate(0); err != nil { // a new file, or a damaged one
		return 0, err
	}
	if wait = take(&sent, l.now(), window, first); wait > 0 {
		return wait, nil
	}
	data = append(data[:0], magic...)
	for _, at := range sent {
		data = binary.LittleEndian.AppendUint64(data, uint64(at))
	}
	_, err = file.WriteAt(data, 0)
	return 0, err
}

// open opens the file, and creates it if there is none. It follows no link.
func (l *Limiter) open() (*os.File, error) {
	if l.path == "" {
		return nil, os.ErrNotExist
	}
	folder := filepath.Dir(l.path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	for _, path := range []string{folder, l.path} {
		if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() && (path == l.path || !info.IsDir()) {
			return nil, &os.PathError{Op: "open", Path: path, Err: os.ErrInvalid}
		}
	}
	return os.OpenFile(l.path, os.O_RDWR|os.O_CREATE, 0o600)
}

// lock locks the file. On file systems without locks it does nothing: two programs may then count as one.
func lock(file *os.File) error {
	for range lockAttempts {
		if err := filelock.Try(file); !errors.Is(err, filelock.ErrLocked) {
			return nil
		}
		<-time.After(time.Millisecond)
	}
	return filelock.ErrLocked
}

// take adds a request to those that were sent, or returns how long to wait. A request in the future does not count: the
// clock was set back.
func take(sent *[Max]int64, now time.Time, window time.Duration, first bool) (wait time.Duration) {
	limit := Max
	if !first {
		limit -= reserved
	}
	var kept [Max]int64
	counted := 0
	for _, at := range sent { // in the order of time
		if age := now.UnixNano() - at; age >= 0 && age < int64(window) {
			kept[counted] = at
			counted++
		}
	}
	if counted < limit {
		kept[counted] = now.UnixNano()
		*sent = kept
		return 0
	}
	last := kept[counted-limit] // there is room when it no longer counts
	return window - time.Duration(now.UnixNano()-last)
}
