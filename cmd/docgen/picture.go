package main

import (
	"context"
	"errors"
	"strings"
	"sync"
)

// A pictureSpec describes a picture of the documentation.
type pictureSpec struct {
	name, alt, keys string
	width, height   int
}

// pictureSpecs are the pictures of the documentation.
var pictureSpecs = []pictureSpec{
	{
		name:   "overview",
		alt:    "The overview: what is broken, whom to call, charts of the last 24 hours, and Object Storage",
		width:  120,
		height: 36,
	},
	{
		name: "issue",
		keys: "i",
		alt: "An issue: the broken service with its notes, whom to call and their numbers, how to log in, " +
			"what happened before, and four charts of the load around the time of detection",
		width:  120,
		height: 34,
	},
	{
		name: "services",
		keys: "3 / web-1 <enter> d <tab> kernel <space> update <ctrl+s> <esc> +12m r",
		alt: "A list of services: one of them has been disabled for 12 minutes and resumes at 22:04; " +
			"its details beside the list give the reason and whom to call",
		width:  120,
		height: 26,
	},
	{
		name:   "objects",
		keys:   "8 <enter> g <enter> G <enter> G <enter> <down> <down> <space> <down> <space> <down>",
		alt:    "A folder in a bucket: backups, two of them marked, and the beginning of one",
		width:  120,
		height: 26,
	},
	{
		name:   "preview",
		keys:   "8 / uploads <enter> <enter> z config <enter> <enter> z shop <enter>",
		alt:    "Three columns: the parent folder, the objects of the open folder, and a JSON file in colour",
		width:  120,
		height: 29,
	},
	{
		name: "stats",
		keys: "7",
		alt: "Charts of the last 24 hours: CPU, network, disk and swap, with the number of each issue below the " +
			"time at which it was detected",
		width:  120,
		height: 34,
	},
	{
		name: "palette",
		keys: ": 21",
		alt: "The palette: 21 has been typed, and below it are a host by its address, an issue by its ticket, " +
			"another by its number, and a contact by a telephone number",
		width:  100,
		height: 22,
	},
}

// tourName is the name of the animation.
const tourName = "tour"

// picturePath returns the path of a picture in the documentation.
func picturePath(name string, l look) string { return "pictures/" + name + "-" + l.theme + ".svg" }

// renderPictures returns the pictures by their paths, for each colour scheme. They are drawn side by side, because the
// program mostly waits.
func renderPictures(ctx context.Context) (map[string]string, error) {
	all := map[string]string{}
	var mu sync.Mutex
	var wait sync.WaitGroup
	var failed error
	draw := func(name string, render func() (string, error)) {
		wait.Go(func() {
			svg, err := render()
			mu.Lock()
			defer mu.Unlock()
			all[name], failed = svg, errors.Join(failed, err)
		})
	}
	for _, l := range looks() {
		for _, one := range pictureSpecs {
			draw(picturePath(one.name, l), func() (string, error) { return one.render(ctx, l) })
		}
		draw(picturePath(tourName, l), func() (string, error) { return renderTour(ctx, l) })
	}
	wait.Wait()
	return all, failed
}

// render presses the keys and draws the frame.
func (p pictureSpec) render(ctx context.Context, l look) (string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := newRecorder(ctx, l.theme, p.width, p.height)
	if err != nil {
		return "", err
	}
	r.press(p.keys)
	r.rest()
	w := &svgWriter{look: l}
	var content strings.Builder
	for y, line := range r.frame() {
		content.WriteString(w.row(y, parseCells(line), ""))
	}
	return w.document(picture{alt: p.alt, columns: p.width, lines: p.height, content: content.String()}), nil
}
