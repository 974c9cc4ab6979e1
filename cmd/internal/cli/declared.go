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

	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/lists"
	"lookout/client/window"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/ui/form"
	"lookout/views"
	"lookout/views/resource"
)

// declaration returns what views declares about a resource of the session's account.
func (s *scriptSession) declaration(name string) resource.Resource[any] {
	all := views.Resources(s.account)
	return all[slices.IndexFunc(all, func(r resource.Resource[any]) bool { return r.Name == name })]
}

// newDeclaredResource returns the commands of a resource.
func newDeclaredResource(r resource.Resource[any]) scriptResource {
	k := scriptResource{
		name:        r.Name,
		singular:    r.Singular,
		description: r.Description,
		idArg:       r.Argument,
		listArgs:    r.ListArguments,
		listSummary: "List the " + r.PluralName(),
		columns:     r.Columns,
		id:          r.ID,
		idNames:     namesOf(cmp.Or(r.ArgumentNames, r.Parent, r.Name)),
	}
	if r.Label != nil {
		k.identify = func(row any) (id, label string) { return client.Clean(r.ID(row)), r.Label(row) }
	}
	if len(r.Examples) > 0 {
		k.examples = "lookout " + strings.Join(r.Examples, "\nlookout ")
	}
	if r.List != nil {
		k.list = func(ctx context.Context, s *scriptSession, q listOptions) iter.Seq2[any, error] {
			for i, name := range strings.Fields(r.ListArguments) {
				if i < len(q.args) {
					q.given[strings.Trim(name, "[]")] = q.args[i]
				}
			}
			rows := s.declaration(r.Name).List(ctx, q.given)
			return func(yield func(any, error) bool) {
				rows(func(row any, err error) bool { return yield(row, withArgumentCode(err)) })
			}
		}
		k.listFlags = func(set *pflag.FlagSet, q *listOptions) {
			q.given = resource.ListQuery{}
			for _, f := range r.ListFlags {
				flag := set.VarPF(listFlag{q.given, f}, f.Name, f.Short, f.Usage)
				if f.Bool {
					flag.NoOptDefVal = "true"
				} else if f.Names != "" {
					config.CompleteFlag(set, f.Name, namesOf(f.Names))
				}
			}
		}
	}
	if len(r.TerminalReads) > 0 {
		k.columnsByName = func(ctx context.Context, s *scriptSession) []resource.ColumnDefinition[any] {
			own := s.declaration(r.Name)
			for _, list := range own.TerminalReads {
				list.Refresh()
			}
			s.account.Wait(ctx, nil) // what cannot be read stays unknown
			return own.Columns
		}
	}
	if r.Get != nil {
		k.get = func(ctx context.Context, s *scriptSession, id string) (any, error) {
			row, err := s.declaration(r.Name).Get(ctx, id)
			return row, withArgumentCode(err)
		}
	}
	for _, op := range r.Operations {
		if op.CommandName() != resource.PaneOnly {
			k.subcommands = append(k.subcommands, declaredOperation{r.Name, r.Singular, op}.subcommand())
		}
	}
	return k
}

// withArgumentCode gives an error of an argument its exit code.
func withArgumentCode(err error) error {
	var wrong *resource.ArgumentError
	switch {
	case !errors.As(err, &wrong):
		return err
	case wrong.NotFound:
		return exit.WithCode(exit.CodeNotFound, err)
	}
	return exit.Usage(err)
}

// A listFlag is the value of a flag by which a script says which rows it wants.
type listFlag struct {
	query resource.ListQuery
	flag  resource.ListFlag
}

// String returns the value.
func (f listFlag) String() string { return f.query[f.flag.Name] }

// Set takes the value.
func (f listFlag) Set(text string) error {
	if _, err := strconv.ParseBool(text); f.flag.Bool && err != nil {
		return err
	}
	f.query[f.flag.Name] = text
	return nil
}

// Type returns what the help calls the value.
func (f listFlag) Type() string {
	if f.flag.Bool {
		return "bool"
	}
	return "string"
}

// A declaredOperation is an operation that views declares.
type declaredOperation struct {
	resource, singular string
	op                 resource.Operation[any] // of an account that has not been read
}

