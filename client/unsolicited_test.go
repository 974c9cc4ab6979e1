package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptrace"
	"testing"

	"lookout/client"
	"lookout/client/faulttest"
)

// The second of two answers to one request is not taken for the answer to the next request, even if that request is
// sent before net/http notices the second answer. A read is sent again, on another connection; of a change it is not
// known whether it was applied.
func TestTransport_unsolicited(t *testing.T) {
	answer := func(body string) string {
		return fmt.Sprintf(
			"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body,
		)
	}
	service := func(label string) string { return `{"id":7,"label":"` + label + `"}` }
	for name, c := range map[string]struct {
		unsolicited string
		send        func(context.Context, *client.Client) error
	}{
		"read": {pageBody(service("foreign")), func(ctx context.Context, api *client.Client) error {
			p, err := api.Services.List(ctx, 1)
			if err == nil && p.Data[0].Label.Raw() != "second" {
				t.Errorf("read %q", p.Data[0].Label.Raw())
			}
			return err
		}},
		"change": {service("foreign"), func(ctx context.Context, api *client.Client) error {
			_, err := client.Confirmed(api, client.OpDisableService, 7).DisableService(ctx, 7)
			var e *client.Error
			if !errors.As(err, &e) || !e.Unknown() {
				t.Errorf("a change with an answer that is not its own: %v", err)
			}
			return nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api := newAddressClient(t, faulttest.Listen(
				t,
				faulttest.RespondRaw(answer(pageBody(service("first")))+answer(c.unsolicited), faulttest.NeverRespond),
				faulttest.RespondRaw(answer(pageBody(service("second")))),
			))
			written, ended := make(chan struct{}, 8), make(chan error, 1)
			_, err := api.Services.List(httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
				PutIdleConn: func(error) {
					go func() {
						ended <- c.send(httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
							WroteRequest: func(httptrace.WroteRequestInfo) { written <- struct{}{} },
						}), api)
					}()
					<-written
				},
			}), 1)
			if err != nil {
				t.Error(err)
			}
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}
