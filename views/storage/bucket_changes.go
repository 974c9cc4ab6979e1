package storage

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/lists"
	"lookout/client/wording"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/views/operation"
	"lookout/views/resource"
)

// bucketRunner performs the operations on buckets.
func bucketRunner(a *account.Account) operation.OperationRunner[*client.Bucket] {
	return operation.NewRunner(a, a.Buckets(), Buckets(a))
}

// Buckets declares buckets: the document's "Bucket".
func Buckets(a *account.Account) resource.Resource[*client.Bucket] {
	return resource.Resource[*client.Bucket]{
		Name:        "buckets",
		Singular:    "bucket",
		Description: "Object Storage buckets",
		Examples: []string{
			"buckets list",
			"buckets list --cluster us-east-1",
			"buckets list --filter 'size:>10GiB' --sort -size",
			"buckets get us-east-1/acme-www -o json",
			"buckets create us-east-1/acme-scratch --acl private",
			"buckets access us-east-1/acme-www --acl public-read --cors=false --yes",
			"buckets readers us-east-1/acme-www",
			"buckets readers us-east-1/acme-www -o json --jq 'any(.[]; .public)'",
			"buckets empty us-east-1/acme-scratch --yes",
			"buckets delete us-east-1/acme-scratch --yes",
		},
		Argument:  "CLUSTER/BUCKET",
		ID:        (*client.Bucket).ID,
		Label:     func(b *client.Bucket) string { return b.Label.String() },
		Calls:     resource.APICalls{List: "list buckets", Get: "view bucket"},
		Columns:   bucketColumns(),
		PaneOrder: []string{"label", "cluster", "objects", "size", "created", "hostname"},
		ListFlags: []resource.ListFlag{{
			Name: "cluster", Usage: "only the buckets in this cluster, such as us-east-1", Names: "clusters",
		}},
		List: func(ctx context.Context, q resource.ListQuery) iter.Seq2[*client.Bucket, error] {
			if q["cluster"] != "" {
				return a.API.Buckets.AllInCluster(ctx, q["cluster"])
			}
			return a.API.Buckets.All(ctx)
		},
		Get: func(ctx context.Context, id string) (*client.Bucket, error) {
			cluster, label, err := ParseBucketID(id)
			if err != nil {
				return nil, err
			}
			return a.API.Buckets.Get(ctx, cluster, label)
		},
		Operations: bucketOperations(a),
	}
}

// ParseBucketID splits CLUSTER/BUCKET, as command lines name a bucket.
func ParseBucketID(text string) (cluster, label string, err error) {
	cluster, label, ok := strings.Cut(text, "/")
	if !ok || cluster == "" || label == "" || strings.Contains(label, "/") {
		return "", "", resource.NewArgumentError(
			"%q does not name a bucket: use CLUSTER/BUCKET, such as us-east-1/photos", client.Clean(text),
		)
	}
	return cluster, label, nil
}

// bucketOperations returns the operations on buckets.
func bucketOperations(a *account.Account) []resource.Operation[*client.Bucket] {
	return []resource.Operation[*client.Bucket]{
		{
			Name:        "access",
			CommandHelp: "Change a bucket's ACL, its CORS setting, or both",
			Description: "change the bucket's canned ACL and CORS",
			Keys:        []string{"x"},
			Call:        client.OpUpdateBucketAccess,
			OtherCalls:  []string{client.OpReplaceBucketAccess},
			ShowInHints: true,
			BusyText:    "changing",
			Draft: func(b *client.Bucket) resource.Draft[*client.Bucket] {
				return setBucketAccess(a, b, &client.BucketAccessStatus{})
			},
			ReadDraft: func(ctx context.Context, b *client.Bucket) resource.Draft[*client.Bucket] {
				return readThenSetBucketAccess(ctx, a, b)
			},
		},
		{
			Name:        "delete",
			CommandHelp: "Delete a bucket, which must be empty",
			Description: "delete the bucket, which must be empty",
			Keys:        []string{"D"},
			Call:        client.OpDeleteBucket,
			BusyText:    "deleting",
			SuccessText: "deleted",
			Draft:       func(*client.Bucket) resource.Draft[*client.Bucket] { return deleteBucket() },
			OnRejected:  func(b *client.Bucket, err error) tea.Cmd { return offerEmptying(a, b, err) },
		},
		{
			Name:        "new bucket",
			CommandHelp: "Create a bucket",
			ScriptReads: []ui.Refresher{a.Clusters()}, // they tell regions and clusters apart
			Keys:        []string{"n"},
			Call:        client.OpCreateBucket,
			Target:      resource.NewRow,
			ShowInHints: true,
			BusyText:    "creating",
			Draft:       func(*client.Bucket) resource.Draft[*client.Bucket] { return newBucket(a) },
		},
	}
}

