package storage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/transfer"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/views/operation"
	"lookout/views/resource"
)

// uploadForm asks for a file or a folder, and under which name it is stored.
func (l *objectListing) uploadForm() form.Form {
	file, name, kind := downloadFolder(l.a)+string(filepath.Separator), l.path.openFolder(), ""
	existing, progress, known := skipExisting, &readProgress{}, exactTotals(nil)
	return form.Form{
		Title:       "Upload into " + bucketName(l.path.bucket),
		SubmitLabel: "upload",
		BusyText:    "comparing",
		Text:        "A folder is uploaded with everything in it. You are asked before anything is overwritten.",
		Fields: []form.Field{
			form.File("file", "File or folder", &file, checkFileExists),
			form.Text("name", "Name, or prefix", &name, form.Length(0, 1024)).
				Note("if it is empty or ends with /, the file's own name is added"),
			form.Text("content_type", "Content type", &kind, form.Length(0, 255)).
				Note("empty: from the file name extension"),
			existingField(&existing),
		},
		Send: func(ctx context.Context) (func() tea.Cmd, error) {
			if info, err := os.Stat(file); err == nil && info.IsDir() {
				return l.prepareFolderUpload(ctx, file, name, existing, func(p *transfer.Plan) transfer.CompareOptions {
					return progress.compare(p, known, existing)
				})
			}
			return l.prepareUpload(ctx, file, name, kind)
		},
		Progress: progress.comparing,
		BeforeSend: func(send func() tea.Cmd) tea.Cmd {
			known = l.sizes.exact()
			return send()
		},
	}
}

// An existingChoice says what becomes of files of a folder whose names are taken by something that differs.
type existingChoice string

// The choices.
const (
	skipExisting existingChoice = "leave it"
	keepBoth     existingChoice = "keep both"
	replaceOld   existingChoice = "replace it"
)

// existingField is the field of the choice.
func existingField(choice *existingChoice) form.Field {
	return form.Choice("existing", "If it exists", choice, skipExisting, keepBoth, replaceOld).
		Note("for files in a folder that differ; identical ones are skipped")
}

// policy returns the choice for a plan.
func (c existingChoice) policy() transfer.ConflictPolicy {
	switch c {
	case keepBoth:
		return transfer.KeepBoth
	case replaceOld:
		return transfer.ReplaceExisting
	}
	return transfer.SkipExisting
}

// describePlan says how many files of a plan are new, the same and different, and what becomes of the last: "6 new, 2
// different (replaced)".
func describePlan(plan transfer.Plan, choice existingChoice) string {
	var parts []string
	add := func(r transfer.ComparisonResult, text string) {
		if n, _ := plan.Files.Count(r); n > 0 {
			parts = append(parts, fmt.Sprintf(text, n))
		}
	}
	add(transfer.FileNew, "%d new")
	add(transfer.FileSame, "%d the same")
	add(transfer.FileChanged, "%d different ("+choice.result()+")")
	add(transfer.FileUnknown, "%d without an MD5 to compare ("+choice.result()+")")
	return strings.Join(parts, ", ")
}

// result says what a choice does.
func (c existingChoice) result() string {
	switch c {
	case keepBoth:
		return "both are kept"
	case replaceOld:
		return "replaced"
	}
	return "unchanged"
}

// checkFileExists returns why a file or a folder cannot be uploaded.
func checkFileExists(path string) string {
	if _, err := os.Stat(path); err != nil {
		return "it cannot be opened: " + client.Clean(err.Error())
	}
	return ""
}

