package views_test

import (
	"regexp"
	"testing"

	"lookout/client/emulator"
)

// withoutMembers removes members from all answers, as older revisions of the service left them out.
func withoutMembers(pattern string) *rewritingTransport {
	member := regexp.MustCompile(`,"(` + pattern + `)":(\[[^\]]*\]|null|true|false|[0-9]+)`)
	only := regexp.MustCompile(`\{"(` + pattern + `)":[0-9]+\}`)
	return &rewritingTransport{rewrite: func(body []byte) []byte {
		return only.ReplaceAll(member.ReplaceAll(body, nil), []byte(`{"$1":null}`))
	}}
}

// Members that are missing from an answer are shown as unknown, not as 0 or false.
func TestMissingMembers_areUnknown(t *testing.T) {
	buckets := byService("12 buckets", "16 buckets") + " · objects unknown · size unknown"
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.requireText(
			"Object Storage  "+buckets+" · transfer unknown",
			byService("9 (0 limited, 9 unknown)", "10 (0 limited, 10 unknown)"),
		)
		r.press(goTo("8", "acme-www")...)
		r.requireText("acme-www                    us-east-1           unknown    unknown", "objects       unknown")
		r.requireText(
			"size          unknown",
			buckets,
			"no key is known to be",
			byService("and 9 keys with unknown access", "and 10 keys with unknown access"),
		)
		r.press("D")
		r.requireText("It held unknown objects")
		r.press("<esc>", "9", "/", "finance", "<enter>")
		r.requireText("unknown: the API does not report it")
		r.requireText(byService("9 keys, 0 limited, 9 unknown", "10 keys, 0 limited, 10 unknown"))
		r.requireNoText("everything", "nothing")
		r.press("D")
		r.requireText("reaches unknown")
		r.press("<esc>", "0")
		r.requireText("transfer unknown")
	}, withoutMembers("objects|size|used|limited|bucket_access"))
}

// A limited key whose buckets are missing from the answer may reach some.
func TestMissingMembers_bucketAccess(t *testing.T) {
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press(goTo("9", "finance")...)
		r.requireText("unknown: the API does not report it")
	}, withoutMembers("bucket_access"))
}
