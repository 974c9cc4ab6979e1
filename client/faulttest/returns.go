package faulttest

import (
	"testing"
	"time"
)

// RequireReturns makes each call twice, one after the other, and fails if one takes 15 s: a lock was not given back.
func RequireReturns(t *testing.T, calls []struct {
	Name string
	Do   func()
}) {
	t.Helper()
	returned := make(chan struct{})
	go func() {
		for _, call := range calls {
			for range 2 {
				call.Do()
				returned <- struct{}{}
			}
		}
	}()
	for _, call := range calls {
		for range 2 {
			select {
			case <-returned:
			case <-time.After(15 * time.Second):
				t.Fatalf("%s does not return", call.Name)
			}
		}
	}
}
