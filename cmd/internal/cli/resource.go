package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/client/account"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
	"lookout/views/resource"
)

// A scriptResource describes one kind of API object: its commands, columns and help are made from it. Its rows have any
// type, so that the program holds the code of the commands once and not for each type of row.
type scriptResource struct {
	name, singular string // "services", "service"; the journal uses the singular
	description    string
	examples       string // command lines
	// how the command line names one object: "ID"; empty if there is only one
	idArg       string
	id          func(any) string             // nil if rows have none
	identify    func(any) (id, label string) // for questions and reports: clean text
	columns     []resource.ColumnDefinition[any]
	list        func(context.Context, *scriptSession, listOptions) iter.Seq2[any, error]
	listArgs    string // "CLUSTER/BUCKET [PREFIX]"
	listName    string // of the command that lists; "" is list
	listSummary string // what it does; "" is "List the services"
	listFlags   func(*pflag.FlagSet, *listOptions)
	get         func(ctx context.Context, s *scriptSession, id string) (any, error)
	subcommands []subcommand
	idNames     cobra.CompletionFunc   // of the argument that names one object
	listNames   []cobra.CompletionFunc // of the arguments of the list
	offline     bool                   // needs no API and so no token
	includes    []scriptResource       // resources whose commands are among these: links among objects
	// columnsByName returns the columns with what names the rows that these refer to; nil is columns
	columnsByName func(context.Context, *scriptSession) []resource.ColumnDefinition[any]
}

// listOptions holds the arguments and flags of a list.
type listOptions struct {
	args     []string
	since    string
	outcomes []string
	given    resource.ListQuery // by the flags that the resource declares
	output.RowQuery
}

// rowsOf iterates over the rows that a function reads, and then over its error.
func rowsOf[T any](read func() ([]T, error)) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		rows, err := read()
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// A subcommand changes a row, creates one, or reads something that get and list do not.
type subcommand struct {
	name            string
	description     string
	details         string                 // its help, if the description is not enough
	op              string                 // the client's operation: client.OpDeleteContact; "" if it changes nothing
	otherOps        []string               // further operations that the change may need
	verb            string                 // begins the question before the change: "Deletes"
	args            string                 // arguments after the one that names the row, or all with noTarget
	names           []cobra.CompletionFunc // of these arguments
	noTarget        bool                   // there is no row yet, or args name it
	asks            askRule
	doneMessage     string                           // reported after the name if there is no row to show
	printsOwnResult bool                             // it reports the result itself
	columns         []resource.ColumnDefinition[any] // of its result; nil is the resource's
	recoveryHint    func(row any) string             // what to do if the result cannot be shown; nil adds nothing
	bindFlags       func(*pflag.FlagSet) planFunc
	// check returns what is wrong with the flags and arguments before anything is read; nil checks nothing
	check func(*pflag.FlagSet, []string) error
}

// A planFunc checks the arguments and flags, reads what it needs, and returns the change that they ask for.
type planFunc func(ctx context.Context, s *scriptSession, row any, args []string) (change, error)

// withoutFlags adapts a plan that has no flags.
func withoutFlags(plan planFunc) func(*pflag.FlagSet) planFunc {
	return func(*pflag.FlagSet) planFunc { return plan }
}

// indentExamples indents command lines for the help.
func indentExamples(lines string) string {
	if lines == "" {
		return ""
	}
	return "  " + strings.ReplaceAll(lines, "\n", "\n  ")
}

// acceptsLabel reports whether the command line may also name an object by its label.
func (r scriptResource) acceptsLabel() bool {
	return r.idArg == "ID" && r.identify != nil && r.list != nil
}

// argUsage returns how the help names the argument: "ID|LABEL".
func (r scriptResource) argUsage() string {
	switch {
	case r.name == "contacts": // which have no label
		return "ID|NAME"
	case r.acceptsLabel():
		return "ID|LABEL"
	}
	return r.idArg
}

