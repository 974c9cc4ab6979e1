package cli

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"lookout/client"
	"lookout/cmd/internal/exit"
	"lookout/views/resource"
)

// A series is the row of one of the stats with its minimum, mean, maximum and last value.
type series struct {
	Name   string   `json:"name"`
	Unit   string   `json:"unit"`
	Min    *float64 `json:"min"` // null where there is no sample
	Avg    *float64 `json:"avg"`
	Max    *float64 `json:"max"`
	Last   *float64 `json:"last"`
	Points []sample `json:"points"`
}

// A sample is one point of a series.
type sample struct {
	At    time.Time `json:"at"`
	Value *float64  `json:"value"` // null is a gap
}

func statsResource() resourceCommand {
	value := func(get func(*series) *float64) func(*series) string {
		return func(s *series) string {
			if v := get(s); v != nil {
				return humanize.FtoaWithDigits(*v, 2)
			}
			return ""
		}
	}
	return scriptResource[*series]{
		name:           "stats",
		singular:       "series",
		idArg:          "NAME",
		listsByDefault: true,
		description:    "CPU, disk, network and swap of all instances over the last 24 hours",
		examples:       "lookout stats\nlookout stats -o ndjson",
		columns: []resource.ColumnDefinition[*series]{
			{Name: "name", Value: func(s *series) string { return s.Name }},
			{Name: "unit", Value: func(s *series) string { return s.Unit }},
			{Name: "min", Value: value(func(s *series) *float64 { return s.Min })},
			{Name: "avg", Value: value(func(s *series) *float64 { return s.Avg })},
			{Name: "max", Value: value(func(s *series) *float64 { return s.Max })},
			{Name: "last", Value: value(func(s *series) *float64 { return s.Last })},
		},
		list: func(ctx context.Context, s *scriptSession, _ listOptions) iter.Seq2[*series, error] {
			return func(yield func(*series, error) bool) {
				all, err := allSeries(ctx, s)
				if err != nil {
					yield(nil, err)
					return
				}
				for _, one := range all {
					if !yield(&one, nil) {
						return
					}
				}
			}
		},
		get: getSeries,
	}
}

// allSeries returns the series of the account.
func allSeries(ctx context.Context, s *scriptSession) ([]series, error) {
	stats, err := s.api.Stats.Get(ctx)
	if err == nil && len(stats.Unavailable) > 0 {
		err = fmt.Errorf("stats: %s", stats.Unavailable[0])
	}
	if err != nil {
		return nil, err
	}
	return summarizeStats(stats), nil
}

// getSeries returns the series with a name.
func getSeries(ctx context.Context, s *scriptSession, name string) (*series, error) {
	all, err := allSeries(ctx, s)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(all))
	for i, one := range all {
		if names[i] = one.Name; one.Name == name {
			return &one, nil
		}
	}
	return nil, exit.WithCode(
		exit.CodeNotFound, fmt.Errorf("unknown series %q (use %s)", client.Clean(name), strings.Join(names, ", ")),
	)
}

// summarizeStats returns every series with its minimum, mean, maximum and last value.
func summarizeStats(s *client.Stats) []series {
	kinds := []struct {
		name, unit string
		points     []client.Sample
	}{
		{"cpu", "%", s.CPU},
		{"disk", "op/s", s.Disk},
		{"net_in", "bit/s", s.NetIn},
		{"net_out", "bit/s", s.NetOut},
		{"swap", "op/s", s.Swap},
	}
	var out []series
	for _, k := range kinds {
		out = append(out, summarize(series{Name: k.name, Unit: k.unit, Points: []sample{}}, k.points))
	}
	return out
}

func summarize(s series, points []client.Sample) series {
	var values []float64
	for _, p := range points {
		if math.IsNaN(p.Value) || math.IsInf(p.Value, 0) {
			s.Points = append(s.Points, sample{At: p.At})
			continue
		}
		values = append(values, p.Value)
		s.Points = append(s.Points, sample{At: p.At, Value: &p.Value})
	}
	if len(values) == 0 {
		return s
	}
	total := 0.0
	for _, v := range values {
		total += v
	}
	least, most, mean, last := slices.Min(values), slices.Max(values), total/float64(len(values)), values[len(values)-1]
	s.Min, s.Avg, s.Max, s.Last = &least, &mean, &most, &last
	return s
}
