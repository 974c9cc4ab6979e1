package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// createConfig writes a configuration where there is none.
func createConfig(path, text string) error {
	err := writePrivateFile(path, text)
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("configuration: %s is there already; lookout config edit opens it", path)
	case err != nil:
		return fmt.Errorf("configuration: %w", err)
	}
	return nil
}

// configTemplate is a configuration in which every key is told and commented out.
func configTemplate() string {
	var b strings.Builder
	b.WriteString("# The configuration of lookout. lookout config validate checks it.\n")
	for _, s := range topLevelKeys() {
		s.writeTemplate(&b)
	}
	b.WriteString("\n# An account; there may be several.\n# [accounts.production]\n")
	for _, s := range accountKeys() {
		s.writeTemplate(&b)
	}
	for _, t := range configTables() {
		fmt.Fprintf(&b, "\n# %s\n# %s\n", t.description, strings.ReplaceAll(t.example, "\n", "\n# "))
	}
	fmt.Fprintf(&b, "\n# %s\n# [keys]\n# \"services.disable\" = [\"d\", \"x\"]\n", keysDescription)
	return b.String()
}

func (s configKey[T]) writeTemplate(b *strings.Builder) {
	fmt.Fprintf(
		b,
		"\n# %s\n# It takes %s; without it: %s.\n# %s = %s\n",
		s.description,
		s.typeName(),
		s.defaultText,
		s.name,
		s.example,
	)
}

// exampleConfig is a configuration that is checked by a test.
func exampleConfig() string {
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
"services.disable" = ["d", "x"]
`
}
