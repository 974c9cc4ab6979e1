package transfer

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/journal"
)

// setACL gives an object of the rig's bucket an ACL, as somebody else would.
func (r *rig) setACL(name string, acl client.ACL) {
	r.Helper()
	o := client.ObjectRef{Cluster: cluster, Bucket: bucket, Name: name}
	c := confirmed(r, r.elsewhere(), client.OpSetObjectACL, o.ID())
	if _, err := c.SetObjectACL(r.Context(), o, acl); err != nil {
		r.Fatal(err)
	}
}

// elsewhere returns a client that the rig does not watch.
func (r *rig) elsewhere() *client.Client {
	r.Helper()
	c, err := client.New("https://api.example.test/v4", client.NewSecret(token), client.WithTransport(r.e))
	if err != nil {
		r.Fatal(err)
	}
	return c
}

// acl returns the ACL of an object of the rig's bucket, "" if there is none.
func (r *rig) acl(name string) client.ACL {
	r.Helper()
	now, err := r.elsewhere().Objects.ACL(r.Context(), cluster, bucket, name)
	if errors.Is(err, client.ErrNotFound) {
		return ""
	}
	if err != nil {
		r.Fatal(err)
	}
	return now.ACL
}

// upload replaces objects with files of other contents, and returns how the transfers ended.
func (r *rig) replace(names ...string) []Status {
	r.Helper()
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = r.writeFile(name, "new "+name)
	}
	plan, err := PlanUpload(r.Context(), "", paths...)
	if err != nil {
		r.Fatal(err)
	}
	plan.Cluster, plan.Bucket = cluster, bucket
	return r.runPlan(plan)
}

// move moves or copies objects below another prefix, and returns how the transfers ended.
func (r *rig) move(kind Kind, prefix string, names ...string) []Status {
	r.Helper()
	var items []DownloadItem
	for _, name := range names {
		o, there, err := r.c.Objects.Find(r.Context(), cluster, bucket, name)
		if err != nil || !there {
			r.Fatalf("%s: %v", name, err)
		}
		items = append(items, DownloadItem{o, name})
	}
	at := client.ObjectRef{Cluster: cluster, Bucket: bucket}
	to := at
	to.Name = prefix
	plan, err := CopySpec{Kind: kind, From: at, To: to}.Plan(r.Context(), r.c, items)
	if err != nil {
		r.Fatal(err)
	}
	return r.runPlan(plan)
}

// runPlan runs a plan that replaces what exists.
func (r *rig) runPlan(plan Plan) (ended []Status) {
	r.Helper()
	err := plan.CompareObjects(r.Context(), r.c.Objects, CompareOptions{})
	if err == nil {
		err = plan.ReadACLs(r.Context(), r.c.Objects, ReplaceExisting, nil)
	}
	if err != nil {
		r.Fatal(err)
	}
	ids, refused := r.m.Start(plan, StartOptions{
		Existing:      ReplaceExisting,
		Consent:       r.consent(client.OpUploadObject),
		DeleteConsent: r.consent(client.OpDeleteObject),
		ACLConsent:    r.consent(client.OpSetObjectACL),
	})
	if len(refused) > 0 {
		r.Fatalf("refused: %v", refused)
	}
	for _, id := range ids {
		ended = append(ended, r.waitEnded(id))
	}
	return ended
}

