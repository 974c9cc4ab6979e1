package views_test

import (
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
)

// sums returns the SHA-256 of each object of a bucket whose name begins with a prefix.
func (r *harness) sums(cluster, bucket, prefix string) map[string]string {
	r.Helper()
	sums := map[string]string{}
	q := client.ObjectQuery{Cluster: cluster, Bucket: bucket, Prefix: prefix}
	for page, err := range r.api.Objects.Pages(r.Context(), q) {
		if err != nil {
			r.Fatal(err)
		}
		for _, o := range page.Data {
			ref := client.ObjectRef{Cluster: cluster, Bucket: bucket, Name: o.Name.Raw()}
			res, err := r.api.Objects.Get(r.Context(), ref, client.GetObjectOptions{})
			if err != nil {
				r.Fatal(err)
			}
			data, err := io.ReadAll(res.Body)
			res.Body.Close()
			if err != nil {
				r.Fatal(err)
			}
			sums[ref.Name] = fmt.Sprintf("%x", sha256.Sum256(data))
		}
	}
	return sums
}

// e renames an object: the question shows the plan, and the source is deleted after its copy is stored.
func TestCopy_renamesTheObjectAtTheCursor(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 36}, func(r *harness) {
		emulator.StoreObject(r.emu, "ap-south-1", "scratch", "a.txt", "some text")
		before := r.sums("ap-south-1", "scratch", "")
		r.openBucket("scratch")
		r.press("g", "e")
		r.wait(time.Second)
		r.requireText("Rename, move or copy a.txt", "ap-south-1/scratch")
		r.press("<tab>", "<tab>", "<ctrl+u>", "dir/b.txt", "<ctrl+s>")
		r.wait(time.Second)
		r.requireText("Moves 1 object", "1 new.", "a.txt to dir/b.txt", "not copied.")
		r.requireNoChanges()
		r.press("y")
		r.wait(5 * time.Second)
		r.requireApplied("put object", "delete object")
		r.requireMessageWith("dir/b.txt: moved from ap-south-1/scratch/a.txt; size and MD5 checked")
		after := r.sums("ap-south-1", "scratch", "")
		if len(after) != 1 || after["dir/b.txt"] != before["a.txt"] {
			t.Errorf("before %v, after %v", before, after)
		}
	})
}

// e copies a folder to another cluster: what differs there is left, and a second time nothing is sent.
func TestCopy_folderToAnotherCluster(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 40}, func(r *harness) {
		r.fillBucket(12)
		emulator.StoreObject(r.emu, "us-east-1", "cdn.acme.net", "new/003.txt", "theirs")
		copyFolder := func() {
			r.press("g", "e")
			r.wait(time.Second)
			r.requireText("Rename, move or copy many")
			r.press("<right>", "<tab>", "<ctrl+u>", "us-east-1/cdn.acme.net", "<tab>", "<ctrl+u>", "new", "<ctrl+s>")
			r.wait(2 * time.Second)
		}
		copyFolder()
		r.requireText("Copies 11 objects", "11 new, 1 different (unchanged")
		r.press("11", "<enter>")
		r.wait(10 * time.Second)
		r.requireMessageWith("11 files: copied to cdn.acme.net, 110 B")
		sources, targets := r.sums("ap-south-1", "scratch", "many/"), r.sums("us-east-1", "cdn.acme.net", "new/")
		if len(sources) != 12 || len(targets) != 12 {
			t.Fatalf("%d sources, %d targets", len(sources), len(targets))
		}
		for name, sum := range sources {
			target := "new/" + strings.TrimPrefix(name, "many/")
			if (targets[target] == sum) == (target == "new/003.txt") {
				t.Errorf("%s: %s, want %s", target, targets[target], sum)
			}
		}
		copyFolder()
		r.requireText("nothing to copy: 11 the same, 1 different (unchanged)")
		if sent := r.appliedOperations(); slices.Contains(sent, "delete object") {
			t.Errorf("%q", sent)
		}
	})
}

// No is no, and marked objects go into one folder.
func TestCopy_markedObjects(t *testing.T) {
	t.Parallel()
	startProgram(t, emulator.Options{}, screenSize{120, 40}, func(r *harness) {
		for _, name := range []string{"a", "b", "c"} {
			emulator.StoreObject(r.emu, "ap-south-1", "scratch", name, "text of "+name)
		}
		r.openBucket("scratch")
		move := func() {
			r.press("e")
			r.wait(time.Second)
			r.requireText("Rename, move or copy 3 entries")
			r.press("<tab>", "<tab>", "old", "<ctrl+s>")
			r.wait(2 * time.Second)
			r.requireText("Moves 3 objects")
		}
		r.press("A")
		move()
		r.press("<esc>", "<esc>", "<esc>")
		r.requireNoChanges()
		r.openBucket("scratch")
		r.press("A")
		move()
		r.press("3", "<enter>")
		r.wait(10 * time.Second)
		got := r.sums("ap-south-1", "scratch", "")
		want := map[string]string{}
		for _, name := range []string{"a", "b", "c"} {
			want["old/"+name] = fmt.Sprintf("%x", sha256.Sum256([]byte("text of "+name)))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}

// Read-only mode offers no copy.
func TestCopy_refusedInReadOnlyMode(t *testing.T) {
	t.Parallel()
	startWithOptions(t, emulator.Options{}, screenSize{120, 36}, setReadOnly, func(r *harness) {
		r.openBucket("cdn.acme")
		r.press("g", "e")
		r.wait(time.Second)
		r.requireNoText("Rename, move or copy")
		r.requireNoChanges()
	})
}
