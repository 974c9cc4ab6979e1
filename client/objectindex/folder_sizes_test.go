package objectindex

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"lookout/client"
	"lookout/client/faulttest"
)

// sized returns an object with an owner, which a common prefix has not.
func sized(name string, size int64) client.Object {
	return client.Object{Name: client.NewText(name), Size: size, Owner: client.NewText("o")}
}

// naiveSums adds up all objects of every folder below a prefix, and of the prefix itself.
func naiveSums(objects []client.Object, prefix string) map[string]ObjectTotal {
	sums := map[string]ObjectTotal{prefix: {}}
	for _, o := range objects {
		name := o.Name.Raw()
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		folders := []string{prefix}
		for i := len(prefix); i < len(name); i++ {
			if name[i] == '/' {
				folders = append(folders, name[:i+1])
			}
		}
		for _, folder := range folders {
			sum := sums[folder]
			sum.Objects++
			sum.Bytes += max(0, o.Size)
			sum.AtLeast = sum.AtLeast || o.Size < 0
			sums[folder] = sum
		}
	}
	return sums
}

// readSizes adds objects in pages of some length.
func readSizes(t *FolderSizes, objects []client.Object, pageLength int) {
	for page := range slices.Chunk(objects, pageLength) {
		t.Add(client.ObjectPage{Data: page})
	}
	t.Finish()
}

// checkSums compares the sums of all folders to a naive sum, and the order of the folders.
func checkSums(t *testing.T, sizes *FolderSizes, objects []client.Object, prefix string) {
	t.Helper()
	want := naiveSums(objects, prefix)
	var names []string
	for row := range sizes.All() {
		if row.ObjectTotal != want[row.Name] || strings.Count(row.Name[len(prefix):], "/") != row.Depth {
			t.Errorf("%q on level %d: %+v, not %+v", row.Name, row.Depth, row.ObjectTotal, want[row.Name])
		}
		if sum, known := sizes.Sum(row.Name); !known || sum != row.ObjectTotal {
			t.Errorf("the sum of %q is %+v, %t", row.Name, sum, known)
		}
		names = append(names, row.Name)
	}
	if len(names) != len(want) || names[len(names)-1] != prefix || !slices.IsSorted(names[:len(names)-1]) {
		t.Errorf("%d folders, not %d: %q", len(names), len(want), names)
	}
}

// The sums of every folder are those of a naive sum, whatever the names are and in whichever order they come.
func FuzzFolderSizes(f *testing.F) {
	f.Add("a/b/c\na/b\na/\n/\n//\nb", "", uint8(2), false)
	f.Add("a/b/c\na/b\na/x/y\nab/c", "a", uint8(1), true)
	for _, text := range faulttest.HostileStrings(f, "E11") {
		if len(text) < 2000 {
			f.Add(text+"/x\n"+text+"\nq/"+text+"\nq/"+text+"/"+text, "q/", uint8(3), true)
		}
	}
	f.Fuzz(func(t *testing.T, text, prefix string, pageLength uint8, sorted bool) {
		var objects []client.Object
		seen := map[string]bool{}
		for i, name := range strings.Split(text, "\n") {
			if !seen[name] && name != "" {
				objects = append(objects, sized(name, int64(len(name))*1000-int64(i%7/6)*math.MaxInt32))
			}
			seen[name] = true
		}
		if sorted {
			slices.SortFunc(
				objects,
				func(a, b client.Object) int { return strings.Compare(a.Name.Raw(), b.Name.Raw()) },
			)
		}
		sizes := NewFolderSizes(prefix, -1)
		readSizes(sizes, objects, int(pageLength)+1)
		checkSums(t, sizes, objects, prefix)
	})
}

// testObjects returns objects in folders of up to some levels, in the order of their names.
func testObjects(n, levels int) []client.Object {
	random := rand.New(rand.NewPCG(1, 2))
	objects := make([]client.Object, n)
	for i := range objects {
		name := ""
		for range random.IntN(levels + 1) {
			name += string(rune('a'+random.IntN(9))) + "/"
		}
		objects[i] = sized(fmt.Sprintf("%s%d", name, i), random.Int64N(1000))
	}
	slices.SortFunc(objects, func(a, b client.Object) int { return strings.Compare(a.Name.Raw(), b.Name.Raw()) })
	return objects
}

// While it is read, a folder is known to be complete once a greater name has come, and "at least" until then.
func TestFolderSizes_atLeastWhileReading(t *testing.T) {
	sizes, objects := NewFolderSizes("", -1), testObjects(2000, 3)
	whole := naiveSums(objects, "")
	for i, o := range objects {
		sizes.Add(client.ObjectPage{Data: objects[i : i+1]})
		if i%97 > 0 {
			continue
		}
		for folder, want := range whole {
			sum, known := sizes.Sum(folder)
			passed := o.Name.Raw() > folder && !strings.HasPrefix(o.Name.Raw(), folder)
			if !known || sum.AtLeast == passed || passed && sum != want || sum.Objects > want.Objects {
				t.Fatalf("%q after %q: %+v, %t; at the end %+v", folder, o.Name.Raw(), sum, known, want)
			}
		}
	}
	sizes.Finish()
	checkSums(t, sizes, objects, "")
	if sum, known := sizes.Sum("not/there/"); !known || sum != (ObjectTotal{}) {
		t.Errorf("a folder without objects: %+v, %t", sum, known)
	}
	for _, name := range []string{"a", "a/b"} {
		if _, known := sizes.Sum(name); known {
			t.Errorf("%q is no folder", name)
		}
	}
	sizes = NewFolderSizes("", -1)
	sizes.Add(client.ObjectPage{Data: []client.Object{sized("b/1", 1), sized("a/1", 1), sized("c/1", 1)}})
	if sum, _ := sizes.Sum("a/"); !sum.AtLeast {
		t.Error("names that come in no order do not tell when a folder has ended")
	}
}

