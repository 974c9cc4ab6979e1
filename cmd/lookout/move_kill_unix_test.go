//go:build unix

package main

import (
	"crypto/md5"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/testenv"
)

// However often a move is killed, no object is lost and no source is deleted before its copy is there; the same command
// finishes it.
func TestMoveIsKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	kills, objects := 3, 40
	if os.Getenv("LOOKOUT_LONG") != "" {
		kills, objects = 60, 400
	}
	r := newTestEnv(t, emulator.Options{})
	c, err := client.New(r.Base, client.NewSecret(testenv.Canary))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for i := range objects {
		name := fmt.Sprintf("d%d/%03d", i%7, i)
		texts[name] = strings.Repeat(fmt.Sprintf("object %d\n", i), 1+i*i%5000)
	}
	stock := func() {
		for name, text := range texts {
			emulator.DeleteObject(r.API, "eu-central-1", "media", "new/"+name)
			emulator.StoreObject(r.API, "us-east-1", "acme-backups", "old/"+name, text)
		}
	}
	stock()
	line := "objects mv -r " + testenv.Bucket + "/old eu-central-1/media/new"
	random := rand.New(rand.NewPCG(1, uint64(objects)))
	r.API.InjectFault("object put", emulator.Fault{Delay: 20 * time.Millisecond})
	for range kills {
		if len(listMD5s(t, c, testenv.Bucket, "old/")) == 0 {
			stock()
		}
		p := r.startProgram(line)
		time.Sleep(time.Duration(20+random.IntN(400)) * time.Millisecond)
		_ = p.Process.Kill()
		_ = p.Wait()
		old, moved := listMD5s(t, c, testenv.Bucket, "old/"), listMD5s(t, c, "eu-central-1/media", "new/")
		for name, text := range texts {
			if sum := fmt.Sprintf("%x", md5.Sum([]byte(text))); old[name] != sum && moved[name] != sum {
				t.Fatalf("%s is lost", name)
			}
		}
	}
	r.API.ClearFaults()
	if len(listMD5s(t, c, testenv.Bucket, "old/")) == 0 {
		stock()
	}
	r.finish(strings.Fields(line)...)
	if old := listMD5s(t, c, testenv.Bucket, "old/"); len(old) != 0 {
		t.Errorf("%d sources are left", len(old))
	}
	for name, text := range texts {
		ref := client.ObjectRef{Cluster: "eu-central-1", Bucket: "media", Name: "new/" + name}
		res, err := c.Objects.Get(t.Context(), ref, client.GetObjectOptions{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || sha256.Sum256(got) != sha256.Sum256([]byte(text)) {
			t.Errorf("%s has other bytes: %v", name, err)
		}
	}
}

// listMD5s returns the ETags of the objects of a bucket by their names without a prefix.
func listMD5s(t *testing.T, c *client.Client, place, prefix string) map[string]string {
	t.Helper()
	sums := map[string]string{}
	cluster, bucket, _ := strings.Cut(place, "/")
	q := client.ObjectQuery{Cluster: cluster, Bucket: bucket, Prefix: prefix}
	for page, err := range c.Objects.Pages(t.Context(), q) {
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range page.Data {
			sums[strings.TrimPrefix(o.Name.Raw(), prefix)] = o.ETag.Raw()
		}
	}
	return sums
}

// finish runs a command line after a killed one until it ends well. The last objects of the killed one may still arrive
// meanwhile: they are not replaced, and the next run compares them.
func (r *testEnv) finish(args ...string) {
	r.Helper()
	result := r.Run(args...)
	for range 5 {
		if result.Code == exit.CodeOK || !strings.Contains(result.Err, "stored in the meantime") {
			break
		}
		result = r.Run(args...)
	}
	r.CheckResult(result, exit.CodeOK)
}
