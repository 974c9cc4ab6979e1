// Package resource holds the types that declare a kind of API object once: what people call it, its columns, how it is
// read, and every operation on it. Panes, script commands, help, permissions and the journal follow the declaration.
package resource

import (
	"cmp"
	"context"
	"iter"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client/account"
	"lookout/ui"
	"lookout/ui/form"
)

// Resource declares one kind of API object. T is a pointer to a row.
type Resource[T any] struct {
	Name        string   // "services": the tab, the script command, the key in the configuration
	Parent      string   // the resource among whose script commands this one's stand; "" has commands of its own
	Singular    string   // "service": the kind in the journal and in questions
	Plural      string   // "instances", where it differs from Name
	Description string   // of the script command: "People whom support may call"
	Examples    []string // command lines, without "lookout"
	// Argument is how a command line names one row: "ID", "CLUSTER/BUCKET". With "ID" it may give the label instead.
	// ArgumentNames is the resource whose names it takes, if it is another one: "buckets".
	Argument, ArgumentNames string

	ID      func(T) string // the identity in the journal and in consents: "7", "us-east-1/photos"; nil if it has none
	Label   func(T) string // what people call it; clean text; nil if it has only its ID
	Columns []ColumnDefinition[T]
	// PaneOrder names the columns of the pane in their order; nil is that of Columns, which is the order in scripts.
	PaneOrder []string
	// ListArguments are the arguments of the script's list: "CLUSTER/BUCKET [PREFIX]".
	ListArguments string
	ListFlags     []ListFlag
	// TerminalReads are lists that a script reads before it prints rows on a terminal: they name what rows refer to.
	TerminalReads []ui.Refresher
	// Calls are the client's operations that need a scope.
	Calls APICalls
	// List reads all rows for scripts, and Get the one that an argument of the command line names.
	List       func(context.Context, ListQuery) iter.Seq2[T, error]
	Get        func(ctx context.Context, id string) (T, error)
	Operations []Operation[T]
}

// A ListFlag is a flag by which a script says which rows it wants.
type ListFlag struct {
	Name, Short, Usage string
	Bool               bool   // it needs no value
	Names              string // as form.ScriptInput.Names
}

// APICalls are the client's operations on a resource; they know their scopes.
type APICalls struct {
	List, Get string // "list contacts", "view contact"
	Change    string // "" is that of the first of Operations
	Managed   bool   // the API allows them to unrestricted users of Managed alone
}

// ChangeCall returns the client's operation that changes a row; "" if there is none.
func (r Resource[T]) ChangeCall() string {
	if r.Calls.Change == "" && len(r.Operations) > 0 {
		return r.Operations[0].Call
	}
	return r.Calls.Change
}

// ListQuery holds the values of the ListArguments and the ListFlags that a script gave, by their names.
type ListQuery map[string]string

// PluralName returns what several rows are called: "instances".
func (r Resource[T]) PluralName() string { return cmp.Or(r.Plural, r.Name) }

// FetchOne reads a row again.
func (r Resource[T]) FetchOne(ctx context.Context, row T) (T, error) { return r.Get(ctx, r.ID(row)) }

// Operation returns the operation of a name, and whether there is one.
func (r Resource[T]) Operation(name string) (Operation[T], bool) {
	for _, o := range r.Operations {
		if o.Name == name {
			return o, true
		}
	}
	return Operation[T]{}, false
}

// OperationTarget says what an operation is performed on.
type OperationTarget int

// The targets.
const (
	OneRow  OperationTarget = iota // the row under the cursor
	AnyRows                        // the row under the cursor, or all marked rows, one change each
	NewRow                         // no row yet: the operation makes one
)

// Operation is one action that changes something, with everything that is known before there is a row or a value.
type Operation[T any] struct {
	Name        string // "disable": the action and its undo
	Command     string // of scripts, if CommandName cannot derive it; PaneOnly has none
	CommandHelp string // one sentence for the help of the script command, if Description is not enough
	// ScriptReads are lists that a script reads before it performs the operation.
	ScriptReads []ui.Refresher
	// RepeatInScripts lets scripts perform it where it does not apply: disabling again sets another end.
	RepeatInScripts bool
	Description     string   // one sentence for the help, if the name is not enough
	Scope           string   // how much it does unless the user chooses otherwise, for the hint: "1 h"
	Keys            []string // the keys in the pane
	Call            string   // the client's operation, which knows its scope: client.OpDisableService
	OtherCalls      []string // further operations of the client that it may send instead of Call, or before it
	Target          OperationTarget
	ShowInHints     bool
	BusyText        string // "disabling": shown at the row until the API has answered
	SuccessText     string // "monitoring is disabled": the message afterwards
	// Shows returns the value of a row that the operation changes, for a list that is behind it: "ok". nil shows none.
	Shows func(T) string
	// Applies returns why the operation cannot be performed on a row now, or "" if it can. nil always can.
	Applies func(T) string
	// Draft starts the operation: fields that are bound to new values, and what is made of them. For AnyRows it is
	// given the first row; for NewRow the zero T.
	Draft func(row T) Draft[T]
	// ReadDraft is Draft for panes, where the fields begin with values that lists do not have: it reads them first. It
	// runs outside the event loop. nil reads nothing.
	ReadDraft func(ctx context.Context, row T) Draft[T]
	// OnRejected offers something after a refusal, such as emptying a bucket first. nil offers nothing.
	OnRejected func(row T, err error) tea.Cmd
}

