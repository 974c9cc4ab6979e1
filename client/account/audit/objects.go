package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"lookout/client"
)

// An openedObject is an object that was opened from this machine: the newest change of it has set a public ACL.
type openedObject struct {
	id  string
	ref client.ObjectRef
	now list[client.ACL] // empty if the object is gone, or was not looked at
}

// maxOpened is the number of objects whose ACLs an audit reads.
const maxOpened = 500

// readOpened finds the objects that were opened from this machine, and reads who can read the newest of them now.
func (f *facts) readOpened(ctx context.Context, c *client.Client) {
	seen := map[string]bool{}
	for e := range f.Journal.Changes() {
		change := e.Change
		switch change.Op {
		case client.OpSetObjectACL, client.OpUploadObject, client.OpDeleteObject:
		default:
			continue
		}
		if e.Outcome == client.Rejected || seen[change.ID] {
			continue
		}
		seen[change.ID] = true
		var body struct{ ACL client.ACL }
		data, err := json.Marshal(change.Body)
		parts := strings.SplitN(change.ID, "/", 3)
		if change.Op == client.OpSetObjectACL && err == nil && json.Unmarshal(data, &body) == nil &&
			body.ACL.Public() && len(parts) == 3 {
			ref := client.ObjectRef{Cluster: parts[0], Bucket: parts[1], Name: parts[2]}
			f.opened = append(f.opened, openedObject{id: change.ID, ref: ref})
		}
	}
	var reads []func()
	for i := range f.opened[:min(maxOpened, len(f.opened))] {
		o := &f.opened[i]
		reads = append(reads, func() {
			acl, err := c.Objects.ACL(ctx, o.ref.Cluster, o.ref.Bucket, o.ref.Name)
			switch {
			case errors.Is(err, client.ErrNotFound):
			case err != nil:
				o.now.err = err
			default:
				o.now.rows = []client.ACL{acl.ACL}
			}
		})
	}
	inParallel(reads)
}

// publicObjects finds the objects that were opened from this machine and are still public.
func (f facts) publicObjects(c *collector) {
	for i, o := range f.opened {
		label := client.NewText(o.ref.Name)
		switch {
		case i == maxOpened:
			left := len(f.opened) - maxOpened
			text := fmt.Sprintf("%d more were opened from this machine; not read", left)
			c.add(NotKnown, "", client.ServerText{}, text)
			return
		case o.now.err != nil:
			c.add(NotKnown, o.id, label, "its access is not known: "+client.Clean(o.now.err.Error()))
		case len(o.now.rows) == 0:
		case o.now.rows[0].Public():
			c.add(Found, o.id, label, o.now.rows[0].String()+": opened from this machine")
		case o.now.rows[0] != client.ACLPrivate:
			acl := cmp.Or(o.now.rows[0].String(), "not known: the API does not say")
			c.add(NotKnown, o.id, label, "its access is "+acl)
		}
	}
}
