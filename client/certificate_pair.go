package client

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
)

// A CertificatePair is a TLS certificate and its private key, checked to belong together.
type CertificatePair struct {
	Certificate string // PEM: the host's certificate, then its issuers, and nothing else of the file
	Key         Secret // PEM: one private key
	Leaf        *x509.Certificate
}

// NewCertificatePair parses the contents of two files, PEM or DER. Either may hold more: only certificates are taken
// from the first, and the private key from the second. The error says what is wrong with which file.
func NewCertificatePair(certificate, key string) (CertificatePair, error) {
	pair, chain, err := parseCertificates(certificate)
	if err != nil {
		return CertificatePair{}, err
	}
	keys, err := parseKeys(key)
	if err != nil {
		return CertificatePair{}, err
	}
	for _, k := range keys {
		if k.belongsTo(pair.Leaf) {
			pair.Key = NewSecret(string(pem.EncodeToMemory(k.block)))
			return pair, nil
		}
	}
	const cannotBeUsed = "certificate and key cannot be used together: "
	for i, c := range chain {
		if keys[0].belongsTo(c) {
			return CertificatePair{}, fmt.Errorf(
				cannotBeUsed+"the key belongs to certificate %d (%s), but the first for a host is %s: "+
					"put %[2]s first, or use the key for %[3]s",
				i+1, certificateName(c), certificateName(pair.Leaf),
			)
		}
	}
	return CertificatePair{}, errors.New(
		cannotBeUsed + "the key does not match certificate " + certificateName(pair.Leaf),
	)
}

// parseCertificates returns the certificates of a file without a key, and the list of them in the file's order.
func parseCertificates(text string) (CertificatePair, []*x509.Certificate, error) {
	blocks, err := parseBlocks(text, isCertificate)
	if err != nil {
		return CertificatePair{}, nil, fmt.Errorf("the certificate file %w", err)
	}
	var chain []*x509.Certificate
	for _, b := range blocks {
		c, err := x509.ParseCertificate(b.Bytes)
		if err != nil {
			return CertificatePair{}, nil, errors.New("the certificate cannot be read: " + Clean(err.Error()))
		}
		if !slices.ContainsFunc(chain, c.Equal) {
			chain = append(chain, c)
		}
	}
	if len(chain) == 0 {
		return CertificatePair{}, nil, errors.New("the certificate file contains no certificate" + otherBlocks(text))
	}
	var sent bytes.Buffer
	sorted := sortChain(chain)
	for _, c := range sorted {
		_ = pem.Encode(&sent, &pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}) // a buffer takes everything
	}
	return CertificatePair{Certificate: sent.String(), Leaf: sorted[0]}, chain, nil
}

// sortChain returns certificates in the order in which servers send them: that of the host, its issuer, the issuer's
// own, and so on. The host's is the first that has issued none of the others.
func sortChain(certificates []*x509.Certificate) []*x509.Certificate {
	rest := slices.Clone(certificates)
	leaf := max(0, slices.IndexFunc(rest, func(c *x509.Certificate) bool {
		return !slices.ContainsFunc(rest, func(other *x509.Certificate) bool { return isIssuer(c, other) })
	}))
	var sorted []*x509.Certificate
	for next := leaf; next >= 0; {
		last := rest[next]
		sorted, rest = append(sorted, last), slices.Delete(rest, next, next+1)
		next = slices.IndexFunc(rest, func(c *x509.Certificate) bool { return isIssuer(c, last) })
	}
	return append(sorted, rest...)
}

// isIssuer reports whether a certificate has issued another.
func isIssuer(issuer, c *x509.Certificate) bool {
	return issuer != c && bytes.Equal(issuer.RawSubject, c.RawIssuer) && c.CheckSignatureFrom(issuer) == nil
}

// A privateKey is a private key and its block in a file.
type privateKey struct {
	block  *pem.Block
	signer crypto.Signer
}

// belongsTo reports whether a certificate is for the key.
func (k privateKey) belongsTo(c *x509.Certificate) bool {
	public, ok := k.signer.Public().(interface{ Equal(crypto.PublicKey) bool })
	return ok && public.Equal(c.PublicKey)
}

// parseKeys returns the private keys of a file that can be used.
func parseKeys(text string) ([]privateKey, error) {
	blocks, err := parseBlocks(text, isPrivateKey)
	if err != nil {
		return nil, fmt.Errorf("the key file %w", err)
	}
	if len(blocks) == 0 {
		return nil, errors.New("the key file contains no private key" + otherBlocks(text))
	}
	var keys []privateKey
	for _, b := range blocks {
		var signer crypto.Signer
		if signer, err = parseKey(b); err == nil {
			keys = append(keys, privateKey{&pem.Block{Type: b.Type, Bytes: b.Bytes}, signer})
		}
	}
	if len(keys) == 0 {
		return nil, err
	}
	return keys, nil
}

