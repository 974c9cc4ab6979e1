package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lookout/client/account/audit"
	"lookout/client/emulator"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/testenv"
)

// The help says what each check finds.
func TestAudit_helpNamesChecks(t *testing.T) {
	for _, name := range audit.Checks() {
		if long := auditCommand(&config.Flags{}).Long; !strings.Contains(long, "\n    "+name+" ") {
			t.Errorf("the help does not say what %s finds", name)
		}
	}
}

// auditOf runs an audit and returns the IDs that each check found, and how each check ended.
func auditOf(r *testEnv, code int, args ...string) (found map[string][]string, states map[string]string) {
	r.Helper()
	s := r.Run(append([]string{"audit", "-o", "json"}, args...)...)
	r.CheckResult(s, code)
	var said []audit.CheckResult
	if err := json.Unmarshal([]byte(s.Out), &said); err != nil {
		r.Fatalf("%v\n%s%s", err, s.Out, s.Err)
	}
	found, states = map[string][]string{}, map[string]string{}
	for _, o := range said {
		if states[o.Check] != string(audit.Found) {
			states[o.Check] = string(o.State)
		}
		if o.State == audit.Found {
			found[o.Check] = append(found[o.Check], o.Label.Raw())
			if o.Next == "" || o.ID == "" {
				r.Errorf("no id or no next step: %+v", o)
			}
		}
	}
	return found, states
}

// The audit finds what is wrong in an account, and nothing once that is put right.
func TestAudit_findsAndForgets(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.MustRun(
		"services", "create", "--label", "orphan", "--address", "203.0.113.9:22", "--type", "tcp", "--group", "ghosts",
		"--timeout", "10",
	)
	r.MustRun("contacts", "create", "--name", "Silent Sam", "--email", "sam@acme.net", "--group", "quiet")
	r.MustRun("services", "update", "docs", "--group", "quiet")
	r.MustRun(
		"contacts", "create", "--name", "Lost Lou", "--email", "lou@acme.net", "--group", "nowhere", "--phone",
		"+1 555 0101",
	)
	r.MustRun("buckets", "access", "us-east-1/acme-backups", "--acl", "public-read", "--yes")
	r.MustRun("objects", "acl", "us-east-1/acme-www", "index.html", "public-read", "--yes")
	found, _ := auditOf(r, exit.CodeProblem)
	for check, label := range map[string]string{
		"nobody-called": "orphan", "no-phone": "quiet", "unused-contact": "Lost Lou", "off-without-end": "billing-cron",
		"unlimited-key": "ci", "public-bucket": "acme-backups", "public-object": "index.html",
	} {
		if !slices.Contains(found[check], label) {
			t.Errorf("%s finds %v, not %s", check, found[check], label)
		}
	}
	r.MustRun("services", "update", "orphan", "--group", "billing")
	r.MustRun("contacts", "update", r.FindID("contacts", "Silent Sam"), "--phone", "+1 555 0100")
	r.MustRun("contacts", "delete", r.FindID("contacts", "Lost Lou"), "--yes")
	r.MustRun("services", "enable", "billing-cron")
	r.MustRun("services", "disable", "web-1", "--for", "1h")
	r.MustRun("buckets", "access", "us-east-1/acme-backups", "--acl", "private")
	r.MustRun("objects", "acl", "us-east-1/acme-www", "index.html", "private")
	after, _ := auditOf(r, exit.CodeProblem)
	for check, label := range map[string]string{
		"nobody-called": "orphan", "no-phone": "quiet", "unused-contact": "Lost Lou", "off-without-end": "billing-cron",
		"public-bucket": "acme-backups", "public-object": "index.html",
	} {
		if slices.Contains(after[check], label) {
			t.Errorf("%s still finds %s", check, label)
		}
	}
	if slices.Contains(after["off-without-end"], "web-1") {
		t.Error("a maintenance window has an end")
	}
}

// What could not be read is not known: no check that needs it says that all is well, or finds what is not true.
func TestAudit_failedListIsNotNothing(t *testing.T) {
	t.Parallel()
	whole, _ := auditOf(newTestEnv(t, emulator.Options{}), exit.CodeProblem)
	for op, checks := range map[string][]string{
		"list contacts":    {"nobody-called", "no-phone", "unused-contact"},
		"list services":    {"nobody-called", "no-phone", "unused-contact", "unused-credential", "off-without-end"},
		"list credentials": {"unused-credential"},
		"list keys":        {"unlimited-key"},
		"list buckets":     {"public-bucket", "public-object", "certificate"},
		"view access":      {"public-bucket"},
	} {
		t.Run(op, func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			r.API.InjectFault(op, emulator.Fault{Status: 403, Body: `{"errors":[{"reason":"no"}]}`, Times: 1000})
			found, states := auditOf(r, exit.CodeProblem)
			for _, check := range checks {
				if states[check] == string(audit.OK) {
					t.Errorf("%s: all is well", check)
				}
				for _, label := range found[check] {
					if !slices.Contains(whole[check], label) {
						t.Errorf("%s finds %s", check, label)
					}
				}
			}
		})
	}
}

// Without a finding, the exit code says whether everything could be read.
func TestAudit_exitCodes(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	ignore := auditOnly("unlimited-key")
	auditOf(r, exit.CodeProblem, ignore...)
	r.API.InjectFault("list keys", emulator.Fault{Status: 403, Body: `{"errors":[{"reason":"no"}]}`, Times: 1000})
	found, states := auditOf(r, exit.CodeDenied, ignore...)
	if len(found) > 0 || fmt.Sprint(states) != "map[unlimited-key:not known]" {
		t.Errorf("%v, %v", found, states)
	}
	auditOf(r, exit.CodeOK, append(ignore, "--ignore", "unlimited-key")...)
	r.CheckResult(r.Run("audit", "--ignore", "nothing"), exit.CodeUsage, "unknown check; use nobody-called")
	r.CheckResult(
		r.Run("audit", "--filter", "check:public-bucket", "-o", "csv"), exit.CodeProblem, "public-bucket,bucket",
	)
}

