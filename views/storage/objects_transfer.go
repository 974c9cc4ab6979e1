package storage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/transfer"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/views/account"
)

// maxPlannedObjects is how many objects are listed to plan a download or a deletion: beyond it a narrower folder must
// be chosen.
const maxPlannedObjects = 200_000

// expandFolders are the objects that rows stand for: themselves, and for folders all that begin with them.
func (l *objectListing) expandFolders(ctx context.Context, rows []client.Object) ([]client.Object, error) {
	var all []client.Object
	seen := map[string]bool{}
	add := func(o client.Object) {
		if !seen[o.Name.Raw()] {
			seen[o.Name.Raw()] = true
			all = append(all, o)
		}
	}
	for _, row := range rows {
		if !l.isFolder(row) {
			add(row)
			continue
		}
		inside, err := l.listPrefix(ctx, row.Name.Raw())
		if err != nil {
			return nil, err
		}
		for _, o := range inside {
			add(o)
		}
		if len(all) > maxPlannedObjects {
			return nil, tooManyObjectsError()
		}
	}
	return all, nil
}

// listPrefix are the objects whose names begin with a prefix.
func (l *objectListing) listPrefix(ctx context.Context, prefix string) ([]client.Object, error) {
	var all []client.Object
	q := client.ObjectQuery{Cluster: l.path.bucket.Cluster.Raw(), Bucket: l.path.bucket.Label.Raw(), Prefix: prefix}
	for p, err := range l.a.Api.Objects.Pages(ctx, q) {
		if err != nil {
			return nil, err
		}
		if all = append(all, p.Data...); len(all) > maxPlannedObjects {
			return nil, tooManyObjectsError()
		}
		if i := slices.IndexFunc(p.Warnings, func(odd string) bool { return strings.HasPrefix(odd, "incomplete") }); i >= 0 {
			return nil, fmt.Errorf("the listing is %s", p.Warnings[i])
		}
	}
	return all, nil
}

func tooManyObjectsError() error {
	return fmt.Errorf("more than %s objects: choose a narrower folder", account.FormatCount(maxPlannedObjects))
}

// countThen lists what rows stand for off the loop, and goes on with it.
func (l *objectListing) countThen(rows []client.Object, then func([]client.Object) tea.Msg) tea.Cmd {
	ctx := l.a.Context
	work := func() tea.Msg {
		all, err := l.expandFolders(ctx, rows)
		if err != nil {
			return ui.NewsMsg{Tone: theme.Bad, Text: "counting: " + ui.Reason(err)}
		}
		return then(all)
	}
	if slices.ContainsFunc(rows, l.isFolder) {
		return tea.Batch(ui.ShowNews(theme.Info, "counting what is in "+l.nameOrCount(rows)), work)
	}
	return work
}

// nameOrCount names one row, or counts many.
func (l *objectListing) nameOrCount(rows []client.Object) string {
	if len(rows) == 1 {
		return l.displayName(rows[0])
	}
	return account.Pluralize(len(rows), "entry", "entries")
}

// download asks where to, once it is known how much it is.
func (l *objectListing) download(rows []client.Object) tea.Cmd {
	if len(rows) == 1 && !l.isFolder(rows[0]) {
		return ui.Send(form.OpenFormMsg{Form: downloadForm(l.a, l.path.bucket, rows[0])})
	}
	return l.countThen(
		rows,
		func(all []client.Object) tea.Msg { return form.OpenFormMsg{Form: l.downloadPlanForm(rows, all)} },
	)
}

// downloadFolder is the folder that is proposed: the one used last, else where the program was started.
func downloadFolder(a *account.Account) string {
	if a.LastFolder != "" {
		return a.LastFolder
	}
	dir, err := os.Getwd()
	if err != nil {
		return "."
	}
	return dir
}

