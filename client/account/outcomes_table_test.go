package account_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"lookout/client"
	"lookout/client/certtest"
)

// A change is one change of the account, as a program sends it.
type change struct {
	client.Change
	body any    // that the API returns later; nil if it returns none of it
	mark string // a part of what is sent that no other change of the trial sends; "" if there is none
	// send returns the row in the answer; nil if the operation answers with none.
	send func(context.Context, *client.Writer) (any, error)
}

// answersNothing reports whether the API answers the change with no row that could be an old one.
func (c change) answersNothing() bool {
	switch c.Op {
	case client.OpSetCredentialLogin, client.OpUpdateBucketAccess, client.OpReplaceBucketAccess, client.OpSetObjectACL,
		client.OpUploadCertificate, client.OpDeleteCertificate, client.OpCancelObjectStorage:
		return true
	}
	return c.Deletes()
}

// A changeCase is one of the 24 changes of the API document, with second changes of the same row.
type changeCase struct {
	first change
	other change // sets another member, or concerns another row if the first change sets the whole row
	same  change // sets the same member
}

// The rows that are changed are the last ones of their lists, which a list that lacks a part lacks first.
const (
	lastContact    = 19
	lastCredential = 35
	lastInstance   = 70009
	lastService    = 14
	lastKey        = 209
)

