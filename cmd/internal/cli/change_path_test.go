package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/testenv"
)

// A changeCase is a command line that changes something, and what is expected of it.
type changeCase struct {
	line   string
	effect string // the question
	asks   bool   // on an open account too
	named  bool   // --yes needs the account's name on an open account too
	op     string // in the journal
	sent   string // in the ledger, if it differs from op
	first  string // sent before it: a move copies
	before string // in the journal, as JSON
	reads  bool   // read-only mode allows it
}

// changeCases returns a command line for each subcommand that changes something.
func changeCases(r *testEnv) []changeCase {
	file := filepath.Join(r.Home, "file")
	r.Write(file, "x")
	folder := filepath.Join(r.Home, "folder")
	r.Write(filepath.Join(folder, "only"), "x")
	dir := testenv.WriteCertificate(r.T, "cdn.acme.net")
	pair := filepath.Join(dir, "cert.pem") + " " + filepath.Join(dir, "key.pem")
	const object = testenv.Bucket + " README.txt"
	return []changeCase{
		{
			line:   "services create --label new --address https://example.com",
			effect: "create service new",
			op:     "create service",
		},
		{
			line:   "services update web-1 --timeout 77",
			effect: "edit service web-1 (4)",
			op:     "update service",
			before: `{"timeout":8}`,
		},
		{
			line:   "services disable web-1",
			effect: "disable service web-1 (4)",
			op:     "disable service",
			before: `"status":"ok"`,
		},
		{
			line:   "services enable billing-cron",
			effect: "enable service billing-cron (3)",
			op:     "enable service",
			before: `"status":"disabled"`,
		},
		{
			line:   "services delete edge-router",
			effect: "delete service edge-router (9)",
			asks:   true,
			op:     "delete service",
			before: `"label":"edge-router"`,
		},
		{
			line:   "contacts create --name Eve --email e@acme.net",
			effect: "create contact Eve",
			op:     "create contact",
		},
		{
			line:   "contacts update 11 --group night",
			effect: "edit contact Ada Wong (11)",
			op:     "update contact",
			before: `{"group":"billing"}`,
		},
		{
			line:   "contacts delete 11",
			effect: "delete contact Ada Wong (11)",
			asks:   true,
			op:     "delete contact",
			before: `"name":"Ada Wong"`,
		},
		{
			line:   "credentials create db9 --password-file " + file,
			effect: "create credential db9",
			op:     "create credential",
		},
		{
			line:   "credentials rename 32 new",
			effect: "edit label: credential web deploy (32)",
			op:     "update credential",
			before: `{"label":"web deploy"}`,
		},
		{
			line:   "credentials login 32 --password-file " + file,
			effect: "change login: credential web deploy (32)",
			op:     "change login",
		},
		{
			line:   "credentials delete 32",
			effect: "delete credential web deploy (32)",
			asks:   true,
			op:     "delete credential",
			before: `{"label":"web deploy"}`,
		},
		{
			line:   "ssh allow mail-1",
			effect: "allow access: instance mail-1 (70007)",
			op:     "update SSH settings",
			before: `{"ssh":{"access":false}}`,
		},
		{
			line:   "ssh deny db1",
			effect: "deny access: instance db1 (70003)",
			op:     "update SSH settings",
			before: `{"ssh":{"access":true}}`,
		},
		{
			line:   "ssh set db1 --port 22",
			effect: "edit instance db1 (70003)",
			op:     "update SSH settings",
			before: `{"ssh":{"port":2222}}`,
		},
		{
			line:   "buckets create us-east-1/fresh",
			effect: "create bucket us-east-1/fresh",
			op:     "create bucket",
		},
		{
			line:   "buckets access " + testenv.Bucket + " --acl private",
			effect: "access bucket " + testenv.Bucket,
			op:     "modify access",
		},
		{
			line:   "buckets access " + testenv.Bucket + " --acl private --cors=false",
			effect: "access bucket " + testenv.Bucket,
			op:     "update access",
		},
		{
			line:   "buckets delete ap-south-1/scratch",
			effect: "delete bucket ap-south-1/scratch",
			asks:   true,
			op:     "delete bucket",
			before: `"objects":0`,
		},
		{
			line:   "objects put " + testenv.Bucket + " new " + file,
			effect: "this stores object " + testenv.Bucket + "/new",
			op:     "upload",
			sent:   "put object",
		},
		{
			line:   "objects put " + object + " " + file + " --force",
			effect: "this stores object " + testenv.Bucket + "/README.txt",
			op:     "upload",
			sent:   "put object",
			before: `"name":"README.txt"`,
		},
		{
			line:   "objects rm " + object,
			effect: "this removes object " + testenv.Bucket + "/README.txt",
			asks:   true,
			op:     "delete object",
			before: `"name":"README.txt"`,
		},
		{
			line:   "objects sync " + folder + " " + testenv.Bucket + "/new",
			effect: "this stores 1 file below " + testenv.Bucket + "/new/",
			op:     "upload",
			sent:   "put object",
		},
		{
			line:   "objects cp " + testenv.Bucket + "/README.txt " + testenv.Bucket + "/new",
			effect: "this copies 1 object from " + testenv.Bucket + " to " + testenv.Bucket + "/new, ",
			op:     "upload",
			sent:   "put object",
		},
		{
			line:   "objects mv " + testenv.Bucket + "/README.txt " + testenv.Bucket + "/new",
			effect: "this moves 1 object from " + testenv.Bucket + " to " + testenv.Bucket + "/new, ",
			first:  "put object",
			op:     "delete object",
			before: `"name":"README.txt"`,
		},
		{
			line:   "buckets empty " + object,
			effect: "this removes everything below " + testenv.Bucket + "/README.txt for good: 1 object, ",
			asks:   true,
			op:     "empty bucket",
			sent:   "delete object",
		},
		{
			line:   "objects acl " + object + " public-read",
			asks:   true,
			effect: "this changes the access to object " + testenv.Bucket + "/README.txt: public-read",
			op:     "update object ACL",
			before: `{"acl":"private"}`,
		},
		{
			line:   "objects link " + object,
			effect: "this creates a GET link to object " + testenv.Bucket + "/README.txt that works for 1h0m0s",
			op:     "create download URL",
			sent:   "nothing", // the emulator's ledger holds only changes of what is stored
			reads:  true,
		},
		{
			line:   "certificates upload us-east-1/cdn.acme.net " + pair,
			effect: "upload certificate us-east-1/cdn.acme.net",
			op:     "upload certificate",
			before: `{"ssl":false}`,
		},
		{
			line:   "certificates delete us-east-1/cdn.acme.net",
			effect: "delete certificate us-east-1/cdn.acme.net",
			asks:   true,
			op:     "delete certificate",
			before: `{"ssl":`,
		},
		{
			line:   "storage cancel",
			effect: "this deletes ",
			asks:   true,
			named:  true,
			op:     "cancel Object Storage",
			before: `"ap-south-1/scratch"`,
		},
		{
			line:   "keys create ci-1 --unlimited",
			effect: "this creates key ci-1",
			op:     "create key",
		},
		{
			line:   "keys rotate ada --unlimited",
			effect: "this creates a key to replace key ada (208), with the same access: everything",
			op:     "create key",
			before: `{"replaces":208}`,
		},
		{
			line:   "objects rclone us-east-1/acme-www --profile " + filepath.Join(r.Home, "rclone.conf"),
			effect: "this creates access key rclone-acme-www for rclone",
			op:     "create key",
		},
		{
			line:   "keys rename finance new",
			effect: "rename key finance (205)",
			op:     "update key",
			before: `{"label":"finance"}`,
		},
		{
			line:   "keys revoke finance",
			effect: "revoke key finance (205)",
			asks:   true,
			op:     "revoke key",
			before: `"label":"finance"`,
		},
	}
}

