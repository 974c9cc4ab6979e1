// Package optest lists the operations of the API for tests.
package optest

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// An Operation is one line of the document's section "Endpoints", with examples that work on the demo account.
type Operation struct {
	Name    string // as the client and the emulator call it
	Method  string
	Path    string // with an example of each variable: "/managed/contacts/{11}"
	Scope   string // "" if any token will do
	Command string // see Line
}

const (
	accountRead  = "account:read_only"
	accountWrite = "account:read_write"
	storageRead  = "object_storage:read_only"
	storageWrite = "object_storage:read_write"

	login   = " --username {username} --password-file {password-file}"
	cluster = "/object-storage/buckets/{us-east-1}"
	bucket  = cluster + "/{acme-backups}"
	cdn     = cluster + "/{cdn.acme.net}"
)

// documented are the operations of the document, in an order in which each can succeed.
var documented = []Operation{
	{"list contacts", "GET", "/managed/contacts", accountRead, "contacts list"},
	{"create contact", "POST", "/managed/contacts", accountWrite, "contacts create --name fresh --email a@example.org"},
	{"view contact", "GET", "/managed/contacts/{11}", accountWrite, "contacts get {1}"},
	{"update contact", "PUT", "/managed/contacts/{11}", accountWrite, "contacts update {1} --name fresh"},
	{"delete contact", "DELETE", "/managed/contacts/{12}", accountWrite, "contacts delete {1}"},
	{"list credentials", "GET", "/managed/credentials", accountRead, "credentials list"},
	{"create credential", "POST", "/managed/credentials", accountWrite, "credentials create db9" + login},
	{"view SSH key", "GET", "/managed/credentials/sshkey", accountRead, "ssh key"},
	{"view credential", "GET", "/managed/credentials/{31}", accountWrite, "credentials get {1}"},
	{"update credential", "PUT", "/managed/credentials/{31}", accountWrite, "credentials rename {1} fresh"},
	{"change login", "POST", "/managed/credentials/{31}/update", accountWrite, "credentials login {1}" + login},
	{"delete credential", "DELETE", "/managed/credentials/{32}", accountWrite, "credentials delete {1}"},
	{"list issues", "GET", "/managed/issues", accountRead, "issues list"},
	{"view issue", "GET", "/managed/issues/{823}", accountRead, "issues get {1}"},
	{"list SSH settings", "GET", "/managed/instance-settings", accountRead, "ssh list"},
	{"view SSH settings", "GET", "/managed/instance-settings/{70003}", accountRead, "ssh get {1}"},
	{"update SSH settings", "PUT", "/managed/instance-settings/{70003}", accountWrite, "ssh set {1} --port 99"},
	{"list services", "GET", "/managed/services", accountRead, "services list"},
	{"create service", "POST", "/managed/services", accountWrite,
		"services create --label fresh --address https://example.com"},
	{"view service", "GET", "/managed/services/{4}", accountRead, "services get {1}"},
	{"update service", "PUT", "/managed/services/{4}", accountWrite, "services update {1} --label fresh"},
	{"disable service", "POST", "/managed/services/{4}/disable", accountWrite, "services disable {1}"},
	{"enable service", "POST", "/managed/services/{3}/enable", accountWrite, "services enable {1}"},
	{"delete service", "DELETE", "/managed/services/{9}", accountWrite, "services delete {1}"},
	{"view stats", "GET", "/managed/stats", accountRead, "stats"},
	{"list buckets", "GET", "/object-storage/buckets/", storageRead, "buckets list"},
	{"create bucket", "POST", "/object-storage/buckets/", storageWrite,
		"buckets create {place=us-east-1}/{label=fresh}"},
	{"list buckets in cluster", "GET", cluster, storageRead, "buckets list --cluster {1}"},
	{"view bucket", "GET", bucket, storageRead, "buckets get {1}/{2}"},
	{"modify access", "POST", bucket + "/access", storageWrite, "buckets access {1}/{2} --acl private"},
	{"update access", "PUT", bucket + "/access", storageWrite, "buckets access {1}/{2} --acl private --cors=false"},
	{"delete bucket", "DELETE", "/object-storage/buckets/{ap-south-1}/{scratch}", storageWrite,
		"buckets delete {1}/{2}"},
	{"view object ACL", "GET", bucket + "/object-acl", storageRead, "objects acl {1}/{2} {name=README.txt}"},
	{"update object ACL", "PUT", bucket + "/object-acl", storageWrite,
		"objects acl {1}/{2} {name=README.txt} {acl=public-read}"},
	{"list objects", "GET", bucket + "/object-list", storageRead, "objects list {1}/{2} -r"},
	{"create object URL", "POST", bucket + "/object-url", storageWrite,
		"objects link {1}/{2} {name=README.txt} --method DELETE"},
	{"view certificate", "GET", cdn + "/ssl", storageRead, "certificates get {1}/{2}"},
	{"upload certificate", "POST", cdn + "/ssl", storageWrite, "certificates upload {1}/{2} {certificate} {key}"},
	{"delete certificate", "DELETE", cdn + "/ssl", storageWrite, "certificates delete {1}/{2}"},
	{"list clusters", "GET", "/object-storage/clusters", "", "clusters list"},
	{"view cluster", "GET", "/object-storage/clusters/{us-east-1}", "", "clusters get {1}"},
	{"list keys", "GET", "/object-storage/keys", storageRead, "keys list"},
	{"create key", "POST", "/object-storage/keys", storageWrite, "keys create {label=fresh} --unlimited"},
	{"view key", "GET", "/object-storage/keys/{201}", storageRead, "keys get {1}"},
	{"update key", "PUT", "/object-storage/keys/{205}", storageWrite, "keys rename {1} fresh"},
	{"revoke key", "DELETE", "/object-storage/keys/{208}", storageWrite, "keys revoke {1}"},
	{"view transfer", "GET", "/object-storage/transfer/", storageRead, "transfer"},
	{"cancel Object Storage", "POST", "/object-storage/cancel", storageWrite, "storage cancel"},
}

