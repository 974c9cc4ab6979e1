package main

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lookout/client"
)

// A noun is a kind of thing with its commands.
type noun interface {
	command(*flags) *cobra.Command
	under(*cobra.Command, *flags, *printer)
}

// A resource describes a kind of thing; its commands, columns and help are all made from this.
type resource[T any] struct {
	name, one string // "services", "service"; one is its kind in the journal
	about     string
	examples  string                     // command lines
	named     string                     // how one is named on the command line: "ID"; empty where there is only one
	ident     func(T) (id, label string) // for the journal and questions
	columns   []column[T]
	list      func(context.Context, *session, listing) iter.Seq2[T, error]
	listArgs  string // "CLUSTER/BUCKET [PREFIX]"
	listFlags func(*pflag.FlagSet, *listing)
	get       func(ctx context.Context, s *session, id string) (T, error)
	verbs     []verb[T]
	offline   bool   // it needs no API, so no token
	bare      bool   // the noun by itself lists
	also      []noun // whose commands stand among these: links among objects
}

// listing is what a list was asked for.
type listing struct {
	args      []string
	since     string
	outcomes  []string
	recursive bool
	limit     int
}

// A verb changes one thing, or makes one.
type verb[T any] struct {
	name  string
	about string
	args  string                   // beyond what names the thing; of a verb that makes one, all of them
	makes bool                     // there is no thing yet
	loses func(T, []string) string // the question before; nil asks nothing
	gone  string                   // what is told where nothing is left to show: "is deleted"
	quiet bool                     // its work tells by itself what came of it
	why   bool                     // takes --reason
	reads int                      // with at most so many arguments it only reads; 0 always changes something
	lost  func(T) string           // what to do where what came of it cannot be shown; nil says nothing more
	with  func(*pflag.FlagSet) work[T]
}

// work does what a verb says. Without gone the thing that it returns is shown.
type work[T any] func(ctx context.Context, s *session, it T, args []string) (T, error)

// as is work without flags.
func as[T any](w work[T]) func(*pflag.FlagSet) work[T] {
	return func(*pflag.FlagSet) work[T] { return w }
}

// command is the noun with all its commands.
func (r resource[T]) command(f *flags) *cobra.Command { return r.plain().command(f) }

func (r resource[T]) under(c *cobra.Command, f *flags, p *printer) { r.plain().under(c, f, p) }

// plain is the description without its type: the commands are made, and the program holds their code, once and not for each kind of row.
func (r resource[T]) plain() kind {
	k := kind{name: r.name, one: r.one, about: r.about, examples: r.examples, named: r.named, listArgs: r.listArgs, listFlags: r.listFlags, offline: r.offline, bare: r.bare, also: r.also, columns: plainly(r.columns)}
	if r.ident != nil {
		k.ident = func(it any) (string, string) { return r.ident(it.(T)) }
	}
	if r.get != nil {
		k.get = func(ctx context.Context, s *session, id string) (any, error) { return r.get(ctx, s, id) }
	}
	if r.list != nil {
		k.list = func(ctx context.Context, s *session, q listing) iter.Seq2[any, error] {
			return func(yield func(any, error) bool) {
				r.list(ctx, s, q)(func(row T, err error) bool { return yield(row, err) })
			}
		}
	}
	for _, v := range r.verbs {
		k.verbs = append(k.verbs, v.plain())
	}
	return k
}

// plain is the verb without its type.
func (v verb[T]) plain() verb[any] {
	p := verb[any]{name: v.name, about: v.about, args: v.args, makes: v.makes, gone: v.gone, quiet: v.quiet, why: v.why, reads: v.reads}
	if v.lost != nil {
		p.lost = func(it any) string { return v.lost(typed[T](it)) }
	}
	if v.loses != nil {
		p.loses = func(it any, args []string) string { return v.loses(typed[T](it), args) }
	}
	p.with = func(set *pflag.FlagSet) work[any] {
		do := v.with(set)
		return func(ctx context.Context, s *session, it any, args []string) (any, error) {
			return do(ctx, s, typed[T](it), args)
		}
	}
	return p
}

// typed is a thing with its type; of a verb that makes one there is none yet.
func typed[T any](it any) T {
	v, _ := it.(T)
	return v
}

// A kind is a resource without its type.
type kind struct {
	name, one, about, named string
	examples                string
	ident                   func(any) (id, label string)
	columns                 []column[any]
	list                    func(context.Context, *session, listing) iter.Seq2[any, error]
	listArgs                string
	listFlags               func(*pflag.FlagSet, *listing)
	get                     func(ctx context.Context, s *session, id string) (any, error)
	verbs                   []verb[any]
	offline, bare           bool
	also                    []noun
}

