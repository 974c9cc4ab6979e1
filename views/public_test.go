package views_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
)

// aclOf returns the ACL of a bucket, or of an object in it.
func (r *harness) aclOf(bucket, object string) client.ACL {
	r.Helper()
	cluster, label, _ := strings.Cut(bucket, "/")
	if object == "" {
		now, err := r.api.Buckets.Access(r.ctx, cluster, label)
		if err != nil {
			r.Fatal(err)
		}
		return now.ACL
	}
	now, err := r.api.Objects.ACL(r.ctx, cluster, label, object)
	if err != nil {
		r.Fatal(err)
	}
	return now.ACL
}

// A bucket is opened to everyone only once its name has been typed, and u takes it back, once. Making it private asks
// nothing; undoing that opens it, and asks.
func TestPublic_bucketAsksAndCanBeUndone(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		const www = "us-east-1/acme-www"
		r.press(goTo("8", "acme-www")...)
		r.press("x", "<right>", "<ctrl+s>")
		r.wait(time.Second)
		r.requireDialog("access will be public-read. Everyone can list and read the objects in it.")
		r.requireNoChanges()
		r.press("<enter>")
		r.requireNoChanges()
		r.press("acme-www", "<enter>")
		r.requireText("acme-www: access is now public-read", "u: set private")
		r.press("u")
		r.requireText("acme-www: access is now private")
		if acl := r.aclOf(www, ""); acl != client.ACLPrivate {
			t.Errorf("after u: %s", acl)
		}
		r.press("u")
		r.requireText("nothing to undo; the last change was undone")
		r.press("x", "<right>", "<ctrl+s>")
		r.wait(time.Second)
		r.press("acme-www", "<enter>", "x", "<left>", "<ctrl+s>")
		r.requireText("acme-www: access is now private", "u: set public-read")
		r.press("u")
		r.wait(time.Second)
		r.requireDialog("Everyone can list and read the objects in it")
		r.press("acme-www", "<enter>")
		if acl := r.aclOf(www, ""); acl != client.ACLPublicRead {
			t.Errorf("after u and the name: %s", acl)
		}
	})
}

// What u sets after a change of ACL and CORS is what both were before, as far as it can be set: a bucket with grants of
// its own becomes private.
func TestPublic_bucketUndoSetsWhatWasThere(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		w := r.writer(client.OpReplaceBucketAccess, "us-east-1/acme-www")
		set := client.BucketAccess{ACL: client.ACLAuthenticatedRead, CORS: new(true)}
		if err := w.ReplaceBucketAccess(r.ctx, "us-east-1", "acme-www", set); err != nil {
			t.Fatal(err)
		}
		r.press(goTo("8", "acme-www")...)
		r.press("x", "<right>", "<tab>", "<right>", "<ctrl+s>") // public-read-write, no
		r.wait(time.Second)
		r.press("acme-www", "<enter>")
		r.requireText("access is now public-read-write, CORS off", "u: set authenticated-read, CORS on")
		r.press("u")
		r.requireText("access is now authenticated-read, CORS on")
	})
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press(goTo("8", "acme-www")...)
		r.emu.InjectFault("view access", emulator.Fault{
			Status: 200,
			Body:   `{"acl":"custom","cors_enabled":false}`,
			Times:  2,
		})
		r.press("x")
		r.requireText("‹custom›")
		r.press("<right>", "<right>", "<ctrl+s>")
		r.wait(time.Second)
		r.press("acme-www", "<enter>")
		r.requireText("access is now public-read", "u: set private")
		r.press("u")
		r.requireText("access is now private")
	})
}

// A new bucket that everyone can read asks for its name, and u makes it private.
func TestPublic_newBucketAsksAndCanBeUndone(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("8", "n", "probe-logs", "<tab>", "<tab>", "<right>", "<ctrl+s>")
		r.wait(time.Second)
		r.requireDialog("Creates bucket probe-logs in us-east-1. Everyone can list and read the objects in it")
		r.requireNoChanges()
		r.press("probe-logs", "<enter>")
		r.requireText("probe-logs: created", "u: set private")
		var sent map[string]any
		if err := json.Unmarshal(toJSON(r.emu.Ledger()[0].Body), &sent); err != nil || sent["cors_enabled"] != false {
			t.Errorf("the form says no to CORS, and sends %v", sent)
		}
		r.press("u")
		r.requireText("probe-logs: access is now private")
		if acl := r.aclOf("us-east-1/probe-logs", ""); acl != client.ACLPrivate {
			t.Errorf("after u: %s", acl)
		}
	})
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("8", "n", "probe-logs", "<ctrl+s>")
		r.requireText("probe-logs: created")
		r.requireNoText("u: set")
	})
}

// An object is opened to everyone only after y, and u takes it back.
func TestPublic_objectAsksAndCanBeUndone(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		const www = "us-east-1/acme-www"
		r.openBucket("acme-www")
		r.press("/", "index.html", "<enter>", "<enter>", "c")
		r.requireText("Access to index.html")
		r.press("<right>", "<ctrl+s>")
		r.wait(time.Second)
		r.requireDialog("will be public-read (everyone can read it)")
		r.requireNoChanges()
		r.press("n")
		r.requireNoChanges()
		r.press("<ctrl+s>")
		r.wait(time.Second)
		r.press("y")
		r.requireText("index.html: access is now public-read", "u: set private")
		if acl := r.aclOf(www, "index.html"); acl != client.ACLPublicRead {
			t.Fatalf("after y: %s", acl)
		}
		r.press("u")
		r.requireText("index.html: access is now private")
		r.press("u")
		r.requireText("nothing to undo; the last change was undone")
		if acl := r.aclOf(www, "index.html"); acl != client.ACLPrivate {
			t.Errorf("after u and u: %s", acl)
		}
	})
}

