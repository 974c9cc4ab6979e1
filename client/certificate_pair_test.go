package client

import (
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/binary"
	"encoding/pem"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"lookout/client/certtest"
	"lookout/client/faulttest"
)

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
	cert, key := certtest.New("cdn.acme.net").PEM()
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
	cert, key := certtest.New("cdn.acme.net").PEM()
	_, other := certtest.New("cdn.acme.net").PEM()
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
		"expired":         {"cdn.acme.net", now.AddDate(100, 0, 0)},
		"valid only from": {"cdn.acme.net", now.AddDate(-100, 0, 0)},
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
	cert, key := certtest.New("cdn.acme.net").PEM()
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

// opensslKey is a pair's key as openssl writes it.
func opensslKey(t *testing.T, pair certtest.Pair) string {
	t.Helper()
	raw, err := x509.MarshalECPrivateKey(pair.Key.(*ecdsa.PrivateKey))
	if err != nil {
		t.Fatal(err)
	}
	return "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n" +
		string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: raw}))
}

// What a file holds beside the certificates is not sent as one, and the host's certificate comes first: also if the
// file is a bundle that begins with the authority, holds the key, or is used for both.
func TestNewCertificatePair_sendsCertificatesAndOneKey(t *testing.T) {
	authority := certtest.New()
	issuer := certtest.Sign(x509.Certificate{}, nil, authority)
	pair := certtest.Sign(x509.Certificate{DNSNames: []string{"cdn.acme.net"}}, nil, issuer)
	root, _ := authority.PEM()
	middle, _ := issuer.PEM()
	host, _ := pair.PEM()
	key, otherKey := opensslKey(t, pair), opensslKey(t, authority)
	chain := host + middle + root
	for name, texts := range map[string][2]string{
		"in order":             {chain, key},
		"authority first":      {root + middle + host, key},
		"issuers out of order": {host + root + middle, key},
		"the host's twice":     {host + host + middle + root, key},
		"with the key":         {chain + key, key},
		"key first":            {key + chain, key},
		"one file for both":    {key + chain, key + chain},
		"several keys":         {chain, otherKey + key},
		"with another key":     {otherKey + chain, key},
	} {
		pair, err := NewCertificatePair(texts[0], texts[1])
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if pair.Certificate != chain {
			t.Errorf("%s: the certificate that is sent is not the chain alone:\n%s", name, pair.Certificate)
		}
		block, rest := pem.Decode([]byte(pair.Key.Reveal()))
		if block == nil || block.Type != "EC PRIVATE KEY" || len(rest) > 0 ||
			!strings.Contains(key, pair.Key.Reveal()) {
			t.Errorf("%s: the key that is sent is not the one block", name)
		}
	}
}

// What editors and other tools make of PEM is understood, and is sent as PEM.
func TestNewCertificatePair_understandsOddFiles(t *testing.T) {
	cert, key := certtest.New("cdn.acme.net").PEM()
	utf16With := func(order binary.AppendByteOrder, mark string) func(string) string {
		return func(text string) string {
			data := []byte(mark)
			for _, unit := range utf16.Encode([]rune(text)) {
				data = order.AppendUint16(data, unit)
			}
			return string(data)
		}
	}
	replace := func(pairs ...string) func(string) string { return strings.NewReplacer(pairs...).Replace }
	for name, odd := range map[string]func(string) string{
		"byte-order mark":            func(text string) string { return "\ufeff" + text },
		"UTF-16 of Windows":          utf16With(binary.LittleEndian, "\xff\xfe"),
		"UTF-16, big-endian":         utf16With(binary.BigEndian, "\xfe\xff"),
		"UTF-16 without a mark":      utf16With(binary.LittleEndian, ""),
		"CRLF":                       replace("\n", "\r\n"),
		"lone CR":                    replace("\n", "\r"),
		"indented":                   replace("\n", "\n    "),
		"line breaks written out":    replace("\n", `\n`),
		"CRLF written out in quotes": func(text string) string { return `"` + replace("\n", `\r\n`)(text) + `"` },
		"on one line":                replace("\n", " "),
		"blank lines":                replace("\n", "\n\n"),
		"no line break at the end":   strings.TrimSpace,
		"attributes before":          func(text string) string { return "Bag Attributes\n    name: x\n" + text },
		"glued to what is before": func(text string) string {
			return "-----BEGIN X-----\nAAAA\n-----END X-----" + text
		},
		"DER": func(text string) string {
			block, _ := pem.Decode([]byte(text))
			return string(block.Bytes)
		},
	} {
		pair, err := NewCertificatePair(odd(cert), odd(key))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if pair.Certificate != cert || pair.Key.Reveal() != key {
			t.Errorf("%s: another text is sent than that of the PEM files", name)
		}
	}
	glued := strings.TrimSpace(cert) + strings.TrimSpace(key)
	pair, err := NewCertificatePair(glued, glued)
	if err != nil || pair.Certificate != cert || pair.Key.Reveal() != key {
		t.Errorf("certificate and key without a line break between them: %v", err)
	}
}

