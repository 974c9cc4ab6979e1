package cli

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
)

// A resourceCommand is a kind of thing with its commands.
type resourceCommand interface {
	newCommand(*config.Flags) *cobra.Command
	addTo(*cobra.Command, *config.Flags, *output.Printer)
}

// A resource describes a kind of thing; its commands, columns and help are all made from this.
type resource[T any] struct {
	name, singular string // "services", "service"; one is its kind in the journal
	description    string
	examples       string // command lines
	// how one is named on the command line: "ID"; empty where there is only one
	idArg          string
	identify       func(T) (id, label string) // for the journal and questions
	columns        []output.ColumnDefinition[T]
	list           func(context.Context, *scriptSession, listOptions) iter.Seq2[T, error]
	listArgs       string // "CLUSTER/BUCKET [PREFIX]"
	listFlags      func(*pflag.FlagSet, *listOptions)
	get            func(ctx context.Context, s *scriptSession, id string) (T, error)
	subcommands    []subcommand[T]
	offline        bool              // it needs no API, so no token
	listsByDefault bool              // the noun by itself lists
	includes       []resourceCommand // whose commands stand among these: links among objects
}

// listOptions is what a list was asked for.
type listOptions struct {
	args      []string
	since     string
	outcomes  []string
	recursive bool
	limit     int
}

// A subcommand changes one thing, or makes one.
type subcommand[T any] struct {
	name            string
	description     string
	args            string                   // beyond what names the thing; of a verb that makes one, all of them
	noTarget        bool                     // there is no thing yet
	confirmMessage  func(T, []string) string // the question before; nil asks nothing
	doneMessage     string                   // what is told where nothing is left to show: "is deleted"
	printsOwnResult bool                     // its work tells by itself what came of it
	takesReason     bool                     // takes --reason
	readOnlyMaxArgs int                      // with at most so many arguments it only reads; 0 always changes something
	recoveryHint    func(T) string           // what to do where what came of it cannot be shown; nil says nothing more
	bindFlags       func(*pflag.FlagSet) runFunc[T]
}

// runFunc does what a verb says. Without gone the thing that it returns is shown.
type runFunc[T any] func(ctx context.Context, s *scriptSession, it T, args []string) (T, error)

// withoutFlags is work without flags.
func withoutFlags[T any](w runFunc[T]) func(*pflag.FlagSet) runFunc[T] {
	return func(*pflag.FlagSet) runFunc[T] { return w }
}

// newCommand is the noun with all its commands.
func (r resource[T]) newCommand(f *config.Flags) *cobra.Command { return r.erase().newCommand(f) }

func (r resource[T]) addTo(c *cobra.Command, f *config.Flags, p *output.Printer) {
	r.erase().addTo(c, f, p)
}

// erase is the description without its type: the commands are made, and the program holds their code, once and not for
// each kind of row.
func (r resource[T]) erase() erasedResource {
	k := erasedResource{
		name:           r.name,
		singular:       r.singular,
		description:    r.description,
		examples:       r.examples,
		idArg:          r.idArg,
		listArgs:       r.listArgs,
		listFlags:      r.listFlags,
		offline:        r.offline,
		listsByDefault: r.listsByDefault,
		includes:       r.includes,
		columns:        output.EraseColumns(r.columns),
	}
	if r.identify != nil {
		k.identify = func(it any) (string, string) { return r.identify(it.(T)) }
	}
	if r.get != nil {
		k.get = func(ctx context.Context, s *scriptSession, id string) (any, error) { return r.get(ctx, s, id) }
	}
	if r.list != nil {
		k.list = func(ctx context.Context, s *scriptSession, q listOptions) iter.Seq2[any, error] {
			return func(yield func(any, error) bool) {
				r.list(ctx, s, q)(func(row T, err error) bool { return yield(row, err) })
			}
		}
	}
	for _, v := range r.subcommands {
		k.subcommands = append(k.subcommands, v.erase())
	}
	return k
}

