package account

import (
	"context"
	"errors"
	"fmt"
	"lookout/client"
	"lookout/ui"
	"lookout/ui/table"
	"reflect"
	"slices"
	"strings"
)

// An editState is a form on a thing that exists: what it was opened on, what is to become of it, and what was seen
// last.
type EditState[R any] struct {
	Original, Latest, Edited R
}

// Before returns the values, as last read, of the members that the edit changes.
func (e *EditState[R]) Before() client.Patch {
	return membersOf(client.Diff(e.Edited, e.Latest), client.Diff(e.Original, e.Edited))
}

// membersOf returns the members of a patch that another one has too, inside objects as well.
func membersOf(patch, other map[string]any) client.Patch {
	common := client.Patch{}
	for name, value := range patch {
		outer, in := other[name]
		mine, isObject := asObject(value)
		theirs, wasObject := asObject(outer)
		switch {
		case !in:
		case isObject && wasObject:
			common[name] = membersOf(mine, theirs)
		default:
			common[name] = value
		}
	}
	return common
}

// errUnchanged refuses to send an edit that changes nothing.
var ErrUnchanged = errors.New("nothing has been changed: esc leaves")

// saveEdit looks at the thing once more and sends what was changed, and nothing else. What somebody else has changed
// meanwhile in the same members is shown instead of overwritten; sending again overwrites it.
func SaveEdit[T, R any](ctx context.Context, e *EditState[R], view func(context.Context) (T, error), request func(T) R,
	update func(context.Context, client.Patch) (T, error)) (ui.Result[T], error) {
	var none ui.Result[T]
	patch := client.Diff(e.Original, e.Edited)
	if len(patch) == 0 {
		return none, ErrUnchanged
	}
	row, err := view(ctx)
	if err != nil {
		return none, err
	}
	now := request(row)
	both := conflict{}
	both.find("", patch, client.Diff(e.Latest, now))
	if e.Latest = now; len(both) > 0 {
		both[""] = "somebody else changed this meanwhile: nothing was sent. ctrl+s sends yours over it, esc esc " +
			"leaves theirs"
		return none, both
	}
	return ui.ResultRow(update(client.ContextWithBefore(ctx, client.Diff(e.Edited, e.Original)), patch))
}

// A conflict is the members of a thing that two people changed at once, with what the other made of them.
type conflict map[string]string

func (c conflict) Error() string { return c[""] }

// Fields puts what the other wrote beneath the fields.
func (c conflict) Fields() map[string]string { return c }

// find compares two changes of the same thing, inside its objects too.
func (c conflict) find(path string, mine, theirs map[string]any) {
	for name, value := range mine {
		other, changed := theirs[name]
		inner, isObject := asObject(value)
		outer, wasObject := asObject(other)
		switch {
		case !changed || reflect.DeepEqual(value, other):
		case isObject && wasObject:
			c.find(path+name+".", inner, outer)
		case other == nil:
			c[path+name] = "is empty by now"
		default:
			c[path+name] = "is by now: " + client.Clean(strings.TrimSpace(fmt.Sprint(other)))
		}
	}
}

func asObject(value any) (map[string]any, bool) {
	switch v := value.(type) {
	case client.Patch:
		return v, true
	case map[string]any:
		return v, true
	}
	return nil, false
}

// missingScope is why the token cannot do what needs a scope ("account:read_write"); empty where it can, or where its
// scopes are not known yet.
func (a *Account) missingScope(scope string) string {
	have := a.Api.Scopes()
	area, _, _ := strings.Cut(scope, ":")
	for _, s := range strings.FieldsFunc(have, func(r rune) bool { return r == ' ' || r == ',' }) {
		if s == "*" || s == scope || s == area+":*" || s == area+":read_write" {
			return ""
		}
	}
	return ReasonIf(have != "" && have != "unknown", "the token has "+have+"; this needs "+scope)
}

// MissingScope returns why the token cannot perform an operation of the client; "" if it can, or if its scopes are not
// known yet.
func (a *Account) MissingScope(op string) string { return a.missingScope(client.RequiredScope(op)) }

// The scopes of the two areas that change something ("Authentication").
const (
	AccountWriteScope = "account:read_write"
	StorageWriteScope = "object_storage:read_write"
)

// requireScope greys the acts that change something where the token lacks the scope.
func RequireScope[T any](a *Account, scope string, acts []table.RowAction[T]) []table.RowAction[T] {
	for i, act := range acts {
		if act.Writes {
			acts[i].DisabledReason = func(row T) string {
				if why := a.missingScope(scope); why != "" || act.DisabledReason == nil {
					return why
				}
				return act.DisabledReason(row)
			}
		}
	}
	return acts
}

// requireScopeForActions is scoped for actions that need no row.
func (a *Account) RequireScopeForActions(scope string, actions ...ui.Action) []ui.Action {
	for i := range actions {
		if actions[i].Writes && actions[i].DisabledReason == "" {
			actions[i].DisabledReason = a.missingScope(scope)
		}
	}
	return actions
}

// createOutcome tells from the rows before and after whether a new one with the wanted fields has come: labels alone
// are not unique.
func CreateOutcome[T any](before, now []T, id func(T) int, same func(T) bool) ui.AttemptOutcome {
	held := map[int]bool{}
	for _, row := range before {
		held[id(row)] = true
	}
	for _, row := range now {
		if !held[id(row)] && same(row) {
			return ui.Applied
		}
	}
	return ui.Rejected
}

// updateOutcome tells from the rows read again whether a thing has the wanted fields.
func UpdateOutcome[T any](id int, of func(T) int, same func(T) bool) func([]T) ui.AttemptOutcome {
	return func(now []T) ui.AttemptOutcome {
		i := slices.IndexFunc(now, func(row T) bool { return of(row) == id })
		if i >= 0 && same(now[i]) {
			return ui.Applied
		}
		return ui.Rejected
	}
}

// labelRequest is a thing of which only the label can be changed.
type LabelRequest struct {
	Label string `json:"label"`
}