// parseKey returns the private key of a block.
func parseKey(b *pem.Block) (crypto.Signer, error) {
	switch {
	case strings.HasPrefix(b.Type, "ENCRYPTED"), strings.Contains(b.Headers["Proc-Type"], "ENCRYPTED"):
		return nil, errors.New("the key is encrypted: remove its passphrase first, with openssl pkey -in FILE -out NEW")
	case b.Type == "OPENSSH PRIVATE KEY":
		return nil, errors.New("the key is in OpenSSH's format: convert a copy with ssh-keygen -p -m PEM -f FILE")
	}
	if key, err := x509.ParsePKCS8PrivateKey(b.Bytes); err == nil {
		if signer, ok := key.(crypto.Signer); ok {
			return signer, nil
		}
		return nil, errors.New("this key type is not supported in certificates")
	}
	if key, err := x509.ParsePKCS1PrivateKey(b.Bytes); err == nil {
		return key, nil
	}
	key, err := x509.ParseECPrivateKey(b.Bytes)
	if err != nil {
		return nil, errors.New("the key cannot be read: it is damaged, or of an unknown kind")
	}
	return key, nil
}

func isCertificate(kind string) bool { return kind == "CERTIFICATE" || kind == "X509 CERTIFICATE" }

func isPrivateKey(kind string) bool { return strings.HasSuffix(kind, "PRIVATE KEY") }

// A blockError says why a file has no blocks that can be read. It follows "the certificate file".
type blockError string

// Error returns the reason.
func (e blockError) Error() string { return string(e) }

// parseBlocks returns the blocks of the wanted types in the contents of a file. Unlike pem.Decode, it understands what
// editors and other tools make of PEM, and says what it does not understand. The error is a blockError.
func parseBlocks(data string, wanted func(kind string) bool) ([]*pem.Block, error) {
	text := decodeText(data)
	if !strings.Contains(text, pemBegin) {
		return parseDER([]byte(data), wanted)
	}
	var blocks []*pem.Block
	for kind, body, ok := nextBlock(&text); ok; kind, body, ok = nextBlock(&text) {
		if !wanted(kind) {
			continue
		}
		content, found := strings.CutSuffix(body, pemEnd+kind+pemDashes)
		if !found {
			return nil, blockError(fmt.Sprintf("is cut off: a %s has no END line", Clean(kind)))
		}
		block, err := parseBlock(kind, content)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, block)
	}
	return blocks, nil
}

// What marks the blocks of a PEM text.
const (
	pemDashes = "-----"
	pemBegin  = pemDashes + "BEGIN "
	pemEnd    = pemDashes + "END "
)

// nextBlock cuts the next block from a text: its type, and what follows its first line, up to and including its last
// line, or up to the next block if that is missing.
func nextBlock(text *string) (kind, body string, ok bool) {
	for {
		_, rest, found := strings.Cut(*text, pemBegin)
		if !found {
			return "", "", false
		}
		*text = rest
		if kind, rest, found = strings.Cut(rest, pemDashes); !found || strings.Contains(kind, "\n") {
			continue
		}
		body, _, _ = strings.Cut(rest, pemBegin)
		last := pemEnd + kind + pemDashes
		if before, _, whole := strings.Cut(body, last); whole {
			body = before + last
		}
		*text = rest[len(body):]
		return kind, body, true
	}
}

// parseBlock decodes what is between the first and the last line of a block.
func parseBlock(kind, content string) (*pem.Block, error) {
	block, encoded := &pem.Block{Type: kind, Headers: map[string]string{}}, ""
	for line := range strings.Lines(content) {
		if name, value, isHeader := strings.Cut(line, ":"); isHeader {
			block.Headers[strings.TrimSpace(name)] = strings.TrimSpace(value)
			continue
		}
		encoded += strings.Join(strings.Fields(line), "")
	}
	var err error
	if block.Bytes, err = base64.StdEncoding.DecodeString(encoded); err != nil {
		return nil, blockError(fmt.Sprintf("is damaged: a %s is not valid Base64", Clean(kind)))
	}
	return block, nil
}

// decodeText returns the contents of a file as lines of text: without UTF-16, carriage returns and line breaks that are
// written out.
func decodeText(data string) string {
	order := binary.ByteOrder(nil)
	switch {
	case strings.HasPrefix(data, "\xff\xfe"), strings.HasPrefix(data, "-\x00-\x00"):
		order = binary.LittleEndian
	case strings.HasPrefix(data, "\xfe\xff"), strings.HasPrefix(data, "\x00-\x00-"):
		order = binary.BigEndian
	}
	if order != nil {
		units := make([]uint16, len(data)/2)
		for i := range units {
			units[i] = order.Uint16([]byte(data[2*i:]))
		}
		data = string(utf16.Decode(units))
	}
	return strings.NewReplacer(`\r`, "", `\n`, "\n", "\r", "\n").Replace(data)
}

// parseDER returns the wanted blocks of a file that is not PEM.
func parseDER(data []byte, wanted func(kind string) bool) ([]*pem.Block, error) {
	var blocks []*pem.Block
	add := func(kind string, der []byte) {
		if wanted(kind) {
			blocks = append(blocks, &pem.Block{Type: kind, Bytes: der})
		}
	}
	certificates, _ := x509.ParseCertificates(data)
	for _, c := range certificates {
		add("CERTIFICATE", c.Raw)
	}
	kind := derKeyKind(data)
	if kind != "" {
		add(kind, data)
	}
	if kind != "" || len(certificates) > 0 {
		return blocks, nil
	}
	return nil, describeUnreadable(data)
}

