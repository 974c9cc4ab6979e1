package shell

import "testing"

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
