package dashboard

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/cmd/internal/testenv"
	"lookout/ui/terminal/termtest"
)

// A keyOperation is one operation of the document, done only with keys from the first frame on.
type keyOperation struct {
	op         string
	keys       string // keys and, between «», texts to wait for
	body       string // of the change, as JSON; "" for an operation that reads or sends none
	precededBy string // another change that comes before it
}

// playKeys types the keys of a flow and waits for its texts.
func playKeys(v *termtest.VirtualTerminal, keys string) {
	for keys != "" {
		before, rest, _ := strings.Cut(keys, "«")
		v.Type(before)
		text, after, _ := strings.Cut(rest, "»")
		if rest != "" {
			v.WaitFor(text)
			v.BytesAfter(50 * time.Millisecond) // nobody types faster
		}
		keys = after
	}
}

// filterTo finds a row by its name: it filters, then moves the cursor to the only match.
func filterTo(name string) string { return "/" + name + "<enter>«1 of »" }

func managedOperations() []keyOperation {
	return []keyOperation{
		{"list contacts", "4«Ada Wong»", "", ""},
		{"create contact", "4«Ada Wong»n«New contact»Zed Ek<tab>zed@acme.net<tab>+1 555 0177<ctrl+s>" +
			`«"Zed Ek": added»`,
			`{"name":"Zed Ek","email":"zed@acme.net","phone":{"primary":"+1 555 0177"}}`, ""},
		{"view contact", "4«Ada Wong»" + filterTo("Ada") + "<enter>«called for»", "", ""},
		{
			"update contact",
			"4«Ada Wong»" + filterTo("Ada") + "e«Edit " +
				"contact»<tab><tab><tab><tab><backspace><backspace><backspace><backspace>" +
				"<backspace><backspace><backspace><ctrl+s>«\"Ada Wong\": saved»",
			`{"group":null}`,
			"",
		},
		{"delete contact", "4«Ada Wong»" + filterTo("Ada") + "D«y yes, delete»y«\"Ada Wong\": deleted»", "", ""},
		{"list credentials", "5«db2-root»", "", ""},
		{"create credential", "5«db2-root»n«New credential»night login<tab>ops<tab>secret<ctrl+s>" +
			`«"night login": added»`,
			`{"label":"night login","username":"ops","password":"secret"}`, ""},
		{"view SSH key", "5«db2-root»«managed SSH key»", "", ""},
		{"view credential", "5«db2-root»<enter>«used by»", "", ""},
		{
			"update credential",
			"5«db2-root»" + filterTo("db2-root") + "e«Label of credential»-old<ctrl+s>«db2-root-old: saved»",
			`{"label":"db2-root-old"}`,
			"",
		},
		{
			"change login",
			"5«db2-root»" + filterTo("db2-root") + "P«Login of db2-root»root<tab>new secret<ctrl+s>«login is changed»",
			`{"username":"root","password":"new secret"}`,
			"",
		},
		{
			"delete credential",
			"5«db2-root»" + filterTo("db2-root") + "D«to delete:»db2-root<enter>«db2-root: deleted»",
			"",
			"",
		},
		{"list issues", "2«9 issues ·»", "", ""},
		{"view issue", "2«9 issues ·»<enter>«› issue 823»", "", ""},
		{"list SSH settings", "6«bastion»", "", ""},
		{"view SSH settings", "6«bastion»<enter>«services at this address»", "", ""},
		{
			"update SSH settings",
			"6«bastion»" + filterTo("db1") + "e«SSH settings of db1»<tab>2<tab><tab>0<ctrl+s>«db1: saved»",
			`{"ssh":{"port":22220,"user":"lnsupport2"}}`,
			"",
		},
		{"list services", "3«edge-router»", "", ""},
		{
			"create service",
			"3«edge-router»n«New service»night check<tab><right><tab>203.0.113.7:22<ctrl+s>«\"night check\": added»",
			`{"label":"night check","service_type":"tcp","address":"203.0.113.7:22","timeout":10,` +
				`"consultation_group":"","credentials":[]}`,
			"",
		},
		{"view service", "3«edge-router»<enter>«expects»", "", ""},
		{
			"update service",
			"3«edge-router»" + filterTo("edge-router") + "e«Edit service»<tab><tab><tab>5<ctrl+s>«edge-router: saved»",
			`{"timeout":55}`,
			"",
		},
		{
			"delete service",
			"3«edge-router»" + filterTo("edge-router") + "D«to delete:»edge-router<enter>«edge-router: deleted»",
			"",
			"",
		},
		{
			"disable service",
			"3«edge-router»" + filterTo("edge-router") + "d«Disable monitoring»<ctrl+s>«monitoring is disabled»",
			"",
			"",
		},
		{"enable service", "3«edge-router»" + filterTo("billing-cron") + "E«monitoring is enabled»", "", ""},
		{"view stats", "7«CPU % ─ now»", "", ""},
	}
}

