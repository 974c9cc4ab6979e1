//go:build unix

package cli

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"lookout/client/emulator"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/testenv"
	"lookout/ui"
	"lookout/views/operation"
)

// runOnTerminal runs a command line on a terminal of a width and returns the lines that it writes.
func (r *testEnv) runOnTerminal(cols uint16, args ...string) []string {
	r.Helper()
	tty, slave, err := pty.Open()
	if err != nil {
		r.Fatal(err)
	}
	defer tty.Close()
	if err := pty.Setsize(tty, &pty.Winsize{Cols: cols, Rows: 24}); err != nil {
		r.Fatal(err)
	}
	text := make(chan string)
	go func() {
		data, _ := io.ReadAll(tty) // ends with an error once nobody has the other side
		text <- string(data)
	}()
	var complaints bytes.Buffer
	if code := Execute(r.Variables, args, os.Stdin, slave, &complaints); code != exit.CodeOK && args[0] != "status" {
		r.Fatalf("%v: %d, %s", args, code, complaints.String())
	}
	slave.Close()
	return strings.Split(strings.TrimSuffix(strings.ReplaceAll(<-text, "\r\n", "\n"), "\n"), "\n")
}

// On a terminal, a row of a table is one line at every width, and cut values are marked.
func TestTablesFitTheTerminal(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.MustRun("services", "disable", "1", "--reason", strings.Repeat("because ", 20))
	for _, cols := range []uint16{200, 80, 40, 20} {
		for _, args := range [][]string{{"services", "list"}, {"issues", "list"}, {"contacts", "list"}, {
			"credentials", "list",
		}, {"ssh", "list"}, {"stats"},
			{"buckets", "list"}, {
				"objects", "list", "us-east-1/acme-backups",
			}, {"keys", "list"}, {"clusters", "list"}, {"journal"}} {
			lines, all := r.runOnTerminal(cols, args...), strings.Split(
				strings.TrimSuffix(r.MustRun(args...).Out, "\n"), "\n",
			)
			if len(lines) != len(all) {
				t.Errorf("%v: %d lines of %d", args, len(lines), len(all))
			}
			for i, line := range lines {
				if ui.Width(line) > int(cols) {
					t.Errorf("%v at %d: %d cells: %q", args, cols, ui.Width(line), line)
				}
				if fits := ui.Width(all[i]) <= int(cols); i == 0 && !strings.HasSuffix(line, "…") && !fits &&
					strings.Join(strings.Fields(line), " ") != strings.Join(strings.Fields(all[i]), " ") {
					t.Errorf("%v at %d: columns are gone without a word: %q", args, cols, line)
				}
			}
		}
	}
	r.runOnTerminal(1, "services", "list") // it ends
	if lines := r.runOnTerminal(80, "services", "list"); !strings.Contains(lines[0], "LABEL") ||
		!strings.Contains(strings.Join(lines, "\n"), "cdn-origin") {
		t.Errorf("%q", lines)
	}
}

// On a terminal, CSV holds no control character, and details are complete.
func TestATerminalIsNotSteered(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	label := "two\nlines\x1b[2J"
	r.MustRun("services", "update", "1", "--notes", label)
	for _, format := range []string{"csv", "table"} {
		text := strings.Join(r.runOnTerminal(40, "services", "get", "1", "-o", format), "\n")
		if strings.ContainsRune(text, 0x1b) || !strings.Contains(text, "two‹␊›lines‹␛›[2J") {
			t.Errorf("%s: %q", format, text)
		}
	}
	lines := r.runOnTerminal(40, "services", "get", "1", "--jq", ".notes, .id")
	if !slices.Equal(lines, []string{"two‹␊›lines‹␛›[2J", "1"}) {
		t.Errorf("--jq: %q", lines)
	}
}

// Sizes have a unit on a terminal, and are bytes in a pipe and in formats for programs.
func TestScripts_unitsOnTerminals(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	for _, args := range [][]string{
		{"buckets", "list", "--filter", "acme-backups", "--no-headers", "--columns", "size"},
		{"buckets", "get", "us-east-1/acme-backups", "--no-headers", "--columns", "size"},
		{"objects", "list", "us-east-1/acme-backups", "-r", "--no-headers", "--columns", "size", "--sort", "-size"},
		{"transfer", "--no-headers"},
	} {
		piped := strings.Fields(r.MustRun(args...).Out)[0]
		n, err := strconv.ParseInt(piped, 10, 64)
		if err != nil || n < 1<<20 {
			t.Errorf("%v prints %q in a pipe", args, piped)
		}
		for _, cols := range []uint16{80, 0} { // a serial line has no size
			if lines := r.runOnTerminal(cols, args...); lines[0] != operation.FormatSize(n) ||
				!strings.HasSuffix(lines[0], "iB") {
				t.Errorf("%v prints %q on a terminal, %d in a pipe", args, lines[0], n)
			}
		}
		if lines := r.runOnTerminal(80, append(args, "-o", "csv")...); lines[0] != piped {
			t.Errorf("%v -o csv prints %q on a terminal", args, lines[0])
		}
	}
}