// A listing that is incomplete, or has an object without a size, leaves the sums at least.
func TestFolderSizes_problems(t *testing.T) {
	sizes := NewFolderSizes("", -1)
	sizes.Add(client.ObjectPage{
		Data:       []client.Object{sized("a/1", 5), sized("b/1", client.UnknownSize), sized("c/1", math.MaxInt64)},
		Incomplete: "incomplete: marker missing",
	})
	sizes.Finish()
	for _, folder := range []string{"", "a/", "b/"} {
		if sum, _ := sizes.Sum(folder); !sum.AtLeast {
			t.Errorf("%q is claimed to be complete", folder)
		}
	}
	if sizes.Problem() != "incomplete: marker missing" {
		t.Error(sizes.Problem())
	}
	if sum, _ := sizes.Sum(""); sum.Bytes != math.MaxInt64 {
		t.Errorf("%d bytes", sum.Bytes)
	}
}

// Deleted and stored objects change the sums of all their folders, also of new ones.
func TestFolderSizes_Change(t *testing.T) {
	objects := testObjects(500, 3)
	sizes := NewFolderSizes("", -1)
	readSizes(sizes, objects, 100)
	for _, o := range objects[:250] {
		sizes.Change(o.Name.Raw(), -1, -o.Size)
	}
	objects = objects[250:]
	objects = append(objects, sized("new/folder/x", 77))
	sizes.Change("new/folder/x", 1, 77)
	want := naiveSums(objects, "")
	for row := range sizes.All() {
		if row.ObjectTotal != want[row.Name] {
			t.Errorf("%q: %+v, not %+v", row.Name, row.ObjectTotal, want[row.Name])
		}
	}
}

// With a limit of levels, or too many folders, the folders above stay exact and those below are not known.
func TestFolderSizes_levels(t *testing.T) {
	objects := testObjects(3000, 6)
	want := naiveSums(objects, "")
	byDepth, limited := NewFolderSizes("", 2), NewFolderSizes("", -1)
	limited.limit = 150
	for name, sizes := range map[string]*FolderSizes{"two levels": byDepth, "150 folders": limited} {
		t.Run(name, func(t *testing.T) {
			readSizes(sizes, objects, 100)
			kept := 0
			for row := range sizes.All() {
				if kept++; row.ObjectTotal != want[row.Name] {
					t.Errorf("%q: %+v, not %+v", row.Name, row.ObjectTotal, want[row.Name])
				}
			}
			if kept != 1+9+81 {
				t.Errorf("%d folders", kept)
			}
			if sum, known := sizes.Sum("a/b/c/"); known {
				t.Errorf("a folder on the third level: %+v", sum)
			}
		})
	}
	flat := NewFolderSizes("", -1)
	flat.limit = 10
	for i := range 100 {
		objects = append(objects[:i], sized(fmt.Sprintf("%02d/x", i), 1))
	}
	readSizes(flat, objects, 7)
	checkSums(t, flat, objects, "") // the first level always stays
}

// The sums of a million objects are read in the requests of a count, and fit in a few megabytes.
func TestFolderSizes_Read(t *testing.T) {
	t.Parallel()
	c, e := newEmulatedClient(t, "large")
	sizes := NewFolderSizes("", -1)
	last := int64(0)
	err := sizes.Read(t.Context(), c.Objects, "us-east-1", "million", func() {
		sum, _ := sizes.Sum("")
		if !sum.AtLeast || sum.Objects < last {
			t.Errorf("%+v after %d", sum, last)
		}
		last = sum.Objects
	})
	sum, _ := sizes.Sum("")
	if err != nil || sum.Objects != 1_000_000 || sum.AtLeast {
		t.Errorf("%+v, %v", sum, err)
	}
	if sum, known := sizes.Sum("data/007/"); !known || sum.Objects != 10_000 {
		t.Errorf("%+v, %t", sum, known)
	}
	if n := e.RequestCount("list objects"); n > 2200 {
		t.Errorf("%d requests for 2,000 pages", n)
	}
	part := NewFolderSizes("data/007/", -1)
	if err := part.Read(t.Context(), c.Objects, "us-east-1", "million", func() {}); err != nil {
		t.Fatal(err)
	}
	same, _ := sizes.Sum("data/007/")
	if sum, known := part.Sum("data/007/"); !known || sum != same {
		t.Errorf("%+v, not %+v", sum, same)
	}
	if _, known := part.Sum("data/008/"); known {
		t.Error("a folder that was not read is known")
	}
}

// BenchmarkFolderSizes adds a million objects in folders, and reports the memory that the sums take.
func BenchmarkFolderSizes(b *testing.B) {
	for _, perFolder := range []int{100, 1} {
		b.Run(fmt.Sprintf("%d in a folder", perFolder), func(b *testing.B) {
			var pages []client.ObjectPage
			for from := 0; from < million; from += 500 {
				page := client.ObjectPage{}
				for i := from; i < from+500; i++ {
					name := fmt.Sprintf("logs/2026/%02d/service-%07d/%09d.log.gz", i/90_000+1, i/perFolder, i)
					page.Data = append(page.Data, sized(name, int64(i)))
				}
				pages = append(pages, page)
			}
			var sizes *FolderSizes
			before := heapBytes()
			for b.Loop() {
				sizes = NewFolderSizes("", -1)
				for _, page := range pages {
					sizes.Add(page)
				}
			}
			runtime.GC()
			b.ReportMetric(float64(heapBytes()-before)/1e6, "MB")
			runtime.KeepAlive(sizes)
			runtime.KeepAlive(pages)
		})
	}
}