// prepareUpload looks at what is to be uploaded and at what it would replace. It returns what asks and starts.
func (l *objectListing) prepareUpload(ctx context.Context, file, name, kind string) (func() tea.Cmd, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if name == "" || strings.HasSuffix(name, "/") {
		name += filepath.Base(file)
	}
	if info.Size() > client.MaxPutSize {
		large := []largeFile{{file, name}}
		return func() tea.Cmd { return offerRclone(l, large, "", nil) }, nil
	}
	ref := l.path.bucket.Object(name)
	old, exists, err := l.a.API.Objects.Find(ctx, ref.Cluster, ref.Bucket, ref.Name)
	if err != nil {
		return nil, err
	}
	var keep transfer.KeptACL
	if exists {
		if keep, err = transfer.ReadACL(ctx, l.a.API.Objects, ref); err != nil {
			return nil, err
		}
	}
	ask := l.askToUpload(ref, operation.FormatSize(info.Size()), old, exists)
	if keep.ACL != "" {
		ask.Ops = append(ask.Ops, client.OpSetObjectACL)
	}
	if text := DescribeKeptACL(keep); text != "" {
		ask.Confirm.Effect += " Access: " + text + "."
	}
	request := transfer.UploadRequest{
		Cluster:     ref.Cluster,
		Bucket:      ref.Bucket,
		Name:        name,
		File:        file,
		ContentType: kind,
		Keep:        keep,
	}
	if exists {
		request.Before = old
	}
	return func() tea.Cmd {
		return operation.AskConsent(l.a, ask, func(c account.Consents) tea.Cmd {
			request.Consent, request.ACLConsent = c[client.OpUploadObject], c[client.OpSetObjectACL]
			id, err := l.a.Transfers.Upload(request)
			if err != nil {
				return ui.ShowStatus(theme.Bad, "upload: "+client.Clean(err.Error()))
			}
			l.sizes.changedBy(id)
			return transfersStarted(l.a, "", "uploading "+client.Clean(name), id)()
		})
	}, nil
}

// askToUpload is the question about a file of some size, which may replace an old object.
func (l *objectListing) askToUpload(
	ref client.ObjectRef, size string, old client.Object, exists bool,
) operation.ConfirmationRequest {
	ask := operation.ConfirmationRequest{
		Ops:  []string{client.OpUploadObject},
		IDs:  []string{ref.ID()},
		Name: "upload",
		Confirm: resource.ConfirmationSpec{
			Title: "Upload " + client.Clean(ref.Name),
			Effect: fmt.Sprintf(
				"Stores a file of %s as %s in %s.", size, client.Clean(ref.Name), bucketName(l.path.bucket),
			),
		},
	}
	if exists {
		ask.Name, ask.Confirm.Title, ask.Confirm.Required = "overwrite", "Overwrite "+old.Name.String(), true
		ask.Confirm.Effect = fmt.Sprintf(
			"An object with this name is in %s: %s, of %s. A file of %s will replace it.", bucketName(l.path.bucket),
			operation.FormatSize(old.Size), formatFullTimestamp(l.a, old.Modified), size,
		)
	}
	return ask
}

// prepareFolderUpload looks at what a folder holds and at what begins with its name already. It returns what asks for
// the number of files and then starts.
func (l *objectListing) prepareFolderUpload(
	ctx context.Context, folder, prefix string, existing existingChoice,
	compare func(*transfer.Plan) transfer.CompareOptions,
) (func() tea.Cmd, error) {
	if prefix != "" && !strings.HasSuffix(prefix, "/") {
		prefix += "/"
	}
	prefix += filepath.Base(filepath.Clean(folder)) + "/"
	plan, err := transfer.PlanUpload(ctx, prefix, folder)
	if err != nil {
		return nil, err
	}
	var large []largeFile
	for _, path := range plan.TooLarge() {
		large = append(large, largeFile{filepath.Join(folder, filepath.FromSlash(path)), prefix + path})
	}
	switch {
	case plan.Files.Len() == 0 && large != nil:
		return func() tea.Cmd { return offerRclone(l, large, "", nil) }, nil
	case plan.Files.Len() == 0:
		return nil, errors.New("there is nothing to send in this folder" + leftOut("not sent", plan.Skipped))
	}
	plan.Cluster, plan.Bucket = l.path.bucket.Location().Raw(), l.path.bucket.Label.Raw()
	err = plan.CompareObjects(ctx, l.a.API.Objects, compare(&plan))
	if err == nil {
		err = plan.ReadACLs(ctx, l.a.API.Objects, existing.policy(), nil)
	}
	if err != nil {
		return nil, err
	}
	files, _ := plan.CountToSend(existing.policy())
	switch {
	case files == 0 && large != nil:
		return func() tea.Cmd { return offerRclone(l, large, "", nil) }, nil
	case files == 0:
		return nil, errors.New("nothing to send: " + describePlan(plan, existing))
	}
	ask := askToUploadFolder(l.path.bucket, plan, existing)
	upload := func() tea.Cmd {
		return operation.AskConsent(l.a, ask, func(c account.Consents) tea.Cmd {
			ids, refused := l.a.Transfers.Start(plan, transfer.StartOptions{
				Existing:   existing.policy(),
				Consent:    c[client.OpUploadObject],
				ACLConsent: c[client.OpSetObjectACL],
			})
			l.sizes.changedBy(ids...)
			message := "uploading " + wording.Plural(len(ids), "file", "files")
			return transfersStarted(l.a, "", message+leftOut("not sent", refused), ids...)()
		})
	}
	if large != nil {
		return func() tea.Cmd { return offerRclone(l, large, wording.Plural(files, "file", "files"), upload) }, nil
	}
	return upload, nil
}

