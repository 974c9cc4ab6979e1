package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/views/resource"
)

// A certificateRow says whether a bucket has a certificate. The API tells no more.
type certificateRow struct {
	Cluster string `json:"cluster"`
	Bucket  string `json:"bucket"`
	SSL     *bool  `json:"ssl"` // null where the endpoint's kind has none
}

func (c certificateRow) String() string { return client.Clean(c.Cluster + "/" + c.Bucket) }

func (c certificateRow) sslText() string {
	if c.SSL == nil {
		return ""
	}
	return strconv.FormatBool(*c.SSL)
}

func certificatesResource() resourceCommand {
	type row = certificateRow
	return scriptResource[row]{
		name:        "certificates",
		singular:    "certificate",
		idArg:       "CLUSTER/BUCKET",
		description: "TLS certificates of buckets whose label is a host name",
		examples:    "lookout certificates get us-east-1/cdn.acme.net -o json",
		identify:    func(c row) (string, string) { return c.Cluster + "/" + c.Bucket, c.Bucket },
		columns: []resource.ColumnDefinition[row]{
			{Name: "cluster", Value: func(c row) string { return c.Cluster }},
			{Name: "bucket", Value: func(c row) string { return c.Bucket }},
			{Name: "ssl", Value: row.sslText},
		},
		get: func(ctx context.Context, s *scriptSession, id string) (row, error) {
			cluster, bucket, err := parseBucket(id)
			if err != nil {
				return row{}, err
			}
			status, err := s.api.Certificates.Get(ctx, cluster, bucket)
			if err != nil {
				return row{}, err
			}
			return row{cluster, bucket, status.SSL}, nil
		},
		subcommands: []subcommand[row]{
			{
				name:        "upload",
				op:          client.OpUploadCertificate,
				otherOps:    []string{client.OpDeleteCertificate},
				verb:        "Sets",
				args:        "CERT_FILE KEY_FILE",
				description: "Set certificate and private key, both PEM, after checking that they match",
				bindFlags:   uploadCertificate,
			},
			{
				name:        "delete",
				op:          client.OpDeleteCertificate,
				verb:        "Deletes",
				asks:        asksAlways,
				description: "Remove certificate and key: https with the bucket's own name stops working",
				doneMessage: "is deleted",
				bindFlags: planForRow(func(c row) change[row] {
					return change[row]{
						Change: client.Change{Before: c.status()},
						send: func(ctx context.Context, w *approvedChange) (row, error) {
							return c, w.DeleteCertificate(ctx, c.Cluster, c.Bucket)
						},
					}
				}),
			},
		},
	}
}

// status returns whether there is a certificate, for the journal.
func (c certificateRow) status() *client.CertificateStatus {
	return &client.CertificateStatus{SSL: c.SSL}
}

// uploadCertificate sends a certificate and a key that match. The API refuses them if the bucket has a certificate, so
// --replace deletes that first.
func uploadCertificate(set *pflag.FlagSet) planFunc[certificateRow] {
	type row = certificateRow
	replace := set.Bool("replace", false, "delete the present certificate first; in between there is none")
	return func(_ context.Context, s *scriptSession, c row, args []string) (change[row], error) {
		pair, err := client.LoadCertificatePair(args[0], args[1])
		if err != nil {
			return change[row]{}, err
		}
		if why := pair.ProblemFor(c.Bucket, s.now()); why != "" {
			return change[row]{}, fmt.Errorf("certificate: %s; nothing was sent", why)
		}
		exists := c.SSL != nil && *c.SSL
		if exists && !*replace {
			return change[row]{}, fmt.Errorf("%s has a certificate: add --replace to delete it and send this one", c)
		}
		planned := change[row]{Change: client.Change{Before: c.status()}}
		if exists {
			planned.Before = &client.CertificateStatus{SSL: new(bool)} // once the old one is deleted
		}
		planned.send = func(ctx context.Context, w *approvedChange) (row, error) {
			if exists {
				if err := deleteOldCertificate(ctx, w, c); err != nil {
					return c, err
				}
			}
			now, err := setCertificate(ctx, w, c, pair)
			if err != nil {
				return c, uploadError(err, exists)
			}
			s.reportf("%s: for %s, until %s", c, pair.HostNames(), pair.Leaf.NotAfter.Format(time.DateOnly))
			c.SSL = now.SSL
			return c, nil
		}
		return planned, nil
	}
}

// deleteOldCertificate deletes the certificate that another one replaces.
func deleteOldCertificate(ctx context.Context, a *approvedChange, c certificateRow) error {
	w, err := a.begin(client.OpDeleteCertificate, c.status())
	if err != nil {
		return err
	}
	return w.DeleteCertificate(ctx, c.Cluster, c.Bucket)
}

// uploadError adds to the error of an upload what became of the certificate that it replaces.
func uploadError(err error, replaced bool) error {
	var e *client.Error
	switch {
	case !replaced:
		return err
	case errors.As(err, &e) && e.Unknown():
		return fmt.Errorf("the old certificate is deleted, and it is not known whether the new one is set: %w", err)
	}
	return fmt.Errorf("the old certificate is deleted, and the new one was rejected: %w", err)
}

// setCertificate sends a certificate and its key. If the answer is lost, it reads whether the bucket has a certificate
// now, which proves that it was set: it had none before.
func setCertificate(
	ctx context.Context, w *approvedChange, c certificateRow, pair client.CertificatePair,
) (*client.CertificateStatus, error) {
	status, err := w.UploadCertificate(ctx, c.Cluster, c.Bucket, pair.Certificate, pair.Key)
	var e *client.Error
	if !errors.As(err, &e) || !e.Unknown() {
		return status, err
	}
	now, failure := w.api.Certificates.Get(ctx, c.Cluster, c.Bucket)
	if failure != nil || now.SSL == nil {
		return now, err
	}
	if !*now.SSL {
		return now, err // it may still arrive
	}
	e.Settle(true)
	return now, nil
}