// Every operation of the Managed area works with keys alone and sends once the body that the document requires.
func TestManagedByKeys(t *testing.T) {
	t.Parallel()
	playOperations(t, "/managed/", managedOperations())
}

// storageOperations returns the operations of Object Storage. DIR holds a certificate with its key, and a small file.
func storageOperations() []keyOperation {
	const buckets, cdn = "8«12 buckets ·»", "/cdn.acme<enter>«1 of »"
	const inside = buckets + cdn + "<enter>«index.html»"
	return []keyOperation{
		{"list buckets", buckets, "", ""},
		{"create bucket", buckets + "n«New bucket»new-logs<tab><tab><right><tab><right><ctrl+s>«to create:»" +
			"new-logs<enter>«new-logs: created»",
			`{"cluster":"us-east-1","label":"new-logs","acl":"public-read","cors_enabled":true}`, ""},
		{"list buckets in cluster", "8«may be missing»", "", ""},
		{"view bucket", buckets + cdn + "i«keys that reach it»", "", ""},
		{"delete bucket", buckets + "/scratch<enter>«1 of »D«to delete:»scratch<enter>«scratch: deleted»", "", ""},
		{
			"modify access",
			buckets + cdn + "x«Access to us-east-1/cdn»<right><ctrl+s>«to change:»cdn.acme.net<enter>«access is now»",
			`{"acl":"public-read"}`,
			"",
		},
		{
			"update access",
			buckets + cdn + "x«Access to us-east-1/cdn»<right><tab><right><ctrl+s>«to change:»cdn.acme.net<enter>" +
				"«access is now»",
			`{"acl":"public-read","cors_enabled":true}`,
			"",
		},
		{"view object ACL", inside + filterTo("index.html") + "<enter>«only this account»", "", ""},
		{
			"update object ACL",
			inside + filterTo("index.html") + "c«Access to index.html»<right><ctrl+s>«yes, change»y" +
				"«access is now public-read»",
			`{"acl":"public-read","name":"index.html"}`,
			"",
		},
		{"list objects", inside, "", ""},
		{"create object URL", inside + filterTo("index.html") + "L«Valid for»<ctrl+s>«copy the link»", "", ""},
		{"view certificate", buckets + cdn + "c«none is set»", "", ""},
		{
			"upload certificate",
			buckets + cdn + "c«none is set»U«Upload a cert»DIR/cert.pem<tab>DIR/key.pem<ctrl+s>«a certificate is set»",
			"",
			"",
		},
		{
			"delete certificate",
			buckets + cdn + "c«none is set»U«Upload a cert»DIR/cert.pem<tab>DIR/key.pem<ctrl+s>«a certificate is " +
				"set»D«to delete:»cdn.acme.net<enter>«none is set»",
			"",
			"upload certificate",
		},
		{
			"cancel Object Storage",
			buckets + ":«Go to»cancel<enter>«FOR GOOD»«Type acme-prod to »acme-prod<enter>" +
				"«Object Storage is cancelled»",
			"",
			"",
		},
		{"list clusters", "0«us-east-1»", "", ""},
		{"view cluster", "0«us-east-1»<enter>«static site»", "", ""},
		{"list keys", "9«backup agent»", "", ""},
		{
			"create key",
			"9«backup agent»n«New access key»night key<tab><tab><down><right><ctrl+s>«no, leave it»y«shown only once»",
			`{"label":"night key","bucket_access":[{"cluster":"us-east-1","bucket_name":"acme-backups",` +
				`"permissions":"read_only"}]}`,
			"",
		},
		{"view key", "9«backup agent»" + filterTo("backup agent") + "<enter>«shown once»", "", ""},
		{
			"update key",
			"9«backup agent»" + filterTo("finance") + "e«Label of key»-old<ctrl+s>«finance-old: saved»",
			`{"label":"finance-old"}`,
			"",
		},
		{
			"revoke key",
			"9«backup agent»" + filterTo("finance") + "D«to revoke:»finance<enter>«finance: revoked»",
			"",
			"",
		},
		{"view transfer", "0«of 1.0 TB this month»", "", ""},
	}
}

