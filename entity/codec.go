package entity

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/stored"
)

// Codec converts an entity to its stored attributes and back. It does not handle keys: they are derived from the entity
// (see [Spec]), and an entity is never read from them.
type Codec[T any] interface {
	Encode(*T) (dynastay.Item, error)
	Decode(dynastay.Row, *T) error
}

// Declare returns a codec from one function that declares the stored form for both directions: it runs over an entity
// to fill an item, and over a row to fill an entity. The codec returns the first error; the function does not need to
// check for errors.
//
//	var messages = entity.Declare(func(f *entity.Fields, m *Message) {
//		f.String("MessageId", &m.ID)
//		f.Time("SentAt", &m.SentAt)
//	})
//
// A missing attribute and a stored NULL are both read as the zero value. Empty text, the zero time, the zero date and
// an unset amount are not written; numbers and booleans are always written, unless they are declared with
// [Fields.IfSet].
//
// The error for a value that cannot be stored names the path of its Go field, such as Guest.FirstName, whatever the
// attribute is called.
func Declare[T any](declare func(f *Fields, v *T)) Codec[T] { return declared[T](declare) }

type declared[T any] func(*Fields, *T)

func (d declared[T]) Encode(v *T) (dynastay.Item, error) {
	f := Fields{state: &state{item: dynastay.Item{}}}
	d(&f, v)
	var invalid *dynastay.InvalidError
	if errors.As(f.err, &invalid) {
		if own, ok := d.names(v).field(v, invalid.Field); ok {
			return nil, &dynastay.InvalidError{Field: own, Reason: invalid.Reason, Err: invalid.Err}
		}
	}
	return f.item, f.err
}

func (d declared[T]) Decode(row dynastay.Row, v *T) error {
	f := Fields{state: &state{row: row, decoding: true}}
	d(&f, v)
	return f.err
}

func (d declared[T]) attributes() []string {
	n := d.names(new(T))
	return slices.AppendSeq(n.currencies, maps.Keys(n.pointers))
}

// names runs the declaration only to collect its names.
func (d declared[T]) names(v *T) *names {
	n := &names{pointers: map[string]any{}}
	d(&Fields{state: &state{names: n}}, v)
	return n
}

// Tagged returns a codec from a struct with dynamodbav tags, by the rules of the SDK's attributevalue package. It is
// for types that a service already has. A [dynastay.Date] or [dynastay.Money] is stored as the text of its String
// method, or as NULL if it is zero.
func Tagged[T any]() Codec[T] { return tagged[T]{} }

type tagged[T any] struct{}

func (tagged[T]) Encode(v *T) (dynastay.Item, error) {
	item, err := attributevalue.MarshalMap(v)
	if err != nil {
		return nil, err
	}
	for name, value := range item {
		if at, bad := stored.BadText(name, value); bad {
			return nil, dynastay.Invalid(at, stored.NotUTF8)
		}
	}
	return item, nil
}

// attributes follows the rules of attributevalue for field names.
func (tagged[T]) attributes() (all []string) {
	var of func(t reflect.Type)
	of = func(t reflect.Type) {
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("dynamodbav"), ",")
			embedded := f.Type
			if embedded.Kind() == reflect.Pointer {
				embedded = embedded.Elem()
			}
			switch {
			case name == "-":
			case name != "":
				all = append(all, stored.Path(name))
			case f.Anonymous && embedded.Kind() == reflect.Struct:
				of(embedded)
			case f.IsExported():
				all = append(all, stored.Path(f.Name))
			}
		}
	}
	of(reflect.TypeFor[T]())
	return all
}

func (tagged[T]) Decode(row dynastay.Row, v *T) error {
	// The SDK would read into existing lists and maps, which may belong to the caller.
	if s := reflect.ValueOf(v).Elem(); s.Kind() == reflect.Struct {
		for i := range s.NumField() {
			if field := s.Type().Field(i); field.IsExported() && field.Tag.Get("dynamodbav") != "-" {
				s.Field(i).SetZero()
			}
		}
	}
	return attributevalue.UnmarshalMap(row.Item(), v)
}
