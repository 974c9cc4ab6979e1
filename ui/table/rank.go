package table

import "slices"

// A Rank is where a row stands in a column of a few different values: how far a thing is, how bad it is. Rows are put
// in the order of their ranks in no time, however many there are, and one that changes its rank leaves the cursor where
// it stood: what is under way moves on beneath it.
type Rank struct {
	Number      int  // from 0, which comes first
	NewestFirst bool // of rows with this rank, that which the set had last comes first
}

// rowRank is a row and the rank for which it stood at its place.
type rowRank struct {
	id   string
	rank int
}

// changedRank reports whether the same row has another rank by now. Where it stands for no rank, nothing can be said.
func (s rowRank) changedRank(now rowRank) bool {
	return s.id == now.id && s.rank != now.rank && s.rank != unranked && now.rank != unranked
}

// sortByRank puts rows, which are in the sequence of the set, in that of their ranks.
func sortByRank(rows []int32, rank func(row int32) Rank, reverse bool) []int32 {
	numbers := make([]int, len(rows))
	var counts []int
	var latest []bool
	for i, row := range rows {
		r := rank(row)
		for r.Number >= len(counts) {
			counts, latest = append(counts, 0), append(latest, false)
		}
		numbers[i], latest[r.Number] = r.Number, r.NewestFirst
		counts[r.Number]++
	}
	next, step := rankStarts(counts, latest, reverse)
	sorted := make([]int32, len(rows))
	for i, row := range rows {
		n := numbers[i]
		sorted[next[n]] = row
		next[n] += step[n]
	}
	return sorted
}

// rankStarts are the places at which the first row of each rank is put, and the step to the place of the next one.
func rankStarts(counts []int, latest []bool, reverse bool) (next, step []int) {
	next, step = make([]int, len(counts)), make([]int, len(counts))
	order := make([]int, len(counts))
	for i := range order {
		order[i] = i
	}
	if reverse {
		slices.Reverse(order)
	}
	at := 0
	for _, n := range order {
		next[n], step[n] = at, 1
		if at += counts[n]; latest[n] {
			next[n], step[n] = at-1, -1
		}
	}
	return next, step
}
