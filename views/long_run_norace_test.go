//go:build !race

package views_test

import "time"

// dayLength is the length of TestProgram_day, on the fake clock.
const dayLength = 24 * time.Hour

// maxHugeFrame is the longest time that a frame may take: 16 ms, with room for a busy machine.
const maxHugeFrame = 60 * time.Millisecond

// raceDetector says that the race detector watches the tests.
const raceDetector = false