// downloadForm asks for the folder and the name of one object's file. A name that is taken is told before anything is
// fetched.
func downloadForm(a *account.Account, b *client.Bucket, o client.Object) form.Form {
	folder := downloadFolder(a)
	leaf, err := transfer.DefaultFileName(o.Name.Raw())
	if err != nil {
		leaf = ""
	}
	form := form.Form{
		Title:        "Download " + o.Name.String(),
		SubmitLabel:  "download",
		ProgressText: "starting",
		Text: fmt.Sprintf(
			"%s. It gets its name when it is complete and right; nothing is overwritten.",
			account.FormatSize(o.Size),
		),
		EnterSubmits: form.AlwaysSubmit,
		Fields: []form.Field{
			form.File("folder", "Folder", &folder, checkFolder),
			form.Text(
				"name",
				"File name",
				&leaf,
				checkFileName,
				func(name string) string { return checkFileAbsent(folder, name) },
			),
		},
		Send: func(context.Context) (func() tea.Cmd, error) {
			_, err := a.Transfers.Download(transfer.DownloadRequest{
				Cluster: b.Cluster.Raw(),
				Bucket:  b.Label.Raw(),
				Object:  o,
				Folder:  folder,
				Path:    leaf,
			})
			return transferStarted(a, folder, "downloading "+o.Name.String()), err
		},
	}
	return form
}

func checkFolder(text string) string {
	info, err := os.Stat(text)
	switch {
	case err != nil:
		return "this folder cannot be opened: " + client.Clean(err.Error())
	case !info.IsDir():
		return "this is a file, not a folder"
	}
	return ""
}

func checkFileName(name string) string {
	if err := transfer.CheckPath(name); err != nil {
		return err.Error()
	}
	return account.ReasonIf(strings.Contains(name, "/"), "a file name, without folders")
}

func checkFileAbsent(folder, name string) string {
	_, err := os.Lstat(filepath.Join(folder, name))
	return account.ReasonIf(err == nil, "a file has this name: choose another")
}

// transferStarted remembers the folder and says where to look.
func transferStarted(a *account.Account, folder, what string) func() tea.Cmd {
	return func() tea.Cmd {
		if folder != "" {
			a.LastFolder = folder
		}
		if a.Transfers.UnfinishedCount() == 0 {
			return account.SyncTransfers(a) // its end has been said already
		}
		return tea.Batch(ui.ShowNews(theme.Good, what+" · the transfers pane shows how far it is"), account.SyncTransfers(a))
	}
}

// downloadPlanForm asks where to put many objects, and tells before what will be made of them.
func (l *objectListing) downloadPlanForm(rows, all []client.Object) form.Form {
	prefix := l.path.prefix
	if len(rows) == 1 {
		prefix = parentFolder(rows[0].Name.Raw())
	}
	plan := transfer.NewPlan(prefix, all)
	folder := downloadFolder(l.a)
	text := fmt.Sprintf(
		"%s, %s. Each gets its name when it is complete and right; nothing is overwritten.",
		account.Pluralize(len(plan.Files), "file", "files"),
		account.FormatSize(plan.Bytes),
	)
	var list []string
	for _, r := range plan.Skipped {
		list = append(list, r.Error())
	}
	if len(list) > 0 {
		text += fmt.Sprintf(
			" %s cannot become files here, and are left out:",
			account.Pluralize(len(list), "object", "objects"),
		)
	}
	return form.Form{
		Title:        "Download " + l.nameOrCount(rows),
		Text:         text,
		Items:        list,
		SubmitLabel:  "download",
		ProgressText: "starting",
		EnterSubmits: form.AlwaysSubmit,
		Fields:       []form.Field{form.File("folder", "Folder", &folder, checkFolder)},
		Send: func(context.Context) (func() tea.Cmd, error) {
			ids, refused := l.a.Transfers.DownloadPlan(
				l.path.bucket.Cluster.Raw(),
				l.path.bucket.Label.Raw(),
				folder,
				plan,
			)
			if len(ids) == 0 {
				return nil, errors.Join(append(refused, errors.New("there is nothing to download"))...)
			}
			return transferStarted(l.a, folder, "downloading "+account.Pluralize(len(ids), "file", "files")), nil
		},
	}
}

// parentFolder is what stands before the last part of a name: the folder that a folder is in.
func parentFolder(name string) string {
	name = strings.TrimSuffix(name, "/")
	return name[:strings.LastIndexByte(name, '/')+1]
}

