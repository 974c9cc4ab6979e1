package emulator

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ServiceNow differs from the document where the real service was recorded to differ, or where its own clients show it.
// What neither shows is an assumption, and is marked so.

// newerSites returns clusters that the document does not know. Buckets of the endpoint types E2 and E3 have no cluster:
// only their region names them in paths, and the list of their cluster is empty (an assumption).
func newerSites() []*cluster {
	var all []*cluster
	for _, c := range []struct {
		id, region, endpointType string
		newer, unlisted          bool
	}{
		{"us-iad-1", "us-iad", "E1", false, false},
		{"us-lax-1", "us-lax", "E1", false, false},
		{"us-lax-4", "us-lax", "E3", true, true},
		{"gb-lon-1", "gb-lon", "E3", true, false},
		{"sg-sin-1", "sg-sin-2", "E2", true, false},
	} {
		one := newCluster(c.id, c.region)
		one.endpointType, one.newer, one.unlisted = c.endpointType, c.newer, c.unlisted
		if c.newer {
			one.Status = "hidden"
		}
		all = append(all, one)
	}
	return all
}

// site is an endpoint in an answer.
type site struct {
	ID           string `json:"id,omitempty"`
	Region       string `json:"region,omitempty"`
	S3Endpoint   string `json:"s3_endpoint"`
	EndpointType string `json:"endpoint_type"`
}

func listEndpoints(c *apiRequest) (any, error) {
	var all []site
	for _, one := range c.e.sites() {
		all = append(all, site{Region: one.Region, S3Endpoint: one.Domain, EndpointType: one.endpointType})
	}
	return paginate(c, all)
}

// readRegion returns the cluster for a region and, if it is given, an endpoint type.
func (c *apiRequest) readRegion() (*cluster, error) {
	var region, endpointType string
	if err := firstError(
		c.require("region"), c.readString("region", &region, 1, 64),
		c.readEnum("endpoint_type", &endpointType, "E0", "E1", "E2", "E3"),
	); err != nil {
		return nil, err
	}
	for _, one := range c.e.sites() {
		if one.Region == region && (endpointType == "" || endpointType == one.endpointType) {
			return one, nil
		}
	}
	return nil, invalidField("region", "The specified region was not found or does not support Object Storage.")
}

// placeNotFound answers for an unknown cluster or region.
func (c *apiRequest) placeNotFound() *apiError {
	if c.e.today {
		return newAPIError(404, "The specified region was not found or does not support Object Storage.")
	}
	return notFound()
}

// orKeyNotFound answers with a key, or 404 if it is nil.
func (c *apiRequest) orKeyNotFound(k *key) (any, error) {
	if k == nil && c.e.today {
		return nil, newAPIError(404, "The specified access key was not found.")
	}
	return orNotFound(k)
}

// limited reports whether the bucket is of an endpoint type without CORS, certificates and object ACLs.
func (b *bucket) limited() bool { return b.cluster.newer }

// clusterID is the cluster in answers, which is empty for the newer endpoint types.
func (b *bucket) clusterID() string {
	if b.cluster.newer {
		return ""
	}
	return b.cluster.ID
}

// certificateState is null for endpoint types without certificates.
func (b *bucket) certificateState() any {
	if b.limited() {
		return nil
	}
	return b.hasCertificate
}

// newerBody is a bucket as answered since 2024.
func (b *bucket) newerBody() map[string]any {
	m := b.bodyWithoutEndpoint()
	m["endpoint_type"], m["s3_endpoint"] = b.cluster.endpointType, b.cluster.Domain
	return m
}

// bodyWithoutEndpoint is a bucket as answered after a creation that named a cluster.
func (b *bucket) bodyWithoutEndpoint() map[string]any {
	m := map[string]any{
		"cluster":  b.clusterID(),
		"region":   b.cluster.Region,
		"created":  b.created,
		"hostname": b.label + "." + b.cluster.Domain,
		"label":    b.label,
	}
	if !b.sparse {
		m["objects"], m["size"] = b.loadObjects().count, b.loadObjects().size
	}
	return m
}

