package storage

import (
	"encoding/json"
	"fmt"
	"time"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/views/operation"
)

// A publicAccess is a public ACL that was set from this machine and, as far as its journal shows, is still set.
type publicAccess struct {
	acl client.ACL
	at  time.Time
}

// publicFromHere returns the buckets and objects that were opened from this machine, by their ids. Lists do not have
// ACLs, so rows show those that the newest changes in the journal have set.
func publicFromHere(a *account.Account) map[string]publicAccess {
	return account.Memo(a, "opened from this machine", func() map[string]publicAccess {
		public, seen := map[string]publicAccess{}, map[string]bool{}
		for _, e := range a.JournalStore().Rows() { // newest first
			var acl client.ACL
			switch e.Change.Op {
			case client.OpCreateBucket, client.OpUpdateBucketAccess, client.OpReplaceBucketAccess,
				client.OpSetObjectACL:
				var body client.BucketAccess
				data, err := json.Marshal(e.Change.Body)
				if err != nil || json.Unmarshal(data, &body) != nil || body.ACL == "" {
					continue // it changed CORS only
				}
				acl = body.ACL
			case client.OpUploadObject, client.OpDeleteObject, client.OpDeleteBucket:
			default:
				continue
			}
			if id := e.Change.ID; e.Outcome == client.Applied && !seen[id] {
				if seen[id] = true; acl.Public() {
					public[id] = publicAccess{acl, e.Time}
				}
			}
		}
		return public
	}, a.JournalStore())
}

// markPublic adds to the cell of a name that it is public, if it was opened from this machine.
func markPublic(a *account.Account, id, text string, tone theme.Tone) (string, theme.Tone) {
	if p, public := publicFromHere(a)[id]; public {
		return text + "  " + p.acl.String(), theme.Bad
	}
	return text, tone
}

// writePublic writes that a bucket or an object is public, if it was opened from this machine.
func writePublic(a *account.Account, t *operation.DetailWriter, id string) {
	if p, public := publicFromHere(a)[id]; public {
		t.Field("access", fmt.Sprintf(
			"%s, set here %s ago · W reads it", p.acl, wording.FormatAge(a.Now().Sub(p.at)),
		), theme.Bad)
	}
}
