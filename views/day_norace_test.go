//go:build !race

package views_test

import "time"

// dayLong is how long TestADay lasts.
const dayLong = 24 * time.Hour