// auditOnly returns the arguments of an audit that makes only one check.
func auditOnly(check string) (args []string) {
	for _, other := range audit.Checks() {
		if other != check {
			args = append(args, "--ignore", other)
		}
	}
	return args
}

// The expiry of a certificate is known only if it was uploaded from this machine: one that expires within 30 days is
// found, on the screen and as JSON. One whose date nobody knows is no failure.
func TestAudit_certificates(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for left, want := range map[time.Duration]struct {
		state, text string
		code        int
	}{
		29 * day: {"found", "expires on ", exit.CodeProblem},
		31 * day: {"ok", "expires on ", exit.CodeOK},
	} {
		r, only := newTestEnv(t, emulator.Options{}), auditOnly("certificate")
		end := time.Now().Add(left)
		dir := testenv.WriteCertificateAt(t, "cdn.acme.net", end.Add(-90*day))
		upload := []string{
			"certificates", "upload", "us-east-1/cdn.acme.net", filepath.Join(dir, "cert.pem"),
			filepath.Join(dir, "key.pem"),
		}
		r.MustRun(upload...)
		_, states := auditOf(r, want.code, only...)
		if fmt.Sprint(states) != "map[certificate:"+want.state+"]" {
			t.Errorf("%v left: %v", left, states)
		}
		audit := append([]string{"audit"}, only...)
		r.CheckResult(r.Run(audit...), want.code, want.state, want.text+end.UTC().Format(time.DateOnly))
		r.API.InjectFault("upload certificate", emulator.Fault{Status: 504, Times: 1, ApplyFirst: true})
		r.Run(append(upload, "--replace")...)
		unknown := r.Run(audit...)
		r.CheckResult(unknown, exit.CodeOK, "not known", "it has a certificate; the API does not say when it expires")
		r.MustRun(append(upload, "--replace")...)
		r.CheckResult(r.Run(audit...), want.code, want.text)
		if err := os.RemoveAll(filepath.Join(r.Home, "state")); err != nil { // as on another machine
			t.Fatal(err)
		}
		r.CheckResult(r.Run(audit...), exit.CodeOK, "not known", "the API does not say when it expires")
	}
}

// What a bucket does not let us read is not known either, and the exit code says so: a cron job that reads nothing must
// not look well. A bucket of an endpoint without ACLs could be read.
func TestAudit_unreadableBucketIsAFailure(t *testing.T) {
	t.Parallel()
	for check, op := range map[string]string{"public-bucket": "view access", "certificate": "view certificate"} {
		r := newTestEnv(t, emulator.Options{})
		r.API.InjectFault(op, emulator.Fault{Status: 403, Body: `{"errors":[{"reason":"no"}]}`, Times: 1})
		found, states := auditOf(r, exit.CodeDenied, auditOnly(check)...)
		if len(found) > 0 || states[check] != string(audit.NotKnown) {
			t.Errorf("%s: %v, %v", check, found, states)
		}
	}
	r := newTestEnv(t, emulator.Options{})
	r.API.InjectFault("view access", emulator.Fault{Status: 200, Body: `{"acl":null}`, Times: 1})
	s := r.Run(append([]string{"audit"}, auditOnly("public-bucket")...)...)
	r.CheckResult(s, exit.CodeOK, "its access is not known: the API does not say")
}

// A cron job, a pipeline and a monitoring system learn from the exit code whether something is broken, and never take
// what was not read for a good sign.
func TestStatus_exitCodesForMonitoring(t *testing.T) {
	t.Parallel()
	statusOf := func(r *testEnv, code int, args ...string) (lines []string) {
		r.Helper()
		s := r.Run(append([]string{"status", "-o", "json"}, args...)...)
		r.CheckResult(s, code)
		var rows []statusRow
		if err := json.Unmarshal([]byte(s.Out), &rows); err != nil {
			r.Fatalf("%v\n%s%s", err, s.Out, s.Err)
		}
		for _, row := range rows {
			lines = append(lines, row.State+" "+row.Kind+" "+row.ID)
		}
		return lines
	}
	denied := emulator.Fault{Status: 403, Body: `{"errors":[{"reason":"no"}]}`, Times: 1000}
	t.Run("something is broken", func(t *testing.T) {
		r := newTestEnv(t, emulator.Options{})
		got := statusOf(r, exit.CodeProblem)
		for _, want := range []string{"problem service 1", "problem issue 823"} {
			if !slices.Contains(got, want) {
				t.Errorf("%v lacks %s", got, want)
			}
		}
		statusOf(r, exit.CodeProblem, "--limit", "1")
		r.CheckResult(r.Run("status"), exit.CodeProblem, "STATE", "call the group")
		r.API.InjectFault("list issues", denied)
		if got := statusOf(r, exit.CodeProblem); !slices.Contains(got, "not known issues ") {
			t.Errorf("the issues could not be read, and nothing says so: %v", got)
		}
	})
	t.Run("all is well", func(t *testing.T) {
		r := newTestEnv(t, emulator.Options{Seed: "empty"})
		if got := statusOf(r, exit.CodeOK); len(got) > 0 {
			t.Errorf("%v", got)
		}
		if s := r.Run("status"); s.Out+s.Err != "" {
			t.Errorf("cron would send a mail: %q", s.Out+s.Err)
		}
		r.API.InjectFault("list services", denied)
		if got := statusOf(r, exit.CodeDenied); fmt.Sprint(got) != "[not known services ]" {
			t.Errorf("%v", got)
		}
	})
}
