package names_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/cmd/internal/names"
)

// services returns a complete list of n names.
func services(n int) names.NameList {
	list := names.NameList{Complete: true}
	for i := range n {
		list.Names = append(list.Names, names.Name{ID: fmt.Sprint(i + 1), Label: fmt.Sprintf("web-%d", i+1)})
	}
	return list
}

// For a minute nothing is read; then once, or not again for half a minute if that fails. Old names are used for a day.
func TestCacheFile_Get_readsOnlyWhatIsOld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lookout", "acme@0"+names.Extension)
	begin := time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)
	fails := errors.New("offline")
	for _, step := range []struct {
		after time.Duration
		read  int // names that the API has; -1 cannot be reached
		reads bool
		want  int
	}{
		{0, -1, true, 0},
		{29 * time.Second, 3, false, 0}, // it has just failed
		{31 * time.Second, 3, true, 3},
		{90 * time.Second, 4, false, 3},
		{92 * time.Second, 4, true, 4},
		{time.Hour, -1, true, 4},
		{time.Hour + 20*time.Second, 5, false, 4},
		{24 * time.Hour, -1, true, 4},
		{26 * time.Hour, -1, true, 0},
		{27 * time.Hour, 6, true, 6},
		{26*time.Hour + 59*time.Minute, 7, true, 7}, // the clock was set back
	} {
		read := false
		got := names.At(path, begin.Add(step.after)).Get(func() (names.NameList, error) {
			read = true
			if step.read < 0 {
				return names.NameList{}, fails
			}
			return services(step.read), nil
		})
		if read != step.reads || len(got.Names) != step.want {
			t.Errorf(
				"after %v: read %v, %d names; want %v, %d",
				step.after,
				read,
				len(got.Names),
				step.reads,
				step.want,
			)
		}
	}
}

// A token that may not see a list sees no old names of it either.
func TestCacheFile_Get_keepsNothingThatIsDenied(t *testing.T) {
	for name, refused := range map[string]error{
		"not allowed":    client.ErrDenied,
		"token rejected": &client.Error{Op: "list services", Status: 401, Outcome: client.Rejected},
	} {
		t.Run(name, func(t *testing.T) { keepsNothing(t, refused) })
	}
}

func keepsNothing(t *testing.T, refused error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "acme@0"+names.Extension)
	names.At(path, time.Now()).Get(func() (names.NameList, error) { return services(3), nil })
	denied := func() (names.NameList, error) { return names.NameList{}, refused }
	if got := names.At(path, time.Now().Add(time.Hour)).Get(denied); len(got.Names) > 0 {
		t.Errorf("%v", got)
	}
	if data, err := os.ReadFile(path); err != nil || strings.Contains(string(data), "web-1") {
		t.Errorf("%s, %v", data, err)
	}
}

// The file and its folder are the owner's alone. Files that are older than a day are removed; other files stay.
func TestCacheFile_files(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "lookout")
	path := filepath.Join(folder, "acme@1"+names.Extension)
	get := func(path string) {
		names.At(path, time.Now()).Get(func() (names.NameList, error) { return services(2), nil })
	}
	get(path)
	for path, want := range map[string]os.FileMode{folder: 0o700, path: 0o600} {
		if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	old, other := filepath.Join(folder, "gone@1"+names.Extension), filepath.Join(folder, "other")
	get(old)
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{old, other} {
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(-25*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	get(filepath.Join(folder, "acme@2"+names.Extension))
	exists := func(path string) bool { _, err := os.Lstat(path); return err == nil }
	if exists(old) || !exists(other) || !exists(path) {
		t.Errorf("old %v, other %v, new %v", exists(old), exists(other), exists(path))
	}
	names.Forget(folder, "acme")
	if exists(path) || !exists(other) {
		t.Errorf("forgotten: %v, other %v", !exists(path), exists(other))
	}
}

// What stands in the place of the file is neither followed nor believed, and completion goes on without it.
func TestCacheFile_oddFiles(t *testing.T) {
	folder := t.TempDir()
	target := filepath.Join(folder, "target")
	if err := os.WriteFile(target, []byte(`{"names":[{"id":"1"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(folder, "link"+names.Extension)
	if err := os.Symlink(target, link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	torn := filepath.Join(folder, "torn"+names.Extension)
	if err := os.WriteFile(torn, []byte(`{"names":[{"id":`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, torn, filepath.Join(target, "x"+names.Extension), ""} {
		got := names.At(path, time.Now()).Get(func() (names.NameList, error) { return services(2), nil })
		if len(got.Names) != 2 {
			t.Errorf("%s: %v", path, got)
		}
	}
	if data, _ := os.ReadFile(target); string(data) != `{"names":[{"id":"1"}]}` {
		t.Errorf("the target of the link was changed: %s", data)
	}
}

// However many names are read, only a page of them is kept.
func TestCacheFile_Get_isBounded(t *testing.T) {
	cache := names.At(filepath.Join(t.TempDir(), "acme@0"+names.Extension), time.Now())
	if got := cache.Get(func() (names.NameList, error) { return services(5000), nil }); len(got.Names) != names.Max {
		t.Errorf("%d names", len(got.Names))
	}
}
