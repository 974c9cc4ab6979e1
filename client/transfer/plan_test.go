package transfer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"lookout/client"
)

// fullFile is a file on a full disk.
type fullFile struct{ file }

func (fullFile) WriteAt([]byte, int64) (int, error) { return 0, syscall.ENOSPC }

// When the disk is full, each download of a plan says so, and those that wait are not started.
func TestManager_Start_endsWhenTheDiskIsFull(t *testing.T) {
	runInBubble(t, func(r *rig) {
		plan := r.planFor(20)
		r.m.wrapFile = func(f file) file { return fullFile{f} }
		r.downloadPlan(plan)
		r.m.Wait()
		tried := 0
		for _, row := range rowsOf(r.m) {
			text := fmt.Sprint(row.Err)
			switch {
			case row.State != Failed:
				t.Errorf("%s: %s", row.Name, row.State)
			case strings.Contains(text, "no space left"):
				tried++
			case !strings.Contains(text, "the disk is full, so it was not started"):
				t.Errorf("%s: %s", row.Name, text)
			}
		}
		if tried == 0 || tried > MaxRunning {
			t.Errorf("%d downloads have found the disk full", tried)
		}
	})
}

// Downloads that are added to a batch after one of it has found the disk full are not started either.
func TestManager_Download_whenTheDiskIsFullAlready(t *testing.T) {
	runInBubble(t, func(r *rig) {
		first, later := r.putObject("first", "some text"), r.putObject("later", "some text")
		r.m.wrapFile = func(f file) file { return fullFile{f} }
		batch := r.m.openBatch(Batch{Kind: Download, Bucket: bucket, Folder: r.dir})
		var ids []ID
		for i, o := range []client.Object{first, later} {
			id, err := r.m.Download(DownloadRequest{
				Cluster: cluster, Bucket: bucket, Object: o, Folder: r.dir, batch: batch,
			})
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
			want := []error{syscall.ENOSPC, errDiskFull}[i]
			if row := r.waitEnded(id); row.State != Failed || !errors.Is(row.Err, want) {
				t.Errorf("%s: %s, %v, not %v", row.Name, row.State, row.Err, want)
			}
		}
		r.m.closeBatch(batch, ids)
		if n := r.transport.count("GET"); n != 1 {
			t.Errorf("%d objects were requested, not 1", n)
		}
		ends := r.m.Completions(0)
		if b := ends[len(ends)-1].Batch; b.Files != 2 || b.Failed != 2 || b.Remaining != 0 {
			t.Errorf("the batch ended with %+v", b)
		}
	})
}

// A comparison tells new, same, changed and unknown files apart, by size and MD5 alone.
func TestPlan_Compare(t *testing.T) {
	runInBubble(t, func(r *rig) {
		for name, text := range map[string]string{"same": "text", "size": "longer", "bytes": "TEXT", "part": "text"} {
			r.putObject("p/"+name, text)
			r.writeFile(name, "text")
		}
		r.writeFile("new", "n")
		want := map[string]ComparisonResult{
			"p/new":   FileNew,
			"p/same":  FileSame,
			"p/size":  FileChanged,
			"p/bytes": FileChanged,
			"p/part":  FileUnknown,
		}
		plan, err := PlanUpload(r.Context(), "p/", r.dir)
		if err != nil {
			t.Fatal(err)
		}
		plan.Cluster, plan.Bucket = cluster, bucket
		if err := plan.CompareObjects(r.Context(), r.c.Objects, CompareOptions{FindExtra: true}); err != nil {
			t.Fatal(err)
		}
		for i, f := range slices.Collect(plan.Files.All()) {
			if f.Name == "p/part" { // as if its ETag were that of a multipart upload
				etag := client.NewETag(f.Object.ETag.Raw() + "-2")
				state, _ := CompareOptions{}.stateOf(f.Size, f.Object.Size, etag)
				plan.Files.setState(i, state, f.Size)
			}
			if got := fileOf(plan, i).State; got != want[f.Name] {
				t.Errorf("%s: %s, want %s", f.Name, got, want[f.Name])
			}
		}
		for choice, names := range map[ConflictPolicy]string{
			SkipExisting:    `["p/new"]`,
			KeepBoth:        `["p/bytes (2)" "p/new" "p/part (2)" "p/size (2)"]`,
			ReplaceExisting: `["p/bytes" "p/new" "p/part" "p/size"]`,
		} {
			var got []string
			for f := range plan.ToSend(choice) {
				got = append(got, f.Name)
				if choice == KeepBoth && f.State != FileNew {
					t.Errorf("%s: %s", f.Name, f.State)
				}
			}
			if fmt.Sprintf("%q", got) != names {
				t.Errorf("choice %d sends %q, want %s", choice, got, names)
			}
		}
	})
}

