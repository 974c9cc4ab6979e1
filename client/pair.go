package client

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A CertificatePair is a TLS certificate with its private key, known to belong together.
type CertificatePair struct {
	Certificate string // PEM, with its intermediates
	Key         Secret // PEM
	Leaf        *x509.Certificate
}

// NewCertificatePair reads two PEM texts. The error says which of them is none, or that they are no pair.
func NewCertificatePair(certificate, key string) (CertificatePair, error) {
	if block, _ := pem.Decode([]byte(certificate)); block == nil {
		return CertificatePair{}, errors.New("the certificate's file holds no PEM")
	}
	if block, _ := pem.Decode([]byte(key)); block == nil {
		return CertificatePair{}, errors.New("the key's file holds no PEM")
	}
	pair, err := tls.X509KeyPair([]byte(certificate), []byte(key))
	if err != nil {
		return CertificatePair{}, errors.New("certificate and key are no pair: " + Clean(err.Error()))
	}
	leaf := pair.Leaf
	if leaf == nil {
		if leaf, err = x509.ParseCertificate(pair.Certificate[0]); err != nil {
			return CertificatePair{}, errors.New("the certificate cannot be read: " + Clean(err.Error()))
		}
	}
	return CertificatePair{Certificate: certificate, Key: NewSecret(key), Leaf: leaf}, nil
}

// Names are the host names that the certificate is for, cleaned.
func (p CertificatePair) Names() string {
	names := slices.Clone(p.Leaf.DNSNames)
	for i, name := range names {
		names[i] = Clean(name)
	}
	return strings.Join(names, ", ")
}

// Unfit is why the pair must not be sent for a bucket of a label at a time; "" where nothing is against it.
func (p CertificatePair) Unfit(label string, now time.Time) string {
	switch {
	case now.After(p.Leaf.NotAfter):
		return "it expired on " + p.Leaf.NotAfter.Format(time.DateOnly)
	case now.Before(p.Leaf.NotBefore):
		return "it is valid only from " + p.Leaf.NotBefore.Format(time.DateOnly)
	case p.Leaf.VerifyHostname(label) != nil:
		return fmt.Sprintf("its names do not cover %s: %s", Clean(label), p.Names())
	}
	return ""
}
