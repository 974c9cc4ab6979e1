package client

import "context"

// A Profile is the user whose token it is. Only the provider's own service tells it; the document does not.
type Profile struct {
	Username   Text `json:"username"`
	Email      Text `json:"email"`
	Restricted bool `json:"restricted"` // a restricted user has no Managed
}

// Profile is the user of the token.
func (c *Client) Profile(ctx context.Context) (Profile, error) {
	return call[Profile](ctx, c, request{op: "view profile"})
}
