package views_test

import (
	"bytes"
	"regexp"
	"strings"
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
	t.Parallel()
	buckets := byService("12 buckets", "16 buckets") + " · objects unknown · size unknown"
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.requireText(
			buckets, "Transfer     unknown",
			byService("9 (0 limited, 9 unknown)", "10 (0 limited, 10 unknown)"),
		)
		r.press(goTo("8", "acme-www")...)
		r.requireText("us-east-1           unknown    unknown", "objects       unknown")
		r.requireText(
			"size          unknown",
			buckets,
			"no known key is limited to this bucket",
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
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press(goTo("9", "finance")...)
		r.requireText("unknown: the API does not report it")
	}, withoutMembers("bucket_access"))
}

// The SSH settings of an instance and the timeout of a service are unknown where the answer leaves them out, in lists,
// details, forms, incidents and call sheets; what the user does not fill in is not sent.
func TestMissingMembers_sshAndTimeout(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{150, 40}, func(r *harness) {
		r.press(goTo("6", "db1")...)
		r.requireText("unknown    db1", "access        unknown")
		r.requireNoText("✓ on", "○ off", "switched off")
		r.press("e")
		r.requireText("‹unknown›  yes   no")
		r.press("<tab>", "<ctrl+a>", "ops", "<ctrl+s>")
		r.press("<esc>", "3", "/", "search", "<enter>")
		r.requireText("timeout       unknown")
		r.requireNoText("timeout       0")
		r.press("e", "<tab>", "<tab>", "<tab>", "<tab>")
		r.requireText("not reported by the API; leave empty to keep it")
		r.press("<tab>", "pong", "<ctrl+s>")
		ledger := r.emu.Ledger()
		if len(ledger) != 2 {
			r.Fatalf("applied: %v, want 2 changes\n%s", ledger, r.screen())
		}
		for n, want := range []string{"access", "timeout"} {
			if body := string(toJSON(ledger[n])); strings.Contains(body, want) {
				r.Errorf("%s was sent: %s", want, body)
			}
		}
		r.press("<esc>", "2", "<enter>")
		r.requireText("timeout unknown", "(access unknown)")
		r.press("y")
		if sheet := r.copied[0]; !strings.Contains(sheet, "timeout unknown") {
			r.Errorf("call sheet: %s", sheet)
		}
	}, &rewritingTransport{rewrite: func(body []byte) []byte {
		body = bytes.ReplaceAll(body, []byte(`"access":true,`), nil)
		body = bytes.ReplaceAll(body, []byte(`"access":false,`), nil)
		return regexp.MustCompile(`"timeout":[0-9]+,`).ReplaceAll(body, nil)
	}})
}

// An instance without any SSH settings has neither a user nor a port, and no ssh line.
func TestMissingMembers_noSSHSettings(t *testing.T) {
	t.Parallel()
	settings := regexp.MustCompile(`,?"ssh":\{[^}]*\}`)
	startProgram(t, emulator.Options{}, screenSize{150, 40}, func(r *harness) {
		r.press(goTo("6", "db1")...)
		r.requireText("user          unknown", "port          unknown", "no ssh line: the address is unknown")
		r.press("E")
		r.requireText("db1: support may log in")
		r.requireNoText("u undoes", "u undo")
	}, &rewritingTransport{rewrite: func(body []byte) []byte { return settings.ReplaceAll(body, nil) }})
}
