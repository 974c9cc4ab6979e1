package emulator

import (
	"encoding/base64"
	"fmt"
	"time"
)

// seed fills the account: "empty", "large", or the demo account for any other name.
func (a *account) seed(name string) {
	a.lastID = 100
	switch name {
	case "empty":
		a.noStorage = a.today
	case "large":
		a.seedLarge()
	default:
		a.seedDemo()
	}
}

// ago returns the time d before the start.
func (a *account) ago(d time.Duration) timestamp { return timestamp(a.started.Add(-d)) }

const day = 24 * time.Hour

// seedDemo fills the account with realistic data. People, names and addresses are invented.
func (a *account) seedDemo() {
	a.seedContacts()
	a.seedCredentials()
	a.seedInstances()
	a.seedServices()
	a.seedIssues()
	a.seedBuckets()
	a.seedKeys()
	a.transferUsed = 430_000_000_000
	a.lastID = 900
}

func (a *account) seedContacts() {
	people := []struct{ name, mail, group, first, second string }{
		{"Ada Wong", "ada@acme.net", "billing", "+1 555 0100", "+1 555 0101"},
		{"Ben Idris", "ben@acme.net", "billing", "+1 555 0144", ""},
		{"Carla Nunez", "carla@acme.net", "web", "+1 555 0120", "+1 555 0121"},
		{"Dmitri Falk", "dmitri@acme.net", "web", "+1 555 0132", ""},
		{"Esi Mensah", "esi@acme.net", "network", "+1 555 0150", "+1 555 0151"},
		{"Farid Haddad", "farid@acme.net", "network", "+1 555 0153", ""},
		{"Greta Lind", "greta@acme.net", "dba", "+1 555 0160", "+1 555 0161"},
		{"Hiro Tanaka", "hiro@acme.net", "dba", "", ""},
		{"Night desk", "noc@acme.net", "", "+1 555 0199", ""},
	}
	for i, p := range people {
		a.contacts = append(a.contacts, &contact{
			ID:      11 + i,
			Name:    p.name,
			Email:   p.mail,
			Group:   nilIfEmpty(p.group),
			Phone:   phone{nilIfEmpty(p.first), nilIfEmpty(p.second)},
			Updated: a.ago(time.Duration(i*i*9+3) * day),
		})
	}
}

func (a *account) seedCredentials() {
	for i, c := range []struct {
		label string
		used  time.Duration
	}{
		{"db2-root", 3 * day},
		{"web deploy", 12 * day},
		{"queue admin", 0},
		{"cdn console", 40 * day},
		{"router enable", 0},
	} {
		x := &credential{ID: 31 + i, Label: c.label}
		if c.used > 0 {
			x.LastDecrypted = a.ago(c.used)
		}
		a.credentials = append(a.credentials, x)
	}
}

func (a *account) seedInstances() {
	port := 2222
	for i, m := range []struct {
		label, group, user, ip string
		port                   *int
		off                    bool
	}{
		{"web-1", "web", "", "192.0.2.21", nil, false},
		{"web-2", "web", "", "192.0.2.22", nil, false},
		{"db1", "data", "lnsupport", "192.0.2.9", &port, false},
		{"db2", "data", "lnsupport", "192.0.2.10", &port, false},
		{"queue-1", "data", "lnsupport", "any", nil, false},
		{"cdn-origin", "edge", "", "198.51.100.4", nil, false},
		{"mail-1", "mail", "postmaster", "192.0.2.40", nil, true},
		{"batch-1", "data", "", "any", nil, true},
		{"bastion", "edge", "ops", "198.51.100.8", &port, false},
	} {
		a.instances = append(a.instances, &instance{
			ID:    70001 + i,
			Label: m.label,
			Group: m.group,
			SSH:   sshSettings{!m.off, nilIfEmpty(m.user), m.ip, m.port},
		})
	}
}

// demoService is a service of the demo account.
type demoService struct {
	label, kind, address, group, notes, region, body, status string
	timeout                                                  int
	credentials                                              []int
	updated                                                  time.Duration // before the start
}

