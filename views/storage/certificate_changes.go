package storage

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/lists"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/views/operation"
	"lookout/views/resource"
)

// bucketCertificate says whether a bucket has a certificate. The API tells no more.
type bucketCertificate struct {
	Cluster string `json:"cluster"`
	Bucket  string `json:"bucket"`
	SSL     *bool  `json:"ssl"` // nil where the endpoint's kind has none
}

// id returns the identity of the bucket.
func (c *bucketCertificate) id() string { return client.BucketID(c.Cluster, c.Bucket) }

// name returns the bucket as people and commands write it.
func (c *bucketCertificate) name() string { return client.Clean(c.id()) }

// isSet reports whether a certificate is known to be set.
func (c *bucketCertificate) isSet() bool { return c.SSL != nil && *c.SSL }

// sslValue returns whether a certificate is set, for scripts; "" if there can be none.
func (c *bucketCertificate) sslValue() string {
	if c.SSL == nil {
		return ""
	}
	return strconv.FormatBool(*c.SSL)
}

// status returns the answer of the API, for the journal.
func (c *bucketCertificate) status() *client.CertificateStatus {
	return &client.CertificateStatus{SSL: c.SSL}
}

// with returns what an answer of the API says of the bucket.
func (c *bucketCertificate) with(status *client.CertificateStatus, err error) (*bucketCertificate, error) {
	if err != nil {
		return nil, err
	}
	return &bucketCertificate{c.Cluster, c.Bucket, status.SSL}, nil
}

// fetchCertificate reads whether a bucket has a certificate.
func fetchCertificate(ctx context.Context, a *account.Account, cluster, bucket string) (*bucketCertificate, error) {
	c := &bucketCertificate{Cluster: cluster, Bucket: bucket}
	return c.with(a.API.Certificates.Get(ctx, cluster, bucket))
}

// certificateRunner performs the operations on the certificate of a pane.
func certificateRunner(p *certificateView) operation.OperationRunner[*bucketCertificate] {
	uploaded := func(pair *client.CertificatePair) { p.uploaded = pair }
	return operation.OperationRunner[*bucketCertificate]{
		Account:  p.a,
		Store:    p.status,
		Resource: certificateResource(certificates{p.a, uploaded}),
	}
}

// Certificates declares the certificates of buckets: the document's "Bucket TLS certificate status".
func Certificates(a *account.Account) resource.Resource[*bucketCertificate] {
	return certificateResource(certificates{a, func(*client.CertificatePair) {}})
}

// certificates changes certificates. It tells uploaded which one it has sent, or nil for one that is deleted.
type certificates struct {
	a        *account.Account
	uploaded func(*client.CertificatePair)
}

// certificateResource declares certificates.
func certificateResource(c certificates) resource.Resource[*bucketCertificate] {
	type row = *bucketCertificate
	return resource.Resource[row]{
		Name:        "certificates",
		Singular:    "certificate",
		Description: "TLS certificates for buckets whose label is a host name",
		Examples: []string{
			"certificates get us-east-1/cdn.acme.net -o json",
			"certificates upload us-east-1/cdn.acme.net cert.pem key.pem --dry-run",
			"certificates delete us-east-1/cdn.acme.net --dry-run",
		},
		Argument:      "CLUSTER/BUCKET",
		ArgumentNames: "buckets",
		ID:            row.id,
		Label:         func(c row) string { return client.Clean(c.Bucket) },
		Calls:         resource.APICalls{Get: "view certificate"},
		Columns: []resource.ColumnDefinition[row]{
			{Name: "cluster", Value: func(c row) string { return c.Cluster }},
			{Name: "bucket", Value: func(c row) string { return c.Bucket }},
			{Name: "ssl", Value: row.sslValue},
		},
		Get: func(ctx context.Context, id string) (row, error) {
			cluster, bucket, err := ParseBucketID(id)
			if err != nil {
				return nil, err
			}
			return fetchCertificate(ctx, c.a, cluster, bucket)
		},
		Operations: c.operations(),
	}
}

// operations returns the operations on the certificate of a bucket. Scripts upload as panes replace: a flag says
// whether one may be deleted.
func (c certificates) operations() []resource.Operation[*bucketCertificate] {
	mustBe := func(set bool, why string) func(*bucketCertificate) string {
		return func(now *bucketCertificate) string { return wording.If(now.isSet() != set, why) }
	}
	return []resource.Operation[*bucketCertificate]{
		{
			Name:        "upload",
			Command:     resource.PaneOnly,
			Keys:        []string{"U", "n"},
			Call:        client.OpUploadCertificate,
			ShowInHints: true,
			BusyText:    "uploading",
			Applies:     mustBe(false, "one is set: e replaces it"),
			Draft:       func(now *bucketCertificate) certificateDraft { return c.send(now, false) },
		},
		{
			Name:            "replace",
			Command:         "upload",
			CommandHelp:     "Set the certificate and private key, both PEM, after checking that they match",
			RepeatInScripts: true,
			Description:     "delete the old one and upload a new one, in one step",
			Keys:            []string{"e"},
			Call:            client.OpUploadCertificate,
			OtherCalls:      []string{client.OpDeleteCertificate},
			ShowInHints:     true,
			BusyText:        "uploading",
			Applies:         mustBe(true, "there is none: U uploads one"),
			Draft:           func(now *bucketCertificate) certificateDraft { return c.send(now, true) },
		},
		{
			Name:            "delete",
			CommandHelp:     "Remove the certificate and key: HTTPS at the bucket's host name stops working",
			RepeatInScripts: true,
			Keys:            []string{"D"},
			Call:            client.OpDeleteCertificate,
			ShowInHints:     true,
			BusyText:        "deleting",
			SuccessText:     "certificate is deleted",
			Applies:         mustBe(true, "there is none"),
			Draft:           c.delete,
		},
	}
}

