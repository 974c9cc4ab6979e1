package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
	"lookout/cmd/internal/prompt"
)

// A yesFlag is the value of --yes: nothing, yes, or yes on the account of a name.
type yesFlag string

// yesWithoutName is --yes without a name.
const yesWithoutName yesFlag = "true"

// String returns the flag's value.
func (y *yesFlag) String() string { return string(*y) }

// Set takes the flag's value.
func (y *yesFlag) Set(text string) error {
	if *y = yesFlag(text); text == "false" {
		*y = ""
	}
	return nil
}

// Type lets --yes stand alone: a value follows it only after "=".
func (y *yesFlag) Type() string { return "bool" }

// addYesFlag adds --yes to the flags of a subcommand that changes something.
func addYesFlag(set *pflag.FlagSet, y *yesFlag, asks askRule) {
	about := "do not ask for confirmation; only protected accounts ask, and need --yes=NAME with the account's name"
	switch asks {
	case asksIfPublic:
		about = "do not ask for confirmation; required if standard input is not a terminal and the change opens " +
			"something to everyone; protected accounts always ask, and need --yes=NAME with the account's name"
	case asksAlways:
		about = "do not ask for confirmation; required if standard input is not a terminal; protected accounts need " +
			"--yes=NAME with the account's name"
	case asksForAccount:
		about = "do not ask for confirmation; it must be --yes=NAME with the account's name; required if standard " +
			"input is not a terminal"
	}
	set.Var(y, "yes", about)
	set.Lookup("yes").NoOptDefVal = string(yesWithoutName)
}

// An askRule says on which accounts a subcommand asks before it changes something, and for what.
type askRule int

// The rules.
const (
	asksIfProtected askRule = iota // only on protected accounts, for the account's name
	asksIfPublic                   // the same, and on every account if the change opens something to everyone
	asksAlways                     // on every account, for the name of what is lost
	asksForAccount                 // on every account, for the account's name
)

// mayOpen reports whether a change with one of some operations may open something to everyone.
func mayOpen(ops ...string) bool {
	return slices.ContainsFunc(ops, func(op string) bool {
		switch op {
		case client.OpCreateBucket, client.OpUpdateBucketAccess, client.OpReplaceBucketAccess, client.OpSetObjectACL:
			return true
		}
		return false
	})
}

// A scriptAsker answers the question before a change: by --yes, or by asking on the terminal. It asks once, however
// many operations the change has.
type scriptAsker struct {
	session   *scriptSession
	summary   string // what is about to be done: "delete contact Eve (7)"
	yes       yesFlag
	needsName bool // --yes must come with the account's name
	opens     bool // it opens something to everyone
	answered  bool
	answer    bool
	refusal   error // of a dry run: why the change would not be sent
}

// Ask implements client.Asker.
func (a *scriptAsker) Ask(ctx context.Context, q client.ConsentQuestion) (bool, error) {
	if a.answered {
		return a.answer, nil
	}
	answer, err := a.flagAnswer(q)
	if a.session.dryRun {
		a.answered, a.answer, a.refusal = true, true, err
		return true, nil
	}
	if err == nil && !answer {
		answer, err = a.session.promptForWord(ctx, q)
	}
	a.answered, a.answer = err == nil, answer
	return answer, err
}

// checkAccount returns an error if --yes names an account other than the one that the command works on.
func (y *yesFlag) checkAccount(account string) error {
	switch *y {
	case "", yesWithoutName, yesFlag(account):
		return nil
	}
	name := client.Clean(string(*y))
	return exit.Usage(fmt.Errorf("--yes=%s: this is account %s; nothing was sent", name, account))
}

// flagAnswer reports whether --yes agrees. It returns an error if --yes lacks the account's name, or is not given and
// standard input is not a terminal to ask on.
func (a *scriptAsker) flagAnswer(q client.ConsentQuestion) (bool, error) {
	yes, account := a.yes, a.session.settings.Account
	protected := q.Account != ""
	needsName := protected || a.needsName
	if string(yes) == account || yes == yesWithoutName && !needsName {
		return true, nil
	}
	_, terminal := output.AsTerminal(a.session.in)
	if yes == "" && terminal {
		return false, nil
	}
	problem := "standard input is not a terminal"
	if yes != "" {
		problem = "a plain --yes is not enough"
	}
	if a.opens && !protected {
		problem = "making or keeping something public needs confirmation, and " + problem
	}
	next := "--yes"
	if needsName {
		next = "--yes=" + account
	}
	if protected {
		problem = fmt.Sprintf("account %s is protected, and %s", account, problem)
	}
	return false, exit.Usage(fmt.Errorf("%s, but %s; add %s", asSentence(a.summary), problem, next))
}

// asSentence returns an effect as the start of a sentence: "this removes …", or "this would delete …".
func asSentence(effect string) string {
	verb, _, _ := strings.Cut(effect, " ")
	lower := strings.ToLower(effect[:1]) + effect[1:]
	switch {
	case verb == "This":
		return lower
	case verb != strings.ToLower(verb) && strings.HasSuffix(verb, "s"): // "Removes"
		return "this " + lower
	}
	return "this would " + lower
}

// promptForWord asks on the terminal for the question's word, or for the account's name if it has none, and reports
// whether it was typed.
func (s *scriptSession) promptForWord(ctx context.Context, q client.ConsentQuestion) (bool, error) {
	account := s.settings.Account
	word, mark := cmp.Or(q.Word, account), ""
	if q.Account != "" {
		mark = ", PROD"
	}
	fmt.Fprintf(s.errOut, "%s. Account %s%s. Type %s to continue: ", q.Effect, account, mark, word)
	typed, err := prompt.UnlessInterrupted(
		ctx, func() (string, error) { return bufio.NewReader(s.in).ReadString('\n') },
	)
	if ctx.Err() != nil {
		fmt.Fprintln(s.errOut)
		return false, err
	}
	return strings.TrimSpace(typed) == strings.TrimSpace(word), nil
}
