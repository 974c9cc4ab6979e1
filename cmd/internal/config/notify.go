package config

import (
	"slices"

	"lookout/ui/shell"
	"lookout/views/account"
)

// notifyWays are how the program may tell news beside the screen.
func notifyWays() []string { return []string{"bell", "osc9", "osc777"} }

// noRule is an account that tells nothing beside the screen.
const noRule = "nothing"

// notifyRules are what an account may tell.
func notifyRules() []string { return []string{account.RuleServiceLeavesOK, account.RuleNewIssue} }

// NotifyOptions is how and what an account tells beside the screen: everything, where its block does not choose.
func (s Settings) NotifyOptions() shell.NotifyOptions {
	rules := s.NotifyOn
	if len(rules) == 0 {
		rules = notifyRules()
	}
	rules = slices.DeleteFunc(slices.Clone(rules), func(rule string) bool { return rule == noRule })
	return shell.NotifyOptions{Methods: s.Notify, Rules: rules}
}
