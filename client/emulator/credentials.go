package emulator

import "slices"

type credential struct {
	ID            int       `json:"id"`
	Label         string    `json:"label"`
	LastDecrypted timestamp `json:"last_decrypted"`
	username      string
	password      string
}

func (e *Emulator) credentialRoutes() {
	const write = "account:read_write"
	e.handle(
		Endpoint{"list credentials", "GET", "/managed/credentials", "account:read_only", false},
		func(c *apiRequest) (any, error) { return paginate(c, e.credentials) },
	)
	e.handle(Endpoint{"create credential", "POST", "/managed/credentials", write, true}, e.createCredential)
	e.handle(
		Endpoint{"view SSH key", "GET", "/managed/credentials/sshkey", "account:read_only", false},
		func(*apiRequest) (any, error) {
			return map[string]string{
				"ssh_key": "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7emulatedkeyofnobodyoD2ZQ== managedservices@linode",
			}, nil
		},
	)
	e.handle(
		Endpoint{"view credential", "GET", "/managed/credentials/{id}", write, false},
		func(c *apiRequest) (any, error) { return orNotFound(e.credential(c)) },
	)
	e.handle(Endpoint{"update credential", "PUT", "/managed/credentials/{id}", write, true}, e.updateCredential)
	e.handle(
		Endpoint{"delete credential", "DELETE", "/managed/credentials/{id}", write, true},
		e.deleteCredential,
		"POST /managed/credentials/{id}/revoke",
	)
	e.handle(Endpoint{"change login", "POST", "/managed/credentials/{id}/update", write, true}, e.changeLogin)
}

func (e *Emulator) credential(c *apiRequest) *credential {
	return findByID(e.credentials, c.pathInt("id"), func(x *credential) int { return x.ID })
}

func (e *Emulator) createCredential(c *apiRequest) (any, error) {
	x := &credential{}
	if err := firstError(c.require("label", "password"), e.readCredentialLabel(c, x), c.readLogin(x)); err != nil {
		return nil, err
	}
	x.ID = e.nextID()
	e.credentials = append(e.credentials, x)
	return x, nil
}

// readCredentialLabel takes a label, which must be unique. The error's words are not shown by the document.
func (e *Emulator) readCredentialLabel(c *apiRequest, x *credential) error {
	label := x.Label
	if err := c.readString("label", &label, 2, 75); err != nil {
		return err
	}
	if slices.ContainsFunc(e.credentials, func(y *credential) bool { return y.Label == label && y.ID != x.ID }) {
		return invalidField("label", "Label must be unique among your credentials")
	}
	x.Label = label
	return nil
}

// readLogin takes user name and password. The password's bound is not shown.
func (c *apiRequest) readLogin(x *credential) error {
	return firstError(c.readString("username", &x.username, 0, 5000), c.readString("password", &x.password, 1, 5000))
}

func (e *Emulator) updateCredential(c *apiRequest) (any, error) {
	x := e.credential(c)
	if x == nil {
		return nil, notFound()
	}
	return x, e.readCredentialLabel(c, x)
}

func (e *Emulator) changeLogin(c *apiRequest) (any, error) {
	x := e.credential(c)
	if x == nil {
		return nil, notFound()
	}
	changed := *x
	if err := firstError(c.require("password"), c.readLogin(&changed)); err != nil {
		return nil, err
	}
	*x = changed
	return emptyObject{}, nil
}

// deleteCredential removes a login. Services that named it keep its number; what the real service does is not shown.
func (e *Emulator) deleteCredential(c *apiRequest) (any, error) {
	x := e.credential(c)
	if x == nil {
		return nil, notFound()
	}
	e.credentials = slices.DeleteFunc(e.credentials, func(y *credential) bool { return y == x })
	return emptyObject{}, nil
}
