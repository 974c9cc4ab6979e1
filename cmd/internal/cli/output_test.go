package cli

import (
	"encoding/csv"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lookout/client/emulator"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
)

// listCommands are the lists of all resources.
var listCommands = [][]string{
	{"services", "list"},
	{"issues", "list"},
	{"contacts", "list"},
	{"credentials", "list"},
	{"ssh", "list"},
	{"stats"},
	{"buckets", "list"},
	{"objects", "list", "us-east-1/acme-backups", "-r"},
	{"keys", "list"},
	{"clusters", "list"},
	{"transfer"},
	{"journal", "list"},
}

// Times are in RFC 3339, with a zone and in UTC, in every format of every list.
func TestScripts_timesHaveTheirZone(t *testing.T) {
	r := newTestEnv(t, emulator.Options{})
	r.MustRun("services", "disable", "web-1", "--for", "1h")
	looksLikeTime := regexp.MustCompile(`\b\d{4}-\d\d-\d\dT[\d:.]*[^\s",]*`)
	found := map[string]int{}
	for _, list := range listCommands {
		for _, format := range output.Formats {
			out := r.MustRun(append(list[:len(list):len(list)], "-o", format)...).Out
			for _, text := range looksLikeTime.FindAllString(out, -1) {
				at, err := time.Parse(time.RFC3339, text)
				if err != nil || text[len(text)-1] != 'Z' || at.IsZero() {
					t.Errorf("%v -o %s prints the time %s", list, format, text)
				}
				found[format]++
			}
		}
	}
	for _, format := range output.Formats {
		if found[format] < 50 {
			t.Errorf("%d times with -o %s", found[format], format)
		}
	}
}

// Every list prints the columns that --columns names, in this order, with or without their names, and sorts and filters
// by each of them.
func TestScripts_everyListTakesItsColumns(t *testing.T) {
	r := newTestEnv(t, emulator.Options{})
	r.MustRun("services", "disable", "web-1")
	for _, list := range listCommands {
		with := func(more ...string) []string { return append(list[:len(list):len(list)], more...) }
		all := r.MustRun(with("-o", "csv")...).Out
		header, rows, _ := strings.Cut(all, "\n")
		names := strings.Split(header, ",")
		slices.Reverse(names)
		chosen := strings.Join(names, ",")
		if got := r.MustRun(with("-o", "csv", "--columns", chosen)...).Out; !strings.HasPrefix(got, chosen+"\n") ||
			records(t, got) != records(t, all) {
			t.Errorf("%v --columns %s:\n%s", list, chosen, got)
		}
		if got := r.MustRun(with("-o", "csv", "--no-headers")...).Out; got != rows {
			t.Errorf("%v --no-headers:\n%s", list, got)
		}
		r.CheckResult(r.Run(with("--columns", "x")...), exit.CodeUsage, `--columns: unknown column "x" (use `, names[0])
		r.CheckResult(
			r.Run(with("--columns", names[0], "-o", "json")...),
			exit.CodeUsage,
			"--columns is for table and csv",
		)
		if list[0] == "stats" || list[0] == "transfer" {
			continue // one row, not a list
		}
		last := names[len(names)-1]
		for _, name := range names {
			column := r.MustRun(with("-o", "csv", "--no-headers", "--columns", name+","+last, "--sort", name)...).Out
			if records(t, column) != records(t, rows) {
				t.Errorf("%v --sort %s:\n%s", list, name, column)
			}
			found := r.MustRun(with("-o", "csv", "--no-headers", "--filter", name+`:""|!""`)...).Out
			if found != rows {
				t.Errorf("%v --filter by %s:\n%s", list, name, found)
			}
		}
		r.CheckResult(r.Run(with("--sort", "x")...), exit.CodeUsage, `--sort: unknown column "x"`)
		r.CheckResult(r.Run(with("--filter", "x:y")...), exit.CodeUsage, `--filter: unknown column "x"; columns: `)
	}
}

// records returns how many rows a text of CSV has.
func records(t *testing.T, text string) int {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Error(err)
	}
	return len(all)
}

// --sort compares numbers as numbers and text without regard to case, in both directions; --limit then counts sorted
// rows. Without --sort the order is that of the API.
func TestScripts_sort(t *testing.T) {
	r := newTestEnv(t, emulator.Options{})
	column := func(args ...string) []string {
		args = append([]string{"-o", "csv", "--no-headers"}, args...)
		return strings.Fields(r.MustRun(append([]string{"services", "list"}, args...)...).Out)
	}
	ids := column("--columns", "id")
	descending := column("--columns", "id", "--sort", "-id")
	slices.Reverse(descending)
	if !slices.Equal(column("--columns", "id", "--sort", "id"), ids) || !slices.Equal(descending, ids) ||
		len(ids) < 12 {
		t.Errorf("sorted by number: %v", descending)
	}
	labels := column("--columns", "label", "--sort", "label")
	if !slices.IsSorted(labels) || len(labels) != len(ids) {
		t.Errorf("sorted by label: %v", labels)
	}
	if got := column("--columns", "label", "--sort", "-label", "--limit", "2"); !slices.Equal(
		got, []string{labels[len(labels)-1], labels[len(labels)-2]},
	) {
		t.Errorf("the last two labels: %v", got)
	}
	sizes := strings.Split(r.MustRun("buckets", "list", "-o", "csv", "--columns", "size", "--sort", "-size").Out, "\n")
	if first, err := strconv.Atoi(sizes[1]); err != nil || first < 1<<30 {
		t.Errorf("the largest bucket: %v", sizes)
	}
}

// --filter takes what a pane's filter takes, in every format.
func TestScripts_filter(t *testing.T) {
	r := newTestEnv(t, emulator.Options{})
	for _, c := range []struct {
		filter string
		want   string // labels
	}{
		{"status:problem", "billing-api"},
		{"state:problem", "billing-api"}, // the pane's title
		{"status:problem|pending !web", "billing-api mail-1"},
		{`label:="web-1"`, "web-1"},
		{"web-1 | edge", "web-1 edge-router"},
		{"timeout:>20 status:ok", ""},
	} {
		out := r.MustRun("services", "list", "--filter", c.filter, "-o", "csv", "--columns", "label,timeout,status").Out
		for _, label := range strings.Fields(c.want) {
			if !strings.Contains(out, label+",") {
				t.Errorf("%s: %s is missing:\n%s", c.filter, label, out)
			}
		}
		rows, isList := decodeJSON(t, r.MustRun("services", "list", "--filter", c.filter, "-o", "json").Out).([]any)
		if !isList || len(rows) != strings.Count(out, "\n")-1 || len(rows) == 12 {
			t.Errorf("%s: %d rows of JSON, %q", c.filter, len(rows), out)
		}
	}
	r.CheckResult(
		r.Run(
			"services",
			"list",
			"--filter",
			"label:>2d",
		),
		exit.CodeUsage,
		"--filter: label:>2d: no row has such a value",
	)
	r.CheckResult(r.Run("services", "list", "--filter", "timeout:>x"), exit.CodeUsage, "compare with a number")
}

// decodeJSON decodes the output of a command.
func decodeJSON(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}