// An upload that replaces a public object, and the move of one, say that the object will be public, and keep it so. An
// access that cannot be kept is said before and afterwards.
func TestPublic_transfersKeepAccess(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte("<p>new</p>"), 0o600); err != nil {
		t.Fatal(err)
	}
	const cdn = "us-east-1/cdn.acme.net"
	open := func(r *harness) {
		object := client.ObjectRef{Cluster: "us-east-1", Bucket: "cdn.acme.net", Name: "index.html"}
		w := r.writer(client.OpSetObjectACL, object.ID())
		if _, err := w.SetObjectACL(r.ctx, object, client.ACLPublicRead); err != nil {
			t.Fatal(err)
		}
		r.openBucket("cdn.acme")
	}
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		open(r)
		r.press("U", "index.html", "<ctrl+s>")
		r.wait(time.Second)
		r.requireDialog("it will be public-read (everyone can read it)")
		r.press("y")
		r.wait(3 * time.Second)
		r.requireText("index.html: uploaded, 10 B")
		if acl := r.aclOf(cdn, "index.html"); acl != client.ACLPublicRead {
			t.Errorf("after the upload: %s", acl)
		}
		r.press("/", "index.html", "<enter>", "e", "<tab>", "<tab>", "<ctrl+u>", "start.html", "<ctrl+s>")
		r.wait(time.Second)
		r.requireDialog("1 object will be public afterwards")
		r.press("y")
		r.wait(3 * time.Second)
		if acl := r.aclOf(cdn, "start.html"); acl != client.ACLPublicRead {
			t.Errorf("after the move: %s", acl)
		}
	})
	startProgram(t, emulator.Options{}, screenSize{160, 36}, func(r *harness) {
		open(r)
		r.emu.InjectFault("view object ACL", emulator.Fault{Status: 200, Body: `{"acl":"custom","acl_xml":""}`})
		r.press("U", "index.html", "<ctrl+s>")
		r.wait(time.Second)
		r.requireDialog("its access is custom, which cannot be set, so it will not be kept")
		r.press("y")
		r.wait(3 * time.Second)
		r.requireText("index.html: uploaded, 10 B", "so it was not kept")
	})
}

// What is read about an object after it was listed is of the version that is shown: an object that was replaced
// meanwhile is shown with its new size and ETag, and not as a preview below the old ones.
func TestObject_replacedAfterItWasListed(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{140, 40}, func(r *harness) {
		r.openBucket("acme-www")
		emulator.StoreObject(r.emu, "us-east-1", "acme-www", "index.html", "new bytes of somebody else")
		r.press("/", "index.html", "<enter>")
		r.wait(time.Second)
		r.requireText("the object was replaced after", "press r")
		r.requireNoText("new bytes")
		r.press("<enter>")
		r.requireText(
			"it was replaced after it was listed: this is the new one", "26 B", "b6f58e1708faed209a16ec51b5b133fb",
		)
		r.press("<enter>")
		r.requireText("new bytes of somebody else")
		emulator.StoreObject(r.emu, "us-east-1", "acme-www", "index.html", "and newer ones")
		r.press("<enter>")
		r.requireText("and newer ones", "14 B")
		r.requireNoText("26 B")
		r.press("<esc>", "r")
		r.wait(time.Second)
		r.requireText("and newer ones", "14 B")
	})
}

// Replicas that go on listing different versions of an object do not make its screen read again and again.
func TestObject_replicasDisagree(t *testing.T) {
	t.Parallel()
	var listed atomic.Int64
	replicas := &rewritingTransport{rewrite: func(body []byte) []byte {
		if !bytes.Contains(body, []byte(`"last_modified"`)) || listed.Add(1)%2 == 0 {
			return body
		}
		return bytes.ReplaceAll(body, []byte(`"last_modified":"1999-12-23`), []byte(`"last_modified":"1999-12-22`))
	}}
	startProgram(t, emulator.Options{}, screenSize{140, 40}, func(r *harness) {
		r.openBucket("acme-www")
		r.emu.InjectFault("list objects", emulator.Fault{Delay: 100 * time.Millisecond})
		r.press("/", "index.html", "<enter>", "<enter>", "<enter>")
		r.wait(time.Second)
		before := listed.Load()
		for range 20 {
			r.press("<down>", "<up>") // each key draws a frame
			r.wait(time.Second)
		}
		if n := listed.Load() - before; n > 4 {
			t.Errorf("the listing was read %d times in 20 s\n%s", n, r.screen())
		}
	}, replicas)
}

// A bucket and an object that were opened from here say so in their rows and details, until they are private again.
func TestPublic_isVisibleInRowsAndDetails(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{160, 40}, func(r *harness) {
		r.press(goTo("8", "acme-www")...)
		r.press("x", "<right>", "<ctrl+s>")
		r.wait(time.Second)
		r.press("acme-www", "<enter>")
		r.wait(time.Second)
		r.requireText("acme-www  public-read", "public-read, set here")
		r.press("u")
		r.wait(time.Second)
		r.requireNoText("acme-www  public-read", "set here")
		r.press("<enter>", "/", "index.html", "<enter>", "<enter>", "c", "<right>", "<ctrl+s>")
		r.wait(time.Second)
		r.press("y")
		r.wait(time.Second)
		r.press("<esc>")
		r.requireText("index.html  public-read", "public-read, set here")
	})
}