// find returns the object that a word of the command line names: by its ID, or by a label that no other one has.
func (r scriptResource) find(ctx context.Context, s *scriptSession, word string) (any, error) {
	if _, err := strconv.Atoi(word); err == nil || !r.acceptsLabel() {
		return r.get(ctx, s, word)
	}
	var found any
	var ids []string
	for row, err := range r.list(ctx, s, listOptions{}) {
		if err != nil {
			return nil, err
		}
		if id, label := r.identify(row); label == word || label == client.Clean(word) {
			found, ids = row, append(ids, id)
		}
	}
	switch len(ids) {
	case 0:
		return nil, exit.WithCode(
			exit.CodeNotFound,
			fmt.Errorf("no %s is called %q; lookout %s list shows them all", r.singular, client.Clean(word), r.name),
		)
	case 1:
		return found, nil
	}
	return nil, exit.Usage(
		fmt.Errorf(
			"%d %s are called %q; give one of their IDs: %s", len(ids), r.name, client.Clean(word),
			strings.Join(ids, ", "),
		),
	)
}

// listsAlone reports whether the resource's name alone lists it: nothing more must be said.
func (r scriptResource) listsAlone() bool {
	return r.list != nil && (r.listArgs == "" || strings.HasPrefix(r.listArgs, "["))
}

// newCommand returns the resource's command with all its subcommands.
func (r scriptResource) newCommand(f *config.Flags) *cobra.Command {
	c := &cobra.Command{
		Use:     r.name,
		Short:   r.description,
		Args:    NoArgs,
		Example: indentExamples(r.examples),
	}
	p := &output.Printer{}
	f.AddAccountFlags(c.PersistentFlags())
	f.AddDebugFlag(c.PersistentFlags())
	p.AddFlags(c.PersistentFlags())
	completeRowFlags(c.PersistentFlags(), r.columns)
	switch {
	case r.idArg == "" && r.get != nil:
		r.attachShow(c, f, p)
		get := &cobra.Command{
			Use:     "get",
			Aliases: []string{"list"},
			Short:   "The same as lookout " + r.name,
			Args:    NoArgs,
		}
		r.attachShow(get, f, p)
		c.AddCommand(get)
		shareExamples(c, strings.Split(r.examples, "\n"))
		return c
	case r.listsAlone():
		r.attachList(c, f, p)
	default:
		c.RunE = requireSubcommand
	}
	r.addTo(c, f, p)
	for _, n := range r.includes {
		n.addTo(c, f, p)
	}
	shareExamples(c, strings.Split(r.examples, "\n"))
	return c
}

// shareExamples gives each subcommand the command lines that begin with its name.
func shareExamples(c *cobra.Command, lines []string) {
	for _, sub := range c.Commands() {
		var own []string
		for _, line := range lines {
			if strings.HasPrefix(line+" ", "lookout "+c.Name()+" "+sub.Name()+" ") {
				own = append(own, line)
			}
		}
		sub.Example = indentExamples(strings.Join(own, "\n"))
	}
}

// addTo adds the resource's subcommands to c.
func (r scriptResource) addTo(c *cobra.Command, f *config.Flags, p *output.Printer) {
	if r.idArg == "" && r.get != nil {
		only := &cobra.Command{Use: r.name, Short: r.description, Args: NoArgs}
		r.attachShow(only, f, p)
		c.AddCommand(only)
	}
	if r.list != nil {
		c.AddCommand(r.newListCommand(f, p))
	}
	if r.get != nil && r.idArg != "" {
		get := &cobra.Command{Use: "get " + r.argUsage(), Short: "Show one " + r.singular, Args: ArgsFromUse}
		get.RunE = r.withSession(f, p, r.columns, r.show(r.idArg, p))
		completeArgs(get, r.idNames)
		c.AddCommand(get)
	}
	for _, v := range r.subcommands {
		c.AddCommand(r.newSubcommand(f, p, v))
	}
}

// attachShow makes c show the only object of its kind.
func (r scriptResource) attachShow(c *cobra.Command, f *config.Flags, p *output.Printer) {
	c.RunE = r.withSession(f, p, r.columns, r.show("", p))
}

// withSession returns a command's run function that opens the account first.
func (r scriptResource) withSession(
	f *config.Flags, p *output.Printer, columns []resource.ColumnDefinition[any],
	do func(context.Context, *scriptSession, []string) error, options ...client.Option,
) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		p.Out = c.OutOrStdout()
		if err := p.Check(columns); err != nil {
			return err
		}
		s, end, err := startSession(c, f, !r.offline, options...)
		if err != nil {
			return err
		}
		defer end()
		s.printer = p
		return s.journal.outcomeError(s.writeRows(c.Context(), do(c.Context(), s, args)))
	}
}