// Every operation of Object Storage works with keys alone.
func TestStorageByKeys(t *testing.T) {
	t.Parallel()
	playOperations(t, "/object-storage/", storageOperations())
}

// playOperations plays flows, each on its own account of each service, and checks that they cover all operations of an
// area.
func playOperations(t *testing.T, area string, flows []keyOperation) {
	for _, service := range []string{emulator.ServiceDocument, emulator.ServiceNow} {
		t.Run(service, func(t *testing.T) {
			t.Parallel()
			playOnService(t, service, area, flows)
		})
	}
}

func playOnService(t *testing.T, service, area string, flows []keyOperation) {
	missing := map[string]bool{}
	for _, op := range emulator.New(emulator.Options{}).Endpoints() {
		if strings.HasPrefix(op.Path, area) {
			missing[op.Name] = op.Write
		}
	}
	for _, f := range flows {
		write, known := missing[f.op]
		if !known {
			t.Errorf("%s is not an operation of %s, or is listed twice", f.op, area)
		}
		delete(missing, f.op)
		t.Run(strings.ReplaceAll(f.op, " ", "-"), func(t *testing.T) {
			t.Parallel()
			termtest.InFakeTime(t, func(t *testing.T) { playOperation(t, service, f, write) })
		})
	}
	for op := range missing {
		t.Errorf("%s cannot be done by keys", op)
	}
}

// playOperation plays the flow of one operation.
func playOperation(t *testing.T, service string, f keyOperation, write bool) {
	api := emulator.New(emulator.Options{Token: "demo", Service: service})
	first := "12 buckets"
	if service == emulator.ServiceNow {
		first = "16 buckets"
	}
	if f.op == "list buckets in cluster" { // the clusters are asked only if the list of all buckets fails
		api.InjectFault("list buckets", emulator.Fault{Status: 400})
		first = "Object Storage"
	}
	v := startDashboard(t, api, 120, 36)
	v.WaitFor(first)
	playKeys(v, withCertificate(t, strings.ReplaceAll(f.keys, "12 buckets", first), "cdn.acme.net"))
	if !write {
		waitUntil(t, v, "a request to "+f.op, func() bool { return api.RequestCount(f.op) > 0 })
		return
	}
	ledger := api.Ledger()
	want := []string{f.op}
	if f.precededBy != "" {
		want = []string{f.precededBy, f.op}
	}
	var ops []string
	for _, entry := range ledger {
		ops = append(ops, entry.Op)
	}
	if !slices.Equal(ops, want) {
		t.Fatalf("the ledger holds %q", ops)
	}
	if f.body != "" {
		sameJSON(t, ledger[0].Body, f.body)
	}
}

// withCertificate writes a certificate if keys name its folder, DIR, and returns them with that folder as a paste: a
// long path at once would count as one.
func withCertificate(t *testing.T, keys, host string) string {
	if strings.Contains(keys, "DIR") {
		keys = strings.ReplaceAll(keys, "DIR", "\x1b[200~"+testenv.WriteCertificate(t, host)+"\x1b[201~")
	}
	return keys
}

