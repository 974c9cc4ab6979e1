package faulttest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pagePath is the table that people read.
const pagePath = "../../docs/reliability.md"

// With LOOKOUT_TABLE the page is written from what the tests reported; .ci/reliability runs both. Without, every row
// must be on the page.
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
		if !bytes.Contains(data, []byte("| "+r.id+" |")) {
			t.Errorf("row %s is not in docs/reliability.md: run .ci/reliability", r.id)
		}
	}
}

// caseCount is what was reported of a row.
type caseCount struct {
	cases, passed int
	packages      []string
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
				return nil, fmt.Errorf("%s: %q is no report", name, line)
			}
			if all[cells[0]] == nil {
				all[cells[0]] = &caseCount{}
			}
			all[cells[0]].add(cells[1], cells[3])
		}
	}
	return all, nil
}

func (c *caseCount) add(room, result string) {
	if result == "skip" {
		return
	}
	c.cases++
	if result == "ok" {
		c.passed++
	}
	if !slices.Contains(c.packages, room) {
		c.packages = append(c.packages, room)
		slices.Sort(c.packages)
	}
}

var sectionTitles = map[byte]string{
	'A': "Reading over the network",
	'B': "Changes: never twice, never silently unknown",
	'C': "Bulk work and the journal",
	'D': "Downloads and uploads",
	'E': "The terminal",
	'F': "Secrets",
	'G': "Configuration and state",
	'H': "Emulator and demo",
	'I': "Long runs",
	'J': "Fuzz targets",
}

func renderTable(reported map[string]*caseCount) []byte {
	var b bytes.Buffer
	done, cases, passed := 0, 0, 0
	for _, c := range reported {
		if c.cases > 0 {
			done++
		}
		cases, passed = cases+c.cases, passed+c.passed
	}
	fmt.Fprintf(
		&b,
		"# Reliability\n\nWritten by `.ci/reliability` from what the tests report; do not edit. A case reports "+
			"itself with `faulttest.Row`.\n\n",
	)
	fmt.Fprintf(&b, "%d rows, %d of them with cases; %d cases, %d passed.\n", len(rows()), done, cases, passed)
	last := byte(0)
	for _, r := range rows() {
		if r.id[0] != last {
			last = r.id[0]
			fmt.Fprintf(
				&b,
				"\n## %c. %s\n\n| Row | What goes wrong | Cases | Passed | Where | Open |\n|---|---|---|---|---|---|\n",
				last,
				sectionTitles[last],
			)
		}
		c := reported[r.id]
		if c == nil || c.cases == 0 {
			fmt.Fprintf(&b, "| %s | %s | | | | open: %s |\n", r.id, r.what, orElse(r.open, "no case ran"))
			continue
		}
		fmt.Fprintf(
			&b,
			"| %s | %s | %d | %d | %s | %s |\n",
			r.id,
			r.what,
			c.cases,
			c.passed,
			strings.Join(c.packages, ", "),
			r.open,
		)
	}
	return b.Bytes()
}

func orElse(text, absent string) string {
	if text == "" {
		return absent
	}
	return text
}