// changeCases returns the table of all changes.
func changeCases(t *testing.T) []changeCase {
	t.Helper()
	newContact := func(name, mail string) change {
		r := client.ContactRequest{Name: name, Email: mail}
		return change{
			Change: client.Change{Op: client.OpCreateContact, Resource: "contact", Label: name},
			body:   r,
			mark:   mail,
			send:   func(ctx context.Context, w *client.Writer) (any, error) { return w.CreateContact(ctx, r) },
		}
	}
	contact := func(member, before, after string) change {
		return edit(
			rowChange(client.OpUpdateContact, "contact", lastContact, map[string]any{member: before}),
			client.Patch{member: after}, after, lastContact, (*client.Writer).UpdateContact,
		)
	}
	deleteContact := change{
		Change: rowChange(client.OpDeleteContact, "contact", lastContact, map[string]any{"name": "Night desk"}),
		send:   deletion(lastContact, (*client.Writer).DeleteContact),
	}
	newCredential := func(label, user string) change {
		r := client.CredentialRequest{
			Label: label, Username: client.NewSecret(user), Password: client.NewSecret("a password"),
		}
		return change{
			Change: client.Change{Op: client.OpCreateCredential, Resource: "credential", Label: label},
			mark:   user,
			send:   func(ctx context.Context, w *client.Writer) (any, error) { return w.CreateCredential(ctx, r) },
		}
	}
	credential := func(after string) change {
		return change{
			Change: rowChange(
				client.OpUpdateCredential, "credential", lastCredential, map[string]any{"label": "router enable"},
			),
			body: client.Patch{"label": after},
			mark: after,
			send: func(ctx context.Context, w *client.Writer) (any, error) {
				return w.UpdateCredential(ctx, lastCredential, after)
			},
		}
	}
	login := func(user string) change {
		r := client.CredentialLoginUpdate{
			Username: client.NewSecret(user), Password: client.NewSecret("a password"),
		}
		return change{
			Change: rowChange(client.OpSetCredentialLogin, "credential", lastCredential, nil),
			mark:   user,
			send: func(ctx context.Context, w *client.Writer) (any, error) {
				return nil, w.SetCredentialLogin(ctx, lastCredential, r)
			},
		}
	}
	deleteCredential := change{
		Change: rowChange(
			client.OpDeleteCredential, "credential", lastCredential, map[string]any{"label": "router enable"},
		),
		send: deletion(lastCredential, (*client.Writer).DeleteCredential),
	}
	ssh := func(member string, before, after any) change {
		settings := func(value any) map[string]any { return map[string]any{"ssh": map[string]any{member: value}} }
		return edit(
			rowChange(client.OpUpdateInstanceSSH, "instance", lastInstance, settings(before)),
			settings(after), fmt.Sprintf("%q:%s", member, encode(after)), lastInstance,
			(*client.Writer).UpdateInstanceSSH,
		)
	}
	newService := func(label, address string) change {
		r := client.ServiceRequest{
			Label: label, Type: client.TypeTCP, Address: address, Timeout: 10, Credentials: []int{},
		}
		return change{
			Change: client.Change{Op: client.OpCreateService, Resource: "service", Label: label},
			body:   r,
			mark:   address,
			send:   func(ctx context.Context, w *client.Writer) (any, error) { return w.CreateService(ctx, r) },
		}
	}
	service := func(member, before, after string) change {
		return edit(
			rowChange(client.OpUpdateService, "service", lastService, map[string]any{member: before}),
			client.Patch{member: after}, after, lastService, (*client.Writer).UpdateService,
		)
	}
	disable := change{
		Change: rowChange(client.OpDisableService, "service", lastService, map[string]any{"status": "ok"}),
		send: func(ctx context.Context, w *client.Writer) (any, error) {
			return w.DisableService(ctx, lastService)
		},
	}
	enable := change{
		Change: rowChange(client.OpEnableService, "service", lastService, map[string]any{"status": "disabled"}),
		send:   func(ctx context.Context, w *client.Writer) (any, error) { return w.EnableService(ctx, lastService) },
	}
	deleteService := change{
		Change: rowChange(client.OpDeleteService, "service", lastService, map[string]any{"label": "status-page"}),
		send:   deletion(lastService, (*client.Writer).DeleteService),
	}
	newKey := func(label string, buckets ...client.BucketGrantRequest) change {
		r := client.AccessKeyRequest{Label: label}
		mark := fmt.Sprintf("{%q:%q}", "label", label)
		if len(buckets) > 0 {
			r.Buckets, mark = buckets, "bucket_access"
		}
		return change{
			Change: client.Change{Op: client.OpCreateKey, Resource: "key", Label: label},
			body:   r,
			mark:   mark,
			send:   func(ctx context.Context, w *client.Writer) (any, error) { return w.CreateKey(ctx, r) },
		}
	}
	key := func(after string) change {
		return change{
			Change: rowChange(client.OpUpdateKey, "key", lastKey, map[string]any{"label": "old mobile app"}),
			body:   client.Patch{"label": after},
			mark:   after,
			send: func(ctx context.Context, w *client.Writer) (any, error) {
				return w.UpdateKey(ctx, lastKey, after)
			},
		}
	}
	revokeKey := change{
		Change: rowChange(client.OpRevokeKey, "key", lastKey, map[string]any{"label": "old mobile app"}),
		send:   deletion(lastKey, (*client.Writer).RevokeKey),
	}
	newBucket := func(label string, acl client.ACL) change {
		r := client.BucketRequest{Cluster: "ap-south-1", Label: label, ACL: acl}
		return change{
			Change: client.Change{Op: client.OpCreateBucket, Resource: "bucket", ID: r.ID(), Label: label},
			body:   r,
			mark:   fmt.Sprintf(`"acl":%q,"cluster":"ap-south-1","label":%q`, acl, label),
			send:   func(ctx context.Context, w *client.Writer) (any, error) { return w.CreateBucket(ctx, r) },
		}
	}
	deleteBucket := change{
		Change: bucketChange(client.OpDeleteBucket, "bucket", "scratch", map[string]any{"objects": 0}),
		send: func(ctx context.Context, w *client.Writer) (any, error) {
			return nil, w.DeleteBucket(ctx, "ap-south-1", "scratch")
		},
	}
	access := func(op string, a client.BucketAccess, before map[string]any) change {
		send := (*client.Writer).UpdateBucketAccess
		if op == client.OpReplaceBucketAccess {
			send = (*client.Writer).ReplaceBucketAccess
		}
		mark := string(a.ACL)
		if a.CORS != nil {
			mark = "cors_enabled"
		}
		return change{
			Change: bucketChange(op, "bucket", "scratch", before),
			body:   a,
			mark:   mark,
			send: func(ctx context.Context, w *client.Writer) (any, error) {
				return nil, send(w, ctx, "ap-south-1", "scratch", a)
			},
		}
	}
	private, cors := map[string]any{"acl": "private"}, client.BucketAccess{CORS: new(bool)}
	*cors.CORS = true
	acl := func(op string, a client.ACL) change { return access(op, client.BucketAccess{ACL: a}, private) }
	corsOn := access(client.OpUpdateBucketAccess, cors, map[string]any{"cors_enabled": false})
	object := client.ObjectRef{Cluster: "us-east-1", Bucket: "acme-www", Name: "index.html"}
	objectACL := func(a client.ACL) change {
		return change{
			Change: client.Change{
				Op: client.OpSetObjectACL, Resource: "object", ID: object.ID(), Label: object.Name, Before: private,
			},
			body: map[string]any{"acl": a, "name": object.Name},
			mark: string(a),
			send: func(ctx context.Context, w *client.Writer) (any, error) {
				return nil, w.SendObjectACL(ctx, object, a)
			},
		}
	}
	certificate, keyText := certtest.New(certificateBucket).PEM()
	privateKey := client.NewSecret(keyText)
	upload := change{
		Change: bucketChange(
			client.OpUploadCertificate, "certificate", certificateBucket, map[string]any{"ssl": false},
		),
		send: func(ctx context.Context, w *client.Writer) (any, error) {
			_, err := w.UploadCertificate(ctx, "us-east-1", certificateBucket, certificate, privateKey)
			return nil, err
		},
	}
	deleteCertificate := change{
		Change: bucketChange(
			client.OpDeleteCertificate, "certificate", certificateBucket, map[string]any{"ssl": true},
		),
		send: func(ctx context.Context, w *client.Writer) (any, error) {
			return nil, w.DeleteCertificate(ctx, "us-east-1", certificateBucket)
		},
	}
	cancel := change{
		Change: client.Change{
			Op: client.OpCancelObjectStorage, Resource: "account", ID: accountName, Label: accountName,
		},
		send: func(ctx context.Context, w *client.Writer) (any, error) { return nil, w.CancelObjectStorage(ctx) },
	}
	grant := client.BucketGrantRequest{Cluster: "us-east-1", Bucket: "acme-www", Permissions: "read_only"}
	cases := []changeCase{
		{newContact("Zed", "zed@acme.net"), newContact("Yan", "yan@acme.net"), newContact("Zed", "other@acme.net")},
		{
			contact("name", "Night desk", "Day desk"), contact("email", "noc@acme.net", "day@acme.net"),
			contact("name", "Night desk", "Noon desk"),
		},
		{deleteContact, contact("name", "Night desk", "Day desk"), deleteContact},
		{newCredential("night", "ops"), newCredential("day", "noc"), newCredential("night", "root")},
		{credential("router"), login("ops"), credential("switch")},
		{login("ops"), credential("router"), login("root")},
		{deleteCredential, credential("router"), deleteCredential},
		{ssh("user", "ops", "night"), ssh("access", true, false), ssh("user", "ops", "day")},
		{
			newService("night", "203.0.113.7:22"), newService("day", "203.0.113.8:22"),
			newService("night", "203.0.113.9:22"),
		},
		{
			service("label", "status-page", "status-old"), service("notes", "", "moved"),
			service("label", "status-page", "status-new"),
		},
		{deleteService, service("notes", "", "moved"), deleteService},
		{disable, service("label", "status-page", "status-old"), enable},
		{enable, service("label", "status-page", "status-old"), disable},
		{newBucket("night", client.ACLPrivate), newBucket("day", client.ACLPrivate), newBucket("night", "public-read")},
		{deleteBucket, acl(client.OpUpdateBucketAccess, client.ACLPublicRead), deleteBucket},
		{
			acl(client.OpUpdateBucketAccess, client.ACLPublicRead), corsOn,
			acl(client.OpUpdateBucketAccess, client.ACLAuthenticatedRead),
		},
		{
			acl(client.OpReplaceBucketAccess, client.ACLPublicRead), corsOn,
			acl(client.OpReplaceBucketAccess, client.ACLAuthenticatedRead),
		},
		{objectACL(client.ACLPublicRead), corsOn, objectACL(client.ACLAuthenticatedRead)},
		{upload, corsOn, deleteCertificate},
		{deleteCertificate, corsOn, upload},
		{cancel, newKey("night"), newBucket("night", client.ACLPrivate)},
		{newKey("night"), newKey("day"), newKey("night", grant)},
		{key("new mobile app"), revokeKey, key("newer mobile app")},
		{revokeKey, key("new mobile app"), revokeKey},
	}
	if len(cases) != 24 {
		t.Fatalf("%d changes, not 24", len(cases))
	}
	return cases
}

