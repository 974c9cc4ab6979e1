package views

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
)

// mostCounted is how many objects are listed to plan a download or a deletion: beyond it a narrower folder must be chosen.
const mostCounted = 200_000

// below are the objects that rows stand for: themselves, and for folders all that begin with them.
func (l *listing) below(ctx context.Context, rows []client.Object) ([]client.Object, error) {
	var all []client.Object
	seen := map[string]bool{}
	add := func(o client.Object) {
		if !seen[o.Name.Raw()] {
			seen[o.Name.Raw()] = true
			all = append(all, o)
		}
	}
	for _, row := range rows {
		if !l.folder(row) {
			add(row)
			continue
		}
		inside, err := l.under(ctx, row.Name.Raw())
		if err != nil {
			return nil, err
		}
		for _, o := range inside {
			add(o)
		}
		if len(all) > mostCounted {
			return nil, tooMany()
		}
	}
	return all, nil
}

// under are the objects whose names begin with a prefix.
func (l *listing) under(ctx context.Context, prefix string) ([]client.Object, error) {
	var all []client.Object
	q := client.ObjectQuery{Cluster: l.at.bucket.Cluster.Raw(), Bucket: l.at.bucket.Label.Raw(), Prefix: prefix}
	for p, err := range l.a.api.Objects.Pages(ctx, q) {
		if err != nil {
			return nil, err
		}
		if all = append(all, p.Data...); len(all) > mostCounted {
			return nil, tooMany()
		}
		if i := slices.IndexFunc(p.Warnings, func(odd string) bool { return strings.HasPrefix(odd, "incomplete") }); i >= 0 {
			return nil, fmt.Errorf("the listing is %s", p.Warnings[i])
		}
	}
	return all, nil
}

func tooMany() error {
	return fmt.Errorf("more than %s objects: choose a narrower folder", grouped(mostCounted))
}

// counted lists what rows stand for off the loop, and goes on with it.
func (l *listing) counted(rows []client.Object, then func([]client.Object) tea.Msg) tea.Cmd {
	ctx := l.a.ctx
	work := func() tea.Msg {
		all, err := l.below(ctx, rows)
		if err != nil {
			return ui.NewsMsg{Tone: theme.Bad, Text: "counting: " + ui.Reason(err)}
		}
		return then(all)
	}
	if slices.ContainsFunc(rows, l.folder) {
		return tea.Batch(ui.ShowNews(theme.Info, "counting what is in "+l.subject(rows)), work)
	}
	return work
}

// subject names one row, or counts many.
func (l *listing) subject(rows []client.Object) string {
	if len(rows) == 1 {
		return l.shown(rows[0])
	}
	return count(len(rows), "entry", "entries")
}

// download asks where to, once it is known how much it is.
func (l *listing) download(rows []client.Object) tea.Cmd {
	if len(rows) == 1 && !l.folder(rows[0]) {
		return ui.Send(ui.OpenFormMsg{Form: l.a.downloadForm(l.at.bucket, rows[0])})
	}
	return l.counted(rows, func(all []client.Object) tea.Msg { return ui.OpenFormMsg{Form: l.planForm(rows, all)} })
}

// downloads is the folder that is proposed: the one used last, else where the program was started.
func (a *Account) downloads() string {
	if a.folder != "" {
		return a.folder
	}
	dir, err := os.Getwd()
	if err != nil {
		return "."
	}
	return dir
}

// downloadForm asks for the folder and the name of one object's file. A name that is taken is told before anything is fetched.
func (a *Account) downloadForm(b *client.Bucket, o client.Object) ui.Form {
	folder := a.downloads()
	leaf, err := transfer.DefaultFileName(o.Name.Raw())
	if err != nil {
		leaf = ""
	}
	form := ui.Form{Title: "Download " + o.Name.String(), SubmitLabel: "download", ProgressText: "starting",
		Text:         fmt.Sprintf("%s. It gets its name when it is complete and right; nothing is overwritten.", size(o.Size)),
		EnterSubmits: ui.AlwaysSubmit,
		Fields: []ui.Field{
			ui.File("folder", "Folder", &folder, isFolder),
			ui.Text("name", "File name", &leaf, fileName, func(name string) string { return taken(folder, name) }),
		},
		Send: func(context.Context) (func() tea.Cmd, error) {
			_, err := a.transfers.Download(transfer.DownloadRequest{Cluster: b.Cluster.Raw(), Bucket: b.Label.Raw(), Object: o, Folder: folder, Path: leaf})
			return a.started(folder, "downloading "+o.Name.String()), err
		}}
	return form
}

func isFolder(text string) string {
	info, err := os.Stat(text)
	switch {
	case err != nil:
		return "this folder cannot be opened: " + client.Clean(err.Error())
	case !info.IsDir():
		return "this is a file, not a folder"
	}
	return ""
}

func fileName(name string) string {
	if err := transfer.CheckPath(name); err != nil {
		return err.Error()
	}
	return because(strings.Contains(name, "/"), "a file name, without folders")
}