// subcommand returns the command that performs the operation. Its flags and arguments are the fields of the pane's
// form.
func (d declaredOperation) subcommand() subcommand {
	draft := d.op.Draft(nil)
	v := subcommand{
		name:        d.op.CommandName(),
		description: d.help(),
		op:          d.op.Call,
		otherOps:    d.op.OtherCalls,
		noTarget:    d.op.Target == resource.NewRow,
	}
	if draft.Confirm != nil && draft.Confirm([]any{nil}).Required {
		v.asks = asksAlways
	}
	var words []string
	for _, f := range draft.Fields {
		if f.Script().Argument != "" {
			words, v.names = append(words, f.Script().Argument), append(v.names, namesOf(f.Script().Names))
		}
	}
	v.args = strings.Join(words, " ")
	v.check = func(set *pflag.FlagSet, args []string) error {
		fields, flags := d.op.Draft(nil).Fields, map[string]*pflag.Flag{}
		for _, f := range fields {
			if name := f.Script().Flag; name != "" {
				flags[f.Name] = set.Lookup(name)
			}
		}
		if !v.noTarget {
			args = args[1:]
		}
		return givenValues{flags, args}.fill(fields, d.singular, v.noTarget)
	}
	v.bindFlags = func(set *pflag.FlagSet) planFunc {
		flags := bindFields(set, draft.Fields, v.noTarget)
		return func(ctx context.Context, s *scriptSession, row any, args []string) (change, error) {
			return d.plan(ctx, s, row, givenValues{flags, args})
		}
	}
	return v
}

// help returns what the command does in one line.
func (d declaredOperation) help() string {
	switch name := d.op.CommandName(); {
	case d.op.CommandHelp != "":
		return d.op.CommandHelp
	case name == "update":
		return "Change " + withArticle(d.singular) + "; fields without a flag keep their values"
	case d.op.Description != "":
		return capitalize(name) + " " + withArticle(d.singular) + ": " + d.op.Description
	default:
		return capitalize(name) + " " + withArticle(d.singular)
	}
}

// withArticle returns a noun with its article: "a contact", "an instance".
func withArticle(noun string) string {
	if strings.ContainsAny(noun[:1], "aeiou") {
		return "an " + noun
	}
	return "a " + noun
}

// verb returns what the operation does, before the name of a thing: "create ", "deny access: ", "upload ".
func (d declaredOperation) verb() string {
	switch {
	case d.op.Target == resource.NewRow:
		return "create "
	case strings.Contains(d.op.Name, " "):
		return d.op.Name + ": "
	case d.op.Name == "edit": // whatever the command is called
		return "edit "
	}
	return d.op.CommandName() + " "
}

// plan fills in the form of the operation with the values of the command line, and returns the change that they ask
// for.
func (d declaredOperation) plan(
	ctx context.Context, s *scriptSession, row any, given givenValues,
) (c change, err error) {
	op, _ := s.declaration(d.resource).Operation(d.op.Name)
	if j, err := s.journal.getIfExists(); err == nil { // otherwise recording the change will fail, and say why
		s.account.Journal = j
	}
	if row != nil && op.Applies != nil && op.Applies(row) != "" && !op.RepeatInScripts {
		return change{result: row, unchanged: ": " + op.Applies(row)}, nil
	}
	for _, list := range op.ScriptReads {
		list.Refresh()
	}
	s.account.Wait(ctx, nil) // what cannot be read stays unknown
	draft := op.Draft(row)
	if err := errors.Join(given.fill(draft.Fields, d.singular, row == nil), given.checkUsed(draft.Fields)); err != nil {
		return c, err
	}
	attempt := draft.Attempt(row)
	if overlap := (*window.OverlapError)(nil); errors.As(attempt.Err, &overlap) {
		return c, exit.Usage(attempt.Err)
	}
	if attempt.Err != nil {
		return c, attempt.Err
	}
	if attempt.Unchanged {
		if !op.RepeatInScripts {
			err = given.checkAny()
		}
		return change{result: row, unchanged: " already has these values"}, err
	}
	c.Change = attempt.Change("", "")
	confirm := confirmationOf(draft, row)
	c.verb, c.effect = d.verb(), strings.TrimSuffix(confirm.Effect, ".")
	c.opens = confirm.Required && mayOpen(d.op.Call)
	c.send = func(ctx context.Context, a *approvedChange) (any, error) {
		if secrets, err := given.readSecrets(ctx, s, draft.Fields); err != nil {
			return row, err
		} else if secrets {
			attempt = draft.Attempt(row)
		}
		result, err := account.Send(ctx, a.api, attempt, &a.change, a.consents)
		if err != nil {
			return row, err
		}
		if result.HasRow() {
			row = result.Row
		}
		return row, d.report(s, a, draft, result, row)
	}
	return c, nil
}