func (r scriptResource) show(named string, p *output.Printer) func(context.Context, *scriptSession, []string) error {
	return func(ctx context.Context, s *scriptSession, args []string) error {
		word := ""
		if named != "" {
			word = args[0]
		}
		it, err := r.find(ctx, s, word)
		if err != nil {
			return err
		}
		return output.WriteRow(ctx, *p, r.columnsFor(ctx, s), it)
	}
}

func (r scriptResource) newListCommand(f *config.Flags, p *output.Printer) *cobra.Command {
	c := &cobra.Command{
		Use:   strings.TrimSpace(cmp.Or(r.listName, "list") + " " + r.listArgs),
		Short: cmp.Or(r.listSummary, "List the "+r.name),
		Args:  ArgsFromUse,
	}
	if r.listName == "" {
		c.Aliases = []string{"ls"}
	}
	if r.listsAlone() {
		c.Short += "; the same as lookout " + r.name
	}
	r.attachList(c, f, p)
	completeArgs(c, r.listNames...)
	return c
}

// attachList makes c list the objects.
func (r scriptResource) attachList(c *cobra.Command, f *config.Flags, p *output.Printer) {
	var q listOptions
	q.AddFlags(c.Flags())
	if r.listFlags != nil {
		r.listFlags(c.Flags(), &q)
	}
	completeRowFlags(c.Flags(), r.columns)
	anyValue := slices.Clone(r.columns) // the API may have values that its document lacks: only the rows tell
	for i := range anyValue {
		anyValue[i].Pane.Choices = nil
	}
	c.PreRunE = func(*cobra.Command, []string) error { return q.Check(anyValue) }
	c.RunE = r.withSession(f, p, r.columns, func(ctx context.Context, s *scriptSession, args []string) error {
		q.args = args
		return output.WriteRows(ctx, *p, r.columnsFor(ctx, s), q.Rows(r.columns, r.list(ctx, s, q), s.now()))
	})
}

// columnsFor returns the columns to be printed. On a terminal, it first reads the lists that name what rows refer to.
func (r scriptResource) columnsFor(ctx context.Context, s *scriptSession) []resource.ColumnDefinition[any] {
	_, terminal := output.AsTerminal(s.out)
	if r.columnsByName == nil || !terminal || s.printsRows() {
		return r.columns
	}
	return r.columnsByName(ctx, s)
}

func (r scriptResource) newSubcommand(f *config.Flags, p *output.Printer, v subcommand) *cobra.Command {
	run := &subcommandRun{resource: r, subcommand: v, printer: p}
	words, names := []string{v.name, v.args}, v.names
	if !v.noTarget {
		words, names = []string{v.name, r.argUsage(), v.args}, append([]cobra.CompletionFunc{r.idNames}, names...)
	}
	c := &cobra.Command{
		Use:     strings.Join(strings.Fields(strings.Join(words, " ")), " "),
		Aliases: aliasesOf(v.name),
		Short:   v.description,
		Long:    v.details,
		Args:    ArgsFromUse,
	}
	run.plan = v.bindFlags(c.Flags())
	completeArgs(c, names...)
	if v.op != "" {
		asks := v.asks
		if asks == asksIfProtected && mayOpen(append(v.otherOps, v.op)...) {
			asks = asksIfPublic
		}
		addYesFlag(c.Flags(), &run.yes, asks)
		c.Flags().StringVar(&run.reason, "reason", "", "reason for the change, for the journal and the handover")
		addWaitFlag(c.Flags(), &run.wait, v.op)
		f.AddDryRunFlag(c.Flags())
	}
	c.Flags().SetNormalizeFunc(r.flagNames(c.Flags()))
	if v.check != nil {
		c.PreRunE = func(c *cobra.Command, args []string) error { return v.check(c.Flags(), args) }
	}
	var options []client.Option
	if v.op != "" {
		options = append(options, client.WithPriority()) // what a change reads first is part of it
	}
	c.RunE = r.withSession(f, p, run.columns(), run.run, options...)
	return c
}

