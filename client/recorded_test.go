package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"lookout/client"
	"lookout/client/faulttest"
	"lookout/client/optest"
)

// callFor returns the call of the client for a recorded path, without contents; nil for paths of other areas.
func callFor(t *testing.T, x *faulttest.RecordedExchange) func(context.Context, *client.Client) (any, error) {
	if x.Operation() == "GET /support/tickets/{ticketId}" {
		return func(ctx context.Context, c *client.Client) (any, error) { return c.Tickets.Get(ctx, 1) }
	}
	o, _ := optest.Find(x.Method, x.Template)
	for _, s := range operations(t) {
		if s.op == o.Name {
			return func(ctx context.Context, c *client.Client) (any, error) {
				return s.do(caller{ctx, c, s.op, true})
			}
		}
	}
	return nil
}

// The client reads every exchange of a collection, if there is one beside the project: no member is lost, and every
// error has its status.
func TestClient_recordedExchanges(t *testing.T) {
	folders := []string{"shared/api/examples"}
	for _, area := range []string{"aux", "errors", "object-storage", "s3-presigned"} {
		folders = append(folders, "shared/api/recorded/"+area)
	}
	all := append(faulttest.OwnRecordings(t, "/"), faulttest.Recordings(t, folders...)...)
	synctest.Test(t, func(t *testing.T) {
		read, other := 0, 0
		for _, x := range all {
			faulttest.ReportCase(t, "H5", "recorded, "+x.Name)
			if checkExchange(t, x.Name, x) {
				read++
			} else {
				other++
			}
		}
		t.Logf("%d exchanges read by their own operation, %d of other areas", read, other)
		if read == 0 {
			t.Error("no exchange was read")
		}
	})
}

// checkExchange reads one exchange and reports whether it belongs to an operation of ours.
func checkExchange(t *testing.T, name string, x *faulttest.RecordedExchange) bool {
	c, err := client.New(
		"https://api.example.test/v4", client.NewSecret("t"), client.WithTransport(x),
		client.WithDialect(client.DialectProvider),
	)
	if err != nil {
		t.Fatal(err)
	}
	call, ours := callFor(t, x), true
	if call == nil {
		ours = false
		call = func(ctx context.Context, c *client.Client) (any, error) {
			_, err := c.Services.List(ctx, 1)
			return nil, err
		}
	}
	got, err := call(t.Context(), c)
	var failure *client.Error
	switch {
	case x.Status >= 400:
		if !errors.As(err, &failure) || failure.Status != x.Status {
			t.Errorf("%s: %v, not a failure with status %d", name, err, x.Status)
		}
	case !ours:
	case strings.Contains(name, "unavailable"):
		if err != nil || len(got.(*client.ManagedStats).Unavailable) == 0 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	case err != nil && strings.Contains(err.Error(), ", but the API answered "):
		// what was recorded is not the answer to what this test sends
	case err != nil:
		t.Errorf("%s: %v", name, err)
	case got != nil && got != (*client.ObjectACL)(nil): // an empty answer, after which the ACL is not known
		checkMembers(t, name, got, x.Body)
	}
	return ours
}

// checkMembers fails where a member that our type holds has another value than the answer.
func checkMembers(t *testing.T, name string, got any, body json.RawMessage) {
	if _, isStats := got.(*client.ManagedStats); isStats {
		return // its members are renamed; the values are tested on their own
	}
	ours, err := json.Marshal(got)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	var a, b any
	_ = json.Unmarshal(ours, &a)
	_ = json.Unmarshal(body, &b)
	if page, isPage := a.(map[string]any); isPage && page["Data"] != nil {
		if odd, _ := page["Warnings"].([]any); len(odd) > 0 {
			t.Errorf("%s: %v", name, odd)
		}
		a, b = page["Data"], b.(map[string]any)["data"]
	}
	same(t, name, a, b)
}

func same(t *testing.T, at string, ours, theirs any) {
	switch o := ours.(type) {
	case map[string]any:
		them, isObject := theirs.(map[string]any)
		if !isObject {
			if theirs != nil {
				t.Errorf("%s: %v for %v", at, ours, theirs)
			}
			return
		}
		for name, v := range o {
			if w, there := them[name]; there && name != "secret_key" && name != "url" {
				same(t, at+"."+name, v, w)
			}
		}
	case []any:
		them, _ := theirs.([]any)
		if len(o) != len(them) {
			t.Errorf("%s: %d items of %d", at, len(o), len(them))
			return
		}
		for i := range o {
			same(t, at, o[i], them[i])
		}
	default:
		if text, isText := theirs.(string); isText && ours == text+"Z" {
			return // a time: the API writes UTC without its zone
		}
		if theirs != nil && !reflect.DeepEqual(ours, theirs) {
			t.Errorf("%s: %v for %v", at, ours, theirs)
		}
	}
}
