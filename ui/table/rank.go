package table

import "slices"

// SortRank orders the rows by a column of a few different values: how far a transfer is, how bad a problem is. Ordering
// takes one pass over the rows. When the row under the cursor changes its rank, the cursor stays where it is and lets
// the row move away.
type SortRank struct {
	Number      int  // from 0, which comes first
	NewestFirst bool // reverses the store's order of the rows with this rank
}

// rowRank is a row and the rank that it had when the cursor was put on it.
type rowRank struct {
	id   string
	rank int
}

// changedRank reports whether the same row has another rank by now. It reports false if a rank is not known.
func (s rowRank) changedRank(now rowRank) bool {
	return s.id == now.id && s.rank != now.rank && s.rank != unranked && now.rank != unranked
}

// sortByRank returns rows, which are in the order of the store, in the order of their ranks.
func sortByRank(rows []int32, rank func(row int32) SortRank, reverse bool) []int32 {
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

// rankStarts returns the position of the first row of each rank, and the step to the position of the next.
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
