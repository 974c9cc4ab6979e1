// Package lists keeps the rows of lists as last read: how fresh they are, what is known of changes that they may not
// show yet, and how a change whose answer was lost is looked up. It knows no screen and no resource: whoever owns a
// store gives it an executor, which runs requests beside its loop.
package lists
