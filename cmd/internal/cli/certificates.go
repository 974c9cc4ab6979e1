package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/cmd/internal/output"
)

// A certificateRow is whether a bucket has one, as a script gets it. The API tells no more.
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
	return resource[row]{
		name:        "certificates",
		singular:    "certificate",
		idArg:       "CLUSTER/BUCKET",
		description: "TLS certificates of buckets whose label is their host name",
		examples:    "lookout certificates get us-east-1/cdn.acme.net -o json",
		identify:    func(c row) (string, string) { return c.Cluster + "/" + c.Bucket, c.Bucket },
		columns: []output.ColumnDefinition[row]{
			{Name: "cluster", Cell: func(c row) string { return c.Cluster }},
			{Name: "bucket", Cell: func(c row) string { return c.Bucket }},
			{Name: "ssl", Cell: row.sslText},
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
				args:        "CERT_FILE KEY_FILE",
				description: "Set certificate and private key, both PEM, after checking that they fit",
				bindFlags:   uploadCertificate,
			},
			{
				name:        "delete",
				description: "Remove certificate and key: https with the bucket's own name stops working",
				doneMessage: "is deleted",
				confirmMessage: func(c row, _ []string) string {
					return fmt.Sprintf("Deletes the certificate of %s", c)
				},
				bindFlags: withoutFlags(func(ctx context.Context, s *scriptSession, c row, _ []string) (row, error) {
					return c, s.api.Certificates.Delete(ctx, c.Cluster, c.Bucket)
				}),
			},
		},
	}
}

// uploadCertificate sends a pair that fits. The API refuses one where another is set, so --replace deletes that first.
func uploadCertificate(set *pflag.FlagSet) runFunc[certificateRow] {
	replace := set.Bool("replace", false, "delete the certificate that is set; in between there is none")
	return func(ctx context.Context, s *scriptSession, c certificateRow, args []string) (certificateRow, error) {
		pair, err := client.LoadCertificatePair(args[0], args[1])
		if err != nil {
			return c, err
		}
		if why := pair.ProblemFor(c.Bucket, s.now()); why != "" {
			return c, fmt.Errorf("certificate: %s; nothing was sent", why)
		}
		there := c.SSL != nil && *c.SSL
		if there && !*replace {
			return c, fmt.Errorf("%s has a certificate: --replace deletes it and sends this one", c)
		}
		if there {
			if err := s.api.Certificates.Delete(ctx, c.Cluster, c.Bucket); err != nil {
				return c, err
			}
		}
		status, err := s.setCertificate(ctx, c, pair)
		var e *client.Error
		switch {
		case err != nil && there && errors.As(err, &e) && e.Unknown():
			return c, fmt.Errorf("the old certificate is deleted, and whether the new one is set is not known: %w", err)
		case err != nil && there:
			return c, fmt.Errorf("the old certificate is deleted and the new one was not taken: %w", err)
		case err != nil:
			return c, err
		}
		s.reportf("%s: for %s, until %s", c, pair.HostNames(), pair.Leaf.NotAfter.Format(time.DateOnly))
		c.SSL = status.SSL
		return c, nil
	}
}

// setCertificate sends a pair. Where the answer is lost, the bucket is asked whether it has one now: it had none
// before.
func (s *scriptSession) setCertificate(
	ctx context.Context,
	c certificateRow,
	pair client.CertificatePair,
) (*client.CertificateStatus, error) {
	status, err := s.api.Certificates.Upload(ctx, c.Cluster, c.Bucket, pair.Certificate, pair.Key)
	var e *client.Error
	if !errors.As(err, &e) || !e.Unknown() {
		return status, err
	}
	now, failure := s.api.Certificates.Get(ctx, c.Cluster, c.Bucket)
	if failure != nil || now.SSL == nil {
		return now, err
	}
	e.Settle(*now.SSL)
	if *now.SSL {
		return now, nil
	}
	return now, errors.New("the answer was lost, and the bucket has no certificate")
}
