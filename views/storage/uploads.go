package storage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/transfer"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/views/account"
)

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
