package cli

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lookout/client"
	"lookout/cmd/internal/config"
	"lookout/ui/form"
	"lookout/views/resource"
	"lookout/views/storage"
)

// completionLimit is how long a completion may wait for the token and the API together. Tests on busy machines wait
// longer.
var completionLimit = 900 * time.Millisecond

// maxNames is the most names of a list that are offered: as many as a page of the API has.
const maxNames = 500

// completeArgs completes the arguments of a command, one after the other; nil completes nothing. If one of them may be
// repeated, the last function is also for all further ones.
func completeArgs(c *cobra.Command, of ...cobra.CompletionFunc) {
	c.ValidArgsFunction = func(
		c *cobra.Command, args []string, typed string,
	) ([]cobra.Completion, cobra.ShellCompDirective) {
		at := len(args)
		if strings.Contains(c.Use, "...") {
			at = max(0, min(at, len(of)-1))
		}
		if at >= len(of) || of[at] == nil {
			return nil, noFiles
		}
		return of[at](c, args, typed)
	}
}

// completeFiles leaves the completion to the shell, which knows the files.
var completeFiles = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)

// namesOf completes what form.ScriptInput.Names says; it is nil for "".
func namesOf(what string) cobra.CompletionFunc {
	switch what {
	case "":
		return nil
	case form.Files:
		return completeFiles
	}
	return func(c *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return completeRows(c, what, typed, ""), noFiles
	}
}

// objectNames completes a bucket, the name of an object in it, and what follows.
func objectNames(others ...cobra.CompletionFunc) []cobra.CompletionFunc {
	return append([]cobra.CompletionFunc{namesOf("buckets"), completeObject}, others...)
}

// completeObject completes the name of an object in the bucket that is the argument before.
func completeObject(c *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return noSpaceAfterFolders(objectsOf(c, args[0], typed))
}

// completeCluster completes the cluster of a bucket that does not exist yet.
func completeCluster(c *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return noSpaceAfterFolders(completeRows(c, "clusters", typed, "/"))
}

// completeGrant completes what a key may do with a bucket.
func completeGrant(c *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if bucket, _, named := strings.Cut(typed, ":"); named {
		return []cobra.Completion{bucket + ":read_only", bucket + ":read_write"}, noFiles
	}
	return completeRows(c, "buckets", typed, ":"), noFiles | cobra.ShellCompDirectiveNoSpace
}

// completionSession returns a session that reads one page of the account in use within completionLimit.
func completionSession(c *cobra.Command) (ctx context.Context, end func(), s *scriptSession, err error) {
	settings, err := config.Load(flagsOf(c), io.Discard)
	if err != nil {
		return nil, nil, nil, err
	}
	settings.ReadOnly = true
	ctx, end = context.WithTimeout(c.Context(), completionLimit)
	token, err := settings.ReadToken(config.WithoutTerminal(ctx))
	var api *client.Client
	if err == nil {
		api, err = settings.NewClient(
			token,
			nil,
			client.WithoutRetries(),
			client.WithTimeout(completionLimit),
			client.WithObserver(onlyFirstPage),
		)
	}
	if err != nil {
		end()
		return nil, nil, nil, err
	}
	s = &scriptSession{settings: settings, now: time.Now}
	s.connect(ctx, api)
	return ctx, end, s, nil
}

// errNextPage is the error of the request for a second page.
var errNextPage = errors.New("one page is enough for a completion")

// onlyFirstPage returns a transport that requests no second page of a list.
func onlyFirstPage(next http.RoundTripper) http.RoundTripper {
	return roundTripperFunc(func(req *http.Request) (*http.Response, error) {
		if n, err := strconv.Atoi(req.URL.Query().Get("page")); err == nil && n > 1 {
			return nil, errNextPage
		}
		return next.RoundTrip(req)
	})
}

// roundTripperFunc is a function that implements http.RoundTripper.
type roundTripperFunc func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTripperFunc) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// A rowName is what people call a row, and its ID. Either may be empty.
type rowName struct{ id, label string }

