package client

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
)

// A Dialect is a spelling of the paths. A few paths of the provider's real service differ from the document's.
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
	document, provider route // an empty provider is the same as document
	scope              string
	write              bool
	holdsSecret        bool // the answer may hold a secret: it is not cached
	urgent             bool // other reads do not delay it
	inReadOnlyMode     bool // recorded like a change, but changes nothing, so read-only mode allows it
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

func (o operation) beforeOthers() operation {
	o.urgent = true
	return o
}

func (o operation) withSecret() operation {
	o.holdsSecret = true
	return o
}

// The operations that change something, by the names that the journal keeps.
const (
	OpCreateContact       = "create contact"
	OpUpdateContact       = "update contact"
	OpDeleteContact       = "delete contact"
	OpCreateCredential    = "create credential"
	OpUpdateCredential    = "update credential"
	OpSetCredentialLogin  = "change login"
	OpDeleteCredential    = "delete credential"
	OpUpdateInstanceSSH   = "update SSH settings"
	OpCreateService       = "create service"
	OpUpdateService       = "update service"
	OpDeleteService       = "delete service"
	OpDisableService      = "disable service"
	OpEnableService       = "enable service"
	OpPlanMaintenance     = "plan maintenance"   // recorded in the journal alone: nothing is sent before it begins
	OpCancelMaintenance   = "cancel maintenance" // recorded in the journal alone
	OpCreateBucket        = "create bucket"
	OpDeleteBucket        = "delete bucket"
	OpUpdateBucketAccess  = "modify access"
	OpReplaceBucketAccess = "update access"
	OpSetObjectACL        = "update object ACL"
	OpCreateObjectURL     = "create object URL"
	OpCreateDownloadURL   = "create download URL" // an object URL for GET: allowed in read-only mode
	OpUploadCertificate   = "upload certificate"
	OpDeleteCertificate   = "delete certificate"
	OpCancelObjectStorage = "cancel Object Storage"
	OpCreateKey           = "create key"
	OpUpdateKey           = "update key"
	OpRevokeKey           = "revoke key"

	OpUploadObject = "upload"        // PUT at a pre-signed URL
	OpDeleteObject = "delete object" // DELETE at a pre-signed URL
	OpEmptyBucket  = "empty bucket"  // many deletions as one change
)

// RequiredScope returns the scope that a token needs for an operation; empty if any token will do.
func RequiredScope(op string) string {
	switch op {
	case OpUploadObject, OpDeleteObject, OpEmptyBucket:
		op = OpCreateObjectURL
	case OpPlanMaintenance, OpCancelMaintenance:
		op = OpDisableService
	}
	return operations()[op].scope
}

