package client

import (
	"context"
	"errors"
	"slices"
	"strconv"
)

// A ServiceStatus is the state of a service ("States and transitions"). Values other than these four are possible; they
// are shown as they came.
type ServiceStatus string

// The states. The document does not explain them: disabled is not monitored, pending has not been checked yet.
const (
	StatusDisabled ServiceStatus = "disabled"
	StatusPending  ServiceStatus = "pending"
	StatusOK       ServiceStatus = "ok"
	StatusProblem  ServiceStatus = "problem"
)

// ServiceStatuses returns the states of the document.
func ServiceStatuses() []string {
	return []string{string(StatusOK), string(StatusProblem), string(StatusDisabled), string(StatusPending)}
}

// String returns the state, safe to display.
func (s ServiceStatus) String() string { return cleanShort(string(s), maxWord) }

// A ServiceType says how a service is checked.
type ServiceType string

// The types.
const (
	TypeURL ServiceType = "url" // by fetching a URL
	TypeTCP ServiceType = "tcp" // by connecting to host:port
)

// String returns the type, safe to display.
func (t ServiceType) String() string { return cleanShort(string(t), maxWord) }

// A Service is a monitored service ("Managed Service").
type Service struct {
	ID          int                `json:"id"`
	Label       ServerText         `json:"label"` // 3..64 characters
	Type        ServiceType        `json:"service_type"`
	Address     ServerText         `json:"address"` // 3..100 characters; a fragment is not preserved
	Timeout     Optional[int]      `json:"timeout"` // 1..255 seconds until it counts as down
	Body        OptionalServerText `json:"body"`    // the answer must contain it; at most 100 characters, empty is null
	Group       ServerText         `json:"consultation_group"`
	Credentials []int              `json:"credentials"`
	Notes       OptionalServerText `json:"notes"`  // empty is null
	Region      OptionalServerText `json:"region"` // set if and only if the address is a private IP
	Status      ServiceStatus      `json:"status"`
	Created     Timestamp          `json:"created"`
	Updated     Timestamp          `json:"updated"`
}

// A ServiceRequest describes a service to create. Empty body, notes and region are omitted; in a patch, cleared ones
// are null.
type ServiceRequest struct {
	Label       string      `json:"label"`
	Type        ServiceType `json:"service_type"`
	Address     string      `json:"address"`
	Timeout     int         `json:"timeout"`
	Body        string      `json:"body,omitempty"`
	Group       string      `json:"consultation_group"`
	Credentials []int       `json:"credentials"`
	Notes       string      `json:"notes,omitempty"`
	Region      string      `json:"region,omitempty"`
}

// Request returns the request that would create the service again: the initial values of a form. A timeout that is not
// known is 0.
func (s Service) Request() ServiceRequest {
	timeout, _ := s.Timeout.Value()
	return ServiceRequest{
		Label:       s.Label.raw,
		Type:        s.Type,
		Address:     s.Address.raw,
		Timeout:     timeout,
		Body:        s.Body.raw,
		Group:       s.Group.raw,
		Credentials: slices.Clone(s.Credentials),
		Notes:       s.Notes.raw,
		Region:      s.Region.raw,
	}
}

// CreateService makes a service; monitoring begins.
func (w *Writer) CreateService(ctx context.Context, r ServiceRequest) (*Service, error) {
	if r.Credentials == nil {
		r.Credentials = []int{}
	}
	return sendChange[*Service](ctx, w, request{op: OpCreateService, body: r})
}

// UpdateService changes the members of the patch. The status stays as it is.
func (w *Writer) UpdateService(ctx context.Context, id int, p Patch) (*Service, error) {
	return sendChange[*Service](ctx, w, callByID(OpUpdateService, id, p))
}

// DeleteService removes a service; monitoring stops.
func (w *Writer) DeleteService(ctx context.Context, id int) error {
	_, err := sendChange[noContent](ctx, w, callByID(OpDeleteService, id, nil))
	return err
}

// DisableService stops monitoring until the service is enabled. The document does not say which status follows; the
// real service answers disabled.
func (w *Writer) DisableService(ctx context.Context, id int) (*Service, error) {
	return sendChange[*Service](ctx, w, callByID(OpDisableService, id, nil))
}

// EnableService starts monitoring again. The document does not say which status follows; the real service answers
// pending until the next check.
func (w *Writer) EnableService(ctx context.Context, id int) (*Service, error) {
	return sendChange[*Service](ctx, w, callByID(OpEnableService, id, nil))
}

// PlanMaintenance records that a service is to be disabled at the change's StartAt and enabled at its RevertAt. It
// sends nothing: a program that holds the journal disables the service then. A change without StartAt is refused.
func (w *Writer) PlanMaintenance(ctx context.Context, id int) error {
	if w.change.StartAt.IsZero() {
		return w.client.refusal(w.change, errNoStart)
	}
	return w.recordOnly(ctx, OpPlanMaintenance, id)
}

// ChangeMaintenance records that the window which the change's Scheduled names has another start, end or reason: the
// change's StartAt, RevertAt and Reason. A change that names none is refused.
func (w *Writer) ChangeMaintenance(ctx context.Context, id int) error {
	if w.change.Scheduled == "" {
		return w.client.refusal(w.change, errNoWindow)
	}
	return w.recordOnly(ctx, OpChangeMaintenance, id)
}

// CancelMaintenance records that the planned window which the change's Scheduled names does not begin. A change that
// names none is refused.
func (w *Writer) CancelMaintenance(ctx context.Context, id int) error {
	if w.change.Scheduled == "" {
		return w.client.refusal(w.change, errNoWindow)
	}
	return w.recordOnly(ctx, OpCancelMaintenance, id)
}

// Why a window is neither planned, changed nor cancelled.
var (
	errNoStart  = errors.New("the planned window has no start")
	errNoWindow = errors.New("no window was given")
)

// recordOnly records a change of a service that needs no request.
func (w *Writer) recordOnly(ctx context.Context, op string, id int) error {
	if !w.covers(op, strconv.Itoa(id)) {
		return w.client.refusal(w.change, ErrNotConfirmed)
	}
	failed := &Error{Op: op + " " + strconv.Itoa(id), Write: true, Host: w.client.endpoint.base.Host}
	return w.send(ctx, failed, w.change, func(context.Context) error { return nil })
}
