package views_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/emulator"
	"lookout/ui/shell"
	"lookout/views"
)

// fillBucket puts n small objects below many/ in the bucket scratch, and opens the bucket.
func (r *harness) fillBucket(n int) {
	r.Helper()
	for i := range n {
		body := client.UploadBody{Reader: strings.NewReader("some text\n"), Size: 10, ContentType: "text/plain"}
		object := client.ObjectRef{Cluster: "ap-south-1", Bucket: "scratch", Name: fmt.Sprintf("many/%03d.txt", i)}
		if err := r.writer(client.OpUploadObject, object.ID()).UploadObject(r.Context(), object, body); err != nil {
			r.Fatal(err)
		}
	}
	r.openBucket("scratch")
}

// delay makes every request take some time.
func (r *harness) delay(match string, d time.Duration) {
	r.emu.InjectFault(match, emulator.Fault{Delay: d})
}

// downloadFolder downloads the folder many/.
func (r *harness) downloadFolder(files int) {
	r.Helper()
	r.press("w")
	r.wait(time.Second)
	r.requireText(fmt.Sprintf("%d files", files))
	r.press("<ctrl+s>")
}

// An object that was deleted leaves the list at once, also while another transfer runs.
func TestTransfers_listIsReadAgainWhileOthersRun(t *testing.T) {
	t.Chdir(t.TempDir())
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.writeObject("large.bin", 10)
		r.writeObject("other.txt", 10)
		r.openBucket("scratch")
		r.delay("object get", time.Hour)
		r.press("w", "<ctrl+s>", "j", "D")
		r.wait(time.Second)
		r.requireText("Delete 1 object", "other.txt")
		r.press("y")
		r.wait(5 * time.Second)
		r.requireText("other.txt: 1 object is deleted", "1 loaded", "Activity 1")
	})
}

// A finished folder is reported in one status message, not file by file. A failure is reported at once, and the last
// line counts the failures.
func TestTransfers_folderReportedInOneLine(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.fillBucket(40)
		r.delay("object get", time.Second)
		r.downloadFolder(40)
		r.wait(20 * time.Second)
		told := r.messagesMatching(`download`)
		if len(told) != 2 || !strings.HasPrefix(told[0], "downloading 40 files") ||
			told[1] != "40 files: downloaded from scratch to "+dir+", 400 B" {
			r.Errorf("the message is %q", told)
		}
		r.messages = nil
		if err := os.Remove(filepath.Join(dir, "many", "036.txt")); err != nil {
			r.Fatal(err)
		}
		r.downloadFolder(40)
		r.wait(10 * time.Second)
		r.requireMessageWith("downloading 1 file: 1 new, 39 the same")
		r.requireMessageWith("036.txt: downloaded to " + filepath.Join(dir, "many", "036.txt"))
		r.messages = nil
		if err := os.RemoveAll(filepath.Join(dir, "many")); err != nil {
			r.Fatal(err)
		}
		r.emu.ClearFaults()
		r.emu.InjectFault("object get", emulator.Fault{Status: 404, Delay: time.Second, Times: 38})
		r.downloadFolder(40)
		r.wait(time.Minute)
		told = r.messagesMatching(`failed|continue`)
		if len(told) != 2 || !strings.HasPrefix(told[0], "download many/") || !regexp.MustCompile(` · the other \d+ `+
			`continue$`).MatchString(told[0]) ||
			!strings.HasPrefix(told[1], "38 failed, first many/") || !strings.Contains(told[1], " · 2 of 40 files: ") ||
			!strings.Contains(told[1], "404") {
			r.Errorf("the message of the failures is %q", told)
		}
	})
}

// messagesMatching returns the messages that contain one of the words.
func (r *harness) messagesMatching(words string) []string {
	var found []string
	for _, say := range r.messages {
		if regexp.MustCompile(words).MatchString(say.Text) {
			found = append(found, say.Text)
		}
	}
	return found
}

