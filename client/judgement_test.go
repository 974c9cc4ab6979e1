package client_test

import (
	"testing"

	"lookout/client"
)

// What is there now tells of a change only as far as it is known what was there before, and what the API reports.
func TestChange_Judge(t *testing.T) {
	t.Parallel()
	on := true
	access := client.Change{
		Op:     client.OpUpdateBucketAccess,
		Before: client.BucketAccess{ACL: client.ACLPrivate},
		Body:   client.BucketAccess{ACL: client.ACLPublicRead},
	}
	blind := access
	blind.Before = nil
	cors := client.Change{Op: client.OpUpdateBucketAccess, Body: client.BucketAccess{CORS: &on}}
	upload := client.Change{Op: client.OpUploadCertificate, Before: client.CertificateStatus{SSL: new(bool)}}
	replace := client.Change{Op: client.OpUploadCertificate, Before: client.CertificateStatus{SSL: &on}}
	for name, c := range map[string]struct {
		change        client.Change
		now           any
		made, notMade bool
	}{
		"as sent":                     {access, client.BucketAccessStatus{ACL: client.ACLPublicRead}, true, false},
		"as before":                   {access, client.BucketAccessStatus{ACL: client.ACLPrivate}, false, true},
		"neither":                     {access, client.BucketAccessStatus{ACL: client.ACLCustom}, false, false},
		"not reported":                {access, client.BucketAccessStatus{}, false, false},
		"as sent, before not known":   {blind, client.BucketAccessStatus{ACL: client.ACLPublicRead}, false, false},
		"not so, before not known":    {blind, client.BucketAccessStatus{ACL: client.ACLPrivate}, false, true},
		"a switch is not reported":    {cors, client.BucketAccessStatus{ACL: client.ACLPrivate}, false, false},
		"a certificate is set":        {upload, client.CertificateStatus{SSL: &on}, true, false},
		"no certificate is set":       {upload, client.CertificateStatus{SSL: new(bool)}, false, true},
		"no certificates there":       {upload, client.CertificateStatus{}, false, false},
		"one was set before as well":  {replace, client.CertificateStatus{SSL: &on}, false, false},
		"one was set before, not now": {replace, client.CertificateStatus{SSL: new(bool)}, false, false},
	} {
		j := c.change.Judge(c.now)
		if j.Made() != c.made || j.NotMade() != c.notMade {
			t.Errorf("%s: made %t, not made %t: %+v", name, j.Made(), j.NotMade(), j)
		}
	}
}

// A row may be what a creation has made if it has its label; a bucket must also be in the place that was asked for.
func TestChange_MayHaveMade(t *testing.T) {
	t.Parallel()
	contact := client.Change{Op: client.OpCreateContact, Body: client.ContactRequest{Name: "Zed", Email: "z@acme.net"}}
	bucket := client.Change{Op: client.OpCreateBucket, Body: client.BucketRequest{Region: "us-east", Label: "photos"}}
	for name, c := range map[string]struct {
		change client.Change
		row    any
		want   bool
	}{
		"the same name":            {contact, map[string]any{"name": "Zed", "email": "y@acme.net"}, true},
		"another name":             {contact, map[string]any{"name": "Zoe", "email": "z@acme.net"}, false},
		"the same label and place": {bucket, map[string]any{"label": "photos", "region": "us-east"}, true},
		"another place":            {bucket, map[string]any{"label": "photos", "region": "de-fra"}, false},
	} {
		if got := c.change.MayHaveMade(c.row); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
}
