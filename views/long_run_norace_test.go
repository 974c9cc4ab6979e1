//go:build !race

package views_test

import "time"

// dayLength is the length of TestProgram_day, on the fake clock.
const dayLength = 24 * time.Hour
