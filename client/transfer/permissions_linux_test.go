package transfer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"lookout/client/faulttest"
)

// A partial file that belongs to somebody else stays as it is, and the error is that of the system.
func TestOpenPart_ofSomebodyElse(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	name := partName("o", "version")
	if err := root.WriteFile(name, []byte("text"), 0o400); err != nil {
		t.Fatal(err)
	}
	faulttest.WithoutRoot(t, func() {
		p, err := openPart(root, "o", "version", false, nil)
		if err == nil {
			p.closeAll()
		}
		if !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%v", err)
		}
	})
	if data, err := root.ReadFile(name); err != nil || string(data) != "text" {
		t.Errorf("%q, %v", data, err)
	}
}

// Where nobody can find out whether names that differ only in case are one, they are taken for one.
func TestFoldsCase_whereNothingCanBeCreated(t *testing.T) {
	t.Chdir(t.TempDir()) // users other than root cannot name what is in it by its full path
	if err := os.Mkdir("read-only", 0o555); err != nil {
		t.Fatal(err)
	}
	faulttest.WithoutRoot(t, func() {
		for _, folder := range []string{"read-only", "missing"} {
			if !FoldsCase(folder) {
				t.Errorf("%s: names that differ only in case count as two", folder)
			}
		}
	})
}

// If a folder of the source cannot be read, nothing that only the target has may be deleted.
func TestPlan_Extra_whenAFolderCannotBeRead(t *testing.T) {
	runInBubble(t, func(r *rig) {
		file := r.writeFile("file", "f")
		if err := errors.Join(os.Chmod(file, 0o644), os.Mkdir(filepath.Join(r.dir, "locked"), 0)); err != nil {
			t.Fatal(err)
		}
		t.Chdir(r.dir) // users other than root cannot name it by its full path
		r.putObject("p/gone", "g")
		plan, err := Plan{}, error(nil)
		faulttest.WithoutRoot(t, func() { plan, err = PlanUpload(r.Context(), "p/", ".") })
		if err != nil {
			t.Fatal(err)
		}
		plan.Cluster, plan.Bucket = cluster, bucket
		if err := plan.CompareObjects(r.Context(), r.c.Objects, CompareOptions{FindExtra: true}); err != nil {
			t.Fatal(err)
		}
		if plan.ExtraKept != "locked: it cannot be read" || len(plan.Extra) != 0 {
			t.Errorf("%q, %q", plan.ExtraKept, plan.Extra)
		}
	})
}
