package emulator

import (
	"reflect"
	"testing"
	"testing/synctest"
	"time"
)

// A sample is at a multiple of five minutes, and its value does not depend on the second at which the account was made.
func TestViewStats_samples(t *testing.T) {
	read := func(after time.Duration) (samples map[float64]any) {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(after)
			_, answer := call(t, New(Options{Token: "t"}), "GET /managed/stats", "")
			samples = map[float64]any{}
			for _, p := range answer["data"].(map[string]any)["cpu"].([]any) {
				sample := p.(map[string]any)
				samples[sample["x"].(float64)] = sample["y"]
			}
		})
		return samples
	}
	first, later := read(31*time.Second), read(100*time.Second)
	if len(first) != 288 || !reflect.DeepEqual(first, later) {
		t.Errorf("%v\nand 69 s later %v", first, later)
	}
	for at := range first {
		if int64(at)%statStep.Milliseconds() != 0 {
			t.Errorf("a sample at %v", at)
		}
	}
}
