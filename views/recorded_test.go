package views_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lookout/client"
	"lookout/client/emulator"
)

// The panes show all rows of answers recorded from the real service, and show nothing for members without a value.
func TestPanes_showRecordedAnswers(t *testing.T) {
	files, _ := filepath.Glob("../../shared/api/recorded/object-storage/GET_*_200_*.json")
	if len(files) == 0 {
		t.Skip("the recorded answers are not beside the project")
	}
	shown := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var x struct {
			Template string          `json:"path_template"`
			Body     json.RawMessage `json:"response_body"`
		}
		if err := json.Unmarshal(data, &x); err != nil {
			t.Fatal(err)
		}
		c, ok := map[string]struct {
			match, row string
			keys       []string
		}{
			"/object-storage/clusters":            {"list clusters", "id", []string{"0"}},
			"/object-storage/keys":                {"list keys", "label", []string{"9"}},
			"/object-storage/buckets":             {"GET /object-storage/buckets*", "label", []string{"8"}},
			"/object-storage/buckets/{clusterId}": {"GET /object-storage/buckets*", "label", []string{"8"}},
			"/object-storage/buckets/{clusterId}/{bucket}/object-list": {
				"list objects",
				"name",
				[]string{"8", "/", "acme-www", "<enter>", "<enter>"},
			},
		}[strings.TrimSuffix(x.Template, "/")]
		if !ok {
			continue
		}
		shown++
		t.Run(filepath.Base(file), func(t *testing.T) {
			setup := func(e *emulator.Emulator) {
				e.InjectFault(c.match, emulator.Fault{Status: 200, Body: string(x.Body)})
			}
			startWithEmulator(t, emulator.Options{}, screenSize{400, 120}, setup, func(r *harness) {
				r.press(c.keys...)
				r.requireNoText("REDACTED", "null", "<nil>", "%!")
				var page struct{ Data []map[string]any }
				if err := json.Unmarshal(x.Body, &page); err != nil {
					r.Fatal(err)
				}
				for _, row := range page.Data {
					if text, _ := row[c.row].(string); text != "" {
						r.requireText(client.Clean(text))
					}
				}
			})
		})
	}
	if shown < 8 {
		t.Errorf("%d recorded lists were shown", shown)
	}
}
