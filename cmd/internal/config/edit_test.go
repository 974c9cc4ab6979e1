package config

import (
	"strings"
	"testing"
)

const editedConfig = `# My file
theme = "dark" # mine
account = "prod"

# Ask Ada first.
[accounts.prod] # the real one
base_url = "https://x/v4"
token_command = [
  "pass", # a comment inside
  "show",
]
# red alert
color = "red"

# Play here.
[accounts."st.aging"]
base_url = "https://y/v4"
keyring = true

[keys]
"services.disable" = ["x"]
`

// An account is removed, renamed or given another token without touching any other line.
func TestEditAccounts_touchNothingElse(t *testing.T) {
	for name, c := range map[string]struct {
		edit func([]byte) ([]byte, error)
		want []string // replacements that lead from the file to the result
	}{
		"remove": {
			func(d []byte) ([]byte, error) { return RemoveAccount(d, "st.aging") },
			[]string{"# Play here.\n[accounts.\"st.aging\"]\nbase_url = \"https://y/v4\"\nkeyring = true\n", ""},
		},
		"remove the chosen one": {
			func(d []byte) ([]byte, error) { return RemoveAccount(d, "prod") },
			[]string{"account = \"prod\"\n", "", editedConfig[strings.Index(editedConfig, "# Ask"):strings.Index(
				editedConfig, "\n# Play")], ""},
		},
		"add": {
			func(d []byte) ([]byte, error) {
				d, _, err := AddAccount(d, "new", AccountBlock("new", "https://z/v4", "keyring = true"))
				return d, err
			},
			[]string{
				"[\"x\"]\n", "[\"x\"]\n\n[accounts.new]\nbase_url = \"https://z/v4\"\nkeyring = true\n",
			},
		},
		"rename": {
			func(d []byte) ([]byte, error) { return RenameAccount(d, "prod", "live.1") },
			[]string{"account = \"prod\"", "account = \"live.1\"", "[accounts.prod] #", "[accounts.\"live.1\"] #"},
		},
		"rename the other": {
			func(d []byte) ([]byte, error) { return RenameAccount(d, "st.aging", "staging") },
			[]string{"[accounts.\"st.aging\"]", "[accounts.staging]"},
		},
		"start with another": {
			func(d []byte) ([]byte, error) { return SetStartAccount(d, "st.aging") },
			[]string{"account = \"prod\"", "account = \"st.aging\""},
		},
		"start with one at last": {
			func(d []byte) ([]byte, error) {
				d, err := RemoveAccount(d, "prod")
				if err != nil {
					return nil, err
				}
				return SetStartAccount(d, "st.aging")
			},
			[]string{
				"# My file", "account = \"st.aging\"\n\n# My file", "account = \"prod\"\n", "",
				editedConfig[strings.Index(editedConfig, "# Ask"):strings.Index(editedConfig, "\n# Play")], "",
			},
		},
		"another token": {
			func(d []byte) ([]byte, error) { return SetTokenPlace(d, "prod", "keyring = true") },
			[]string{
				"token_command = [\n  \"pass\", # a comment inside\n  \"show\",\n]\n", "",
				"color = \"red\"\n", "color = \"red\"\nkeyring = true\n",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.edit([]byte(editedConfig))
			if want := strings.NewReplacer(c.want...).Replace(editedConfig); err != nil || string(got) != want {
				t.Errorf("%v\n%s\nwant\n%s", err, got, want)
			}
		})
	}
}

// A file that is written in another way is left alone.
func TestEditAccounts_refuseWhatTheyDoNotKnow(t *testing.T) {
	for _, text := range []string{
		"accounts = { prod = { base_url = \"https://x/v4\" } }\n",
		"accounts.prod.base_url = \"https://x/v4\"\n",
		"[accounts]\nprod = { base_url = \"https://x/v4\" }\n",
		"[accounts.prod\n",
		"",
	} {
		for name, edit := range map[string]func([]byte) ([]byte, error){
			"remove": func(d []byte) ([]byte, error) { return RemoveAccount(d, "prod") },
			"rename": func(d []byte) ([]byte, error) { return RenameAccount(d, "prod", "x") },
			"token":  func(d []byte) ([]byte, error) { return SetTokenPlace(d, "prod", "keyring = true") },
		} {
			if got, err := edit([]byte(text)); err == nil {
				t.Errorf("%s of %q gives %q", name, text, got)
			}
		}
	}
}
