package client

import (
	"reflect"
	"testing"

	"lookout/client/faulttest"
)

// A page allocates all its rows at once.
func TestPage_rowsAreContiguous(t *testing.T) {
	var p Page[*Service]
	if err := decode([]byte(`{"data":[{"id":1},{"id":2},{"id":3}],"page":1,"pages":1,"results":3}`), &p); err != nil ||
		len(p.Data) != 3 {
		t.Fatal(err, len(p.Data))
	}
	at := func(i int) uintptr { return reflect.ValueOf(p.Data[i]).Pointer() }
	if size := reflect.TypeFor[Service]().Size(); at(1)-at(0) != size || at(2)-at(1) != size {
		t.Errorf("rows of %d bytes stand at %x, %x, %x", size, at(0), at(1), at(2))
	}
	for i, row := range p.Data {
		if row.ID != i+1 {
			t.Errorf("row %d is %+v", i, row)
		}
	}
}

// With an error, Get returns nil, even if part of the row was decoded.
func TestServices_Get_nilOnError(t *testing.T) {
	for name, answer := range map[string]faulttest.Interceptor{
		"refused":                    faulttest.Respond(403, `{"errors":[{"reason":"no"}]}`),
		"no object":                  faulttest.Respond(200, `[]`),
		"null":                       faulttest.Respond(200, `null`),
		"cut":                        faulttest.Respond(200, `{"id":1,"label":"bill`),
		"nothing that was asked for": faulttest.Respond(200, `{"x":1}`),
	} {
		c, err := New("https://x/v4", NewSecret("t"), WithTransport(faulttest.NewTransport(nil, answer)))
		if err != nil {
			t.Fatal(err)
		}
		if row, err := c.Services.Get(t.Context(), 1); err == nil || row != nil {
			t.Errorf("%s: %+v, %v", name, row, err)
		}
	}
}