var demoServices = []demoService{
	{
		label: "billing-api", kind: "tcp", address: "db2.acme.net:5432", group: "billing", status: "problem",
		timeout: 10, credentials: []int{31}, updated: 9 * day,
		notes: "restart postgres on db2, then pgbouncer\ncheck replication afterwards",
	},
	{
		label: "billing-web", kind: "url", address: "https://billing.acme.net/health", group: "billing", status: "ok",
		timeout: 10, body: "ok", updated: 30 * day,
	},
	{
		label: "billing-cron", kind: "tcp", address: "batch-1.acme.net:8080", group: "billing", status: "disabled",
		timeout: 20, notes: "runs at 02:00 UTC", updated: 52 * time.Hour,
	},
	{
		label: "web-1", kind: "url", address: "https://web-1.acme.net/", group: "web", status: "ok",
		timeout: 8, credentials: []int{32}, updated: 5 * day,
	},
	{
		label: "web-2", kind: "url", address: "https://web-2.acme.net/", group: "web", status: "ok",
		timeout: 8, credentials: []int{32}, updated: 5 * day,
	},
	{
		label: "shop", kind: "url", address: "https://shop.acme.net/?no-cache=1", group: "web", status: "ok",
		timeout: 15, credentials: []int{32}, updated: 2 * day,
		notes: "the cart is behind it", body: "Acme Shop",
	},
	{
		label: "docs", kind: "url", address: "https://docs.acme.net/", group: "web", status: "ok",
		timeout: 20, updated: 90 * day,
	},
	{
		label: "cdn-origin", kind: "url", address: "https://cdn.acme.net/status", group: "network", status: "ok",
		timeout: 5, credentials: []int{34}, updated: 11 * day,
		notes: "purge before restarting",
	},
	{
		label: "edge-router", kind: "tcp", address: "198.51.100.1:179", group: "network", status: "ok",
		timeout: 5, credentials: []int{35}, updated: 200 * day,
	},
	{
		label: "queue-internal", kind: "tcp", address: "10.0.3.14:5672", group: "dba", status: "ok",
		timeout: 10, credentials: []int{33}, region: "us-east", updated: 14 * day,
	},
	{
		label: "orders-db", kind: "tcp", address: "10.0.3.9:5432", group: "dba", status: "ok",
		timeout: 10, credentials: []int{31}, region: "us-east", updated: 21 * day,
		notes: "fail over to db2 with the runbook",
	},
	{
		label: "search", kind: "tcp", address: "192.168.44.7:9200", group: "dba", status: "ok",
		timeout: 12, region: "eu-central", updated: 33 * day,
	},
	{
		label: "mail-1", kind: "tcp", address: "mail-1.acme.net:25", group: "network", status: "pending",
		timeout: 30, updated: 4 * time.Minute,
	},
	{
		label: "status-page", kind: "url", address: "https://status.acme.net/", status: "ok",
		timeout: 10, updated: 60 * day,
	},
}

func (a *account) seedServices() {
	for i, r := range demoServices {
		s := &service{
			ID:          1 + i,
			Label:       r.label,
			Type:        r.kind,
			Address:     r.address,
			Timeout:     r.timeout,
			Body:        nilIfEmpty(r.body),
			Group:       r.group,
			Credentials: r.credentials,
			Notes:       nilIfEmpty(r.notes),
			Region:      nilIfEmpty(r.region),
			Status:      r.status,
			Created:     a.ago(time.Duration(400-i*11) * day),
			Updated:     a.ago(r.updated),
		}
		if s.Credentials == nil {
			s.Credentials = []int{}
		}
		a.services = append(a.services, s)
	}
}

func (a *account) seedIssues() {
	for _, r := range []struct {
		id, ticket int
		ago        time.Duration
		label      string
		services   []int
	}{
		{823, 48213, 6 * time.Minute, "billing-api", []int{1}},
		{821, 48190, 3*time.Hour + 2*time.Minute, "web-1", []int{4, 5}},
		{818, 48177, 11*time.Hour + 23*time.Minute, "cdn-origin", []int{8}},
		{810, 48101, 3*day + 2*time.Hour, "billing-api", []int{1}},
		{802, 48022, 5*day + 7*time.Hour, "search", []int{12}},
		{791, 47910, 9 * day, "legacy-ftp", []int{97}},
		{777, 47765, 13*day + 5*time.Hour, "billing-api", []int{1, 2}},
		{760, 47600, 20 * day, "orders-db", []int{11}},
		{741, 47411, 31 * day, "billing-api", []int{1}},
	} {
		at := a.started.Add(-r.ago)
		t := a.addIssue(r.id, r.ticket, at, r.label, r.services)
		if r.ago > time.Hour {
			t.close(at.Add(ticketLifetime))
		}
	}
}

// addIssue adds an issue and its open ticket.
func (a *account) addIssue(id, number int, at time.Time, label string, services []int) *ticket {
	a.issues = append(a.issues, &issue{
		ID:       id,
		Created:  timestamp(at),
		Services: services,
		Entity: entity{
			number,
			"Managed Monitoring Issue - " + label,
			"ticket",
			fmt.Sprintf("/support/tickets/%d", number),
		},
	})
	t := &ticket{ID: number, Status: "open"}
	a.tickets = append(a.tickets, t)
	return t
}

// close closes a ticket.
func (t *ticket) close(at time.Time) { t.Status, t.Closed = "closed", timestamp(at) }

