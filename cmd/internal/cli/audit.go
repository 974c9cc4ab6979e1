package cli

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lookout/client"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/ui/table"
	"lookout/views/account/audit"
	"lookout/views/resource"
)

// auditCommand looks for what nobody notices until it is needed.
func auditCommand(f *config.Flags) *cobra.Command {
	c := &cobra.Command{
		Use:   "audit",
		Short: "Find problems that go unnoticed until they matter: services with no one to call, unlimited keys, …",
		Args:  NoArgs,
		Long: "Reads the account, and changes nothing. Finds services with no one to call, groups without a " +
			"phone number, contacts in no group that a service uses,\n" +
			"unused credentials, monitoring disabled with no end time or past its end, unlimited access keys and " +
			"public buckets, and names the buckets with a certificate of their own, " +
			"whose expiry date the API does not report.\n" +
			"What could not be read is \"not known\", never \"ok\". The exit code is 0 if nothing was found, 1 if " +
			"something was, and the code of the failure if nothing was found but a list could not be read.",
		Example: indentExamples("lookout audit\nlookout audit --ignore unlimited-key -o json"),
	}
	f.AddAccountFlags(c.Flags())
	ignored := c.Flags().StringSlice("ignore", nil, "leave out a check: "+strings.Join(audit.Checks(), ", "))
	setFlagChoices(c.Flags(), "ignore", audit.Checks()...)
	code := exit.CodeOK
	printsRows(c, auditColumns(), func(c *cobra.Command, _ []string) (iter.Seq[*audit.CheckResult], error) {
		for _, name := range *ignored {
			if !slices.Contains(audit.Checks(), name) {
				return nil, exit.Usage(fmt.Errorf(
					"--ignore %s: unknown check; use %s", client.Clean(name), strings.Join(audit.Checks(), ", "),
				))
			}
		}
		said, failure, err := runAudit(c, f, *ignored)
		found := func(o audit.CheckResult) bool { return o.State == audit.Found }
		missing := func(o audit.CheckResult) bool { return o.State == audit.NotKnown && o.ID == "" }
		switch {
		case slices.ContainsFunc(said, found):
			code = exit.CodeFailure
		case failure != nil && slices.ContainsFunc(said, missing):
			code = exit.CodeFor(failure)
		}
		return func(yield func(*audit.CheckResult) bool) {
			for i := range said {
				if !yield(&said[i]) {
					return
				}
			}
		}, err
	})
	return withExitCode(c, &code)
}

// auditColumns returns the columns of an audit.
func auditColumns() []resource.ColumnDefinition[*audit.CheckResult] {
	return []resource.ColumnDefinition[*audit.CheckResult]{
		{
			Name:  "state",
			Value: func(o *audit.CheckResult) string { return string(o.State) },
			Pane: table.Column[*audit.CheckResult]{
				Choices: []string{string(audit.OK), string(audit.Found), string(audit.NotKnown)},
			},
		},
		{
			Name:  "check",
			Value: func(o *audit.CheckResult) string { return o.Check },
			Pane:  table.Column[*audit.CheckResult]{Choices: audit.Checks()},
		},
		{Name: "kind", Value: func(o *audit.CheckResult) string { return o.Kind }, DropPriority: 2},
		{Name: "id", Value: func(o *audit.CheckResult) string { return o.ID }, DropPriority: 1},
		{Name: "label", Value: func(o *audit.CheckResult) string { return o.Label.Raw() }},
		{Name: "text", Value: func(o *audit.CheckResult) string { return o.Text }, IsClean: true},
		{Name: "next", Value: func(o *audit.CheckResult) string { return o.Next }, IsClean: true, DropPriority: 3},
	}
}

// runAudit audits the account, without the ignored checks. failure says why a list could not be read.
func runAudit(
	c *cobra.Command, f *config.Flags, ignored []string,
) (said []audit.CheckResult, failure, err error) {
	s, end, err := startSession(c, f, true)
	if err != nil {
		return nil, nil, err
	}
	defer end()
	j, err := s.journal.getIfExists()
	if err != nil {
		return nil, nil, err
	}
	said, failure = audit.Run(c.Context(), s.api, audit.Options{
		Windows: j.DisabledServices(),
		Now:     s.now(),
		Ignore:  ignored,
	})
	return said, failure, nil
}