// Progress (files, bytes, rate, time left) is visible where the transfers were started and on every other pane, at once
// and as long as they run, with the key that leads to the transfers. There the last line of the pane has it.
func TestTransfers_progressWhereTheyWereStarted(t *testing.T) {
	for _, size := range []screenSize{{80, 24}, {120, 36}} {
		t.Run(fmt.Sprint(size.width), func(t *testing.T) {
			t.Chdir(t.TempDir())
			startProgram(t, emulator.Options{}, size, func(r *harness) {
				r.fillBucket(60)
				r.delay("object get", 2*time.Second)
				r.downloadFolder(60)
				r.wait(100 * time.Millisecond)
				r.requireText("downloading 60 files: 60 new · 0 of 60 files", "F: transfers")
				r.wait(10 * time.Second)
				r.requireText("▸ many/", "files · ", " B of 600 B, ", " B/s · ", " s left", "F: transfers")
				r.press("3")
				r.requireText("Services", "0 B of 600 B, ", " s left", "F: transfers")
				r.press("F")
				r.requireText("Transfers 3", " waiting")
				r.requireNoText("F: transfers")
				r.press("8")
				r.wait(time.Minute)
				r.requireNoText("F: transfers")
			})
		})
	}
}

// Deletions count objects.
func TestTransfers_progressOfADeletion(t *testing.T) {
	startProgram(t, emulator.Options{}, screenSize{80, 24}, func(r *harness) {
		r.fillBucket(60)
		r.delay("object delete", 10*time.Second)
		r.press("D")
		r.wait(time.Second)
		r.press("60", "<enter>")
		r.wait(12 * time.Second)
		r.requireText(" of 60 objects deleted", "F: transfers")
		r.wait(10 * time.Minute)
		r.requireNoText("F: transfers")
	})
}

// The name of an area finds its panes: "activity" the transfers, the journal and the audit.
func TestPalette_findsPanesByTheirArea(t *testing.T) {
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		for area, panes := range map[string][]string{
			"activity": {"transfers", "journal", "audit"}, "storage": {"buckets", "keys", "clusters"},
			"managed": {"issues", "services", "ssh"},
		} {
			r.press(":", area)
			r.requireText(panes...)
			r.requireNoText("nothing matches")
			r.press("<esc>")
		}
		r.press(":", "activity", "<enter>")
		r.requireText("no transfers in this run")
	})
}

// However many transfers end, the program receives only a few messages a second.
func TestTransfers_updatesAreThrottled(t *testing.T) {
	t.Chdir(t.TempDir())
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.fillBucket(60)
		r.delay("object get", 100*time.Millisecond) // 60 files by six at once: a second
		r.downloadFolder(60)
		r.messageCount = 0
		r.wait(900 * time.Millisecond)
		if r.messageCount > 12 {
			r.Errorf("%d messages in 0.9 s", r.messageCount)
		}
		r.wait(10 * time.Second)
	})
}

// Unfinished transfers stand on top. At every width the pane shows the progress of each and, below, the progress and
// time left of all.
func TestTransfersPane_progressAndTimeLeft(t *testing.T) {
	for _, size := range []screenSize{{80, 24}, {120, 36}, {200, 50}} {
		t.Run(fmt.Sprint(size.width), func(t *testing.T) {
			t.Chdir(t.TempDir())
			startProgram(t, emulator.Options{}, size, func(r *harness) {
				r.fillBucket(60)
				r.delay("object get", time.Second)
				r.downloadFolder(60)
				r.press(":", "transfers", "<enter>")
				r.requireText("state", "progress", "rate", "left", "6 running", "54 waiting", "d pause", "D cancel")
				r.wait(4500 * time.Millisecond)
				r.requireText("240 B of 600 B, 40 %", " B/s · ", " s left", "30 waiting")
				if first := r.transferLines()[0]; !strings.Contains(first, "running") || !strings.Contains(first, "▸") {
					r.Errorf("the first row is %q:\n%s", first, r.screen())
				}
				r.requireText("d pause", "D cancel")
				r.press("a")
				r.requireText("pause all", "cancel all")
				r.press("<esc>")
				r.wait(time.Minute)
				r.requireText("nothing is under way", "60 done")
			})
		})
	}
}

// transferLines returns the lines of the pane that show the state of a transfer.
func (r *harness) transferLines() []string {
	line := regexp.MustCompile(`(?m)^.*[●✓✗◌○] (running|done|waiting|failed|paused|cancelled).*$`)
	return line.FindAllString(r.screen(), -1)
}

