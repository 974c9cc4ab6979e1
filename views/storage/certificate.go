package storage

import (
	"context"
	"fmt"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/views/account"
)

// A certificateView is a bucket's TLS certificate: the API tells whether there is one, and no more.
type certificateView struct {
	a        *account.Account
	bucket   *client.Bucket
	status   *ui.Store[*client.CertificateStatus]
	uploaded *client.CertificatePair // what was uploaded from here in this run
}

func certificatePane(a *account.Account, b *client.Bucket) ui.Pane {
	p := &certificateView{a: a, bucket: b}
	p.status = ui.NewStore(a.Context, ui.Source[*client.CertificateStatus]{
		Name: "certificate",
		ID:   func(*client.CertificateStatus) string { return account.BucketID(b) },
		Now:  a.Now,
		Fetch: account.SingleFetcher(func(ctx context.Context) (*client.CertificateStatus, error) {
			return a.Api.Certificates.Get(ctx, b.Cluster.Raw(), b.Label.Raw())
		}),
	})
	return p
}

// Name makes the certificate's actions its own.
func (p *certificateView) Name() string { return "certificate" }

// Crumb says whose it is.
func (p *certificateView) Crumb() string { return bucketBreadcrumb(p.bucket) + " › certificate" }

// Freshness is the age of the status.
func (p *certificateView) Freshness() ui.Freshness { return p.status.Freshness() }

// Refresh asks for the status again.
func (p *certificateView) Refresh() tea.Cmd { return p.status.Refresh() }

// LoadMissing asks for it once.
func (p *certificateView) LoadMissing() tea.Cmd { return p.status.EnsureLoaded() }

// OnClose ends what is being read.
func (p *certificateView) OnClose() { p.status.Cancel() }

// Update has nothing to take: every key is an action.
func (p *certificateView) Update(tea.Msg) tea.Cmd { return nil }

// isSet reports whether a certificate is set; known is false until the API has said so.
func (p *certificateView) isSet() (set, known bool) {
	status, read := account.OnlyRow(p.status)
	if !read || status.SSL == nil {
		return false, false
	}
	return *status.SSL, true
}

// Actions upload, replace and delete.
func (p *certificateView) Actions() []ui.Action {
	set, known := p.isSet()
	unknown := account.ReasonIf(!known, "whether there is a certificate is not known yet")
	return p.a.RequireScopeForActions(
		account.StorageWriteScope,
		ui.Action{
			Key:            ui.Bind("upload", "U", "n"),
			Writes:         true,
			OpensView:      true,
			ShowInHints:    true,
			DisabledReason: account.OrDefault(unknown, account.ReasonIf(set, "one is set: e replaces it")),
			Do:             func() tea.Cmd { return ui.Send(form.OpenFormMsg{Form: p.form(false)}) },
		},
		ui.Action{
			Key:            ui.Bind("replace", "e"),
			Description:    "delete and upload, as one step",
			Writes:         true,
			OpensView:      true,
			ShowInHints:    true,
			DisabledReason: account.OrDefault(unknown, account.ReasonIf(!set, "there is none: U uploads one")),
			Do:             func() tea.Cmd { return ui.Send(form.OpenFormMsg{Form: p.form(true)}) },
		},
		ui.Action{
			Key:            ui.Bind("delete", "D"),
			Writes:         true,
			ShowInHints:    true,
			DisabledReason: account.OrDefault(unknown, account.ReasonIf(!set, "there is none")),
			Confirm:        p.confirmDelete(),
			Do:             p.delete,
		},
		ui.Action{
			Key:   ui.Bind("up", "h", "left", "backspace"),
			Group: "move",
			Do:    func() tea.Cmd { return ui.Send(ui.ClosePaneMsg{}) },
		},
	)
}

func (p *certificateView) confirmDelete() *ui.Confirmation {
	return &ui.Confirmation{
		Title:        "Delete certificate",
		ConfirmLabel: "delete",
		RequiredText: p.bucket.Label.String(),
		Text: fmt.Sprintf(
			"The certificate of %s and its private key are deleted: https with its own name stops working.",
			bucketName(p.bucket),
		),
	}
}

func (p *certificateView) contextWithCertificate(ctx context.Context) context.Context {
	return client.ContextWithResource(ctx, "certificate", account.BucketID(p.bucket), p.bucket.Label.String())
}

func (p *certificateView) delete() tea.Cmd {
	return p.status.Run(ui.RowChange[*client.CertificateStatus]{
		RowID:        account.BucketID(p.bucket),
		ProgressText: "deleting",
		Send: func(ctx context.Context) (ui.Result[*client.CertificateStatus], error) {
			return ui.ResultReload[*client.CertificateStatus](
				p.a.Api.Certificates.Delete(
					p.contextWithCertificate(ctx),
					p.bucket.Cluster.Raw(),
					p.bucket.Label.Raw(),
				),
			)
		},
		Recheck: certificateOutcome(false),
		OnOutcome: func(v ui.AttemptOutcome, _ ui.Result[*client.CertificateStatus], err error) tea.Cmd {
			if v == ui.Applied {
				p.uploaded = nil
				return ui.ShowNews(theme.Good, p.bucket.Label.String()+": certificate deleted")
			}
			return ui.ShowNews(theme.Bad, "delete certificate: "+ui.Reason(err))
		},
	})
}

// certificateOutcome tells from the status read again whether a certificate is set.
func certificateOutcome(set bool) func([]*client.CertificateStatus) ui.AttemptOutcome {
	return func(now []*client.CertificateStatus) ui.AttemptOutcome {
		if len(now) == 1 && now[0].SSL != nil && *now[0].SSL == set {
			return ui.Applied
		}
		return ui.Rejected
	}
}