// A largeFile is a local file that the API cannot store, and the object that it is to become.
type largeFile struct{ path, name string }

// offerRclone names the files that the API cannot store and offers what can. The first choice is to go on with the
// others; without others, to leave it.
func offerRclone(l *objectListing, large []largeFile, others string, upload func() tea.Cmd) tea.Cmd {
	skip := ui.Action{Key: ui.Bind("leave it", "l"), Do: func() tea.Cmd { return nil }}
	if upload != nil {
		skip = ui.Action{Key: ui.Bind("upload the other "+others, "u"), OpensView: true, Do: upload}
	}
	menu := ui.OpenMenuMsg{
		Title: wording.Plural(len(large), "file is", "files are") + " larger than 5 GiB",
		Text:  []string{"The API stores at most 5 GiB in one upload, so lookout cannot send:"},
		Actions: []ui.Action{skip, {
			Key:            ui.Bind("set up rclone for larger files, with a key limited to this bucket", "r"),
			Writes:         true,
			OpensView:      true,
			DisabledReason: l.a.MissingScope(client.OpCreateKey),
			Do:             func() tea.Cmd { return ui.Send(form.OpenFormMsg{Form: rcloneForm(l, large)}) },
		}},
	}
	for _, f := range large[:min(maxNamedFiles, len(large))] {
		menu.Text = append(menu.Text, client.Clean(f.path))
	}
	if more := len(large) - maxNamedFiles; more > 0 {
		menu.Text = append(menu.Text, fmt.Sprintf("and %d more", more))
	}
	return ui.Send(menu)
}

// rcloneForm asks where the profile for rclone is written, creates the key and shows the commands.
func rcloneForm(l *objectListing, large []largeFile) form.Form {
	path := filepath.Join(downloadFolder(l.a), RcloneProfileName(l.path.bucket))
	remote := func() (*RcloneRemote, error) {
		return NewRcloneRemote(l.path.bucket, l.a.Clusters().Rows(), path)
	}
	f := form.Form{
		Title:       "Set up rclone for " + bucketName(l.path.bucket),
		SubmitLabel: "create key",
		BusyText:    "creating",
		Text: "rclone is an S3 client that sends large files in parts. It needs an access key: lookout creates one " +
			"for this bucket only, and writes its secret to the profile and nowhere else.",
		Fields: []form.Field{form.File("profile", "Profile", &path, checkNewFile)},
	}
	ask := func() operation.ConfirmationRequest {
		ask := operation.ConfirmationRequest{Ops: []string{client.OpCreateKey}, Name: "create"}
		ask.Confirm = resource.ConfirmationSpec{Title: "Create a key for rclone", Required: true}
		if r, err := remote(); err == nil {
			ask.Confirm.Effect = r.Effect()
		}
		return ask
	}
	return operation.FormWithConsent(
		l.a,
		f,
		ask,
		func(ctx context.Context, c account.Consents) (func() tea.Cmd, error) {
			r, err := remote()
			if err != nil {
				return nil, err
			}
			w, err := l.a.API.Begin(client.Change{
				Op:       client.OpCreateKey,
				Resource: "key",
				Label:    r.Label(),
			}, c[client.OpCreateKey])
			if err != nil {
				return nil, err
			}
			if _, err := r.Create(ctx, w); err != nil {
				return nil, err
			}
			var commands []string
			for _, f := range large {
				path, err := filepath.Abs(f.path) // rclone takes "-a" for an option and "a:b" for a file of remote a
				if err != nil {
					path = f.path
				}
				commands = append(commands, r.Command(path, f.name))
			}
			return func() tea.Cmd {
				l.a.Keys().Refresh()
				return tea.Batch(
					ui.ReportChange(theme.Good, r.Label()+": created; its secret is in "+client.Clean(r.Path)),
					ui.Send(
						ui.ShowTextMsg{Title: "Commands for the larger files", Text: strings.Join(commands, "\n\n")},
					),
				)
			}, nil
		},
	)
}

// checkNewFile returns why a file cannot be created.
func checkNewFile(path string) string {
	if _, err := os.Lstat(path); err == nil {
		return "this file already exists; choose another one"
	}
	return checkFolder(filepath.Dir(path))
}