// confirmationOf is the question before an operation on a row, or on none.
func confirmationOf(draft resource.Draft[any], row any) resource.ConfirmationSpec {
	switch {
	case draft.Confirm == nil:
		return resource.ConfirmationSpec{}
	case row == nil:
		return draft.Confirm(nil)
	}
	return draft.Confirm([]any{row})
}

// report says what became of a thing of which there is no row to show, and what else there is to know. A result that
// reading again does not confirm is an error.
func (d declaredOperation) report(
	s *scriptSession, a *approvedChange, draft resource.Draft[any], result lists.ChangeResult[any], row any,
) error {
	id, label := client.NewText(a.change.ID).String(), client.NewText(a.change.Label).String()
	name, text := targetName(a.change.Resource, id, label), d.op.SuccessText
	if draft.Success != nil {
		text = draft.Success(row)
	}
	switch {
	case result.Warn:
		return exit.WithCode(exit.CodeUnknown, fmt.Errorf("%s: %s; check again in a minute", name, text))
	case result.Deleted():
		a.success = " is " + text
	case !result.HasRow():
		a.success = ": " + text
	case draft.ScriptNote != nil:
		if note := draft.ScriptNote(row); note != "" {
			s.reportf("%s: %s", name, note)
		}
	}
	return nil
}

// givenValues are the flags and arguments of a command line that set the fields of a form.
type givenValues struct {
	flags map[string]*pflag.Flag // by the name of the field
	args  []string
}

// bindFields declares a flag for each field that scripts can set. The help shows the values that a new row begins with.
func bindFields(set *pflag.FlagSet, fields []form.Field, isNew bool) map[string]*pflag.Flag {
	flags := map[string]*pflag.Flag{}
	for _, f := range fields {
		name := f.Script().Flag
		if name == "" {
			continue
		}
		value := &fieldValue{text: f.Script().Default, kind: f.Kind()}
		if isNew && value.text == "" {
			value.text = f.Text()
		}
		flag := set.VarPF(value, name, "", f.Script().Usage)
		switch value.kind {
		case form.KindBool:
			flag.DefValue, flag.NoOptDefVal = strconv.FormatBool(value.text == "yes"), "true"
		case form.KindList:
			flag.DefValue = ""
		}
		if values := append(f.Options(), f.Script().Values...); values != nil {
			config.CompleteValues(set, name, values...)
		} else if f.Script().Names != "" {
			config.CompleteFlag(set, name, namesOf(f.Script().Names))
		}
		flags[f.Name] = flag
	}
	return flags
}

// A fieldValue is the value of a flag that sets a field.
type fieldValue struct {
	text  string
	kind  form.Kind
	given bool
}

// String returns the value.
func (v *fieldValue) String() string { return v.text }

// Set takes the value. A list may be given in several parts.
func (v *fieldValue) Set(text string) error {
	if v.given && v.kind == form.KindList {
		text = v.text + "," + text
	}
	v.text, v.given = text, true
	return nil
}

// Type returns what the help calls the value.
func (v *fieldValue) Type() string { return string(v.kind) }

// checkAny returns an error if none of the flags was given.
func (g givenValues) checkAny() error {
	var names []string
	for _, f := range g.flags {
		if f.Changed {
			return nil
		}
		names = append(names, "--"+f.Name)
	}
	slices.Sort(names)
	switch len(names) {
	case 0:
		return nil
	case 1, 2:
		return exit.Usage(errors.New("nothing to change: give " + strings.Join(names, " or ")))
	}
	return exit.Usage(errors.New("nothing to change: give a flag with a new value"))
}

