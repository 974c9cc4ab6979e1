package client

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// An Object is an entry of a listing ("Bucket object entry"). A common prefix has only a name.
type Object struct {
	Name     ServerText `json:"name"`          // unique in its bucket
	ETag     ETag       `json:"etag"`          // without the quotes of the HTTP header
	Modified Timestamp  `json:"last_modified"` // to the millisecond
	Owner    ServerText `json:"owner"`         // an identity of the store, not a name of the account
	Size     int64      `json:"size"`          // bytes; 0 for a common prefix, UnknownSize if the listing has none
}

// UnknownSize is the size of an object if the listing has none, or an invalid one.
const UnknownSize = -1

// withValidSize returns the entry with a negative size replaced by UnknownSize, or by 0 for a common prefix.
func (o Object) withValidSize() Object {
	switch {
	case o.Size >= 0:
	case o.IsPrefix():
		o.Size = 0
	default:
		o.Size = UnknownSize
	}
	return o
}

// objectJSON is an entry as the API sends it.
type objectJSON struct {
	Name     ServerText `json:"name"`
	ETag     ETag       `json:"etag"`
	Modified Timestamp  `json:"last_modified"`
	Owner    ServerText `json:"owner"`
	Size     *int64     `json:"size"`
}

func (l objectJSON) toObject() Object {
	o := Object{
		Name:     l.Name,
		ETag:     l.ETag,
		Modified: l.Modified,
		Owner:    l.Owner,
		Size:     UnknownSize,
	}
	if l.Size != nil {
		o.Size = *l.Size
	}
	return o.withValidSize()
}

// IsPrefix reports whether the entry stands for all objects whose names begin with it: the real service sets all other
// members to null.
func (o Object) IsPrefix() bool { return o.ETag.IsZero() && o.Modified.IsZero() && o.Owner.raw == "" }

// Clone returns the object with copied strings.
func (o Object) Clone() Object {
	o.Name = NewText(strings.Clone(o.Name.raw))
	o.ETag.raw = strings.Clone(o.ETag.raw)
	o.Modified.raw = strings.Clone(o.Modified.raw)
	o.Owner = NewText(strings.Clone(o.Owner.raw))
	return o
}

// MarshalJSON encodes the entry as the API sends it: all members of a common prefix but its name are null, and so is an
// unknown size.
func (o Object) MarshalJSON() ([]byte, error) { return o.AppendJSON(nil), nil }

// AppendJSON appends what MarshalJSON returns. Scripts write millions of entries, for which encoding/json takes six
// times as long.
func (o Object) AppendJSON(b []byte) []byte {
	b = appendJSONString(append(b, `{"name":`...), o.Name.raw)
	if o.IsPrefix() {
		return append(b, `,"etag":null,"last_modified":null,"owner":null,"size":null}`...)
	}
	b = appendJSONString(append(b, `,"etag":`...), o.ETag.Raw())
	b = append(b, `,"last_modified":`...)
	if o.Modified.IsZero() {
		b = append(b, "null"...)
	} else {
		b = appendJSONString(b, o.Modified.RFC3339().raw)
	}
	b = appendJSONString(append(b, `,"owner":`...), o.Owner.raw)
	if o.Size < 0 {
		return append(b, `,"size":null}`...)
	}
	return append(strconv.AppendInt(append(b, `,"size":`...), o.Size, 10), '}')
}

