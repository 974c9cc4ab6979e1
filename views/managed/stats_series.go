package managed

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
	"lookout/client/account"
	"lookout/ui/chart"
	"lookout/views/resource"
)

// StatSeries is one of the series of the stats with its minimum, mean, maximum and last value.
type StatSeries struct {
	Name   string       `json:"name"`
	Unit   string       `json:"unit"`
	Min    *float64     `json:"min"` // null where there is no sample
	Avg    *float64     `json:"avg"`
	Max    *float64     `json:"max"`
	Last   *float64     `json:"last"`
	Points []StatSample `json:"points"`
}

// StatSample is one point of a StatSeries.
type StatSample struct {
	At    time.Time `json:"at"`
	Value *float64  `json:"value"` // null is a gap
}

// Stats declares the stats of all instances: the document's "Managed Stats". Scripts see them as series.
func Stats(a *account.Account) resource.Resource[*StatSeries] {
	type row = *StatSeries
	number := func(name string, get func(row) *float64) resource.ColumnDefinition[row] {
		text := func(format func(row, float64) string) func(row) string {
			return func(s row) string {
				if v := get(s); v != nil {
					return format(s, *v)
				}
				return ""
			}
		}
		return resource.ColumnDefinition[row]{
			Name:  name,
			Value: text(func(_ row, v float64) string { return humanize.FtoaWithDigits(v, 2) }),
			OnTerminal: text(func(s row, v float64) string {
				return chart.Unit{Name: s.Unit, Prefixed: s.Unit == bitsPerSecond}.Format(v)
			}),
		}
	}
	return resource.Resource[row]{
		Name:        "stats",
		Singular:    "series",
		Description: "Load of all instances over the last 24 hours: cpu, disk, net_in, net_out and swap",
		Examples:    []string{"stats", "stats list -o ndjson", "stats get cpu"},
		Argument:    "NAME",
		ID:          func(s row) string { return s.Name },
		Calls:       resource.APICalls{List: "view stats", Get: "view stats", Managed: true},
		Columns: []resource.ColumnDefinition[row]{
			{Name: "name", Value: func(s row) string { return s.Name }},
			{Name: "unit", Value: func(s row) string { return s.Unit }},
			number("min", func(s row) *float64 { return s.Min }),
			number("avg", func(s row) *float64 { return s.Avg }),
			number("max", func(s row) *float64 { return s.Max }),
			number("last", func(s row) *float64 { return s.Last }),
		},
		List: func(ctx context.Context, _ resource.ListQuery) iter.Seq2[row, error] {
			return func(yield func(row, error) bool) {
				all, err := fetchSeries(ctx, a)
				if err != nil {
					yield(nil, err)
				}
				for _, one := range all {
					if !yield(one, nil) {
						return
					}
				}
			}
		},
		Get: func(ctx context.Context, name string) (row, error) { return seriesNamed(ctx, a, name) },
	}
}

// bitsPerSecond is the unit of the network's series.
const bitsPerSecond = "bit/s"

// fetchSeries reads the series of the account.
func fetchSeries(ctx context.Context, a *account.Account) ([]*StatSeries, error) {
	stats, err := a.API.Stats.Get(ctx)
	if err == nil && len(stats.Unavailable) > 0 {
		err = fmt.Errorf("stats: %s", stats.Unavailable[0])
	}
	if err != nil {
		return nil, err
	}
	return summarizeStats(stats), nil
}

// seriesNamed reads the series with a name.
func seriesNamed(ctx context.Context, a *account.Account, name string) (*StatSeries, error) {
	all, err := fetchSeries(ctx, a)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(all))
	for i, one := range all {
		if names[i] = one.Name; one.Name == name {
			return one, nil
		}
	}
	unknown := resource.NewArgumentError(
		"unknown series %q (use %s)", client.Clean(name), strings.Join(names, ", "),
	)
	unknown.NotFound = true
	return nil, unknown
}

// summarizeStats returns every series with its minimum, mean, maximum and last value.
func summarizeStats(s *client.ManagedStats) []*StatSeries {
	kinds := []struct {
		name, unit string
		points     []client.Sample
	}{
		{"cpu", "%", s.CPU},
		{"disk", "op/s", s.Disk},
		{"net_in", bitsPerSecond, s.NetIn},
		{"net_out", bitsPerSecond, s.NetOut},
		{"swap", "op/s", s.Swap},
	}
	var out []*StatSeries
	for _, k := range kinds {
		out = append(out, summarize(&StatSeries{Name: k.name, Unit: k.unit, Points: []StatSample{}}, k.points))
	}
	return out
}

// summarize fills in the points of a series, and what they add up to.
func summarize(s *StatSeries, points []client.Sample) *StatSeries {
	var values []float64
	for _, p := range points {
		if math.IsNaN(p.Value) || math.IsInf(p.Value, 0) {
			s.Points = append(s.Points, StatSample{At: p.At})
			continue
		}
		values = append(values, p.Value)
		s.Points = append(s.Points, StatSample{At: p.At, Value: &p.Value})
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