// checkUsed returns an error if a flag sets a field that does not apply to the row: its value would not be sent.
func (g givenValues) checkUsed(fields []form.Field) error {
	for _, f := range fields {
		flag := g.flags[f.Name]
		if flag == nil || !flag.Changed || flag.Value.String() == "" || f.Applies() {
			continue
		}
		value := client.Clean(flag.Value.String())
		return exit.Usage(fmt.Errorf("--%s %s does not apply: %s", flag.Name, value, f.NoteText()))
	}
	return nil
}

// fill sets the fields that were given and checks them: all fields of a new row, otherwise only those.
func (g givenValues) fill(fields []form.Field, singular string, isNew bool) error {
	args, given := g.args, map[string]string{} // what the error calls a value, by field
	for _, f := range fields {
		if f.Secret() {
			continue
		}
		flag := g.flags[f.Name]
		text, name := "", "--"+f.Script().Flag
		switch {
		case f.Script().Argument != "":
			text, name, args = args[0], f.Script().Argument, args[1:]
		case f.Script().Default != "":
			text = flag.Value.String()
		case flag == nil || !flag.Changed:
			continue
		default:
			text = flag.Value.String()
		}
		shown := cmp.Or(client.Clean(text), `""`)
		value := name + " " + shown
		if !f.Script().CheckedLater {
			given[f.Name] = value
		}
		switch wrong := f.Set(text); {
		case wrong != "" && f.Script().Set != nil:
			return exit.Usage(fmt.Errorf("%s %s", name, wrong))
		case wrong != "" && f.Options() != nil:
			return exit.Usage(fmt.Errorf("unknown %s %q (%s)", name, shown, wrong))
		case wrong != "":
			return exit.Usage(fmt.Errorf("%s: %s", value, wrong))
		}
	}
	problems := form.Problems(fields)
	if err := missingFlags(fields, problems, given, singular); isNew && err != nil {
		return err
	}
	for _, p := range problems {
		if given[p.Field] != "" {
			return exit.Usage(fmt.Errorf("%s: %s", given[p.Field], p.Text))
		}
	}
	return nil
}

// readSecrets sets the secret fields, from files or standard input, and reports whether there are any.
func (g givenValues) readSecrets(ctx context.Context, s *scriptSession, fields []form.Field) (found bool, err error) {
	for _, f := range fields {
		flag := g.flags[f.Name]
		if flag == nil || !f.Secret() {
			continue
		}
		secret, err := s.readSecret(ctx, flag.Value.String(), f.Name)
		if err != nil {
			return found, err
		}
		found = true
		f.Set(secret.Reveal())
	}
	return found, nil
}

// missingFlags returns an error that names the flags that a new row needs and that were not given.
func missingFlags(fields []form.Field, problems []form.FieldProblem, given map[string]string, singular string) error {
	var missing []string
	for _, p := range problems {
		at := slices.IndexFunc(fields, func(f form.Field) bool { return f.Name == p.Field })
		if given[p.Field] == "" && fields[at].Script().Flag != "" && !fields[at].Secret() {
			missing = append(missing, "--"+fields[at].Script().Flag)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return exit.Usage(fmt.Errorf("a new %s needs %s", singular, strings.Join(missing, " and ")))
}

// capitalize returns a text with a capital first letter.
func capitalize(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// resourceCommands returns the commands of all kinds of objects: those that views declares, with what only scripts do,
// and those of scripts alone.
func resourceCommands() []scriptResource {
	byHand := map[string]func(scriptResource) scriptResource{
		"buckets":  bucketCommands,
		"objects":  objectCommands,
		"keys":     accessKeyCommands,
		"services": serviceCommands,
		"issues":   issueCommands,
	}
	var commands []scriptResource
	for _, declared := range views.Declarations() {
		r := newDeclaredResource(declared)
		if i := slices.IndexFunc(commands, func(c scriptResource) bool { return c.name == declared.Parent }); i >= 0 {
			commands[i].includes = append(commands[i].includes, r)
			continue
		}
		if add := byHand[r.name]; add != nil {
			r = add(r)
		}
		commands = append(commands, r)
	}
	return append(commands, storageResource(), journalResource())
}

// checkArg checks an argument of the command line with the form field that is bound to it.
func checkArg(name, value string, field form.Field) error {
	for _, p := range form.Problems([]form.Field{field}) {
		return exit.Usage(fmt.Errorf("%s %s: %s", name, cmp.Or(client.Clean(value), `""`), p.Text))
	}
	return nil
}