// appendJSONString appends a string as encoding/json encodes it.
func appendJSONString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			text, _ := json.Marshal(s) // a string cannot fail
			return append(b, text...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

// An ObjectQuery selects the entries of a listing ("Object Storage", rule 3).
type ObjectQuery struct {
	Cluster, Bucket string
	Prefix          string // only names that begin with it
	Delimiter       string // cuts names at its first occurrence after the prefix
	Marker          string // NextMarker of the previous page
	PageSize        int    // 25..500; 0 is 500
}

// An ObjectPage is one page of a listing. A page may be short although another follows. Its strings are parts of the
// answer, which stays in memory as long as one of them does: keep many objects in an objectindex.Index.
type ObjectPage struct {
	Data       []Object
	Truncated  bool
	NextMarker string   // marker of the next page; "" at the end
	Warnings   []string // invalid values, for the user
	// why there is no next page although there should be one: "incomplete: marker missing"; "" otherwise
	Incomplete string
}

// Rows returns pointers to the entries.
func (p *ObjectPage) Rows() []*Object {
	rows := make([]*Object, len(p.Data))
	for i := range rows {
		rows[i] = &p.Data[i]
	}
	return rows
}

// UnmarshalJSON reads the answer of a listing: data must be there and be a list.
func (p *ObjectPage) UnmarshalJSON(body []byte) error {
	var truncated, next json.RawMessage
	wanted := map[string]*json.RawMessage{"is_truncated": &truncated, "next_marker": &next}
	if err := extractMembers(body, wanted); err != nil {
		return err
	}
	var rows Page[*objectJSON]
	if err := rows.UnmarshalJSON(body); err != nil {
		return err
	}
	*p = ObjectPage{
		Data:      make([]Object, len(rows.Data)),
		Warnings:  rows.Warnings,
		Truncated: string(truncated) == "true",
	}
	for i, row := range rows.Data {
		p.Data[i] = row.toObject()
	}
	var marker ServerText
	if len(next) > 0 && marker.UnmarshalJSON(next) == nil && p.Truncated {
		p.NextMarker = marker.raw
	}
	return nil
}

// An ObjectACL is who may do what with an object ("Object ACL").
type ObjectACL struct {
	ACL ACL        `json:"acl"`
	XML ServerText `json:"acl_xml"`
}

// A PresignRequest asks for a pre-signed URL ("Object Storage", rule 4).
type PresignRequest struct {
	Name        string `json:"name"`
	Method      string `json:"method"`                 // GET, PUT or DELETE; the document does not list the values
	Expires     int    `json:"expires_in,omitempty"`   // 360..86400 seconds; 0 leaves the server's 3600
	ContentType string `json:"content_type,omitempty"` // the request to the URL must then have it
}

// Op returns the operation that makes the URL. A URL for GET changes nothing, so read-only mode allows it.
func (r PresignRequest) Op() string {
	if r.Method == http.MethodGet {
		return OpCreateDownloadURL
	}
	return OpCreateObjectURL
}

// A PresignedURL is a credential: anyone who has it may make the one request that it signs.
type PresignedURL struct {
	URL    Secret         `json:"url"`
	Exists Optional[bool] `json:"exists"` // whether the object is there now; not in the document
}

// Expires returns when the URL stops working, as its signature says: false if it does not say so.
func (p PresignedURL) Expires() (time.Time, bool) {
	u, err := url.Parse(p.URL.Reveal())
	if err != nil {
		return time.Time{}, false
	}
	q := u.Query()
	if epoch, err := strconv.ParseInt(q.Get("Expires"), 10, 64); err == nil && epoch > 0 {
		return time.Unix(epoch, 0).UTC(), true
	}
	from, err := time.Parse("20060102T150405Z", q.Get("X-Amz-Date"))
	seconds, failed := strconv.Atoi(q.Get("X-Amz-Expires"))
	return from.Add(time.Duration(seconds) * time.Second), err == nil && failed == nil && seconds > 0
}

// Exists reports whether the object of a pre-signed URL is there now: as the answer says, or else the listing.
func (s ObjectReader) Exists(ctx context.Context, o ObjectRef, p PresignedURL) Optional[bool] {
	if _, known := p.Exists.Value(); known {
		return p.Exists
	}
	_, found, err := s.Find(ctx, o.Cluster, o.Bucket, o.Name)
	if err != nil {
		return Optional[bool]{}
	}
	return Known(found)
}

// ObjectReader reads the objects of buckets.
type ObjectReader struct{ c *Client }

// List returns one page of a bucket's objects.
func (s ObjectReader) List(ctx context.Context, q ObjectQuery) (ObjectPage, error) {
	r := s.listRequest(q)
	p, err := call[ObjectPage](ctx, s.c, r)
	if q.PageSize == 0 && s.c.fallBackToSmallPages(pageSize, err) {
		q.PageSize = smallPageSize
		return s.List(ctx, q)
	}
	p.check(q.Marker)
	return p, err
}

// listRequest returns the request for a page.
func (s ObjectReader) listRequest(q ObjectQuery) request {
	size := q.PageSize
	if size == 0 {
		size = s.c.pageSize()
	}
	query := url.Values{"page_size": {fmt.Sprint(size)}}
	for name, value := range map[string]string{"prefix": q.Prefix, "delimiter": q.Delimiter, "marker": q.Marker} {
		if value != "" {
			query.Set(name, value)
		}
	}
	r := bucketCall("list objects", q.Cluster, q.Bucket, nil)
	r.query = query
	return r
}

// check ends a listing that cannot continue, and says why in Incomplete.
func (p *ObjectPage) check(asked string) {
	why := ""
	switch {
	case p.Truncated && p.NextMarker == "":
		why = "marker missing"
	case p.NextMarker == "":
		return
	case p.NextMarker == asked:
		why = "marker repeated"
	case len(p.Data) > 0 && p.NextMarker == p.Data[len(p.Data)-1].Name.raw && p.NextMarker < asked:
		why = "marker went backward"
	default:
		return
	}
	p.markIncomplete(why)
}

// markIncomplete makes a page the last one of a listing that cannot continue.
func (p *ObjectPage) markIncomplete(why string) {
	p.Incomplete = "incomplete: " + why
	p.NextMarker, p.Warnings = "", append(p.Warnings, p.Incomplete)
}

// ACL returns an object's ACL.
func (s ObjectReader) ACL(ctx context.Context, cluster, bucket, name string) (*ObjectACL, error) {
	r := bucketCall("view object ACL", cluster, bucket, nil)
	r.query = url.Values{"name": {name}}
	return call[*ObjectACL](ctx, s.c, r)
}

// optionalACL is an ObjectACL that may be empty.
type optionalACL ObjectACL

// UnmarshalJSON accepts any object.
func (a *optionalACL) UnmarshalJSON(data []byte) error {
	_, _, err := decodeLenient(data, (*ObjectACL)(a))
	return err
}

// presign makes a pre-signed URL that the client uses itself. It changes nothing; the object need not exist.
func (s ObjectReader) presign(ctx context.Context, cluster, bucket string, r PresignRequest) (PresignedURL, error) {
	return call[PresignedURL](ctx, s.c, bucketCall(OpCreateObjectURL, cluster, bucket, r))
}

// CreateObjectURL makes a pre-signed URL that a person or another program uses. The object need not exist. A writer for
// OpCreateDownloadURL makes URLs for GET only.
func (w *Writer) CreateObjectURL(ctx context.Context, cluster, bucket string, r PresignRequest) (PresignedURL, error) {
	op := OpCreateObjectURL
	if w.change.Op == OpCreateDownloadURL {
		op = r.Op()
	}
	req := bucketCall(op, cluster, bucket, r)
	req.id = ObjectRef{cluster, bucket, r.Name}.ID()
	return sendChange[PresignedURL](ctx, w, req)
}

// SetObjectACL changes an object's ACL and returns the one that it then has. The document promises it in the answer;
// the real service answers an empty object, so it is read again. It returns nil if it cannot be read.
func (w *Writer) SetObjectACL(ctx context.Context, o ObjectRef, acl ACL) (*ObjectACL, error) {
	a, err := w.sendObjectACL(ctx, o, acl)
	if err != nil || a.ACL != "" {
		return (*ObjectACL)(a), err
	}
	now, err := w.client.Objects.ACL(ctx, o.Cluster, o.Bucket, o.Name)
	if err != nil {
		return nil, nil // the change itself was applied
	}
	return now, nil
}

// SendObjectACL changes an object's ACL, for callers that read it themselves.
func (w *Writer) SendObjectACL(ctx context.Context, o ObjectRef, acl ACL) error {
	_, err := w.sendObjectACL(ctx, o, acl)
	return err
}

func (w *Writer) sendObjectACL(ctx context.Context, o ObjectRef, acl ACL) (*optionalACL, error) {
	r := bucketCall(OpSetObjectACL, o.Cluster, o.Bucket, map[string]any{"acl": acl, "name": o.Name})
	r.id = o.ID()
	return sendChange[*optionalACL](ctx, w, r)
}

// An ETag is an object's checksum as the service reports it: the MD5 of the object; for a multipart upload an MD5, a
// hyphen and the number of parts; or any other text. ETags with equal texts are equal values.
type ETag struct {
	sum   [16]byte
	md5   bool   // the text is sum in hexadecimal, followed by parts if there are any
	parts uint16 // of a multipart upload, otherwise 0
	raw   string // the text, if it is not made from sum
}

// NewETag parses the text of a checksum.
func NewETag(raw string) ETag {
	if e, ok := parseMD5ETag(raw); ok {
		return e
	}
	return ETag{raw: raw}
}

// parseMD5ETag parses 32 lower-case hexadecimal digits, and an optional hyphen and number of parts.
func parseMD5ETag(s string) (e ETag, ok bool) {
	if len(s) < 32 {
		return ETag{}, false
	}
	for i := range e.sum {
		high, low := hexDigits[s[2*i]], hexDigits[s[2*i+1]]
		if high|low > 15 {
			return ETag{}, false
		}
		e.sum[i] = high<<4 | low
	}
	e.md5 = true
	if len(s) == 32 {
		return e, true
	}
	n, err := strconv.ParseUint(s[33:], 10, 16)
	if err != nil || n == 0 || s[32] != '-' || s[33] < '1' || s[33] > '9' {
		return ETag{}, false
	}
	e.parts = uint16(n)
	return e, true
}

// hexDigits are the values of lower-case hexadecimal digits, 255 for all other bytes.
var hexDigits = func() (table [256]byte) {
	for i := range table {
		table[i] = 255
		if at := strings.IndexByte("0123456789abcdef", byte(i)); at >= 0 {
			table[i] = byte(at)
		}
	}
	return table
}()

// MD5 returns the checksum of the object's bytes, if the ETag is one: that of a multipart upload is not.
func (e ETag) MD5() (sum [16]byte, ok bool) { return e.sum, e.md5 && e.parts == 0 }

// Checksum returns the MD5 of the ETag, and the number of parts of a multipart upload or 0. It reports false if the
// ETag has neither form.
func (e ETag) Checksum() (sum [16]byte, parts uint16, ok bool) { return e.sum, e.parts, e.md5 }

// ChecksumETag returns the ETag with a checksum and a number of parts.
func ChecksumETag(sum [16]byte, parts uint16) ETag { return ETag{sum: sum, md5: true, parts: parts} }

// IsZero reports whether there is no ETag.
func (e ETag) IsZero() bool { return !e.md5 && e.raw == "" }

// Raw returns the ETag as it came.
func (e ETag) Raw() string {
	if !e.md5 {
		return e.raw
	}
	text := make([]byte, 32, 38)
	hex.Encode(text, e.sum[:])
	if e.parts > 0 {
		text = strconv.AppendUint(append(text, '-'), uint64(e.parts), 10)
	}
	return string(text)
}

// String returns the ETag, safe to display.
func (e ETag) String() string { return Clean(e.Raw()) }

// UnmarshalJSON accepts a string; null is no ETag.
func (e *ETag) UnmarshalJSON(data []byte) error {
	var t ServerText
	err := t.UnmarshalJSON(data)
	*e = NewETag(t.raw)
	return err
}

// MarshalJSON encodes the ETag as it came.
func (e ETag) MarshalJSON() ([]byte, error) { return json.Marshal(e.Raw()) }