// deleteBucket removes a bucket. The API refuses that while there are objects in it.
func deleteBucket() resource.Draft[*client.Bucket] {
	return resource.Draft[*client.Bucket]{
		Confirm: func(rows []*client.Bucket) resource.ConfirmationSpec {
			b := rows[0]
			effect := fmt.Sprintf("This deletes bucket %q in %s for good. It must be empty.", b.Label, b.Location())
			if n, known := b.Objects.Value(); n > 0 || !known {
				effect += fmt.Sprintf(
					" It held %s objects (%s) when it was last read.", operation.FormatOptionalCount(b.Objects),
					operation.FormatOptionalSize(b.Size),
				)
			}
			return resource.ConfirmationSpec{
				Title:    "Delete bucket",
				Effect:   effect,
				Word:     b.Label.String(),
				Required: true,
			}
		},
		Attempt: func(b *client.Bucket) account.Attempt[*client.Bucket] {
			return account.Attempt[*client.Bucket]{
				ID:     b.ID(),
				Label:  b.Label.Raw(),
				Before: map[string]any{"objects": b.Objects, "size": b.Size},
				Send: func(ctx context.Context, w *client.Writer) (lists.ChangeResult[*client.Bucket], error) {
					return lists.ResultDeleted[*client.Bucket](w.DeleteBucket(ctx, b.Location().Raw(), b.Label.Raw()))
				},
			}
		},
	}
}

// offerEmptying offers to empty a bucket that was not deleted because there are objects in it.
func offerEmptying(a *account.Account, b *client.Bucket, err error) tea.Cmd {
	if !strings.Contains(strings.ToLower(wording.Reason(err)), "empty") {
		return nil
	}
	return ui.Send(ui.OpenMenuMsg{Title: bucketName(b) + " is not empty", Actions: []ui.Action{
		{
			Key:       ui.Bind("count its objects, then ask whether to delete them all", "e"),
			Writes:    true,
			OpensView: true,
			Do:        func() tea.Cmd { return countThenEmpty(a, b.Object("")) },
		},
		{
			Key: ui.Bind("look at them", "l"),
			Do:  func() tea.Cmd { return ui.Send(ui.OpenPaneMsg{Pane: ObjectsPane(a, b, "", "/")}) },
		},
		{Key: ui.Bind("leave it as it is", "n"), Do: func() tea.Cmd { return nil }},
	}})
}

// newBucket asks for a bucket. If the account has that bucket already, the API returns it as if it were new; the
// message tells them apart.
func newBucket(a *account.Account) resource.Draft[*client.Bucket] {
	values := client.BucketRequest{ACL: client.ACLPrivate, CORS: new(false)}
	if ids := availableClusterIDs(a); len(ids) > 0 {
		values.Cluster = ids[0]
	}
	return newBucketFrom(a, values)
}

