package views_test

import (
	"strings"
	"testing"
	"time"
	"unicode"

	"lookout/client/emulator"
)

// However far the columns of services scroll sideways, each row says which service it is.
func TestServices_scrollColumns_keepsLabel(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{80, 24}, func(r *harness) {
		r.press("3")
		header := func() string { return r.paneLines()[0] }
		if strings.Contains(header(), "updated") {
			t.Fatalf("every column is in sight at once:\n%s", r.screen())
		}
		for range 9 {
			r.press("<right>")
			r.requireText("billing-api", "billing-cron", "web-1")
		}
		if !strings.Contains(header(), "updated") {
			t.Fatalf("the last column does not come into sight:\n%s", r.screen())
		}
	})
}

// A filter with an unknown column says so and names the columns; it hides no row, and enter does not close it.
func TestFilter_unknownColumn(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{100, 30}, func(r *harness) {
		r.press("3", "/", "grup:web")
		r.requireText(`unknown column "grup" · columns: state, label, type, address`, "billing-api", "web-1")
		r.press("<enter>", "x")
		r.requireText("/grup:webx", `unknown column "grup"`, "billing-api")
		for range "up:webx" {
			r.press("<backspace>")
		}
		r.press("oup:web", "<enter>")
		r.requireText("/group:web", "web-1", "match")
		r.requireNoText("unknown column", "billing-api")
		r.press("d")
		r.requireText("Disable monitoring")
	})
}

// A value that a column never has is a typing error: the filter names the values, hides no row, and enter does not
// close it. The values are offered while the column's name stands alone.
func TestFilter_impossibleValue(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{100, 30}, func(r *harness) {
		r.press("3", "/", "status:")
		r.requireText("ok, problem, disabled, pending")
		r.press("problm", "<enter>")
		r.requireText("status:problm matches no row · this column has ok, problem", "billing-api", "web-1")
		r.press("<backspace>", "em", "<enter>")
		r.requireText("/status:problem", "billing-api", "match")
		r.requireNoText("matches no row", "web-1 ")
	})
}

// What is typed on the way to a filter never empties the list of services.
func TestFilter_unfinishedInputHidesNothing(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{100, 30}, func(r *harness) {
		r.press("3")
		for _, typed := range []string{
			"group:web", "!group:web", "state:problem|disabled", "off:>1d", "timeout:>=30", `"billing-api"`,
			"updated:<9999d",
			"updated:>2020-01-01", "issue:<1h", "web | billing", `group:""`,
		} {
			r.press("/")
			for _, letter := range typed {
				r.press(string(letter))
				if !strings.Contains(r.screen(), "▸") {
					t.Fatalf("%s: no row is left:\n%s", typed, r.screen())
				}
			}
			r.press("<enter>")
			r.requireText("/"+typed, " of 14 match")
			r.press("<esc>")
		}
	})
}

// Values that are compared are those of the API, not the cells'.
func TestFilter_comparesValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pane, filter string
		shown, gone  []string
	}{
		{"3", "off:>1d", []string{"billing-cron"}, []string{"billing-api", "web-1"}},
		{"3", "group:", []string{"status-page"}, []string{"billing-api", "web-1"}},
		{"3", "!issue:", []string{"billing-api"}, []string{"billing-cron", "web-1"}},
		{"3", `state:problem|disabled !"billing-api"`, []string{"billing-cron"}, []string{"billing-api", "web-1"}},
		{"2", "age:<1h", []string{"48213"}, []string{"48190"}},
		{"2", "ticket:=48213", []string{"48213"}, []string{"48190"}},
		{"8", "size:>100GiB", []string{"acme-backups"}, []string{"acme-assets"}},
		{"8", "objects:<1,000 | bucket:backups", []string{"acme-backups"}, []string{"acme-assets"}},
	} {
		startProgram(t, emulator.Options{}, screenSize{100, 30}, func(r *harness) {
			r.press(c.pane, "/", c.filter, "<enter>")
			list, _, _ := strings.Cut(r.screen(), "/"+c.filter)
			for _, text := range c.shown {
				if !strings.Contains(list, text) {
					t.Errorf("%s: %s is hidden:\n%s", c.filter, text, r.screen())
				}
			}
			for _, text := range c.gone {
				if strings.Contains(list, text) {
					t.Errorf("%s: %s is shown:\n%s", c.filter, text, r.screen())
				}
			}
		})
	}
}

// paletteFirst returns the entry of the palette at the cursor, which is the first one.
func (r *harness) paletteFirst() string {
	r.Helper()
	_, dialog, _ := strings.Cut(r.screen(), "Go to")
	_, entry, found := strings.Cut(dialog, "▸ ")
	if !found {
		r.Fatalf("the palette is empty:\n%s", r.screen())
	}
	entry, _, _ = strings.Cut(entry, "│")
	return strings.Join(strings.Fields(entry), " ")
}

// The palette opens the incident of a ticket or an issue by its number alone.
func TestPalette_ticketOpensIncident(t *testing.T) {
	t.Parallel()
	for _, typed := range []string{"48213", "#48213", "ticket 48213", "823", "#823"} {
		startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
			r.press(":", typed)
			if first := r.paletteFirst(); !strings.HasPrefix(first, "#823") || !strings.Contains(first, "issues") {
				t.Fatalf("%s: the first entry is %q:\n%s", typed, first, r.screen())
			}
			r.press("<enter>")
			r.requireText("ssue 823", "48213", "Ada Wong", "+1 555 0100")
		})
	}
}

