package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"lookout/client"
	"lookout/client/faulttest"
)

// callFor returns the call of the client for a recorded path; nil for paths of other areas.
func callFor(x *faulttest.RecordedExchange) func(context.Context, *client.Client) (any, error) {
	give := func(v any, err error) (any, error) { return v, err }
	none := func(err error) (any, error) { return nil, err }
	type c = client.Client
	type ctx = context.Context
	table := map[string]func(ctx, *c) (any, error){
		"GET /managed/contacts": func(x ctx, c *c) (any, error) { return give(c.Contacts.List(x, 1)) },
		"POST /managed/contacts": func(x ctx, c *c) (any, error) {
			return give(client.Confirmed(c, client.OpCreateContact).CreateContact(x, client.ContactRequest{}))
		},
		"GET /managed/contacts/{contactId}": func(x ctx, c *c) (any, error) { return give(c.Contacts.Get(x, 1)) },
		"PUT /managed/contacts/{contactId}": func(x ctx, c *c) (any, error) {
			return give(client.Confirmed(c, client.OpUpdateContact, 1).UpdateContact(x, 1, nil))
		},
		"DELETE /managed/contacts/{contactId}": func(x ctx, c *c) (any, error) {
			return none(client.Confirmed(c, client.OpDeleteContact, 1).DeleteContact(x, 1))
		},
		"GET /managed/credentials": func(x ctx, c *c) (any, error) { return give(c.Credentials.List(x, 1)) },
		"POST /managed/credentials": func(x ctx, c *c) (any, error) {
			return give(client.Confirmed(c, client.OpCreateCredential).CreateCredential(x, client.CredentialRequest{}))
		},
		"GET /managed/credentials/sshkey": func(x ctx, c *c) (any, error) {
			return give(c.Credentials.SSHKey(x))
		},
		"GET /managed/credentials/{credentialId}": func(x ctx, c *c) (any, error) {
			return give(c.Credentials.Get(x, 1))
		},
		"PUT /managed/credentials/{credentialId}": func(x ctx, c *c) (any, error) {
			return give(client.Confirmed(c, client.OpUpdateCredential, 1).UpdateCredential(x, 1, ""))
		},
		"POST /managed/credentials/{credentialId}/update": func(x ctx, c *c) (any, error) {
			return none(
				client.Confirmed(
					c,
					client.OpSetCredentialLogin,
					1,
				).SetCredentialLogin(
					x,
					1,
					client.CredentialLoginUpdate{},
				),
			)
		},
		"POST /managed/credentials/{credentialId}/revoke": func(x ctx, c *c) (any, error) {
			return none(client.Confirmed(c, client.OpDeleteCredential, 1).DeleteCredential(x, 1))
		},
		"GET /managed/issues":           func(x ctx, c *c) (any, error) { return give(c.Issues.List(x, 1)) },
		"GET /managed/issues/{issueId}": func(x ctx, c *c) (any, error) { return give(c.Issues.Get(x, 1)) },
		"GET /managed/linode-settings": func(x ctx, c *c) (any, error) {
			return give(c.Instances.List(x, 1))
		},
		"GET /managed/linode-settings/{linodeId}": func(x ctx, c *c) (any, error) {
			return give(c.Instances.Get(x, 1))
		},
		"PUT /managed/linode-settings/{linodeId}": func(x ctx, c *c) (any, error) {
			return give(client.Confirmed(c, client.OpUpdateInstanceSSH, 1).UpdateInstanceSSH(x, 1, nil))
		},
		"GET /managed/services": func(x ctx, c *c) (any, error) { return give(c.Services.List(x, 1)) },
		"POST /managed/services": func(x ctx, c *c) (any, error) {
			return give(client.Confirmed(c, client.OpCreateService).CreateService(x, client.ServiceRequest{}))
		},
		"GET /managed/services/{serviceId}": func(x ctx, c *c) (any, error) { return give(c.Services.Get(x, 1)) },
		"PUT /managed/services/{serviceId}": func(x ctx, c *c) (any, error) {
			return give(client.Confirmed(c, client.OpUpdateService, 1).UpdateService(x, 1, nil))
		},
		"DELETE /managed/services/{serviceId}": func(x ctx, c *c) (any, error) {
			return none(client.Confirmed(c, client.OpDeleteService, 1).DeleteService(x, 1))
		},
		"POST /managed/services/{serviceId}/disable": func(x ctx, c *c) (any, error) {
			return give(client.Confirmed(c, client.OpDisableService, 1).DisableService(x, 1))
		},
		"POST /managed/services/{serviceId}/enable": func(x ctx, c *c) (any, error) {
			return give(client.Confirmed(c, client.OpEnableService, 1).EnableService(x, 1))
		},
		"GET /managed/stats":          func(x ctx, c *c) (any, error) { return give(c.Stats.Get(x)) },
		"GET /object-storage/buckets": func(x ctx, c *c) (any, error) { return give(c.Buckets.List(x, 1)) },
		"POST /object-storage/buckets": func(x ctx, c *c) (any, error) {
			return give(client.Confirmed(c, client.OpCreateBucket, "", "").CreateBucket(x, client.BucketRequest{}))
		},
		"GET /object-storage/buckets/{clusterId}": func(x ctx, c *c) (any, error) {
			return give(c.Buckets.ListInCluster(x, "c", 1))
		},
		"GET /object-storage/buckets/{clusterId}/{bucket}": func(x ctx, c *c) (any, error) {
			return give(c.Buckets.Get(x, "c", "b"))
		},
		"DELETE /object-storage/buckets/{clusterId}/{bucket}": func(x ctx, c *c) (any, error) {
			return none(client.Confirmed(c, client.OpDeleteBucket, "c", "b").DeleteBucket(x, "c", "b"))
		},
		"POST /object-storage/buckets/{clusterId}/{bucket}/access": func(x ctx, c *c) (any, error) {
			return none(
				client.Confirmed(
					c, client.OpUpdateBucketAccess, "c", "b",
				).UpdateBucketAccess(x, "c", "b", client.BucketAccess{}),
			)
		},
		"PUT /object-storage/buckets/{clusterId}/{bucket}/access": func(x ctx, c *c) (any, error) {
			return none(
				client.Confirmed(
					c, client.OpReplaceBucketAccess, "c", "b",
				).ReplaceBucketAccess(x, "c", "b", client.BucketAccess{}),
			)
		},
		"GET /object-storage/buckets/{clusterId}/{bucket}/object-acl": func(x ctx, c *c) (any, error) {
			return give(c.Objects.ACL(x, "c", "b", "n"))
		},
		"PUT /object-storage/buckets/{clusterId}/{bucket}/object-acl": func(x ctx, c *c) (any, error) {
			now, err := client.Confirmed(
				c, client.OpSetObjectACL, "c", "b", "n",
			).SetObjectACL(x, client.ObjectRef{Cluster: "c", Bucket: "b", Name: "n"}, client.ACLPrivate)
			if now == nil { // an empty answer, after which no ACL was recorded
				return none(err)
			}
			return give(now, err)
		},
		"GET /object-storage/buckets/{clusterId}/{bucket}/object-list": func(x ctx, c *c) (any, error) {
			return give(c.Objects.List(x, client.ObjectQuery{Cluster: "c", Bucket: "b"}))
		},
		"POST /object-storage/buckets/{clusterId}/{bucket}/object-url": func(x ctx, c *c) (any, error) {
			return give(
				client.Confirmed(
					c, client.OpCreateObjectURL, "c", "b", "n",
				).CreateObjectURL(x, "c", "b", client.PresignRequest{Name: "n"}),
			)
		},
		"GET /object-storage/buckets/{clusterId}/{bucket}/ssl": func(x ctx, c *c) (any, error) {
			return give(c.Certificates.Get(x, "c", "b"))
		},
		"POST /object-storage/buckets/{clusterId}/{bucket}/ssl": func(x ctx, c *c) (any, error) {
			return give(
				client.Confirmed(
					c, client.OpUploadCertificate, "c", "b",
				).UploadCertificate(x, "c", "b", "", client.Secret{}),
			)
		},
		"DELETE /object-storage/buckets/{clusterId}/{bucket}/ssl": func(x ctx, c *c) (any, error) {
			return none(client.Confirmed(c, client.OpDeleteCertificate, "c", "b").DeleteCertificate(x, "c", "b"))
		},
		"POST /object-storage/cancel": func(x ctx, c *c) (any, error) {
			return none(client.Confirmed(c, client.OpCancelObjectStorage).CancelObjectStorage(x))
		},
		"GET /object-storage/clusters": func(x ctx, c *c) (any, error) {
			return give(c.Clusters.List(x, 1))
		},
		"GET /object-storage/clusters/{clusterId}": func(x ctx, c *c) (any, error) {
			return give(c.Clusters.Get(x, "c"))
		},
		"GET /object-storage/keys": func(x ctx, c *c) (any, error) { return give(c.Keys.List(x, 1)) },
		"POST /object-storage/keys": func(x ctx, c *c) (any, error) {
			return give(client.Confirmed(c, client.OpCreateKey).CreateKey(x, client.AccessKeyRequest{}))
		},
		"GET /object-storage/keys/{keyId}": func(x ctx, c *c) (any, error) { return give(c.Keys.Get(x, 1)) },
		"PUT /object-storage/keys/{keyId}": func(x ctx, c *c) (any, error) {
			return give(client.Confirmed(c, client.OpUpdateKey, 1).UpdateKey(x, 1, ""))
		},
		"DELETE /object-storage/keys/{keyId}": func(x ctx, c *c) (any, error) {
			return none(client.Confirmed(c, client.OpRevokeKey, 1).RevokeKey(x, 1))
		},
		"GET /object-storage/transfer":    func(x ctx, c *c) (any, error) { return give(c.NetworkTransfer.Get(x)) },
		"GET /support/tickets/{ticketId}": func(x ctx, c *c) (any, error) { return give(c.Tickets.Get(x, 1)) },
	}
	return table[x.Operation()]
}