// rowChange returns a change of a row with a number.
func rowChange(op, resource string, id int, before any) client.Change {
	return client.Change{Op: op, Resource: resource, ID: strconv.Itoa(id), Label: resource, Before: before}
}

const certificateBucket = "cdn.acme.net"

// bucketChange returns a change of a bucket.
func bucketChange(op, resource, label string, before any) client.Change {
	cluster := "ap-south-1"
	if label == certificateBucket {
		cluster = "us-east-1"
	}
	return client.Change{Op: op, Resource: resource, ID: client.BucketID(cluster, label), Label: label, Before: before}
}

// edit returns a change of members of a row. The changed row holds the mark.
func edit[T any](
	c client.Change, body client.Patch, mark string, id int,
	update func(*client.Writer, context.Context, int, client.Patch) (T, error),
) change {
	return change{
		Change: c,
		body:   body,
		mark:   mark,
		send:   func(ctx context.Context, w *client.Writer) (any, error) { return update(w, ctx, id, body) },
	}
}

// deletion sends the deletion of a row.
func deletion(
	id int, remove func(*client.Writer, context.Context, int) error,
) func(context.Context, *client.Writer) (any, error) {
	return func(ctx context.Context, w *client.Writer) (any, error) { return nil, remove(w, ctx, id) }
}
