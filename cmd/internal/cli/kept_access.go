package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"lookout/client"
	"lookout/client/transfer"
	"lookout/client/wording"
	"lookout/cmd/internal/exit"
	"lookout/views/storage"
)

// askToOpen completes a change that stores objects: it says how many of them will be public, and asks if there are any.
func (b *batchTransfer) askToOpen(c *change) {
	public, _ := b.plan.CountACLs()
	c.opens = public > 0
	if text := storage.DescribeKeptACLs(&b.plan); text != "" {
		c.effect += ". " + strings.TrimSuffix(text, ".")
	}
	if send := c.send; send != nil {
		c.send = func(ctx context.Context, w *approvedChange) (any, error) {
			b.aclConsent = w.consents[client.OpSetObjectACL]
			return send(ctx, w)
		}
	}
}

// accessNote says what becomes of the access to a file's object, for its line of the plan.
func (b *batchTransfer) accessNote(f transfer.PlannedFile) string {
	return wording.WithPrefix("; ", storage.DescribeKeptACL(b.plan.KeptACL(f.Name)))
}

// lostAccessError returns the error of objects whose access was not kept; nil for none.
func lostAccessError(lost int) error {
	if lost == 0 {
		return nil
	}
	return exit.WithCode(
		exit.CodePartial, fmt.Errorf("the access to %s is not kept", wording.Plural(lost, "object", "objects")),
	)
}

// isAccessError reports whether a transfer has stored its object, but not set its access.
func isAccessError(err error) bool {
	var access *transfer.AccessError
	return errors.As(err, &access)
}

// keepAccess completes the change that replaces one object: it reads the access to it, and asks if it stays public.
func (s *scriptSession) keepAccess(ctx context.Context, o client.ObjectRef, c *change) (err error) {
	if c.keep, err = transfer.ReadACL(ctx, s.api.Objects, o); err != nil {
		return err
	}
	c.opens, c.word = c.keep.ACL != "", "y"
	if text := storage.DescribeKeptACL(c.keep); text != "" {
		c.effect = fmt.Sprintf("Stores object %s: %s", describeObject(o), text)
	}
	if c.keep.Lost != "" {
		s.reportf("%s: %s, so it will not be kept", describeObject(o), c.keep.Lost)
	}
	return nil
}

// showACL prints the request that sets the ACL of an object which stays public.
func (s *scriptSession) showACL(o client.ObjectRef, kept transfer.KeptACL) error {
	if kept.ACL == "" {
		return nil
	}
	_, address, err := s.api.Endpoint(client.OpSetObjectACL, nil, o.Cluster, o.Bucket)
	if err == nil {
		s.showRequest(client.Change{
			Method: http.MethodPut,
			Path:   strings.TrimPrefix(address, s.api.Origin()),
			Body:   map[string]any{"acl": kept.ACL, "name": o.Name},
		})
	}
	return err
}
