package faulttest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// NewerEndpointTransport is a transport that shows the buckets of some clusters as the service shows those of the newer
// types of endpoint: without a cluster, in a region, which is their segment in paths.
type NewerEndpointTransport struct {
	Next     http.RoundTripper
	Clusters map[string]string // by region
}

// RoundTrip rewrites the request for an account that knows only clusters, and its answer.
func (n NewerEndpointTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	const buckets = "/object-storage/buckets/"
	request := req.Clone(req.Context())
	var body []byte
	if req.Body != nil {
		body, _ = io.ReadAll(req.Body)
	}
	for region, cluster := range n.Clusters {
		if strings.Contains(req.URL.Path, buckets+cluster+"/") {
			return nil, fmt.Errorf("%s: the bucket has no cluster", req.URL.Path)
		}
		request.URL.Path = strings.Replace(request.URL.Path, buckets+region+"/", buckets+cluster+"/", 1)
		request.URL.RawPath = strings.Replace(request.URL.RawPath, buckets+region+"/", buckets+cluster+"/", 1)
		body = bytes.ReplaceAll(body, []byte(`"region":"`+region+`"`), []byte(`"cluster":"`+cluster+`"`))
	}
	if req.Body != nil {
		request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	res, err := n.Next.RoundTrip(request)
	if err != nil || !strings.Contains(req.URL.Path, "/object-storage/") {
		return res, err
	}
	answer, err := io.ReadAll(res.Body)
	res.Body.Close()
	for region, cluster := range n.Clusters {
		newer := fmt.Sprintf(
			`"cluster":"","region":%q,"endpoint_type":"E3","s3_endpoint":"%s.objects.example"`,
			region,
			cluster,
		)
		answer = bytes.ReplaceAll(answer, []byte(`"cluster":"`+cluster+`"`), []byte(newer))
	}
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(answer)), int64(len(answer))
	res.Header.Del("Content-Length")
	return res, err
}

// ServeHTTP answers as RoundTrip does.
func (n NewerEndpointTransport) ServeHTTP(w http.ResponseWriter, req *http.Request) { serve(n, w, req) }

// serve answers a request of a server with a transport.
func serve(transport http.RoundTripper, w http.ResponseWriter, req *http.Request) {
	res, err := transport.RoundTrip(req)
	if err != nil {
		http.Error(w, `{"errors":[{"reason":"Not found"}]}`, http.StatusNotFound)
		return
	}
	defer res.Body.Close()
	for name, values := range res.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(res.StatusCode)
	_, _ = io.Copy(w, res.Body)
}