// operations returns the table of all paths: every line of "Endpoints" by name, in both dialects, with the scope of
// "Authentication".
var operations = sync.OnceValue(func() map[string]operation {
	const bucket = "/object-storage/buckets/%s/%s"
	return map[string]operation{
		"list contacts":    readOp("/managed/contacts", accountRead),
		OpCreateContact:    writeOp("POST", "/managed/contacts", accountWrite),
		"view contact":     readOp("/managed/contacts/%s", accountWrite),
		OpUpdateContact:    writeOp("PUT", "/managed/contacts/%s", accountWrite),
		OpDeleteContact:    writeOp("DELETE", "/managed/contacts/%s", accountWrite),
		"list credentials": readOp("/managed/credentials", accountRead),
		OpCreateCredential: writeOp("POST", "/managed/credentials", accountWrite),
		"view SSH key":     readOp("/managed/credentials/sshkey", accountRead),
		"view credential":  readOp("/managed/credentials/%s", accountWrite),
		OpUpdateCredential: writeOp("PUT", "/managed/credentials/%s", accountWrite),
		OpDeleteCredential: writeOp(
			"DELETE", "/managed/credentials/%s", accountWrite,
		).withProviderRoute("POST", "/managed/credentials/%s/revoke"),
		OpSetCredentialLogin: writeOp("POST", "/managed/credentials/%s/update", accountWrite),
		"list issues":        readOp("/managed/issues", accountRead).beforeOthers(),
		"view issue":         readOp("/managed/issues/%s", accountRead),
		"list SSH settings": readOp(
			"/managed/instance-settings", accountRead,
		).withProviderRoute("GET", "/managed/linode-settings"),
		"view SSH settings": readOp(
			"/managed/instance-settings/%s", accountRead,
		).withProviderRoute("GET", "/managed/linode-settings/%s"),
		OpUpdateInstanceSSH: writeOp(
			"PUT", "/managed/instance-settings/%s", accountWrite,
		).withProviderRoute("PUT", "/managed/linode-settings/%s"),
		"list services":  readOp("/managed/services", accountRead).beforeOthers(),
		OpCreateService:  writeOp("POST", "/managed/services", accountWrite),
		"view service":   readOp("/managed/services/%s", accountRead),
		OpUpdateService:  writeOp("PUT", "/managed/services/%s", accountWrite),
		OpDeleteService:  writeOp("DELETE", "/managed/services/%s", accountWrite),
		OpDisableService: writeOp("POST", "/managed/services/%s/disable", accountWrite),
		OpEnableService:  writeOp("POST", "/managed/services/%s/enable", accountWrite),
		"view stats":     readOp("/managed/stats", accountRead),
		"list buckets": readOp(
			"/object-storage/buckets/", storageRead,
		).withProviderRoute("GET", "/object-storage/buckets"),
		OpCreateBucket: writeOp(
			"POST", "/object-storage/buckets/", storageWrite,
		).withProviderRoute("POST", "/object-storage/buckets"),
		"list buckets in cluster": readOp("/object-storage/buckets/%s", storageRead),
		"view bucket":             readOp(bucket, storageRead),
		OpDeleteBucket:            writeOp("DELETE", bucket, storageWrite),
		OpUpdateBucketAccess:      writeOp("POST", bucket+"/access", storageWrite),
		OpReplaceBucketAccess:     writeOp("PUT", bucket+"/access", storageWrite),
		"view object ACL":         readOp(bucket+"/object-acl", storageRead),
		OpSetObjectACL:            writeOp("PUT", bucket+"/object-acl", storageWrite),
		"list objects":            readOp(bucket+"/object-list", storageRead),
		OpCreateObjectURL:         {document: route{"POST", bucket + "/object-url"}, scope: storageWrite},
		OpCreateDownloadURL: {
			document:       route{"POST", bucket + "/object-url"},
			scope:          storageWrite,
			inReadOnlyMode: true,
		},
		"view certificate":    readOp(bucket+"/ssl", storageRead),
		OpUploadCertificate:   writeOp("POST", bucket+"/ssl", storageWrite),
		OpDeleteCertificate:   writeOp("DELETE", bucket+"/ssl", storageWrite),
		OpCancelObjectStorage: writeOp("POST", "/object-storage/cancel", storageWrite),
		"list clusters":       readOp("/object-storage/clusters", ""),
		"view cluster":        readOp("/object-storage/clusters/%s", ""),
		"list keys":           readOp("/object-storage/keys", storageRead).withSecret(),
		OpCreateKey:           writeOp("POST", "/object-storage/keys", storageWrite),
		"view key":            readOp("/object-storage/keys/%s", storageRead),
		OpUpdateKey:           writeOp("PUT", "/object-storage/keys/%s", storageWrite),
		OpRevokeKey:           writeOp("DELETE", "/object-storage/keys/%s", storageWrite),
		"view access":         readOp(bucket+"/access", storageRead),      // only at the provider
		"view ticket":         readOp("/support/tickets/%s", accountRead), // only at the provider
		"view profile":        readOp("/profile", ""),                     // the provider's alone
		"view transfer": readOp(
			"/object-storage/transfer/", storageRead,
		).withProviderRoute("GET", "/object-storage/transfer"),
	}
})

// expandPath puts segments into a path. It refuses a segment that would name another resource.
func expandPath(path string, segments ...any) (string, error) {
	escaped := make([]any, len(segments))
	for i, s := range segments {
		text := fmt.Sprint(s)
		if reason := badSegment(text); reason != "" {
			return "", fmt.Errorf("%q cannot be part of an address: %s", cleanName(text), reason)
		}
		escaped[i] = url.PathEscape(text)
	}
	return fmt.Sprintf(path, escaped...), nil
}

// badSegment returns why a text cannot be one segment of a path, or "".
func badSegment(s string) string {
	switch {
	case len(s) > maxName:
		return "it is longer than 2,048 bytes"
	case s == "":
		return "it is empty"
	case s == "." || s == "..":
		return "it would name the parent folder"
	case strings.ContainsAny(s, "/?#%\\"):
		return `it contains one of / \ ? # %`
	case !printableASCII(s):
		return "it contains characters other than printable ASCII"
	case strings.Contains(s, " "):
		return "it contains a space"
	}
	return ""
}

// Endpoint returns the method and address of an operation, for users who want to send the request with another program.
// It contains no token.
func (c *Client) Endpoint(op string, query url.Values, segments ...any) (method, address string, err error) {
	operation, known := c.endpoint.operations[op]
	if !known {
		return "", "", fmt.Errorf("unknown operation %q", op)
	}
	req, err := c.newRequest(context.Background(), request{op: op, segments: segments, query: query}, operation)
	if err != nil {
		return "", "", err
	}
	return req.Method, req.URL.String(), nil
}
