package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
)

// Stats are the last 24 hours of all managed instances together ("Managed Stats"): cpu in percent, disk and swap in operations a
// second, the network in bits a second.
type Stats struct {
	CPU, Disk, NetIn, NetOut, Swap []Point
	Unavailable                    []Text // what the server said instead of data: "Graphs are not yet available."
}

// A Point is one sample. A value that was missing or no number is NaN: a gap, never a zero.
type Point struct {
	At    time.Time
	Value float64
}

// UnmarshalJSON reads data as an object of series, or as a list of sentences. The second form is not in the document.
func (s *Stats) UnmarshalJSON(body []byte) error {
	var data json.RawMessage
	if err := exact(body, map[string]*json.RawMessage{"data": &data}); err != nil {
		return err
	}
	*s = Stats{}
	if len(data) > 0 && data[0] == '[' {
		if err := json.Unmarshal(data, &s.Unavailable); err != nil || slices.Contains(s.Unavailable, Text{}) {
			return errors.New("the member data is a list, and not of sentences")
		}
		return nil
	}
	series := map[string][]byte{}
	if partsOf(data, series) != nil {
		return fmt.Errorf("the member data is missing or neither an object nor a list")
	}
	for name, into := range map[string]*[]Point{"cpu": &s.CPU, "disk": &s.Disk, "net_in": &s.NetIn, "net_out": &s.NetOut, "swap": &s.Swap} {
		*into = inOrder(readPoints(series[name]))
	}
	return nil
}

// readPoints reads a series; nothing where it is no list.
func readPoints(series []byte) (points []Point) {
	members := map[string][]byte{}
	err := eachElement(series, func(point []byte) error {
		clear(members)
		if partsOf(point, members) == nil {
			points = append(points, readPoint(members))
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return points
}

// inOrder drops points without a time, which cannot be drawn, and sorts the others.
func inOrder(points []Point) []Point {
	points = slices.DeleteFunc(points, func(p Point) bool { return p.At.IsZero() })
	slices.SortStableFunc(points, func(a, b Point) int { return a.At.Compare(b.At) })
	return points
}

// readPoint reads a point. The name of its value is not shown by the document: its text says y and its sample true (YAML's reading of a bare
// y), so both are taken, and else the only other number there is.
func readPoint(members map[string][]byte) Point {
	p := Point{Value: math.NaN()}
	if x, ok := number(members["x"]); ok {
		p.At = moment(x)
	}
	delete(members, "x")
	for _, name := range [...]string{"y", "true"} {
		if v, ok := number(members[name]); ok {
			p.Value = v
			return p
		}
	}
	found := 0
	for _, raw := range members {
		if v, ok := number(raw); ok {
			p.Value = v
			found++
		}
	}
	if found != 1 {
		p.Value = math.NaN()
	}
	return p
}

// number is what a JSON number says; false for all else.
func number(raw []byte) (float64, bool) {
	if len(raw) == 0 || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return 0, false
	}
	v, err := strconv.ParseFloat(string(raw), 64)
	return v, err == nil
}

// moment reads milliseconds since 1970, of which the document's sample has a digit too many; ten digits are seconds.
func moment(x float64) time.Time {
	switch {
	case x < 0 || x >= 1e16:
		return time.Time{}
	case x < 1e11:
		x *= 1000
	case x >= 5e12:
		x /= 10
	}
	return time.UnixMilli(int64(x)).UTC()
}

// ManagedStats is the account's stats.
type ManagedStats struct{ c *Client }

// View is the stats as of now.
func (s ManagedStats) View(ctx context.Context) (*Stats, error) {
	return call[*Stats](ctx, s.c, request{op: "view stats"})
}
