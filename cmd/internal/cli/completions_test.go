package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lookout/client/emulator"
	"lookout/cmd/internal/config"
)

// The shell completes the values of flags and arguments, and file names only where a file is expected.
func TestValuesAreCompleted(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.WriteConfig("[themes.mine]\nbad = \"red\"\n")
	const files, nothing = "\n:0\n", "\n:4\n"
	_, panes, _ := strings.Cut(NewRootCommand().Flag("view").Usage, ": ")
	for line, want := range map[string]string{
		"--theme ": "auto dark light contrast contrast-light colorblind " +
			"colorblind-light mono mine" + nothing,
		"demo --theme ":                         "auto dark light",
		"watch --theme ":                        "auto dark light",
		"--view ":                               strings.ReplaceAll(panes, ",", "") + nothing,
		"demo --view ":                          "overview issues services",
		"journal --outcome ":                    "sent done as wanted not done unknown" + nothing,
		"objects link B N --method ":            "GET PUT DELETE" + nothing,
		"services create --type ":               "url tcp" + nothing,
		"services update 1 --type ":             "url tcp" + nothing,
		"buckets create B --acl ":               "private public-read authenticated-read public-read-write" + nothing,
		"buckets access B --acl ":               "private public-read authenticated-read public-read-write" + nothing,
		"objects acl B N ":                      "private public-read authenticated-read public-read-write" + nothing,
		"objects acl B ":                        nothing,
		"objects acl B N private ":              nothing,
		"services get ":                         "billing-api\tid 1 billing-web\tid 2",
		"services get billing-w":                "billing-web\tid 2" + nothing,
		"services get 12":                       "12\tsearch" + nothing,
		"services list ":                        nothing,
		"keys create x --bucket ":               "us-east-1/acme-backups: us-east-1/acme-www:",
		"keys create x --secret-file ":          files,
		"credentials create x --password-file ": files,
		"objects put B N ":                      files,
		"objects put B ":                        nothing,
		"objects get B N ":                      files,
		"certificates upload B ":                files,
		"certificates upload B cert.pem ":       files,
		"config validate ":                      files,
		"config show ":                          nothing,
		"--config ":                             files,
		"--log-file ":                           files,
		"--token-file ":                         files,
		"services list --token-file ":           files,
		"--base-url ":                           nothing,
		"services list -o ":                     "table json ndjson csv" + nothing,
	} {
		args := strings.Split(line, " ")
		s := r.MustRun(append([]string{"__complete"}, args...)...)
		got := strings.ReplaceAll(s.Out, "\n", " ")
		if want := strings.ReplaceAll(want, "\n", " "); !strings.HasPrefix(" "+got, " "+strings.TrimPrefix(want, " ")) {
			t.Errorf("%q completes %q, not %q", line, got, want)
		}
	}
}

// The shell offers files for the flags that take one, on every command.
func TestFilesAreCompleted(t *testing.T) {
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		look := func(f *pflag.Flag) {
			file := f.Name == "config" || strings.HasSuffix(f.Name, "-file") || strings.HasPrefix(f.Usage, "file ")
			complete, said := c.GetFlagCompletionFunc(f.Name)
			directive := noFiles
			if said && file { // others may ask the API for names
				_, directive = complete(c, nil, "")
			}
			if file && directive != cobra.ShellCompDirectiveDefault {
				t.Errorf("%s --%s offers no files", c.CommandPath(), f.Name)
			}
		}
		c.Flags().VisitAll(look)
		c.PersistentFlags().VisitAll(look)
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(config.ForCompletion(NewRootCommand))
}