// derKeyKind returns the PEM type of a private key in DER; "" for anything else.
func derKeyKind(data []byte) string {
	if _, err := x509.ParsePKCS8PrivateKey(data); err == nil {
		return "PRIVATE KEY"
	}
	if _, err := x509.ParsePKCS1PrivateKey(data); err == nil {
		return "RSA PRIVATE KEY"
	}
	if _, err := x509.ParseECPrivateKey(data); err == nil {
		return "EC PRIVATE KEY"
	}
	return ""
}

// describeUnreadable says what a file is that holds neither a certificate nor a key.
func describeUnreadable(data []byte) blockError {
	const sequence = 0x30
	head := data[:min(len(data), 32)]
	isDER := len(data) > 1 && data[0] == sequence && data[1] >= 0x80
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return "is empty"
	case isDER && bytes.Contains(head, []byte{0x02, 0x01, 0x03, sequence}):
		return "is a PKCS#12 file: convert it with openssl pkcs12 -in FILE -nodes -out all.pem, " +
			"and give all.pem as certificate and as key"
	case isDER && bytes.Contains(head, []byte("\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02")):
		return "is a PKCS#7 file: convert it with openssl pkcs7 -inform DER -in FILE -print_certs -out cert.pem"
	case bytes.HasPrefix(data, []byte("\xfe\xed\xfe\xed")):
		return "is a Java keystore: export it with keytool -importkeystore -srckeystore FILE " +
			"-destkeystore all.p12 -deststoretype pkcs12, and convert that with openssl pkcs12"
	case bytes.HasPrefix(data, []byte("PuTTY-User-Key-File")):
		return "is a key of PuTTY, which is not for certificates"
	case len(data) > 4 && data[0] == sequence && data[1] == 0x82 && int(data[2])<<8+int(data[3])+4 > len(data):
		return "is a DER file that is cut off"
	}
	return "contains no PEM data"
}

// otherBlocks says what a PEM text holds instead of what was wanted: ", only PRIVATE KEY".
func otherBlocks(data string) string {
	text, next := decodeText(data), ""
	kind, _, ok := nextBlock(&text)
	if !ok {
		kind = orElse(derKeyKind([]byte(data)), "CERTIFICATE")
	}
	switch kind {
	case "CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST":
		next = ": send it to your certificate authority, which returns the certificate"
	case "PKCS7", "CMS":
		next = ": convert it with openssl pkcs7 -in FILE -print_certs -out cert.pem"
	case "TRUSTED CERTIFICATE":
		next = ": convert it with openssl x509 -in FILE -out cert.pem"
	}
	return ", only " + Clean(kind) + next
}

// maxPEMSize limits the size of a certificate or key file, in bytes.
const maxPEMSize = 1 << 20

// LoadCertificate reads a certificate, without its key, from a regular file of at most 1 MiB.
func LoadCertificate(path string) (CertificatePair, error) {
	text, err := readPEM(path)
	if err != nil {
		return CertificatePair{}, err
	}
	pair, _, err := parseCertificates(text)
	return pair, err
}

// LoadCertificatePair reads the pair from two regular files of at most 1 MiB, which may be the same.
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

// HostNames returns the host names and addresses that the certificate is for, safe to display; "" if it has none.
func (p CertificatePair) HostNames() string {
	var names []string
	for _, name := range p.Leaf.DNSNames {
		names = append(names, Clean(name))
	}
	for _, address := range p.Leaf.IPAddresses {
		names = append(names, address.String())
	}
	return strings.Join(names, ", ")
}

// certificateName names a certificate in a sentence: by its host names, or else by its subject.
func certificateName(c *x509.Certificate) string {
	if names := (CertificatePair{Leaf: c}).HostNames(); names != "" {
		return names
	}
	return orElse(Clean(c.Subject.String()), "without a name")
}

// ProblemFor returns why the pair must not be uploaded for the bucket with a label at a time; "" if it may be.
func (p CertificatePair) ProblemFor(label string, now time.Time) string {
	switch {
	case now.After(p.Leaf.NotAfter):
		return "it expired on " + p.Leaf.NotAfter.Format(time.DateOnly)
	case now.Before(p.Leaf.NotBefore):
		return "it is valid only from " + p.Leaf.NotBefore.Format(time.DateOnly)
	case p.HostNames() == "":
		return fmt.Sprintf(
			"it has no host names, only the subject %s, which browsers ignore: it needs %s as an alternative name",
			orElse(Clean(p.Leaf.Subject.String()), "\"\""), Clean(label),
		)
	case p.Leaf.VerifyHostname(label) != nil:
		return fmt.Sprintf("its names do not cover %s: %s", Clean(label), p.HostNames())
	}
	return ""
}
