package client

import (
	"fmt"
	"strings"
)

// Confirmed returns a writer that skips Begin, so that tests reach the checks behind it: those of Writer, and of
// read-only mode. The parts of the id are joined with slashes.
func Confirmed(c *Client, op string, id ...any) *Writer {
	parts := make([]string, len(id))
	for i, part := range id {
		parts[i] = fmt.Sprint(part)
	}
	return &Writer{client: c, change: Change{Op: op, ID: strings.Join(parts, "/")}}
}