// The client reads every exchange of a collection, if there is one beside the project: no member is lost, and every
// error has its status.
func TestClient_recordedExchanges(t *testing.T) {
	folders := []string{"shared/api/examples"}
	for _, area := range []string{"aux", "errors", "object-storage", "s3-presigned"} {
		folders = append(folders, "shared/api/recorded/"+area)
	}
	all := append(faulttest.OwnRecordings(t, "/"), faulttest.Recordings(t, folders...)...)
	synctest.Test(t, func(t *testing.T) {
		read, other := 0, 0
		for _, x := range all {
			faulttest.ReportCase(t, "H5", "recorded, "+x.Name)
			if checkExchange(t, x.Name, x) {
				read++
			} else {
				other++
			}
		}
		t.Logf("%d exchanges read by their own operation, %d of other areas", read, other)
		if read == 0 {
			t.Error("no exchange was read")
		}
	})
}

// checkExchange reads one exchange and reports whether it belongs to an operation of ours.
func checkExchange(t *testing.T, name string, x *faulttest.RecordedExchange) bool {
	c, err := client.New(
		"https://api.example.test/v4", client.NewSecret("t"), client.WithTransport(x),
		client.WithDialect(client.DialectProvider),
	)
	if err != nil {
		t.Fatal(err)
	}
	call, ours := callFor(x), true
	if call == nil {
		ours = false
		call = func(ctx context.Context, c *client.Client) (any, error) {
			_, err := c.Services.List(ctx, 1)
			return nil, err
		}
	}
	got, err := call(t.Context(), c)
	var failure *client.Error
	switch {
	case x.Status >= 400:
		if !errors.As(err, &failure) || failure.Status != x.Status {
			t.Errorf("%s: %v, not a failure with status %d", name, err, x.Status)
		}
	case !ours:
	case strings.Contains(name, "unavailable"):
		if err != nil || len(got.(*client.ManagedStats).Unavailable) == 0 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	case err != nil && strings.Contains(err.Error(), ", but the API answered "):
		// what was recorded is not the answer to what this test sends
	case err != nil:
		t.Errorf("%s: %v", name, err)
	case got != nil:
		checkMembers(t, name, got, x.Body)
	}
	return ours
}