func taken(folder, name string) string {
	_, err := os.Lstat(filepath.Join(folder, name))
	return because(err == nil, "a file has this name: choose another")
}

// started remembers the folder and says where to look.
func (a *Account) started(folder, what string) func() tea.Cmd {
	return func() tea.Cmd {
		if folder != "" {
			a.folder = folder
		}
		if a.transfers.UnfinishedCount() == 0 {
			return a.moved() // its end has been said already
		}
		return tea.Batch(ui.ShowNews(theme.Good, what+" · the transfers pane shows how far it is"), a.moved())
	}
}

// planForm asks where to put many objects, and tells before what will be made of them.
func (l *listing) planForm(rows, all []client.Object) ui.Form {
	prefix := l.at.prefix
	if len(rows) == 1 {
		prefix = parent(rows[0].Name.Raw())
	}
	plan := transfer.NewPlan(prefix, all)
	folder := l.a.downloads()
	text := fmt.Sprintf("%s, %s. Each gets its name when it is complete and right; nothing is overwritten.", count(len(plan.Files), "file", "files"), size(plan.Bytes))
	var list []string
	for _, r := range plan.Skipped {
		list = append(list, r.Error())
	}
	if len(list) > 0 {
		text += fmt.Sprintf(" %s cannot become files here, and are left out:", count(len(list), "object", "objects"))
	}
	return ui.Form{Title: "Download " + l.subject(rows), Text: text, Items: list, SubmitLabel: "download", ProgressText: "starting",
		EnterSubmits: ui.AlwaysSubmit,
		Fields:       []ui.Field{ui.File("folder", "Folder", &folder, isFolder)},
		Send: func(context.Context) (func() tea.Cmd, error) {
			ids, refused := l.a.transfers.DownloadPlan(l.at.bucket.Cluster.Raw(), l.at.bucket.Label.Raw(), folder, plan)
			if len(ids) == 0 {
				return nil, errors.Join(append(refused, errors.New("there is nothing to download"))...)
			}
			return l.a.started(folder, "downloading "+count(len(ids), "file", "files")), nil
		}}
}

// parent is what stands before the last part of a name: the folder that a folder is in.
func parent(name string) string {
	name = strings.TrimSuffix(name, "/")
	return name[:strings.LastIndexByte(name, '/')+1]
}

// delete asks about exactly the objects that are there when it asks.
func (l *listing) delete(rows []client.Object) tea.Cmd {
	return l.counted(rows, func(all []client.Object) tea.Msg {
		if len(all) == 0 {
			return ui.NewsMsg{Tone: theme.Info, Text: "there is nothing to delete"}
		}
		names, bytes := make([]string, len(all)), int64(0)
		lines := make([]string, len(all))
		for i, o := range all {
			names[i], bytes, lines[i] = o.Name.Raw(), bytes+max(0, o.Size), o.Name.String()
		}
		ask := &ui.Confirmation{Title: "Delete " + count(len(all), "object", "objects"), Items: lines, ConfirmLabel: "delete",
			Text: fmt.Sprintf("In %s: %s, %s, deleted for good.", bucketName(l.at.bucket), count(len(all), "object", "objects"), size(bytes))}
		if len(all) > 1 {
			ask.RequiredText = fmt.Sprint(len(all))
		}
		return ui.RunActionMsg{Action: ui.Action{Key: ui.Bind("delete"), Writes: true, Confirm: ask, Do: func() tea.Cmd {
			l.a.transfers.Delete(l.at.bucket.Cluster.Raw(), l.at.bucket.Label.Raw(), names)
			return l.a.moved()
		}}}
	})
}

// uploadForm asks for a file or a folder, and under which name it is stored.
func (l *listing) uploadForm() ui.Form {
	file, name, kind := l.a.downloads()+string(filepath.Separator), l.at.folder(), ""
	return ui.Form{Title: "Upload into " + bucketName(l.at.bucket), SubmitLabel: "upload", ProgressText: "looking",
		Text: "A folder is stored with all that is in it. What would be overwritten is asked about before.",
		Fields: []ui.Field{
			ui.File("file", "File or folder", &file, func(text string) string {
				if _, err := os.Stat(text); err != nil {
					return "it cannot be opened: " + client.Clean(err.Error())
				}
				return ""
			}),
			ui.Text("name", "Name, or prefix", &name, ui.Length(0, 1024)).Note("a name that ends with / or is empty has the file's own name added"),
			ui.Text("content_type", "Content type", &kind, ui.Length(0, 255)).Note("empty: by the name's ending"),
		},
		Send: func(ctx context.Context) (func() tea.Cmd, error) { return l.upload(ctx, file, name, kind) }}
}