// waitUntil waits for a condition that the screen does not show.
func waitUntil(t *testing.T, v *termtest.VirtualTerminal, what string, happened func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !happened(); {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s:\n%s", what, v.Screen())
		}
		time.Sleep(time.Millisecond)
	}
}

// sameJSON compares the sent body with the expected one, member by member.
func sameJSON(t *testing.T, sent map[string]json.RawMessage, want string) {
	t.Helper()
	var wanted map[string]json.RawMessage
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		t.Fatal(err)
	}
	got, _ := json.Marshal(sent)
	expected, _ := json.Marshal(wanted)
	if string(got) != string(expected) {
		t.Errorf("sent %s\nwant %s", got, expected)
	}
}

// A keystrokeTask is a task with its keys from the overview on, the maximum number of keys, and the expected screen or
// request. Text between ‹› is typed and not counted; text between «» is waited for.
type keystrokeTask struct {
	name    string
	maxKeys int
	keys    string
	ops     []string // what was changed
}

// keystrokeTasks returns the tasks of the table of keystrokes. If the table does not give the keys, such as those of a
// form, they are counted here.
func keystrokeTasks() []keystrokeTask {
	const inBackups = "8«12 buckets ·»<enter>«README.txt»"
	return []keystrokeTask{
		{"whom to call about the newest issue", 2, "2«9 issues ·»<enter>«Call: billing»«+1 555 0100»", nil},
		{
			"its call sheet in the clipboard", 3,
			"2«9 issues ·»<enter>«Call: billing»y«call sheet: sent to the terminal»", nil,
		},
		{
			"disable a service for an hour with a reason",
			6,
			"3«edge-router»/‹edge-router›<enter>«1 of »d«Disable monitoring»<enter>‹kernel " +
				"update›<enter>«disabled until»",
			[]string{"disable service"},
		},
		{
			"enable every service of a group",
			7,
			"3«edge-router»/‹group:billing›<enter>«3 of 14 match»A«3 marked»E«Type 3 to " +
				"enable»‹3›<enter>«◌ 4 pending»",
			[]string{"enable service", "enable service", "enable service"},
		},
		{
			"services that are disabled, and since when", 3, "3«edge-router»s«Sort by»<enter>«state ▲»«unknown»",
			nil,
		},
		{"CPU at the moment of an issue", 2, "2«9 issues ·»<enter>«at detection: cpu»", nil},
		{"the ssh line of an instance", 4, "6«bastion»/‹db1›<enter>«1 of »y«sent to the terminal»", nil},
		{"a one-hour link to an object", 5, inBackups + "jL«Valid for»<enter>«copy the link»", nil},
		{
			"download a folder",
			8,
			"8«12 buckets ·»/‹acme-www›<enter>«1 of »<enter>«straße/»/‹straße›<enter>«1 of »w«Download " +
				"straße/»<enter>«downloaded»",
			nil,
		},
		{
			"a read-only key for one bucket, secret in the clipboard",
			9,
			"9«backup agent»n«New access key»‹night key›<tab>" +
				"<tab><down><right><enter>«no, leave it»y«shown only once»y«sent to the terminal»",
			[]string{"create key"},
		},
		{
			"replace a certificate",
			5,
			"8«12 buckets ·»c«none is set»U«Upload a cert»‹DIR/cert.pem›<tab>‹DIR/key.pem›<ctrl+s>«a certificate is " +
				"set»",
			[]string{"upload certificate"},
		},
		{
			"revoke the key of a leaver",
			5,
			"9«backup agent»/‹finance›<enter>«1 of »D«to revoke:»‹finance›<enter>«finance: revoked»",
			[]string{"revoke key"},
		},
	}
}

