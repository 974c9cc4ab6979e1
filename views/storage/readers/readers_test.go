package readers

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/journal"
)

// The links to a bucket or an object are those that were made, newest first, and have not expired. Without a lifetime
// in the request a link works for an hour.
func TestLinksTo(t *testing.T) {
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	now := start
	j := journal.NewInMemory(func() time.Time { return now })
	for _, made := range []struct {
		bucket, name, method string
		seconds              int
		outcome              client.Outcome
	}{
		{"www", "a", "GET", 600, client.Applied},
		{"www", "b", "PUT", 0, client.Applied},
		{"www", "a/b", "GET", 7200, client.Applied},
		{"www", "a", "DELETE", 7200, client.Unknown},
		{"www-2", "a", "GET", 7200, client.Applied},
	} {
		request := client.PresignRequest{Name: made.name, Method: made.method, Expires: made.seconds}
		id := client.ObjectRef{Cluster: "us-east-1", Bucket: made.bucket, Name: made.name}.ID()
		intent, err := j.RecordIntent(t.Context(), client.Change{Op: request.Op(), ID: id, Body: request})
		if err != nil {
			t.Fatal(err)
		}
		j.RecordOutcome(intent, made.outcome, nil)
	}
	for _, c := range []struct {
		name  string
		after time.Duration
		want  string
	}{
		{"", 0, "[GET a/b PUT b GET a]"},
		{"a", 0, "[GET a]"},
		{"", 10 * time.Minute, "[GET a/b PUT b]"},
		{"a", 10 * time.Minute, "[]"},
		{"", time.Hour, "[GET a/b]"},
		{"", 2 * time.Hour, "[]"},
	} {
		now = start.Add(c.after)
		found := []string{}
		for _, r := range linksTo(j, client.ObjectRef{Cluster: "us-east-1", Bucket: "www", Name: c.name}, now) {
			found = append(found, r.Access+" "+r.Name)
		}
		if got := fmt.Sprint(found); got != c.want {
			t.Errorf("of %q after %v: %s, want %s", c.name, c.after, got, c.want)
		}
	}
}

// A key is listed if it reaches the bucket, or if it is not known whether it does: not if it is limited and has no
// permission on the bucket.
func TestKeys(t *testing.T) {
	grant := func(label, permissions string) client.BucketGrant {
		return client.BucketGrant{
			Cluster:     client.NewText("us-east-1"),
			Bucket:      client.NewText(label),
			Permissions: client.NewText(permissions),
		}
	}
	key := func(label string, limited client.Optional[bool], grants ...client.BucketGrant) *client.AccessKey {
		return &client.AccessKey{Label: client.NewText(label), Limited: limited, Buckets: grants}
	}
	keys := []*client.AccessKey{
		key("unknown", client.Optional[bool]{}),
		key("unlimited", client.Known(false)),
		key("reads", client.Known(true), grant("www", "read_only")),
		key("another", client.Known(true), grant("www-2", "read_only")),
		key("no permission", client.Known(true), grant("www", "")),
		key("limited to what is not told", client.Known(true)),
	}
	var got []string
	for _, g := range Keys(keys, "us-east-1/www", "us-east") {
		got = append(got, g.Name+": "+g.Access)
	}
	want := []string{
		"reads: read_only", "unlimited: read_write", "unknown: unknown", "limited to what is not told: unknown",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