// undocumented are the operations that only the real service has.
var undocumented = []Operation{
	{"view access", "GET", bucket + "/access", storageRead, "buckets readers {1}/{2}"},
	{"view profile", "GET", "/profile", "", "accounts check"},
	{"view ticket", "GET", "/support/tickets/{48213}", accountRead, "handover"},
}

// Documented returns the operations of the document, in an order in which each can succeed: what cancels comes last.
func Documented() []Operation { return slices.Clone(documented) }

// All returns the operations of the document and those that only the real service has.
func All() []Operation { return slices.Concat(documented, undocumented) }

// ByName returns an operation, and fails if there is none.
func ByName(t testing.TB, name string) Operation {
	t.Helper()
	for _, o := range All() {
		if o.Name == name {
			return o
		}
	}
	t.Fatalf("client/optest has no operation %q", name)
	return Operation{}
}

var (
	variable  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{([^}=]*)=?([^}]*)\}`) })
	otherName = strings.NewReplacer( // of the real service
		"/linode-settings", "/instance-settings", "POST /managed/credentials/{}/revoke",
		"DELETE /managed/credentials/{}",
	)
)

// Find returns the operation of a method and a path with {names}, as the document or the real service writes it.
func Find(method, path string) (found Operation, known bool) {
	pattern := func(method, path string) string {
		return otherName.Replace(method + " " + variable().ReplaceAllString(strings.TrimSuffix(path, "/"), "{}"))
	}
	for _, o := range All() {
		if pattern(o.Method, o.Path) == pattern(method, path) {
			return o, true
		}
	}
	return Operation{}, false
}

// Example returns a path: "/managed/contacts/11".
func (o Operation) Example() string { return o.Fill(o.Path) }

// Fill puts the examples of the operation's variables in the place of {names}.
func (o Operation) Fill(path string) string {
	examples := variable().FindAllStringSubmatch(o.Path, -1)
	return variable().ReplaceAllStringFunc(path, func(string) string {
		example := examples[0][1]
		examples = examples[1:]
		return example
	})
}

// Line returns the command line that runs the operation. {1} and {2} are the variables of the path. They and {names}
// are replaced by values if they are given, and by the examples otherwise.
func (o Operation) Line(values map[string]string) string {
	examples := map[string]string{}
	for i, found := range variable().FindAllStringSubmatch(o.Path, -1) {
		examples[strconv.Itoa(i+1)] = found[1]
	}
	return variable().ReplaceAllStringFunc(o.Command, func(name string) string {
		found := variable().FindStringSubmatch(name)
		return cmp.Or(values[found[1]], examples[found[1]], found[2])
	})
}
