package client

import (
	"context"
	"fmt"
	"net/url"
)

// Endpoint is the method and the address of an operation, as a request would have them: for somebody who wants to send
// it by another program. It holds no token.
func (c *Client) Endpoint(op string, query url.Values, segments ...any) (method, address string, err error) {
	operation, known := c.operations[op]
	if !known {
		return "", "", fmt.Errorf("there is no operation %q", op)
	}
	req, err := c.newRequest(context.Background(), request{op: op, segments: segments, query: query}, operation)
	if err != nil {
		return "", "", err
	}
	return req.Method, req.URL.String(), nil
}
