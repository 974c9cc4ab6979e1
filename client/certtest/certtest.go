// Package certtest makes certificates and private keys for tests.
package certtest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Pair is a certificate and its private key.
type Pair struct {
	Leaf *x509.Certificate
	Key  crypto.Signer
}

// New returns a certificate for host names that is signed by its own key.
func New(hosts ...string) Pair { return Sign(x509.Certificate{DNSNames: hosts}, nil, Pair{}) }

// Sign returns a certificate like template, signed by issuer. Without an issuer its own key signs it, without a key it
// has a new one, without a time it is valid from 1999 to 2099 (tests with a clock of their own begin in 2000), and
// without host names it is an authority's.
func Sign(template x509.Certificate, key crypto.Signer, issuer Pair) Pair {
	template.SerialNumber = big.NewInt(1)
	if key == nil {
		key = must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	}
	if template.NotAfter.IsZero() {
		template.NotBefore = time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC)
		template.NotAfter = time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if len(template.DNSNames) == 0 {
		template.Subject = pkix.Name{CommonName: rand.Text()}
		template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	}
	if issuer.Leaf == nil {
		issuer = Pair{&template, key}
	}
	der := must(x509.CreateCertificate(rand.Reader, &template, issuer.Leaf, key.Public(), issuer.Key))
	return Pair{must(x509.ParseCertificate(der)), key}
}

// PEM returns both as the text of their files.
func (p Pair) PEM() (certificate, key string) {
	encode := func(kind string, data []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}))
	}
	return encode("CERTIFICATE", p.Leaf.Raw), encode("PRIVATE KEY", must(x509.MarshalPKCS8PrivateKey(p.Key)))
}

// Write returns the paths of new files with both.
func (p Pair) Write(t testing.TB) (certificate, key string) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	certificate, key = p.PEM()
	return write("cert.pem", certificate), write("key.pem", key)
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
