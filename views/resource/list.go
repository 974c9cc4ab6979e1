package resource

import (
	"lookout/client/account/join"
	"lookout/theme"
)

// ParagraphWriter is what List writes to: a detail.
type ParagraphWriter interface {
	Paragraph(text string, tone theme.Tone)
}

// List writes each row, or a sentence if there is none. If not all are known it says what is missing instead.
func List[T any](w ParagraphWriter, j join.Joined[T], each func(T), empty string) {
	for _, row := range join.Found(j) {
		each(row)
	}
	tone := theme.Warn
	if j.State().Kind == join.Known {
		tone = theme.Muted
	}
	if remark := join.Remark(j, empty); remark != "" {
		w.Paragraph(remark, tone)
	}
}
