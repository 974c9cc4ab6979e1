package storage

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"lookout/client"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/views/account"
)

// newBucketForm asks for a bucket. One of one's own that exists already is returned as if just made: the news tells
// them apart.
func newBucketForm(a *account.Account) form.Form {
	in := client.BucketRequest{ACL: client.ACLPrivate}
	before := a.Buckets().Rows()
	ids := availableClusterIDs(a)
	if len(ids) > 0 {
		in.Cluster = ids[0]
	}
	form := form.NewStoreForm(a.Buckets(), "New bucket", []form.Field{
		form.Text(
			"label",
			"Label",
			&in.Label,
			checkBucketLabel,
			checkBucketLabelUnused(a, &in.Cluster),
		).Note(
			"lower case letters, digits, dots and hyphens; unique in its cluster",
		),
		form.Combobox(
			"cluster",
			"Cluster",
			&in.Cluster,
			func() []string { return availableClusterIDs(a) },
			form.Required(),
		).Note(
			"up and down go through the clusters",
		),
		form.Choice(
			"acl",
			"ACL",
			&in.ACL,
			client.ACLPrivate,
			client.ACLPublicRead,
			client.ACLAuthenticatedRead,
			client.ACLPublicReadWrite,
		),
		form.Switch("cors_enabled", "CORS", &in.CORS).Note("yes lets web pages of any origin read from it"),
	}, func(b *client.Bucket) string { return describeCreatedBucket(a, b, before) },
		func(ctx context.Context) (ui.Result[*client.Bucket], error) {
			return ui.ResultRow(
				a.Api.Buckets.Create(client.ContextWithResource(ctx, "bucket", in.Cluster+"/"+in.Label, in.Label), in),
			)
		},
		func(now []*client.Bucket) ui.AttemptOutcome { return bucketCreateOutcome(now, in) })
	form.Review = func() string { return describeBucketACL(in.ACL) }
	form.Text = "Storage is billed from the first bucket on, until Object Storage is cancelled."
	form.ProgressText, form.SubmitLabel = "making", "make"
	return form
}

// bucketCreateOutcome tells whether a bucket that was asked for exists.
func bucketCreateOutcome(now []*client.Bucket, in client.BucketRequest) ui.AttemptOutcome {
	if slices.ContainsFunc(
		now,
		func(b *client.Bucket) bool { return b.Label.Raw() == in.Label && b.Cluster.Raw() == in.Cluster },
	) {
		return ui.Applied
	}
	return ui.Rejected
}

// describeCreatedBucket says whether a bucket is new: one that was made long before this request existed already.
func describeCreatedBucket(a *account.Account, b *client.Bucket, before []*client.Bucket) string {
	known := slices.ContainsFunc(before, func(k *client.Bucket) bool { return account.BucketID(k) == account.BucketID(b) })
	if known || b.Created.Valid() && a.Now().Sub(b.Created.Time()).Hours() > 1 {
		return fmt.Sprintf("%s existed already, since %s: nothing was made", b.Label, formatDate(b.Created))
	}
	return b.Label.String() + ": made"
}

