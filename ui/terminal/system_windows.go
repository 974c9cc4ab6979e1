package terminal

import (
	"context"
	"os"
	"os/signal"
	"time"
)

// notifySignals polls the window's size four times a second, because Windows has no signal for it.
func notifySignals(ctx context.Context) (resized <-chan os.Signal, ends <-chan int, pauses <-chan bool) {
	size, end := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(end, os.Interrupt)
	codes := make(chan int, 1)
	go func() {
		tick := time.NewTicker(250 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-end:
				codes <- 130
			case <-tick.C:
				select {
				case size <- os.Interrupt:
				default:
				}
			}
		}
	}()
	return size, codes, nil
}

// queuedOutput returns 0: the console has no queue.
func queuedOutput(*os.File) int { return 0 }

func canSuspend() bool { return false }

func stopSelf() {}

const readsCanBeCancelled = false

func discardInput(*os.File) {}
