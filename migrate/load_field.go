package migrate

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
)

// step is a part of the path to a field: the name of a field or of an entry of a map, or else an index of a list.
type step struct {
	name  string
	index int // −1 for a name
}

// mostIndex limits the lists that a header can make.
const mostIndex = 99

// pathOf reads the name of a field, such as Rooms[0].Agreed or Data[campaign], and returns the type of the field.
func pathOf(of reflect.Type, name string) (path []step, at reflect.Type, err error) {
	unknown := dynastay.Invalid(name, "is no field")
	rest := name
	for at = of; rest != ""; {
		at = plain(at)
		if inner, ok := strings.CutPrefix(rest, "["); ok {
			text, after, ok := strings.Cut(inner, "]")
			if !ok {
				return nil, nil, unknown
			}
			if rest = after; rest != "" && rest[0] != '.' && rest[0] != '[' || rest == "." {
				return nil, nil, unknown
			}
			rest = strings.TrimPrefix(rest, ".")
			switch at.Kind() {
			case reflect.Map:
				path = append(path, step{text, -1})
			case reflect.Slice:
				index, err := strconv.Atoi(text)
				if err != nil || index < 0 || index > mostIndex {
					return nil, nil, dynastay.Invalid(name, "must have an index between 0 and %d", mostIndex)
				}
				path = append(path, step{"", index})
			default:
				return nil, nil, unknown
			}
			at = at.Elem()
			continue
		}
		end := strings.IndexAny(rest, ".[")
		if end < 0 {
			end = len(rest)
		}
		field, ok := fieldOf(at, rest[:end])
		if !ok {
			return nil, nil, unknown
		}
		path, at = append(path, step{field.Name, -1}), field.Type
		if rest = rest[end:]; rest == "." {
			return nil, nil, unknown
		}
		rest = strings.TrimPrefix(rest, ".")
	}
	if len(path) == 0 {
		return nil, nil, unknown
	}
	return path, at, nil
}

// plain returns the type that a pointer points to.
func plain(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// fieldOf returns the field that encoding/json finds under a name.
func fieldOf(t reflect.Type, name string) (reflect.StructField, bool) {
	if t.Kind() != reflect.Struct || isText(t) {
		return reflect.StructField{}, false
	}
	for _, f := range reflect.VisibleFields(t) {
		if f.IsExported() && !f.Anonymous && f.Type.Kind() != reflect.Func && strings.EqualFold(f.Name, name) {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

var (
	textType = reflect.TypeFor[encoding.TextUnmarshaler]()
	jsonType = reflect.TypeFor[json.Unmarshaler]()
)

// isText reports whether the values of a type are texts of a form of their own, such as dates and amounts.
func isText(t reflect.Type) bool { return reflect.PointerTo(t).Implements(textType) }

// isList reports whether a cell is a list as JSON: 101 is JSON too, and the only entry of a list.
func isList(cell string) bool {
	return strings.HasPrefix(strings.TrimSpace(cell), "[") && json.Valid([]byte(cell))
}

// cellOf returns what a cell means as JSON.
func cellOf(t reflect.Type, cell string) (any, error) {
	t = plain(t)
	if isText(t) {
		return cell, nil
	}
	switch t.Kind() {
	case reflect.String:
		return cell, nil
	case reflect.Bool:
		v, err := strconv.ParseBool(cell)
		if err != nil {
			return nil, dynastay.Invalid("", "must be true or false, got %q", cell)
		}
		return v, nil
	case reflect.Slice:
		if e := plain(t.Elem()); !isList(cell) && (isText(e) || e.Kind() == reflect.String || e.Kind() == reflect.Int) {
			var all []any
			for part := range strings.SplitSeq(cell, ";") {
				v, err := cellOf(e, strings.TrimSpace(part))
				if strings.TrimSpace(part) == "" {
					err = dynastay.Invalid("", "must not have an empty entry")
				}
				if err != nil {
					return nil, err
				}
				all = append(all, v)
			}
			return all, nil
		}
	}
	if !json.Valid([]byte(cell)) || cell == "null" {
		return nil, dynastay.Invalid("", "must be a number or JSON, got %q", cell)
	}
	return json.RawMessage(cell), nil
}

// decode reads a line into a value. Its error names the field.
func decode(text []byte, v any) error {
	if err := strict(text, v); err != nil {
		return located("", text, reflect.TypeOf(v).Elem(), err)
	}
	return unique(json.NewDecoder(bytes.NewReader(text)), "")
}

func strict(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return dynastay.Invalid("", "must be one JSON value")
	}
	return nil
}

// unique returns an error for a name that appears twice in an object: encoding/json takes the last one.
func unique(d *json.Decoder, path string) error {
	token, err := d.Token()
	if err != nil {
		return nil // which decoding says better
	}
	switch token {
	case json.Delim('{'):
		seen := map[string]bool{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil
			}
			at := strings.TrimPrefix(fmt.Sprintf("%s.%s", path, name), ".")
			if seen[name.(string)] {
				return dynastay.Invalid(at, "appears more than once")
			}
			seen[name.(string)] = true
			if err := unique(d, at); err != nil {
				return err
			}
		}
		_, _ = d.Token()
	case json.Delim('['):
		for i := 0; d.More(); i++ {
			if err := unique(d, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
		_, _ = d.Token()
	}
	return nil
}

// located returns the error of the innermost field that cannot be read, where there are several that of the first one by name.
func located(path string, text []byte, t reflect.Type, cause error) error {
	t = plain(t)
	if !isText(t) && !reflect.PointerTo(t).Implements(jsonType) {
		switch t.Kind() {
		case reflect.Struct, reflect.Map:
			var inner map[string]json.RawMessage
			if json.Unmarshal(text, &inner) == nil {
				if err := locatedIn(path, inner, t); err != nil {
					return err
				}
			}
		case reflect.Slice:
			var inner []json.RawMessage
			if json.Unmarshal(text, &inner) == nil {
				for i, one := range inner {
					if err := strict(one, reflect.New(t.Elem()).Interface()); err != nil {
						return located(fmt.Sprintf("%s[%d]", path, i), one, t.Elem(), err)
					}
				}
			}
		}
	}
	var reason string
	switch e := cause.(type) {
	case *json.UnmarshalTypeError:
		reason = "must be " + cmp.Or(kinds[t.Kind()], "a number in the range of its type") + ", got " + e.Value
	case *dynastay.InvalidError:
		reason = e.Reason
	case *time.ParseError:
		reason = fmt.Sprintf("must be a time such as 2026-07-01T12:00:00Z, got %s", text)
	default:
		reason = strings.TrimPrefix(cause.Error(), "json: ")
	}
	return dynastay.Invalid(path, "%s", reason)
}

func locatedIn(path string, inner map[string]json.RawMessage, t reflect.Type) error {
	names := make([]string, 0, len(inner))
	for name := range inner {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		at, of := path+"["+name+"]", t
		if t.Kind() == reflect.Map {
			of = t.Elem()
		} else {
			at = strings.TrimPrefix(path+"."+name, ".")
			field, ok := fieldOf(t, name)
			if !ok {
				return dynastay.Invalid(at, "is no field")
			}
			of = field.Type
		}
		if err := strict(inner[name], reflect.New(of).Interface()); err != nil {
			return located(at, inner[name], of, err)
		}
	}
	return nil
}

// kinds are words for what a field must be.
var kinds = map[reflect.Kind]string{
	reflect.String: "a text", reflect.Bool: "true or false", reflect.Int: "a whole number", reflect.Float64: "a number",
	reflect.Struct: "an object", reflect.Map: "an object", reflect.Slice: "a list",
}
