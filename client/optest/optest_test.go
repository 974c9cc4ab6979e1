package optest_test

import (
	"testing"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/optest"
)

// The table has the 48 operations of the document and three others, as the client sends them and the emulator serves
// them. A command line and an example are checked where they are used.
func TestOperations(t *testing.T) {
	c, err := client.New("https://api.example.test/v4", client.NewSecret("t"))
	if err != nil {
		t.Fatal(err)
	}
	served := emulator.New(emulator.Options{}).Endpoints()
	if n := len(optest.Documented()); n != 48 || n != len(served) {
		t.Errorf("%d operations, and the emulator serves %d; the document has 48", n, len(served))
	}
	for _, route := range served {
		o, known := optest.Find(route.Method, route.Path)
		if !known || o.Name != route.Name || o.Scope != route.Scope {
			t.Errorf("the emulator serves %+v; the table has %+v", route, o)
		}
	}
	listed := map[client.DocumentedOperation]bool{}
	for _, o := range optest.All() {
		call, err := c.ParseCall(o.Method, o.Example())
		if err != nil || call.Op() != o.Name || call.Writes() == (o.Method == "GET") ||
			client.RequiredScope(o.Name) != o.Scope {
			t.Errorf("%+v: the client has %v with scope %q, %v", o, call, client.RequiredScope(o.Name), err)
		}
		listed[client.DocumentedOperation{Op: o.Name, Method: o.Method}] = true
	}
	for _, o := range client.Operations() {
		if !listed[client.DocumentedOperation{Op: o.Op, Method: o.Method}] {
			t.Errorf("no row for %v", o)
		}
	}
}
