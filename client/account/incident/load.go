package incident

import (
	"iter"
	"math"
	"time"
)

// A LoadComparison is the value of a metric when an issue was detected, and between which values the metric was in the
// other hours that the API gives. Each is NaN if there is none.
type LoadComparison struct{ At, Low, High float64 }

// A load belongs to an issue from LoadTolerance before its detection until LoadSpan after it. A value within
// LoadTolerance is the one at the detection.
const (
	LoadTolerance = 10 * time.Minute
	LoadSpan      = 3 * time.Hour
)

// LoadAt returns the load at a detection, from values in the order of their times. NaN is a gap.
func LoadAt(detected time.Time, values iter.Seq2[time.Time, float64]) LoadComparison {
	l := LoadComparison{math.NaN(), math.NaN(), math.NaN()}
	nearest := LoadTolerance + 1
	for t, v := range values {
		from := t.Sub(detected)
		if away := from.Abs(); away < nearest {
			nearest, l.At = away, v
		}
		if math.IsNaN(v) || from >= -LoadTolerance && from <= LoadSpan {
			continue
		}
		if !(l.Low <= v) {
			l.Low = v
		}
		if !(l.High >= v) {
			l.High = v
		}
	}
	return l
}
