package operation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/lists"
	"lookout/client/wording"
	"lookout/views/resource"
)

// EditForm is the change of a row in a form. R is a pointer to the request that the row is made of.
type EditForm[T, R any] struct {
	Row     T
	ID      func(T) int
	Label   string
	Request func(T) R                             // a new one
	Fetch   func(context.Context, int) (T, error) // reads the row again before it is changed
	Update  func(*client.Writer, context.Context, int, client.Patch) (T, error)

	edited R // the values in the form
	values editValues
}

// editValues are the requests of an edit, of any type: what the form was opened on, what was read last, and a pointer
// to what is in the form.
type editValues struct{ opened, latest, edited any }

// patch returns the members that the edit changes.
func (v *editValues) patch() client.Patch { return client.Diff(v.opened, v.edited) }

// check compares what the edit changes with what is there now. It returns an error if somebody else has changed the
// same members since they were last read; what is there now is then what was read last.
func (v *editValues) check(now any) error {
	both := conflict{}
	both.find("", v.patch(), client.Diff(v.latest, now))
	if v.latest = now; len(both) > 0 {
		both[""] = "somebody else has changed this: nothing was sent. ctrl+s overwrites their change, esc esc " +
			"keeps it"
		return both
	}
	return nil
}

// Open returns the values for the fields of the form to change.
func (e *EditForm[T, R]) Open() R {
	e.edited = e.Request(e.Row)
	e.values = editValues{opened: e.Request(e.Row), latest: e.Request(e.Row), edited: e.edited}
	return e.edited
}

// Attempt returns the change to the values in the form.
func (e *EditForm[T, R]) Attempt(T) account.Attempt[T] {
	patch := e.values.patch()
	return account.Attempt[T]{
		ID:        account.FormatID(e.ID(e.Row)),
		Label:     e.Label,
		Before:    membersOf(client.Diff(e.values.edited, e.values.latest), patch),
		Unchanged: len(patch) == 0,
		Send:      e.save,
		Sent:      patch,
	}
}

// Confirm says which members the edit changes.
func (e *EditForm[T, R]) Confirm([]T) resource.ConfirmationSpec {
	members := memberNames(e.values.patch())
	if len(members) == 0 {
		return resource.ConfirmationSpec{}
	}
	return resource.ConfirmationSpec{
		Effect: fmt.Sprintf(
			"Changes %s of %s (id %d).", account.JoinWithCommas(members), client.NewText(e.Label), e.ID(e.Row),
		),
	}
}

// memberNames returns the names of the members of a patch, sorted; an object's members stand for the object.
func memberNames(patch map[string]any) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(patch)) {
		if inner, isObject := asObject(patch[name]); isObject {
			names = append(names, memberNames(inner)...)
			continue
		}
		names = append(names, name)
	}
	return names
}

// ErrUnchanged means that an edit changes nothing, so nothing is sent.
var ErrUnchanged = errors.New("nothing has been changed: esc cancels")

// save reads the row once more and sends the members that were changed, and no others. If somebody else has changed the
// same members since, it returns their values as an error instead; saving again overwrites them.
func (e *EditForm[T, R]) save(ctx context.Context, w *client.Writer) (lists.ChangeResult[T], error) {
	var none lists.ChangeResult[T]
	patch := e.values.patch()
	if len(patch) == 0 {
		return none, ErrUnchanged
	}
	row, err := e.Fetch(ctx, e.ID(e.Row))
	if err != nil {
		return none, rereadError{err}
	}
	if err := e.values.check(e.Request(row)); err != nil {
		return none, err
	}
	return lists.ResultRow(e.Update(w, ctx, e.ID(e.Row), patch))
}

// readingFirst begins the message of a rereadError.
const readingFirst = "could not read the current state: "

// rereadError is the error of the read that comes before a change. The change was not sent.
type rereadError struct{ cause error }

// Error returns when it failed, and the error of the read.
func (e rereadError) Error() string { return readingFirst + e.cause.Error() }

// Why is like Error, but gives only the reason of the cause.
func (e rereadError) Why() string { return readingFirst + wording.Reason(e.cause) }

// Unwrap returns the error of the read.
func (e rereadError) Unwrap() error { return e.cause }

// NothingChanged reports that the change was not sent.
func (e rereadError) NothingChanged() bool { return true }

// Fields returns nothing: the API's reasons are about the read and not about the fields of a form.
func (e rereadError) Fields() map[string]string { return nil }

// LabelRequest changes a label, where nothing else can be changed.
type LabelRequest struct {
	Label string `json:"label"`
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

// conflict holds the members that two people changed at once, by their paths, with a remark about the other's value.
// The path "" has the error.
type conflict map[string]string

func (c conflict) Error() string { return c[""] }

// Fields returns the remarks for the fields of the form.
func (c conflict) Fields() map[string]string { return c }

// find adds the members that are in both of two changes, inside objects as well, unless both make them the same.
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
			c[path+name] = "is now empty"
		default:
			c[path+name] = "is now: " + client.Clean(strings.TrimSpace(fmt.Sprint(other)))
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
