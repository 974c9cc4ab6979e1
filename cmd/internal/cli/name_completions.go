package cli

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lookout/client"
	"lookout/cmd/internal/config"
	"lookout/views/resource"
	"lookout/views/storage"
)

// completionLimit is how long a completion may wait for the token and the API together. Tests on busy machines wait
// longer.
var completionLimit = 900 * time.Millisecond

// maxNames is the most names of a list that are offered: as many as a page of the API has.
const maxNames = 500

// A nameCompleter completes the names of an account's objects, with one request.
type nameCompleter struct {
	flags     *config.Flags
	resources []scriptResource
}

// session returns a session that reads one page of the account in use within completionLimit.
func (n nameCompleter) session(c *cobra.Command) (ctx context.Context, end func(), s *scriptSession, err error) {
	settings, err := config.Load(n.flags, io.Discard)
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

// A rowNames says which names of the rows of a resource a word can have.
type rowNames struct {
	resource string
	column   string // whose value is the name, instead of label or ID
	idOnly   bool
}

// A rowName is what people call a row, and its ID. Either may be empty.
type rowName struct{ id, label string }

// rows completes a name of a row, and adds a suffix to it.
func (n nameCompleter) rows(c *cobra.Command, of rowNames, typed, suffix string) []cobra.Completion {
	i := slices.IndexFunc(n.resources, func(r scriptResource) bool { return r.name == of.resource })
	if i < 0 || n.resources[i].list == nil || n.resources[i].id == nil {
		return nil
	}
	ctx, end, s, err := n.session(c)
	if err != nil {
		return nil
	}
	defer end()
	r := n.resources[i]
	all := of.read(r, r.list(ctx, s, listOptions{given: resource.ListQuery{}}))
	candidates := nameCandidates(all, r.acceptsLabel() && !of.idOnly, typed)
	for i, candidate := range candidates {
		if suffix != "" {
			name, _, _ := strings.Cut(candidate, "\t")
			candidates[i] = name + suffix
		}
	}
	return candidates
}

// read returns the names of the first rows.
func (of rowNames) read(r scriptResource, rows iter.Seq2[any, error]) (all []rowName) {
	column := slices.IndexFunc(r.columns, func(c resource.ColumnDefinition[any]) bool { return c.Name == of.column })
	seen := map[rowName]bool{}
	for row, err := range rows {
		if err != nil || len(all) == maxNames {
			break
		}
		name := rowName{id: r.id(row)}
		switch {
		case column >= 0:
			name.id = r.columns[column].Value(row)
		case r.identify != nil:
			_, name.label = r.identify(row)
		}
		if !seen[name] {
			seen[name] = true
			all = append(all, name)
		}
	}
	return all
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
			candidates = append(candidates, cobra.CompletionWithDesc(name.id, describeRow(name)))
		}
	}
	return candidates
}

// describeRow returns what the shell shows beside an ID: the label, unless the ID ends with it.
func describeRow(name rowName) string {
	if strings.HasSuffix(name.id, "/"+name.label) {
		return ""
	}
	return name.label
}

// typable reports whether a word can be an argument as it is: it is no flag, has nothing hidden, and the shell gets all
// of it.
func typable(word string) bool {
	return word != "" && word[0] != '-' && strings.TrimSpace(word) == word && client.Clean(word) == word &&
		!strings.HasPrefix(word, "_activeHelp_")
}

