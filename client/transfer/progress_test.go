package transfer

import (
	"testing"
	"time"
)

// The remaining time is known only for a transfer that moves, has something left, and ends within 99 days.
func TestETA(t *testing.T) {
	const day = 24 * 60 * 60
	for _, c := range []struct {
		left int64
		rate float64
		want time.Duration
	}{
		{100, 10, 10 * time.Second},
		{1, 1000, time.Millisecond},
		{99*day - 1, 1, 99*24*time.Hour - time.Second},
		{99 * day, 1, NoETA},
		{100, 0, NoETA},
		{0, 10, NoETA},
		{-5, 10, NoETA},
	} {
		if got := eta(c.left, c.rate); got != c.want {
			t.Errorf("%d bytes at %v a second: %v, want %v", c.left, c.rate, got, c.want)
		}
	}
}