// TestChangePath tests every subcommand that changes something on an open, a protected and a read-only account: what it
// asks, what it sends, and what the journal holds.
func TestChangePath(t *testing.T) {
	t.Parallel()
	cases := changeCases(newTestEnv(t, emulator.Options{}))
	for i, c := range cases {
		for j, account := range []string{"lab", "prod", "museum"} {
			if _, profile, found := strings.Cut(c.line, "--profile "); found {
				_ = os.Remove(profile) // of the account before
			}
			if !faulttest.InSample(2, i, j) {
				continue
			}
			t.Run(strings.Join(strings.Fields(c.line)[:2], " ")+" on "+account, func(t *testing.T) {
				r := newTestEnv(t, emulator.Options{})
				r.Setenv("LOOKOUT_BASE_URL", "")
				var b strings.Builder
				for name, mode := range map[string]string{
					"lab":    "",
					"prod":   "protected = true",
					"museum": "read_only = true",
				} {
					fmt.Fprintf(&b, "[accounts.%s]\nbase_url = %q\n%s\n", name, r.Base, mode)
				}
				r.WriteConfig(b.String())
				r.checkChange(c, account)
			})
		}
	}
}

// checkChange runs the command line of a case on an account: prod is protected, museum is read-only, lab is neither.
func (r *testEnv) checkChange(c changeCase, account string) {
	r.Helper()
	args := append(strings.Fields(c.line), "--reason", "because", "-a", account)
	yes := "--yes"
	switch {
	case account == "museum" && !c.reads:
		r.CheckResult(r.Run(args...), exit.CodeDenied, "read-only")
		r.checkNothingSent()
		return
	case account == "prod":
		r.CheckResult(r.Run(args...), exit.CodeUsage, c.effect, ", but account prod is protected", "add --yes=prod")
		r.CheckResult(r.Run(append(args, "--yes")...), exit.CodeUsage, c.effect, "add --yes=prod")
		yes = "--yes=prod"
	default:
		if c.asks {
			r.CheckResult(r.Run(args...), exit.CodeUsage, c.effect, "standard input is not a terminal; add --yes")
		}
		if c.named {
			s := r.Run(append(args, "--yes")...)
			r.CheckResult(s, exit.CodeUsage, "a plain --yes is not enough; add --yes=lab")
			yes = "--yes=lab"
		}
	}
	r.CheckResult(r.Run(append(args, "--yes=other")...), exit.CodeUsage, "this is account "+account)
	r.checkNothingSent()
	if account == "prod" || c.asks {
		args = append(args, yes)
	}
	r.MustRun(args...)
	r.checkRecorded(c, account)
}