// form takes two files and checks them before anything is sent. Replacing deletes the old one first; where the upload
// is then refused, that is said: there is none then.
func (p *certificateView) form(replace bool) form.Form {
	var certFile, keyFile string
	title, yes := "Upload a certificate for ", "upload"
	if replace {
		title, yes = "Replace the certificate of ", "replace"
	}
	deleted := false
	var both client.CertificatePair
	form := form.NewStoreFormThen(p.status, title+bucketName(p.bucket), []form.Field{
		form.File(
			"certificate",
			"Certificate",
			&certFile,
			checkPEMFile,
		).Note(
			"PEM, with the intermediates; → completes the path",
		),
		form.File(
			"private_key",
			"Private key",
			&keyFile,
			checkPEMFile,
			func(string) string { return p.checkPair(certFile, keyFile) },
		).Note(
			"PEM; it is sent once and not kept",
		),
	}, func(*client.CertificateStatus, bool) tea.Cmd {
		p.uploaded = &both
		return ui.ShowNews(theme.Good, p.bucket.Label.String()+": certificate set")
	}, func(ctx context.Context) (ui.Result[*client.CertificateStatus], error) {
		var err error
		if both, err = client.LoadCertificatePair(certFile, keyFile); err != nil {
			return ui.Result[*client.CertificateStatus]{}, err
		}
		if replace && !deleted {
			if err := p.a.Api.Certificates.Delete(p.contextWithCertificate(ctx), p.bucket.Cluster.Raw(), p.bucket.Label.Raw()); err != nil {
				return ui.Result[*client.CertificateStatus]{}, err
			}
			deleted = true
		}
		status, err := p.a.Api.Certificates.Upload(
			p.contextWithCertificate(ctx),
			p.bucket.Cluster.Raw(),
			p.bucket.Label.Raw(),
			both.Certificate,
			both.Key,
		)
		if err != nil && deleted {
			err = uploadAfterDeleteError{err}
		}
		return ui.ResultRow(status, err)
	}, certificateOutcome(true))
	form.Review = func() string { return p.review(certFile, keyFile) }
	form.Text = "Both files are checked here before anything is sent."
	if replace {
		form.Text += " The old certificate is deleted first, then this one is sent: in between there is none."
	}
	form.ProgressText, form.SubmitLabel = "sending", yes
	return form
}

// uploadAfterDeleteError is an upload that failed after the old certificate was deleted.
type uploadAfterDeleteError struct{ cause error }

func (e uploadAfterDeleteError) Error() string {
	return "the old certificate is deleted and the new one was not taken: " + e.cause.Error()
}
func (e uploadAfterDeleteError) Unwrap() error { return e.cause }

// Why is the reason in words.
func (e uploadAfterDeleteError) Why() string {
	return "the old certificate is deleted and the new one was not taken: " + ui.Reason(
		e.cause,
	) + " · mend it and send again"
}

func checkPEMFile(path string) string {
	info, err := os.Stat(path)
	switch {
	case path == "":
		return "needed"
	case err != nil:
		return "it cannot be opened: " + client.Clean(err.Error())
	case !info.Mode().IsRegular():
		return "this is no ordinary file"
	case info.Size() > maxPEMSize:
		return "larger than 1 MiB: this is no certificate"
	}
	return ""
}

// maxPEMSize bounds a certificate's or key's file.
const maxPEMSize = 1 << 20

// checkPair is why a pair must not be sent: no pair, the names do not cover the label, or its time is not now.
func (p *certificateView) checkPair(certFile, keyFile string) string {
	if checkPEMFile(certFile) != "" || checkPEMFile(keyFile) != "" {
		return ""
	}
	both, err := client.LoadCertificatePair(certFile, keyFile)
	if err != nil {
		return client.Clean(err.Error())
	}
	return both.ProblemFor(p.bucket.Label.Raw(), p.a.Now())
}

// review says what would be sent.
func (p *certificateView) review(certFile, keyFile string) string {
	both, err := client.LoadCertificatePair(certFile, keyFile)
	if err != nil {
		return ""
	}
	return fmt.Sprintf(
		"For %s, until %s (%s).",
		both.HostNames(),
		both.Leaf.NotAfter.Format(time.DateOnly),
		ui.FormatAge(both.Leaf.NotAfter.Sub(p.a.Now())),
	)
}

// View is what is known.
func (p *certificateView) View(b ui.Box) string {
	t := account.NewDetailWriter(b)
	t.Title("TLS certificate of " + bucketName(p.bucket))
	set, known := p.isSet()
	switch {
	case !known && p.status.Loaded():
		t.Field("state", "not told: this kind of endpoint has none of its own", theme.Muted)
	case !known:
		t.Field("state", account.LoadingOrError(p.status.Freshness(), "reading"), theme.Muted)
	case set:
		t.Field("state", b.Theme.Glyphs.OK+" a certificate is set", theme.Good)
	default:
		t.Field("state", b.Theme.Glyphs.Disabled+" none is set", theme.Off)
	}
	if verb := p.status.Busy(account.BucketID(p.bucket)); verb != "" {
		t.Field("", verb+b.Theme.Glyphs.Ellipsis, theme.Warn)
	}
	if p.uploaded != nil {
		t.Field(
			"sent from here",
			fmt.Sprintf("%s, until %s", p.uploaded.HostNames(), p.uploaded.Leaf.NotAfter.Format(time.DateOnly)),
			theme.Plain,
		)
	}
	t.Blank()
	t.Paragraph(
		"The bucket's label must be the host name that the certificate is for. The API tells whether there is a "+
			"certificate, not until when it is valid: note the date elsewhere.",
		theme.Muted,
	)
	return t.String()
}
