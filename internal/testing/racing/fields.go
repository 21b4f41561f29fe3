package racing

import (
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
)

// field is a field of an entity that is changed as a whole.
type field struct {
	path   string // "Address.City"
	index  []int
	values []any
	given  bool // the values were given, and are not those of its type
}

func (f field) of(v any) reflect.Value { return reflect.ValueOf(v).Elem().FieldByIndex(f.index) }

func (f field) set(v, value any) { f.of(v).Set(reflect.ValueOf(value).Convert(f.of(v).Type())) }

// fieldsOf returns the fields of a struct type. A nested struct is replaced by its own fields, unless it has values.
func fieldsOf(t reflect.Type, values map[string][]any) []field { return within(t, "", nil, values) }

func within(t reflect.Type, path string, index []int, values map[string][]any) (all []field) {
	for _, at := range reflect.VisibleFields(t) {
		if len(at.Index) > 1 || !at.IsExported() {
			continue // a promoted field is found in its embedded struct
		}
		f := field{path: path + at.Name, index: append(slices.Clone(index), at.Index...)}
		given, ok := values[f.path]
		switch {
		case ok:
			f.values, f.given = given, true
		case at.Anonymous:
			all = append(all, within(at.Type, path, f.index, values)...)
			continue
		default:
			f.values = valuesOf(at.Type)
		}
		var inner []field
		if f.values == nil && !f.given && at.Type.Kind() == reflect.Struct {
			inner = within(at.Type, f.path+".", f.index, values)
		}
		if inner == nil { // an opaque type, such as Date, is a single value
			inner = []field{f}
		}
		all = append(all, inner...)
	}
	return all
}

// valuesOf returns some values of a type, or nil if the caller must give the values.
func valuesOf(t reflect.Type) []any {
	switch t {
	case reflect.TypeFor[time.Time]():
		return []any{time.Time{}, time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC), time.Date(2026, 7, 8, 9, 10, 11, 0, time.UTC)}
	case reflect.TypeFor[dynastay.Money]():
		return []any{dynastay.MustMoney("0", "USD"), dynastay.MustMoney("99.95", "USD"), dynastay.MustMoney("280", "USD")}
	}
	switch t.Kind() {
	case reflect.String:
		return []any{"", "one", " Two", "3% #4"}
	case reflect.Int:
		return []any{0, 1, 3, 5}
	case reflect.Float64:
		return []any{0.0, 12.5, -33.8568}
	case reflect.Bool:
		return []any{false, true}
	}
	return nil
}

// kept reports whether an update failed because it changed what the library manages.
func kept(err error) bool {
	var invalid *dynastay.InvalidError
	return errors.As(err, &invalid) && (invalid.Reason == "is managed by the library and cannot be changed" || invalid.Field == "")
}