// checkMembers fails where a member that our type holds has another value than the answer.
func checkMembers(t *testing.T, name string, got any, body json.RawMessage) {
	if _, isStats := got.(*client.ManagedStats); isStats {
		return // its members are renamed; the values are tested on their own
	}
	ours, err := json.Marshal(got)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	var a, b any
	_ = json.Unmarshal(ours, &a)
	_ = json.Unmarshal(body, &b)
	if page, isPage := a.(map[string]any); isPage && page["Data"] != nil {
		if odd, _ := page["Warnings"].([]any); len(odd) > 0 {
			t.Errorf("%s: %v", name, odd)
		}
		a, b = page["Data"], b.(map[string]any)["data"]
	}
	same(t, name, a, b)
}

func same(t *testing.T, at string, ours, theirs any) {
	switch o := ours.(type) {
	case map[string]any:
		them, isObject := theirs.(map[string]any)
		if !isObject {
			if theirs != nil {
				t.Errorf("%s: %v for %v", at, ours, theirs)
			}
			return
		}
		for name, v := range o {
			if w, there := them[name]; there && name != "secret_key" && name != "url" {
				same(t, at+"."+name, v, w)
			}
		}
	case []any:
		them, _ := theirs.([]any)
		if len(o) != len(them) {
			t.Errorf("%s: %d items of %d", at, len(o), len(them))
			return
		}
		for i := range o {
			same(t, at, o[i], them[i])
		}
	default:
		if text, isText := theirs.(string); isText && ours == text+"Z" {
			return // a time: the API writes UTC without its zone
		}
		if theirs != nil && !reflect.DeepEqual(ours, theirs) {
			t.Errorf("%s: %v for %v", at, ours, theirs)
		}
	}
}