// checkNothingSent fails if a change was sent or recorded.
func (r *testEnv) checkNothingSent() {
	r.Helper()
	if ledger := r.API.Ledger(); len(ledger) != 0 {
		r.Errorf("sent: %v", ledger)
	}
	if kept := r.ReadTree(r.Home); strings.Contains(kept, `"op"`) {
		r.Errorf("recorded: %s", kept)
	}
}

// checkRecorded fails if the ledger and the journal do not hold one change as a case expects it.
func (r *testEnv) checkRecorded(c changeCase, account string) {
	r.Helper()
	var sent []string
	for _, e := range r.API.Ledger() {
		sent = append(sent, e.Op)
	}
	want := c.op
	if c.sent != "" {
		want = c.sent
	}
	if c.first != "" && len(sent) == 2 && sent[0] == c.first {
		sent = sent[1:]
	}
	if c.sent != "nothing" && !slices.Equal(sent, []string{want}) {
		r.Errorf("sent %q, want %q", sent, want)
	}
	var entries []journalRow
	err := json.Unmarshal([]byte(r.MustRun("journal", "-a", account, "-o", "json").Out), &entries)
	if c.first != "" {
		entries = slices.DeleteFunc(entries, func(e journalRow) bool { return e.Op != c.op && e.Reason == "because" })
	}
	if err != nil || len(entries) != 1 {
		r.Fatalf("journal: %v, %+v", err, entries)
	}
	e := entries[0]
	before := ""
	if e.Before != nil {
		data, _ := json.Marshal(e.Before)
		before = string(data)
	}
	if e.Op != c.op || e.Reason != "because" || string(e.Outcome) != "done" ||
		!strings.Contains(before, c.before) || c.before == "" && before != "" {
		r.Errorf("journal: op %q, reason %q, outcome %q, before %s; want op %q, before %s",
			e.Op, e.Reason, e.Outcome, before, c.op, c.before)
	}
}

