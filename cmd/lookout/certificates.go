package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"lookout/client"
)

// A certificate is whether a bucket has one, as a script gets it. The API tells no more.
type certificate struct {
	Cluster string `json:"cluster"`
	Bucket  string `json:"bucket"`
	Set     *bool  `json:"ssl"` // null where the endpoint's kind has none
}

func (c certificate) String() string { return client.Clean(c.Cluster + "/" + c.Bucket) }

func (c certificate) state() string {
	if c.Set == nil {
		return ""
	}
	return strconv.FormatBool(*c.Set)
}

func certificatesNoun() noun {
	type row = certificate
	return resource[row]{
		name: "certificates", one: "certificate", named: "CLUSTER/BUCKET", about: "TLS certificates of buckets whose label is their host name",
		examples: "lookout certificates get us-east-1/cdn.acme.net -o json",
		ident:    func(c row) (string, string) { return c.Cluster + "/" + c.Bucket, c.Bucket },
		columns: []column[row]{
			{name: "cluster", cell: func(c row) string { return c.Cluster }},
			{name: "bucket", cell: func(c row) string { return c.Bucket }},
			{name: "ssl", cell: row.state},
		},
		get: func(ctx context.Context, s *session, id string) (row, error) {
			cluster, bucket, err := inBucket(id)
			if err != nil {
				return row{}, err
			}
			status, err := s.api.Certificates.Get(ctx, cluster, bucket)
			if err != nil {
				return row{}, err
			}
			return row{cluster, bucket, status.SSL}, nil
		},
		verbs: []verb[row]{
			{name: "upload", args: "CERT_FILE KEY_FILE", about: "Set certificate and private key, both PEM, after checking that they fit", with: uploadCertificate},
			{name: "delete", about: "Remove certificate and key: https with the bucket's own name stops working", gone: "is deleted",
				loses: func(c row, _ []string) string { return fmt.Sprintf("Deletes the certificate of %s", c) },
				with: as(func(ctx context.Context, s *session, c row, _ []string) (row, error) {
					return c, s.api.Certificates.Delete(ctx, c.Cluster, c.Bucket)
				})},
		},
	}
}

// uploadCertificate sends a pair that fits. The API refuses one where another is set, so --replace deletes that first.
func uploadCertificate(set *pflag.FlagSet) work[certificate] {
	replace := set.Bool("replace", false, "delete the certificate that is set; in between there is none")
	return func(ctx context.Context, s *session, c certificate, args []string) (certificate, error) {
		pair, err := client.LoadCertificatePair(args[0], args[1])
		if err != nil {
			return c, err
		}
		if why := pair.ProblemFor(c.Bucket, s.now()); why != "" {
			return c, fmt.Errorf("certificate: %s; nothing was sent", why)
		}
		there := c.Set != nil && *c.Set
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
		s.say("%s: for %s, until %s", c, pair.HostNames(), pair.Leaf.NotAfter.Format(time.DateOnly))
		c.Set = status.SSL
		return c, nil
	}
}

// setCertificate sends a pair. Where the answer is lost, the bucket is asked whether it has one now: it had none before.
func (s *session) setCertificate(ctx context.Context, c certificate, pair client.CertificatePair) (*client.CertificateStatus, error) {
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