// A telephone number finds its contact, however it is written, though nobody has opened the list of contacts.
func TestPalette_phoneNumber(t *testing.T) {
	t.Parallel()
	for _, typed := range []string{"+1 555 0100", "15550100", "0015550100", "(555) 0100", "555-0100"} {
		startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
			r.press(":", typed)
			if first := r.paletteFirst(); first != "Ada Wong · +1 555 0100 contacts" {
				t.Fatalf("%s: the first entry is %q:\n%s", typed, first, r.screen())
			}
			r.press("<enter>")
			r.requireText("▸ Ada Wong")
		})
	}
}

// An action with a row is that action on that row: with its form and its question, whatever is marked or in front.
func TestPalette_actionWithObject(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("3", "g", "<space>", "<space>", "1") // two other services are marked
		r.press(":", "disable web-1")
		if first := r.paletteFirst(); first != "disable web-1 services" {
			t.Fatalf("the first entry is %q:\n%s", first, r.screen())
		}
		r.press("<enter>")
		r.requireText("Disable monitoring of web-1")
		r.requireApplied()
		r.press("<ctrl+s>")
		r.requireApplied("disable service")
		r.requireText("web-1: ")
		r.press(":", "delete web-2", "<enter>")
		r.requireText("Delete service", "web-2")
		r.press("<esc>")
		r.requireApplied("disable service")
		r.press(":", "web-1 enable", "<enter>")
		r.requireApplied("disable service", "enable service")
		r.press(":", "enable web-1", "<enter>")
		r.requireText("enable: ")
		r.requireApplied("disable service", "enable service")
	})
}

// The palette finds the actions without a row that only another pane offers, goes there and starts them.
func TestPalette_actionsOfOtherPanes(t *testing.T) {
	t.Parallel()
	for typed, c := range map[string]struct{ entry, pane, dialog string }{
		"new cont":      {"new contact", "contacts", "New contact"},
		"new buck":      {"new bucket", "buckets", "New bucket"},
		"cancel object": {"cancel Object Storage", "buckets", "FOR GOOD"},
	} {
		startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
			r.press(":", typed)
			r.line(c.entry, c.pane)
			if n := strings.Count(r.screen(), c.entry); n != 1 {
				t.Errorf("%d entries for %q:\n%s", n, typed, r.screen())
			}
			r.press("<enter>")
			r.wait(2 * time.Second)
			r.requireText(c.dialog)
		})
	}
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("4", ":", "new cont")
		r.line("n", "new contact", "action")
		if n := strings.Count(r.screen(), "new contact"); n != 1 {
			t.Errorf("%d entries for the action of the pane in front:\n%s", n, r.screen())
		}
	})
}

// A typing error is forgiven in names of panes, actions and rows; what fits exactly comes first.
func TestPalette_forgivesTypingErrors(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"serivces":            "services pane 3",
		"contcats":            "contacts pane 4",
		"bililng-api":         "billing-api services",
		"status-pgae":         "status-page services",
		"Ada Wogn":            "Ada Wong contacts",
		"dsiable billing-api": "disable billing-api services",
		"disable biling-api":  "disable billing-api services",
		"web-1":               "web-1 services",
		"docs":                "docs services",
		"stats":               "stats pane 7",
	} {
		startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
			r.press(":", typed)
			if first := r.paletteFirst(); first != want {
				t.Errorf("%s: the first entry is %q, want %q:\n%s", typed, first, want, r.screen())
			}
		})
	}
}

// Where nothing matches, the palette names the lists that could not be searched.
func TestPalette_namesUnreadLists(t *testing.T) {
	t.Parallel()
	faults := func(emu *emulator.Emulator) {
		emu.InjectFault("list contacts", emulator.Fault{Status: 503})
	}
	startWithEmulator(t, emulator.Options{}, screenSize{120, 36}, faults, func(r *harness) {
		r.press(":", "5550100")
		r.requireText("nothing matches · not read: contacts")
	})
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press(":", "5559999")
		r.requireText("nothing matches")
		_, unread, _ := strings.Cut(r.screen(), "not read: ")
		unread, _, _ = strings.Cut(unread, "\n")
		for _, word := range strings.FieldsFunc(unread, func(c rune) bool { return !unicode.IsLetter(c) }) {
			if r.emu.Serves("list " + word) {
				t.Errorf("%s is called not read", word)
			}
		}
	})
}

// Sizes and times of objects are compared as the API sent them, and names are searched as before.
func TestFilter_objects(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.press("8", "/", "acme-backups", "<enter>", "<enter>")
		for _, c := range []struct{ typed, shown, gone string }{
			{"name:readme", "README.txt", "db/"},
			{"size:>1", "README.txt", "db/"},
			{"size:>1TiB", "none of", "README.txt"},
			{"modified:>1990-01-01 !db", "README.txt", "db/"},
			{"readme|db", "db/", "none of"},
		} {
			r.press("/", c.typed, "<enter>")
			list, _, _ := strings.Cut(r.screen(), " /"+c.typed)
			if !strings.Contains(list, c.shown) || strings.Contains(list, c.gone) {
				t.Errorf("%s:\n%s", c.typed, r.screen())
			}
			r.press("<esc>")
		}
	})
}
