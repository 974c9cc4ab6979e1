package client

import (
	"context"
	"encoding/json"
)

// An Instance holds the SSH settings of one compute instance ("Managed Instance Settings"). Only SSH can be changed.
type Instance struct {
	ID    int         `json:"id"`
	Label ServerText  `json:"label"`
	Group ServerText  `json:"group"` // for display only
	SSH   SSHSettings `json:"ssh"`
}

// SSHSettings says how support staff log in. The zero value is of an answer without them: nothing is known.
type SSHSettings struct {
	Access Optional[bool]     `json:"access"`
	User   OptionalServerText `json:"user"` // empty is null, which is root
	IP     ServerText         `json:"ip"`   // "any", or an address of the instance; empty if it is not known
	Port   int                `json:"port"` // 0 is null, which is 22
}

// Known reports whether the answer had settings.
func (s SSHSettings) Known() bool { return s != SSHSettings{} }

// MarshalJSON encodes the settings as the API sends them: empty members are null, and so are settings that it did not
// send.
func (s SSHSettings) MarshalJSON() ([]byte, error) {
	if !s.Known() {
		return []byte("null"), nil
	}
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

// An InstanceRequest is the part of an instance's settings that can be changed.
type InstanceRequest struct {
	SSH SSHSettingsRequest `json:"ssh"`
}

// An SSHSettingsRequest holds SSH settings to send: a user of at most 32 characters, a port from 1 to 65535. Empty
// members are null.
type SSHSettingsRequest struct {
	Access *bool  `json:"access,omitempty"` // nil if it is not known, and not to be changed
	User   string `json:"user,omitempty"`
	IP     string `json:"ip"`
	Port   int    `json:"port,omitempty"`
}

// Request returns the current settings as a request: the initial values of a form.
func (i Instance) Request() InstanceRequest {
	r := InstanceRequest{SSHSettingsRequest{User: i.SSH.User.raw, IP: i.SSH.IP.raw, Port: i.SSH.Port}}
	if access, known := i.SSH.Access.Value(); known {
		r.SSH.Access = &access
	}
	return r
}

// UpdateInstanceSSH changes the members of the patch, which holds a part of ssh.
func (w *Writer) UpdateInstanceSSH(ctx context.Context, id int, p Patch) (*Instance, error) {
	return sendChange[*Instance](ctx, w, callByID(OpUpdateInstanceSSH, id, p))
}