// flagNames returns the function that takes the name of a column for the flag that panes and forms call otherwise:
// --service-type and --service_type for --type.
func (r scriptResource) flagNames(set *pflag.FlagSet) func(*pflag.FlagSet, string) pflag.NormalizedName {
	flags := map[string]string{}
	for _, c := range r.columns {
		name := strings.ReplaceAll(c.Name, "_", "-")
		if title := c.Pane.Title; title != name && set.Lookup(title) != nil && set.Lookup(name) == nil {
			flags[name] = title
		}
	}
	return func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		name = strings.ReplaceAll(name, "_", "-")
		return pflag.NormalizedName(cmp.Or(flags[name], name))
	}
}

// aliasesOf returns the other names of a command: what is deleted with one word in one place is with all in each.
func aliasesOf(name string) (others []string) {
	words := []string{"delete", "remove", "rm"}
	if name == "revoke" || slices.Contains(words, name) {
		others = slices.DeleteFunc(words, func(word string) bool { return word == name })
	}
	return others
}

// A subcommandRun runs a subcommand. Every change that a script makes takes this path.
type subcommandRun struct {
	resource   scriptResource
	subcommand subcommand
	printer    *output.Printer
	plan       planFunc
	yes        yesFlag
	reason     string
	wait       bool // if the answer is lost, until readings tell the outcome
}

// run finds the row, plans the change, asks for the consent that it needs, sends the change and shows the result.
func (r *subcommandRun) run(ctx context.Context, s *scriptSession, args []string) error {
	if err := r.yes.checkAccount(s.settings.Account); err != nil {
		return err
	}
	if r.subcommand.printsOwnResult && r.subcommand.columns == nil && s.printsRows() {
		return exit.Usage(fmt.Errorf("-o %s: this command prints no rows; leave it out", s.printer.Format))
	}
	var row any
	if !r.subcommand.noTarget {
		var err error
		if row, err = r.resource.find(ctx, s, args[0]); err != nil {
			return err
		}
		args = args[1:]
	}
	c, err := r.plan(ctx, s, row, args)
	if err != nil {
		return err
	}
	r.describe(&c, row)
	if c.send == nil {
		if c.unchanged != "" {
			s.reportf("no change: %s%s", c.name, c.unchanged)
		}
		return r.show(ctx, s, c, c.result)
	}
	if c.Deletes() && !s.dryRun {
		if sent, err := r.deletedBefore(s, c, row); sent || err != nil {
			return err
		}
	}
	approved, err := r.approve(ctx, s, c)
	if err != nil {
		return err
	}
	if s.dryRun {
		s.reportf("dry run: nothing is sent")
		if c.show != nil {
			return approved.dryRunError(s, c.show())
		}
		if _, err = c.send(ctx, approved); errors.Is(err, client.ErrDryRun) {
			err = nil
		}
		return approved.dryRunError(s, err)
	}
	after, err := c.send(ctx, approved)
	if err != nil {
		return r.lookUpLost(ctx, s, c, err)
	}
	if approved.success != "" {
		s.reportf("%s%s", c.name, approved.success)
		return nil
	}
	printed := watchFor(&r.printer.Out, approved.secret)
	if err := r.show(ctx, s, c, after); err != nil {
		return r.resource.resultNotPrinted(r.subcommand, after, err)
	}
	if approved.secret != "" {
		return printed.confirmSecret(approved, approved.key)
	}
	return nil
}

// deletedBefore reports whether a deletion was made from this machine a moment ago, so that it is not sent again, and
// says so if it was made in the last day.
func (r *subcommandRun) deletedBefore(s *scriptSession, c change, row any) (bool, error) {
	j, err := s.journal.getIfExists()
	if err != nil {
		return false, err
	}
	note, at := account.RecentDeletionNote(j, s.now(), c.Resource, c.ID, row)
	if note == "" {
		return false, nil
	}
	sent := s.now().Sub(at) < client.MaxReplicaLag
	s.reportf("%s%s: %s", map[bool]string{true: "no change: "}[sent], c.name, note)
	return sent, nil
}