// examples are command lines as a help shows them.
func examples(lines string) string {
	if lines == "" {
		return ""
	}
	return "  " + strings.ReplaceAll(lines, "\n", "\n  ")
}

// byLabel reports whether a thing may be named by its label too.
func (r kind) byLabel() bool { return r.named == "ID" && r.ident != nil && r.list != nil }

// naming is how help says that one is named.
func (r kind) naming() string {
	if r.byLabel() {
		return "ID|LABEL"
	}
	return r.named
}

// find is the thing that a word of the command line names: by its ID, or by a label that only one has.
func (r kind) find(ctx context.Context, s *session, word string) (any, error) {
	if _, err := strconv.Atoi(word); err == nil || !r.byLabel() {
		return r.get(ctx, s, word)
	}
	var found any
	var ids []string
	for row, err := range r.list(ctx, s, listing{}) {
		if err != nil {
			return nil, err
		}
		if id, label := r.ident(row); label == word || label == client.Clean(word) {
			found, ids = row, append(ids, id)
		}
	}
	switch len(ids) {
	case 0:
		return nil, &exit{exitMissing, fmt.Errorf("no %s is called %q; lookout %s list names them", r.one, client.Clean(word), r.name)}
	case 1:
		return found, nil
	}
	return nil, usage(fmt.Errorf("%d %s are called %q: give the ID of one, of %s", len(ids), r.name, client.Clean(word), strings.Join(ids, ", ")))
}

// command is the noun with all its commands.
func (r kind) command(f *flags) *cobra.Command {
	c := &cobra.Command{Use: r.name, Short: r.about, Args: nothing, Example: examples(r.examples)}
	p := &printer{}
	f.ofAccount(c.PersistentFlags())
	c.PersistentFlags().StringVarP(&p.format, "output", "o", "table", "how to write: "+strings.Join(formats, ", "))
	oneOf(c.PersistentFlags(), "output", formats...)
	switch {
	case r.named == "":
		r.alone(c, f, p)
		get := &cobra.Command{Use: "get", Aliases: []string{"list"}, Short: "The same", Args: nothing}
		r.alone(get, f, p)
		c.AddCommand(get)
		return c
	case r.bare:
		r.lists(c, f, p)
	default:
		c.RunE = needsCommand
	}
	r.under(c, f, p)
	for _, n := range r.also {
		n.under(c, f, p)
	}
	return c
}

// under puts the noun's commands beneath c.
func (r kind) under(c *cobra.Command, f *flags, p *printer) {
	if r.named == "" && r.get != nil {
		only := &cobra.Command{Use: r.name, Short: r.about, Args: nothing}
		r.alone(only, f, p)
		c.AddCommand(only)
	}
	if r.list != nil {
		c.AddCommand(r.listCommand(f, p))
	}
	if r.get != nil && r.named != "" {
		get := &cobra.Command{Use: "get " + r.naming(), Short: "Show one " + r.one, Args: exactly}
		get.RunE = r.running(f, p, r.show(r.named, p))
		c.AddCommand(get)
	}
	for _, v := range r.verbs {
		c.AddCommand(r.verbCommand(f, p, v))
	}
}

// alone lets the noun itself show the only thing that there is.
func (r kind) alone(c *cobra.Command, f *flags, p *printer) {
	c.RunE = r.running(f, p, r.show("", p))
}

// running opens the account around a command's work.
func (r kind) running(f *flags, p *printer, do func(context.Context, *session, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		p.out = c.OutOrStdout()
		if err := p.check(); err != nil {
			return err
		}
		s, end, err := begin(c, f, !r.offline)
		if err != nil {
			return err
		}
		defer end()
		return do(c.Context(), s, args)
	}
}

func (r kind) show(named string, p *printer) func(context.Context, *session, []string) error {
	return func(ctx context.Context, s *session, args []string) error {
		word := ""
		if named != "" {
			word = args[0]
		}
		it, err := r.find(ctx, s, word)
		if err != nil {
			return err
		}
		return just(*p, r.columns, it)
	}
}

func (r kind) listCommand(f *flags, p *printer) *cobra.Command {
	c := &cobra.Command{Use: strings.TrimSpace("list " + r.listArgs), Short: "List the " + r.name, Args: exactly}
	if r.bare {
		c.Short = "The same as lookout " + r.name
	}
	r.lists(c, f, p)
	return c
}

