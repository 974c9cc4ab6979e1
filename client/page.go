package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"strconv"
	"strings"
)

// A Page is one answer of a paginated list ("Conventions"). T is a pointer to a kind of row. Rows stand side by side in memory, belong to
// everybody who has read them, and are never changed: whoever wants another row copies one. The same holds of a row that was viewed alone.
type Page[T any] struct {
	Data    []T
	Page    int
	Pages   int
	Results int
	Odd     []string // cells that made no sense, for whoever shows the rows; the cells are empty
	Cut     string   // why the list may be incomplete; "" where it is whole
}

// mostPages is how many pages of a list are read: half a million rows.
const mostPages = 1000

// check says where a page is not what was asked for, so that a list that is cut does not pass for whole.
func (p *Page[T]) check(asked int) {
	switch {
	case p.Page != asked:
		p.Cut = fmt.Sprintf("page %d was answered for page %d: the list may be incomplete", p.Page, asked)
		p.Page, p.Pages = asked, asked
	case len(p.Data) == 0 && (p.Page < p.Pages || p.Page == 1 && p.Results > 0):
		p.Cut = fmt.Sprintf("page %d of %d is empty: the list may be incomplete", p.Page, p.Pages)
	case p.Page >= mostPages && p.Page < p.Pages:
		p.Cut = fmt.Sprintf("the list has %d pages: no more than %d are read", p.Pages, mostPages)
		p.Pages = p.Page
	}
	if p.Cut != "" {
		p.Odd = append(p.Odd, p.Cut)
	}
}

// Next is the cursor of the next page, "" at the end. An empty page ends the list.
func (p Page[T]) Next() string {
	if p.Page < 1 || p.Page >= p.Pages || len(p.Data) == 0 {
		return ""
	}
	return strconv.Itoa(p.Page + 1)
}

// all walks every page of a list. One that is cut ends with an error after its rows.
func all[T any](ctx context.Context, page func(context.Context, int) (Page[T], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for n := 1; ; n++ {
			p, err := page(ctx, n)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, row := range p.Data {
				if !yield(row, nil) {
					return
				}
			}
			if p.Cut != "" {
				var none T
				yield(none, errors.New(p.Cut))
				return
			}
			if p.Next() != strconv.Itoa(n+1) {
				return
			}
		}
	}
}

// UnmarshalJSON reads the envelope: data must be there and a list. A row's odd cell spoils that cell alone.
func (p *Page[T]) UnmarshalJSON(body []byte) error {
	var envelope struct {
		Data    json.RawMessage
		Page    json.RawMessage
		Pages   json.RawMessage
		Results json.RawMessage
	}
	if err := exact(body, map[string]*json.RawMessage{"data": &envelope.Data, "page": &envelope.Page, "pages": &envelope.Pages, "results": &envelope.Results}); err != nil {
		return err
	}
	var rows []json.RawMessage
	if err := json.Unmarshal(envelope.Data, &rows); err != nil || rows == nil {
		return errors.New("the member data is missing or no list")
	}
	*p = Page[T]{Data: make([]T, len(rows)), Page: whole(envelope.Page), Pages: whole(envelope.Pages), Results: whole(envelope.Results)}
	odd, err := readRows(rows, p.Data)
	p.Odd = odd
	return err
}

// readRows makes rows, in one piece, and points to them from a slice of as many pointers.
func readRows(raws []json.RawMessage, pointers any) (odd []string, err error) {
	into := reflect.ValueOf(pointers)
	rows := reflect.MakeSlice(reflect.SliceOf(into.Type().Elem().Elem()), len(raws), len(raws))
	for i, raw := range raws {
		row := rows.Index(i).Addr()
		into.Index(i).Set(row)
		fields, err := lenient(raw, row.Interface())
		if err != nil {
			return odd, fmt.Errorf("row %d: %w", i+1, err)
		}
		for _, field := range fields {
			odd = append(odd, fmt.Sprintf("row %d: %s made no sense", i+1, field))
		}
	}
	return odd, nil
}

// exact takes members by their exact names: encoding/json would take DATA for data. A member that comes twice is an error: which of the
// two is meant nobody knows.
func exact(body []byte, members map[string]*json.RawMessage) error {
	d := json.NewDecoder(bytes.NewReader(body))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return fmt.Errorf("%s instead of an object", kind(bytes.TrimSpace(body)))
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		into, wanted := members[name.(string)]
		switch {
		case wanted && *into != nil:
			return fmt.Errorf("the member %s comes twice", name)
		case wanted:
			*into = value
		}
	}
	_, err := d.Token()
	return err
}

// holds counts the members of an object that a struct has a field for.
func holds(raw []byte, into any) (n int) {
	var object map[string]json.RawMessage
	t := reflect.TypeOf(into).Elem()
	if t.Kind() != reflect.Struct || json.Unmarshal(raw, &object) != nil {
		return 1
	}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if _, there := object[name]; there && name != "" {
			n++
		}
	}
	return n
}

// whole is a number of the envelope; 0 where it is none.
func whole(raw json.RawMessage) int {
	n, err := strconv.Atoi(string(raw))
	if err != nil {
		return 0
	}
	return n
}

// lenient decodes an object field by field into a struct. Members of the wrong type leave their field empty and are named.
func lenient(raw []byte, into any) (odd []string, err error) {
	v := reflect.ValueOf(into).Elem()
	if v.Kind() != reflect.Struct {
		return nil, json.Unmarshal(raw, into)
	}
	if _, own := into.(json.Unmarshaler); own {
		return nil, json.Unmarshal(raw, into)
	}
	raw = bytes.TrimSpace(raw)
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil || object == nil {
		return nil, fmt.Errorf("an object was expected, not %s", kind(raw))
	}
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		member, there := object[name]
		if name == "" || name == "-" || !there || string(member) == "null" {
			continue
		}
		field := v.Field(i)
		if field.Kind() == reflect.Struct && field.Addr().Type().Implements(reflect.TypeFor[json.Unmarshaler]()) || field.Kind() != reflect.Struct {
			if json.Unmarshal(member, field.Addr().Interface()) != nil {
				field.SetZero()
				odd = append(odd, name)
			}
			continue
		}
		inner, err := lenient(member, field.Addr().Interface())
		if err != nil {
			odd = append(odd, name)
		}
		for _, n := range inner {
			odd = append(odd, name+"."+n)
		}
	}
	return odd, nil
}
