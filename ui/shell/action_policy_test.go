package shell

import "testing"

// The message about a key that is bound twice says whose action is the program's.
func TestKeyConflict_String(t *testing.T) {
	for want, c := range map[string]KeyConflict{
		`the key "x" is bound twice in services: to "disable" and to "the program's quit"; only the first works`: {
			Key: "x", Pane: "services", Action: "services.disable", Other: "program.quit",
		},
		`the key "x" is bound twice in P-1: to "the program's a" and to "the program's b"; only the first works`: {
			Key: "x", Pane: "P-1", Action: "p-1.a", Other: "P-2.b",
		},
	} {
		if got := c.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
