package emulator

import (
	"encoding/json"
	"strconv"
)

// listing is the answer of a listing. It is written by hand, for buckets of a million objects.
type listing struct {
	Data      []entry `json:"data"`
	Truncated bool    `json:"is_truncated"`
	Next      *string `json:"next_marker"`
}

// text is the listing as encoding/json would write it.
func (l listing) text() json.RawMessage {
	b := append(make([]byte, 0, 64+240*len(l.Data)), `{"data":[`...)
	for i := range l.Data {
		if i > 0 {
			b = append(b, ',')
		}
		b = l.Data[i].appendTo(b)
	}
	b = strconv.AppendBool(append(b, `],"is_truncated":`...), l.Truncated)
	return append(appendText(append(b, `,"next_marker":`...), l.Next), '}')
}

func (e *entry) appendTo(b []byte) []byte {
	b = appendText(append(b, `{"name":`...), &e.Name)
	b = appendText(append(b, `,"etag":`...), e.ETag)
	b = appendText(append(b, `,"last_modified":`...), e.Modified)
	b = appendText(append(b, `,"owner":`...), e.Owner)
	b = append(b, `,"size":`...)
	if e.Size == nil {
		return append(b, "null}"...)
	}
	return append(strconv.AppendInt(b, *e.Size, 10), '}')
}

// appendText writes a text, or null.
func appendText(b []byte, s *string) []byte {
	if s == nil {
		return append(b, "null"...)
	}
	for i := range len(*s) {
		if c := (*s)[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			text, _ := json.Marshal(*s) // a string cannot fail
			return append(b, text...)
		}
	}
	return append(append(append(b, '"'), *s...), '"')
}
