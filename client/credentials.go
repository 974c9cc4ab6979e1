package client

import "context"

// A Credential is a stored login for support staff ("Managed Credential"). The API never returns its user name and
// password.
type Credential struct {
	ID            int        `json:"id"`
	Label         ServerText `json:"label"`          // 2..75 characters, unique
	LastDecrypted Timestamp  `json:"last_decrypted"` // zero if support never used it
}

// A CredentialRequest describes a credential to create.
type CredentialRequest struct {
	Label    string
	Username Secret // optional, at most 5000 characters
	Password Secret
}

// A CredentialLoginUpdate holds a credential's new user name and password.
type CredentialLoginUpdate struct {
	Username Secret // optional, at most 5000 characters
	Password Secret
}

// An SSHKey is the public key with which support staff log in to instances ("Managed SSH Key").
type SSHKey struct {
	SSHKey ServerText `json:"ssh_key"`
}

// CredentialReader reads the credentials of the account.
type CredentialReader struct{ RowReader[*Credential] }

// SSHKey returns the account's managed public key.
func (s CredentialReader) SSHKey(ctx context.Context) (*SSHKey, error) {
	return call[*SSHKey](ctx, s.c, request{op: "view SSH key"})
}

// CreateCredential stores a credential.
func (w *Writer) CreateCredential(ctx context.Context, r CredentialRequest) (*Credential, error) {
	body := loginBody(r.Username, r.Password)
	body["label"] = r.Label
	return sendChange[*Credential](ctx, w, request{op: OpCreateCredential, body: body})
}

// UpdateCredential changes the label.
func (w *Writer) UpdateCredential(ctx context.Context, id int, label string) (*Credential, error) {
	return sendChange[*Credential](ctx, w, callByID(OpUpdateCredential, id, map[string]any{"label": label}))
}

// SetCredentialLogin replaces user name and password. The API cannot tell afterwards whether it was done; doing it
// again is harmless.
func (w *Writer) SetCredentialLogin(ctx context.Context, id int, r CredentialLoginUpdate) error {
	body := loginBody(r.Username, r.Password)
	_, err := sendChange[noContent](ctx, w, callByID(OpSetCredentialLogin, id, body))
	return err
}

// DeleteCredential deletes a credential, so that support staff can no longer use it.
func (w *Writer) DeleteCredential(ctx context.Context, id int) error {
	_, err := sendChange[noContent](ctx, w, callByID(OpDeleteCredential, id, nil))
	return err
}

// loginBody is the only place where a login is taken out of its secrets, to be sent.
func loginBody(user, password Secret) map[string]any {
	body := map[string]any{"password": password.Reveal()}
	if !user.IsZero() {
		body["username"] = user.Reveal()
	}
	return body
}
