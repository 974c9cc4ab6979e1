package client

import (
	"context"
	"fmt"
	"net/url"
)

// Address is the method and the address of an operation, as a request would have them: for somebody who wants to send it by another
// program. It holds no token.
func (c *Client) Address(op string, query url.Values, segments ...any) (method, address string, err error) {
	operation, known := c.table[op]
	if !known {
		return "", "", fmt.Errorf("there is no operation %q", op)
	}
	req, err := c.build(context.Background(), request{op: op, segments: segments, query: query}, operation)
	if err != nil {
		return "", "", err
	}
	return req.Method, req.URL.String(), nil
}
