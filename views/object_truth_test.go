package views_test

import (
	"bytes"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
)

// openIndex puts the cursor on the object index.html of a bucket.
var openIndex = []string{"8", "/", "cdn.acme", "<enter>", "<enter>", "/", "index", "<enter>"}

// An object's access form opens with what is set, and sends nothing as long as that is chosen.
func TestObjectAccess_formOpensWithWhatIsSet(t *testing.T) {
	t.Parallel()
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
				r.requireText("this is already set")
				r.requireApplied(client.OpSetObjectACL)
				r.press("<left>", "<left>", "<ctrl+s>")
				r.requireApplied(client.OpSetObjectACL, client.OpSetObjectACL)
			})
		})
	}
}

// If it cannot be read what is set, the form opens with "unknown", which cannot be sent.
func TestObjectAccess_formOpensWithUnknown(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 40}, func(r *harness) {
		r.press(openIndex...)
		r.emu.InjectFault("view object ACL", emulator.Fault{Status: http.StatusForbidden, Times: 1})
		r.press("c")
		r.requireText("‹unknown›", "The current access could not be read")
		r.press("<ctrl+s>")
		r.requireText("press right to choose the access")
		r.requireApplied()
		r.press("<right>", "<ctrl+s>")
		r.requireApplied(client.OpSetObjectACL)
	})
	startProgram(t, emulator.Options{}, screenSize{120, 40}, func(r *harness) {
		r.press(openIndex...)
		r.press("c")
		r.requireText("‹unknown›", "The API does not report the current access")
	}, &rewritingTransport{rewrite: func(body []byte) []byte {
		return bytes.Replace(body, []byte(`"acl":"private"`), []byte(`"acl":""`), 1)
	}})
	startProgram(t, emulator.Options{}, screenSize{120, 40}, func(r *harness) {
		r.press(openIndex...)
		r.press("c")
		r.requireText("‹custom›")
		r.press("<esc>", "<enter>")
		r.requireText("custom  (it has its own grants")
	}, &rewritingTransport{rewrite: func(body []byte) []byte {
		return bytes.Replace(body, []byte(`"acl":"private"`), []byte(`"acl":"custom"`), 1)
	}})
}

// A bucket's access form opens with what is set, and sends only what was changed; the journal has what was set before.
func TestBucketAccess_formOpensWithWhatIsSet(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 40}, func(r *harness) {
		w := r.writer(client.OpReplaceBucketAccess, "us-east-1/acme-www")
		set := client.BucketAccess{ACL: client.ACLPublicReadWrite, CORS: new(true)}
		if err := w.ReplaceBucketAccess(r.ctx, "us-east-1", "acme-www", set); err != nil {
			t.Fatal(err)
		}
		r.press(goTo("8", "acme-www")...)
		r.press("x")
		r.requireText("Access to us-east-1/acme-www", "‹public-read-write›", "‹yes›")
		r.requireNoText("reading the access", "as it is", "Type the label")
		r.press("<ctrl+s>")
		r.requireText("nothing has been changed")
		r.press("<tab>", "<right>", "<ctrl+s>")
		r.requireText("acme-www: CORS is now off")
		r.requireApplied(client.OpReplaceBucketAccess, client.OpUpdateBucketAccess)
		if body := string(toJSON(r.emu.Ledger()[1].Body)); body != `{"cors_enabled":false}` {
			t.Errorf("sent %s", body)
		}
		entries := r.journal.Entries(time.Time{})
		if before := string(toJSON(entries[1].Change.Before)); before != `{"cors_enabled":true}` {
			t.Errorf("before: %s", before)
		}
	})
}

// If it cannot be read what is set, or not soon enough, the bucket's access form opens with "unknown".
func TestBucketAccess_formOpensWithUnknown(t *testing.T) {
	t.Parallel()
	unread := []string{"The current access could not be read", "‹unknown›"}
	for name, c := range map[string]struct {
		fault emulator.Fault
		want  []string
	}{
		"refused": {emulator.Fault{Status: 404, Times: 1}, unread},
		"slow":    {emulator.Fault{Delay: time.Minute, Times: 1}, unread},
		"without CORS": {
			emulator.Fault{Status: 200, Body: `{"acl":"private","cors_enabled":null}`, Times: 1},
			[]string{"‹private›", "‹unknown›"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{120, 40}, func(r *harness) {
				r.press(goTo("8", "acme-www")...)
				r.emu.InjectFault("view access", c.fault)
				r.press("x")
				r.wait(6 * time.Second)
				r.requireText(c.want...)
				r.press("<tab>", "<right>", "<ctrl+s>")
				r.requireApplied(client.OpUpdateBucketAccess)
				r.requireText("acme-www: CORS is now on")
			})
		})
	}
}

// A link to an object that does not exist says so.
func TestLink_missingObjectIsNamed(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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

// Names that look equal are shown differently in the list, in the details and in the question before a deletion, also
// from what a person would type.
func TestObjects_lookalikeNames(t *testing.T) {
	t.Parallel()
	names := map[string]string{
		"cafe\u0301.txt":     "café‹NFD›.txt",
		"café.txt":           "café.txt",
		"\u212bngstrom":      "‹U+212B›ngstrom",
		"A\u030angstrom":     "Ångstrom‹NFD›",
		"\u00c5ngstrom":      "Ångstrom",
		"p\u0430yments.json": "p‹U+0430›yments.json",
		"payments.json":      "payments.json",
		"report ":            "report‹space›",
		"report":             "report",
	}
	startProgram(t, emulator.Options{}, screenSize{160, 40}, func(r *harness) {
		for name := range names {
			emulator.StoreObject(r.emu, "ap-south-1", "scratch", name, "text")
		}
		r.openBucket("scratch")
		for _, shown := range names {
			r.line(shown + "  ")
		}
		for range len(names) {
			r.press("D")
			r.wait(time.Second)
			question := r.dialogText()
			r.press("<esc>", "j")
			for name, shown := range names {
				if strings.Contains(question, " "+shown+" ") || strings.Contains(question, " "+shown+"?") {
					delete(names, name)
				}
			}
		}
		if len(names) > 0 {
			t.Errorf("no question names %q:\n%s", names, r.screen())
		}
	})
}