// availableClusterIDs are the clusters by name, those that are available.
func availableClusterIDs(a *account.Account) []string {
	var ids []string
	for _, c := range a.Clusters().Rows() {
		if c.Status.Raw() != "unavailable" {
			ids = append(ids, c.ID.Raw())
		}
	}
	for _, b := range a.Buckets().Rows() {
		if id := b.Cluster.Raw(); id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// checkBucketLabel checks a label by the rules of the provider's console: the document shows none.
func checkBucketLabel(text string) string {
	switch {
	case len(text) < 3 || len(text) > 63:
		return "3 to 63 characters are needed"
	case strings.Contains(text, "..") || strings.Contains(text, ".-") || strings.Contains(text, "-.") || strings.Contains(text, "--"):
		return "dots and hyphens must stand alone"
	case !bucketLabelPattern().MatchString(text):
		return "lower case letters, digits, dots and hyphens; a letter or a digit at both ends"
	}
	return ""
}

// bucketLabelPattern is made when it is needed: nothing is compiled at start.
func bucketLabelPattern() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*[a-z0-9]$`) }

// checkBucketLabelUnused checks that no bucket of the cluster has the label.
func checkBucketLabelUnused(a *account.Account, cluster *string) form.Check {
	return func(text string) string {
		_, taken := a.Buckets().Get(*cluster + "/" + text)
		return account.ReasonIf(taken, "a bucket with this label exists in the cluster")
	}
}

// describeBucketACL is what a canned ACL allows, in words.
func describeBucketACL(acl client.ACL) string {
	switch acl {
	case client.ACLPrivate:
		return "Only this account's keys reach it."
	case client.ACLPublicRead:
		return "Everyone can list and read the objects in it."
	case client.ACLAuthenticatedRead:
		return "Everyone with an account at the provider can list and read the objects in it."
	case client.ACLPublicReadWrite:
		return "EVERYONE can list, make, overwrite and delete objects in it. This is not recommended."
	}
	return "Left as it is."
}

// unchanged stands for an ACL and a CORS switch that are not to be changed: what is set now is not told by the
// document's API.
const unchanged = "as it is"

// accessForm changes a bucket's canned ACL and CORS switch. Both together are set by PUT, one alone is modified by
// POST.
func accessForm(a *account.Account, b *client.Bucket) form.Form {
	acl, cors, word := client.ACL(unchanged), unchanged, ""
	form := form.NewStoreForm(a.Buckets(), "Access to "+bucketName(b), []form.Field{
		form.Choice(
			"acl",
			"ACL",
			&acl,
			unchanged,
			client.ACLPrivate,
			client.ACLPublicRead,
			client.ACLAuthenticatedRead,
			client.ACLPublicReadWrite,
		),
		form.Choice("cors_enabled", "CORS", &cors, unchanged, "yes", "no"),
		form.Text("sure", "Type the label", &word, func(text string) string {
			return account.ReasonIf(text != b.Label.Raw(), "type "+b.Label.String()+": everyone will be able to write to it")
		}).When(func() bool { return acl == client.ACLPublicReadWrite }),
	}, func(*client.Bucket) string {
		return b.Label.String() + ": access is now " + describeAccessChange(acl, cors)
	},
		func(ctx context.Context) (ui.Result[*client.Bucket], error) {
			return ui.ResultReload[*client.Bucket](setBucketAccess(a, contextWithBucket(ctx, b), b, acl, cors))
		},
		func([]*client.Bucket) ui.AttemptOutcome { return ui.Unknown })
	form.Text = "The API does not tell what is set now."
	form.Review = func() string { return describeBucketACL(acl) }
	form.WhyResendIsSafe = "Setting the same access twice does no harm"
	form.ProgressText, form.SubmitLabel = "changing", "change"
	return form
}

// describeAccessChange is what was set of a bucket's access, in words.
func describeAccessChange(acl client.ACL, cors string) string {
	var parts []string
	if acl != unchanged {
		parts = append(parts, string(acl))
	}
	switch cors {
	case "yes":
		parts = append(parts, "CORS on")
	case "no":
		parts = append(parts, "CORS off")
	}
	return account.JoinWithCommas(parts)
}

func setBucketAccess(a *account.Account, ctx context.Context, b *client.Bucket, acl client.ACL, cors string) error {
	in := client.BucketAccess{}
	if acl != unchanged {
		in.ACL = acl
	}
	if cors != unchanged {
		on := cors == "yes"
		in.CORS = &on
	}
	switch {
	case in.ACL == "" && in.CORS == nil:
		return account.ErrUnchanged
	case in.ACL != "" && in.CORS != nil:
		return a.Api.Buckets.UpdateAccess(ctx, b.Cluster.Raw(), b.Label.Raw(), in)
	}
	return a.Api.Buckets.ModifyAccess(ctx, b.Cluster.Raw(), b.Label.Raw(), in)
}
