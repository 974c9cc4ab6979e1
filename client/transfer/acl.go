package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"lookout/client"
)

// A KeptACL says what becomes of the access to an object that is replaced or moved: what is stored is private at first.
type KeptACL struct {
	ACL  client.ACL // is set once the new bytes are verified; "" leaves the object private
	Lost string     // why the access that was there cannot be kept; "" if nothing is lost
}

// ReadACL reads the access to an object that is to be replaced or moved. Only a public ACL that can be set is kept.
func ReadACL(ctx context.Context, objects client.ObjectReader, o client.ObjectRef) (KeptACL, error) {
	now, err := objects.ACL(ctx, o.Cluster, o.Bucket, o.Name)
	switch {
	case ctx.Err() != nil:
		return KeptACL{}, context.Cause(ctx)
	case errors.Is(err, client.ErrNotFound):
		return KeptACL{}, nil
	case err != nil:
		return KeptACL{Lost: "its access could not be read (" + client.Clean(err.Error()) + ")"}, nil
	case now.ACL == client.ACLPrivate:
		return KeptACL{}, nil
	case now.ACL.Public():
		return KeptACL{ACL: now.ACL}, nil
	case now.ACL == "":
		return KeptACL{Lost: "the API does not report its access"}, nil
	}
	return KeptACL{Lost: fmt.Sprintf("its access is %s, which cannot be set", now.ACL)}, nil
}

// or returns the wider access of two objects that become one: what was public stays public.
func (k KeptACL) or(other KeptACL) KeptACL {
	if other.ACL.Opens(k.ACL) {
		k.ACL = other.ACL
	}
	k.Lost = cmp.Or(k.Lost, other.Lost)
	return k
}

// ReadACLs reads the access to each object that the plan replaces under a choice, and to each source of a move.
// progress is called with how many files were looked at, from several goroutines; or it is nil.
func (p *Plan) ReadACLs(
	ctx context.Context, objects client.ObjectReader, e ConflictPolicy, progress func(done, all int),
) error {
	p.acls = map[string]KeptACL{}
	if p.Kind == Download {
		return nil
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	all, _ := p.CountToSend(e)
	done := 0
	forEach(ctx, p.mu, p.Each(e), func(_ PlannedFile, f *PlannedFile) {
		if f == nil {
			return
		}
		kept, err := p.readACL(ctx, objects, f)
		if err != nil {
			fail(err)
			return
		}
		p.mu.Lock()
		if done++; kept != (KeptACL{}) {
			p.acls[f.Name] = kept
		}
		n := done
		p.mu.Unlock()
		if progress != nil {
			progress(n, all)
		}
	})
	return context.Cause(ctx)
}

// readACL reads the access that the target of a file is to have.
func (p *Plan) readACL(ctx context.Context, objects client.ObjectReader, f *PlannedFile) (kept KeptACL, err error) {
	if f.State == FileChanged || f.State == FileUnknown {
		kept, err = ReadACL(ctx, objects, client.ObjectRef{Cluster: p.Cluster, Bucket: p.Bucket, Name: f.Name})
	}
	if err == nil && p.Kind == Move {
		var source KeptACL
		source, err = ReadACL(ctx, objects, p.sourceOf(f))
		kept = kept.or(source)
	}
	return kept, err
}

// KeptACL returns what becomes of the access to the object that a file becomes, once ReadACLs has read it.
func (p *Plan) KeptACL(name string) KeptACL { return p.acls[name] }

// CountACLs returns how many objects of the plan will be public, and the access to how many cannot be kept.
func (p *Plan) CountACLs() (public, lost int) {
	for _, k := range p.acls {
		if k.ACL != "" {
			public++
		}
		if k.Lost != "" {
			lost++
		}
	}
	return public, lost
}

// An AccessError means that an object was stored, but is not known to have the access that it was to keep.
type AccessError struct {
	ACL   client.ACL // that it was to keep
	Cause error
}

// Error returns what it was to keep, and why it may not have it.
func (e *AccessError) Error() string {
	return fmt.Sprintf("stored, but its access (%s) could not be confirmed; it may be private now: %v", e.ACL, e.Cause)
}

// Unwrap returns the cause.
func (e *AccessError) Unwrap() error { return e.Cause }

// A storedObject is an object that was stored, whose access is to be kept.
type storedObject struct {
	client.ObjectRef
	keep     KeptACL
	verified bool // the listing shows its bytes
	consent  *client.Consent
	reason   string
}

// keepAccess sets the access that an object is to keep. It goes on when the transfer is cancelled: the bytes are there.
func (s storedObject) keepAccess(ctx context.Context, c *client.Client, p *progress) error {
	if s.keep.Lost != "" {
		p.loseAccess(s.keep.Lost + ", so it was not kept")
	}
	switch {
	case s.keep.ACL == "":
		return nil
	case !s.verified:
		return &AccessError{s.keep.ACL, errors.New("the listing does not confirm the new bytes")}
	}
	const patience = 2 * time.Minute
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	note, result := p.currentNote(), ""
	err := untilTaken(ctx, p, func() (err error) {
		result, err = s.setACL(ctx, c)
		return err
	})
	if err != nil {
		return &AccessError{s.keep.ACL, err}
	}
	if p.setNote(note); result != "" {
		p.loseAccess(result)
	} else {
		p.addNote("still " + s.keep.ACL.String())
	}
	return nil
}

// setACL sets the ACL, unless it is not what the upload has left: then it returns why the ACL was left.
func (s storedObject) setACL(ctx context.Context, c *client.Client) (left string, err error) {
	now, err := c.Objects.ACL(ctx, s.Cluster, s.Bucket, s.Name)
	switch {
	case err != nil:
		return "", err
	case now.ACL == s.keep.ACL:
		return "", nil
	case now.ACL == "":
		return "the API does not report its access now, so lookout did not change it", nil
	case now.ACL != client.ACLPrivate:
		return fmt.Sprintf(
			"somebody has since set its access to %s, so lookout did not change it", now.ACL,
		), nil
	}
	w, err := c.Begin(client.Change{
		Op:       client.OpSetObjectACL,
		Resource: "object",
		ID:       s.ID(),
		Label:    s.Name,
		Reason:   s.reason,
		Before:   map[string]any{"acl": now.ACL},
	}, s.consent)
	if err == nil {
		err = w.SendObjectACL(ctx, s.ObjectRef, s.keep.ACL)
	}
	if err != nil {
		return "", err
	}
	now, err = c.Objects.ACL(ctx, s.Cluster, s.Bucket, s.Name)
	if err == nil && now.ACL != s.keep.ACL {
		err = fmt.Errorf("it was set, but a later read shows %s", cmp.Or(now.ACL.String(), "none"))
	}
	return "", err
}
