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

// object is one stored object. Its bytes are held, or made from its seed as they are read.
type object struct {
	name     string
	size     int64
	modified time.Time
	data     []byte // nil where the bytes are made
	kind     string // content type
	etag     string
	acl      string
}

func stored(name, kind string, data []byte, at time.Time) *object {
	sum := md5.Sum(data)
	return &object{name: name, size: int64(len(data)), modified: at, data: data, kind: kind, etag: hex.EncodeToString(sum[:]), acl: "private"}
}

// made is an object of any size whose bytes cost nothing until they are read. Its etag looks like that of an upload in parts, which is
// no MD5 of the whole.
func made(name string, size int64, at time.Time) *object {
	sum := md5.Sum([]byte(name))
	return &object{name: name, size: size, modified: at, kind: "application/octet-stream", etag: hex.EncodeToString(sum[:]) + "-7", acl: "private"}
}

// pattern are the bytes of a made object: a line of text over and over.
const pattern = "the quick brown fox jumps over the lazy dog 0123456789 -------\n"

// ReadAt reads the object's bytes.
func (o *object) ReadAt(p []byte, off int64) (int, error) {
	if off >= o.size {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), o.size-off))
	if o.data != nil {
		copy(p[:n], o.data[off:])
	} else {
		for i := range n {
			p[i] = pattern[(off+int64(i))%int64(len(pattern))]
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// crowd is many objects that are not stored: the i-th is made when it is asked for. Names rise with i.
type crowd struct {
	count int
	at    func(i int) *object
}

// find is the place of the first name not below a name.
func (c crowd) find(name string) int {
	return sort.Search(c.count, func(i int) bool { return c.at(i).name >= name })
}

// shelf are the objects of a bucket in the order of their names: a crowd, and what was put and removed since.
type shelf struct {
	crowd crowd
	own   map[string]*object
	names []string        // of own, sorted
	gone  map[string]bool // of the crowd
	count int
	size  int64
}

func newShelf() *shelf { return &shelf{own: map[string]*object{}, gone: map[string]bool{}} }

func (s *shelf) get(name string) *object {
	if o, ok := s.own[name]; ok {
		return o
	}
	if i := s.crowd.find(name); i < s.crowd.count && !s.gone[name] {
		if o := s.crowd.at(i); o.name == name {
			return o
		}
	}
	return nil
}

func (s *shelf) put(o *object) {
	s.remove(o.name)
	i, _ := slices.BinarySearch(s.names, o.name)
	s.names = slices.Insert(s.names, i, o.name)
	s.own[o.name] = o
	s.count++
	s.size += o.size
}

func (s *shelf) remove(name string) bool {
	o := s.get(name)
	if o == nil {
		return false
	}
	s.count--
	s.size -= o.size
	if _, ok := s.own[name]; ok {
		delete(s.own, name)
		i, _ := slices.BinarySearch(s.names, name)
		s.names = slices.Delete(s.names, i, i+1)
		return true
	}
	s.gone[name] = true
	return true
}

// from walks the objects from the first name not below start.
func (s *shelf) from(start string) iter.Seq[*object] {
	return func(yield func(*object) bool) {
		i := s.crowd.find(start)
		j, _ := slices.BinarySearch(s.names, start)
		var next *object // of the crowd
		for {
			for ; next == nil && i < s.crowd.count; i++ {
				if o := s.crowd.at(i); !s.gone[o.name] {
					next = o
				}
			}
			var o *object
			switch {
			case next != nil && (j == len(s.names) || next.name < s.names[j]):
				o, next = next, nil
			case j < len(s.names):
				o = s.own[s.names[j]]
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

// after is the smallest text above everything that begins with a prefix; "" where there is none.
func after(prefix string) string {
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

// entry is a line of a listing. A common prefix has a name alone.
type entry struct {
	Name     string  `json:"name"`
	ETag     *string `json:"etag"`
	Modified *string `json:"last_modified"`
	Owner    *string `json:"owner"`
	Size     *int64  `json:"size"`
}

// list gives at most size entries after a marker, and the marker of the next page.
func (s *shelf) list(prefix, delimiter, marker string, size int) (entries []entry, next string) {
	start := max(prefix, marker)
	if marker != "" && marker >= prefix {
		start = marker + "\x00"
		if delimiter != "" && strings.HasSuffix(marker, delimiter) && len(marker) > len(prefix) {
			start = after(marker) // the marker was a common prefix: go on behind all of it
		}
	}
	owner := "9d6e1c5a-0b7f-4d0e-8c55-1f2e3d4c5b6a"
	entries = make([]entry, 0, size)
	for start != "" || marker == "" {
		skip := ""
		for o := range s.from(start) {
			if !strings.HasPrefix(o.name, prefix) {
				return entries, ""
			}
			if len(entries) == size {
				return entries, entries[size-1].Name
			}
			rest := o.name[len(prefix):]
			if i := strings.Index(rest, delimiter); delimiter != "" && i >= 0 {
				common := prefix + rest[:i+len(delimiter)]
				entries = append(entries, entry{Name: common})
				skip = after(common)
				break
			}
			at := o.modified.UTC().Format("2006-01-02T15:04:05.000Z")
			entries = append(entries, entry{o.name, &o.etag, &at, &owner, &o.size})
		}
		if skip == "" {
			return entries, ""
		}
		start, marker = skip, skip
	}
	return entries, ""
}