// certificateDraft is a change of a certificate, and certificateResult what it did.
type (
	certificateDraft  = resource.Draft[*bucketCertificate]
	certificateResult = lists.ChangeResult[*bucketCertificate]
)

// delete removes the certificate and its private key.
func (c certificates) delete(bucket *bucketCertificate) certificateDraft {
	return certificateDraft{
		Confirm: func([]*bucketCertificate) resource.ConfirmationSpec {
			return resource.ConfirmationSpec{
				Title: "Delete certificate",
				Effect: fmt.Sprintf(
					"This deletes the certificate of %s and its private key: HTTPS at its host name stops working.",
					bucket.name(),
				),
				Word:     client.Clean(bucket.Bucket),
				Required: true,
			}
		},
		Attempt: func(now *bucketCertificate) account.Attempt[*bucketCertificate] {
			return account.Attempt[*bucketCertificate]{
				ID:     bucket.id(),
				Label:  bucket.Bucket,
				Before: now.status(),
				Send: func(ctx context.Context, w *client.Writer) (certificateResult, error) {
					return lists.ResultReload[*bucketCertificate](
						w.DeleteCertificate(ctx, bucket.Cluster, bucket.Bucket),
					)
				},
			}
		},
		OnApplied: func([]*bucketCertificate) tea.Cmd {
			c.uploaded(nil)
			return nil
		},
	}
}

// certificateFiles are the two files that are to be sent, and how far that is.
type certificateFiles struct {
	a           *account.Account
	bucket      *bucketCertificate
	certificate string // path
	key         string // path
	pair        client.CertificatePair
	replace     bool // a certificate that is set may be deleted
	deleted     bool // the old certificate is deleted: sending again only uploads
}

// send asks for two files and checks them before anything is sent. An old certificate is deleted first, because the API
// does not replace one ("Object Storage", rule 5).
func (c certificates) send(bucket *bucketCertificate, replace bool) certificateDraft {
	in := &certificateFiles{a: c.a, bucket: bucket, replace: replace}
	d := certificateDraft{
		Title:       "Upload a certificate for " + bucket.name(),
		Text:        "Both files are checked here before anything is sent.",
		SubmitLabel: "upload",
		Fields:      in.fields(),
		Review:      in.review,
		Confirm: func([]*bucketCertificate) resource.ConfirmationSpec {
			return resource.ConfirmationSpec{Effect: "Sends a certificate and its private key. " + in.review()}
		},
		Attempt: in.attempt,
		AfterSubmit: func(_ *bucketCertificate, told bool) tea.Cmd {
			message := client.Clean(bucket.Bucket) + ": certificate set"
			if told {
				c.uploaded(&in.pair)
			} else {
				c.uploaded(nil) // it may be another one
				message += " · " + lists.SeenByReading
			}
			return ui.ReportChange(theme.Good, message)
		},
		ScriptNote: func(*bucketCertificate) string {
			return fmt.Sprintf("for %s, until %s", in.pair.HostNames(), in.pair.Leaf.NotAfter.Format(time.DateOnly))
		},
	}
	if replace {
		d.Title, d.SubmitLabel = "Replace the certificate of "+bucket.name(), "replace"
		d.Text += " The old certificate is deleted before this one is sent: for a moment, the bucket has none."
	}
	return d
}

// fields are the fields of the form. Whether one may be deleted is a question only of scripts: in a pane it is another
// action.
func (in *certificateFiles) fields() []form.Field {
	return []form.Field{
		form.File("certificate", "Certificate", &in.certificate, form.Required(), in.certificateProblem).
			Note("PEM, with the intermediates; → completes the path").
			Scripted(form.ScriptInput{Argument: "CERT_FILE", Names: form.Files, CheckedLater: true}),
		form.File("private_key", "Private key", &in.key, form.Required(), in.keyProblem).
			Note("PEM; lookout sends it once and does not keep it").
			Scripted(form.ScriptInput{Argument: "KEY_FILE", Names: form.Files, CheckedLater: true}),
		form.Switch("replace", "Replace", &in.replace).
			Scripted(form.ScriptInput{
				Flag:    "replace",
				Usage:   "delete the current certificate first; until the new one is uploaded, the bucket has none",
				Default: "false",
				Only:    true,
			}),
	}
}