// EditOperation returns the operation that changes a row in a form.
func EditOperation[T any](call string, draft func(T) Draft[T]) Operation[T] {
	return Operation[T]{
		Name:        "edit",
		Keys:        []string{"e"},
		Call:        call,
		ShowInHints: true,
		BusyText:    "saving",
		SuccessText: "saved",
		Draft:       draft,
	}
}

// DeleteOperation returns the operation that deletes rows. help says what is lost.
func DeleteOperation[T any](call, help string, draft func(T) Draft[T]) Operation[T] {
	return Operation[T]{
		Name:        "delete",
		Description: help,
		Keys:        []string{"D"},
		Call:        call,
		Target:      AnyRows,
		BusyText:    "deleting",
		SuccessText: "deleted",
		Draft:       draft,
	}
}

// NewOperation returns the operation that makes a row. noun is what a row is called.
func NewOperation[T any](call, noun string, draft func(T) Draft[T]) Operation[T] {
	return Operation[T]{
		Name:        "new " + noun,
		Keys:        []string{"n"},
		Call:        call,
		Target:      NewRow,
		ShowInHints: true,
		BusyText:    "adding",
		SuccessText: "added",
		Draft:       draft,
	}
}

// ListAll returns a List that takes no flags.
func ListAll[T any](
	all func(context.Context) iter.Seq2[T, error],
) func(context.Context, ListQuery) iter.Seq2[T, error] {
	return func(ctx context.Context, _ ListQuery) iter.Seq2[T, error] { return all(ctx) }
}

// PaneOnly is the Command of an operation that scripts do not have, or have written by hand.
const PaneOnly = "-"

// CommandName returns the name of the script command: "create", "update", or the operation's own name.
func (o Operation[T]) CommandName() string {
	switch {
	case o.Command != "":
		return o.Command
	case o.Target == NewRow:
		return "create"
	case o.Name == "edit":
		return "update"
	}
	return o.Name
}

// Draft is an operation with its values. Its functions read the values that the fields are bound to.
type Draft[T any] struct {
	Title           string // of the form: "New contact"; for several rows it is the operation with their number
	Text            string // what it does, above the fields
	SubmitLabel     string // what the button says: "add"
	Fields          []form.Field
	Review          func() string // what will be sent, in words
	EnterSubmits    func() bool   // whether enter in a field may send; nil never does
	WhyResendIsSafe string        // why sending again after an unknown outcome does no harm; "" if it may
	// AsNew makes a new row of the values, for an edit whose row somebody has deleted. nil if they are not enough.
	AsNew func() Draft[T]
	// ClosesAtOnce closes the form when it is sent: the outcome is shown as a message. Otherwise the form stays open
	// until the API has accepted it.
	ClosesAtOnce bool
	// Confirm says what the operation does to rows, with the present values. nil asks nothing on an open account.
	Confirm func(rows []T) ConfirmationSpec
	// Attempt returns the change of one row with the present values, when it is about to be sent. Panes call it
	// on the event loop.
	Attempt func(row T) account.Attempt[T]
	// Success returns the message of one row without its label; nil is the operation's SuccessText. A form gives it the
	// row as the API returned it; everything else gives it the row that Attempt was given.
	Success func(row T) string
	// ScriptNote returns what a script reports beside the row, after its name. nil reports nothing.
	ScriptNote func(row T) string
	// Undo returns what undoes the operation once it was applied. nil, or an Undo without an operation, offers none.
	Undo func() Undo[T]
	// OnApplied returns what follows once rows have changed: a timer. nil does nothing.
	OnApplied func(rows []T) tea.Cmd
	// AfterSubmit replaces the message of what a form that stays open has made. told is false if the answer was lost
	// and reading again proved that it was made: the row is the one that proves it.
	AfterSubmit func(row T, told bool) tea.Cmd
	// CandidateOperation is offered on rows that may be what a create has made while nothing proves it, besides showing
	// them: "revoke". "" offers none. CandidateNote says why.
	CandidateOperation, CandidateNote string
}

// An Undo is the operation that undoes another one, with its values.
type Undo[T any] struct {
	Operation string // its name: "enable"
	Text      string // what the hint calls it: "enable again"
	Draft     Draft[T]
}

// ConfirmationSpec describes the question before an operation: what the operation does, and how it is confirmed.
type ConfirmationSpec struct {
	Title    string        // "Delete service"
	Effect   string        // kind, label, id and effect, in sentences
	Loss     string        // what is lost with several rows, in sentences; then their labels and ids are listed below
	Word     string        // what the user must type: a name; "" asks for yes or no
	Required bool          // ask on every account, because something is lost
	Delay    time.Duration // how long the answer is held back
	NoPaste  bool          // the word must be typed
}
