package storage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/transfer"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/table"
	"lookout/views/operation"
)

// download asks for a folder. It first counts the objects of folders.
func (l *objectListing) download(rows table.SelectedRows[*client.Object]) tea.Cmd {
	prefix := l.path.prefix
	if rows.Len() == 1 {
		for row := range rows.All() {
			if !l.isFolder(row) {
				return ui.Send(form.OpenFormMsg{Form: downloadForm(l.a, l.path.bucket, row)})
			}
			prefix = parentFolder(row.Name.Raw())
		}
	}
	return l.countThen(rows, func(all objectSet) tea.Msg {
		return form.OpenFormMsg{Form: l.downloadPlanForm(l.nameOrCount(rows), prefix, all)}
	})
}

// downloadForm asks for the folder and the file name for one object. It rejects the name of a file that exists.
func downloadForm(a *account.Account, b *client.Bucket, o *client.Object) form.Form {
	folder := downloadFolder(a)
	leaf, err := transfer.DefaultFileName(o.Name.Raw())
	if err != nil {
		leaf = ""
	}
	absent := func(name string) string { return checkFileAbsent(folder, name) }
	return form.Form{
		Title:       "Download " + o.Name.String(),
		SubmitLabel: "download",
		BusyText:    "starting",
		Text: fmt.Sprintf(
			"%s. The file gets its name once it is complete and verified; nothing is overwritten.",
			operation.FormatSize(o.Size),
		),
		EnterSubmits: form.AlwaysSubmit,
		Fields: []form.Field{
			form.File("folder", "Folder", &folder, checkFolder),
			form.Text("name", "File name", &leaf, checkFileName, absent),
		},
		Send: func(context.Context) (func() tea.Cmd, error) {
			id, err := a.Transfers.Download(transfer.DownloadRequest{
				Cluster: b.Location().Raw(),
				Bucket:  b.Label.Raw(),
				Object:  *o,
				Folder:  folder,
				Path:    leaf,
			})
			return transfersStarted(a, folder, "downloading "+o.Name.String(), id), err
		},
	}
}

// downloadPlanForm asks for the folder for many objects and names those that cannot be saved.
func (l *objectListing) downloadPlanForm(what, prefix string, all objectSet) form.Form {
	folder := downloadFolder(l.a)
	existing, progress := skipExisting, &readProgress{}
	foldsCase := func() bool { return transfer.FoldsCase(folder) }
	plan := transfer.NewPlan(prefix, all.all, foldsCase)
	text := fmt.Sprintf(
		"%s, %s. Each file gets its name once it is complete and verified.",
		wording.Plural(plan.Files.Len(), "file", "files"), operation.FormatSize(plan.Bytes),
	)
	if free, known := transfer.FreeSpace(folder); known {
		text += fmt.Sprintf(" %s has %s free.", client.Clean(folder), operation.FormatSize(free))
	}
	var list []string
	for _, r := range plan.Skipped {
		list = append(list, r.Error())
	}
	plan.Files = nil
	if len(list) > 0 {
		text += fmt.Sprintf(
			" %s cannot be saved as files here and are left out:", wording.Plural(len(list), "object", "objects"),
		)
	}
	return form.Form{
		Title:        "Download " + what,
		Text:         text,
		Items:        list,
		SubmitLabel:  "download",
		BusyText:     "comparing",
		EnterSubmits: form.AlwaysSubmit,
		Fields:       []form.Field{form.File("folder", "Folder", &folder, checkFolder), existingField(&existing)},
		Progress:     progress.comparing,
		Send: func(ctx context.Context) (func() tea.Cmd, error) {
			plan := transfer.NewPlan(prefix, all.all, foldsCase) // the folder may be another one by now
			plan.Cluster, plan.Bucket = l.path.bucket.Location().Raw(), l.path.bucket.Label.Raw()
			plan.Folder = folder
			if err := plan.CompareFiles(ctx, progress.compare(&plan, nil, existing)); err != nil {
				return nil, err
			}
			if n, _ := plan.CountToSend(existing.policy()); n == 0 && plan.Files.Len() > 0 {
				return nil, errors.New("nothing to download: " + describePlan(plan, existing))
			}
			if err := checkSpace(plan, existing); err != nil {
				return nil, err
			}
			ids, refused := l.a.Transfers.Start(plan, transfer.StartOptions{Existing: existing.policy()})
			if len(ids) == 0 {
				return nil, errors.New("there is nothing to download" + leftOut("left out", refused))
			}
			message := "downloading " + wording.Plural(len(ids), "file", "files") + ": " + describePlan(plan, existing)
			return transfersStarted(l.a, folder, message+leftOut("left out", refused), ids...), nil
		},
	}
}

// checkSpace returns an error if the files of a download do not fit on the disk.
func checkSpace(plan transfer.Plan, existing existingChoice) error {
	if free, needed := plan.Space(existing.policy()); free >= 0 && needed > free {
		return fmt.Errorf(
			"%s has %s free, but %s is needed: choose another folder", client.Clean(plan.Folder),
			operation.FormatSize(free), operation.FormatSize(needed),
		)
	}
	return nil
}

// maxNamedFiles is the number of files that the message names.
const maxNamedFiles = 20

// leftOut names what is not moved, and why: " · left out: a.iso: it is larger than 5 GiB; …".
func leftOut[E error](how string, refused []E) string {
	if len(refused) == 0 {
		return ""
	}
	var names []string
	for _, f := range refused[:min(maxNamedFiles, len(refused))] {
		names = append(names, f.Error())
	}
	text := fmt.Sprintf(" · %d %s: %s", len(refused), how, strings.Join(names, "; "))
	if more := len(refused) - maxNamedFiles; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// transfersStarted returns what to do once transfers have started: keep the folder for the next form, and show a
// message unless all of them have ended by then.
func transfersStarted(a *account.Account, folder, text string, ids ...transfer.ID) func() tea.Cmd {
	return func() tea.Cmd {
		if folder != "" {
			a.LastFolder = folder
		}
		operation.SyncTransfers(a)
		return ui.Send(ui.StatusMsg{
			Text:          text,
			Tone:          theme.Good,
			ShowsProgress: true,
			Outdated: func() bool {
				return !slices.ContainsFunc(ids, func(id transfer.ID) bool {
					return a.Transfers.State(id).Unfinished()
				})
			},
		})
	}
}

// downloadFolder returns the folder that a form proposes: the one used last, or the working directory.
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

// checkFolder returns why a text is not a folder.
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

// checkFileName returns why a text is not a file name.
func checkFileName(name string) string {
	if err := transfer.CheckPath(name); err != nil {
		return err.Error()
	}
	return wording.If(strings.Contains(name, "/"), "a file name, without folders")
}

// checkFileAbsent returns why a file cannot be created: there is one of its name.
func checkFileAbsent(folder, name string) string {
	_, err := os.Lstat(filepath.Join(folder, name))
	return wording.If(err == nil, "a file with this name exists: choose another name")
}
