package storage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/views/account"
	"lookout/views/resource"
)

// certificateRunner performs the operations on the certificate of a pane.
func certificateRunner(p *certificateView) account.Runner[*client.CertificateStatus] {
	return account.Runner[*client.CertificateStatus]{Account: p.a, Store: p.status, Resource: certificateResource(p)}
}

// certificateResource declares the certificate of one bucket: the document's "Bucket TLS certificate status".
func certificateResource(p *certificateView) resource.Resource[*client.CertificateStatus] {
	mustBe := func(set bool, why string) func(*client.CertificateStatus) string {
		return func(s *client.CertificateStatus) string { return account.ReasonIf(*s.SSL != set, why) }
	}
	return resource.Resource[*client.CertificateStatus]{
		Name:     "certificates",
		Singular: "certificate",
		ID:       func(*client.CertificateStatus) string { return account.BucketID(p.bucket) },
		Label:    func(*client.CertificateStatus) string { return p.bucket.Label.String() },
		Operations: []resource.Operation[*client.CertificateStatus]{
			{
				Name:         "upload",
				Keys:         []string{"U", "n"},
				Call:         client.OpUploadCertificate,
				ShowInHints:  true,
				ProgressText: "uploading",
				Applies:      mustBe(false, "one is set: e replaces it"),
				Draft:        func(*client.CertificateStatus) certificateDraft { return sendCertificate(p, false) },
			},
			{
				Name:         "replace",
				Description:  "delete and upload, as one step",
				Keys:         []string{"e"},
				Call:         client.OpUploadCertificate,
				OtherCalls:   []string{client.OpDeleteCertificate},
				ShowInHints:  true,
				ProgressText: "uploading",
				Applies:      mustBe(true, "there is none: U uploads one"),
				Draft:        func(*client.CertificateStatus) certificateDraft { return sendCertificate(p, true) },
			},
			{
				Name:         "delete",
				Keys:         []string{"D"},
				Call:         client.OpDeleteCertificate,
				ShowInHints:  true,
				ProgressText: "deleting",
				SuccessText:  "certificate deleted",
				Applies:      mustBe(true, "there is none"),
				Draft:        func(*client.CertificateStatus) certificateDraft { return deleteCertificate(p) },
			},
		},
	}
}

// certificateDraft is a change of a certificate, and certificateResult what it did.
type (
	certificateDraft  = resource.Draft[*client.CertificateStatus]
	certificateResult = ui.Result[*client.CertificateStatus]
)

// deleteCertificate removes the certificate and its private key.
func deleteCertificate(p *certificateView) certificateDraft {
	return certificateDraft{
		Confirm: func([]*client.CertificateStatus) resource.Confirm {
			return resource.Confirm{
				Title: "Delete certificate",
				Effect: fmt.Sprintf(
					"The certificate of %s and its private key are deleted: https with its own name stops working.",
					bucketName(p.bucket),
				),
				Word:     p.bucket.Label.String(),
				Required: true,
			}
		},
		Attempt: func(now *client.CertificateStatus) resource.Attempt[*client.CertificateStatus] {
			return resource.Attempt[*client.CertificateStatus]{
				ID:     account.BucketID(p.bucket),
				Label:  p.bucket.Label.String(),
				Before: now,
				Send: func(ctx context.Context, w *client.Writer) (certificateResult, error) {
					return ui.ResultReload[*client.CertificateStatus](
						w.DeleteCertificate(ctx, p.bucket.Location().Raw(), p.bucket.Label.Raw()),
					)
				},
				Find: findCertificate(false),
			}
		},
		OnApplied: func([]*client.CertificateStatus) tea.Cmd {
			p.uploaded = nil
			return nil
		},
	}
}

// certificateFinding is what the state of a certificate tells about a change.
type certificateFinding = ui.Finding[*client.CertificateStatus]

// findCertificate tells what became of a change, from whether a certificate is set now.
func findCertificate(set bool) func([]*client.CertificateStatus) certificateFinding {
	return func(now []*client.CertificateStatus) certificateFinding {
		if len(now) != 1 || now[0].SSL == nil {
			return certificateFinding{}
		}
		return ui.FoundIf(*now[0].SSL == set, now[0])
	}
}

// certificateFiles are the two files that are to be sent, and how far that is.
type certificateFiles struct {
	pane        *certificateView
	certificate string // path
	key         string // path
	pair        client.CertificatePair
	replace     bool
	deleted     bool // the old certificate is deleted: sending again only uploads
}

// sendCertificate asks for two files and checks them before anything is sent. An old certificate is deleted first,
// because the API does not replace one ("Object Storage", rule 5).
func sendCertificate(p *certificateView, replace bool) certificateDraft {
	in := &certificateFiles{pane: p, replace: replace}
	d := certificateDraft{
		Title:       "Upload a certificate for " + bucketName(p.bucket),
		Text:        "Both files are checked here before anything is sent.",
		SubmitLabel: "upload",
		Fields:      in.fields(),
		Review:      in.review,
		Confirm: func([]*client.CertificateStatus) resource.Confirm {
			return resource.Confirm{Effect: "Sends a certificate and its private key. " + in.review()}
		},
		Attempt: in.attempt,
		AfterSubmit: func(*client.CertificateStatus, bool) tea.Cmd {
			p.uploaded = &in.pair
			return ui.ShowNews(theme.Good, p.bucket.Label.String()+": certificate set")
		},
	}
	if replace {
		d.Title, d.SubmitLabel = "Replace the certificate of "+bucketName(p.bucket), "replace"
		d.Text += " The old certificate is deleted first, then this one is sent: in between there is none."
	}
	return d
}

