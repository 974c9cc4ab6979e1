package emulator

import "slices"

type credential struct {
	ID            int       `json:"id"`
	Label         string    `json:"label"`
	LastDecrypted timestamp `json:"last_decrypted"`
	username      string
	password      string
}

func addCredentialRoutes(e *Emulator) {
	const write = "account:read_write"
	e.handle(
		Route{"list credentials", "GET", "/managed/credentials", "account:read_only", false},
		func(c *apiRequest) (any, error) { return paginate(c, e.credentials) },
	)
	e.handle(Route{"create credential", "POST", "/managed/credentials", write, true}, createCredential)
	e.handle(
		Route{"view SSH key", "GET", "/managed/credentials/sshkey", "account:read_only", false},
		func(*apiRequest) (any, error) {
			return map[string]string{
				"ssh_key": "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7emulatedkeyofnobodyoD2ZQ== managedservices@linode",
			}, nil
		},
	)
	e.handle(
		Route{"view credential", "GET", "/managed/credentials/{id}", write, false},
		func(c *apiRequest) (any, error) { return orNotFound(findCredential(c)) },
	)
	e.handle(Route{"update credential", "PUT", "/managed/credentials/{id}", write, true}, updateCredential)
	e.handle(
		Route{"delete credential", "DELETE", "/managed/credentials/{id}", write, true}, deleteCredential,
		"POST /managed/credentials/{id}/revoke",
	)
	e.handle(Route{"change login", "POST", "/managed/credentials/{id}/update", write, true}, changeLogin)
}

func findCredential(c *apiRequest) *credential {
	return findByID(c.e.credentials, c.pathInt("id"), func(x *credential) int { return x.ID })
}

func createCredential(c *apiRequest) (any, error) {
	x := &credential{}
	if err := firstError(c.require("label", "password"), readCredentialLabel(c, x), c.readLogin(x)); err != nil {
		return nil, err
	}
	x.ID = c.e.nextID()
	c.e.credentials = append(c.e.credentials, x)
	return x, nil
}

// readCredentialLabel reads a label, which must be unique. The document does not give the text of the error.
func readCredentialLabel(c *apiRequest, x *credential) error {
	label := x.Label
	if err := c.readString("label", &label, 2, 75); err != nil {
		return err
	}
	if slices.ContainsFunc(c.e.credentials, func(y *credential) bool { return y.Label == label && y.ID != x.ID }) {
		return invalidField("label", "Label must be unique among your credentials")
	}
	x.Label = label
	return nil
}

// readLogin reads a user name and a password. The document gives no limit for the password.
func (c *apiRequest) readLogin(x *credential) error {
	return firstError(c.readString("username", &x.username, 0, 5000), c.readString("password", &x.password, 1, 5000))
}

func updateCredential(c *apiRequest) (any, error) {
	return update(c, findCredential(c), readCredentialLabel)
}

func changeLogin(c *apiRequest) (any, error) {
	_, err := update(c, findCredential(c), func(c *apiRequest, x *credential) error {
		return firstError(c.require("password"), c.readLogin(x))
	})
	if err != nil {
		return nil, err
	}
	return emptyObject{}, nil
}

// deleteCredential deletes a credential. Services that use it keep its ID; the document does not say what the real
// service does.
func deleteCredential(c *apiRequest) (any, error) { return remove(&c.e.credentials, findCredential(c)) }