// What replaces a public object, or is moved, has its access again. A private object costs one reading and no write, a
// public one two more readings and the one write, which the journal holds as a change of its own.
func TestKeepACL_replacedAndMovedObjectsStayPublic(t *testing.T) {
	for _, c := range []struct {
		name           string
		kind           Kind
		source, target client.ACL // "" for no object
		want           client.ACL
		reads, writes  int
	}{
		{"replace private", Upload, "", client.ACLPrivate, client.ACLPrivate, 1, 0},
		{"replace public", Upload, "", client.ACLPublicRead, client.ACLPublicRead, 3, 1},
		{"replace authenticated", Upload, "", client.ACLAuthenticatedRead, client.ACLAuthenticatedRead, 3, 1},
		{"new", Upload, "", "", client.ACLPrivate, 0, 0},
		{"move private", Move, client.ACLPrivate, "", client.ACLPrivate, 1, 0},
		{"move public", Move, client.ACLPublicRead, "", client.ACLPublicRead, 3, 1},
		{"move private over public", Move, client.ACLPrivate, client.ACLPublicRead, client.ACLPublicRead, 4, 1},
		{"move public over private", Move, client.ACLPublicRead, client.ACLPrivate, client.ACLPublicRead, 4, 1},
		{"copy public", Copy, client.ACLPublicRead, "", client.ACLPrivate, 0, 0},
		{"copy over public", Copy, client.ACLPrivate, client.ACLPublicRead, client.ACLPublicRead, 3, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := journal.NewInMemory(time.Now)
			runInBubble(t, func(r *rig) {
				target := "a"
				if c.kind.Copies() {
					target = "to/a"
					r.putObject("a", "source")
					r.setACL("a", c.source)
				}
				if c.target != "" {
					r.putObject(target, "old")
					r.setACL(target, c.target)
				}
				reads, before := r.e.RequestCount("view object ACL"), len(r.e.Ledger())
				var ended []Status
				if c.kind == Upload {
					ended = r.replace("a")
				} else {
					ended = r.move(c.kind, "to/", "a")
				}
				row := ended[0]
				if row.State != Done || row.AccessLost || strings.Contains(row.Note, "still ") != (c.writes > 0) {
					t.Fatalf("%s, %v, %q", row.State, row.Err, row.Note)
				}
				if n := r.e.RequestCount("view object ACL") - reads; n != c.reads {
					t.Errorf("%d readings of ACLs, want %d", n, c.reads)
				}
				var ops []string
				for _, entry := range r.e.Ledger()[before:] {
					ops = append(ops, entry.Op)
				}
				want := []string{"put object", "update object ACL", "delete object"}
				if c.writes == 0 {
					want = slices.Delete(want, 1, 2)
				}
				if c.kind != Move {
					want = want[:len(want)-1]
				}
				if !slices.Equal(ops, want) {
					t.Errorf("%v, want %v", ops, want)
				}
				if now := r.acl(target); now != c.want {
					t.Errorf("it is %s now, want %s", now, c.want)
				}
				set := 0
				for _, e := range j.Entries(time.Time{}) {
					if e.Change.Op == client.OpSetObjectACL && e.Outcome == client.Applied {
						set++
					}
				}
				if set != c.writes {
					t.Errorf("%d changes of ACLs in the journal, want %d", set, c.writes)
				}
			}, client.WithRecorder(j))
		})
	}
}

// An ACL that cannot be set, is not reported or cannot be read is not guessed: nothing is set, and the transfer says
// so.
func TestKeepACL_neverGuesses(t *testing.T) {
	for name, c := range map[string]struct {
		fault emulator.Fault
		says  string
	}{
		"custom": {emulator.Fault{Status: 200, Body: `{"acl":"custom","acl_xml":"x"}`}, "its access is custom"},
		"null": {
			emulator.Fault{Status: 200, Body: `{"acl":null,"acl_xml":null}`},
			"the API does not report its access",
		},
		"unreadable": {emulator.Fault{Status: 403}, "its access could not be read"},
	} {
		t.Run(name, func(t *testing.T) {
			runInBubble(t, func(r *rig) {
				r.putObject("a", "old")
				r.setACL("a", client.ACLPublicRead)
				r.e.InjectFault("view object ACL", c.fault)
				row := r.replace("a")[0]
				if row.State != Done || !row.AccessLost || !strings.Contains(row.Note, c.says) {
					t.Errorf("%s, %v, %q", row.State, row.Err, row.Note)
				}
				r.e.ClearFaults()
				if now := r.acl("a"); now != client.ACLPrivate {
					t.Errorf("it is %s now", now)
				}
			})
		})
	}
}

