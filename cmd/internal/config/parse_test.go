package config

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lookout/client/faulttest"
)

// parseErrorText returns the errors of a configuration, as the program prints them.
func parseErrorText(text string) string {
	_, wrong := Parse([]byte(text))
	if err := wrong.AsError("c.toml"); err != nil {
		return err.Error()
	}
	return ""
}

func TestParseConfig_errorPositions(t *testing.T) {
	const account = "[accounts.a]\nbase_url = \"https://x/v4\"\n"
	for text, want := range map[string][]string{
		"theme = \"pink\"\n":                                   {"c.toml:1:1:", "pink", "dark"},
		"\n  refesh = \"20s\"\n":                               {"c.toml:2:3:", "refesh", "refresh"},
		"refresh = \"1s\"\n":                                   {"c.toml:1:1:", "at least 5s"},
		"theme =\u00a0\"dark\"\n":                              {"c.toml:1:8:", "U+00A0 (no-break space)"},
		"theme = \"dark\"\u00a0\n" + account:                   {"c.toml:1:15:", "U+00A0"},
		"\u00a0\u00a0theme = \"dark\"\n":                       {"c.toml:1:1:", "U+00A0"},
		"theme\u202f= \"dark\"\n":                              {"c.toml:1:6:", "narrow no-break space"},
		"theme = \"dark\"\n\ufeff" + account:                   {"c.toml:2:1:", "U+FEFF (byte-order mark)"},
		account + "protected = true\u200b\n":                   {"c.toml:3:17:", "zero-width space"},
		account + "\"protected\u00a0\" = true\n":               {"c.toml:3:1:", "U+00A0"},
		"[accounts.a\u200b]\nbase_url = \"https://x/v4\"\n":    {"c.toml:1:12:", "U+200B"},
		"theme = \"dark\u00a0\"\n":                             {"c.toml:1:1: theme", "U+00A0"},
		"[accounts.a]\nbase_url = \"https://x/v4\u00a0\"\n":    {"c.toml:2:1:", "U+00A0"},
		"[accounts.a]\nbase_url = \"\ufeffhttps://x/v4\"\n":    {"c.toml:2:1:", "U+FEFF"},
		account + "token_file = \"/x\u00a0\"\n":                {"c.toml:3:1:", "U+00A0"},
		account + "token_command = [\"pass\u00a0show\"]\n":     {"c.toml:3:1:", "U+00A0"},
		account + "token_env = \"X\u200b\"\n":                  {"c.toml:3:1:", "U+200B"},
		"theme =\u00a0dark\n":                                  {"c.toml:1:", "start of value", "U+00A0"},
		"theme = \n":                                           {"c.toml:1:"},
		"ascii = 5\n":                                          {"c.toml:1:1:", "ascii", "true or false"},
		"account = \"b\"\n" + account:                          {"c.toml:1:1:", "no account \"b\""},
		account + "dialect = \"other\"\n":                      {"c.toml:3:1:", "dialect", "provider"},
		account + "protectd = true\n":                          {"c.toml:3:1:", "protected"},
		account + "color = \"pinkish\"\n":                      {"c.toml:3:1:", "green"},
		account + "token_file = \"x\"\n":                       {"c.toml:3:1:", "begin it with /"},
		account + "token_env = \"X\"\nkeyring = true\n":        {"c.toml:4:1:", "token_env is set too"},
		account + "token_command = []\n":                       {"c.toml:3:1:", "a list of strings"},
		"[accounts.a]\ntoken_file = \"/x\"\n":                  {"c.toml:1:11:", "base_url is missing"},
		"[accounts.a]\nbase_url = \"http://x/v4\"\n":           {"c.toml:2:1:", "https://"},
		"[accounts.\"a/b\"]\nbase_url = \"https://x/v4\"":      {"c.toml:1:11:", "letters"},
		"[themes.mine]\n bad = \"pinkish\"\n":                  {"c.toml:2:2: themes.mine.bad", "pinkish", "#rrggbb"},
		"[themes.mine]\nbase = \"pink\"\ngod = \"red\"\n":      {"c.toml:2:1:", "colorblind", "c.toml:3:1:", "accent"},
		"[themes.dark]\nbad = \"red\"\n":                       {"c.toml:1:9:", "choose another"},
		"[columns]\nservices = \"state\"\n":                    {"c.toml:2:1:", "a list of columns"},
		"notify = [\"bell\", \"horn\"]\n":                      {"c.toml:1:19:", "horn", "osc777"},
		account + "word = \"prod\"\n":                          {"c.toml:3:1:", "protected = true"},
		account + "notify_on = [\"everything\"]\n":             {"c.toml:3:14:", "service leaves ok"},
		"[keys]\n  disable = [\"d\"]\n":                        {"c.toml:2:3:", "PANE.ACTION"},
		"[keys]\n\"services.disable\" = 5\n":                   {"c.toml:2:1:", "list of keys"},
		"accounts.a = { base_url = \"https://x\", z = 1 }":     {"c.toml:1:40:", "unknown"},
		"x = \"\"\"\ntheme = \"pink\"\n\"\"\"\n theme = 1\n":   {"c.toml:1:1:", "c.toml:4:2: theme"},
		"theme = [\n1,\n]\nascii = 1":                          {"c.toml:1:1:", "c.toml:4:1: ascii"},
		"[accounts.a]\nbase_url = \"https://x\"\n[accounts.a]": {"c.toml:3:", "already exists"},
	} {
		faulttest.RunCase(t, "G2", fmt.Sprintf("%.60q", text), func(t *testing.T) {
			said := parseErrorText(text)
			for _, part := range want {
				if !strings.Contains(said, part) {
					t.Errorf("%q: %q does not say %q", text, said, part)
				}
			}
		})
	}
	if said := parseErrorText("a = 1\nb = 2\nc = 3\n"); strings.Count(said, "unknown") != 3 {
		t.Errorf("three mistakes are reported as %q", said)
	}
}