// delete asks about exactly the objects that are there when it asks.
func (l *objectListing) delete(rows []client.Object) tea.Cmd {
	return l.countThen(rows, func(all []client.Object) tea.Msg {
		if len(all) == 0 {
			return ui.NewsMsg{Tone: theme.Info, Text: "there is nothing to delete"}
		}
		names, bytes := make([]string, len(all)), int64(0)
		lines := make([]string, len(all))
		for i, o := range all {
			names[i], bytes, lines[i] = o.Name.Raw(), bytes+max(0, o.Size), o.Name.String()
		}
		ask := &ui.Confirmation{
			Title:        "Delete " + account.Pluralize(len(all), "object", "objects"),
			Items:        lines,
			ConfirmLabel: "delete",
			Text: fmt.Sprintf(
				"In %s: %s, %s, deleted for good.",
				bucketName(l.path.bucket),
				account.Pluralize(len(all), "object", "objects"),
				account.FormatSize(bytes),
			),
		}
		if len(all) > 1 {
			ask.RequiredText = fmt.Sprint(len(all))
		}
		return ui.RunActionMsg{Action: ui.Action{
			Key:     ui.Bind("delete"),
			Writes:  true,
			Confirm: ask,
			Do: func() tea.Cmd {
				l.a.Transfers.Delete(nil, l.path.bucket.Cluster.Raw(), l.path.bucket.Label.Raw(), names)
				return account.SyncTransfers(l.a)
			},
		}}
	})
}

// uploadForm asks for a file or a folder, and under which name it is stored.
func (l *objectListing) uploadForm() form.Form {
	file, name, kind := downloadFolder(l.a)+string(filepath.Separator), l.path.openFolder(), ""
	return form.Form{
		Title:        "Upload into " + bucketName(l.path.bucket),
		SubmitLabel:  "upload",
		ProgressText: "looking",
		Text:         "A folder is stored with all that is in it. What would be overwritten is asked about before.",
		Fields: []form.Field{
			form.File("file", "File or folder", &file, func(text string) string {
				if _, err := os.Stat(text); err != nil {
					return "it cannot be opened: " + client.Clean(err.Error())
				}
				return ""
			}),
			form.Text(
				"name",
				"Name, or prefix",
				&name,
				form.Length(0, 1024),
			).Note(
				"a name that ends with / or is empty has the file's own name added",
			),
			form.Text("content_type", "Content type", &kind, form.Length(0, 255)).Note("empty: by the name's ending"),
		},
		Send: func(ctx context.Context) (func() tea.Cmd, error) { return l.upload(ctx, file, name, kind) },
	}
}

func (l *objectListing) upload(ctx context.Context, file, name, kind string) (func() tea.Cmd, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return l.uploadFolder(ctx, file, name)
	}
	if name == "" || strings.HasSuffix(name, "/") {
		name += filepath.Base(file)
	}
	request := transfer.UploadRequest{
		Cluster:     l.path.bucket.Cluster.Raw(),
		Bucket:      l.path.bucket.Label.Raw(),
		Name:        name,
		File:        file,
		ContentType: kind,
	}
	old, exists, err := l.a.Api.Objects.Find(ctx, request.Cluster, request.Bucket, name)
	if err != nil {
		return nil, err
	}
	if !exists {
		_, err := l.a.Transfers.Upload(request)
		return transferStarted(l.a, "", "uploading "+client.Clean(name)), err
	}
	ask := &ui.Confirmation{Title: "Overwrite " + old.Name.String(), ConfirmLabel: "overwrite",
		Text: fmt.Sprintf(
			"An object of this name is in %s: %s, of %s. It is replaced by a file of %s.",
			bucketName(l.path.bucket),
			account.FormatSize(old.Size),
			formatFullTimestamp(l.a, old.Modified),
			account.FormatSize(info.Size()),
		)}
	return func() tea.Cmd {
		return ui.Send(ui.RunActionMsg{Action: ui.Action{
			Key:     ui.Bind("overwrite"),
			Writes:  true,
			Confirm: ask,
			Do: func() tea.Cmd {
				if _, err := l.a.Transfers.Upload(request); err != nil {
					return ui.ShowNews(theme.Bad, "upload: "+client.Clean(err.Error()))
				}
				return transferStarted(l.a, "", "uploading "+client.Clean(name))()
			},
		}})
	}, nil
}

