package journal

import "lookout/client"

// RecordUnseenSecret implements client.SecretSeenRecorder: a change was applied and its answer holds a secret, which is
// not recorded. id is that of what was made.
func (j *Journal) RecordUnseenSecret(intentID, id string) {
	j.recordOutcome(record{ID: intentID, Outcome: client.Applied, UnseenSecretOf: id})
}

// RecordSecretSeen implements client.SecretSeenRecorder: somebody has the secret, or does not want it.
func (j *Journal) RecordSecretSeen(intentID string) {
	j.recordOutcome(record{ID: intentID, Outcome: client.Applied})
}

// UnseenSecrets returns the changes of earlier runs that made a key whose secret nobody has seen, as far as the journal
// knows, oldest first. Keys that were revoked since are not among them.
func UnseenSecrets(j *Journal) []Entry {
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

// trackSecrets forgets the secret of a key that was revoked.
func (s *state) trackSecrets(e *Entry) {
	if e.Change.Op != client.OpRevokeKey || e.Outcome != client.Applied {
		return
	}
	for _, made := range s.entries {
		if made.UnseenSecretOf == e.Change.ID {
			made.UnseenSecretOf = ""
		}
	}
}