// askToUploadFolder is the question about the files of a folder. It first names those that are not sent.
func askToUploadFolder(b *client.Bucket, plan transfer.Plan, existing existingChoice) operation.ConfirmationRequest {
	ask := operation.ConfirmationRequest{Ops: []string{client.OpUploadObject}, Name: "upload"}
	for _, f := range plan.Skipped {
		ask.Items = append(ask.Items, "not sent: "+f.Error())
	}
	ask.IDs, ask.Below = []string{b.Object(plan.Prefix).ID()}, true
	files, _ := plan.CountToSend(existing.policy())
	_, bytes := plan.Space(existing.policy())
	named := 0
	for f := range plan.ToSend(existing.policy()) {
		if named++; named > maxNamedObjects {
			ask.Items = append(ask.Items, fmt.Sprintf("and %s more", wording.FormatCount(int64(files-maxNamedObjects))))
			break
		}
		ask.Items = append(
			ask.Items, client.Clean(f.Path)+wording.WithPrefix(": ", DescribeKeptACL(plan.KeptACL(f.Name))),
		)
	}
	effect := fmt.Sprintf(
		"%s, %s, to %s in %s: %s.", wording.Plural(files, "file", "files"), operation.FormatSize(bytes),
		client.Clean(plan.Prefix), bucketName(b), describePlan(plan, existing),
	)
	if n := len(plan.Skipped); n > 0 {
		effect += fmt.Sprintf(
			" %s NOT sent; the transfers pane will list each.", wording.Plural(n, "entry is", "entries are"),
		)
	}
	ask.Confirm = resource.ConfirmationSpec{
		Title:    "Upload a folder",
		Effect:   effect,
		Word:     fmt.Sprint(files),
		Required: true,
	}
	askToOpen(&ask, &plan)
	return ask
}

// folderForm makes the empty object that stands for a folder.
func (l *objectListing) folderForm() form.Form {
	name, folder := "", l.path.openFolder()
	f := form.Form{
		Title:        "New folder in " + bucketPath{l.path.bucket, folder, "/"}.String(),
		SubmitLabel:  "create",
		BusyText:     "creating",
		Text:         "An object store has no folders: an empty object whose name ends with / stands for one.",
		EnterSubmits: form.AlwaysSubmit,
		Fields:       []form.Field{form.Text("name", "Name", &name, form.Length(1, 512), checkFolderName)},
	}
	ref := func() client.ObjectRef { return l.path.bucket.Object(folder + strings.TrimSuffix(name, "/") + "/") }
	ask := func() operation.ConfirmationRequest {
		return operation.ConfirmationRequest{
			Ops:  []string{client.OpUploadObject},
			IDs:  []string{ref().ID()},
			Name: "create",
			Confirm: resource.ConfirmationSpec{
				Title:  "New folder",
				Effect: fmt.Sprintf("Creates folder %s in %s.", client.Clean(ref().Name), bucketName(l.path.bucket)),
			},
		}
	}
	return operation.FormWithConsent(
		l.a,
		f,
		ask,
		func(ctx context.Context, c account.Consents) (func() tea.Cmd, error) {
			folder := ref()
			if err := makeFolder(ctx, l.a, folder, c[client.OpUploadObject]); err != nil {
				return nil, err
			}
			return func() tea.Cmd {
				l.sizes.invalidate()
				l.Store.Refresh()
				return ui.ReportChange(theme.Good, client.Clean(folder.Name)+": created")
			}, nil
		},
	)
}

// checkFolderName returns why a text is no name of a folder.
func checkFolderName(text string) string {
	empty := strings.HasPrefix(text, "/") || strings.Contains(text, "//")
	return wording.If(empty, "the name has an empty part between slashes")
}

// makeFolder stores an empty object, unless there is one of its name.
func makeFolder(ctx context.Context, a *account.Account, ref client.ObjectRef, consent *client.Consent) error {
	_, exists, err := a.API.Objects.Find(ctx, ref.Cluster, ref.Bucket, ref.Name)
	if err == nil && exists {
		err = errors.New("this folder already exists")
	}
	if err != nil {
		return err
	}
	w, err := a.API.Begin(client.Change{
		Op:       client.OpUploadObject,
		Resource: "object",
		ID:       ref.ID(),
		Label:    ref.Name,
	}, consent)
	if err != nil {
		return err
	}
	return w.UploadObject(ctx, ref, client.UploadBody{
		Reader:      strings.NewReader(""),
		ContentType: "application/octet-stream",
	})
}