func (l *listing) upload(ctx context.Context, file, name, kind string) (func() tea.Cmd, error) {
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
	request := transfer.UploadRequest{Cluster: l.at.bucket.Cluster.Raw(), Bucket: l.at.bucket.Label.Raw(), Name: name, File: file, ContentType: kind}
	old, exists, err := l.a.transfers.ExistingObject(ctx, request.Cluster, request.Bucket, name)
	if err != nil {
		return nil, err
	}
	if !exists {
		_, err := l.a.transfers.Upload(request)
		return l.a.started("", "uploading "+client.Clean(name)), err
	}
	ask := &ui.Confirmation{Title: "Overwrite " + old.Name.String(), ConfirmLabel: "overwrite",
		Text: fmt.Sprintf("An object of this name is in %s: %s, of %s. It is replaced by a file of %s.", bucketName(l.at.bucket), size(old.Size), l.a.inFull(old.Modified), size(info.Size()))}
	return func() tea.Cmd {
		return ui.Send(ui.RunActionMsg{Action: ui.Action{Key: ui.Bind("overwrite"), Writes: true, Confirm: ask, Do: func() tea.Cmd {
			if _, err := l.a.transfers.Upload(request); err != nil {
				return ui.ShowNews(theme.Bad, "upload: "+client.Clean(err.Error()))
			}
			return l.a.started("", "uploading "+client.Clean(name))()
		}}})
	}, nil
}

// uploadFolder looks at what a folder holds and asks with the count. Objects of the same names are counted before.
func (l *listing) uploadFolder(ctx context.Context, folder, prefix string) (func() tea.Cmd, error) {
	files, skipped, err := transfer.ScanFolder(ctx, folder)
	if err != nil {
		return nil, err
	}
	if prefix != "" && !strings.HasSuffix(prefix, "/") {
		prefix += "/"
	}
	prefix = path.Join(prefix, filepath.Base(filepath.Clean(folder))) + "/"
	there, err := l.under(ctx, prefix)
	if err != nil {
		return nil, err
	}
	var bytes int64
	lines := make([]string, 0, len(files))
	for _, f := range files {
		bytes += f.Size
		lines = append(lines, client.Clean(f.Path))
	}
	text := fmt.Sprintf("%s, %s, to %s in %s.", count(len(files), "file", "files"), size(bytes), client.Clean(prefix), bucketName(l.at.bucket))
	if len(skipped) > 0 {
		text += fmt.Sprintf(" Left out: %s that are no ordinary files.", count(len(skipped), "entry", "entries"))
	}
	if len(there) > 0 {
		text += fmt.Sprintf(" %s begin with this prefix already: those of the same name are overwritten.", count(len(there), "object", "objects"))
	}
	if len(files) == 0 {
		return nil, errors.New("there is no ordinary file in this folder")
	}
	ask := &ui.Confirmation{Title: "Upload a folder", Text: text, Items: lines, RequiredText: fmt.Sprint(len(files)), ConfirmLabel: "upload"}
	return func() tea.Cmd {
		return ui.Send(ui.RunActionMsg{Action: ui.Action{Key: ui.Bind("upload"), Writes: true, Confirm: ask, Do: func() tea.Cmd {
			ids, _ := l.a.transfers.UploadFolder(l.at.bucket.Cluster.Raw(), l.at.bucket.Label.Raw(), prefix, folder, files)
			return l.a.started("", "uploading "+count(len(ids), "file", "files"))()
		}}})
	}, nil
}

// folderForm makes the empty object that stands for a folder.
func (l *listing) folderForm() ui.Form {
	name, folder := "", l.at.folder()
	return ui.Form{Title: "New folder in " + place{l.at.bucket, folder, "/"}.String(), SubmitLabel: "make", ProgressText: "making",
		Text:         "An object store has no folders: an empty object whose name ends with / stands for one.",
		EnterSubmits: ui.AlwaysSubmit,
		Fields: []ui.Field{ui.Text("name", "Name", &name, ui.Length(1, 512), func(text string) string {
			return because(strings.HasPrefix(text, "/") || strings.Contains(text, "//"), "no empty part between slashes")
		})},
		Send: func(ctx context.Context) (func() tea.Cmd, error) {
			full := folder + strings.TrimSuffix(name, "/") + "/"
			_, exists, err := l.a.api.Objects.Find(ctx, l.at.bucket.Cluster.Raw(), l.at.bucket.Label.Raw(), full)
			if err == nil && exists {
				err = errors.New("this folder exists already")
			}
			if err != nil {
				return nil, err
			}
			ctx = client.ContextWithResource(ctx, "object", bucketID(l.at.bucket)+"/"+full, full)
			_, err = l.a.api.Objects.Put(ctx, l.at.bucket.Cluster.Raw(), l.at.bucket.Label.Raw(), full,
				client.ObjectBody{Reader: strings.NewReader(""), ContentType: "application/octet-stream"}, nil)
			return func() tea.Cmd {
				return tea.Batch(ui.ShowNews(theme.Good, client.Clean(full)+": made"), l.Store.Refresh())
			}, err
		}}
}