// newBucketFrom asks for a bucket, beginning with values.
func newBucketFrom(a *account.Account, values client.BucketRequest) resource.Draft[*client.Bucket] {
	in, before := &values, a.Buckets().Rows()
	var created *client.Bucket // nil if there was one already, or if the answer was lost
	clusters := func() []string { return availableClusterIDs(a) }
	return resource.Draft[*client.Bucket]{
		Title:       "New bucket",
		Text:        "Storage is billed from the first bucket until Object Storage is cancelled.",
		SubmitLabel: "create",
		Fields:      bucketFields(in, clusters, checkBucketLabelUnused(a, &in.Cluster)),
		Review:      func() string { return wording.Capitalize(in.ACL.OnBucket()) + "." },
		Confirm: func([]*client.Bucket) resource.ConfirmationSpec {
			return confirmBucketACL(fmt.Sprintf(
				"Creates bucket %s in %s.", client.Clean(in.Label), client.Clean(in.Cluster),
			), in.Label, in.ACL, client.ACLPrivate)
		},
		Undo: func() resource.Undo[*client.Bucket] {
			if created == nil {
				return resource.Undo[*client.Bucket]{}
			}
			private := client.BucketAccess{ACL: client.ACLPrivate}
			return undoBucketAccess(a, created, client.BucketAccess{ACL: in.ACL}, private)
		},
		Attempt: func(*client.Bucket) account.Attempt[*client.Bucket] {
			sent := *in
			sent.Cluster, sent.Region = client.SplitLocation(in.Cluster, a.Clusters().Rows())
			return account.Attempt[*client.Bucket]{
				ID:    sent.ID(),
				Label: sent.Label,
				Sent:  sent,
				Send: func(ctx context.Context, w *client.Writer) (lists.ChangeResult[*client.Bucket], error) {
					b, err := w.CreateBucket(ctx, sent)
					if err == nil && !existedBefore(a, b, before) {
						created = b
					}
					return lists.ResultRow(b, err)
				},
			}
		},
		Success: func(b *client.Bucket) string {
			if existedBefore(a, b, before) {
				return "already existed, since " + formatDate(b.Created) + "; nothing was created"
			}
			return "created"
		},
	}
}

// bucketFields returns the fields of a new bucket. clusters are suggestions; checks are further checks of the label.
func bucketFields(in *client.BucketRequest, clusters func() []string, checks ...form.Validator) []form.Field {
	label := form.Text("label", "Label", &in.Label, checkBucketLabel).Check(checks...)
	cluster := form.Combobox("cluster", "Cluster", &in.Cluster, clusters, form.Required()).SentAs("region")
	argument := form.ScriptInput{Argument: "CLUSTER/BUCKET", Set: func(text string) string {
		clusterID, name, err := ParseBucketID(text)
		if err != nil {
			return err.Error()
		}
		cluster.Set(clusterID)
		return label.Set(name)
	}}
	return []form.Field{
		label.Scripted(argument).Note("lowercase letters, digits, dots and hyphens; unique in its cluster"),
		cluster.NoteFunc(func() string {
			if clusters == nil || len(clusters()) == 0 {
				return "a cluster or a region: their list has not been read"
			}
			return "up and down go through the clusters"
		}),
		form.Choice("acl", "ACL", &in.ACL, client.SettableACLs()...).Flag("acl", client.ACLChoices),
		form.OptionalSwitch("cors_enabled", "CORS", &in.CORS).
			Note("yes lets web pages from any origin read from it").
			Scripted(form.ScriptInput{
				Flag:    "cors",
				Usage:   "allow (or, with --cors=false, forbid) requests from all origins; default: the API decides",
				Default: serviceDecides,
				Bool:    true,
				Set:     func(text string) (wrong string) { in.CORS, wrong = parseCORS(text); return wrong },
			}),
	}
}

// existedBefore reports whether a bucket that was created is an old one: it was listed before, or is older than an
// hour.
func existedBefore(a *account.Account, b *client.Bucket, before []*client.Bucket) bool {
	same := func(k *client.Bucket) bool { return k.ID() == b.ID() }
	return slices.ContainsFunc(before, same) || b.Created.Valid() && a.Now().Sub(b.Created.Time()).Hours() > 1
}