// One key pauses a running deletion and resumes a paused one. Hints and help say which of the two it does.
func TestTransfers_oneKeyPausesAndResumes(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.fillBucket(300)
		r.press("/", "many", "<enter>", "g", "D")
		r.wait(time.Second)
		r.requireText("Delete 300 objects")
		r.delay("object delete", time.Second)
		r.press("300", "<enter>", ":", "transfers", "<enter>")
		r.wait(1500 * time.Millisecond)
		r.requireText("running", "d pause")
		r.requireNoText("d resume")
		r.press("d")
		r.wait(2 * time.Second)
		r.requireText("paused", "d resume")
		r.requireNoText("d pause")
		r.press("?", "resume")
		r.requireText("d  ", "resume", "resume all")
		r.press("<esc>", "<space>") // several may be in different states
		r.requireText("d pause or resume")
		r.press("d")
		r.wait(500 * time.Millisecond)
		r.requireText("running", "d pause")
		r.wait(time.Minute)
		r.requireText("1 done")
		told := r.messagesMatching("300 objects are deleted")
		if len(told) != 1 || strings.Contains(told[0], "unknown") {
			r.Errorf("the message is %q", told)
		}
		r.press("d")
		r.requireText("pause or resume: it has ended")
	})
}

// The question before cancelling all transfers counts only those that have not ended.
func TestTransfers_cancelAllCountsUnfinished(t *testing.T) {
	t.Chdir(t.TempDir())
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		r.fillBucket(30)
		r.delay("object get", time.Second)
		r.downloadFolder(30)
		r.press(":", "transfers", "<enter>")
		r.wait(2500 * time.Millisecond)
		r.press(":", "cancel all", "<enter>")
		r.requireText("18 transfers will be cancelled.")
		r.wait(time.Second)
		r.press("y")
		r.wait(5 * time.Second)
		r.requireText("cancelled", "nothing is under way")
		told := r.messagesMatching("of 30 files")
		if len(told) != 1 || strings.Contains(told[0], "failed") {
			r.Errorf("the message is %q", told)
		}
	})
}

// keepTransfers returns what makes all runs of a test keep their unfinished transfers at one path.
func keepTransfers(t *testing.T) func(*harness, *shell.Options) {
	state := filepath.Join(t.TempDir(), "acme.downloads")
	return func(r *harness, o *shell.Options) {
		acc := account.New(r.ctx, account.Options{
			Executor:      r.loop,
			API:           r.api,
			Name:          "acme-prod",
			Journal:       r.journal,
			Now:           time.Now,
			Location:      time.UTC,
			DownloadsPath: state,
		})
		o.Panes, o.OnOpen = views.Panes(acc), func() tea.Cmd { return views.OnOpen(acc) }
		o.LeaveWarnings = func() []string { return views.LeaveWarnings(acc) }
	}
}

// A download that the end of the program interrupted is offered again at the next start, and continues.
func TestDownloads_interruptedAreOfferedAgain(t *testing.T) {
	folder, keep := t.TempDir(), keepTransfers(t)
	t.Chdir(folder)
	startWithOptions(t, emulator.Options{}, screenSize{120, 36}, keep, func(r *harness) {
		r.requireNoText("Interrupted")
		r.delay("object get", time.Hour)
		r.press(append(openIndex, "w", "<ctrl+s>")...)
		r.press(":", "transfers", "<enter>", "d") // a paused download waits for ever
		r.press("1", "q")
		r.requireText("Downloads are offered again", "uploads, copies and moves are not.")
	})
	for _, answer := range []string{"l", "c"} {
		startWithOptions(t, emulator.Options{}, screenSize{120, 36}, keep, func(r *harness) {
			r.requireText("Interrupted: index.html to /", "continue: 0 B of 50 B are here")
			r.press(answer)
			r.wait(3 * time.Second)
			_, err := os.Stat(filepath.Join(folder, "index.html"))
			if (err == nil) != (answer == "c") {
				t.Errorf("after %s: %v", answer, err)
			}
		})
	}
	startWithOptions(t, emulator.Options{}, screenSize{120, 36}, keep, func(r *harness) {
		r.requireNoText("Interrupted")
	})
}
