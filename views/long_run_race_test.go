//go:build race

package views_test

import "time"

// dayLength is the length of TestProgram_day, on the fake clock. It is shorter under the race detector, which is
// several times slower.
const dayLength = 2 * time.Hour

// maxHugeFrame is the longest time that a frame may take: 16 ms, several times slower under the race detector.
const maxHugeFrame = 300 * time.Millisecond

// raceDetector says that the race detector watches the tests.
const raceDetector = true
