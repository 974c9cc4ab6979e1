package emulator

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// maxPutBytes is the size limit of one PUT at the real service.
const maxPutBytes = 5 << 30

// signURL returns a pre-signed URL with the cluster and the bucket in its path, so that one host serves all clusters.
// The signature covers the method, content type, expiry and path.
func signURL(c *apiRequest, b *bucket) (any, error) {
	name, kind, expires := "", "", 3600
	method := "GET"
	if err := firstError(
		c.require("name"), c.readString("name", &name, 1, 1024),
		c.readEnum("method", &method, "GET", "PUT", "POST", "DELETE"), c.readInt("expires_in", &expires, 360, 86400),
		c.readString("content_type", &kind, 0, 255),
	); err != nil {
		return nil, err
	}
	if kind == "" && method != "GET" && method != "DELETE" {
		return nil, invalidField("content_type", "content_type is required for the method %s", method)
	}
	path := "/" + b.cluster.place() + "/" + b.label + "/" + name
	until := strconv.FormatInt(c.e.now().Add(time.Duration(expires)*time.Second).Unix(), 10)
	u, err := url.Parse(c.e.options.BaseURL)
	if err != nil {
		return nil, newAPIError(http.StatusInternalServerError, "the emulator has an invalid BaseURL")
	}
	u.Path, u.RawPath = path, "/"+url.PathEscape(b.cluster.place())+"/"+url.PathEscape(b.label)+"/"+escapeName(name)
	u.RawQuery = url.Values{
		"Signature":      {c.e.sign(method, kind, until, path)},
		"Expires":        {until},
		"AWSAccessKeyId": {"EMULATEDACCESSKEY000"},
	}.Encode()
	return map[string]any{"url": u.String(), "exists": b.loadObjects().get(name) != nil}, nil
}

func escapeName(name string) string { return strings.ReplaceAll(url.PathEscape(name), "%2F", "/") }

