package faulttest

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pagePath is the generated page.
const pagePath = "../../docs/reliability.md"

// With LOOKOUT_TABLE, the test writes the page from the reports in that folder; .ci/reliability does this. Without it,
// the test checks that every row is on the page.
func TestTable(t *testing.T) {
	if folder := os.Getenv("LOOKOUT_TABLE"); folder != "" {
		reported, err := readReports(folder)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(pagePath, renderTable(reported), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(pagePath)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows() {
		if !bytes.Contains(data, []byte("\n- "+r.id+" "+r.what+": ")) {
			t.Errorf("docs/reliability.md does not have row %s as it is in rows.tsv: run .ci/reliability", r.id)
		}
		if r.bug == "" {
			t.Errorf("row %s names no bug that makes it fail", r.id)
		}
	}
}

// caseCount counts the reported cases of a row.
type caseCount struct {
	cases, passed, skipped int
	tests                  map[string]int // cases by test, "client.TestRead_faults"
}

func readReports(folder string) (map[string]*caseCount, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.tsv"))
	if err != nil {
		return nil, err
	}
	all := map[string]*caseCount{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(data)) {
			cells := strings.Split(strings.TrimSpace(line), "\t")
			if len(cells) != 4 {
				return nil, fmt.Errorf("%s: %q is not a report", name, line)
			}
			if all[cells[0]] == nil {
				all[cells[0]] = &caseCount{tests: map[string]int{}}
			}
			all[cells[0]].add(cells[1], cells[3])
		}
	}
	return all, nil
}

func (c *caseCount) add(test, result string) {
	if result == "skip" {
		c.skipped++
		return
	}
	c.cases++
	if result == "ok" {
		c.passed++
	}
	c.tests[test]++
}

// mainTest returns the test that ran most of the cases.
func (c *caseCount) mainTest() string {
	return slices.MaxFunc(slices.Sorted(maps.Keys(c.tests)), func(a, b string) int { return c.tests[a] - c.tests[b] })
}

var sectionTitles = map[byte]string{
	'A': "Reading over the network",
	'B': "Changes",
	'C': "Bulk work and the journal",
	'D': "Downloads and uploads",
	'E': "The terminal",
	'F': "Secrets",
	'G': "Configuration and state",
	'H': "Emulator and demo",
	'I': "Long runs",
	'J': "Fuzz targets",
}

// intro begins the page.
const intro = `# Reliability

What can go wrong, and the test that runs most of its cases. ` + "`.ci/reliability`" + ` runs all tests, with every
case, and generates this page; do not edit.

A test reports a case with ` + "`faulttest.RunCase`" + `. ` + "`client/faulttest/rows.tsv`" + ` says what a row does
not cover, and names a bug that was put into the code and made a case fail. Missing cases needed a file or program
that was not there.
`

func renderTable(reported map[string]*caseCount) []byte {
	var b bytes.Buffer
	b.WriteString(intro)
	for _, section := range slices.Sorted(maps.Keys(sectionTitles)) {
		var sum caseCount
		var list strings.Builder
		count := 0
		for _, r := range rows() {
			if r.id[0] != section {
				continue
			}
			count++
			fmt.Fprintf(&list, "- %s %s: ", r.id, r.what)
			if c := reported[r.id]; c == nil || c.cases == 0 {
				list.WriteString("no case ran\n")
			} else {
				sum.cases, sum.passed, sum.skipped = sum.cases+c.cases, sum.passed+c.passed, sum.skipped+c.skipped
				list.WriteString(c.mainTest() + formatCount(c.cases-c.passed, "**failed**") + "\n")
			}
		}
		fmt.Fprintf(
			&b, "\n## %c. %s\n\n%d rows, %d cases passed%s%s.\n\n%s", section, sectionTitles[section], count,
			sum.passed, formatCount(sum.cases-sum.passed, "**failed**"), formatCount(sum.skipped, "missing"), &list,
		)
	}
	return b.Bytes()
}

// formatCount formats the number of cases that did not pass, if there are any.
func formatCount(n int, what string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d %s", n, what)
}