// uploadFolder looks at what a folder holds and asks with the count. Objects of the same names are counted before.
func (l *objectListing) uploadFolder(ctx context.Context, folder, prefix string) (func() tea.Cmd, error) {
	files, skipped, err := transfer.ScanFolder(ctx, folder)
	if err != nil {
		return nil, err
	}
	if prefix != "" && !strings.HasSuffix(prefix, "/") {
		prefix += "/"
	}
	prefix = path.Join(prefix, filepath.Base(filepath.Clean(folder))) + "/"
	there, err := l.listPrefix(ctx, prefix)
	if err != nil {
		return nil, err
	}
	var bytes int64
	lines := make([]string, 0, len(files))
	for _, f := range files {
		bytes += f.Size
		lines = append(lines, client.Clean(f.Path))
	}
	text := fmt.Sprintf(
		"%s, %s, to %s in %s.",
		account.Pluralize(len(files), "file", "files"),
		account.FormatSize(bytes),
		client.Clean(prefix),
		bucketName(l.path.bucket),
	)
	if len(skipped) > 0 {
		text += fmt.Sprintf(" Left out: %s that are no ordinary files.", account.Pluralize(len(skipped), "entry", "entries"))
	}
	if len(there) > 0 {
		text += fmt.Sprintf(
			" %s begin with this prefix already: those of the same name are overwritten.",
			account.Pluralize(len(there), "object", "objects"),
		)
	}
	if len(files) == 0 {
		return nil, errors.New("there is no ordinary file in this folder")
	}
	ask := &ui.Confirmation{
		Title:        "Upload a folder",
		Text:         text,
		Items:        lines,
		RequiredText: fmt.Sprint(len(files)),
		ConfirmLabel: "upload",
	}
	return func() tea.Cmd {
		return ui.Send(ui.RunActionMsg{Action: ui.Action{
			Key:     ui.Bind("upload"),
			Writes:  true,
			Confirm: ask,
			Do: func() tea.Cmd {
				ids, _ := l.a.Transfers.UploadFolder(transfer.FolderUpload{
					Cluster: l.path.bucket.Cluster.Raw(),
					Bucket:  l.path.bucket.Label.Raw(),
					Prefix:  prefix,
					Folder:  folder,
					Files:   files,
				})
				return transferStarted(l.a, "", "uploading "+account.Pluralize(len(ids), "file", "files"))()
			},
		}})
	}, nil
}

// folderForm makes the empty object that stands for a folder.
func (l *objectListing) folderForm() form.Form {
	name, folder := "", l.path.openFolder()
	return form.Form{
		Title:        "New folder in " + bucketPath{l.path.bucket, folder, "/"}.String(),
		SubmitLabel:  "make",
		ProgressText: "making",
		Text:         "An object store has no folders: an empty object whose name ends with / stands for one.",
		EnterSubmits: form.AlwaysSubmit,
		Fields: []form.Field{form.Text("name", "Name", &name, form.Length(1, 512), func(text string) string {
			return account.ReasonIf(
				strings.HasPrefix(text, "/") || strings.Contains(text, "//"),
				"no empty part between slashes",
			)
		})},
		Send: func(ctx context.Context) (func() tea.Cmd, error) {
			full := folder + strings.TrimSuffix(name, "/") + "/"
			_, exists, err := l.a.Api.Objects.Find(ctx, l.path.bucket.Cluster.Raw(), l.path.bucket.Label.Raw(), full)
			if err == nil && exists {
				err = errors.New("this folder exists already")
			}
			if err != nil {
				return nil, err
			}
			ctx = client.ContextWithResource(ctx, "object", account.BucketID(l.path.bucket)+"/"+full, full)
			_, err = l.a.Api.Objects.Put(ctx, l.path.bucket.Cluster.Raw(), l.path.bucket.Label.Raw(), full,
				client.ObjectBody{Reader: strings.NewReader(""), ContentType: "application/octet-stream"}, nil)
			return func() tea.Cmd {
				return tea.Batch(ui.ShowNews(theme.Good, client.Clean(full)+": made"), l.Store.Refresh())
			}, err
		},
	}
}
