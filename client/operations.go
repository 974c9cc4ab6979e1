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
	DialectDocument Dialect = "document" // as "Endpoints" writes them
	DialectProvider Dialect = "provider" // as the real service wants them
)

// A route is an operation's method and path, a %s for each segment.
type route struct{ method, path string }

// An operation is one line of "Endpoints".
type operation struct {
	document, provider route // provider is the document's where it is empty
	scope              string
	write              bool
	holdsSecret        bool // its answer may hold one: nothing of it is kept
}

func (o operation) routeFor(d Dialect) route {
	if d == DialectProvider && o.provider.path != "" {
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

func readOp(path, scope string) operation {
	return operation{document: route{"GET", path}, scope: scope}
}

func writeOp(method, path, scope string) operation {
	return operation{document: route{method, path}, scope: scope, write: true}
}

func (o operation) withProviderRoute(method, path string) operation {
	o.provider = route{method, path}
	return o
}

func (o operation) withSecret() operation {
	o.holdsSecret = true
	return o
}

// operations is the one table of paths: every line of "Endpoints" by name, in both dialects, with the scope of
// "Authentication".
func operations() map[string]operation {
	const bucket = "/object-storage/buckets/%s/%s"
	return map[string]operation{
		"list contacts":     readOp("/managed/contacts", accountRead),
		"create contact":    writeOp("POST", "/managed/contacts", accountWrite),
		"view contact":      readOp("/managed/contacts/%s", accountWrite),
		"update contact":    writeOp("PUT", "/managed/contacts/%s", accountWrite),
		"delete contact":    writeOp("DELETE", "/managed/contacts/%s", accountWrite),
		"list credentials":  readOp("/managed/credentials", accountRead),
		"create credential": writeOp("POST", "/managed/credentials", accountWrite),
		"view SSH key":      readOp("/managed/credentials/sshkey", accountRead),
		"view credential":   readOp("/managed/credentials/%s", accountWrite),
		"update credential": writeOp("PUT", "/managed/credentials/%s", accountWrite),
		"delete credential": writeOp(
			"DELETE",
			"/managed/credentials/%s",
			accountWrite,
		).withProviderRoute(
			"POST",
			"/managed/credentials/%s/revoke",
		),
		"change login": writeOp("POST", "/managed/credentials/%s/update", accountWrite),
		"list issues":  readOp("/managed/issues", accountRead),
		"view issue":   readOp("/managed/issues/%s", accountRead),
		"list SSH settings": readOp(
			"/managed/instance-settings",
			accountRead,
		).withProviderRoute(
			"GET",
			"/managed/linode-settings",
		),
		"view SSH settings": readOp(
			"/managed/instance-settings/%s",
			accountRead,
		).withProviderRoute(
			"GET",
			"/managed/linode-settings/%s",
		),
		"update SSH settings": writeOp(
			"PUT",
			"/managed/instance-settings/%s",
			accountWrite,
		).withProviderRoute(
			"PUT",
			"/managed/linode-settings/%s",
		),
		"list services":   readOp("/managed/services", accountRead),
		"create service":  writeOp("POST", "/managed/services", accountWrite),
		"view service":    readOp("/managed/services/%s", accountRead),
		"update service":  writeOp("PUT", "/managed/services/%s", accountWrite),
		"delete service":  writeOp("DELETE", "/managed/services/%s", accountWrite),
		"disable service": writeOp("POST", "/managed/services/%s/disable", accountWrite),
		"enable service":  writeOp("POST", "/managed/services/%s/enable", accountWrite),
		"view stats":      readOp("/managed/stats", accountRead),
		"list buckets": readOp(
			"/object-storage/buckets/",
			storageRead,
		).withProviderRoute(
			"GET",
			"/object-storage/buckets",
		),
		"create bucket": writeOp(
			"POST",
			"/object-storage/buckets/",
			storageWrite,
		).withProviderRoute(
			"POST",
			"/object-storage/buckets",
		),
		"list buckets in cluster": readOp("/object-storage/buckets/%s", storageRead),
		"view bucket":             readOp(bucket, storageRead),
		"delete bucket":           writeOp("DELETE", bucket, storageWrite),
		"modify access":           writeOp("POST", bucket+"/access", storageWrite),
		"update access":           writeOp("PUT", bucket+"/access", storageWrite),
		"view object ACL":         readOp(bucket+"/object-acl", storageRead),
		"update object ACL":       writeOp("PUT", bucket+"/object-acl", storageWrite),
		"list objects":            readOp(bucket+"/object-list", storageRead),
		"create object URL":       {document: route{"POST", bucket + "/object-url"}, scope: storageWrite},
		"view certificate":        readOp(bucket+"/ssl", storageRead),
		"upload certificate":      writeOp("POST", bucket+"/ssl", storageWrite),
		"delete certificate":      writeOp("DELETE", bucket+"/ssl", storageWrite),
		"cancel Object Storage":   writeOp("POST", "/object-storage/cancel", storageWrite),
		"list clusters":           readOp("/object-storage/clusters", ""),
		"view cluster":            readOp("/object-storage/clusters/%s", ""),
		"list keys":               readOp("/object-storage/keys", storageRead).withSecret(),
		"create key":              writeOp("POST", "/object-storage/keys", storageWrite),
		"view key":                readOp("/object-storage/keys/%s", storageRead),
		"update key":              writeOp("PUT", "/object-storage/keys/%s", storageWrite),
		"revoke key":              writeOp("DELETE", "/object-storage/keys/%s", storageWrite),
		"view ticket":             readOp("/support/tickets/%s", accountRead), // the provider's alone
		"view profile":            readOp("/profile", ""),                     // the provider's alone
		"view transfer": readOp(
			"/object-storage/transfer/",
			storageRead,
		).withProviderRoute(
			"GET",
			"/object-storage/transfer",
		),
	}
}

// expandPath puts segments into a path. A segment that would name another resource is refused before anything is sent.
func expandPath(path string, segments ...any) (string, error) {
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
	case !printableASCII(s):
		return "it holds characters beyond plain ASCII"
	case strings.Contains(s, " "):
		return "it holds a space"
	}
	return ""
}
