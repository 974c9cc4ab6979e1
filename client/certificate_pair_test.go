package client

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lookout/client/faulttest"
)

// pemPair is a certificate for a name, valid for two hours around now, and its key.
func pemPair(t *testing.T, name string, now time.Time) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		DNSNames:     []string{name},
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), string(
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}),
	)
}

// The names in a certificate come from a file that somebody else may have made.
func TestCertificatePair_HostNames_areCleaned(t *testing.T) {
	pair := CertificatePair{Leaf: &x509.Certificate{DNSNames: []string{"a\x1b[2J.net", "b.net"}}}
	if got, want := pair.HostNames(), "a‹␛›[2J.net, b.net"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// What a file or a bucket's label adds to a sentence is cleaned too.
func TestCertificatePair_problems_areCleaned(t *testing.T) {
	now := time.Now()
	cert, key := pemPair(t, "cdn.acme.net", now)
	pair, err := NewCertificatePair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	if why := pair.ProblemFor("a\x1b[2J.net", now); !strings.Contains(why, "cover a‹␛›[2J.net") {
		t.Errorf("%q", why)
	}
	odd := strings.ReplaceAll(cert, "CERTIFICATE", "ODD\x1b[2J")
	if _, err := NewCertificatePair(odd, key); err == nil || !strings.Contains(err.Error(), "ODD‹␛›[2J") {
		t.Errorf("%q", err)
	}
}

func TestParseCertificatePair(t *testing.T) {
	now := time.Now()
	cert, key := pemPair(t, "cdn.acme.net", now)
	_, other := pemPair(t, "cdn.acme.net", now)
	for want, texts := range map[string][2]string{
		"certificate file": {"x", key},
		"cannot be read":   {"-----BEGIN CERTIFICATE-----\naGVsbG8=\n-----END CERTIFICATE-----\n", key},
		"only PRIVATE KEY": {key, cert},
		"key file":         {cert, "x"},
		"be used together": {cert, other},
		"is encrypted":     {cert, strings.ReplaceAll(key, "PRIVATE KEY", "ENCRYPTED PRIVATE KEY")},
	} {
		if _, err := NewCertificatePair(texts[0], texts[1]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	pair, err := NewCertificatePair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	for want, at := range map[string]struct {
		label string
		when  time.Time
	}{
		"":                {"cdn.acme.net", now},
		"expired":         {"cdn.acme.net", now.Add(2 * time.Hour)},
		"valid only from": {"cdn.acme.net", now.Add(-2 * time.Hour)},
		"do not cover":    {"www.acme.net", now},
	} {
		if why := pair.ProblemFor(at.label, at.when); !strings.Contains(why, want) || (why == "") != (want == "") {
			t.Errorf("%q: %q", want, why)
		}
	}
}

func TestLoadCertificatePair_tooLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large.pem")
	if err := os.WriteFile(path, make([]byte, maxPEMSize+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadCertificatePair(path, path); err == nil || !strings.Contains(err.Error(), "1 MiB") {
		t.Errorf("%v", err)
	}
}

// Only regular files are opened, because reading a pipe could block.
func TestLoadCertificatePair_notRegularFile(t *testing.T) {
	faulttest.ReportCase(t, "F11", "not a regular file")
	cert, key := pemPair(t, "cdn.acme.net", time.Now())
	good := filepath.Join(t.TempDir(), "good.pem")
	if err := os.WriteFile(good, []byte(cert+key), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2]string{{t.TempDir(), good}, {os.DevNull, good}} {
		if _, err := LoadCertificatePair(pair[0], pair[1]); err == nil ||
			!strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%q: %v", pair, err)
		}
	}
}
