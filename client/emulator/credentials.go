package emulator

import "slices"

type credential struct {
	ID            int    `json:"id"`
	Label         string `json:"label"`
	LastDecrypted stamp  `json:"last_decrypted"`
	username      string
	password      string
}

func (e *Emulator) credentialRoutes() {
	const write = "account:read_write"
	e.route(Operation{"list credentials", "GET", "/managed/credentials", "account:read_only", false}, func(c *call) (any, error) { return paged(c, e.creds) })
	e.route(Operation{"create credential", "POST", "/managed/credentials", write, true}, e.createCredential)
	e.route(Operation{"view SSH key", "GET", "/managed/credentials/sshkey", "account:read_only", false}, func(*call) (any, error) {
		return map[string]string{"ssh_key": "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7emulatedkeyofnobodyoD2ZQ== managedservices@linode"}, nil
	})
	e.route(Operation{"view credential", "GET", "/managed/credentials/{id}", write, false}, func(c *call) (any, error) { return found(e.credential(c)) })
	e.route(Operation{"update credential", "PUT", "/managed/credentials/{id}", write, true}, e.updateCredential)
	e.route(Operation{"delete credential", "DELETE", "/managed/credentials/{id}", write, true}, e.deleteCredential, "POST /managed/credentials/{id}/revoke")
	e.route(Operation{"change login", "POST", "/managed/credentials/{id}/update", write, true}, e.changeLogin)
}

func (e *Emulator) credential(c *call) *credential {
	return byID(e.creds, c.number("id"), func(x *credential) int { return x.ID })
}

func (e *Emulator) createCredential(c *call) (any, error) {
	x := &credential{}
	if err := first(c.require("label", "password"), e.credentialLabel(c, x), c.login(x)); err != nil {
		return nil, err
	}
	x.ID = e.next()
	e.creds = append(e.creds, x)
	return x, nil
}

// credentialLabel takes a label, which must be unique. The error's words are not shown by the document.
func (e *Emulator) credentialLabel(c *call, x *credential) error {
	label := x.Label
	if err := c.text("label", &label, 2, 75); err != nil {
		return err
	}
	if slices.ContainsFunc(e.creds, func(y *credential) bool { return y.Label == label && y.ID != x.ID }) {
		return invalid("label", "Label must be unique among your credentials")
	}
	x.Label = label
	return nil
}

// login takes user name and password. The password's bound is not shown.
func (c *call) login(x *credential) error {
	return first(c.text("username", &x.username, 0, 5000), c.text("password", &x.password, 1, 5000))
}

func (e *Emulator) updateCredential(c *call) (any, error) {
	x := e.credential(c)
	if x == nil {
		return nil, notFound()
	}
	return x, e.credentialLabel(c, x)
}

func (e *Emulator) changeLogin(c *call) (any, error) {
	x := e.credential(c)
	if x == nil {
		return nil, notFound()
	}
	changed := *x
	if err := first(c.require("password"), c.login(&changed)); err != nil {
		return nil, err
	}
	*x = changed
	return nothing{}, nil
}

// deleteCredential removes a login. Services that named it keep its number; what the real service does is not shown.
func (e *Emulator) deleteCredential(c *call) (any, error) {
	x := e.credential(c)
	if x == nil {
		return nil, notFound()
	}
	e.creds = slices.DeleteFunc(e.creds, func(y *credential) bool { return y == x })
	return nothing{}, nil
}
