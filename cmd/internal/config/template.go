package config

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Create writes a new configuration. It never overwrites one.
func Create(path, text string) error {
	err := WritePrivateFile(path, text)
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("configuration: %s already exists; lookout config edit opens it", path)
	case err != nil:
		return fmt.Errorf("configuration: %w", err)
	}
	return nil
}

// Template returns a configuration in which every key is explained and commented out.
func Template() string {
	var b strings.Builder
	b.WriteString("# Configuration of lookout. lookout config validate checks it.\n")
	for _, s := range TopLevelKeys() {
		s.writeTemplate(&b)
	}
	b.WriteString("\n# An account. There can be several.\n# [accounts.production]\n")
	for _, s := range AccountKeys() {
		s.writeTemplate(&b)
	}
	for _, t := range Tables() {
		fmt.Fprintf(&b, "\n# %s\n# %s\n", t.Description, strings.ReplaceAll(t.Example, "\n", "\n# "))
	}
	fmt.Fprintf(&b, "\n# %s\n# [keys]\n# \"services.disable\" = [\"d\", \"ctrl+d\"]\n", KeysDescription)
	return b.String()
}

// Help returns the keys and tables of the configuration for help texts.
func Help() string {
	var b strings.Builder
	list := func(title string, keys []KeySpec) {
		names := make([]string, len(keys))
		for i, s := range keys {
			names[i] = s.Name
		}
		fmt.Fprintf(&b, "\n  %-15s  %s", title, strings.Join(names, ", "))
	}
	b.WriteString("These are its keys and tables; lookout config init writes a file that explains each of them:")
	list("top level", TopLevelKeys())
	list("[accounts.NAME]", AccountKeys())
	for _, t := range Tables() {
		meaning, _, _ := strings.Cut(t.Description, ". ")
		fmt.Fprintf(&b, "\n  %-15s  %s", "["+t.Title+"]", meaning)
	}
	meaning, _, _ := strings.Cut(KeysDescription, ". ")
	fmt.Fprintf(&b, "\n  %-15s  %s", "[keys]", meaning)
	return b.String()
}

func (s KeySpec) writeTemplate(b *strings.Builder) {
	fmt.Fprintf(
		b, "\n# %s\n# Value: %s. Default: %s.\n# %s = %s\n", s.Description, s.TypeName(), s.DefaultText, s.Name,
		s.example,
	)
}

// Example returns a configuration for the documentation.
func Example() string {
	return `theme = "auto"
refresh = "20s"
account = "production"

[accounts.production]
base_url = "https://api.linode.com/v4"
token_command = ["pass", "show", "linode"]
protected = true
color = "red"

[accounts.staging]
base_url = "https://api.linode.com/v4"
keyring = true

[keys]
"services.disable" = ["d", "ctrl+d"]
`
}
