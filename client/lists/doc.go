// Package lists keeps the rows of lists as last read, how fresh they are, and the changes that they may not show yet.
// It also finds out how a change ended whose answer was lost. It knows no screen and no resource. The owner of a store
// gives it an executor, which runs requests beside the owner's loop.
package lists