// ticketLifetime is how long it takes to close a ticket of the seed.
const ticketLifetime = 41 * time.Minute

func (a *account) seedBuckets() {
	all := a.sites()
	for i, r := range []struct {
		at    int
		label string
		fill  func(*objectStore, time.Time)
	}{
		{0, "acme-backups", seedBackups},
		{0, "acme-www", seedWebsite},
		{0, "invoices-2026", seedInvoices},
		{0, "cdn.acme.net", seedWebsite},
		{1, "acme-backups", seedBackups},
		{1, "logs-eu", seedLogs},
		{1, "gdpr-exports", seedInvoices},
		{1, "media", seedLogs},
		{2, "acme-backups-ap", seedBackups},
		{2, "logs-ap", seedLogs},
		{2, "uploads", seedUploads},
		{2, "scratch", func(*objectStore, time.Time) {}},
	} {
		b := &bucket{
			cluster: all[r.at],
			label:   r.label,
			created: a.ago(time.Duration(700-40*i) * day),
			acl:     "private",
			objects: newObjectStore(),
			seed:    func(s *objectStore) { r.fill(s, a.started) },
		}
		a.buckets = append(a.buckets, b)
	}
	if a.today {
		a.seedNewerBuckets()
	}
}

func seedBackups(s *objectStore, now time.Time) {
	for d := range 60 {
		at := now.Add(-time.Duration(d) * day).Truncate(day).Add(2*time.Hour + 11*time.Minute)
		name := "db/" + at.Format("2006/01/")
		if d%7 == 0 {
			s.put(newGeneratedObject(name+"full-"+at.Format("20060102")+".dump", 13_314_398_617+int64(d)*1e6, at))
			continue
		}
		s.put(newGeneratedObject(name+"incr-"+at.Format("20060102")+".dump", 432_013_312+int64(d)*1e5, at))
	}
	readme := "Dumps of the databases.\nfull: once a week. incr: every day.\n"
	s.put(newObject("README.txt", "text/plain", readme, now.Add(-400*day)))
	s.put(newObject("db/", "application/octet-stream", "", now.Add(-400*day)))
}

func seedWebsite(s *objectStore, now time.Time) {
	put := func(name, contentType, text string, days time.Duration) {
		s.put(newObject(name, contentType, text, now.Add(-days*day)))
	}
	put("index.html", "text/html", "<!doctype html>\n<title>Acme</title>\n<h1>Acme</h1>\n", 9)
	put("assets/site.json", "application/json", "{\"name\": \"acme\", \"pages\": 3, \"beta\": false}\n", 9)
	put("assets/logo.png", "image/png", string(samplePNG()), 9)
	put("assets//double slash.txt", "text/plain", "an empty folder name\n", 8)
	put("/leading slash.txt", "text/plain", "a name that begins with a slash\n", 8)
	put("straße/größe.txt", "text/plain", "grüße\n", 8)
	put("odd\nname.txt", "text/plain", "a line break in the name\n", 8)
}

// samplePNG returns a PNG image of 64 by 64 pixels. It is not drawn here, because the encoder would make the program
// larger.
func samplePNG() []byte {
	const text = "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAZklEQVR4nOzPUQnAUBTFsPNx/WuY1MkoDxJqoLd9t7" +
		"3c7WkGagZqBmoGagZqBmoGagZqBmoGagZqBmoGagZqBmoGagZqBmoGagZqBmoGagZqBmoGagZqBmoGagZqBmoGan8A" +
		"AAD//7s/A5mKy0wNAAAAAElFTkSuQmCC"
	data, _ := base64.StdEncoding.DecodeString(text) // a constant cannot fail
	return data
}

func seedInvoices(s *objectStore, now time.Time) {
	for i := range 180 {
		at := now.Add(-time.Duration(i) * 36 * time.Hour)
		name := fmt.Sprintf("%s/invoice-%05d.pdf", at.Format("2006-01"), 70000-i)
		s.put(newGeneratedObject(name, 60_000+int64(i*977%40_000), at))
	}
}

func seedUploads(s *objectStore, now time.Time) {
	settings := `{"service": "acme-shop", "version": "4.12.0",
		"payments": {"provider": "billing-api", "retries": 3, "timeout": 2.5}, "maintenance": false}`
	s.put(newObject("config/limits.yaml", "text/yaml", "avatar: 64 KiB\nreceipt: 2 MiB\n", now.Add(-90*day)))
	s.put(newObject("config/shop.json", "application/json", settings, now.Add(-3*day)))
	for i := range 89 {
		at := now.Add(-time.Duration(i) * 36 * time.Hour)
		avatar := fmt.Sprintf("avatars/user-%d.png", 10_400+i)
		s.put(newGeneratedObject(avatar, 60_000+int64(i*977%40_000), at))
		receipt := fmt.Sprintf("receipts/%s/receipt-%d.pdf", at.Format("2006-01"), 70_000-i)
		s.put(newGeneratedObject(receipt, 60_000+int64(i*977%40_000), at))
	}
}

