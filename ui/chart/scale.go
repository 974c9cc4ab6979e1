package chart

import (
	"fmt"
	"math"
	"strconv"
	"strings"

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

// A scale is the value axis: from low to high in steps of 1, 2 or 5 times a power of ten.
type scale struct {
	low, high float64
	steps     int // between low and high; 0: bars of series that stand one above the other fill their rows
	exponent  int // of the power of ten
	rows      int // that it takes: a multiple of the steps, and one
}

// maxSteps is how many steps an axis has at most: their ends are labelled.
const maxSteps = 4

// newScale returns a scale that holds 0 and all values between two, on at most a number of rows. Of the scales with
// the finest steps it is the one on which the values take the most room. Values may be above the last tick by less
// than half a row: they are drawn in the upper half of its row.
func newScale(least, most float64, rows int) scale {
	least, most = min(0, least), max(0, most)
	if most-least < 1e-9 {
		most = 1
	}
	allowed := max(min(2, rows-1), min(maxSteps, (rows-1)/2))
	if least < 0 && most > 0 {
		allowed = max(2, allowed)
	}
	var best scale
	room, candidates := 0.0, 3
	for exponent := int(math.Floor(math.Log10((most-least)/float64(allowed)))) - 1; candidates > 0; exponent++ {
		for _, digit := range []float64{1, 2, 5} {
			step := digit * math.Pow(10, float64(exponent))
			first := math.Floor(least/step + 1e-9)
			s := scale{low: first * step, exponent: exponent}
			for s.steps = max(1, -int(first)); s.steps <= allowed; s.steps++ {
				s.rows = (rows-1)/s.steps*s.steps + 1
				s.high = (first + float64(s.steps)) * step
				if s.row(most) < float64(s.rows)-0.5 {
					break
				}
			}
			if s.steps > allowed || candidates == 0 {
				continue
			}
			candidates--
			taken := s.row(most) - s.row(least)
			if s.steps == 1 {
				taken *= 0.7 // two labels say less than three
			}
			if taken > room*1.1 {
				best, room = s, taken
			}
		}
	}
	return best
}

// row returns the row of a value, counted from the bottom.
func (s scale) row(v float64) float64 { return (v - s.low) / (s.high - s.low) * float64(s.rows-1) }

// tick returns the label of a tick, and its row counted from the bottom.
func (s scale) tick(n int) (label string, row int) {
	if s.steps == 0 {
		return "", 0
	}
	value := s.low + (s.high-s.low)*float64(n)/float64(s.steps)
	label = strconv.FormatFloat(value, 'f', max(0, -s.exponent), 64)
	if math.Abs(value) >= 1000 {
		label = humanize.Comma(int64(math.Round(value)))
	}
	if strings.Trim(label, "-0.") == "" {
		label = "0"
	}
	return label, n * (s.rows - 1) / s.steps
}
