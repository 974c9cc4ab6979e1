package emulator

import (
	"encoding/json"
	"strconv"
)

// listBody is the response of a listing. It has its own encoder, which is faster for buckets with a million objects.
type listBody struct {
	Data      []objectEntry `json:"data"`
	Truncated bool          `json:"is_truncated"`
	Next      *string       `json:"next_marker"`
}

// encode encodes the listing exactly as encoding/json would.
func (l listBody) encode() json.RawMessage {
	b := append(make([]byte, 0, 64+240*len(l.Data)), `{"data":[`...)
	for i := range l.Data {
		if i > 0 {
			b = append(b, ',')
		}
		b = l.Data[i].appendJSON(b)
	}
	b = strconv.AppendBool(append(b, `],"is_truncated":`...), l.Truncated)
	return append(appendString(append(b, `,"next_marker":`...), l.Next), '}')
}

func (e *objectEntry) appendJSON(b []byte) []byte {
	b = appendString(append(b, `{"name":`...), &e.Name)
	b = appendString(append(b, `,"etag":`...), e.ETag)
	b = appendString(append(b, `,"last_modified":`...), e.Modified)
	b = appendString(append(b, `,"owner":`...), e.Owner)
	b = append(b, `,"size":`...)
	if e.Size == nil {
		return append(b, "null}"...)
	}
	return append(strconv.AppendInt(b, *e.Size, 10), '}')
}

// appendString appends a JSON string, or null.
func appendString(b []byte, s *string) []byte {
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
