package incident_test

import (
	"iter"
	"math"
	"testing"
	"time"

	"lookout/client/account/incident"
)

// The load at a detection is compared with the hours outside the incident only, and gaps count as nothing.
func TestLoadAt(t *testing.T) {
	series := func(value func(age time.Duration) float64) iter.Seq2[time.Time, float64] {
		return func(yield func(time.Time, float64) bool) {
			for age := 24 * time.Hour; age >= 0; age -= 5 * time.Minute {
				if !yield(noon.Add(-age), value(age)) {
					return
				}
			}
		}
	}
	peak := func(age time.Duration) float64 { // from 2 hours ago on
		switch {
		case age == 20*time.Hour:
			return 110
		case age == 19*time.Hour:
			return 318
		case age <= 2*time.Hour:
			return 392
		}
		return 200
	}
	none := math.NaN()
	gaps := func(time.Duration) float64 { return none }
	type load = incident.LoadComparison
	for name, c := range map[string]struct {
		detected time.Duration // before noon
		value    func(time.Duration) float64
		want     load
	}{
		"in the peak":         {2*time.Hour - 2*time.Minute, peak, load{At: 392, Low: 110, High: 318}},
		"before the peak":     {6 * time.Hour, peak, load{At: 200, Low: 110, High: 392}},
		"before all values":   {25 * time.Hour, peak, load{At: none, Low: 110, High: 392}},
		"only gaps":           {time.Hour, gaps, load{At: none, Low: none, High: none}},
		"a gap where it was":  {time.Hour, gapUntil(2*time.Hour, peak), load{At: none, Low: 110, High: 318}},
		"nothing but the end": {time.Hour, gapFrom(3*time.Hour, peak), load{At: 392, Low: 200, High: 392}},
	} {
		got := incident.LoadAt(noon.Add(-c.detected), series(c.value))
		same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
		if !same(got.At, c.want.At) || !same(got.Low, c.want.Low) || !same(got.High, c.want.High) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// gapUntil returns values without those of an age and newer.
func gapUntil(age time.Duration, value func(time.Duration) float64) func(time.Duration) float64 {
	return func(d time.Duration) float64 {
		if d <= age {
			return math.NaN()
		}
		return value(d)
	}
}

// gapFrom returns values without those of an age and older.
func gapFrom(age time.Duration, value func(time.Duration) float64) func(time.Duration) float64 {
	return func(d time.Duration) float64 {
		if d >= age {
			return math.NaN()
		}
		return value(d)
	}
}