// fields are the fields of the form.
func (in *certificateFiles) fields() []form.Field {
	pairCheck := func(string) string { return in.problem() }
	return []form.Field{
		form.File("certificate", "Certificate", &in.certificate, checkPEMFile).
			Note("PEM, with the intermediates; → completes the path"),
		form.File("private_key", "Private key", &in.key, checkPEMFile, pairCheck).
			Note("PEM; it is sent once and not kept"),
	}
}

// attempt uploads the pair, after the old certificate is deleted.
func (in *certificateFiles) attempt(now *client.CertificateStatus) resource.Attempt[*client.CertificateStatus] {
	b := in.pane.bucket
	attempt := resource.Attempt[*client.CertificateStatus]{
		ID:     account.BucketID(b),
		Label:  b.Label.String(),
		Before: now,
		Send:   in.upload,
		Find:   in.find,
	}
	pair, err := client.LoadCertificatePair(in.certificate, in.key)
	if err != nil { // the files have changed since they were checked
		attempt.Send = func(context.Context, *client.Writer) (certificateResult, error) {
			return certificateResult{}, err
		}
		return attempt
	}
	in.pair = pair
	if in.replace {
		gone := false
		attempt.Before = &client.CertificateStatus{SSL: &gone}
		if !in.deleted {
			attempt.First = &resource.Step{Call: client.OpDeleteCertificate, Before: now, Send: in.deleteOld}
		}
	}
	return attempt
}

// deleteOld deletes the old certificate. If the answer is lost, it reads whether it is gone. If it is not, it may still
// go: nothing else is sent.
func (in *certificateFiles) deleteOld(ctx context.Context, w *client.Writer) error {
	cluster, label := in.pane.bucket.Location().Raw(), in.pane.bucket.Label.Raw()
	err := w.DeleteCertificate(ctx, cluster, label)
	if ui.IsUnknown(err) {
		now, failed := in.pane.a.API.Certificates.Get(ctx, cluster, label)
		if failed != nil || now.SSL == nil {
			return err
		}
		if *now.SSL {
			return errOldCertificate
		}
		var lost *client.Error
		if errors.As(err, &lost) {
			lost.Settle(true)
		}
		err = nil
	}
	in.deleted = err == nil
	return err
}

// errOldCertificate is the error of a replacement that stopped after its first change. That change is looked up.
var errOldCertificate = errors.New(
	"deleting the old certificate: " + ui.NotSeenYet + ", so the new one was not sent · look at the journal first",
)

// upload sends the pair.
func (in *certificateFiles) upload(ctx context.Context, w *client.Writer) (certificateResult, error) {
	b := in.pane.bucket
	status, err := w.UploadCertificate(ctx, b.Location().Raw(), b.Label.Raw(), in.pair.Certificate, in.pair.Key)
	if err != nil && in.deleted {
		err = uploadAfterDeleteError{err}
	}
	return ui.ResultRow(status, err)
}

// find tells what became of a change whose answer was lost. As long as it is not known whether the old certificate is
// deleted, one that is set tells nothing.
func (in *certificateFiles) find(now []*client.CertificateStatus) certificateFinding {
	if in.replace && !in.deleted {
		return certificateFinding{}
	}
	return findCertificate(true)(now)
}

// uploadAfterDeleteError is an upload that failed after the old certificate was deleted.
type uploadAfterDeleteError struct{ cause error }

// oldDeletedText begins the messages of an uploadAfterDeleteError.
const oldDeletedText = "the old certificate is deleted, but the new one was not accepted: "

// Error returns the message with its cause.
func (e uploadAfterDeleteError) Error() string {
	return oldDeletedText + e.cause.Error()
}

// Unwrap returns the cause.
func (e uploadAfterDeleteError) Unwrap() error { return e.cause }

// Why returns the reason in words, with the next step.
func (e uploadAfterDeleteError) Why() string {
	return oldDeletedText + ui.Reason(e.cause) + " · correct the files and send again"
}

// checkPEMFile returns why a file cannot hold a certificate or a key.
func checkPEMFile(path string) string {
	info, err := os.Stat(path)
	switch {
	case path == "":
		return "needed"
	case err != nil:
		return "it cannot be opened: " + client.Clean(err.Error())
	case !info.Mode().IsRegular():
		return "this is not a regular file"
	case info.Size() > maxPEMSize:
		return "larger than 1 MiB: this is not a certificate"
	}
	return ""
}

// maxPEMSize bounds a certificate's or key's file.
const maxPEMSize = 1 << 20

// problem returns why the pair must not be sent: the files are no pair, the names do not cover the label, or the
// certificate is not valid now.
func (in *certificateFiles) problem() string {
	if checkPEMFile(in.certificate) != "" || checkPEMFile(in.key) != "" {
		return ""
	}
	pair, err := client.LoadCertificatePair(in.certificate, in.key)
	if err != nil {
		return client.Clean(err.Error())
	}
	return pair.ProblemFor(in.pane.bucket.Label.Raw(), in.pane.a.Now())
}

// review says what would be sent.
func (in *certificateFiles) review() string {
	pair, err := client.LoadCertificatePair(in.certificate, in.key)
	if err != nil {
		return ""
	}
	return fmt.Sprintf(
		"For %s, until %s (%s).", pair.HostNames(), pair.Leaf.NotAfter.Format(time.DateOnly),
		ui.FormatAge(pair.Leaf.NotAfter.Sub(in.pane.a.Now())),
	)
}
