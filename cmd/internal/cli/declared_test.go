package cli

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lookout/client/emulator"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/views"
	"lookout/views/resource"
)

// TestDeclarations_makeTheCommands tests that scripts have a command for every resource that views declares, one for
// each of its operations, a flag for each field that scripts can set, and no columns but the declared ones.
func TestDeclarations_makeTheCommands(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	commands := map[string]*cobra.Command{}
	for _, n := range resourceCommands() {
		c := n.newCommand(&config.Flags{})
		commands[c.Name()] = c
		for _, sub := range c.Commands() {
			commands[c.Name()+" "+sub.Name()] = sub
		}
	}
	for _, d := range views.Declarations() {
		line := strings.TrimSpace(d.Parent + " " + d.Name)
		if commands[line] == nil {
			t.Errorf("%s: no command", line)
			continue
		}
		if !strings.HasPrefix(commands[line].Short, d.Description) || d.Description == "" {
			t.Errorf("%s: %q, want %q", line, commands[line].Short, d.Description)
		}
		for _, op := range d.Operations {
			c := commands[line+" "+op.CommandName()]
			if c == nil && op.CommandName() != resource.PaneOnly {
				t.Errorf("%s: no command for %q", line, op.Name)
			}
			if c != nil {
				checkFlags(t, c, op)
			}
		}
		if op := cmp.Or(d.Calls.List, d.Calls.Get); op == "" || r.API.Serves(op) {
			checkHeader(t, r, line, d)
		}
	}
}

// checkFlags fails unless a command has the flags of an operation and no others.
func checkFlags(t *testing.T, c *cobra.Command, op resource.Operation[any]) {
	t.Helper()
	want, got := map[string]bool{"yes": true, "reason": true, "wait": true, "dry-run": true}, map[string]bool{}
	for _, f := range op.Draft(nil).Fields {
		if f.Script().Flag != "" {
			want[f.Script().Flag] = true
		}
	}
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { got[f.Name] = true })
	if !maps.Equal(got, want) {
		t.Errorf(
			"%s: flags %v, want %v",
			c.CommandPath(),
			slices.Sorted(maps.Keys(got)),
			slices.Sorted(maps.Keys(want)),
		)
	}
}

// checkHeader fails unless a list has the columns of a resource. Pane and scripts call a column by one name.
func checkHeader(t *testing.T, r *testEnv, line string, d resource.Resource[any]) {
	t.Helper()
	args := strings.Fields(line)
	switch {
	case d.ListArguments != "":
		args = append(args, "list", "us-east-1/acme-backups")
	case d.List != nil:
		args = append(args, "list")
	case d.Argument != "":
		args = append(args, "get", "us-east-1/acme-backups")
	}
	head, _, _ := strings.Cut(r.MustRun(append(args, "-o", "csv")...).Out, "\n")
	names := make([]string, len(d.Columns))
	for i, c := range d.Columns {
		names[i] = c.Name
	}
	if want := strings.Join(names, ","); head != want {
		t.Errorf("%s: columns %s, want %s", line, head, want)
	}
}

// A value that would not be sent is an error before anything is sent.
func TestSubcommands_refuseFlagsThatDoNotApply(t *testing.T) {
	r := newSerialEnv(t, emulator.Options{})
	t.Chdir(r.Home)
	for _, line := range []string{
		"services create --label shop --address https://shop.example.com --region us-east",
		"services update billing-api --region us-east",
		"services update billing-api --address db2.acme.net:5432 --region us-east --dry-run",
	} {
		r.CheckResult(
			r.Run(strings.Fields(line)...), exit.CodeUsage, "--region us-east does not apply: ", "private address",
		)
	}
	r.Write("docs/a.txt", "a")
	r.CheckResult(
		r.Run("objects", "put", "us-east-1/acme-backups", "x/", "docs", "-r", "--content-type", "text/css"),
		exit.CodeUsage, "--content-type is for a single file",
	)
	if sent := r.API.Ledger(); len(sent) > 0 {
		t.Errorf("sent %v", sent)
	}
	private := []string{"services", "update", "billing-api", "--address", "10.0.0.7:5432"}
	r.CheckResult(r.MustRun(append(private, "--region", "us-east")...), exit.CodeOK, "10.0.0.7:5432")
	r.CheckResult(r.MustRun("services", "get", "billing-api", "-o", "json"), exit.CodeOK, `"region": "us-east"`)
	r.MustRun("services", "update", "billing-api", "--address", "db2.acme.net:5432", "--region", "")
}

// TestServicesUpdate_emptiesCredentials tests that a script can take the credentials of a service away, and that an
// empty variable does not.
func TestServicesUpdate_emptiesCredentials(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	credentials := func() string {
		return strings.TrimSpace(r.MustRun("services", "list", "--jq", `.[] | select(.id==1).credentials`).Out)
	}
	r.MustRun("services", "update", "1", "--credential", "31,32")
	for _, value := range []string{"", "none,31", "5,none"} {
		r.CheckResult(r.Run("services", "update", "1", "--credential", value), exit.CodeUsage, "or none")
	}
	if got := credentials(); got != "[31,32]" {
		t.Errorf("credentials are %s", got)
	}
	r.MustRun("services", "update", "1", "--credential", "none")
	if got := credentials(); got != "[]" {
		t.Errorf("credentials are %s", got)
	}
	r.CheckResult(r.MustRun("services", "update", "1", "--credential", "none"), exit.CodeOK, "already has these values")
}
