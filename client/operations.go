package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
)

// A PathDialect is a spelling of the paths. A few paths of the provider's real service differ from the document's.
type PathDialect string

// The dialects.
const (
	DialectDocument PathDialect = "document" // as "Endpoints" writes them
	DialectProvider PathDialect = "provider" // as the real service wants them
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
	perObject          bool // see forObject
	inReadOnlyMode     bool // recorded like a change, but changes nothing, so read-only mode allows it
}

func (o operation) routeFor(d PathDialect) route {
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

// forObject leaves an operation out of the limit on requests that programs share. The service allows 750 requests a
// second to Object Storage: a listing of a million objects takes a thousand pages, and each transfer asks for a URL.
func (o operation) forObject() operation {
	o.perObject = true
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
	OpChangeMaintenance   = "change maintenance" // another start, end or reason; recorded in the journal alone
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

	OpUploadObject  = "upload"         // PUT at a pre-signed URL
	OpDeleteObject  = "delete object"  // DELETE at a pre-signed URL
	OpDeleteObjects = "delete objects" // many deletions as one change; its consent is for OpDeleteObject
	OpEmptyBucket   = "empty bucket"   // deletions of all objects below a prefix as one change
)

// DeletesMany reports whether an operation deletes many objects as one change.
func DeletesMany(op string) bool { return op == OpDeleteObjects || op == OpEmptyBucket }

// Sets returns the members that the change sets, by their paths: "phone.primary". nil means that it makes, replaces or
// removes the whole thing, or that its members are not known.
func (c Change) Sets() []string {
	if c.Body == nil {
		c.Body = c.Before // it is not sent yet
	}
	members := c.members()
	if members == nil {
		return nil
	}
	return slices.AppendSeq([]string{}, maps.Keys(members))
}

// members returns the members that the change sets, with their values as the API shows them afterwards; "" if the value
// is not known, or must not be shown. See Sets for nil.
func (c Change) members() map[string]string {
	switch c.Op {
	case OpDisableService:
		return map[string]string{"status": string(StatusDisabled)}
	case OpEnableService:
		return map[string]string{"status": ""}
	case OpPlanMaintenance, OpChangeMaintenance, OpCancelMaintenance:
		return map[string]string{}
	case OpUploadCertificate:
		return map[string]string{"ssl": "true"}
	case OpDeleteCertificate:
		return map[string]string{"ssl": "false"}
	case OpSetCredentialLogin:
		return map[string]string{"password": ""}
	case OpSetObjectACL:
		return map[string]string{"acl": FlattenJSON(c.Body)["acl"]}
	case OpUpdateContact, OpUpdateCredential, OpUpdateInstanceSSH, OpUpdateService, OpUpdateKey,
		OpUpdateBucketAccess, OpReplaceBucketAccess:
		if members := FlattenJSON(c.Body); len(members) > 0 {
			return members
		}
	}
	return nil
}

// Creates reports whether the change makes a row of the account.
func (c Change) Creates() bool {
	switch c.Op {
	case OpCreateContact, OpCreateCredential, OpCreateService, OpCreateBucket, OpCreateKey:
		return true
	}
	return false
}

// Deletes reports whether the change removes a row of the account for good.
func (c Change) Deletes() bool {
	switch c.Op {
	case OpDeleteContact, OpDeleteCredential, OpDeleteService, OpDeleteBucket, OpRevokeKey:
		return true
	}
	return false
}

// RequiredScope returns the scope that a token needs for an operation; empty if any token will do.
func RequiredScope(op string) string {
	switch op {
	case OpUploadObject, OpDeleteObject, OpDeleteObjects, OpEmptyBucket:
		op = OpCreateObjectURL
	case OpPlanMaintenance, OpChangeMaintenance, OpCancelMaintenance:
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
		"view object ACL":         readOp(bucket+"/object-acl", storageRead).forObject(),
		OpSetObjectACL:            writeOp("PUT", bucket+"/object-acl", storageWrite).forObject(),
		"list objects":            readOp(bucket+"/object-list", storageRead).forObject(),
		OpCreateObjectURL: operation{
			document: route{"POST", bucket + "/object-url"},
			scope:    storageWrite,
		}.forObject(),
		OpCreateDownloadURL: operation{
			document:       route{"POST", bucket + "/object-url"},
			scope:          storageWrite,
			inReadOnlyMode: true,
		}.forObject(),
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
			return "", fmt.Errorf("%q cannot be part of an address (%s)", cleanName(text), reason)
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
		return "it would refer to the parent folder"
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

// A RawRequest is a request to one of the operations, given by its method and path, for scripts that want the API's own
// answer.
type RawRequest struct {
	op       string
	segments []any
	method   string
	Query    url.Values
	Body     map[string]any
}

// ParseCall returns the call of a method and a path, in either dialect: "GET", "/managed/services/7?page=2". The client
// sends nothing but the operations that it knows.
func (c *Client) ParseCall(method, path string) (*RawRequest, error) {
	path, query, _ := strings.Cut(path, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, fmt.Errorf("%q is not a query", Clean(query))
	}
	method = strings.ToUpper(method)
	path = strings.TrimPrefix("/"+strings.Trim(path, "/"), c.endpoint.base.Path+"/")
	given := strings.Split(strings.Trim(path, "/"), "/")
	var found *RawRequest
	for name, op := range c.endpoint.operations {
		for _, r := range []route{op.document, op.provider} {
			segments, ok := r.match(method, given)
			if !ok || found != nil && len(found.segments) <= len(segments) || name == OpCreateDownloadURL {
				continue // a route with fewer variables is the closer one
			}
			found = &RawRequest{op: name, segments: segments, method: method, Query: values}
		}
	}
	if found == nil {
		return nil, fmt.Errorf("the API has no operation %s /%s", Clean(method), Clean(strings.Join(given, "/")))
	}
	return found, nil
}

// match returns the values of a path's variables, if the method and the path are those of the route.
func (r route) match(method string, given []string) (segments []any, ok bool) {
	words := strings.Split(strings.Trim(r.path, "/"), "/")
	if r.method != method || r == (route{}) || len(words) != len(given) {
		return nil, false
	}
	for i, word := range words {
		switch {
		case word == "%s":
			segments = append(segments, given[i])
		case word != given[i]:
			return nil, false
		}
	}
	return segments, true
}

// Op returns the name of the operation.
func (r *RawRequest) Op() string {
	if method, _ := r.Body["method"].(string); r.op == OpCreateObjectURL && strings.EqualFold(method, "GET") {
		return OpCreateDownloadURL
	}
	return r.op
}

// Writes reports whether the call needs a Writer.
func (r *RawRequest) Writes() bool { return r.method != "GET" }

// ID returns what the call is about, as a Change names it; "" for what has no id yet.
func (r *RawRequest) ID() string {
	text := func(member string) string {
		text, _ := r.Body[member].(string)
		return text
	}
	switch r.op {
	case OpCreateBucket:
		return BucketID(cmp.Or(text("cluster"), text("region")), text("label"))
	case OpSetObjectACL, OpCreateObjectURL:
		return request{segments: r.segments}.changeID() + "/" + text("name")
	}
	return request{segments: r.segments}.changeID()
}

// IsSecret reports whether a member of the call's body is a secret.
func (r *RawRequest) IsSecret(member string) bool {
	_, _, secrets := maskBody(request{op: r.op, body: map[string]any{member: "x"}})
	return len(secrets) > 0
}

// request returns the request of the call. Its answer is kept as it came. A change counts as applied only if the answer
// is the API's.
func (r *RawRequest) request(answer *[]byte) request {
	req := request{op: r.Op(), segments: r.segments, query: r.Query, id: r.ID()}
	if !r.Writes() {
		req.handleBody = func(data []byte) error {
			if *answer = trimBody(data); !json.Valid(*answer) {
				return errors.New("invalid JSON")
			}
			return nil
		}
		return req
	}
	if r.Body != nil {
		req.body = r.Body
	}
	_, answerType := bodyTypes(r.op)
	decoded := reflect.New(answerType).Interface()
	if key, ok := decoded.(*AccessKey); ok && r.op == OpCreateKey {
		req.made = func() string { return strconv.Itoa(key.ID) }
	}
	if service, ok := decoded.(*Service); ok {
		req.service = func() *Service { return service }
	}
	req.handleBody = func(data []byte) error {
		*answer = trimBody(data)
		return decode(*answer, decoded)
	}
	return req
}

// Call sends a call that changes nothing and returns the answer, as the API sent it.
func (c *Client) Call(ctx context.Context, r *RawRequest) (answer []byte, err error) {
	err = c.exchange(ctx, r.request(&answer))
	return answer, err
}

// Call sends a call that changes something and returns the answer, as the API sent it. The journal keeps the members of
// the body that lookout knows, without secrets, and no others.
func (w *Writer) Call(ctx context.Context, r *RawRequest) (answer []byte, err error) {
	req := r.request(&answer)
	req.writer = w
	err = w.client.exchange(ctx, req)
	return answer, err
}

// bodyTypes returns what the body of a change is made of, nil if it has none, and what the answer to it is made of.
func bodyTypes(op string) (body, answer reflect.Type) {
	switch op {
	case OpCreateContact, OpUpdateContact:
		return reflect.TypeFor[ContactRequest](), reflect.TypeFor[Contact]()
	case OpCreateCredential, OpUpdateCredential:
		return reflect.TypeFor[rawLoginRequest](), reflect.TypeFor[Credential]()
	case OpSetCredentialLogin:
		return reflect.TypeFor[rawLoginRequest](), reflect.TypeFor[noContent]()
	case OpUpdateInstanceSSH:
		return reflect.TypeFor[InstanceRequest](), reflect.TypeFor[Instance]()
	case OpCreateService, OpUpdateService:
		return reflect.TypeFor[ServiceRequest](), reflect.TypeFor[Service]()
	case OpDisableService, OpEnableService:
		return nil, reflect.TypeFor[Service]()
	case OpCreateBucket:
		return reflect.TypeFor[BucketRequest](), reflect.TypeFor[Bucket]()
	case OpUpdateBucketAccess, OpReplaceBucketAccess:
		return reflect.TypeFor[BucketAccess](), reflect.TypeFor[noContent]()
	case OpSetObjectACL:
		return reflect.TypeFor[rawACLRequest](), reflect.TypeFor[optionalACL]()
	case OpCreateObjectURL, OpCreateDownloadURL:
		return reflect.TypeFor[PresignRequest](), reflect.TypeFor[PresignedURL]()
	case OpUploadCertificate:
		return reflect.TypeFor[rawCertificateRequest](), reflect.TypeFor[CertificateStatus]()
	case OpCreateKey, OpUpdateKey:
		return reflect.TypeFor[AccessKeyRequest](), reflect.TypeFor[AccessKey]()
	}
	return nil, reflect.TypeFor[noContent]()
}

// The bodies that have no type with all their members elsewhere. The journal does not keep members tagged journal:"-".
type (
	rawLoginRequest struct {
		Label    string `json:"label"`
		Username Secret `json:"username" journal:"-"`
		Password Secret `json:"password"`
	}
	rawACLRequest struct {
		ACL  string `json:"acl"`
		Name string `json:"name"`
	}
	rawCertificateRequest struct {
		Certificate string `json:"certificate" journal:"-"`
		PrivateKey  Secret `json:"private_key"`
	}
)

// maskBody returns the body of a change without its secrets: for the journal with the members that its type has, for a
// dry run with dots in place of the others. It returns the secrets too, which must not appear in an error.
func maskBody(r request) (recorded, shown any, secrets []Secret) {
	data, _ := json.Marshal(r.body) // it was sent as JSON
	numbers := json.NewDecoder(bytes.NewReader(data))
	numbers.UseNumber()
	var value any
	_ = numbers.Decode(&value)
	t, _ := bodyTypes(r.op)
	recorded, shown, secrets = mask(value, cmp.Or(t, noMembers))
	if members, ok := recorded.(map[string]any); ok {
		maps.Copy(members, r.noted)
	}
	return recorded, shown, secrets
}

var noMembers = reflect.TypeFor[struct{}]()

// mask is maskBody for a part of the body and its type.
func mask(value any, t reflect.Type) (recorded, shown any, secrets []Secret) {
	unknown := NewSecret("unknown")
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch value := value.(type) {
	case nil:
		return nil, nil, nil
	case map[string]any:
		if t.Kind() != reflect.Struct {
			t = noMembers
		}
		kept, all := map[string]any{}, map[string]any{}
		for name, inner := range value {
			if inner != nil {
				inner = unknown
			}
			all[name] = inner
		}
		for field := range t.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if inner, given := value[name]; given {
				recorded, shown, found := mask(inner, field.Type)
				if all[name] = shown; field.Tag.Get("journal") != "-" {
					kept[name] = recorded
				}
				secrets = append(secrets, found...)
			}
		}
		return kept, all, secrets
	case []any:
		if t.Kind() != reflect.Slice {
			return []any{}, unknown, nil
		}
		kept, all := []any{}, []any{}
		for _, inner := range value {
			recorded, shown, found := mask(inner, t.Elem())
			kept, all, secrets = append(kept, recorded), append(all, shown), append(secrets, found...)
		}
		return kept, all, secrets
	}
	switch {
	case t == reflect.TypeFor[Secret]():
		secret := NewSecret(fmt.Sprint(value))
		return secret, secret, []Secret{secret}
	case t.Kind() == reflect.Struct || t.Kind() == reflect.Slice:
		return nil, unknown, nil // not what belongs there
	}
	return value, value, nil
}

// Resource returns the kind of thing that the call changes, as the journal names it.
func (r *RawRequest) Resource() string {
	words := strings.Fields(r.op)
	switch last := words[len(words)-1]; last {
	case "login":
		return "credential"
	case "settings":
		return "instance"
	case "access":
		return "bucket"
	case "ACL", "URL":
		return "object"
	case "Storage":
		return "account"
	default:
		return last
	}
}

// A DocumentedOperation is an operation as the document lists it.
type DocumentedOperation struct{ Op, Method, Path string }

// Operations returns all operations by their paths, with CLUSTER, BUCKET or ID for what varies.
func Operations() (all []DocumentedOperation) {
	for name, op := range operations() {
		if name == OpCreateDownloadURL {
			continue // the same request as OpCreateObjectURL
		}
		path := strings.Replace(op.document.path, "/buckets/%s", "/buckets/CLUSTER", 1)
		path = strings.Replace(path, "/clusters/%s", "/clusters/CLUSTER", 1)
		path = strings.Replace(path, "CLUSTER/%s", "CLUSTER/BUCKET", 1)
		all = append(all, DocumentedOperation{name, op.document.method, strings.ReplaceAll(path, "%s", "ID")})
	}
	sort.Slice(all, func(i, j int) bool {
		a, b := &all[i], &all[j]
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Method, b.Method)) < 0
	})
	return all
}
