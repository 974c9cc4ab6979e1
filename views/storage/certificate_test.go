package storage

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/certtest"
	"lookout/client/faulttest"
	"lookout/client/wording"
	"lookout/ui/form"
)

// pairCase is a certificate and a key, and what is wrong with them: "field: reason"; "" is nothing.
type pairCase struct {
	cert, key []byte
	want      string
}

// pairCases are the cases of TestCertificateFiles_fields.
func pairCases(t *testing.T) map[string]pairCase {
	t.Helper()
	now, day := time.Now(), 24*time.Hour
	own := certtest.New("cdn.acme.net")
	signed := func(key crypto.Signer, from, until time.Time, names ...string) (certificate, private []byte) {
		template := x509.Certificate{DNSNames: names, NotBefore: from, NotAfter: until}
		cert, secret := certtest.Sign(template, key, certtest.Pair{}).PEM()
		return []byte(cert), []byte(secret)
	}
	cert, key := signed(own.Key, now.Add(-day), now.Add(day), "cdn.acme.net")
	expired, _ := signed(own.Key, now.Add(-2*day), now.Add(-day), "cdn.acme.net")
	early, _ := signed(own.Key, now.Add(day), now.Add(2*day), "cdn.acme.net")
	elsewhere, _ := signed(own.Key, now.Add(-day), now.Add(day), "other.example", "\x1b[2J.example")
	_, stranger := signed(nil, now.Add(-day), now.Add(day), "cdn.acme.net")
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	edCert, edKey := signed(edwards, now.Add(-day), now.Add(day), "cdn.acme.net")
	block, _ := pem.Decode(key)
	locked := pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: block.Bytes})
	oldLocked := pem.EncodeToMemory(
		&pem.Block{
			Type:    "EC PRIVATE KEY",
			Headers: map[string]string{"Proc-Type": "4,ENCRYPTED", "DEK-Info": "AES-256-CBC,00"},
			Bytes:   block.Bytes,
		},
	)
	crlf := func(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")) }
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	const (
		noPEM   = "certificate: the certificate file contains no PEM data"
		onlyKey = "certificate: the certificate file contains no certificate, only PRIVATE KEY"
		noPair  = "private_key: certificate and key cannot be used together"
		cutOff  = "certificate: the certificate file is cut off: a CERTIFICATE has no END line"
		unread  = "private_key: the key cannot be read"
		damaged = "certificate: the certificate file is damaged: a CERTIFICATE is not valid Base64"
	)
	return map[string]pairCase{
		"a pair":               {cert, key, ""},
		"CRLF":                 {crlf(cert), crlf(key), ""},
		"Ed25519":              {edCert, edKey, ""},
		"a chain":              {join(cert, elsewhere), key, ""},
		"words before":         {join([]byte("subject=x\n"), cert), join([]byte("Bag Attributes\n"), key), ""},
		"another's key":        {cert, stranger, noPair},
		"swapped":              {key, cert, onlyKey},
		"two certificates":     {cert, cert, "private_key: the key file contains no private key, only CERTIFICATE"},
		"two keys":             {key, key, onlyKey},
		"an encrypted key":     {cert, locked, "private_key: the key is encrypted"},
		"an old encrypted key": {cert, oldLocked, "private_key: the key is encrypted"},
		"no PEM":               {[]byte("hello"), key, noPEM},
		"a key that is none":   {cert, []byte("hunter22"), "private_key: the key file contains no PEM data"},
		"empty":                {nil, nil, "certificate: the certificate file is empty"},
		"a key in DER twice":   {block.Bytes, block.Bytes, onlyKey},
		"cut":                  {cert[:len(cert)/2], key, cutOff},
		"a cut key":            {cert, key[:len(key)/2], "private_key: the key file is cut off: a PRIVATE KEY"},
		"broken inside":        {bytes.Replace(cert, []byte("M"), []byte("!"), 1), key, damaged},
		"a broken key":         {cert, bytes.Replace(key, []byte("MIG"), []byte("AAA"), 1), unread},
		"expired":              {expired, key, "certificate: it expired on"},
		"not yet valid":        {early, key, "certificate: it is valid only from"},
		"another name":         {elsewhere, key, "certificate: its names do not cover"},
		"NULs":                 {make([]byte, 1000), make([]byte, 1000), noPEM},
		"UTF-16":               {[]byte("\xff\xfe-\x00-\x00-\x00"), key, noPEM},
		"1 MiB of letters":     {bytes.Repeat([]byte("A"), 1<<20), key, noPEM},
	}
}

// A pair that does not fit is rejected before anything is sent, below the field that is to be corrected. The message
// never holds a line of the key.
func TestCertificateFiles_fields(t *testing.T) {
	for name, c := range pairCases(t) {
		faulttest.RunCase(t, "F11", name, func(t *testing.T) {
			dir := t.TempDir()
			certFile, keyFile := filepath.Join(dir, "cert"), filepath.Join(dir, "key")
			err := errors.Join(os.WriteFile(certFile, c.cert, 0o600), os.WriteFile(keyFile, c.key, 0o600))
			if err != nil {
				t.Fatal(err)
			}
			in := &certificateFiles{
				a:           account.New(t.Context(), account.Options{}),
				bucket:      &bucketCertificate{Bucket: "cdn.acme.net"},
				certificate: certFile,
				key:         keyFile,
			}
			said := ""
			for _, p := range form.Problems(in.fields()) {
				said += p.Field + ": " + p.Text
			}
			if (said == "") != (c.want == "") || !strings.HasPrefix(said, c.want) ||
				strings.ContainsAny(said, "\x1b\n") {
				t.Errorf("%q", said)
			}
			for line := range strings.Lines(string(c.key)) {
				if line = strings.TrimSpace(line); len(line) > 7 && strings.Contains(said, line) {
					t.Errorf("the message holds a line of the key: %q", said)
				}
			}
		})
	}
}

// Only regular files of a bounded size are read.
func TestCertificateFiles_onlyRegularFiles(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"a folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"nothing":  func(string) error { return nil },
		"larger than 1 MiB": func(path string) error {
			return os.WriteFile(path, make([]byte, 1<<20+1), 0o600)
		},
		"a device": func(path string) error { return os.Symlink("/dev/zero", path) },
	} {
		faulttest.RunCase(t, "F11", "a file that is "+name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "\x1b[2Jf")
			if err := make(path); err != nil {
				t.Skip(err)
			}
			in := &certificateFiles{a: account.New(t.Context(), account.Options{}), bucket: &bucketCertificate{}}
			if said := in.certificateProblem(path); said == "" || strings.ContainsAny(said, "\x1b") {
				t.Errorf("%q", said)
			}
		})
	}
}

// A new certificate that is refused after the old one was deleted does not say that nothing was changed.
func TestCertificate_refusedAfterDeletion(t *testing.T) {
	refused := &client.Error{Op: "upload certificate", Write: true, Status: 400, Outcome: client.Rejected}
	if !wording.NothingChanged(refused) || wording.NothingChanged(uploadAfterDeleteError{refused}) {
		t.Error("the refusal alone changes nothing, but the old certificate is gone")
	}
}
