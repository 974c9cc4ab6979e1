package main

// notifyWays are how the program may tell news beside the screen.
func notifyWays() []string { return []string{"bell", "osc9", "osc777"} }

// notifyRules are what an account may tell.
func notifyRules() []string { return []string{"service leaves ok", "new issue"} }