func seedLogs(s *objectStore, now time.Time) {
	start := now.Truncate(time.Hour)
	const n = 99_000
	s.generated = objectGenerator{n, func(i int) *object {
		at := start.Add(time.Duration(i-n) * time.Hour / 12)
		return newGeneratedObject(
			at.Format("2006/01/02/15-04")+fmt.Sprintf("-%06d.log.gz", i), 700_000+int64(i*7919%900_000), at,
		)
	}}
	s.count += n
	s.size += n * 1_150_000
}

func (a *account) seedKeys() {
	for i, r := range []struct {
		label  string
		grants []grant
		all    bool
	}{
		{
			"backup agent",
			[]grant{
				{Cluster: "us-east-1", Bucket: "acme-backups", Permissions: "read_write"},
				{Cluster: "eu-central-1", Bucket: "acme-backups", Permissions: "read_write"},
			},
			false,
		},
		{"website deploy", nil, true},
		{"log shipper eu", nil, true},
		{"log shipper ap", nil, true},
		{"finance", []grant{{Cluster: "us-east-1", Bucket: "invoices-2026", Permissions: "read_only"}}, false},
		{"ci", nil, true},
		{"rclone at the office", nil, true},
		{"ada", nil, true},
		{"old mobile app", nil, true},
	} {
		a.keys = append(a.keys, &key{
			ID:        201 + i,
			Label:     r.label,
			AccessKey: fmt.Sprintf("DEMOACCESSKEY%07d", 4100+i),
			SecretKey: redacted,
			Limited:   !r.all,
			Access:    r.grants,
		})
	}
	if a.today {
		a.seedNewerKeys()
	}
}

// seedLarge fills the account with 5,000 services, 10,000 contacts and a bucket with a million generated objects.
func (a *account) seedLarge() {
	a.seedCredentials()
	a.seedInstances()
	for i := range 10_000 {
		group := fmt.Sprintf("team-%03d", i%400)
		a.contacts = append(a.contacts, &contact{
			ID:      i + 1,
			Name:    fmt.Sprintf("Person %05d", i),
			Email:   fmt.Sprintf("p%05d@acme.net", i),
			Group:   &group,
			Updated: a.ago(time.Duration(i) * time.Hour),
		})
	}
	states := []string{"ok", "ok", "ok", "ok", "ok", "ok", "ok", "disabled", "pending", "problem"}
	for i := range 5_000 {
		a.services = append(a.services, &service{
			ID:          i + 1,
			Label:       fmt.Sprintf("service-%04d", i),
			Type:        "url",
			Address:     fmt.Sprintf("https://s%04d.acme.net/", i),
			Timeout:     10,
			Group:       fmt.Sprintf("team-%03d", i%400),
			Credentials: []int{},
			Status:      states[i%len(states)],
			Created:     a.ago(300 * day),
			Updated:     a.ago(time.Duration(i) * time.Hour),
		})
	}
	for i := range 300 {
		at := a.started.Add(-time.Duration(i) * 7 * time.Hour)
		t := a.addIssue(5_000-i, 90_000-i, at, fmt.Sprintf("service-%04d", i*10+9), []int{i*10 + 10})
		if i > 20 {
			t.close(at.Add(ticketLifetime))
		}
	}
	b := &bucket{
		cluster: a.sites()[0],
		label:   "million",
		created: a.ago(900 * day),
		acl:     "private",
		objects: newObjectStore(),
	}
	at := a.started
	b.objects.generated = objectGenerator{1_000_000, func(i int) *object {
		return newGeneratedObject(generatedName(i), int64(i%977)*1024+17, at.Add(-time.Duration(i)*time.Second))
	}}
	b.objects.count, b.objects.size = 1_000_000, 500_000_000_000
	a.buckets = append(a.buckets, b)
	a.seedKeys()
	a.lastID = 100_000
}

// generatedName returns the name of the i-th object of that bucket: data/012/034/object-123456.bin.
func generatedName(i int) string {
	b := append(make([]byte, 0, 34), "data/000/000/object-000000.bin"...)
	putDigits(b[5:8], i/10_000)
	putDigits(b[9:12], i/100%100)
	putDigits(b[20:26], i)
	return string(b)
}

// putDigits fills b with a number, padded with zeros.
func putDigits(b []byte, n int) {
	for i := len(b) - 1; i >= 0; i-- {
		b[i] = byte('0' + n%10)
		n /= 10
	}
}
