//go:build race

package views_test

import "time"

// dayLong is how long TestADay lasts: less under the race detector, which makes it some times as dear.
const dayLong = 2 * time.Hour
