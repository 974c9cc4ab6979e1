package storage

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/lists"
	"lookout/theme"
	"lookout/ui"
	"lookout/views/operation"
)

// certificateView shows whether a bucket has a TLS certificate. The API tells nothing else about it.
type certificateView struct {
	a        *account.Account
	bucket   *client.Bucket
	status   *lists.RowStore[*bucketCertificate]
	uploaded *client.CertificatePair // uploaded in this pane
}

// certificatePane returns the pane of the certificate of a bucket.
func certificatePane(a *account.Account, b *client.Bucket) ui.Pane {
	p := &certificateView{a: a, bucket: b}
	p.status = lists.NewRowStore(a.Context, a, lists.RowSource[*bucketCertificate]{
		Name: "certificate",
		ID:   (*bucketCertificate).id,
		Now:  a.Now,
		Fetch: account.SingleFetcher(func(ctx context.Context) (*bucketCertificate, error) {
			status, err := fetchCertificate(ctx, a, b.Location().Raw(), b.Label.Raw())
			return status, checkBucketGone(ctx, a, b, err)
		}),
	})
	return p
}

// Name identifies the actions: "certificate.upload".
func (p *certificateView) Name() string { return "certificate" }

// Info names the bucket, and returns the age of the status.
func (p *certificateView) Info() ui.Info {
	return ui.Info{Crumb: bucketBreadcrumb(p.bucket) + " › certificate", Freshness: p.status.Freshness()}
}

// Refresh asks for the status again.
func (p *certificateView) Refresh() { p.status.Refresh() }

// LoadMissing asks for the status once.
func (p *certificateView) LoadMissing() { p.status.EnsureLoaded() }

// OnClose cancels the reading.
func (p *certificateView) OnClose() { p.status.Cancel() }

// Update does nothing: every key is an action.
func (p *certificateView) Update(tea.Msg) tea.Cmd { return nil }

// current returns the status if it tells whether a certificate is set, or nil.
func (p *certificateView) current() *bucketCertificate {
	if status, ok := account.OnlyRow(p.status); ok && status.SSL != nil {
		return status
	}
	return nil
}

// Actions upload, replace and delete the certificate.
func (p *certificateView) Actions() []ui.Action {
	why, row := "", p.current()
	if row == nil {
		why = "not known yet whether there is a certificate"
	}
	return append(certificateRunner(p).ActionsOn(row, why), ui.GoUpAction(ui.ClosePane))
}

// View shows what is known.
func (p *certificateView) View(b ui.Box) string {
	t := operation.NewDetailWriter(b)
	t.Title("TLS certificate of " + bucketName(p.bucket))
	status := p.current()
	impossible := status == nil && p.status.Loaded()
	switch {
	case impossible:
		const text = "none: buckets on this kind of endpoint cannot have their own certificate"
		t.Field("state", text, theme.Muted)
	case status == nil:
		t.Field("state", operation.LoadingOrError(p.status.Freshness(), "reading"), theme.Muted)
	case *status.SSL:
		t.Field("state", b.Theme.Glyphs.OK+" a certificate is set", theme.Good)
	default:
		t.Field("state", b.Theme.Glyphs.Disabled+" none is set", theme.Off)
	}
	if status, ok := account.OnlyRow(p.status); ok && p.status.RowNote(status) != "" {
		t.Paragraph(p.status.RowNote(status), theme.Warn)
	}
	if verb := p.status.Busy(p.bucket.ID()); verb != "" {
		t.Field("", verb+b.Theme.Glyphs.Ellipsis, theme.Warn)
	}
	if p.uploaded != nil {
		t.Field(
			"uploaded here",
			fmt.Sprintf("%s, until %s", p.uploaded.HostNames(), p.uploaded.Leaf.NotAfter.Format(time.DateOnly)),
			theme.Plain,
		)
	}
	if !impossible {
		t.Blank()
		t.Paragraph(
			"The bucket's label must be the host name that the certificate is for. The API does not report when a "+
				"certificate expires; the audit knows the date of those that were uploaded from this machine.",
			theme.Muted,
		)
	}
	return t.String()
}
