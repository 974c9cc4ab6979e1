package views_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/certtest"
	"lookout/client/emulator"
	"lookout/client/lists"
)

func bucketChanges() []pathCase {
	return []pathCase{
		{"buckets.access", goTo("8", "acme-www"), []pathStep{{
			key:    "x",
			fill:   []string{"<right>", "<ctrl+s>"},
			answer: "acme-www", // it opens the bucket; the next one does not
			op:     client.OpUpdateBucketAccess,
			before: `{"acl":"`,
		}, {
			key:    "x",
			fill:   []string{"<right>", "<tab>", "<right>", "<ctrl+s>"},
			op:     client.OpReplaceBucketAccess,
			before: `{"acl":"`,
		}}},
		{"buckets.delete", goTo("8", "scratch"), []pathStep{{
			key:    "D",
			answer: "scratch",
			op:     client.OpDeleteBucket,
			before: `{"objects":0,"size":0}`,
		}}},
		{"buckets.empty", goTo("8", "acme-www"), []pathStep{{
			key:    "X",
			answer: "acme-www",
			op:     client.OpEmptyBucket,
			ledger: slices.Repeat([]string{client.OpDeleteObject}, 7),
			before: `{"objects":7,"size":`,
			takes:  3 * time.Second,
		}}},
		{"buckets.new bucket", []string{"8"}, []pathStep{{
			key:    "n",
			fill:   []string{"probe-1", "<ctrl+s>"},
			op:     client.OpCreateBucket,
			before: "null",
		}}},
		{"buckets.cancel Object Storage", []string{"8"}, []pathStep{{
			key:    ":cancel",
			fill:   []string{"<enter>"},
			answer: "acme-prod",
			op:     client.OpCancelObjectStorage,
			before: `"us-east-1/acme-backups"`,
			delay:  11 * time.Second,
		}}},
		{"clusters.cancel Object Storage", []string{"0"}, []pathStep{{
			key:    ":cancel",
			fill:   []string{"<enter>"},
			answer: "acme-prod",
			op:     client.OpCancelObjectStorage,
			before: byService(`"keys":9`, `"keys":10`),
			delay:  11 * time.Second,
		}}},
	}
}

func certificateChanges(t *testing.T) []pathCase {
	t.Helper()
	certificate, key := certtest.New("cdn.acme.net").Write(t)
	files := []string{certificate, "<tab>", key, "<ctrl+s>"}
	upload := pathStep{key: "U", fill: files, op: client.OpUploadCertificate, before: `{"ssl":false}`}
	return []pathCase{
		{"certificate.upload", append(goTo("8", "cdn.acme"), "c"), []pathStep{upload, {
			key:    "D",
			answer: "cdn.acme.net",
			op:     client.OpDeleteCertificate,
			before: `{"ssl":true}`,
		}}},
		{"certificate.replace", append(goTo("8", "cdn.acme"), "c"), []pathStep{upload, {
			key:    "e",
			fill:   files,
			op:     client.OpDeleteCertificate,
			before: `{"ssl":true}`,
		}, {
			op:     client.OpUploadCertificate,
			before: `{"ssl":false}`,
		}}},
	}
}

func keyChanges() []pathCase {
	return []pathCase{
		{"keys.rename", goTo("9", "backup agent"), []pathStep{{
			key:    "e",
			fill:   []string{"-old", "<ctrl+s>"},
			op:     client.OpUpdateKey,
			before: `{"label":"backup agent"}`,
		}}},
		{"keys.revoke", goTo("9", "backup agent"), []pathStep{{
			key:    "D",
			answer: "backup agent",
			op:     client.OpRevokeKey,
			before: `"label":"backup agent"`,
		}}},
		{"keys.new key", []string{"9"}, []pathStep{{
			key:    "n",
			fill:   []string{"probe-1", "<ctrl+s>"},
			answer: "y",
			op:     client.OpCreateKey,
			before: "null",
		}}},
		{"keys.rotate", goTo("9", "backup agent"), []pathStep{{
			key:    "N",
			fill:   []string{"<ctrl+s>"},
			answer: "y",
			op:     client.OpCreateKey,
			before: `{"replaces":201}`,
		}}},
	}
}

