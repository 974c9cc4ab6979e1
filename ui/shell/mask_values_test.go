package shell

import (
	"strings"
	"testing"
)

// With values hidden, private values are masked and the program's own words stay.
func TestMaskValues(t *testing.T) {
	for in, want := range map[string]string{
		"call +1 555 0100 now":           "call ** *** **** now",
		"call +44-20 now 12":             "call ****** now 12",
		"on +33 1 23 45 67 89 for 2 h":   "on *** * ** ** ** ** for 2 h",
		"+33 1 23 45 67 89 12 services":  "*** * ** ** ** ** 12 services",
		"mail ada@acme.net.":             "mail *************",
		"see https://x/y (soon)":         "see *********** (soon)",
		"on db1.acme.net, again":         "on ************, again",
		"at 192.0.2.7:22":                "at ************",
		"at 192.0.2.7":                   "at *********",
		"at 2001:db8::1":                 "at ***********",
		"at fe80::1a":                    "at ********",
		"at 21:04:10":                    "at 21:04:10",
		"ticket 482":                     "ticket ***",
		"id: 7 of 14":                    "id: * of 14",
		"1234 objects":                   "1234 objects",
		"12345 objects":                  "***** objects",
		"key 0123456789abcdef":           "key ****************",
		"key 0123456789abcde":            "key 0123456789abcde",
		"Acme is not acme":               "Acme is not ****",
		"10 +more -.-.-.-":               "10 +more -.-.-.-",
		"version 1.2":                    "version 1.2",
		"\x1b[1mada@acme.net\x1b[m done": "\x1b[1m************\x1b[m done",
		"日本@acme.net x":                  "************* x",
	} {
		if got := maskValues(in, "*", "acme"); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// Neither the screen nor the title of the terminal shows the account while values are hidden.
func TestShell_Frame_hidesValues(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, nil)
		b.rows = []string{"db1.acme.net"}
		b.press("r")
		if f := b.shell.Frame(); !strings.Contains(f.Title, "acme") {
			t.Errorf("title %q", f.Title)
		}
		b.shell.valuesHidden = true
		if f := b.shell.Frame(); strings.Contains(f.Content, "acme") || strings.Contains(f.Title, "acme") {
			t.Errorf("title %q\n%s", f.Title, b.screen())
		}
	})
}

// The message about a key that is bound twice says whose action is the program's.
func TestKeyConflict_String(t *testing.T) {
	for want, c := range map[string]KeyConflict{
		`the key "x" is bound twice in services: to "disable" and to "the program's quit"`: {
			Key: "x", Pane: "services", Action: "services.disable", Other: "program.quit",
		},
		`the key "x" is bound twice in Program-1: to "the program's a" and to "the program's b"; ignored for b`: {
			Key: "x", Pane: "Program-1", Action: "program-1.a", Other: "Program-2.b", Loser: "b",
		},
	} {
		if got := c.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Tabs are found by their whole names, and a run begins with the pane that was named.
func TestTabs_find(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, nil)
		for name, want := range map[string]int{"things": 0, "Things": -1, "thing": -1, "things2": -1, "": -1} {
			if got := b.shell.tabs.find(name); got != want {
				t.Errorf("%q: %d", name, got)
			}
		}
	})
}

// An account that is called like the current one can be opened.
func TestAccountMenu_similarNames(t *testing.T) {
	menu := accountMenu(&AccountInfo{
		Account:  "acme-prod-1",
		Accounts: []AccountChoice{{Name: "acme-prod-1"}, {Name: "acme-prod-2"}, {Name: "ACME-PROD-1"}},
	})
	for _, a := range menu.actions {
		if own := a.Name() == "acme-prod-1"; (a.DisabledReason != "") != own {
			t.Errorf("%s: %q", a.Name(), a.DisabledReason)
		}
	}
}