// describe fills in what the plan left open: the operation and its target.
func (r *subcommandRun) describe(c *change, row any) {
	c.Op = cmp.Or(c.Op, r.subcommand.op)
	c.Resource = cmp.Or(c.Resource, r.resource.singular)
	c.Reason = cmp.Or(r.reason, c.Reason)
	id, label := client.NewText(c.ID).String(), client.NewText(c.Label).String()
	if !r.subcommand.noTarget {
		id, label = r.resource.identify(row)
		c.ID, c.Label = cmp.Or(c.ID, id), cmp.Or(c.Label, label)
	}
	c.name = targetName(c.Resource, id, label)
	c.summary = c.effect
	switch {
	case c.verb != "":
		c.summary = c.verb + c.name
		switch {
		case c.effect == "":
			c.effect = capitalize(c.summary)
		case !strings.Contains(c.effect, "(id "+c.ID):
			c.effect = capitalize(c.summary) + ". " + c.effect
		}
	case c.effect == "":
		c.effect = r.subcommand.verb + " " + c.name
		if c.detail != "" {
			c.effect += ": " + client.Clean(c.detail)
		}
		c.summary = c.effect
	}
}

// approve asks once for all operations of a change, and begins the change.
func (r *subcommandRun) approve(ctx context.Context, s *scriptSession, c change) (*approvedChange, error) {
	a := &approvedChange{api: s.api, change: c.Change, consents: map[string]*client.Consent{}}
	asks := max(r.subcommand.asks, c.asks)
	if c.opens {
		asks = max(asks, asksAlways)
	}
	asker := &scriptAsker{
		session:   s,
		summary:   c.summary,
		yes:       r.yes,
		needsName: asks == asksForAccount,
		opens:     c.opens,
	}
	question := client.ConsentQuestion{
		Effect:   c.effect,
		Required: asks >= asksAlways,
		Below:    c.below,
		Names:    c.names,
	}
	if asks == asksAlways {
		question.Word = cmp.Or(c.word, firstTypable(c.Label, c.ID))
	}
	ids := c.ids
	if ids == nil && c.names == nil {
		ids = []string{c.ID}
	}
	for _, op := range append([]string{c.Op}, r.subcommand.otherOps...) {
		question.Op = op
		covered := ids
		if op == client.OpDeleteObject && c.otherIDs != nil {
			covered = c.otherIDs
		}
		consent, err := s.api.Consent(ctx, asker, question, covered...)
		if err != nil {
			return nil, err
		}
		a.consents[op] = consent
	}
	a.refusal = asker.refusal
	var err error
	a.Writer, err = s.api.Begin(c.Change, a.consent())
	return a, err
}

// show prints the result of a subcommand.
func (r *subcommandRun) show(ctx context.Context, s *scriptSession, c change, row any) error {
	switch {
	case r.subcommand.printsOwnResult:
		return nil
	case r.subcommand.doneMessage != "":
		s.reportf("%s %s", c.name, r.subcommand.doneMessage)
		return nil
	}
	return output.WriteRow(ctx, *r.printer, r.columns(), row)
}

// columns returns the columns of the result.
func (r *subcommandRun) columns() []resource.ColumnDefinition[any] {
	if r.subcommand.columns != nil {
		return r.subcommand.columns
	}
	return r.resource.columns
}

// firstTypable returns the first of some names that can be typed as it is shown, or "".
func firstTypable(names ...string) string {
	for _, name := range names {
		if strings.TrimSpace(name) != "" && client.Clean(name) == name {
			return name
		}
	}
	return ""
}

// resultNotPrinted returns the error of a change that was applied, but whose result could not be printed. It must not
// look like a change that failed: sending it again might apply it twice.
func (r scriptResource) resultNotPrinted(v subcommand, after any, err error) error {
	name, next := "", ""
	row := after
	if created, isKey := after.(*createdKey); isKey {
		row = created.AccessKey
	}
	if r.identify != nil {
		id, label := r.identify(row)
		name = fmt.Sprintf("%s %s (%s): ", r.singular, label, id)
	}
	if v.recoveryHint != nil {
		next = "; " + v.recoveryHint(after)
	}
	return exit.WithCode(
		exit.CodeUnknown,
		fmt.Errorf("%sthe change was applied, but its result could not be printed (%w)%s", name, err, next),
	)
}