// readKeyRegions sets the regions of a key: those that the request names, or those of its buckets, or all.
func (c *apiRequest) readKeyRegions(k *key) error {
	if !c.e.today || k.Regions != nil && !c.has("regions") {
		return nil
	}
	var regions []string
	if c.has("regions") && json.Unmarshal(c.body["regions"], &regions) != nil {
		return invalidField("regions", "regions must be an array of strings")
	}
	for _, region := range regions {
		if !slices.ContainsFunc(c.e.sites(), func(one *cluster) bool { return one.Region == region }) {
			return invalidField("regions", "%s is not valid", region)
		}
	}
	for _, g := range k.Access {
		regions = append(regions, g.Region)
	}
	k.Regions = c.e.keySites(regions, regions == nil && !k.Limited)
	return nil
}

// keySites returns the endpoints in regions, or all of them.
func (a *account) keySites(regions []string, all bool) []site {
	found := []site{}
	for _, one := range a.sites() {
		if all || slices.Contains(regions, one.Region) {
			found = append(found, site{ID: one.Region, S3Endpoint: one.Domain, EndpointType: one.endpointType})
		}
	}
	return found
}

// seedNewerBuckets adds buckets that the document does not know: without a cluster, two with one label in two regions,
// and one whose answers leave out its size, as some recorded ones do.
func (a *account) seedNewerBuckets() {
	for i, r := range []struct {
		place, label string
		sparse       bool
		fill         func(*objectStore, time.Time)
	}{
		{"us-iad", "build-cache", false, seedLogs},
		{"gb-lon", "telemetry", false, seedInvoices},
		{"sg-sin-2", "telemetry", false, seedWebsite},
		{"us-east", "archive-2019", true, seedBackups},
	} {
		a.buckets = append(a.buckets, &bucket{
			cluster: a.siteAt(r.place),
			label:   r.label,
			created: a.ago(time.Duration(120-20*i) * day),
			acl:     "private",
			sparse:  r.sparse,
			objects: newObjectStore(),
			seed:    func(s *objectStore) { r.fill(s, a.started) },
		})
	}
}

// seedNewerKeys gives every key its regions, and adds one for a bucket without a cluster.
func (a *account) seedNewerKeys() {
	a.keys = append(a.keys, &key{
		ID:        201 + len(a.keys),
		Label:     "telemetry london",
		AccessKey: fmt.Sprintf("DEMOACCESSKEY%07d", 4100+len(a.keys)),
		SecretKey: redacted,
		Limited:   true,
		Access:    []grant{{Region: "gb-lon", Bucket: "telemetry", Permissions: "read_write"}},
	})
	for _, k := range a.keys {
		var regions []string
		for i, g := range k.Access {
			if b := a.bucket(g.Cluster, g.Bucket); b != nil {
				k.Access[i].Region = b.cluster.Region
			}
			regions = append(regions, k.Access[i].Region)
		}
		k.Regions = a.keySites(regions, !k.Limited)
	}
}

// A filter is what X-Filter asks for. The zero value keeps everything.
type filter struct{ keep func(group string) bool }

// contacts returns the contacts that the filter keeps.
func (f filter) contacts(rows []*contact) []*contact {
	if f.keep == nil {
		return rows
	}
	return slices.DeleteFunc(slices.Clone(rows), func(x *contact) bool { return !f.keep(valueOrEmpty(x.Group)) })
}

// readFilter reads X-Filter. Only the group of contacts can be filtered; every other attribute is an error.
func (c *apiRequest) readFilter() *apiError {
	text := c.r.Header.Get("X-Filter")
	if text == "" || !c.e.today || c.r.Method != "GET" {
		return nil
	}
	var wanted map[string]any
	if json.Unmarshal([]byte(text), &wanted) != nil {
		return invalidField("X-Filter", "Invalid JSON")
	}
	filterable := strings.HasSuffix(c.r.URL.Path, "/managed/contacts")
	for name, value := range wanted {
		match, ok := value.(string)
		if name != "group" || !filterable || !ok && value != nil {
			return invalidField("X-Filter", "Cannot filter on %s", name)
		}
		c.filter.keep = func(group string) bool { return group == match }
	}
	return nil
}