func (e *Emulator) sign(method, kind, until, path string) string {
	mac := hmac.New(sha1.New, e.signingKey)
	fmt.Fprintf(mac, "%s\n%s\n%s\n%s", method, kind, until, path)
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// serveObject handles a request for a pre-signed URL.
func (e *Emulator) serveObject(w http.ResponseWriter, r *http.Request) {
	fault, _ := e.matchFault(r, Route{Name: "object " + strings.ToLower(r.Method)})
	if fault != nil && fault.fault.Late > 0 {
		e.postponeObject(r, fault.fault.Late)
	}
	if fault != nil && fault.runBefore(w, r) {
		return
	}
	b, name, status := e.verifyRequest(r)
	if status != 0 {
		http.Error(w, http.StatusText(status), status)
		return
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		e.getObject(w, r, b, name)
	case http.MethodPut:
		e.putObject(w, r, b, name)
	case http.MethodDelete:
		e.mu.Lock()
		e.advance()
		e.removeObject(r, b, name)
		e.mu.Unlock()
		w.WriteHeader(http.StatusNoContent)
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

// verifyRequest checks the signature and the expiry of a pre-signed request. It returns the bucket, the object name,
// and the error status or 0.
func (e *Emulator) verifyRequest(r *http.Request) (*bucket, string, int) {
	q := r.URL.Query()
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	kind := ""
	if method == http.MethodPut || method == http.MethodPost {
		kind = r.Header.Get("Content-Type")
	}
	want := e.sign(method, kind, q.Get("Expires"), r.URL.Path)
	until, err := strconv.ParseInt(q.Get("Expires"), 10, 64)
	if err != nil || !hmac.Equal([]byte(want), []byte(q.Get("Signature"))) || e.clock().Unix() > until {
		return nil, "", http.StatusForbidden
	}
	parts := strings.SplitN(strings.TrimPrefix(r.URL.Path, "/"), "/", 3)
	if len(parts) < 3 {
		return nil, "", http.StatusNotFound
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if b := e.bucket(parts[0], parts[1]); b != nil {
		return b, parts[2], 0
	}
	return nil, "", http.StatusNotFound
}

func (e *Emulator) getObject(w http.ResponseWriter, r *http.Request, b *bucket, name string) {
	e.mu.Lock()
	e.advance()
	o := b.loadObjects().get(name)
	e.mu.Unlock()
	if o == nil {
		http.Error(w, "NoSuchKey", http.StatusNotFound)
		return
	}
	w.Header().Set("ETag", `"`+o.etag+`"`)
	w.Header().Set("Content-Type", o.contentType)
	http.ServeContent(w, r, "", o.modified, io.NewSectionReader(o, 0, o.size))
}

// putObject stores an object. The body must have its announced length.
func (e *Emulator) putObject(w http.ResponseWriter, r *http.Request, b *bucket, name string) {
	if r.ContentLength < 0 {
		http.Error(w, "MissingContentLength", http.StatusLengthRequired)
		return
	}
	if r.ContentLength > maxPutBytes {
		http.Error(w, "EntityTooLarge", http.StatusBadRequest)
		return
	}
	o, err := readObject(r, name, e.clock())
	if err != nil {
		http.Error(w, "IncompleteBody", http.StatusBadRequest)
		return
	}
	e.mu.Lock()
	e.advance()
	e.storeObject(r, b, o)
	e.mu.Unlock()
	w.Header().Set("ETag", `"`+o.etag+`"`)
	w.WriteHeader(http.StatusOK)
}

// storeObject puts an object into a bucket. The caller holds the lock.
func (e *Emulator) storeObject(r *http.Request, b *bucket, o *object) {
	b.loadObjects().put(o)
	e.recordChange("put object", r, nil)
}

// StoreObject stores an object as somebody else would: the ledger does not hold it. It does nothing if there is no such
// bucket.
func StoreObject(e *Emulator, cluster, label, name, text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if b := e.bucket(cluster, label); b != nil {
		b.loadObjects().put(newObject(name, "application/octet-stream", text, e.clock()))
	}
}

// GenerateObjects fills a bucket with n objects, in one folder for each million of them. It does nothing if there is no
// such bucket.
func GenerateObjects(e *Emulator, cluster, label string, n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	b := e.bucket(cluster, label)
	if b == nil {
		return
	}
	at := e.clock()
	b.objects = newObjectStore()
	b.objects.generated = objectGenerator{n, func(i int) *object {
		return newGeneratedObject(fmt.Sprintf("%03d/%s", i/1_000_000, generatedName(i%1_000_000)), 1_000, at)
	}}
	b.objects.count, b.objects.size = n, int64(n)*1_000
}

// DeleteObject deletes an object as somebody else would.
func DeleteObject(e *Emulator, cluster, label, name string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if b := e.bucket(cluster, label); b != nil {
		b.loadObjects().remove(name)
	}
}

// removeObject deletes an object if it exists. The caller holds the lock.
func (e *Emulator) removeObject(r *http.Request, b *bucket, name string) {
	if b.loadObjects().remove(name) {
		e.recordChange("delete object", r, nil)
	}
}

// maxKeptBytes is the largest object whose bytes are kept. For larger ones, the emulator keeps the size and the MD5.
const maxKeptBytes = 1 << 20

func readObject(r *http.Request, name string, at time.Time) (*object, error) {
	sum := md5.New()
	body := io.TeeReader(r.Body, sum)
	o := newGeneratedObject(name, r.ContentLength, at)
	if r.ContentLength <= maxKeptBytes {
		data, err := io.ReadAll(body)
		if err != nil || int64(len(data)) != r.ContentLength {
			return nil, errors.New("the body is too short")
		}
		o.data = append([]byte{}, data...)
	} else if n, err := io.Copy(io.Discard, body); err != nil || n != r.ContentLength {
		return nil, errors.New("the body is too short")
	}
	o.etag, o.contentType = hex.EncodeToString(sum.Sum(nil)), r.Header.Get("Content-Type")
	return o, nil
}
