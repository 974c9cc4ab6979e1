//go:build race

package views_test

import "time"

// dayLength is how long TestADay lasts: less under the race detector, which makes it some times as dear.
const dayLength = 2 * time.Hour
