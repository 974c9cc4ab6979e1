//go:build unix

package main

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lookout/client/emulator"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/testenv"
)

// However often a download over several connections is killed, nothing has the object's name before it is complete,
// what is kept is the beginning of the object, and never less than before.
func TestDownloadIsKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	kills := 3
	if os.Getenv("LOOKOUT_LONG") != "" {
		kills = 20
	}
	r := newTestEnv(t, emulator.Options{})
	data := make([]byte, 80<<20)
	for i := 0; i < len(data); i += 8 {
		binary.LittleEndian.PutUint64(data[i:], uint64(i)*0x9e3779b97f4a7c15)
	}
	cluster, bucket, _ := strings.Cut(testenv.Bucket, "/")
	emulator.StoreObject(r.API, cluster, bucket, "large", string(data))
	target := filepath.Join(t.TempDir(), "large")
	r.API.InjectFault("object get", emulator.Fault{Delay: 50 * time.Millisecond})
	random, kept, grew := rand.New(rand.NewPCG(2, uint64(kills))), 0, 0
	for range kills {
		p := r.startProgram("objects get " + testenv.Bucket + " large " + target)
		wait := time.Duration(100+random.IntN(700)) * time.Millisecond
		time.Sleep(wait)
		_ = p.Process.Kill()
		_ = p.Wait()
		if whole, err := os.ReadFile(target); err == nil {
			if !bytes.Equal(whole, data) {
				t.Fatal("an incomplete file has the object's name")
			}
			kept = 0
			if err := os.Remove(target); err != nil {
				t.Fatal(err)
			}
			continue
		}
		parts, err := filepath.Glob(target + ".*.part")
		if err != nil || len(parts) > 1 {
			t.Fatalf("%q, %v", parts, err)
		}
		now := 0
		if len(parts) == 1 {
			part, err := os.ReadFile(parts[0])
			if now = len(part); err != nil || !bytes.Equal(part, data[:now]) {
				t.Fatalf("%d bytes are kept, and they are others: %v", now, err)
			}
		}
		if now < kept {
			t.Errorf("%d bytes are kept, %d were before", now, kept)
		}
		if now > kept {
			grew++
		}
		kept = now
	}
	r.API.ClearFaults()
	r.CheckResult(r.Run("objects", "get", testenv.Bucket, "large", target), exit.CodeOK)
	if whole, err := os.ReadFile(target); err != nil || !bytes.Equal(whole, data) {
		t.Errorf("%d bytes, and they are others: %v", len(whole), err)
	}
	t.Logf("%d of %d kills left more than the one before", grew, kills)
}