// attempt uploads the pair, after the old certificate is deleted.
func (in *certificateFiles) attempt(now *bucketCertificate) account.Attempt[*bucketCertificate] {
	attempt := account.Attempt[*bucketCertificate]{
		ID:     in.bucket.id(),
		Label:  in.bucket.Bucket,
		Before: now.status(),
		Send:   in.upload,
	}
	var err error
	if in.pair, err = client.LoadCertificatePair(in.certificate, in.key); err != nil {
		attempt.Err = err
		return attempt
	}
	if why := in.pair.ProblemFor(in.bucket.Bucket, in.a.Now()); why != "" {
		attempt.Err = fmt.Errorf("certificate: %s; nothing was sent", why)
		return attempt
	}
	switch {
	case !now.isSet():
	case !in.replace:
		attempt.Err = fmt.Errorf(
			"%s has a certificate: add --replace to delete it and send this one", in.bucket.name(),
		)
	default:
		gone := false
		deleted := &client.CertificateStatus{SSL: &gone}
		if in.deleted {
			attempt.Before = deleted
			break
		}
		attempt.First = &account.PrerequisiteChange{
			Call:  client.OpDeleteCertificate,
			After: deleted,
			Send:  in.deleteOld,
		}
	}
	return attempt
}

// deleteOld deletes the old certificate. If the answer is lost, it reads whether it is gone. If it is not, it may still
// go: nothing else is sent.
func (in *certificateFiles) deleteOld(ctx context.Context, w *client.Writer) error {
	err := in.readIfLost(ctx, w.DeleteCertificate(ctx, in.bucket.Cluster, in.bucket.Bucket))
	in.deleted = err == nil
	return err
}

// readIfLost returns the error of deleting the old certificate. If the answer was lost, it reads whether a certificate
// is set: there is no error if none is.
func (in *certificateFiles) readIfLost(ctx context.Context, err error) error {
	var lost *client.Error
	if !lists.IsUnknown(err) || !errors.As(err, &lost) {
		return err
	}
	now, failed := fetchCertificate(ctx, in.a, in.bucket.Cluster, in.bucket.Bucket)
	switch {
	case failed != nil || now.SSL == nil:
		return err
	case *now.SSL:
		return errOldCertificate
	}
	lost.Settle(true)
	return nil
}

// errOldCertificate is the error of a replacement that stopped after its first change. That change is looked up.
var errOldCertificate = errors.New(
	"deleting the old certificate: " + lists.NotSeenYet + ", so the new one was not sent · check the journal first",
)

// upload sends the pair.
func (in *certificateFiles) upload(ctx context.Context, w *client.Writer) (certificateResult, error) {
	status, err := w.UploadCertificate(ctx, in.bucket.Cluster, in.bucket.Bucket, in.pair.Certificate, in.pair.Key)
	if err != nil && in.deleted {
		err = uploadAfterDeleteError{err}
	}
	return lists.ResultRow(in.bucket.with(status, err))
}

// uploadAfterDeleteError is an upload that failed after the old certificate was deleted.
type uploadAfterDeleteError struct{ cause error }

// what says what is known of the two changes.
func (e uploadAfterDeleteError) what() string {
	if lists.IsUnknown(e.cause) {
		return "the old certificate was deleted; it is unknown whether the new one is set: "
	}
	return "the old certificate was deleted, but the new one was not accepted: "
}

// Error returns the message with its cause.
func (e uploadAfterDeleteError) Error() string { return e.what() + e.cause.Error() }

// Unwrap returns the cause.
func (e uploadAfterDeleteError) Unwrap() error { return e.cause }

// NothingChanged reports that something was changed: the old certificate is gone.
func (e uploadAfterDeleteError) NothingChanged() bool { return false }

// Why returns the reason in words, with the next step.
func (e uploadAfterDeleteError) Why() string {
	why := e.what() + wording.Reason(e.cause)
	if lists.IsUnknown(e.cause) {
		return why
	}
	return why + " · correct the files and send again"
}

// certificateProblem returns why the certificate in a file must not be sent: it cannot be read, its names do not cover
// the label, or it is not valid now.
func (in *certificateFiles) certificateProblem(path string) string {
	certificate, err := client.LoadCertificate(path)
	if err != nil {
		return client.Clean(err.Error())
	}
	return certificate.ProblemFor(in.bucket.Bucket, in.a.Now())
}

// keyProblem returns why the private key in a file must not be sent: it cannot be read, or it is not the certificate's.
func (in *certificateFiles) keyProblem(path string) string {
	if in.certificateProblem(in.certificate) != "" {
		return "" // first there must be a certificate
	}
	if _, err := client.LoadCertificatePair(in.certificate, path); err != nil {
		return client.Clean(err.Error())
	}
	return ""
}

// review says what would be sent.
func (in *certificateFiles) review() string {
	pair, err := client.LoadCertificatePair(in.certificate, in.key)
	if err != nil {
		return ""
	}
	return fmt.Sprintf(
		"For %s, until %s (%s).", pair.HostNames(), pair.Leaf.NotAfter.Format(time.DateOnly),
		wording.FormatAge(pair.Leaf.NotAfter.Sub(in.a.Now())),
	)
}
