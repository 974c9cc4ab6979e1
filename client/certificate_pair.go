package client

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// A CertificatePair is a TLS certificate and its private key, checked to belong together.
type CertificatePair struct {
	Certificate string // PEM, including intermediates
	Key         Secret // PEM
	Leaf        *x509.Certificate
}

// NewCertificatePair parses two PEM texts. The error says which of them is invalid, or that they do not belong
// together.
func NewCertificatePair(certificate, key string) (CertificatePair, error) {
	leaf, err := firstCertificate(certificate)
	if err != nil {
		return CertificatePair{}, err
	}
	block, _ := pem.Decode([]byte(key))
	switch {
	case block == nil:
		return CertificatePair{}, errors.New("the key file contains no PEM data")
	case strings.HasPrefix(block.Type, "ENCRYPTED"), strings.Contains(block.Headers["Proc-Type"], "ENCRYPTED"):
		return CertificatePair{}, errors.New("the key is encrypted: remove its passphrase first")
	}
	if _, err := tls.X509KeyPair([]byte(certificate), []byte(key)); err != nil {
		return CertificatePair{}, errors.New("certificate and key cannot be used together: " + Clean(err.Error()))
	}
	return CertificatePair{Certificate: certificate, Key: NewSecret(key), Leaf: leaf}, nil
}

// firstCertificate returns the first certificate of a PEM text, which is that of the host itself.
func firstCertificate(text string) (*x509.Certificate, error) {
	other := "PEM data"
	for block, rest := pem.Decode([]byte(text)); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == "CERTIFICATE" {
			leaf, err := x509.ParseCertificate(block.Bytes)
			if err != nil {
				return nil, errors.New("the certificate cannot be read: " + Clean(err.Error()))
			}
			return leaf, nil
		}
		other = "certificate, only " + Clean(block.Type)
	}
	return nil, errors.New("the certificate file contains no " + other)
}

// maxPEMSize limits the size of a certificate or key file, in bytes.
const maxPEMSize = 1 << 20

// LoadCertificate reads a certificate, without its key, from a regular file of at most 1 MiB.
func LoadCertificate(path string) (CertificatePair, error) {
	text, err := readPEM(path)
	if err != nil {
		return CertificatePair{}, err
	}
	leaf, err := firstCertificate(text)
	return CertificatePair{Certificate: text, Leaf: leaf}, err
}

// LoadCertificatePair reads the pair from two regular files of at most 1 MiB.
func LoadCertificatePair(certFile, keyFile string) (CertificatePair, error) {
	cert, err := readPEM(certFile)
	if err != nil {
		return CertificatePair{}, err
	}
	key, err := readPEM(keyFile)
	if err != nil {
		return CertificatePair{}, err
	}
	return NewCertificatePair(cert, key)
}

func readPEM(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a regular file", Clean(path)) // reading a pipe could block
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxPEMSize+1))
	if len(data) > maxPEMSize {
		return "", fmt.Errorf("%s is larger than 1 MiB, too large for a certificate or key", Clean(path))
	}
	return string(data), err
}

// HostNames returns the host names that the certificate is for, safe to display.
func (p CertificatePair) HostNames() string {
	names := slices.Clone(p.Leaf.DNSNames)
	for i, name := range names {
		names[i] = Clean(name)
	}
	return strings.Join(names, ", ")
}

// ProblemFor returns why the pair must not be uploaded for the bucket with a label at a time; "" if it may be.
func (p CertificatePair) ProblemFor(label string, now time.Time) string {
	switch {
	case now.After(p.Leaf.NotAfter):
		return "it expired on " + p.Leaf.NotAfter.Format(time.DateOnly)
	case now.Before(p.Leaf.NotBefore):
		return "it is valid only from " + p.Leaf.NotBefore.Format(time.DateOnly)
	case p.Leaf.VerifyHostname(label) != nil:
		return fmt.Sprintf("its names do not cover %s: %s", Clean(label), p.HostNames())
	}
	return ""
}
