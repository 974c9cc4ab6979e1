// Package names keeps the names of an account's objects for a short time, so that shells complete them at once and
// offline. It holds names and IDs only. A cache that cannot be read or written is an empty one: completion never fails.
package names

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"lookout/client"
	"lookout/client/statefile"
	"lookout/client/wording"
)

// How long names are used.
const (
	freshFor  = time.Minute      // without a request
	retryTime = 30 * time.Second // after a read that failed, until the next one
	keptFor   = 24 * time.Hour   // while nothing can be read
)

// Max is the most names of one list that are kept: as many as a page of the API has.
const Max = 500

// A Name is what people call an object, and its ID. Either may be empty.
type Name struct {
	ID    string `json:"id,omitempty"`
	Label string `json:"label,omitempty"`
}

// A NameList holds the names of one list of an account.
type NameList struct {
	Names    []Name `json:"names"`
	Complete bool   `json:"complete"` // there are no others
}

// A CacheFile is the file with the names of one list.
type CacheFile struct {
	path string
	now  time.Time
}

// At returns the cache at a path, as of now. Without a path nothing is kept.
func At(path string, now time.Time) CacheFile { return CacheFile{path, now} }

// content is the content of the file.
type content struct {
	NameList
	ReadAt   time.Time `json:"read_at"`
	FailedAt time.Time `json:"failed_at,omitzero"` // when they were last tried to be read, if that failed
}

// within reports whether a time is at most d ago. One in the future is not: the clock was set.
func (c CacheFile) within(at time.Time, d time.Duration) bool {
	age := c.now.Sub(at)
	return age >= 0 && age <= d
}

// load returns the content; an empty one if it is missing, invalid or too old.
func (c CacheFile) load() content {
	var kept content
	data, err := statefile.New(c.path).Read()
	if err != nil || json.Unmarshal(data, &kept) != nil {
		return content{}
	}
	if !c.within(kept.ReadAt, keptFor) {
		kept.NameList = NameList{}
	}
	return kept
}

// Kept returns the names that are kept, and whether they are fresh.
func (c CacheFile) Kept() (list NameList, fresh bool) {
	kept := c.load()
	return kept.NameList, c.within(kept.ReadAt, freshFor)
}

// Get returns fresh names, and reads them if there are none. If they cannot be read, it returns old ones, unless the
// API denies this token the list: then nothing is kept.
func (c CacheFile) Get(read func() (NameList, error)) NameList {
	kept := c.load()
	if c.within(kept.ReadAt, freshFor) || c.within(kept.FailedAt, retryTime) {
		return kept.NameList
	}
	list, err := read()
	switch {
	case err == nil:
		if len(list.Names) > Max {
			list = NameList{Names: list.Names[:Max]}
		}
		kept = content{NameList: list, ReadAt: c.now}
	case errors.Is(err, client.ErrDenied), wording.Unauthorized(err):
		kept = content{FailedAt: c.now}
	default:
		kept.FailedAt = c.now
	}
	c.store(kept)
	return kept.NameList
}

// store replaces the file, and removes old ones beside it.
func (c CacheFile) store(kept content) {
	data, err := json.Marshal(kept)
	if err != nil || c.path == "" || statefile.New(c.path).Replace(data) != nil {
		return
	}
	remove(filepath.Dir(c.path), func(f os.DirEntry) bool {
		info, err := f.Info()
		return err == nil && c.now.Sub(info.ModTime()) > keptFor
	})
}

// Extension is how the files' names end.
const Extension = ".names"

// Forget removes the names of all lists of an account.
func Forget(folder, account string) {
	remove(folder, func(f os.DirEntry) bool { return strings.HasPrefix(f.Name(), account+"@") })
}

// remove removes the files of a folder that match.
func remove(folder string, match func(os.DirEntry) bool) {
	if folder == "" {
		return
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, f := range files {
		if strings.HasSuffix(f.Name(), Extension) && match(f) {
			_ = os.Remove(filepath.Join(folder, f.Name()))
		}
	}
}