// A folder that cannot be read is named, and what it may hold is not taken for deleted.
func TestPlan_CompareObjects_extraNotBelowWhatCannotBeRead(t *testing.T) {
	runInBubble(t, func(r *rig) {
		r.putObject("p/closed/a", "a")
		r.putObject("p/link", "l")
		r.putObject("p/gone", "g")
		closed := filepath.Join(r.dir, "closed")
		if err := os.Symlink("nowhere", filepath.Join(r.dir, "link")); err != nil {
			t.Fatal(err)
		}
		r.writeFile("file", "f")
		plan, err := PlanUpload(r.Context(), "p/", r.dir)
		if err != nil {
			t.Fatal(err)
		}
		plan.Skipped = append(plan.Skipped, SkippedFile{Path: filepath.Base(closed), Reason: "it is a link"})
		plan.Cluster, plan.Bucket = cluster, bucket
		if err := plan.CompareObjects(r.Context(), r.c.Objects, CompareOptions{FindExtra: true}); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(plan.Extra) != "[p/gone]" {
			t.Errorf("only in the bucket: %q", plan.Extra)
		}
	})
}

// A download into a folder that does not exist yet replaces nothing. What is no folder is an error before anything is
// sent.
func TestPlan_CompareFiles_withoutAFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, fails := range map[string]bool{"missing": false, "file": true} {
		plan := newPlan(Download)
		plan.Folder = filepath.Join(dir, name)
		plan.add(PlannedFile{Path: "a"})
		err := plan.CompareFiles(t.Context(), CompareOptions{FindExtra: true})
		if (err != nil) != fails || fileOf(plan, 0).State != FileNew || len(plan.Extra) != 0 {
			t.Errorf("%s: %v, %+v", name, err, plan)
		}
	}
}

