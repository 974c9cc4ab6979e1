package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/cmd/internal/exit"
	"lookout/ui/form"
)

// resourceCommands returns the commands of all kinds of objects.
func resourceCommands() []resourceCommand {
	declared := declaredResources()
	return []resourceCommand{
		declared["services"],
		declared["issues"],
		declared["contacts"],
		declared["credentials"],
		declared["ssh"],
		statsResource(),
		bucketsResource(),
		objectsResource(),
		certificatesResource(),
		accessKeysResource(),
		clustersResource(),
		storageResource(),
		transferResource(),
		journalResource(),
	}
}

func formatAPITime(t client.Time) string {
	if t.Valid() {
		return t.Time().Format(time.RFC3339)
	}
	return t.Raw().Raw()
}

func joinIDs(ids []int) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = strconv.Itoa(id)
	}
	return strings.Join(words, ",")
}

// A memberFlag is a flag that sets one member of a request.
type memberFlag[R any] struct {
	name  string
	field string // of the form, whose checks apply to the flag too
	set   func(*R)
}

// memberFlags are the flags that set the members of a request.
type memberFlags[R any] struct {
	set    *pflag.FlagSet
	flags  []memberFlag[R]
	fields func(*R) []form.Field // the fields of the pane's form
}

// apply sets the members whose flags were given, and reports whether there were any.
func (m memberFlags[R]) apply(request *R) (given bool) {
	for _, f := range m.flags {
		if m.set.Changed(f.name) {
			f.set(request)
			given = true
		}
	}
	return given
}

// applyTo returns a request with the members that flags set. It fails if no flag was given, or if a value is out of the
// bounds that the pane's form has.
func (m memberFlags[R]) applyTo(before R) (R, error) {
	after := before
	if !m.apply(&after) {
		return after, exit.Usage(errors.New("nothing to change: give a flag with a new value"))
	}
	return after, m.check(after)
}

// check applies the checks of the pane's form to the flags that were given. It does not check what the API sent.
func (m memberFlags[R]) check(request R) error {
	problems := form.Problems(m.fields(&request))
	for _, f := range m.flags {
		flag := m.set.Lookup(f.name)
		if !flag.Changed {
			continue
		}
		value := client.Clean(flag.Value.String())
		if choices := flag.Annotations[choicesAnnotation]; len(choices) > 0 && !slices.Contains(choices, value) {
			return exit.Usage(fmt.Errorf("unknown --%s %q (use %s)", f.name, value, strings.Join(choices, " or ")))
		}
		for _, p := range problems {
			if p.Field == f.field {
				return exit.Usage(fmt.Errorf("--%s %s: %s", f.name, cmp.Or(value, `""`), p.Text))
			}
		}
	}
	return nil
}

// checkArg checks an argument of the command line with the form field that is bound to it.
func checkArg(name, value string, field form.Field) error {
	for _, p := range form.Problems([]form.Field{field}) {
		return exit.Usage(fmt.Errorf("%s %s: %s", name, cmp.Or(client.Clean(value), `""`), p.Text))
	}
	return nil
}

func formatPositive(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}
