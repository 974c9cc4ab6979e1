//go:build !race

package views_test

import "time"

// dayLength is how long TestADay lasts.
const dayLength = 24 * time.Hour