// completeRows completes what form.ScriptInput.Names says, and adds a suffix to it.
func completeRows(c *cobra.Command, what, typed, suffix string) []cobra.Completion {
	name, column, _ := strings.Cut(what, ".")
	resources := resourceCommands()
	r := resources[slices.IndexFunc(resources, func(r scriptResource) bool { return r.name == name })]
	ctx, end, s, err := completionSession(c)
	if err != nil {
		return nil
	}
	defer end()
	at := slices.IndexFunc(r.columns, func(c resource.ColumnDefinition[any]) bool { return c.Name == column })
	var all []rowName
	for row, err := range r.list(ctx, s, listOptions{given: resource.ListQuery{}}) {
		if err != nil || len(all) == maxNames {
			break
		}
		name := rowName{id: r.id(row)}
		switch {
		case at >= 0 && column != "id":
			name.id = r.columns[at].Value(row)
		case r.identify != nil:
			_, name.label = r.identify(row)
		}
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	candidates := nameCandidates(all, r.acceptsLabel() && column == "", typed)
	for i, candidate := range candidates {
		if suffix != "" {
			name, _, _ := strings.Cut(candidate, "\t")
			candidates[i] = name + suffix
		}
	}
	return candidates
}

// nameCandidates returns the candidates for a word that begins with what was typed. A label that no command line can
// give, or that several rows have, is offered as the ID that it describes.
func nameCandidates(all []rowName, byLabel bool, typed string) (candidates []cobra.Completion) {
	rows := make(map[string]int, len(all))
	for _, name := range all {
		rows[name.label]++
	}
	for _, name := range all {
		_, err := strconv.Atoi(name.label)
		label := byLabel && err != nil && rows[name.label] == 1 && typable(name.label)
		switch {
		case label && strings.HasPrefix(name.label, typed):
			candidates = append(candidates, cobra.CompletionWithDesc(name.label, "id "+name.id))
		case (!label || typed != "") && strings.HasPrefix(name.id, typed) && typable(name.id):
			about := name.label
			if strings.HasSuffix(name.id, "/"+name.label) {
				about = ""
			}
			candidates = append(candidates, cobra.CompletionWithDesc(name.id, about))
		}
	}
	return candidates
}

// typable reports whether a word can be an argument as it is: it is no flag, has nothing hidden, and the shell gets all
// of it.
func typable(word string) bool {
	return word != "" && word[0] != '-' && strings.TrimSpace(word) == word && client.Clean(word) == word &&
		!strings.HasPrefix(word, "_activeHelp_")
}

// objectsOf completes the name of an object or a folder, one folder at a time. A page of a large folder may lack what
// was typed, so the request names it.
func objectsOf(c *cobra.Command, place, typed string) (candidates []cobra.Completion) {
	cluster, bucket, err := storage.ParseBucketID(place)
	if err != nil {
		return nil
	}
	ctx, end, s, err := completionSession(c)
	if err != nil {
		return nil
	}
	defer end()
	page, err := s.api.Objects.List(ctx, client.ObjectQuery{
		Cluster:   cluster,
		Bucket:    bucket,
		Prefix:    typed,
		Delimiter: "/",
	})
	if err != nil {
		return nil
	}
	for _, o := range page.Data {
		name := o.Name.Raw()
		isFolderItself := name == typed && strings.HasSuffix(typed, "/")
		if strings.HasPrefix(name, typed) && !isFolderItself && typable(name) {
			candidates = append(candidates, name)
		}
	}
	return candidates
}

// completePlace completes CLUSTER/BUCKET/NAME up to the end of the bucket or of a folder.
func completePlace(c *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	parts := strings.SplitN(typed, "/", 3)
	if len(parts) < 3 {
		return noSpaceAfterFolders(completeRows(c, "buckets", typed, "/"))
	}
	bucket := parts[0] + "/" + parts[1]
	names := objectsOf(c, bucket, parts[2])
	for i, name := range names {
		names[i] = bucket + "/" + name
	}
	return noSpaceAfterFolders(names)
}

// completeSide completes a folder: of a bucket, or a local one, whose path begins with . or /.
func completeSide(c *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if strings.HasPrefix(typed, ".") || strings.HasPrefix(typed, "/") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	names, _ := completePlace(c, args, typed)
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasSuffix(name, "/") })
	return noSpaceAfterFolders(names)
}

// completePath completes the path of an operation up to the next ID in it.
func completePath(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var paths []cobra.Completion
	isID := func(word string) bool { return word != "" && strings.ToUpper(word) == word }
	given := strings.Split(typed, "/")
	last := len(given) - 1
	for _, o := range client.Operations() {
		words := strings.Split(o.Path, "/")
		if !strings.EqualFold(o.Method, args[0]) || len(words) <= last {
			continue
		}
		for i := range last {
			if isID(words[i]) {
				words[i] = given[i]
			}
		}
		if next := slices.IndexFunc(words[last:], isID); next >= 0 {
			words = append(words[:last+next], "")
		}
		path := strings.Join(words, "/")
		if strings.HasPrefix(path, typed) && path != typed && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return noSpaceAfterFolders(paths)
}

// noSpaceAfterFolders keeps the shell from adding a space where a candidate goes on: after /.
func noSpaceAfterFolders(candidates []cobra.Completion) ([]cobra.Completion, cobra.ShellCompDirective) {
	for _, c := range candidates {
		if strings.HasSuffix(c, "/") {
			return candidates, noFiles | cobra.ShellCompDirectiveNoSpace
		}
	}
	return candidates, noFiles
}

// maxEntries is the most changes of the journal that are offered: the newest.
const maxEntries = 100

// completeEntry completes the ID of a change in the journal.
func completeEntry(c *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var ids []cobra.Completion
	settings, err := config.Load(flagsOf(c), io.Discard)
	if err != nil {
		return nil, noFiles
	}
	j := settings.ReadJournal()
	defer j.Close()
	entries := j.Entries(time.Time{})
	for _, e := range entries[max(0, len(entries)-maxEntries):] {
		if strings.HasPrefix(e.ID, typed) && typable(e.ID) {
			ids = append(ids, cobra.CompletionWithDesc(e.ID, client.Clean(e.Change.Op+" "+e.Change.Label)))
		}
	}
	return ids, noFiles
}
