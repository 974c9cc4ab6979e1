package main

import (
	"context"
	"encoding/xml"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"lookout/cmd/internal/testenv"
)

// drawPictures draws all pictures on a fake clock, on which a slow machine misses nothing.
func drawPictures(t *testing.T) (drawn map[string]string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer time.Sleep(72 * time.Hour) // timers that are still set end here
		defer cancel()
		var err error
		if drawn, err = renderPictures(ctx); err != nil {
			t.Fatal(err)
		}
	})
	return drawn
}

// The committed pictures are those of the program as it is, and drawing them again makes the same bytes.
func TestPicturesAreUpToDate(t *testing.T) {
	t.Parallel()
	first, second := drawPictures(t), drawPictures(t)
	for name, svg := range first {
		kept, err := os.ReadFile(filepath.Join(testenv.RepoRoot(t), "docs", filepath.FromSlash(name)))
		if err != nil || strings.ReplaceAll(string(kept), "\r\n", "\n") != svg {
			t.Errorf("docs/%s is not up to date (%v): go run ./cmd/docgen docs", name, err)
		}
		if svg != second[name] {
			t.Errorf("%s is another picture each time", name)
		}
	}
	folder, err := os.ReadDir(filepath.Join(testenv.RepoRoot(t), "docs", "pictures"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range folder {
		if first["pictures/"+file.Name()] == "" {
			t.Errorf("docs/pictures/%s is drawn by nothing", file.Name())
		}
	}
}

// Pictures are small and well-formed, and the animation stands still for viewers who prefer reduced motion: only its
// first frame is visible then.
func TestPicturesAreSmall(t *testing.T) {
	t.Parallel()
	for _, l := range looks() {
		for _, one := range append(pictureSpecs, pictureSpec{name: tourName}) {
			svg := readPicture(t, picturePath(one.name, l))
			limit := 48 << 10
			if one.name == tourName {
				limit = 400 << 10
			}
			if len(svg) > limit {
				t.Errorf("%s, %s: %d bytes, at most %d", one.name, l.theme, len(svg), limit)
			}
			for d := xml.NewDecoder(strings.NewReader(svg)); ; {
				if _, err := d.Token(); err == io.EOF {
					break
				} else if err != nil {
					t.Fatalf("%s, %s: %v", one.name, l.theme, err)
				}
			}
			always, moving, animated := strings.Cut(svg, "@media (prefers-reduced-motion:no-preference){")
			if animated != (one.name == tourName) || strings.Contains(always, "animation") {
				t.Errorf("%s, %s: animated %v", one.name, l.theme, animated)
			}
			hidden := regexp.MustCompile(`\.(v\d+)\{visibility:hidden\}`).FindAllStringSubmatch(always, -1)
			for _, class := range hidden {
				if !strings.Contains(moving, "@keyframes "+class[1]+"{0%{visibility:hidden}") {
					t.Errorf(
						"%s, %s: the still picture hides %s, which the first frame shows",
						one.name,
						l.theme,
						class[1],
					)
				}
			}
		}
	}
}

// readPicture returns a picture of the documentation.
func readPicture(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(testenv.RepoRoot(t), "docs", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Every picture is on a page, for both colour schemes, and the page says in words what it shows.
func TestPicturesAreShown(t *testing.T) {
	t.Parallel()
	alts := map[string]string{tourName: tourAlt}
	for _, one := range pictureSpecs {
		alts[one.name] = one.alt
	}
	shown := regexp.MustCompile(`(?s)<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)">\s*` +
		`<img alt="([^"]*)" src="([^"]+)">\s*</picture>`)
	var seen []string
	for _, page := range docPages(t) {
		data, err := os.ReadFile(filepath.Join(testenv.RepoRoot(t), page))
		if err != nil {
			t.Fatal(err)
		}
		found := shown.FindAllStringSubmatch(string(data), -1)
		if strings.Count(string(data), ".svg") != 2*len(found) {
			t.Errorf("%s: a picture is not shown for both colour schemes", page)
		}
		for _, f := range found {
			name := strings.TrimSuffix(path.Base(f[3]), "-light.svg")
			light, dark := path.Join(path.Dir(page), f[3]), path.Join(path.Dir(page), f[1])
			if light != "docs/pictures/"+name+"-light.svg" || dark != "docs/pictures/"+name+"-dark.svg" {
				t.Errorf("%s shows %s and %s", page, light, dark)
			}
			if f[2] == "" || f[2] != alts[name] {
				t.Errorf("%s: the text of %s is %q, want %q", page, name, f[2], alts[name])
			}
			seen = append(seen, name)
		}
	}
	for name := range alts {
		if !slices.Contains(seen, name) {
			t.Errorf("%s is on no page", name)
		}
	}
}
