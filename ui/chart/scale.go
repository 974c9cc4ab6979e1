package chart

import (
	"fmt"
	"math"
	"strconv"

	"github.com/dustin/go-humanize"
)

// A Unit is what a quantity is measured in.
type Unit struct {
	Name     string // "%", "op/s", "b/s"
	Prefixed bool   // large values take a decimal prefix: 41.2 Mb/s
}

// Format returns a value with its unit and three significant digits: "41.2 Mb/s".
func (u Unit) Format(v float64) string {
	if !u.Prefixed {
		return formatNumber(v) + " " + u.Name
	}
	divisor, name := u.scaled(math.Abs(v))
	return formatNumber(v/divisor) + " " + name
}

// scaled returns what the values of a chart are divided by so that the greatest can be read, and their unit then.
func (u Unit) scaled(most float64) (divisor float64, name string) {
	switch {
	case u.Prefixed:
		divisor = 1
		for _, prefix := range []string{"", "k", "M", "G", "T"} {
			if name = prefix + u.Name; most < 1000*divisor {
				return divisor, name
			}
			divisor *= 1000
		}
		return divisor, "P" + u.Name
	case most < 1e6:
		return 1, u.Name
	}
	exponent := 3 * math.Floor(math.Log10(most)/3+1e-9)
	return math.Pow(10, exponent), fmt.Sprintf("10^%.0f %s", exponent, u.Name)
}

// formatNumber returns a number with three significant digits.
func formatNumber(v float64) string {
	abs := math.Abs(v)
	switch {
	case abs == 0:
		return "0"
	case abs < 1e-4, abs >= 1e12:
		return strconv.FormatFloat(v, 'g', 3, 64)
	case abs >= 999.5:
		return humanize.Comma(int64(math.Round(v)))
	case abs == math.Trunc(abs):
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	decimals := 2
	for limit := 9.995; abs >= limit; limit *= 10 {
		decimals--
	}
	for limit := 0.9995; abs < limit; limit /= 10 {
		decimals++
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// A scale is the value axis: from 0 on, with ticks at multiples of 1, 2 or 5 times a power of ten.
type scale struct {
	step    float64 // between two ticks; 0 without an axis
	perTick int     // rows from one tick to the next
}

// newScale returns a scale for values up to most on a number of rows: with at most five ticks, or as few of them as it
// takes for the greatest value to reach four fifths of the height. It may be above the last row by less than half.
func newScale(most float64, rows int) (best scale) {
	if rows < minLine {
		return scale{}
	}
	if most < 1e-9 {
		most = 1
	}
	highest, reached := float64(rows-1), 0.0
	for n := max((rows+4)/5, min(2, (rows-1)/2)); n < rows && reached < 0.8*highest; n++ {
		s := scale{perTick: n, step: roundUp(most * float64(n) / (highest + 0.49))}
		if row := s.row(most); row > reached {
			best, reached = s, row
		}
	}
	return best
}

// roundUp returns the least of 1, 2 and 5 times a power of ten that is not below v.
func roundUp(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, digit := range []float64{1, 2, 5} {
		if v <= digit*power*(1+1e-9) {
			return digit * power
		}
	}
	return 10 * power
}

// row returns the row of a value, counted from the bottom.
func (s scale) row(v float64) float64 { return v / s.step * float64(s.perTick) }

// label returns the label of a row, counted from the bottom; "" if there is no tick.
func (s scale) label(row int) string {
	switch {
	case s.step == 0 || row%s.perTick != 0:
		return ""
	case row == 0:
		return "0"
	}
	value := s.step * float64(row/s.perTick)
	if value >= 1000 {
		return humanize.Comma(int64(math.Round(value)))
	}
	return strconv.FormatFloat(value, 'f', max(0, -int(math.Floor(math.Log10(s.step)+1e-9))), 64)
}
