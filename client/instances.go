package client

import (
	"context"
	"encoding/json"
	"iter"
)

// An Instance is the SSH settings of one compute instance ("Managed Instance Settings"). Only SSH can be written.
type Instance struct {
	ID    int         `json:"id"`
	Label Text        `json:"label"`
	Group Text        `json:"group"` // display only
	SSH   SSHSettings `json:"ssh"`
}

// SSHSettings is how support staff log in.
type SSHSettings struct {
	Access bool         `json:"access"`
	User   OptionalText `json:"user"` // empty is null, which is root
	IP     Text         `json:"ip"`   // "any", or an address of the instance
	Port   int          `json:"port"` // 0 is null, which is 22
}

// MarshalJSON is the settings as the API sends them: what is empty is null.
func (s SSHSettings) MarshalJSON() ([]byte, error) {
	type plain SSHSettings
	port := &s.Port
	if s.Port == 0 {
		port = nil
	}
	return json.Marshal(struct {
		plain
		Port *int `json:"port"`
	}{plain(s), port})
}

// An InstanceRequest is the writable part of an instance's settings.
type InstanceRequest struct {
	SSH SSHRequest `json:"ssh"`
}

// An SSHRequest is SSH as it is sent: user of at most 32 characters, port 1..65535; what is empty is null.
type SSHRequest struct {
	Access bool   `json:"access"`
	User   string `json:"user,omitempty"`
	IP     string `json:"ip"`
	Port   int    `json:"port,omitempty"`
}

// Request is the settings as they would be sent: where a form starts.
func (i Instance) Request() InstanceRequest {
	return InstanceRequest{SSHRequest{i.SSH.Access, i.SSH.User.raw, i.SSH.IP.raw, i.SSH.Port}}
}

// Instances are the settings of the account's instances: one each, neither made nor removed here.
type Instances struct{ c *Client }

// List is a page of the settings, from 1.
func (s Instances) List(ctx context.Context, n int) (Page[*Instance], error) {
	return listPage[*Instance](ctx, s.c, "list SSH settings", n)
}

// All walks the settings.
func (s Instances) All(ctx context.Context) iter.Seq2[*Instance, error] { return allRows(ctx, s.List) }

// Get is the settings of one instance.
func (s Instances) Get(ctx context.Context, id int) (*Instance, error) {
	return call[*Instance](ctx, s.c, callByID("view SSH settings", id, nil))
}

// UpdateInstanceSSH changes the members of the patch, which holds a part of ssh.
func (w *Writer) UpdateInstanceSSH(ctx context.Context, id int, p Patch) (*Instance, error) {
	return sendChange[*Instance](ctx, w, callByID(OpUpdateInstanceSSH, id, p))
}
