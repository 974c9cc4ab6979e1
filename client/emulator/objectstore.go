package emulator

import (
	"crypto/md5"
	"encoding/hex"
	"io"
	"iter"
	"slices"
	"sort"
	"strings"
	"time"
)

// object is a stored object. Its bytes are stored, or generated when they are read.
type object struct {
	name        string
	size        int64
	modified    time.Time
	data        []byte // nil if the bytes are generated
	contentType string
	etag        string
	acl         string
}

func newObject(name, contentType, text string, at time.Time) *object {
	data := []byte(text)
	sum := md5.Sum(data)
	return &object{
		name:        name,
		size:        int64(len(data)),
		modified:    at,
		data:        data,
		contentType: contentType,
		etag:        hex.EncodeToString(sum[:]),
		acl:         "private",
	}
}

// newGeneratedObject returns an object of any size whose bytes take no memory. Its ETag is that of a multipart upload,
// which is not an MD5.
func newGeneratedObject(name string, size int64, at time.Time) *object {
	sum := md5.Sum([]byte(name))
	return &object{
		name:        name,
		size:        size,
		modified:    at,
		contentType: "application/octet-stream",
		etag:        hex.EncodeToString(sum[:]) + "-7",
		acl:         "private",
	}
}

// generatedText is repeated to form the bytes of a generated object.
const generatedText = "INSERT INTO orders VALUES (70412, 'acme', 'paid', 12, 1290.00);\n"

// ReadAt reads the bytes of the object.
func (o *object) ReadAt(p []byte, off int64) (int, error) {
	if off >= o.size {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), o.size-off))
	if o.data != nil {
		copy(p[:n], o.data[off:])
	} else {
		for i := range n {
			p[i] = generatedText[(off+int64(i))%int64(len(generatedText))]
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// objectGenerator generates count objects on demand. Their names are in ascending order.
type objectGenerator struct {
	count  int
	object func(i int) *object
}

// search returns the index of the first object whose name is not less than name.
func (c objectGenerator) search(name string) int {
	return sort.Search(c.count, func(i int) bool { return c.object(i).name >= name })
}

// objectStore holds the objects of a bucket in the order of their names: generated ones, and those that were stored or
// deleted since.
type objectStore struct {
	generated   objectGenerator
	stored      map[string]*object
	storedNames []string        // sorted names in stored
	deleted     map[string]bool // names of deleted generated objects
	count       int
	size        int64
}

func newObjectStore() *objectStore {
	return &objectStore{stored: map[string]*object{}, deleted: map[string]bool{}}
}

func (s *objectStore) get(name string) *object {
	if o, ok := s.stored[name]; ok {
		return o
	}
	if i := s.generated.search(name); i < s.generated.count && !s.deleted[name] {
		if o := s.generated.object(i); o.name == name {
			return o
		}
	}
	return nil
}

func (s *objectStore) put(o *object) {
	s.remove(o.name)
	i, _ := slices.BinarySearch(s.storedNames, o.name)
	s.storedNames = slices.Insert(s.storedNames, i, o.name)
	s.stored[o.name] = o
	s.count++
	s.size += o.size
}

func (s *objectStore) remove(name string) bool {
	o := s.get(name)
	if o == nil {
		return false
	}
	s.count--
	s.size -= o.size
	if _, ok := s.stored[name]; ok {
		delete(s.stored, name)
		i, _ := slices.BinarySearch(s.storedNames, name)
		s.storedNames = slices.Delete(s.storedNames, i, i+1)
		return true
	}
	s.deleted[name] = true
	return true
}

// allFrom iterates over the objects from the first name that is not less than start.
func (s *objectStore) allFrom(start string) iter.Seq[*object] {
	return func(yield func(*object) bool) {
		i := s.generated.search(start)
		j, _ := slices.BinarySearch(s.storedNames, start)
		var next *object // the next generated object
		for {
			for ; next == nil && i < s.generated.count; i++ {
				if o := s.generated.object(i); !s.deleted[o.name] {
					next = o
				}
			}
			var o *object
			switch {
			case next != nil && (j == len(s.storedNames) || next.name < s.storedNames[j]):
				o, next = next, nil
			case j < len(s.storedNames):
				o = s.stored[s.storedNames[j]]
				j++
			default:
				return
			}
			if !yield(o) {
				return
			}
		}
	}
}

// prefixEnd returns the smallest string greater than all strings with a prefix, or "" if there is none.
func prefixEnd(prefix string) string {
	b := []byte(prefix)
	for len(b) > 0 {
		if b[len(b)-1] < 0xff {
			b[len(b)-1]++
			return string(b)
		}
		b = b[:len(b)-1]
	}
	return ""
}

// objectEntry is one entry of a listing. A common prefix has only a name.
type objectEntry struct {
	Name     string  `json:"name"`
	ETag     *string `json:"etag"`
	Modified *string `json:"last_modified"`
	Owner    *string `json:"owner"`
	Size     *int64  `json:"size"`
}

// list returns at most size entries after marker, and the marker of the next page.
func (s *objectStore) list(prefix, delimiter, marker string, size int) (entries []objectEntry, next string) {
	start := max(prefix, marker)
	if marker != "" && marker >= prefix {
		start = marker + "\x00"
		if delimiter != "" && strings.HasSuffix(marker, delimiter) && len(marker) > len(prefix) {
			start = prefixEnd(marker) // the marker was a common prefix, so skip everything below it
		}
	}
	owner := "9d6e1c5a-0b7f-4d0e-8c55-1f2e3d4c5b6a"
	entries = make([]objectEntry, 0, size)
	for start != "" || marker == "" {
		skip := ""
		for o := range s.allFrom(start) {
			if !strings.HasPrefix(o.name, prefix) {
				return entries, ""
			}
			if len(entries) == size {
				return entries, entries[size-1].Name
			}
			rest := o.name[len(prefix):]
			if i := strings.Index(rest, delimiter); delimiter != "" && i >= 0 {
				common := prefix + rest[:i+len(delimiter)]
				entries = append(entries, objectEntry{Name: common})
				skip = prefixEnd(common)
				break
			}
			at := o.modified.UTC().Format("2006-01-02T15:04:05.000Z")
			entries = append(entries, objectEntry{o.name, &o.etag, &at, &owner, &o.size})
		}
		if skip == "" {
			return entries, ""
		}
		start, marker = skip, skip
	}
	return entries, ""
}
