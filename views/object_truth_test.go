package views_test

import (
	"bytes"
	"net/http"
	"regexp"
	"strconv"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
)

// openIndex puts the cursor on the object index.html of a bucket.
var openIndex = []string{"8", "/", "cdn.acme", "<enter>", "<enter>", "/", "index", "<enter>"}

// An object's access form opens with what is set, and sends nothing as long as that is chosen.
func TestObjectAccess_formOpensWithWhatIsSet(t *testing.T) {
	for name, into := range map[string][]string{"from the list": nil, "from the object": {"<enter>"}} {
		t.Run(name, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{120, 40}, func(r *harness) {
				ref := client.ObjectRef{Cluster: "us-east-1", Bucket: "cdn.acme.net", Name: "index.html"}
				w := r.writer(client.OpSetObjectACL, ref.ID())
				if _, err := w.SetObjectACL(r.ctx, ref, client.ACLAuthenticatedRead); err != nil {
					t.Fatal(err)
				}
				r.press(append(openIndex, into...)...)
				r.press("c")
				r.requireText("Access to index.html", "‹authenticated-read›")
				r.requireNoText("reading the access")
				r.press("<ctrl+s>")
				r.requireText("this is set already")
				r.requireApplied(client.OpSetObjectACL)
				r.press("<right>", "<ctrl+s>")
				r.requireApplied(client.OpSetObjectACL, client.OpSetObjectACL)
			})
		})
	}
}

// If it cannot be read what is set, the form opens with "unknown", which cannot be sent.
func TestObjectAccess_formOpensWithUnknown(t *testing.T) {
	startProgram(t, emulator.Options{}, screenSize{120, 40}, func(r *harness) {
		r.press(openIndex...)
		r.emu.InjectFault("view object ACL", emulator.Fault{Status: http.StatusForbidden, Times: 1})
		r.press("c")
		r.requireText("‹unknown›", "What is set could not be read")
		r.press("<ctrl+s>")
		r.requireText("choose an access")
		r.requireApplied()
		r.press("<right>", "<ctrl+s>")
		r.requireApplied(client.OpSetObjectACL)
	})
	startProgram(t, emulator.Options{}, screenSize{120, 40}, func(r *harness) {
		r.press(openIndex...)
		r.press("c")
		r.requireText("‹custom›")
		r.press("<esc>", "<enter>")
		r.requireText("custom  (has its own grants")
	}, &rewritingTransport{rewrite: func(body []byte) []byte {
		return bytes.Replace(body, []byte(`"acl":"private"`), []byte(`"acl":"custom"`), 1)
	}})
}

// A link to an object that does not exist says so.
func TestLink_missingObjectIsNamed(t *testing.T) {
	const warning = "no object has this name: the link fails until there is one"
	for name, rewrite := range map[string]func([]byte) []byte{
		"as the answer says": nil,
		"as the listing says": func(body []byte) []byte {
			return bytes.Replace(body, []byte(`"exists":false,`), nil, 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{120, 40}, func(r *harness) {
				r.press(openIndex...)
				ref := client.ObjectRef{Cluster: "us-east-1", Bucket: "cdn.acme.net", Name: "index.html"}
				w := r.writer(client.OpDeleteObject, ref.ID())
				if err := w.DeleteObject(r.ctx, ref); err != nil {
					t.Fatal(err)
				}
				r.press("L", "<ctrl+s>")
				r.requireText("GET index.html", "object", warning, "index.html: "+warning)
			}, &rewritingTransport{rewrite: func(body []byte) []byte {
				if rewrite == nil {
					return body
				}
				return rewrite(body)
			}})
		})
	}
	startProgram(t, emulator.Options{}, screenSize{120, 40}, func(r *harness) {
		r.press(openIndex...)
		r.press("L", "<ctrl+s>")
		r.requireText("GET index.html", "expires")
		r.requireNoText(warning)
	})
}

// The expiry of a link is read from the link: the service may make it shorter, or not tell.
func TestLink_expiryIsReadFromTheLink(t *testing.T) {
	expires := regexp.MustCompile(`Expires=\d+`)
	for name, c := range map[string]struct{ query, says string }{
		"shorter":     {"Expires=" + epoch(20*time.Minute), "Sat 00:20:00 UTC, in 20 min"},
		"none":        {"NoExpiry=1", "unknown: the link does not say"},
		"newer":       {"X-Amz-Date=20000101T000000Z&X-Amz-Expires=1800", "Sat 00:30:00 UTC, in 30 min"},
		"in the past": {"Expires=" + epoch(-time.Minute), "expired"},
	} {
		t.Run(name, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{120, 40}, func(r *harness) {
				r.press(openIndex...)
				r.press("L", "<ctrl+s>")
				r.requireText(c.says)
			}, &rewritingTransport{rewrite: func(body []byte) []byte {
				return expires.ReplaceAll(body, []byte(c.query))
			}})
		})
	}
}

// epoch returns a time after the beginning of the tests' fake time, in seconds.
func epoch(after time.Duration) string {
	return strconv.FormatInt(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(after).Unix(), 10)
}
