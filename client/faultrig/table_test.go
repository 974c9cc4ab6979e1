package faultrig

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// page is the table that people read.
const page = "../../docs/reliability.md"

// With LOOKOUT_TABLE the page is written from what the tests reported; .ci/reliability runs both. Without, every row must be on the page.
func TestTable(t *testing.T) {
	if folder := os.Getenv("LOOKOUT_TABLE"); folder != "" {
		reported, err := read(folder)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(page, table(reported), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows() {
		if !bytes.Contains(data, []byte("| "+r.id+" |")) {
			t.Errorf("row %s is not in docs/reliability.md: run .ci/reliability", r.id)
		}
	}
}

// tally is what was reported of a row.
type tally struct {
	cases, passed int
	rooms         []string
}

func read(folder string) (map[string]*tally, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.tsv"))
	if err != nil {
		return nil, err
	}
	all := map[string]*tally{}
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
				all[cells[0]] = &tally{}
			}
			all[cells[0]].add(cells[1], cells[3])
		}
	}
	return all, nil
}

func (c *tally) add(room, result string) {
	if result == "skip" {
		return
	}
	c.cases++
	if result == "ok" {
		c.passed++
	}
	if !slices.Contains(c.rooms, room) {
		c.rooms = append(c.rooms, room)
		slices.Sort(c.rooms)
	}
}

var parts = map[byte]string{'A': "Reading over the network", 'B': "Changes: never twice, never silently unknown", 'C': "Bulk work and the journal", 'D': "Downloads and uploads",
	'E': "The terminal", 'F': "Secrets", 'G': "Configuration and state", 'H': "Emulator and demo", 'I': "Long runs", 'J': "Fuzz targets"}

func table(reported map[string]*tally) []byte {
	var b bytes.Buffer
	done, cases, passed := 0, 0, 0
	for _, c := range reported {
		if c.cases > 0 {
			done++
		}
		cases, passed = cases+c.cases, passed+c.passed
	}
	fmt.Fprintf(&b, "# Reliability\n\nWritten by `.ci/reliability` from what the tests report; do not edit. A case reports itself with `faultrig.Row`.\n\n")
	fmt.Fprintf(&b, "%d rows, %d of them with cases; %d cases, %d passed.\n", len(rows()), done, cases, passed)
	last := byte(0)
	for _, r := range rows() {
		if r.id[0] != last {
			last = r.id[0]
			fmt.Fprintf(&b, "\n## %c. %s\n\n| Row | What goes wrong | Cases | Passed | Where | Open |\n|---|---|---|---|---|---|\n", last, parts[last])
		}
		c := reported[r.id]
		if c == nil || c.cases == 0 {
			fmt.Fprintf(&b, "| %s | %s | | | | open: %s |\n", r.id, r.what, orElse(r.open, "no case ran"))
			continue
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %s | %s |\n", r.id, r.what, c.cases, c.passed, strings.Join(c.rooms, ", "), r.open)
	}
	return b.Bytes()
}

func orElse(text, absent string) string {
	if text == "" {
		return absent
	}
	return text
}
