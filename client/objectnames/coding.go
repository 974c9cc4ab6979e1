package objectnames

import "encoding/binary"

// AppendName appends a name to a text: how many bytes it shares with the name before it at its beginning, how many
// follow, and these.
func AppendName(text, before []byte, name string) []byte {
	n := 0
	for n < len(before) && n < len(name) && before[n] == name[n] {
		n++
	}
	text = binary.AppendUvarint(text, uint64(n))
	text = binary.AppendUvarint(text, uint64(len(name)-n))
	return append(text, name[n:]...)
}

// NextName returns the name at the beginning of a text, which it writes over the name before it, and the rest of the
// text. It reports false if that is not what AppendName appended.
func NextName(text, before []byte) (name, rest []byte, ok bool) {
	same, n := binary.Uvarint(text)
	more, m := binary.Uvarint(text[max(0, n):])
	if n <= 0 || m <= 0 || same > uint64(len(before)) || more > uint64(len(text)-n-m) {
		return before, text, false
	}
	end := n + m + int(more)
	return append(before[:same], text[n+m:end]...), text[end:], true
}
