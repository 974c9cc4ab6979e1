package emulator

import (
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// FaultWords are the words that a fault on the command line can have after its request.
const FaultWords = "status=503, html, reset, cut=BYTES, delay=2s, retry-after=7, applied, late=15s, stale=30s, " +
	"alternate, old-row, times=3"

// InjectSpec adds a fault that is written as on the command line: a request, followed by FaultWords. It refuses words
// and requests that do not exist.
func (e *Emulator) InjectSpec(spec string) error {
	match, f, err := parseFault(spec)
	if err == nil {
		err = e.patterns.check(match, f)
	}
	if err != nil {
		return fmt.Errorf("fault %q: %w", spec, err)
	}
	e.InjectFault(match, f)
	return nil
}

// parseFault separates the request of a fault from its words.
func parseFault(spec string) (match string, f Fault, err error) {
	words := strings.Fields(spec)
	n := slices.IndexFunc(words, func(word string) bool {
		name, _, value := strings.Cut(word, "=")
		return value && !strings.ContainsAny(name, "/ ") || slices.Contains(faultFlags, word)
	})
	if n < 0 {
		n = len(words)
	}
	if n == 0 {
		return "", f, errors.New("missing request; write it as in \"GET /managed/services status=503 times=3\"")
	}
	for _, word := range words[n:] {
		if err := f.setWord(word); err != nil {
			return "", f, err
		}
	}
	return strings.Join(words[:n], " "), f, nil
}

// faultFlags are the words without a value.
var faultFlags = []string{"reset", "html", "applied", "alternate", "old-row"}

// setWord applies one word of a fault.
func (f *Fault) setWord(word string) error {
	name, value, valued := strings.Cut(word, "=")
	flags := map[string]*bool{
		"reset":     &f.Reset,
		"html":      &f.HTML,
		"applied":   &f.ApplyFirst,
		"alternate": &f.Alternate,
		"old-row":   &f.OldRow,
	}
	if flag := flags[name]; flag != nil && !valued {
		*flag = true
		return nil
	}
	numbers := map[string]*int{"status": &f.Status, "times": &f.Times, "cut": &f.CutAfter}
	spans := map[string]*time.Duration{"delay": &f.Delay, "late": &f.Late, "stale": &f.Stale}
	var err error
	switch number, span := numbers[name], spans[name]; {
	case !valued || number == nil && span == nil && name != "retry-after":
		return fmt.Errorf("unknown word %q (use %s)", word, FaultWords)
	case name == "retry-after":
		f.RetryAfter = value
	case number != nil:
		if *number, err = strconv.Atoi(value); err != nil || *number < 1 {
			return fmt.Errorf("%s is not a positive number", word)
		}
	default:
		if *span, err = time.ParseDuration(value); err != nil || *span <= 0 {
			return fmt.Errorf("%s is not a duration such as 15s", word)
		}
	}
	if f.Status != 0 && (f.Status < 200 || f.Status > 599) {
		return fmt.Errorf("%s is not a status from 200 to 599", word)
	}
	return nil
}

// patterns are the requests that an emulator answers.
type patterns []Route

// check returns an error if no request can match a fault, or if its words contradict each other or the request.
func (p patterns) check(match string, f Fault) error {
	var ops []Route
	for _, op := range p {
		if match == op.Name || matchesTemplate(match, op.Method+" "+op.Path) {
			ops = append(ops, op)
		}
	}
	if len(ops) == 0 {
		return fmt.Errorf("no request matches %q; did you mean %q?", match, p.nearest(match))
	}
	write := func(op Route) bool { return op.Write }
	read := func(op Route) bool { return !op.Write }
	switch {
	case f.Late > 0 && !slices.ContainsFunc(ops, write):
		return errors.New("late= is for changes; this request changes nothing")
	case f.OldRow && !slices.ContainsFunc(ops, write):
		return errors.New("old-row is for changes; this request changes nothing")
	case f.Stale > 0 && !slices.ContainsFunc(ops, read):
		return errors.New("stale= is for reads; this request is a change")
	case f.Late > 0 && f.ApplyFirst:
		return errors.New("use either applied or late=")
	case f.Alternate && f.Stale == 0:
		return errors.New("alternate needs stale=")
	}
	return nil
}

// matchesTemplate reports whether a request that matches a fault can also match a template such as
// "GET /managed/services/{id}".
func matchesTemplate(match, template string) bool {
	if match == "*" {
		return true
	}
	method, pattern, _ := strings.Cut(match, " ")
	wantMethod, want, _ := strings.Cut(template, " ")
	if ok, err := path.Match(method, wantMethod); err != nil || !ok {
		return false
	}
	if strings.HasSuffix(template, "{name...}") && strings.Count(pattern, "/") > strings.Count(want, "/") {
		wanted := strings.Split(pattern, "/")[:strings.Count(want, "/")]
		pattern = strings.Join(append(wanted, "name"), "/")
	}
	start, open := strings.CutSuffix(pattern, "*")
	if open && samePath(strings.Split(start, "/"), strings.Split(want, "/"), true) {
		return true
	}
	return samePath(strings.Split(pattern, "/"), strings.Split(want, "/"), false)
}

// samePath reports whether the segments of a pattern can match those of a template. With prefix, the pattern may end
// before the template does.
func samePath(pattern, template []string, prefix bool) bool {
	if len(pattern) > len(template) || !prefix && len(pattern) < len(template) {
		return false
	}
	for i, p := range pattern {
		open := strings.HasPrefix(template[i], "{")
		switch {
		case open && p != "", prefix && i == len(pattern)-1 && (open || strings.HasPrefix(template[i], p)):
			continue
		}
		if ok, err := path.Match(p, template[i]); open || err != nil || !ok {
			return false
		}
	}
	return true
}

// nearest returns the request that resembles a text most, with the text's own IDs.
func (p patterns) nearest(text string) string {
	found, best := "", -1
	try := func(candidate string) {
		if d := editDistance(text, candidate); best < 0 || d < best {
			found, best = candidate, d
		}
	}
	segments := strings.Split(text, "/")
	for _, op := range p {
		try(op.Name)
		if op.Path == "" || strings.HasSuffix(op.Path, "{name...}") {
			continue
		}
		template := strings.Split(op.Method+" "+op.Path, "/")
		for i := range template {
			if strings.HasPrefix(template[i], "{") && len(segments) == len(template) && segments[i] != "" {
				template[i] = segments[i]
			}
		}
		try(strings.Join(template, "/"))
	}
	return found
}

// editDistance returns the number of bytes to insert, delete or replace to turn a into b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// objectPatterns returns the requests at pre-signed URLs.
func objectPatterns(sites []*cluster) (all []Route) {
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete} {
		for _, c := range sites {
			all = append(all, Route{
				Name:   "object " + strings.ToLower(method),
				Method: method,
				Path:   "/" + c.place() + "/{bucket}/{name...}",
				Write:  method == http.MethodPut || method == http.MethodDelete,
			})
		}
	}
	return all
}
