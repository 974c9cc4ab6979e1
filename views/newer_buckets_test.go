package views_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/faulttest"
)

// newerEndpoints shows every bucket as the service shows those of the newer types of endpoint.
func newerEndpoints(next http.RoundTripper) http.RoundTripper {
	return faulttest.NewerEndpointTransport{
		Next:     next,
		Clusters: map[string]string{"us-east": "us-east-1", "eu-central": "eu-central-1", "ap-south": "ap-south-1"},
	}
}

// Buckets without a cluster work like all others: open, access, certificate, delete, empty, create, objects, links.
func TestNewerBuckets_workLikeAllOthers(t *testing.T) {
	t.Parallel()
	cases := slices.Concat(bucketChanges(), certificateChanges(t), objectChanges(t))
	for _, c := range cases {
		if strings.Contains(c.action, "cancel Object Storage") {
			continue
		}
		t.Run(c.action, func(t *testing.T) {
			runProgram(t, programOptions{size: screenSize{120, 50}, transport: newerEndpoints}, func(r *harness) {
				r.press(c.at...)
				for _, s := range c.steps {
					r.makeChange(s, s.answer)
				}
				r.requireChanges(c.steps)
			})
		})
	}
}

// Two buckets with one label in two regions are two rows, and each opens itself.
func TestNewerBuckets_oneLabelInTwoRegions(t *testing.T) {
	t.Parallel()
	runProgram(t, programOptions{size: screenSize{120, 36}, transport: newerEndpoints}, func(r *harness) {
		r.press(goTo("8", "acme-backups")...)
		for _, region := range []string{"us-east", "eu-central"} {
			if !regexp.MustCompile("acme-backups +" + region + " ").MatchString(r.screen()) {
				r.Errorf("no row for %s:\n%s", region, r.screen())
			}
		}
		opened := map[string]bool{}
		for _, row := range []string{"g", "gj"} {
			r.press(row, "<enter>")
			for _, region := range []string{"us-east", "eu-central"} {
				opened[region] = opened[region] || strings.Contains(r.screen(), "acme-backups  "+region)
			}
			r.press("<esc>")
		}
		if !opened["us-east"] || !opened["eu-central"] {
			r.Errorf("opened: %v", opened)
		}
	})
}

// The type of the endpoint, its host and the region of a bucket are on the screen, and the bucket has no cluster.
func TestNewerBuckets_endpointIsShown(t *testing.T) {
	t.Parallel()
	o := programOptions{size: screenSize{140, 40}, transport: newerEndpoints}
	o.emulator.Service = emulator.ServiceDocument // the transport adds what that service lacks
	runProgram(t, o, func(r *harness) {
		r.press(goTo("8", "cdn.acme")...)
		r.requireText(
			"cluster       none",
			"region        us-east",
			"endpoint      E3",
			"S3 host       us-east-1.objects.",
		)
	})
}

// A key that is limited to a bucket without a cluster names the region, on the way out and on the way back.
func TestNewerBuckets_keysNameTheRegion(t *testing.T) {
	t.Parallel()
	runProgram(t, programOptions{size: screenSize{140, 40}, transport: newerEndpoints}, func(r *harness) {
		r.press("9", "n", "probe-1", "<tab>", "<tab>", "<right>")
		r.confirmForm()
		r.requireApplied(client.OpCreateKey)
		r.press("<esc>", "kept", "<enter>", "/", "probe-1", "<enter>")
		r.requireText("acme-backups in eu-central")
	})
}

// If the list of all buckets cannot be read, the pane, the overview and both head lines say that some may be missing.
func TestNewerBuckets_missingListIsNamed(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]emulator.Options{"document": {}, "now": {Service: emulator.ServiceNow}} {
		t.Run(name, func(t *testing.T) {
			startWithEmulator(t, o, screenSize{120, 36}, func(e *emulator.Emulator) {
				e.InjectFault("list buckets", emulator.Fault{Status: http.StatusServiceUnavailable, Times: 100})
			}, func(r *harness) {
				r.wait(30 * time.Second)
				r.requireText("buckets (buckets: some may be missing (503) · r retries) · ", "· buckets: incomplete")
				r.press("8")
				r.requireText(
					"some buckets may be missing: the list of all buckets failed (503)", "· buckets: incomplete",
				)
				r.requireNoText("without a cluster")
			})
		})
	}
}

// Where a bucket cannot have a certificate, there is no advice about its date.
func TestNewerBuckets_noAdviceWithoutCertificate(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{Service: emulator.ServiceNow}, screenSize{140, 40}, func(r *harness) {
		r.press(goTo("8", "gb-lon")...)
		r.press("c")
		r.requireText("buckets on this kind of endpoint cannot have their own certificate")
		r.requireNoText("expires", "the host name that the certificate is for")
	})
}

// The access of a bucket without a cluster is read again after it was set.
func TestNewerBuckets_accessIsReadAgain(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{Service: emulator.ServiceNow}, screenSize{140, 40}, func(r *harness) {
		r.press(goTo("8", "telemetry")...)
		r.press("x", "<right>", "<ctrl+s>")
		r.wait(time.Second)
		r.press("telemetry", "<enter>")
		r.requireApplied(client.OpUpdateBucketAccess)
		r.requireText("access is now")
		r.requireNoText("not known")
	})
}

// If the API accepts an access but does not report it, the message says so instead of claiming what is set now.
func TestNewerBuckets_unreportedAccessIsNotClaimed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ keys, op, want string }{
		{"x <tab> <right> <right> <ctrl+s>", client.OpUpdateBucketAccess,
			"telemetry: CORS was set to off · the API does not report CORS"},
		{"x <right> <tab> <right> <right> <ctrl+s> ~ telemetry <enter>", client.OpReplaceBucketAccess,
			"telemetry: access was set to public-read, CORS off · the API does not report CORS"},
		{"<enter> j <enter> c <right> <ctrl+s>", client.OpSetObjectACL,
			"access was set to private · the API does not report it"},
	} {
		t.Run(c.want, func(t *testing.T) {
			startProgram(t, emulator.Options{Service: emulator.ServiceNow}, screenSize{160, 40}, func(r *harness) {
				r.press(goTo("8", "gb-lon")...)
				r.pressAll(c.keys)
				r.wait(time.Second)
				r.requireText(c.want)
				r.requireApplied(c.op)
			})
		})
	}
}

// Two buckets of one name whose place the API does not report are two rows.
func TestBuckets_withoutAPlace(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.emu.InjectFault("list buckets", emulator.Fault{Status: 200, Body: `{"page":1,"pages":1,"results":2,"data":[` +
			`{"label":"photos","hostname":"photos.a.example","objects":1,"size":2},` +
			`{"label":"photos","hostname":"photos.b.example","objects":3,"size":4}]}`})
		r.press("8", "r")
		r.wait(time.Minute)
		r.press("r")
		r.wait(time.Second)
		r.requireText("photos.a.example", "photos.b.example", "2 buckets")
		r.requireNoText("duplicate")
	})
}