// erase is the verb without its type.
func (v subcommand[T]) erase() subcommand[any] {
	p := subcommand[any]{
		name:            v.name,
		description:     v.description,
		args:            v.args,
		noTarget:        v.noTarget,
		doneMessage:     v.doneMessage,
		printsOwnResult: v.printsOwnResult,
		takesReason:     v.takesReason,
		readOnlyMaxArgs: v.readOnlyMaxArgs,
	}
	if v.recoveryHint != nil {
		p.recoveryHint = func(it any) string { return v.recoveryHint(assertRow[T](it)) }
	}
	if v.confirmMessage != nil {
		p.confirmMessage = func(it any, args []string) string { return v.confirmMessage(assertRow[T](it), args) }
	}
	p.bindFlags = func(set *pflag.FlagSet) runFunc[any] {
		do := v.bindFlags(set)
		return func(ctx context.Context, s *scriptSession, it any, args []string) (any, error) {
			return do(ctx, s, assertRow[T](it), args)
		}
	}
	return p
}

// assertRow is a thing with its type; of a verb that makes one there is none yet.
func assertRow[T any](it any) T {
	v, _ := it.(T)
	return v
}

// A erasedResource is a resource without its type.
type erasedResource struct {
	name, singular, description, idArg string
	examples                           string
	identify                           func(any) (id, label string)
	columns                            []output.ColumnDefinition[any]
	list                               func(context.Context, *scriptSession, listOptions) iter.Seq2[any, error]
	listArgs                           string
	listFlags                          func(*pflag.FlagSet, *listOptions)
	get                                func(ctx context.Context, s *scriptSession, id string) (any, error)
	subcommands                        []subcommand[any]
	offline, listsByDefault            bool
	includes                           []resourceCommand
}

// indentExamples are command lines as a help shows them.
func indentExamples(lines string) string {
	if lines == "" {
		return ""
	}
	return "  " + strings.ReplaceAll(lines, "\n", "\n  ")
}

// acceptsLabel reports whether a thing may be named by its label too.
func (r erasedResource) acceptsLabel() bool {
	return r.idArg == "ID" && r.identify != nil && r.list != nil
}

// argUsage is how help says that one is named.
func (r erasedResource) argUsage() string {
	if r.acceptsLabel() {
		return "ID|LABEL"
	}
	return r.idArg
}

// find is the thing that a word of the command line names: by its ID, or by a label that only one has.
func (r erasedResource) find(ctx context.Context, s *scriptSession, word string) (any, error) {
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
			fmt.Errorf("no %s is called %q; lookout %s list names them", r.singular, client.Clean(word), r.name),
		)
	case 1:
		return found, nil
	}
	return nil, exit.Usage(
		fmt.Errorf(
			"%d %s are called %q: give the ID of one, of %s",
			len(ids),
			r.name,
			client.Clean(word),
			strings.Join(ids, ", "),
		),
	)
}

// newCommand is the noun with all its commands.
func (r erasedResource) newCommand(f *config.Flags) *cobra.Command {
	c := &cobra.Command{
		Use:     r.name,
		Short:   r.description,
		Args:    NoArgs,
		Example: indentExamples(r.examples),
	}
	p := &output.Printer{}
	f.AddAccountFlags(c.PersistentFlags())
	c.PersistentFlags().StringVarP(
		&p.Format,
		"output",
		"o",
		"table",
		"how to write: "+strings.Join(output.Formats, ", "),
	)
	setFlagChoices(c.PersistentFlags(), "output", output.Formats...)
	switch {
	case r.idArg == "":
		r.attachShow(c, f, p)
		get := &cobra.Command{
			Use:     "get",
			Aliases: []string{"list"},
			Short:   "The same",
			Args:    NoArgs,
		}
		r.attachShow(get, f, p)
		c.AddCommand(get)
		return c
	case r.listsByDefault:
		r.attachList(c, f, p)
	default:
		c.RunE = requireSubcommand
	}
	r.addTo(c, f, p)
	for _, n := range r.includes {
		n.addTo(c, f, p)
	}
	return c
}

