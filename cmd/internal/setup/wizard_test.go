package setup

import (
	"slices"
	"testing"
)

func TestSplitCommandLine(t *testing.T) {
	for line, want := range map[string][]string{
		"":                                      nil,
		"  pass  show\tx ":                      {"pass", "show", "x"},
		`sh -c "echo demo"`:                     {"sh", "-c", "echo demo"},
		`op read 'op://Private/linode token/x'`: {"op", "read", "op://Private/linode token/x"},
		`a"b c"'d e'f ""`:                       {"ab cd ef", ""},
		`a\ b "say \"x\"" '\'`:                  {"a b", `say "x"`, `\`},
		`C:\Tools\pass.exe show`:                {`C:\Tools\pass.exe`, "show"},
		"größe \"é ü\"":                         {"größe", "é ü"},
	} {
		if got, err := splitCommandLine(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v", line, got, err)
		}
	}
	for _, line := range []string{`"`, `a 'b`, `"a\"`} {
		if got, err := splitCommandLine(line); err == nil {
			t.Errorf("%q: %q", line, got)
		}
	}
}