// Files that are deleted take the folders with them that are empty then. What is no regular file stays, and is named.
func TestDeleteFiles(t *testing.T) {
	dir := t.TempDir()
	err := errors.Join(
		os.MkdirAll(filepath.Join(dir, "a", "b", "c"), 0o700),
		os.WriteFile(filepath.Join(dir, "a", "b", "c", "one"), nil, 0o600),
		os.WriteFile(filepath.Join(dir, "a", "two"), nil, 0o600),
		os.WriteFile(filepath.Join(dir, "a", "stays"), nil, 0o600),
		os.Mkdir(filepath.Join(dir, "folder"), 0o700),
		os.Symlink("a/stays", filepath.Join(dir, "link")),
	)
	if err != nil {
		t.Fatal(err)
	}
	left, err := DeleteFiles(dir, []string{"a/b/c/one", "a/two", "gone", "folder", "link"})
	why := "it is no longer a regular file"
	if err != nil || !slices.Equal(left, []SkippedFile{{Path: "folder", Reason: why}, {Path: "link", Reason: why}}) {
		t.Errorf("left %+v, %v", left, err)
	}
	var found []string
	err = fs.WalkDir(os.DirFS(dir), ".", func(name string, _ fs.DirEntry, err error) error {
		found = append(found, name)
		return err
	})
	if err != nil || !slices.Equal(found, []string{".", "a", "a/stays", "folder", "link"}) {
		t.Errorf("still there: %q, %v", found, err)
	}
	if _, err := DeleteFiles(filepath.Join(dir, "missing"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a folder that is missing: %v", err)
	}
}

// The reasons for which files are left out name them, and are safe to draw.
func TestPlan_Add_reasons(t *testing.T) {
	for _, c := range []struct{ first, second, why string }{
		{"longfolder/a", "longfolder/b", ""},
		{"longfolder/a", "longfolder/below/b", ""},
		{"longfolder/below/b", "longfolder/a", ""},
		{"longname", "longname.txt", ""},
		{"a\x1b", "a\x1b/b", "a‹␛› is already a file and cannot also be a folder"},
		{"a\x1b/b", "a\x1b", "a‹␛› is already a file or folder"},
		{"a\x1b", "a\x1b", "a‹␛› is already a file or folder"},
		{"longfile", "longfile/longfile", "longfile is already a file and cannot also be a folder"},
		{"longfolder/a", "longfolder/a/b", "longfolder/a is already a file and cannot also be a folder"},
		{"a\x1bX", "a\x1bx", "it differs from a‹␛›X only in case"},
	} {
		p := NewDownload(func() bool { return true })
		p.Add(DownloadItem{listedObject(c.first, 1, "e"), c.first})
		if p.Files.Len() != 1 {
			t.Errorf("%q alone: %v", c.first, p.Skipped)
		}
		p.Add(DownloadItem{listedObject(c.second, 1, "e"), c.second})
		why := ""
		if len(p.Skipped) > 0 {
			why = strings.TrimPrefix(p.Skipped[0].Reason, "it cannot be a local file: ")
		}
		if why != c.why {
			t.Errorf("%q after %q: %q, want %q", c.second, c.first, why, c.why)
		}
	}
}

// A folder is asked once how it treats names that differ only in case: it takes a file to find out.
func TestPlan_Add_asksOnce(t *testing.T) {
	asked := 0
	p := NewDownload(func() bool { asked++; return true })
	for _, path := range []string{"a", "A", "b", "B"} {
		p.Add(DownloadItem{listedObject(path, 1, "e"), path})
	}
	if asked != 1 || len(p.Skipped) != 2 {
		t.Errorf("asked %d times: %v", asked, p.Skipped)
	}
}

// An upload whose folder was not read to its end has no plan that could pass for a whole one.
func TestPlanUpload_isCancelled(t *testing.T) {
	runInBubble(t, func(r *rig) {
		r.writeFile("new", "n")
		ctx, cancel := context.WithCancel(r.Context())
		cancel()
		if plan, err := PlanUpload(ctx, "p/", r.dir); !errors.Is(err, context.Canceled) {
			t.Errorf("%d files, %v; want %v", plan.Files.Len(), err, context.Canceled)
		}
	})
}

// What lies below a folder that could not be read is not extra; what is called alike is.
func TestPlan_leftOut(t *testing.T) {
	p := &Plan{Kind: Upload, Prefix: "backups/"}
	p.skip("Locked\x1b", "it is a link")
	for name, want := range map[string]bool{
		"backups/Locked\x1b":     true,
		"backups/Locked\x1b/a/b": true,
		"backups/locked\x1b":     false,
		"backups/Locked\x1b.txt": false,
		"backups/other":          false,
	} {
		if got := p.leftOut()(name); got != want {
			t.Errorf("%q: %t", name, got)
		}
	}
	if got := p.Skipped[0].Error(); got != "Locked‹␛›: it is a link" {
		t.Errorf("%q", got)
	}
}

// Names on Windows and of partial files.
func TestFileNames(t *testing.T) {
	if got := windowsProblem("con\u200b.txt"); got != "" {
		t.Errorf("no device: %q", got)
	}
	if got := windowsProblem("con.\u202etxt"); got != "con.‹U+202E›txt is the name of a device on Windows" {
		t.Errorf("%q", got)
	}
	for name, want := range map[string]bool{
		"a.0123456789abcdef.part": true,
		".0123456789abcdef.part":  true,
		"a.0123456789ABCDEF.part": false,
		"a.0123456789abcde.part":  false,
		"a.0123456789abcdeg.part": false,
		"a-0123456789abcdef.part": false,
		"0123456789abcdef.part":   false,
		"a.0123456789abcdef.PART": false,
	} {
		if got := isPartName(name); got != want {
			t.Errorf("%q: %t", name, got)
		}
	}
}

// The number of a copy goes before the extension. A name that only begins with a dot has none.
func TestCopyName(t *testing.T) {
	for name, want := range map[string]string{
		"a/b.txt":          "a/b (2).txt",
		"a.d/b":            "a.d/b (2)",
		"b.tar.gz":         "b.tar (2).gz",
		".profile":         ".profile (2)",
		"a/.profile":       "a/.profile (2)",
		".profile.profile": ".profile (2).profile",
	} {
		if got := copyName(name, 2); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// Of many listed objects, those that cannot be files beside the others are found as of a few.
func TestPlan_manyListedObjects(t *testing.T) {
	for name, c := range map[string]struct {
		more    []string
		skipped string
	}{
		"no conflict":       {[]string{"d1.txt", "d/1/2/3.txt"}, ""},
		"a file first":      {[]string{"d1/0", "d1/0/1"}, "d1/0 is already a file and cannot also be a folder"},
		"a folder first":    {[]string{"x/y/z", "x/y"}, "x/y is already a file or folder"},
		"a path, otherwise": {[]string{"/x", "../y"}, "it cannot be a local file"},
	} {
		t.Run(name, func(t *testing.T) {
			var objects []client.Object
			for i := range 10_000 {
				objects = append(objects, listedObject(fmt.Sprintf("p/d%d/%d", i%7, 7+i), 1, "e"))
			}
			for _, path := range c.more {
				objects = append(objects, listedObject("p/"+path, 1, "e"))
			}
			p := planListed("p/x", objects, func() bool { return false })
			if p.Files.Len()+len(p.Skipped) != len(objects) || (len(p.Skipped) > 0) != (c.skipped != "") {
				t.Fatalf("%d files and %v", p.Files.Len(), p.Skipped)
			}
			if c.skipped != "" && !strings.Contains(p.Skipped[0].Reason, c.skipped) {
				t.Errorf("left out: %v", p.Skipped)
			}
		})
	}
}

// A path that is both a file and a folder is found in any order, and among folders that look alike.
func TestPlan_Add_aFileThatIsAFolder(t *testing.T) {
	for _, c := range []struct {
		paths string
		want  bool
	}{
		{"a b/c d/e/f", false},
		{"a a/b", true},
		{"a/b a", true},
		{"a/b/c a/b", true},
		{"a/b/c a", true},
		{"A/x a/y a", true},
		{"A/x a/y A", true},
		{"A/x a", false},
		{"photos/2024-a/x photos/2024-b/y photos/2024-b", true},
		{"photos/2024-a/x photos/2024-a/y photos/2024-b", false},
	} {
		p := NewDownload(func() bool { return false })
		for _, path := range strings.Fields(c.paths) {
			p.Add(DownloadItem{listedObject(path, 1, "e"), path})
		}
		if got := len(p.Skipped) > 0; got != c.want {
			t.Errorf("%s: %v", c.paths, p.Skipped)
		}
	}
}