// TestChangePath_coversEverySubcommand tests that each subcommand that changes something takes --yes and --reason, and
// has a case if the emulator serves its operation.
func TestChangePath_coversEverySubcommand(t *testing.T) {
	t.Parallel()
	r, covered := newTestEnv(t, emulator.Options{}), map[string]bool{}
	for _, c := range changeCases(r) {
		covered[strings.Join(strings.Fields(c.line)[:2], " ")] = true
	}
	for _, n := range resourceCommands() {
		c := n.newCommand(&config.Flags{})
		for _, v := range n.subcommands {
			if v.op != "" && !r.API.Serves(v.op) { // or it only writes into the journal
				covered[n.name+" "+v.name] = true
			}
		}
		for _, sub := range c.Commands() {
			name := c.Name() + " " + sub.Name()
			yes, reason := sub.Flag("yes") != nil, sub.Flag("reason") != nil
			if yes != covered[name] || reason != covered[name] {
				t.Errorf("%s: --yes %t, --reason %t, has a case %t", name, yes, reason, covered[name])
			}
		}
	}
}

// TestBounds tests that scripts refuse the values that the panes' forms refuse, and send nothing.
func TestBounds(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	long := strings.Repeat("x", 101)
	for line, says := range map[string]string{
		"services update web-1 --timeout 256":                          "--timeout 256: enter a number from 1 to 255",
		"services update web-1 --timeout 0":                            "--timeout 0: enter a number from 1 to 255",
		"services update web-1 --label ab":                             "--label ab: use 3 to 64 characters, not 2",
		"services update web-1 --label=":                               `--label "": required, 3 to 64 characters`,
		"services update web-1 --type udp":                             `unknown --type "udp" (use url or tcp)`,
		"services update web-1 --body " + long:                         "use 0 to 100 characters, not 101",
		"services create --label new --address a":                      "--address a: use 3 to 100 characters, not 1",
		"contacts create --name E --email e@acme.net":                  "--name E: use 2 to 64 characters, not 1",
		"contacts update 11 --email nobody":                            "--email nobody: enter an e-mail address",
		"contacts update 11 --group x":                                 "--group x: use 2 to 50 characters, not 1",
		"credentials create x":                                         "LABEL x: use 2 to 75 characters, not 1",
		"credentials rename 32 x":                                      "LABEL x: use 2 to 75 characters, not 1",
		"credentials login 32 --username " + strings.Repeat("u", 5001): "use 0 to 5000 characters, not 5001",
		"ssh set db1 --port 65536":                                     "--port 65536: enter a number from 1 to 65535",
		"ssh set db1 --ip nowhere":                                     "--ip nowhere: ",
		"ssh set db1 --user " + long:                                   "use 0 to 32 characters, not 101",
		"buckets create us-east-1/No":                                  "us-east-1/No: ",
		"keys create ab --unlimited":                                   "LABEL ab: use 3 to 50 characters, not 2",
		"keys rename finance ab":                                       "LABEL ab: use 3 to 50 characters, not 2",
	} {
		r.CheckResult(r.RunWithInput("secret\n", strings.Fields(line)...), exit.CodeUsage, says)
	}
	r.checkNothingSent()
	r.MustRun("ssh", "set", "db1", "--port", "0") // 22
}

// TestBuckets_ofOneCluster tests that --cluster lists the buckets of that cluster and no others.
func TestBuckets_ofOneCluster(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	all := r.MustRun("buckets", "list", "-o", "csv").Out
	one := r.MustRun("buckets", "list", "--cluster", "us-east-1", "-o", "csv").Out
	var want []string
	for line := range strings.Lines(all) {
		if strings.HasPrefix(line, "cluster,") || strings.HasPrefix(line, "us-east-1,") {
			want = append(want, line)
		}
	}
	if got := slices.Collect(strings.Lines(one)); !slices.Equal(got, want) || len(want) < 3 {
		t.Errorf("got %q, want %q", got, want)
	}
	if n := r.API.RequestCount("list buckets in cluster"); n == 0 {
		t.Error("the buckets of the cluster were not listed by themselves")
	}
}