// What is not understood is named, with the next step.
func TestNewCertificatePair_namesWhatItIs(t *testing.T) {
	cert, key := certtest.New("cdn.acme.net").PEM()
	der, _ := pem.Decode([]byte(cert))
	other, _ := certtest.New("www.acme.net").PEM()
	as := func(kind string) string { return strings.ReplaceAll(cert, "CERTIFICATE", kind) }
	sequence := string([]byte{0x30, 0x82, 0x04, 0x1c})
	pkcs7 := sequence + "\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02\xa0\x82"
	for name, c := range map[string]struct{ cert, key, want string }{
		"PKCS#12":         {sequence + "\x02\x01\x03\x30\x82\x03", key, "openssl pkcs12 -in FILE -nodes -out all.pem"},
		"PKCS#12 key":     {cert, sequence + "\x02\x01\x03\x30\x82\x03", "the key file is a PKCS#12 file"},
		"PKCS#7":          {pkcs7, key, "is a PKCS#7 file: convert it with openssl pkcs7 -inform DER"},
		"PKCS#7 in PEM":   {as("PKCS7"), key, "only PKCS7: convert it with openssl pkcs7 -in FILE"},
		"Java":            {"\xfe\xed\xfe\xed\x00", key, "is a Java keystore"},
		"request":         {as("CERTIFICATE REQUEST"), key, "CERTIFICATE REQUEST: send it to your"},
		"trusted":         {as("TRUSTED CERTIFICATE"), key, "openssl x509 -in FILE"},
		"DER cut off":     {string(der.Bytes[:len(der.Bytes)/2]), key, "DER file that is cut off"},
		"bundle cut off":  {cert + cert[:len(cert)/2], key, "certificate file is cut off: a CERTIFICATE has no END"},
		"cut off, key":    {cert, key[:len(key)/2], "key file is cut off: a PRIVATE KEY has no END line"},
		"cut off in both": {cert[:99] + key, key, "certificate file is cut off"},
		"public key":      {cert, strings.ReplaceAll(key, "PRIVATE", "PUBLIC"), "no private key, only PUBLIC KEY"},
		"OpenSSH":         {cert, strings.ReplaceAll(key, "PRIVATE", "OPENSSH PRIVATE"), "ssh-keygen -p -m PEM"},
		"PuTTY":           {cert, "PuTTY-User-Key-File-2: ssh-rsa", "a key of PuTTY"},
		"certificate":     {cert, cert, "the key file contains no private key, only CERTIFICATE"},
		"DER certificate": {cert, string(der.Bytes), "the key file contains no private key, only CERTIFICATE"},
		"key of the second": {
			other + cert, key,
			"the key belongs to certificate 2 (cdn.acme.net), but the first for a host is www.acme.net",
		},
		"key of another": {other, key, "the key does not match certificate www.acme.net"},
	} {
		_, err := NewCertificatePair(c.cert, c.key)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A certificate without host names says so, instead of an empty list of them.
func TestCertificatePair_ProblemFor_noHostNames(t *testing.T) {
	nameless, address := certtest.New().Leaf, certtest.New("www.acme.net").Leaf
	address.DNSNames, address.IPAddresses = nil, []net.IP{net.IPv4(192, 0, 2, 1)}
	for _, c := range []struct {
		leaf *x509.Certificate
		want string
	}{
		{nameless, "it has no host names, only the subject CN="},
		{nameless, "it needs cdn.acme.net as an alternative name"},
		{address, "its names do not cover cdn.acme.net: 192.0.2.1"},
	} {
		why := (CertificatePair{Leaf: c.leaf}).ProblemFor("cdn.acme.net", time.Now())
		if !strings.Contains(why, c.want) {
			t.Errorf("%q, want %q", why, c.want)
		}
	}
}