// countKeys returns how many keys a task takes, without typed text.
func (k keystrokeTask) countKeys() int {
	n, rest := 0, k.keys
	for _, pair := range []string{"«»", "‹›"} {
		open, end := string([]rune(pair)[0]), string([]rune(pair)[1])
		var left strings.Builder
		for part := range strings.SplitSeq(rest, open) {
			if _, after, inside := strings.Cut(part, end); inside {
				part = after
			}
			left.WriteString(part)
		}
		rest = left.String()
	}
	for rest != "" {
		if _, after, named := strings.Cut(rest, ">"); named && rest[0] == '<' {
			rest = after
		} else {
			rest = rest[1:]
		}
		n++
	}
	return n
}

// scrollKey returns a key of the task that only scrolls; "" if there is none. In the table of a new access key, the
// arrows choose a bucket.
func (k keystrokeTask) scrollKey() string {
	for _, key := range []string{"<pgdown>", "<pgup>", "<home>", "<end>", "<up>", "<down>"} {
		if strings.Contains(k.keys, key) && !strings.Contains(k.keys, "New access key") {
			return key
		}
	}
	return ""
}

// On a screen of 80×24, what somebody on call needs takes few keys from the overview, and none that only scrolls.
func TestKeystrokeBudget(t *testing.T) {
	t.Chdir(t.TempDir()) // where downloads go
	for _, k := range keystrokeTasks() {
		t.Run(strings.ReplaceAll(k.name, " ", "-"), func(t *testing.T) {
			termtest.InFakeTime(t, func(t *testing.T) {
				api := emulator.New(emulator.Options{Token: "demo"})
				before := 0
				if strings.Contains(k.keys, "group:") {
					before = disableGroup(t, api)
				}
				v := startDashboard(t, api, 80, 24)
				v.WaitFor("12 buckets")
				v.WaitFor("#823")
				playKeys(v, withCertificate(t, strings.NewReplacer("‹", "", "›", "").Replace(k.keys), "acme-backups"))
				if key := k.scrollKey(); key != "" {
					t.Errorf("%s only scrolls", key)
				}
				if n := k.countKeys(); n > k.maxKeys {
					t.Errorf("%d keys are needed, not %d", n, k.maxKeys)
				}
				var ops []string
				for _, entry := range api.Ledger()[before:] {
					ops = append(ops, entry.Op)
				}
				if !slices.Equal(ops, k.ops) {
					t.Errorf("the ledger holds %q", ops)
				}
			})
		})
	}
}

// disableGroup disables the two monitored services of a group, and returns how many changes that took.
func disableGroup(t *testing.T, api *emulator.Emulator) int {
	t.Helper()
	c, err := client.New("https://demo.invalid/v4", client.NewSecret("demo"), client.WithTransport(api))
	if err != nil {
		t.Fatal(err)
	}
	for id := 1; id <= 2; id++ {
		question := client.ConsentQuestion{Op: client.OpDisableService}
		consent, err := c.Consent(t.Context(), nil, question, strconv.Itoa(id))
		if err != nil {
			t.Fatal(err)
		}
		w, err := c.Begin(client.Change{Op: question.Op, ID: strconv.Itoa(id)}, consent)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.DisableService(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	return len(api.Ledger())
}

// Shortcuts that the table does not list.
func TestKeystrokeShortcuts(t *testing.T) {
	t.Parallel()
	const copyFromIssue = "2«9 issues ·»<enter>«› issue 823»«+1 555 0144»«ssh -p 2222»Y«Copy ─»"
	for name, keys := range map[string]string{
		"phone":    copyFromIssue + "1«phone number: sent to the terminal»",
		"ssh":      copyFromIssue + "4«ssh line: sent to the terminal»",
		"incident": "i«Call: billing»",
		"contact":  "4«9 contacts · »y«sent to the terminal»",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			termtest.InFakeTime(t, func(t *testing.T) {
				v := startDashboard(t, emulator.New(emulator.Options{Token: "demo"}), 120, 36)
				v.WaitFor("ticket 48213")
				playKeys(v, keys)
			})
		})
	}
}
