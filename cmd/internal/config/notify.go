package config

import (
	"slices"

	"lookout/client/account"
	"lookout/ui/shell"
)

// notifyWays returns the ways to notify outside the screen.
func notifyWays() []string { return []string{"bell", "osc9", "osc777"} }

// noRule turns an account's notifications off.
const noRule = "nothing"

// notifyRules returns the events that an account can notify about.
func notifyRules() []string {
	return []string{
		account.RuleServiceLeavesOK, account.RuleNewIssue, account.RuleRecovered, account.RuleChangeByOthers,
	}
}

// NotifyOptions returns how and about what an account notifies: about everything unless its block chooses.
func (s Settings) NotifyOptions() shell.NotifyOptions {
	rules := s.NotifyOn
	if len(rules) == 0 {
		rules = notifyRules()
	}
	rules = slices.DeleteFunc(slices.Clone(rules), func(rule string) bool { return rule == noRule })
	return shell.NotifyOptions{Methods: s.Notify, Rules: rules}
}
