package client

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"sort"
	"strconv"
	"time"
)

// ManagedStats holds the last 24 hours of all managed instances together ("Managed Stats"): CPU in percent, disk and
// swap in operations per second, the network in bits per second.
type ManagedStats struct {
	CPU, Disk, NetIn, NetOut, Swap []Sample
	Unavailable                    []ServerText // what the server said instead of data: "Graphs are not yet available."
}

// A Sample is one value of a series. A missing or invalid value is NaN: a gap, never a zero.
type Sample struct {
	At    time.Time
	Value float64
}

// UnmarshalJSON accepts an object of series, or a list of sentences. The second form is not in the document.
func (s *ManagedStats) UnmarshalJSON(body []byte) error {
	var data json.RawMessage
	if err := extractMembers(body, map[string]*json.RawMessage{"data": &data}); err != nil {
		return err
	}
	*s = ManagedStats{}
	if len(data) > 0 && data[0] == '[' {
		if err := json.Unmarshal(data, &s.Unavailable); err != nil || slices.Contains(s.Unavailable, ServerText{}) {
			return errors.New("the field \"data\" is a list, but its items are not text")
		}
		return nil
	}
	series := map[string][]byte{}
	if readMembers(data, series) != nil {
		return errors.New("the field \"data\" is missing, or is neither an object nor a list")
	}
	for name, into := range map[string]*[]Sample{
		"cpu":     &s.CPU,
		"disk":    &s.Disk,
		"net_in":  &s.NetIn,
		"net_out": &s.NetOut,
		"swap":    &s.Swap,
	} {
		*into = sortByTime(parseSeries(series[name]))
	}
	return nil
}

// parseSeries parses a series; it returns nil if it is not a list.
func parseSeries(series []byte) (points []Sample) {
	members := map[string][]byte{}
	err := eachElement(series, func(point []byte) error {
		clear(members)
		if readMembers(point, members) == nil {
			points = append(points, parseSample(members))
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return points
}

// sortByTime drops samples without a time, which cannot be drawn, and sorts the rest.
func sortByTime(points []Sample) []Sample {
	points = slices.DeleteFunc(points, func(p Sample) bool { return p.At.IsZero() })
	sort.SliceStable(points, func(i, j int) bool { return points[i].At.Before(points[j].At) })
	return points
}

// parseSample parses a sample. The document does not settle the name of the value: its text says y, its example says
// true (YAML's reading of a bare y). So both are accepted, and otherwise the only other number there is.
func parseSample(members map[string][]byte) Sample {
	p := Sample{Value: math.NaN()}
	if x, ok := parseNumber(members["x"]); ok {
		p.At = parseTimestamp(x)
	}
	delete(members, "x")
	for _, name := range [...]string{"y", "true"} {
		if v, ok := parseNumber(members[name]); ok {
			p.Value = v
			return p
		}
	}
	found := 0
	for _, raw := range members {
		if v, ok := parseNumber(raw); ok {
			p.Value = v
			found++
		}
	}
	if found != 1 {
		p.Value = math.NaN()
	}
	return p
}

// parseNumber returns the value of a JSON number; false for any other JSON value.
func parseNumber(raw []byte) (float64, bool) {
	if len(raw) == 0 || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return 0, false
	}
	v, err := strconv.ParseFloat(string(raw), 64)
	return v, err == nil
}

// parseTimestamp converts milliseconds since 1970. The document's example has one digit too many; ten digits are
// seconds.
func parseTimestamp(x float64) time.Time {
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

// StatsReader reads the account's stats.
type StatsReader struct{ c *Client }

// Get returns the stats as of now.
func (s StatsReader) Get(ctx context.Context) (*ManagedStats, error) {
	return call[*ManagedStats](ctx, s.c, request{op: "view stats"})
}