// availableClusterIDs returns the ids of the clusters that are neither unavailable nor hidden, a status that the
// document does not list, and the locations of the buckets.
func availableClusterIDs(a *account.Account) []string {
	var ids []string
	for _, c := range a.Clusters().Rows() {
		if status := c.Status.Raw(); status != "unavailable" && status != "hidden" {
			ids = append(ids, c.ID.Raw())
		}
	}
	for _, b := range a.Buckets().Rows() {
		if id := b.Location().Raw(); id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// checkBucketLabel returns why a text is not a label, by the rules of the provider's console. The document gives none.
func checkBucketLabel(text string) string {
	switch {
	case len(text) < 3 || len(text) > 63:
		return "use 3 to 63 characters"
	case strings.Contains(text, "..") || strings.Contains(text, ".-") ||
		strings.Contains(text, "-.") || strings.Contains(text, "--"):
		return "dots and hyphens must not be adjacent"
	case !regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*[a-z0-9]$`).MatchString(text):
		return "lowercase letters, digits, dots and hyphens; a letter or a digit at both ends"
	}
	return ""
}

// checkBucketLabelUnused returns a check that no bucket of the cluster has the label.
func checkBucketLabelUnused(a *account.Account, cluster *string) form.Validator {
	return func(text string) string {
		_, taken := a.Buckets().Get(*cluster + "/" + text)
		return wording.If(taken, "a bucket with this label exists in the cluster")
	}
}

// accessInput holds the values of the form for a bucket's access.
type accessInput struct {
	present client.BucketAccessStatus // what is set, as far as it is known
	acl     client.ACL                // the present one, unknownACL, or a canned ACL
	cors    string                    // corsUnknown, "yes" or "no"
}

// corsUnknown stands for a CORS setting that could not be read.
const corsUnknown = "unknown"

// newAccessInput returns what is set as the values of the form.
func newAccessInput(present client.BucketAccessStatus) *accessInput {
	in := &accessInput{present: present, acl: cmp.Or(present.ACL, unknownACL)}
	in.cors = in.presentCORS()
	return in
}

// presentCORS returns the CORS setting as the form shows it.
func (in *accessInput) presentCORS() string {
	switch {
	case in.present.CORS == nil:
		return corsUnknown
	case *in.present.CORS:
		return "yes"
	}
	return "no"
}

// readThenSetBucketAccess is setBucketAccess that begins with what is set, if that can be read in time.
func readThenSetBucketAccess(
	ctx context.Context, a *account.Account, b *client.Bucket,
) resource.Draft[*client.Bucket] {
	const patience = 5 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	present, err := a.API.Buckets.Access(ctx, b.Location().Raw(), b.Label.Raw())
	if err != nil {
		draft := setBucketAccess(a, b, &client.BucketAccessStatus{})
		draft.Text = "The current access could not be read: " + wording.Reason(err) + ". " + draft.Text
		return draft
	}
	return setBucketAccess(a, b, present)
}

// setBucketAccess changes a bucket's canned ACL and CORS setting, as far as the values differ from what is set. The
// API's answer is empty, so the access is read again.
func setBucketAccess(
	a *account.Account, b *client.Bucket, present *client.BucketAccessStatus,
) resource.Draft[*client.Bucket] {
	return newAccessInput(*present).draft(a, b)
}

// draft returns the change of a bucket's access to the values of the form.
func (in *accessInput) draft(a *account.Account, b *client.Bucket) resource.Draft[*client.Bucket] {
	found := accessReadBack{}
	var before *client.BucketAccessStatus // nil if it could not be read
	return resource.Draft[*client.Bucket]{
		Title:       "Access to " + bucketName(b),
		Text:        "Only what you change is sent.",
		SubmitLabel: "change",
		Fields:      in.fields(b),
		Review: func() string {
			if !slices.Contains(client.SettableACLs(), in.acl) {
				return "Unchanged."
			}
			return wording.Capitalize(in.acl.OnBucket()) + "."
		},
		WhyResendIsSafe: "Setting the same access twice does no harm",
		AsNew:           func() resource.Draft[*client.Bucket] { return newBucketFrom(a, in.asNew(b)) },
		Confirm: func([]*client.Bucket) resource.ConfirmationSpec {
			setting, value := in.describe()
			_, set := in.request()
			return confirmBucketACL(
				fmt.Sprintf("Bucket %s: %s will be %s.", bucketName(b), setting, value), b.Label.Raw(), set.ACL,
				in.present.ACL,
			)
		},
		Undo: func() resource.Undo[*client.Bucket] {
			_, set := in.request()
			return undoBucketAccess(a, b, set, before.ValuesOf(set))
		},
		Attempt: func(*client.Bucket) account.Attempt[*client.Bucket] {
			call, access := in.request()
			var known any // nil instead of no values
			if values := in.present.ValuesOf(access); values != (client.BucketAccess{}) {
				known = values
			}
			return account.Attempt[*client.Bucket]{
				Call:      call,
				ID:        b.ID(),
				Label:     b.Label.Raw(),
				Before:    known,
				Unchanged: access.ACL == "" && access.CORS == nil,
				Sent:      access,
				Send: func(ctx context.Context, w *client.Writer) (lists.ChangeResult[*client.Bucket], error) {
					before, _ = a.API.Buckets.Access(ctx, b.Location().Raw(), b.Label.Raw())
					result, err := lists.ResultReload[*client.Bucket](sendBucketAccess(ctx, w, b, access))
					if err == nil {
						found = readBackBucketAccess(ctx, a, b, access)
						result.Warn = found.differs
					}
					return result, err
				},
			}
		},
		Success: func(*client.Bucket) string { return found.describe(in.describe()) },
	}
}

// accessReadBack is what reading an access again shows after it was set.
type accessReadBack struct {
	before  client.ACL // of an object, as far as it is known
	now     string     // "public-read, CORS on"
	differs bool       // another value was set
	unknown string     // why it is not known
}

// The two reasons why an access is not known after it was set, without their ends.
const (
	accessNotRead     = "its current state is not known: "
	accessNotReported = "the API does not report "
)

// describe says what a setting is after a value was set.
func (f accessReadBack) describe(setting, value string) string {
	switch {
	case f.differs:
		return setting + " was set to " + value + " · a later read shows " + f.now
	case f.unknown != "":
		return setting + " was set to " + value + " · " + f.unknown
	}
	return setting + " is now " + value
}

// readBackBucketAccess reads a bucket's access after it was set.
func readBackBucketAccess(
	ctx context.Context, a *account.Account, b *client.Bucket, set client.BucketAccess,
) accessReadBack {
	now, err := a.API.Buckets.Access(ctx, b.Location().Raw(), b.Label.Raw())
	if err != nil {
		return accessReadBack{unknown: accessNotRead + wording.Reason(err)}
	}
	found := accessReadBack{now: now.String(), differs: now.Differs(set)}
	if missing := now.Unreported(set); missing != "" {
		found.unknown = accessNotReported + missing
	}
	return found
}

// fields are the fields of the form.
func (in *accessInput) fields(b *client.Bucket) []form.Field {
	acls := client.SettableACLs()
	if !slices.Contains(acls, in.acl) {
		acls = append([]client.ACL{in.acl}, acls...)
	}
	cors := []string{"yes", "no"}
	if in.cors == corsUnknown {
		cors = append([]string{corsUnknown}, cors...)
	}
	return []form.Field{
		form.Choice("acl", "ACL", &in.acl, acls...).
			Scripted(form.ScriptInput{Flag: "acl", Usage: client.ACLChoices, Except: string(unknownACL)}),
		form.Choice("cors_enabled", "CORS", &in.cors, cors...).Scripted(form.ScriptInput{
			Flag:  "cors",
			Usage: "allow requests from all origins (CORS); --cors=false turns CORS off",
			Bool:  true,
			Set:   in.setCORS,
		}),
	}
}

// confirmBucketACL is the question before a change with some effect that sets the ACL of a bucket. If the ACL opens the
// bucket, it is asked on every account, and the label must be typed.
func confirmBucketACL(effect, label string, acl, present client.ACL) resource.ConfirmationSpec {
	c := resource.ConfirmationSpec{Effect: effect}
	if acl != "" {
		c.Effect += " " + wording.Capitalize(acl.OnBucket()) + "."
	}
	if acl.Opens(present) {
		c.Word, c.Required = label, true
	}
	return c
}

// undoBucketAccess sets the access to a bucket back to what it was before a change. What was not known, or cannot be
// set, stays as it is; but what the change has opened is made private again.
func undoBucketAccess(
	a *account.Account, b *client.Bucket, set, before client.BucketAccess,
) resource.Undo[*client.Bucket] {
	if !slices.Contains(client.SettableACLs(), before.ACL) {
		before.ACL = ""
		if set.ACL.Public() {
			before.ACL = client.ACLPrivate
		}
	}
	in := newAccessInput(client.BucketAccessStatus(set))
	if before.ACL != "" {
		in.acl = before.ACL
	}
	if before.CORS != nil {
		in.setCORS(strconv.FormatBool(*before.CORS))
	}
	_, access := in.request()
	if access == (client.BucketAccess{}) {
		return resource.Undo[*client.Bucket]{}
	}
	setting, value := in.describe()
	if access.ACL == "" {
		value = setting + " " + value // "CORS off"
	}
	return resource.Undo[*client.Bucket]{Operation: "access", Text: "set " + value, Draft: in.draft(a, b)}
}

// setCORS takes the value of a script's flag.
func (in *accessInput) setCORS(text string) (wrong string) {
	in.cors = "no"
	on, wrong := parseCORS(text)
	if on != nil && *on {
		in.cors = "yes"
	}
	return wrong
}

// serviceDecides stands for --cors where a script does not give it.
const serviceDecides = "unset"

// parseCORS returns the value of --cors, nil for serviceDecides, or what is wrong with it.
func parseCORS(text string) (on *bool, wrong string) {
	if text == serviceDecides {
		return nil, ""
	}
	value, err := strconv.ParseBool(text)
	return &value, wording.If(err != nil, "must be true or false")
}

// describe returns which setting is changed, and to what: "access", "public-read, CORS off" or "CORS", "off".
func (in *accessInput) describe() (setting, value string) {
	_, access := in.request()
	if access.CORS == nil {
		return "access", access.ACL.String()
	}
	cors := map[bool]string{true: "on", false: "off"}[*access.CORS]
	if access.ACL == "" {
		return "CORS", cors
	}
	return "access", access.ACL.String() + ", CORS " + cors
}

// request returns what is to be set and the operation for it: both settings are replaced with PUT, one of them is
// modified with POST.
func (in *accessInput) request() (op string, access client.BucketAccess) {
	if in.acl != cmp.Or(in.present.ACL, unknownACL) {
		access.ACL = in.acl
	}
	if in.cors != in.presentCORS() {
		on := in.cors == "yes"
		access.CORS = &on
	}
	if access.ACL != "" && access.CORS != nil {
		return client.OpReplaceBucketAccess, access
	}
	return client.OpUpdateBucketAccess, access
}

// asNew returns the request for a new bucket in the place of one that is gone, with the access that was chosen. What is
// not known, or cannot be set, is private and without CORS.
func (in *accessInput) asNew(b *client.Bucket) client.BucketRequest {
	values := client.BucketRequest{
		Cluster: b.Location().Raw(),
		Label:   b.Label.Raw(),
		ACL:     client.ACLPrivate,
		CORS:    new(in.cors == "yes"),
	}
	if slices.Contains(client.SettableACLs(), in.acl) {
		values.ACL = in.acl
	}
	return values
}

// sendBucketAccess sets the access to a bucket with the writer of either operation.
func sendBucketAccess(ctx context.Context, w *client.Writer, b *client.Bucket, access client.BucketAccess) error {
	switch {
	case access.ACL == "" && access.CORS == nil:
		return operation.ErrUnchanged
	case access.ACL != "" && access.CORS != nil:
		return w.ReplaceBucketAccess(ctx, b.Location().Raw(), b.Label.Raw(), access)
	}
	return w.UpdateBucketAccess(ctx, b.Location().Raw(), b.Label.Raw(), access)
}