// objects completes the name of an object or a folder, one folder at a time. A page of a large folder may lack what was
// typed, so the request names it.
func (n nameCompleter) objects(c *cobra.Command, place, typed string) (candidates []cobra.Completion) {
	cluster, bucket, err := storage.ParseBucketID(place)
	if err != nil {
		return nil
	}
	ctx, end, s, err := n.session(c)
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

// argument completes an argument by its name in the usage line.
func (n nameCompleter) argument(
	c *cobra.Command, word string, args []string, typed string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	parent := c.Parent().Name()
	switch {
	case parent == "accounts" && word == "NAME" && c.Name() != "add":
		return config.AccountNames(n.flags), noFiles
	case parent == "objects" && (word == "NAME" || word == "PREFIX"):
		return noSpaceAfterFolders(n.objects(c, args[0], typed))
	case parent == "objects" && (word == "SOURCE" || word == "TARGET"):
		return n.place(c, typed)
	case word == "CLUSTER/BUCKET" && c.Name() == "create":
		return noSpaceAfterFolders(n.rows(c, rowNames{resource: "clusters"}, typed, "/"))
	case word == "CLUSTER/BUCKET":
		return n.rows(c, rowNames{resource: "buckets"}, typed, ""), noFiles
	case word == "METHOD":
		return []cobra.Completion{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete}, noFiles
	case word == "PATH":
		return noSpaceAfterFolders(operationPaths(args[0], typed))
	case word == "ACL":
		return aclNames(), noFiles
	case word == "DIR" || strings.HasSuffix(word, "FILE"):
		return nil, cobra.ShellCompDirectiveDefault
	case parent == "journal":
		return n.journalEntries(typed), noFiles
	case strings.HasPrefix(word, "ID") || parent == "stats":
		return n.rows(c, rowNames{resource: parent}, typed, ""), noFiles
	}
	return nil, noFiles
}

// place completes CLUSTER/BUCKET/NAME up to the end of the bucket or of a folder, and for sync the path of a local
// folder, which begins with . or /.
func (n nameCompleter) place(c *cobra.Command, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if c.Name() == "sync" && (strings.HasPrefix(typed, ".") || strings.HasPrefix(typed, "/")) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	parts := strings.SplitN(typed, "/", 3)
	if len(parts) < 3 {
		return noSpaceAfterFolders(n.rows(c, rowNames{resource: "buckets"}, typed, "/"))
	}
	bucket := parts[0] + "/" + parts[1]
	names := n.objects(c, bucket, parts[2])
	for i, name := range names {
		names[i] = bucket + "/" + name
	}
	if c.Name() == "sync" { // its side is a folder
		names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasSuffix(name, "/") })
	}
	return noSpaceAfterFolders(names)
}

// operationPaths completes the path of an operation up to the next ID in it.
func operationPaths(method, typed string) (paths []cobra.Completion) {
	isID := func(word string) bool { return word != "" && strings.ToUpper(word) == word }
	given := strings.Split(typed, "/")
	last := len(given) - 1
	for _, o := range client.Operations() {
		words := strings.Split(o.Path, "/")
		if !strings.EqualFold(o.Method, method) || len(words) <= last {
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
	return paths
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

// journalEntries completes the ID of a change in the journal.
func (n nameCompleter) journalEntries(typed string) (ids []cobra.Completion) {
	settings, err := config.Load(n.flags, io.Discard)
	if err != nil {
		return nil
	}
	j := settings.ReadJournal()
	defer j.Close()
	entries := j.Entries(time.Time{})
	for _, e := range entries[max(0, len(entries)-maxEntries):] {
		if strings.HasPrefix(e.ID, typed) && typable(e.ID) {
			ids = append(ids, cobra.CompletionWithDesc(e.ID, client.Clean(e.Change.Op+" "+e.Change.Label)))
		}
	}
	return ids
}

// nameFlags are the flags that take the name of something.
func nameFlags() map[string]rowNames {
	return map[string]rowNames{
		"cluster":    {resource: "clusters"},
		"credential": {resource: "credentials", idOnly: true},
		"group":      {resource: "contacts", column: "group"},
		"bucket":     {resource: "buckets"},
	}
}

// completeFlag completes a flag that takes the name of something.
func (n nameCompleter) completeFlag(name string) cobra.CompletionFunc {
	of := nameFlags()[name]
	return func(c *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		bucket, _, named := strings.Cut(typed, ":")
		switch {
		case name == "bucket" && named:
			return []cobra.Completion{bucket + ":read_only", bucket + ":read_write"}, noFiles
		case name == "bucket":
			return n.rows(c, of, typed, ":"), noFiles | cobra.ShellCompDirectiveNoSpace
		}
		return n.rows(c, of, typed, ""), noFiles
	}
}