// addTo puts the noun's commands beneath c.
func (r erasedResource) addTo(c *cobra.Command, f *config.Flags, p *output.Printer) {
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
		get.RunE = r.withSession(f, p, r.show(r.idArg, p))
		c.AddCommand(get)
	}
	for _, v := range r.subcommands {
		c.AddCommand(r.newSubcommand(f, p, v))
	}
}

// attachShow lets the noun itself show the only thing that there is.
func (r erasedResource) attachShow(c *cobra.Command, f *config.Flags, p *output.Printer) {
	c.RunE = r.withSession(f, p, r.show("", p))
}

// withSession opens the account around a command's work.
func (r erasedResource) withSession(
	f *config.Flags,
	p *output.Printer,
	do func(context.Context, *scriptSession, []string) error,
) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		p.Out = c.OutOrStdout()
		if err := p.CheckFormat(); err != nil {
			return err
		}
		s, end, err := startSession(c, f, !r.offline)
		if err != nil {
			return err
		}
		defer end()
		return do(c.Context(), s, args)
	}
}

func (r erasedResource) show(named string, p *output.Printer) func(context.Context, *scriptSession, []string) error {
	return func(ctx context.Context, s *scriptSession, args []string) error {
		word := ""
		if named != "" {
			word = args[0]
		}
		it, err := r.find(ctx, s, word)
		if err != nil {
			return err
		}
		return output.WriteRow(*p, r.columns, it)
	}
}

func (r erasedResource) newListCommand(f *config.Flags, p *output.Printer) *cobra.Command {
	c := &cobra.Command{Use: strings.TrimSpace("list " + r.listArgs), Short: "List the " + r.name, Args: ArgsFromUse}
	if r.listsByDefault {
		c.Short = "The same as lookout " + r.name
	}
	r.attachList(c, f, p)
	return c
}

// attachList makes a command list.
func (r erasedResource) attachList(c *cobra.Command, f *config.Flags, p *output.Printer) {
	var q listOptions
	c.Flags().IntVar(&q.limit, "limit", 0, "stop after so many (default: all)")
	if r.listFlags != nil {
		r.listFlags(c.Flags(), &q)
	}
	c.RunE = r.withSession(f, p, func(ctx context.Context, s *scriptSession, args []string) error {
		q.args = args
		return output.WriteRows(*p, r.columns, limitRows(q.limit, r.list(ctx, s, q)))
	})
}

// limitRows is at most n of the rows; 0 is all.
func limitRows(n int, rows iter.Seq2[any, error]) iter.Seq2[any, error] {
	if n <= 0 {
		return rows
	}
	return func(yield func(any, error) bool) {
		left := n
		for row, err := range rows {
			if left--; !yield(row, err) || left == 0 {
				return
			}
		}
	}
}

func (r erasedResource) newSubcommand(f *config.Flags, p *output.Printer, v subcommand[any]) *cobra.Command {
	var yes consent
	var reason string
	words := []string{v.name, v.args}
	if !v.noTarget {
		words = []string{v.name, r.argUsage(), v.args}
	}
	c := &cobra.Command{
		Use:   strings.Join(strings.Fields(strings.Join(words, " ")), " "),
		Short: v.description,
		Args:  ArgsFromUse,
	}
	do := v.bindFlags(c.Flags())
	if !v.isReadOnly(strings.Fields(v.args)) {
		addYesFlag(c.Flags(), &yes, v.confirmMessage != nil)
	}
	if !v.noTarget || v.takesReason {
		c.Flags().StringVar(&reason, "reason", "", "why, for the journal and whoever takes over")
	}
	c.RunE = r.withSession(f, p, func(ctx context.Context, s *scriptSession, args []string) error {
		s.yes = yes
		return r.runSubcommand(withTarget(ctx, r.singular, "", "", reason), s, p, v, do, args)
	})
	return c
}

