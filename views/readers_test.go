package views_test

import (
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
)

// openReaders opens the screen that says who can read a bucket, with one key on its row.
func (r *harness) openReaders(bucket string) {
	r.Helper()
	r.press("8", "/", "label:="+bucket, "<enter>", "W")
	r.wait(time.Second)
	r.requireText("Who can read us-east-1/" + bucket)
}

const policiesNotVisible = "policies that were set through S3 are not visible to the account API"

// W on a bucket shows its ACL, CORS, and every key that reaches it with how it does, and says what is not visible. A
// key for other buckets is not named.
func TestReaders_bucket(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{140, 50}, func(r *harness) {
		r.openReaders("invoices-2026")
		r.requireText(
			"Not public, as far as the ACL shows", "private: only this account's keys and links reach it",
			"off: web pages of other origins",
			policiesNotVisible,
			"read only · limited to this bucket", "read and write · unlimited: every bucket",
			"no link created on this machine is still valid",
		)
		r.requireNoText("backup agent", "PUBLIC")
		r.requireNoChanges()
	})
}

// A change of the ACL or of CORS from that screen is proved by reading back: the screen then shows what was read.
func TestReaders_changeIsReadBack(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{140, 50}, func(r *harness) {
		r.openReaders("acme-www")
		r.press("x", "<right>", "<ctrl+s>")
		r.wait(time.Second)
		r.press("acme-www", "<enter>")
		r.wait(time.Second)
		r.requireText("PUBLIC: everyone can list and read the objects in it", "public-read: everyone")
		r.press("x", "<tab>", "<left>", "<ctrl+s>")
		r.wait(time.Second)
		r.requireText("on: web pages from any origin")
		r.requireApplied("modify access", "modify access")
	})
}

// A change that the service accepts and does not make is not shown as made.
func TestReaders_changeThatIsNotMade(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{140, 50}, func(r *harness) {
		r.openReaders("acme-www")
		r.emu.InjectFault("view access", emulator.Fault{Stale: time.Hour})
		r.press("x", "<right>", "<ctrl+s>")
		r.wait(time.Second)
		r.press("acme-www", "<enter>")
		r.wait(time.Second)
		r.requireText("a later read shows private", "Not public")
		r.requireNoText("PUBLIC")
	})
}

// What the service does not report, or what cannot be read, is unknown, and never private.
func TestReaders_unknownACL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fault emulator.Fault
		says  string
	}{
		{emulator.Fault{Status: 404}, "unknown: the API does not report it"},
		{emulator.Fault{Status: 403}, "unknown: it could not be read"},
		{emulator.Fault{Status: 200, Body: `{"acl":null,"cors_enabled":null}`}, "unknown: the API does not report it"},
		{
			emulator.Fault{Status: 200, Body: `{"acl":"custom","cors_enabled":false}`},
			"custom: it has its own grants, which the API does not list",
		},
	} {
		startProgram(t, emulator.Options{}, screenSize{140, 50}, func(r *harness) {
			r.emu.InjectFault("view access", c.fault)
			r.openReaders("acme-www")
			r.requireText("Unknown whether it is public", c.says)
			r.requireNoText("Not public", "private")
		})
	}
}

// One key on an object shows who can read it: its own ACL, that of its bucket, keys and links. An object is public
// through its bucket too.
func TestReaders_object(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{140, 50}, func(r *harness) {
		r.openBucket("acme-www")
		r.press("/", "index.html", "<enter>", "W")
		r.wait(time.Second)
		r.requireText(
			"Who can read index.html", "Not public", "object's ACL", "bucket's ACL", policiesNotVisible, "unlimited",
		)
		r.press("c", "<right>", "<ctrl+s>")
		r.wait(time.Second)
		r.press("y")
		r.wait(time.Second)
		r.requireText("PUBLIC: everyone can read it", "public-read")
		r.press("c", "<left>", "<ctrl+s>")
		r.wait(time.Second)
		r.requireText("Not public")
		r.requireApplied("update object ACL", "update object ACL")

		r.press("<esc>", "<enter>", "W") // from the object's own screen too
		r.requireText("Who can read index.html")

		w := r.writer(client.OpUpdateBucketAccess, "us-east-1/acme-www")
		err := w.UpdateBucketAccess(r.ctx, "us-east-1", "acme-www", client.BucketAccess{ACL: client.ACLPublicRead})
		if err != nil {
			r.Fatal(err)
		}
		r.press("r")
		r.wait(time.Second)
		r.requireText("PUBLIC, through its bucket")
	})
}

// The links that were given out are shown with their method until they expire, also in a later run, without their URLs.
// Links to other objects and buckets are not among them.
func TestReaders_links(t *testing.T) {
	t.Parallel()
	startRestartable(t, emulator.Options{}, func(p *restartableProgram) {
		link := func(bucket, name, method string, seconds int) {
			id := client.ObjectRef{Cluster: "us-east-1", Bucket: bucket, Name: name}.ID()
			request := client.PresignRequest{Name: name, Method: method, Expires: seconds, ContentType: "text/html"}
			w := p.beginFor(p.api, client.Change{Op: request.Op(), ID: id})
			if _, err := w.CreateObjectURL(p.ctx, "us-east-1", bucket, request); err != nil {
				p.Fatal(err)
			}
		}
		link("acme-www", "index.html", "GET", 7200)
		link("acme-www", "about.html", "PUT", 3600)
		link("acme-backups", "README.txt", "GET", 7200)
		p.restart()
		p.openReaders("acme-www")
		p.requireText("GET index.html  expires in 1 h", "PUT about.html  expires in 59 min")
		p.requireNoText("README.txt", "no link was", "Signature")
		p.wait(time.Hour)
		p.draw()
		p.requireText("GET index.html  expires in 59 min")
		p.requireNoText("about.html")

		p.press("<esc>", "<enter>", "/", "index.html", "<enter>", "W")
		p.wait(time.Second)
		p.requireText("Who can read index.html", "GET index.html")
	})
}

// A key of which the API does not report what it reaches is not left out.
func TestReaders_keyOfUnknownReach(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{140, 50}, func(r *harness) {
		r.emu.InjectFault("list keys", emulator.Fault{Status: 200, Body: `{"page":1,"pages":1,"results":2,"data":[` +
			`{"id":7,"label":"mystery","access_key":"A"},` +
			`{"id":8,"label":"elsewhere","access_key":"B","limited":false,"bucket_access":null,` +
			`"regions":[{"id":"gb-lon","s3_endpoint":"gb-lon.example"}]}]}`})
		r.openReaders("acme-www")
		for range 2 { // the keys that were read before are gone when two reads lack them
			r.press("r")
			r.wait(time.Minute)
		}
		r.requireText("mystery (7)", "unknown · the API does not report what it reaches")
		r.requireText("elsewhere (8)", "works in gb-lon")
	})
}

// In read-only mode, and with a token that may only read, the screen shows the same and offers no change.
func TestReaders_readOnly(t *testing.T) {
	t.Parallel()
	scopes := emulator.Options{Scopes: "object_storage:read_only account:read_only"}
	startProgram(t, scopes, screenSize{140, 50}, func(r *harness) {
		r.openReaders("acme-www")
		r.requireText("private", "unlimited", policiesNotVisible)
		r.press("x")
		r.requireNoText("Only what you change is sent")
		r.requireNoChanges()
	})
}
