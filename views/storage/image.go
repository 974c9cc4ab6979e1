package storage

import (
	"bytes"
	"encoding/binary"
)

// imageSize tells kind and pixels of a PNG, GIF or JPEG image from its first bytes; "" where they are none. The
// decoders of the standard library would make the program 80 kB larger, and pixels are not drawn here.
func imageSize(data []byte) (kind string, width, height int) {
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")) && len(data) >= 24:
		return "png", int(binary.BigEndian.Uint32(data[16:])), int(binary.BigEndian.Uint32(data[20:]))
	case (bytes.HasPrefix(data, []byte("GIF87a")) || bytes.HasPrefix(data, []byte("GIF89a"))) && len(data) >= 10:
		return "gif", int(binary.LittleEndian.Uint16(data[6:])), int(binary.LittleEndian.Uint16(data[8:]))
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		return jpegSize(data[2:])
	}
	return "", 0, 0
}

// jpegSize goes from segment to segment until the one that begins a frame.
func jpegSize(data []byte) (kind string, width, height int) {
	for len(data) >= 9 && data[0] == 0xff {
		marker, length := data[1], int(binary.BigEndian.Uint16(data[2:]))
		if marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc {
			return "jpeg", int(binary.BigEndian.Uint16(data[7:])), int(binary.BigEndian.Uint16(data[5:]))
		}
		if length+2 > len(data) {
			break
		}
		data = data[length+2:]
	}
	return "", 0, 0
}