// TestFindPositions tests positions that a line scanner gets wrong: keys in inline tables, list elements on several
// lines, and quoted keys.
func TestFindPositions(t *testing.T) {
	const text = `accounts = { prod = { base_url = "https://x/v4", color = "red" } }
notify = [
  "bell", # not the element's own line
  # a comment between
  'horn',
]
[keys]
"services.disable" = ["d", "x"]
'a = b.c' = 1
[ themes . "my [own]" ] # blanks and brackets
bad."x" = 1
text = """
bad = 2
"""
`
	at := FindPositions([]byte(text))
	for _, c := range []struct {
		want Position
		got  Position
	}{
		{Position{1, 14}, at.At("accounts", "prod")},
		{Position{1, 50}, at.At("accounts", "prod", "color")},
		{Position{3, 3}, at.Element(0, "notify")},
		{Position{5, 3}, at.Element(1, "notify")},
		{Position{2, 1}, at.Element(2, "notify")},
		{Position{8, 1}, at.At("keys", "services.disable")},
		{Position{8, 28}, at.Element(1, "keys", "services.disable")},
		{Position{9, 1}, at.At("keys", "a = b.c")},
		{Position{10, 12}, at.At("themes", "my [own]")},
		{Position{11, 5}, at.At("themes", "my [own]", "bad", "x")},
		{Position{12, 1}, at.At("themes", "my [own]", "text")},
		{Position{1, 1}, at.At("themes", "nothing")},
	} {
		if c.got != c.want {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
}

// Cosmetic mistakes are reported and ignored. Mistakes that affect which account is used are not ignored.
func TestParseConfig_onlyFatalErrorsStopTheStart(t *testing.T) {
	faulttest.ReportCase(t, "G2", "grave mistakes")
	cfg, wrong := Parse(
		[]byte("theme = \"pink\"\nascii = true\nnonsense = 1\n[accounts.a]\nbase_url = \"https://x/v4\"\n"),
	)
	if len(wrong) != 2 || len(wrong.Fatal()) != 0 || !cfg.ASCII || cfg.Theme != "" || cfg.Accounts["a"].BaseURL == "" {
		t.Errorf("%+v, %v", cfg, wrong)
	}
	if _, wrong := Parse([]byte("[accounts.a]\nbase_url = 7\n")); len(wrong.Fatal()) != 1 {
		t.Errorf("%v", wrong)
	}
}

// For any text there is no panic, and every mistake has a position.
func FuzzConfig(f *testing.F) {
	faulttest.ReportCase(f, "J8", "FuzzConfig")
	for _, seed := range []string{
		Example(),
		Template(),
		"a.b.\"c.d\" = [[1], {x='#'}]",
		"[[accounts]]\n",
		"keys = 1",
		"accounts = 3\naccount = 4",
		"\"\"\"",
		"[a\n=",
		"'''\n]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, wrong := Parse([]byte(text))
		for _, m := range wrong {
			if m.Line < 1 || m.Column < 1 || m.Text == "" {
				t.Errorf("%+v", m)
			}
		}
	})
}

// A key that no terminal sends, or that is taken, is reported with what a key is.
func TestCheckKeyName(t *testing.T) {
	for _, key := range []string{
		"d", "D", "ä", "/", "+", "-", "ctrl+x", "alt+x", "alt+enter", "shift+tab", "ctrl+alt+left", "f5", "space",
		"ctrl+@", "?", "pgup",
	} {
		if err := checkKeyName(key); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	for key, want := range map[string]string{
		"ctrl+c":       "always ends lookout",
		"Ctrl+X":       `did you mean "ctrl+x"?`,
		"Enter":        `did you mean "enter"?`,
		"F5":           `did you mean "f5"?`,
		"ctrl+X":       `did you mean "ctrl+x"?`,
		"C-x":          `"C-x" is not a key; use a character, a name such as "enter"`,
		"<C-x>":        `after ctrl+ or alt+, as in "ctrl+x"`,
		"^x":           "is not a key; use",
		"return":       "is not a key; use",
		"f13":          "is not a key; use",
		"dd":           "is not a key; use",
		"hyper+everyt": "is not a key; use",
		"shift+d":      "is not a key; use",
		"":             "is not a key; use",
		" ":            "is not a key; use",
		"\x1b":         "is not a key; use",
	} {
		if err := checkKeyName(key); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %s", key, err, want)
		}
	}
}

// A mistake in the notation of the file is told in the words of the parser, with its place; for a value, with what one
// is.
func TestParse_notation(t *testing.T) {
	const values = `; a value is true, false, a list or a text in quotes, as in theme = "dark"`
	for text, want := range map[string]string{
		"theme = \"dark\nrefresh = \"20s\"\n":      "1:14: basic strings cannot have new lines",
		"theme =\nrefresh = \"20s\"\n":             "1:8: unexpected character U+000A at start of value" + values,
		"theme = ":                                 "1:8: expected value, not end of input" + values,
		"theme = dark\n":                           "1:9: unexpected character U+0064 'd' at start of value" + values,
		"refresh = 20s\n":                          "1:13: strings must be quoted" + values,
		"theme = \"dark\"\ntheme = \"light\"\n":    "2:1: key theme is already defined",
		"[accounts.a]\n[accounts.b]\n[accounts.a]": "3:2: table a already exists",
		"theme: dark\n":                            "1:6: expected '=' after key",
		"{\"theme\": \"dark\"}\n":                  "1:1: invalid character at start of key, U+007B '{'",
		"[accounts.a\n":                            "1:12: expected ']' to close table name",
		"x = [\"a\"\n":                             "1:9: array is incomplete",
		"theme = \"a\" refresh = \"20s\"\n":        "1:13: expected newline but got U+0072 'r'",
		"token_file = \"C:\\Users\\x\"\n":          "1:19: invalid hexadecimal digit in unicode escape sequence",
		"theme\u202f= \"dark\"\n": "1:6: expected '=' after key; " +
			"remove the invisible character U+202F (narrow no-break space) in column 6",
	} {
		_, wrong := Parse([]byte(text))
		if got := strings.Join(wrong.Texts("c"), "\n"); got != "c:"+want || len(wrong.Fatal()) == 0 {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Every key has a field for its value.
func TestKeys_haveFields(t *testing.T) {
	for _, s := range slices.Concat(TopLevelKeys(), AccountKeys(), commandKeys()) {
		if s.value(s.in) == nil {
			t.Errorf("no field has the tag %q", s.Name)
		}
	}
}

// A token has one place. A keyring that is not used is none.
func TestParseConfig_onePlaceForTheToken(t *testing.T) {
	for text, valid := range map[string]bool{
		"token_file = \"/t\"":                        true,
		"token_file = \"/t\"\nkeyring = false":       true,
		"token_file = \"/t\"\nkeyring = true":        false,
		"token_env = \"T\"\ntoken_command = [\"t\"]": false,
		"keyring = true\nlinode_cli = \"ops\"":       false,
	} {
		_, wrong := Parse([]byte("[accounts.a]\nbase_url = \"https://x/v4\"\n" + text + "\n"))
		if (len(wrong) == 0) != valid {
			t.Errorf("%q: %v", text, wrong)
		}
	}
}
