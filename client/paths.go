package client

import (
	"fmt"
	"net/url"
	"strings"
)

// A Dialect is a spelling of the paths. The document and the provider's real service differ in a few.
type Dialect string

// The dialects.
const (
	Document Dialect = "document" // as "Endpoints" writes them
	Provider Dialect = "provider" // as the real service wants them
)

// A route is an operation's method and path, a %s for each segment.
type route struct{ method, path string }

// An operation is one line of "Endpoints".
type operation struct {
	document, provider route // provider is the document's where it is empty
	scope              string
	write              bool
	secret             bool // its answer may hold one: nothing of it is kept
}

func (o operation) in(d Dialect) route {
	if d == Provider && o.provider.path != "" {
		return o.provider
	}
	return o.document
}

const (
	accountRead  = "account:read_only"
	accountWrite = "account:read_write"
	storageRead  = "object_storage:read_only"
	storageWrite = "object_storage:read_write"
)

func read(path, scope string) operation { return operation{document: route{"GET", path}, scope: scope} }

func write(method, path, scope string) operation {
	return operation{document: route{method, path}, scope: scope, write: true}
}

func (o operation) spelt(method, path string) operation {
	o.provider = route{method, path}
	return o
}

func (o operation) hushed() operation {
	o.secret = true
	return o
}

// operations is the one table of paths: every line of "Endpoints" by name, in both dialects, with the scope of "Authentication".
func operations() map[string]operation {
	const bucket = "/object-storage/buckets/%s/%s"
	return map[string]operation{
		"list contacts":           read("/managed/contacts", accountRead),
		"create contact":          write("POST", "/managed/contacts", accountWrite),
		"view contact":            read("/managed/contacts/%s", accountWrite),
		"update contact":          write("PUT", "/managed/contacts/%s", accountWrite),
		"delete contact":          write("DELETE", "/managed/contacts/%s", accountWrite),
		"list credentials":        read("/managed/credentials", accountRead),
		"create credential":       write("POST", "/managed/credentials", accountWrite),
		"view SSH key":            read("/managed/credentials/sshkey", accountRead),
		"view credential":         read("/managed/credentials/%s", accountWrite),
		"update credential":       write("PUT", "/managed/credentials/%s", accountWrite),
		"delete credential":       write("DELETE", "/managed/credentials/%s", accountWrite).spelt("POST", "/managed/credentials/%s/revoke"),
		"change login":            write("POST", "/managed/credentials/%s/update", accountWrite),
		"list issues":             read("/managed/issues", accountRead),
		"view issue":              read("/managed/issues/%s", accountRead),
		"list SSH settings":       read("/managed/instance-settings", accountRead).spelt("GET", "/managed/linode-settings"),
		"view SSH settings":       read("/managed/instance-settings/%s", accountRead).spelt("GET", "/managed/linode-settings/%s"),
		"update SSH settings":     write("PUT", "/managed/instance-settings/%s", accountWrite).spelt("PUT", "/managed/linode-settings/%s"),
		"list services":           read("/managed/services", accountRead),
		"create service":          write("POST", "/managed/services", accountWrite),
		"view service":            read("/managed/services/%s", accountRead),
		"update service":          write("PUT", "/managed/services/%s", accountWrite),
		"delete service":          write("DELETE", "/managed/services/%s", accountWrite),
		"disable service":         write("POST", "/managed/services/%s/disable", accountWrite),
		"enable service":          write("POST", "/managed/services/%s/enable", accountWrite),
		"view stats":              read("/managed/stats", accountRead),
		"list buckets":            read("/object-storage/buckets/", storageRead).spelt("GET", "/object-storage/buckets"),
		"create bucket":           write("POST", "/object-storage/buckets/", storageWrite).spelt("POST", "/object-storage/buckets"),
		"list buckets in cluster": read("/object-storage/buckets/%s", storageRead),
		"view bucket":             read(bucket, storageRead),
		"delete bucket":           write("DELETE", bucket, storageWrite),
		"modify access":           write("POST", bucket+"/access", storageWrite),
		"update access":           write("PUT", bucket+"/access", storageWrite),
		"view object ACL":         read(bucket+"/object-acl", storageRead),
		"update object ACL":       write("PUT", bucket+"/object-acl", storageWrite),
		"list objects":            read(bucket+"/object-list", storageRead),
		"create object URL":       {document: route{"POST", bucket + "/object-url"}, scope: storageWrite},
		"view certificate":        read(bucket+"/ssl", storageRead),
		"upload certificate":      write("POST", bucket+"/ssl", storageWrite),
		"delete certificate":      write("DELETE", bucket+"/ssl", storageWrite),
		"cancel Object Storage":   write("POST", "/object-storage/cancel", storageWrite),
		"list clusters":           read("/object-storage/clusters", ""),
		"view cluster":            read("/object-storage/clusters/%s", ""),
		"list keys":               read("/object-storage/keys", storageRead).hushed(),
		"create key":              write("POST", "/object-storage/keys", storageWrite),
		"view key":                read("/object-storage/keys/%s", storageRead),
		"update key":              write("PUT", "/object-storage/keys/%s", storageWrite),
		"revoke key":              write("DELETE", "/object-storage/keys/%s", storageWrite),
		"view ticket":             read("/support/tickets/%s", accountRead), // the provider's alone
		"view profile":            read("/profile", ""),                     // the provider's alone
		"view transfer":           read("/object-storage/transfer/", storageRead).spelt("GET", "/object-storage/transfer"),
	}
}

// fill puts segments into a path. A segment that would name another resource is refused before anything is sent.
func fill(path string, segments ...any) (string, error) {
	escaped := make([]any, len(segments))
	for i, s := range segments {
		text := fmt.Sprint(s)
		if reason := badSegment(text); reason != "" {
			return "", fmt.Errorf("%q cannot stand in a path: %s", Clean(text), reason)
		}
		escaped[i] = url.PathEscape(text)
	}
	return fmt.Sprintf(path, escaped...), nil
}

// badSegment says why a text cannot be one segment of a path.
func badSegment(s string) string {
	switch {
	case s == "":
		return "it is empty"
	case s == "." || s == "..":
		return "it would name the parent"
	case strings.ContainsAny(s, "/?#%\\"):
		return `it holds one of / \ ? # %`
	case !printable(s):
		return "it holds characters beyond plain ASCII"
	case strings.Contains(s, " "):
		return "it holds a space"
	}
	return ""
}
