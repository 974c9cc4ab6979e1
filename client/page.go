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

// A Page is one answer of a paginated list ("Conventions").
type Page[T any] struct {
	Data    []T
	Page    int
	Pages   int
	Results int
	Odd     []string // cells that made no sense, for whoever shows the rows; the cells are empty
}

// Next is the cursor of the next page, "" at the end. A page that answers for another than was asked, or an empty one, ends the list.
func (p Page[T]) Next() string {
	if p.Page < 1 || p.Page >= p.Pages || len(p.Data) == 0 {
		return ""
	}
	return strconv.Itoa(p.Page + 1)
}

// all walks every page of a list.
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
	for i, raw := range rows {
		odd, err := lenient(raw, &p.Data[i])
		if err != nil {
			return fmt.Errorf("row %d: %w", i+1, err)
		}
		for _, field := range odd {
			p.Odd = append(p.Odd, fmt.Sprintf("row %d: %s made no sense", i+1, field))
		}
	}
	return nil
}

// exact takes members by their exact names: encoding/json would take DATA for data.
func exact(body []byte, members map[string]*json.RawMessage) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(body, &object); err != nil {
		return err
	}
	if object == nil {
		return errors.New("null instead of an object")
	}
	for name, into := range members {
		*into = object[name]
	}
	return nil
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
