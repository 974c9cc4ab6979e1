package config

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"lookout/client"
	"lookout/client/statefile"
	"lookout/cmd/internal/exit"
)

// An accountUser is what settings hold of the user of a token.
type accountUser struct {
	tokenUser string // see userOfToken; the variable with the token may be gone later
	// CheckUser finds out, once, whether the journal that is open is the token's user's: see CheckTokenUser. Connect
	// sets it, unless nothing can be recorded.
	CheckUser func() error
	// StopUserCheck cancels CheckUser and waits for its end. It must be called when the account is closed, after which
	// nothing may be written.
	StopUserCheck func()
}

// A tokenRecord says whose an account's files are, and whose its own token was when the API was last asked. The token
// may be replaced by another user's, who then has files of their own.
type tokenRecord struct {
	Owner string `json:"owner"` // the first user, whose files have the plain name
	User  string `json:"user"`  // the user of the token
	Token string `json:"token"` // fingerprint of the token
}

// tokenRecordFile returns the file with the record, beside the first user's journal.
func (s Settings) tokenRecordFile() statefile.StateFile {
	return statefile.New(besideJournal(s.firstJournalPath(), ".user"))
}

// tokenRecord returns what was recorded of the account's own token: nothing for a token from flags or environment,
// which has files of its own anyway, and nothing if no API has said whose the token is.
func (s Settings) tokenRecord() (r tokenRecord) {
	if s.tokenUser != "" || s.Demo {
		return r
	}
	if data, err := s.tokenRecordFile().Read(); err == nil {
		_ = json.Unmarshal(data, &r) // what cannot be read is not known, and is recorded again
	}
	return r
}

// otherUser returns the user of the token if the files under the plain name are somebody else's.
func (r tokenRecord) otherUser() string {
	if r.User == r.Owner {
		return ""
	}
	return r.User
}

// tokenFingerprint returns a fingerprint from which nobody can find the token.
func (s Settings) tokenFingerprint(token client.Secret) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte("lookout\n"+normalizeURL(s.BaseURL)+"\n"+token.Reveal())))[:16]
}

// ReplaceTokenUser records whose an account's new token is, if the API has named the user. It returns what there is to
// say: the files in use were another user's, or it could not be recorded.
func (s Settings) ReplaceTokenUser(token client.Secret, user string) error {
	s.TokenOverride, s.tokenUser = tokenSource{}, ""
	path := s.JournalPath()
	if user == "" {
		return nil
	}
	if err := s.recordTokenUser(token, user); err != nil {
		return err
	}
	return s.otherUserError(path)
}

// recordTokenUser records whose the account's own token is. JournalPath then returns that user's journal.
func (s Settings) recordTokenUser(token client.Secret, user string) error {
	r := s.tokenRecord()
	if r.Owner == "" {
		r.Owner = user
	}
	r.User, r.Token = user, s.tokenFingerprint(token)
	data, err := json.Marshal(r)
	if err == nil {
		err = s.tokenRecordFile().Replace(data)
	}
	return err
}

// tokenUserTimeout limits the wait for the API's answer about whose a token is.
const tokenUserTimeout = 5 * time.Second

// CheckTokenUser asks the API whose the account's own token is, unless it is the token that was asked about last. It
// returns an error if a journal is not that user's. A user whom the API does not name is not known: the account's name
// stands for its user then.
func (s Settings) CheckTokenUser(
	ctx context.Context, api *client.Client, token client.Secret, journalPath string,
) error {
	if s.tokenUser != "" || s.Demo {
		return nil
	}
	if r := s.tokenRecord(); r.Token != s.tokenFingerprint(token) {
		ctx, cancel := context.WithTimeout(ctx, tokenUserTimeout)
		defer cancel()
		profile, err := api.Profile(ctx)
		if user := profile.Username.String(); err == nil && user != "" {
			err = s.recordTokenUser(token, user)
			if err != nil && r.User != "" && r.User != user {
				return err
			}
		} else if r.User != "" {
			api.DoubtToken()
		}
	}
	return s.otherUserError(journalPath)
}

// otherUserError returns an error if a journal of the account is not that of the token's user.
func (s Settings) otherUserError(journalPath string) error {
	if s.JournalPath() == journalPath {
		return nil
	}
	r, owner := s.tokenRecord(), "another user"
	if journalPath == s.firstJournalPath() {
		owner = r.Owner
	}
	return fmt.Errorf(
		"the token of account %s now belongs to %s; the journal, windows and downloads of %s stay in %s",
		s.Account, r.User, owner, journalPath,
	)
}

// CheckReplacement returns an error if a client's token is another user's than the one whose files are open. known is
// false if either user is not known.
func (s Settings) CheckReplacement(ctx context.Context, api *client.Client) (known bool, err error) {
	owner := s.tokenRecord().User
	if owner == "" {
		return false, nil
	}
	profile, err := api.Profile(ctx)
	switch user := profile.Username.String(); {
	case err != nil || user == "":
		return false, nil
	case user != owner:
		return true, exit.Advise(
			fmt.Errorf("this token belongs to %s, but the open journal belongs to %s", user, owner),
			"lookout accounts token stores it, with separate files for its user",
		)
	}
	return true, nil
}

// TokenUserMessage says that the account's files are not those of its first user; "" if they are.
func (s Settings) TokenUserMessage() string {
	r := s.tokenRecord()
	if r.otherUser() == "" {
		return ""
	}
	return fmt.Sprintf(
		"the token of account %s now belongs to %s · the journal, windows and downloads of %s are kept separately",
		s.Account, r.User, r.Owner,
	)
}