// runSubcommand looks at the thing, asks where something is lost, does the work and shows what came of it.
func (r erasedResource) runSubcommand(
	ctx context.Context,
	s *scriptSession,
	p *output.Printer,
	v subcommand[any],
	do runFunc[any],
	args []string,
) error {
	var it any
	name := ""
	if !v.noTarget {
		var err error
		if it, err = r.find(ctx, s, args[0]); err != nil {
			return err
		}
		args = args[1:]
		id, label := r.identify(it)
		name = fmt.Sprintf("%s %s (%s)", r.singular, label, id)
		ctx = withTarget(ctx, r.singular, id, label, "")
	}
	if err := r.confirmChange(ctx, s, v, it, args); err != nil {
		return err
	}
	after, err := do(ctx, s, it, args)
	if err != nil {
		return err
	}
	switch {
	case v.printsOwnResult:
		return nil
	case v.doneMessage != "":
		s.reportf("%s %s", name, v.doneMessage)
		return nil
	}
	err = output.WriteRow(*p, r.columns, after)
	if err != nil && !v.isReadOnly(args) {
		return r.resultNotPrinted(v, after, err)
	}
	return err
}

// isReadOnly reports whether the verb with such arguments changes nothing.
func (v subcommand[T]) isReadOnly(args []string) bool {
	return v.readOnlyMaxArgs > 0 && len(args) <= v.readOnlyMaxArgs
}

// confirmChange asks for the name of what would be lost, and on a protected account for its own before anything else is
// changed.
func (r erasedResource) confirmChange(
	ctx context.Context,
	s *scriptSession,
	v subcommand[any],
	it any,
	args []string,
) error {
	name, word := r.singular, ""
	if !v.noTarget {
		id, label := r.identify(it)
		name, word = name+" "+label, firstTypable(label, id)
	} else if len(args) > 0 {
		word = firstTypable(args[len(args)-1])
	}
	switch {
	case v.confirmMessage != nil:
		return s.confirm(ctx, v.confirmMessage(it, args), word)
	case !v.isReadOnly(args) && (s.settings.Protected || s.yes != ""):
		return s.confirm(
			ctx,
			fmt.Sprintf("Changes %s: %s", name, client.Clean(strings.Join(append([]string{v.name}, args...), " "))),
			s.settings.Account,
		)
	}
	return nil
}

// firstTypable is the first of some names that can be typed as it is shown; "" where none can.
func firstTypable(names ...string) string {
	for _, name := range names {
		if strings.TrimSpace(name) != "" && client.Clean(name) == name {
			return name
		}
	}
	return ""
}

// resultNotPrinted is a change that was made although what came of it could not be written. It must not pass for one
// that failed: doing it again would make a second one.
func (r erasedResource) resultNotPrinted(v subcommand[any], after any, err error) error {
	name, next := "", ""
	if r.identify != nil {
		id, label := r.identify(after)
		name = fmt.Sprintf(": %s %s (%s)", r.singular, label, id)
	}
	if v.recoveryHint != nil {
		next = "; " + v.recoveryHint(after)
	}
	return exit.WithCode(exit.CodeUnknown, fmt.Errorf("it was done%s, but could not be written%s: %w", name, next, err))
}

// parseID reads an ID of the command line.
func parseID(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, exit.Usage(fmt.Errorf("%q is no ID: a number is needed", text))
	}
	return n, nil
}

// getByID views a thing by the ID that the command line gives.
func getByID[T any](
	view func(context.Context, *scriptSession, int) (T, error),
) func(context.Context, *scriptSession, string) (T, error) {
	return func(ctx context.Context, s *scriptSession, id string) (T, error) {
		n, err := parseID(id)
		if err != nil {
			var none T
			return none, err
		}
		return view(ctx, s, n)
	}
}
