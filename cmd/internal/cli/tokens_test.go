package cli

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"lookout/client/emulator"
	"lookout/cmd/internal/exit"
)

// A token that is not accepted is often something else that was stored in place of one. The message says what it looks
// like, and repeats none of it but the name of a variable.
func TestToken_looksLikeSomethingElse(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	const secret = "5f2d81c93ab7"
	for token, want := range map[string]string{
		`"` + secret + `"`:                   "the token is not accepted (401); it is in quotation marks",
		"'" + secret + "'":                   "it is in quotation marks",
		"“" + secret + "”":                   "it is in quotation marks",
		"$LINODE_TOKEN":                      "it is the name of a variable, not its value",
		"${LINODE_TOKEN}":                    "it is the name of a variable, not its value",
		"%LINODE_TOKEN%":                     "it is the name of a variable, not its value",
		"LINODE_TOKEN=" + secret:             "it begins with LINODE_TOKEN=",
		"export LINODE_TOKEN=" + secret:      "it begins with LINODE_TOKEN=",
		"TOKEN = " + secret:                  "it begins with TOKEN=",
		"Bearer " + secret:                   "it is a whole header",
		"Authorization:Bearer" + secret:      "it is a whole header",
		`{"token":"` + secret + `"}`:         "it is JSON",
		"<your-token>":                       "it is a placeholder",
		"xxxxxxxx":                           "it is a placeholder",
		"/home/ada/" + secret:                "it is the path of a file",
		"https://cloud.linode.com/" + secret: "it is an address",
		"\ufeff" + secret:                    "it begins with a byte-order mark",
		secret:                               "the token is not accepted (401)",
		secret + " " + secret:                "the token contains spaces, line breaks or other characters",
	} {
		r.Setenv("LOOKOUT_TOKEN", token)
		result := r.Run("services", "list")
		code := exit.CodeDenied
		if strings.ContainsFunc(token, func(c rune) bool { return c <= ' ' || c > '~' }) {
			code = exit.CodeUsage // it cannot even be sent
		}
		r.CheckResult(result, code, want)
		if strings.Contains(result.Err, secret) || token == secret && strings.Contains(result.Err, "it is") {
			t.Errorf("%s", result.Err)
		}
	}
}

// A token command that never stops printing is stopped: what it prints is not kept.
func TestTokenCommand_printsForever(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a POSIX shell")
	}
	r := newSerialEnv(t, emulator.Options{})
	t.Setenv("LOOKOUT_TOKEN", "")
	t.Setenv("LOOKOUT_BASE_URL", "")
	for _, command := range []string{`["yes"]`, `["sh", "-c", "yes; true"]`, `["sh", "-c", "trap '' PIPE TERM; yes"]`} {
		r.WriteConfig("[accounts.own]\nbase_url = \"" + r.Base + "\"\ntoken_timeout = \"5m\"\ntoken_command = " +
			command + "\n")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		begun := time.Now()
		r.CheckResult(r.Run("services", "list"), exit.CodeDenied, "it printed more than 65536 bytes, too long")
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 || time.Since(begun) > time.Minute {
			t.Errorf("%s took %d bytes of memory and %v", command, used, time.Since(begun))
		}
	}
}
