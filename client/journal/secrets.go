package journal

import "lookout/client"

// RecordUnseenSecret implements client.SecretSeenRecorder: a change was applied and its answer holds a secret, which is
// not recorded. id is that of what was made.
func (j *Journal) RecordUnseenSecret(intentID, id string) {
	j.recordOutcome(record{ID: intentID, Outcome: client.Applied, UnseenSecretOf: id})
}

// RecordSecretSeen implements client.SecretSeenRecorder: somebody has the secret, or does not want it.
func (j *Journal) RecordSecretSeen(intentID string) {
	j.recordOutcome(record{ID: intentID, Outcome: client.Applied, RevokeLater: j.noted(intentID).RevokeLater})
}

// noted returns what is noted about a change.
func (j *Journal) noted(intentID string) Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	if e := j.byID[intentID]; e != nil {
		return *e
	}
	return Entry{}
}

// KeysWithUnseenSecret returns the changes of earlier runs that made a key whose secret nobody has seen, as far as the
// journal knows, oldest first. Keys that were revoked since are not among them.
func (j *Journal) KeysWithUnseenSecret() []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	var unseen []Entry
	for _, e := range j.entries {
		if e.UnseenSecretOf != "" && !j.FromThisRun(*e) {
			unseen = append(unseen, *e)
		}
	}
	return unseen
}

// A RevokeReminder names an access key that is to be revoked, and says why. Keys never expire.
type RevokeReminder struct {
	Key    string `json:"key"`    // its id
	Reason string `json:"reason"` // "made for rclone in us-east-1/photos"
}

// RecordRevokeLater implements client.SecretSeenRecorder: the change was applied, and a key is to be revoked later.
// Each start reminds of it until it is revoked. Without a key it ends the reminder.
func (j *Journal) RecordRevokeLater(intentID, key, reason string) {
	l := record{ID: intentID, Outcome: client.Applied, UnseenSecretOf: j.noted(intentID).UnseenSecretOf}
	if key != "" {
		l.RevokeLater = &RevokeReminder{key, reason}
	}
	j.recordOutcome(l)
}

// KeysToRevoke returns the changes that have noted a key to revoke, oldest first, without keys that were revoked since.
func (j *Journal) KeysToRevoke() []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	var noted []Entry
	for _, e := range j.entries {
		if e.RevokeLater != nil {
			noted = append(noted, *e)
		}
	}
	return noted
}

// forgetRevoked forgets what was noted about a key that was revoked: its secret, and that it is to be revoked.
func (s *state) forgetRevoked(e *Entry) {
	if e.Change.Op != client.OpRevokeKey || e.Outcome != client.Applied {
		return
	}
	for _, noted := range s.entries {
		if noted.UnseenSecretOf == e.Change.ID {
			noted.UnseenSecretOf = ""
		}
		if noted.RevokeLater != nil && noted.RevokeLater.Key == e.Change.ID {
			noted.RevokeLater = nil
		}
	}
}
