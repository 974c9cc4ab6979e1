package preview

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
)

// unpack returns the beginning of what a gzip file holds: at most Size bytes, so that a small file cannot become a
// large one. It reports false for anything else. The file may be cut off.
func unpack(data []byte) (unpacked []byte, ok bool) {
	if !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return nil, false
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, false
	}
	unpacked, err = io.ReadAll(io.LimitReader(r, Size)) // at the end of the part that was read there is an error
	return unpacked, err == nil || len(unpacked) > 0
}

// decodeText returns the text that bytes are, as UTF-8, and its encoding unless that is UTF-8. It reports false for
// bytes that are no text.
func decodeText(data []byte, contentType string) (text []byte, encoding string, ok bool) {
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		return data[3:], "", isText(data[3:])
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		return decodeUTF16(data[2:], binary.LittleEndian), "UTF-16", true
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		return decodeUTF16(data[2:], binary.BigEndian), "UTF-16", true
	case isText(data):
		return data, "", true
	case isLatin1(data, contentType):
		return decodeLatin1(data), "Latin-1", true
	}
	return nil, "", false
}

// decodeUTF16 returns a text in UTF-16 as UTF-8. A last byte without its other half is left out.
func decodeUTF16(data []byte, order binary.ByteOrder) []byte {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}

// isLatin1 reports whether bytes are text in ISO 8859-1: they have no control characters, and the storage says so or
// most of them are ASCII.
func isLatin1(data []byte, contentType string) bool {
	high := 0
	for _, b := range data {
		switch {
		case b >= 0xa0:
			high++
		case b < ' ' && !slices.Contains([]byte("\t\n\f\r"), b), b >= 0x7f:
			return false
		}
	}
	return strings.Contains(strings.ToLower(contentType), "charset=iso-8859-1") || high < len(data)/4
}

// decodeLatin1 returns a text in ISO 8859-1 as UTF-8.
func decodeLatin1(data []byte) []byte {
	runes := make([]rune, len(data))
	for i, b := range data {
		runes[i] = rune(b)
	}
	return []byte(string(runes))
}