func objectChanges(t *testing.T) []pathCase {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "site")
	file := filepath.Join(folder, "new.txt")
	if err := errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(file, []byte("new"), 0o600)); err != nil {
		t.Fatal(err)
	}
	in := func(keys ...string) []string {
		return append([]string{"8", "/", "cdn.acme", "<enter>", "<enter>"}, keys...)
	}
	index := in("/", "index", "<enter>")
	put := []string{"put object"} // as the emulator calls it
	upload := pathStep{
		key:    "U",
		fill:   []string{"<ctrl+u>", file, "<ctrl+s>"},
		op:     client.OpUploadObject,
		ledger: put,
		before: "null",
		takes:  3 * time.Second,
	}
	overwrite := upload
	overwrite.answer, overwrite.before = "y", `"size":3`
	uploadFolder := upload
	uploadFolder.fill, uploadFolder.answer = []string{"<ctrl+u>", folder, "<ctrl+s>"}, "1"
	link := pathStep{
		key:    "L",
		fill:   []string{"<ctrl+s>"},
		op:     client.OpCreateDownloadURL,
		ledger: []string{}, // it changes nothing in the account
		before: "null",
	}
	access := pathStep{
		key:    "c",
		fill:   []string{"<right>", "<ctrl+s>"},
		answer: "y",
		op:     client.OpSetObjectACL,
		before: `{"acl":"private"}`,
	}
	remove := pathStep{
		key:    "D",
		answer: "y",
		op:     client.OpDeleteObject,
		before: `"size":50`,
		takes:  3 * time.Second,
	}
	duplicate := upload
	duplicate.key, duplicate.answer = "e", "y"
	duplicate.fill = []string{"<right>", "<tab>", "<tab>", "<ctrl+u>", "copy.html", "<ctrl+s>"}
	return []pathCase{
		{"objects.move", index, []pathStep{duplicate}},
		{"object.move", append(slices.Clone(index), "<enter>"), []pathStep{duplicate}},
		{"objects.upload", in(), []pathStep{upload, overwrite}},
		{"objects.upload", in(), []pathStep{uploadFolder}},
		{"objects.new folder", in(), []pathStep{{
			key:    "n",
			fill:   []string{"probe", "<ctrl+s>"},
			op:     client.OpUploadObject,
			ledger: put,
			before: "null",
		}}},
		{"objects.link", index, []pathStep{link}},
		{"objects.access", index, []pathStep{access}},
		{"objects.delete", index, []pathStep{remove}},
		{"object.link", append(slices.Clone(index), "<enter>"), []pathStep{link}},
		{"object.access", append(slices.Clone(index), "<enter>"), []pathStep{access}},
		{"object.delete", append(slices.Clone(index), "<enter>"), []pathStep{remove}},
	}
}

// If the answer to the deletion of the old certificate is lost, and a certificate is still set, the program does not
// take it for the new one.
func TestReplaceCertificate_lostDeletion(t *testing.T) {
	t.Parallel()
	certificate, key := certtest.New("cdn.acme.net").Write(t)
	files := []string{certificate, "<tab>", key, "<ctrl+s>"}
	for name, c := range map[string]struct {
		fault emulator.Fault
		says  string
		ops   []string
	}{
		"deleted": {
			fault: emulator.Fault{ApplyFirst: true, Reset: true, Times: 1},
			says:  "cdn.acme.net: certificate set",
			ops:   []string{client.OpUploadCertificate, client.OpDeleteCertificate, client.OpUploadCertificate},
		},
		"not deleted": {
			fault: emulator.Fault{Reset: true, Times: 1},
			says:  lists.NotSeenYet,
			ops:   []string{client.OpUploadCertificate},
		},
	} {
		t.Run(name, func(t *testing.T) {
			startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
				r.press("8", "/", "cdn.acme", "<enter>", "c", "U")
				r.press(files...)
				r.requireText("certificate set")
				r.emu.InjectFault(client.OpDeleteCertificate, c.fault)
				r.press("e")
				r.press(files...)
				r.wait(3 * time.Second)
				r.requireText(c.says)
				if got := r.appliedOperations(); !slices.Equal(got, c.ops) {
					r.Errorf("applied: %v", got)
				}
			})
		})
	}
}

// A certificate whose file is gone when it is to be sent is not sent, and nothing is recorded as sent.
func TestCertificate_fileGoneBeforeUpload(t *testing.T) {
	t.Parallel()
	certificate, key := certtest.New("cdn.acme.net").Write(t)
	startWithOptions(t, emulator.Options{}, screenSize{120, 36}, setProtected, func(r *harness) {
		r.press("8", "/", "cdn.acme", "<enter>", "c", "U", certificate, "<tab>", key, "<ctrl+s>")
		r.requireDialog("PROD: account acme-prod is protected")
		if err := os.Remove(certificate); err != nil {
			r.Fatal(err)
		}
		r.wait(time.Second)
		r.press("acme-prod", "<enter>")
		r.wait(time.Second)
		r.requireText("✗ stat", "no such file or directory")
		r.requireNoChanges()
	})
}

// Revoking a key whose secret was lost is a change of its own, so a protected account asks about it too.
func TestChangePath_lostKeyIsRevoked(t *testing.T) {
	t.Parallel()
	startWithOptions(t, emulator.Options{}, screenSize{120, 36}, setProtected, func(r *harness) {
		r.emu.InjectFault(client.OpCreateKey, emulator.Fault{ApplyFirst: true, Reset: true, Times: 1})
		create := pathStep{
			key:    "n",
			fill:   []string{"lost key", "<ctrl+s>"},
			answer: "y",
			op:     client.OpCreateKey,
			before: "null",
			takes:  3 * time.Second,
			lost:   true,
		}
		revoke := pathStep{key: "r", op: client.OpRevokeKey, before: `"label":"lost key"`}
		r.press("9")
		r.makeChange(create, "acme-prod", "PROD: account acme-prod is protected")
		r.requireText("It is unknown who made this key", "lost key")
		r.makeChange(revoke, "lost key", "PROD: account acme-prod is protected")
		r.requireText(`"lost key": revoked`)
		r.requireChanges([]pathStep{create, revoke})
	})
}
