package main

import (
	"testing"

	"golang.org/x/sys/unix"

	"lookout/client/faulttest"
)

func TestMemoryIsClosedToOthers(t *testing.T) {
	faulttest.RunCase(t, "F13", "memory", func(t *testing.T) {
		before, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		protectMemory()
		after, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
		if err != nil || after != 0 {
			t.Errorf("%d before, %d after, %v", before, after, err)
		}
		_ = unix.Prctl(unix.PR_SET_DUMPABLE, uintptr(before), 0, 0, 0)
	})
}