// On a terminal, tables are for people: ages, counts and durations with units, names instead of IDs. In a pipe and in
// formats for programs, the values are those of the API.
func TestScripts_tablesForPeople(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.MustRun("services", "disable", "web-1", "--for", "2h")
	for _, c := range []struct{ line, people, programs string }{
		{"services list --columns timeout --filter label:billing-api", "10 s", "10"},
		{"services list --columns updated --filter label:billing-api", "9 d ago", "T"},
		{"services get billing-api --columns credentials", "db2-root", "31"},
		{"services get billing-api --columns updated", "Z (9 d ago)", "Z"},
		{"issues list --columns services --filter id:821", "web-1, web-2", "4,5"},
		{"issues list --columns created --filter id:821", " h ago", "T"},
		{"issues get 821 --columns services", "web-1, web-2", "4,5"},
		{"buckets list --columns objects --filter label:logs-eu", "99,000", "99000"},
		{"buckets list --columns created --filter label:logs-eu", "-", "T"},
		{"objects du eu-central-1/logs-eu -d 0 --columns objects", "99,000", "99000"},
		{"journal list --columns until", "in 1 h", "T"},
	} {
		line := append(strings.Fields(c.line), "--no-headers")
		if got := strings.Join(r.runOnTerminal(100, line...), "\n"); !strings.Contains(got, c.people) ||
			strings.HasSuffix(c.people, "ago") && strings.Contains(got, "T") {
			t.Errorf("%s prints %q on a terminal, not %q", c.line, got, c.people)
		}
		for _, args := range [][]string{line, append(line, "-o", "csv")} {
			got := strings.Trim(strings.TrimSpace(r.MustRun(args...).Out), `"`)
			if c.programs != "T" && c.programs != "Z" && got != c.programs {
				t.Errorf("%v prints %q in a pipe, not %q", args, got, c.programs)
			}
			if _, err := time.Parse(time.RFC3339, got); len(c.programs) == 1 && err != nil {
				t.Errorf("%v prints %q in a pipe", args, got)
			}
		}
	}
}

// ls lists, as rm, cp and mv are named.
func TestScripts_lsLists(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	for _, resource := range []string{"services", "buckets", "objects", "keys", "journal"} {
		line := []string{resource, "list"}
		if resource == "objects" {
			line = append(line, testenv.Bucket)
		}
		want := r.MustRun(line...).Out
		line[1] = "ls"
		if got := r.MustRun(line...).Out; got != want {
			t.Errorf("%s ls prints %q, list %q", resource, got, want)
		}
	}
}

// The series of the stats have human units on a terminal, and raw ones in a pipe.
func TestStats_haveUnitsOnTerminals(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	lines, raw := r.runOnTerminal(120, "stats"), r.MustRun("stats").Out
	for i, unit := range []string{"MIN", " %", " op/s", " Mbit/s", " Mbit/s", " op/s"} {
		if !strings.Contains(lines[i], unit) {
			t.Errorf("%q is missing in %q", unit, lines[i])
		}
	}
	if !regexp.MustCompile(`net_in +bit/s +\d{5,}\.\d\d? `).MatchString(raw) {
		t.Errorf("in a pipe:\n%s", raw)
	}
	if line := r.runOnTerminal(120, "stats", "get", "net_in")[5]; !strings.HasSuffix(line, " Mbit/s") {
		t.Errorf("one series: %q", line)
	}
}

// On a terminal, a service that is down and its issue are one line, which has the number to call even where a long name
// must be cut. With a flag about rows it prints the rows.
func TestStatus_onTerminal(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	problem := regexp.MustCompile(`^billing-api  down \d+ min  #823  call Ada Wong \+1 555 0100$`)
	lines := r.runOnTerminal(80, "status")
	if len(lines) != 1 || !problem.MatchString(lines[0]) {
		t.Errorf("%q", lines)
	}
	r.MustRun("services", "update", "1", "--label", strings.Repeat("long-name-", 6))
	if lines := r.runOnTerminal(80, "status"); len(lines) != 1 || ui.Width(lines[0]) > 80 ||
		!strings.HasPrefix(lines[0], "long-name-") || !strings.HasSuffix(lines[0], "call Ada Wong +1 555 0100") {
		t.Errorf("%q", lines)
	}
	r.MustRun("services", "disable", "1")
	if lines := r.runOnTerminal(80, "status"); !strings.Contains(lines[0], "disabled, issue ") {
		t.Errorf("%q", lines)
	}
	r.API.InjectFault("list contacts", emulator.Fault{Status: 403, Times: 1})
	if lines := r.runOnTerminal(200, "status"); len(lines) != 1 || strings.Contains(lines[0], "nobody") {
		t.Errorf("contacts that could not be read are none: %q", lines)
	}
	if lines := r.runOnTerminal(80, "status", "--columns", "state,label"); !strings.HasPrefix(lines[0], "STATE") {
		t.Errorf("%q", lines)
	}
	r = newTestEnv(t, emulator.Options{})
	r.API.InjectFault("list issues", emulator.Fault{Status: 403, Times: 1})
	lines = r.runOnTerminal(80, "status")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "billing-api  down") ||
		!strings.HasPrefix(lines[1], "issues: not known: ") {
		t.Errorf("%q", lines)
	}
}
