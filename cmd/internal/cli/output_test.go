package cli

import (
	"encoding/json"
	"regexp"
	"testing"
	"time"

	"lookout/client/emulator"
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

// decodeJSON decodes the output of a command.
func decodeJSON(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}