// lists makes a command list.
func (r kind) lists(c *cobra.Command, f *flags, p *printer) {
	var q listing
	c.Flags().IntVar(&q.limit, "limit", 0, "stop after so many (default: all)")
	if r.listFlags != nil {
		r.listFlags(c.Flags(), &q)
	}
	c.RunE = r.running(f, p, func(ctx context.Context, s *session, args []string) error {
		q.args = args
		return all(*p, r.columns, first(q.limit, r.list(ctx, s, q)))
	})
}

// first is at most n of the rows; 0 is all.
func first(n int, rows iter.Seq2[any, error]) iter.Seq2[any, error] {
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

func (r kind) verbCommand(f *flags, p *printer, v verb[any]) *cobra.Command {
	var yes consent
	var reason string
	words := []string{v.name, v.args}
	if !v.makes {
		words = []string{v.name, r.naming(), v.args}
	}
	c := &cobra.Command{Use: strings.Join(strings.Fields(strings.Join(words, " ")), " "), Short: v.about, Args: exactly}
	do := v.with(c.Flags())
	if !v.reading(strings.Fields(v.args)) {
		consentVar(c.Flags(), &yes, v.loses != nil)
	}
	if !v.makes || v.why {
		c.Flags().StringVar(&reason, "reason", "", "why, for the journal and whoever takes over")
	}
	c.RunE = r.running(f, p, func(ctx context.Context, s *session, args []string) error {
		s.yes = yes
		return r.perform(about(ctx, r.one, "", "", reason), s, p, v, do, args)
	})
	return c
}

// perform looks at the thing, asks where something is lost, does the work and shows what came of it.
func (r kind) perform(ctx context.Context, s *session, p *printer, v verb[any], do work[any], args []string) error {
	var it any
	name := ""
	if !v.makes {
		var err error
		if it, err = r.find(ctx, s, args[0]); err != nil {
			return err
		}
		args = args[1:]
		id, label := r.ident(it)
		name = fmt.Sprintf("%s %s (%s)", r.one, label, id)
		ctx = about(ctx, r.one, id, label, "")
	}
	if err := r.permitted(ctx, s, v, it, args); err != nil {
		return err
	}
	after, err := do(ctx, s, it, args)
	if err != nil {
		return err
	}
	switch {
	case v.quiet:
		return nil
	case v.gone != "":
		s.say("%s %s", name, v.gone)
		return nil
	}
	err = just(*p, r.columns, after)
	if err != nil && !v.reading(args) {
		return r.untold(v, after, err)
	}
	return err
}

// reading reports whether the verb with such arguments changes nothing.
func (v verb[T]) reading(args []string) bool { return v.reads > 0 && len(args) <= v.reads }

// permitted asks for the name of what would be lost, and on a protected account for its own before anything else is changed.
func (r kind) permitted(ctx context.Context, s *session, v verb[any], it any, args []string) error {
	name, word := r.one, ""
	if !v.makes {
		id, label := r.ident(it)
		name, word = name+" "+label, typable(label, id)
	} else if len(args) > 0 {
		word = typable(args[len(args)-1])
	}
	switch {
	case v.loses != nil:
		return s.allowed(ctx, v.loses(it, args), word)
	case !v.reading(args) && (s.settings.Protected || s.yes != ""):
		return s.allowed(ctx, fmt.Sprintf("Changes %s: %s", name, client.Clean(strings.Join(append([]string{v.name}, args...), " "))), s.settings.Account)
	}
	return nil
}

// typable is the first of some names that can be typed as it is shown; "" where none can.
func typable(names ...string) string {
	for _, name := range names {
		if strings.TrimSpace(name) != "" && client.Clean(name) == name {
			return name
		}
	}
	return ""
}

// untold is a change that was made although what came of it could not be written. It must not pass for one that failed: doing it again would
// make a second one.
func (r kind) untold(v verb[any], after any, err error) error {
	name, next := "", ""
	if r.ident != nil {
		id, label := r.ident(after)
		name = fmt.Sprintf(": %s %s (%s)", r.one, label, id)
	}
	if v.lost != nil {
		next = "; " + v.lost(after)
	}
	return &exit{exitUnknown, fmt.Errorf("it was done%s, but could not be written%s: %w", name, next, err)}
}

// number reads an ID of the command line.
func number(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, usage(fmt.Errorf("%q is no ID: a number is needed", text))
	}
	return n, nil
}

// byNumber views a thing by the ID that the command line gives.
func byNumber[T any](view func(context.Context, *session, int) (T, error)) func(context.Context, *session, string) (T, error) {
	return func(ctx context.Context, s *session, id string) (T, error) {
		n, err := number(id)
		if err != nil {
			var none T
			return none, err
		}
		return view(ctx, s, n)
	}
}