// An ACL that is no longer what the upload has left is left as it is.
func TestKeepACL_leavesWhatOthersHaveSet(t *testing.T) {
	runInBubble(t, func(r *rig) {
		r.putObject("a", "old")
		r.setACL("a", client.ACLPublicRead)
		r.transport.onObject = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
			res, err := next.RoundTrip(req)
			if req.Method == http.MethodPut {
				r.setACL("a", client.ACLAuthenticatedRead)
			}
			return res, err
		}
		row := r.replace("a")[0]
		if row.State != Done || !row.AccessLost ||
			!strings.Contains(row.Note, "authenticated-read, so lookout did not change") {
			t.Errorf("%s, %v, %q", row.State, row.Err, row.Note)
		}
		if now := r.acl("a"); now != client.ACLAuthenticatedRead {
			t.Errorf("it is %s now", now)
		}
	})
}

// If the ACL cannot be set, the transfer fails and says that the object is stored; a move keeps its source. A retry
// does only what is left, and nothing if the object was replaced meanwhile.
func TestKeepACL_failureAndRetry(t *testing.T) {
	for _, kind := range []Kind{Upload, Move} {
		t.Run(kind.String(), func(t *testing.T) {
			runInBubble(t, func(r *rig) {
				r.putObject("a", "source")
				r.setACL("a", client.ACLPublicRead)
				r.e.InjectFault("update object ACL", emulator.Fault{Status: 500, Times: 1})
				target := "a"
				var row Status
				if kind == Move {
					target, row = "to/a", r.move(Move, "to/", "a")[0]
				} else {
					row = r.replace("a")[0]
				}
				var access *AccessError
				if row.State != Failed || !errors.As(row.Err, &access) || access.ACL != client.ACLPublicRead {
					t.Fatalf("%s, %v", row.State, row.Err)
				}
				if kind == Move && r.acl("a") != client.ACLPublicRead {
					t.Error("the source is gone")
				}
				puts := r.transport.count(http.MethodPut)
				r.m.Retry(row.ID)
				row = r.waitFor(row.ID, Done)
				if now := r.acl(target); now != client.ACLPublicRead || r.transport.count(http.MethodPut) != puts {
					t.Errorf("it is %s now, after %d uploads", now, r.transport.count(http.MethodPut))
				}
				if kind == Move && r.acl("a") != "" {
					t.Error("the source is still there")
				}
			})
		})
	}
	runInBubble(t, func(r *rig) {
		r.putObject("a", "old")
		r.setACL("a", client.ACLPublicRead)
		r.e.InjectFault("update object ACL", emulator.Fault{Status: 500, Times: 1})
		row := r.replace("a")[0]
		emulator.StoreObject(r.e, cluster, bucket, "a", "a secret")
		r.m.Retry(row.ID)
		if row = r.waitFor(row.ID, Failed); !strings.Contains(fmt.Sprint(row.Err), "replaced since") {
			t.Errorf("%s, %v", row.State, row.Err)
		}
		if now := r.acl("a"); now != client.ACLPrivate {
			t.Errorf("the bytes of somebody else are %s", now)
		}
	})
}

// Bytes that the listing does not confirm are not made public.
func TestKeepACL_onlyVerifiedBytes(t *testing.T) {
	runInBubble(t, func(r *rig) {
		r.putObject("a", "old")
		r.setACL("a", client.ACLPublicRead)
		r.transport.onObject = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
			res, err := next.RoundTrip(req)
			if req.Method == http.MethodPut {
				r.e.InjectFault("list objects", emulator.Fault{Status: 403})
			}
			return res, err
		}
		row := r.replace("a")[0]
		if row.State != Failed || !strings.Contains(fmt.Sprint(row.Err), "does not confirm the new bytes") {
			t.Errorf("%s, %v", row.State, row.Err)
		}
		if now := r.acl("a"); now != client.ACLPrivate {
			t.Errorf("it is %s now", now)
		}
	})
}
