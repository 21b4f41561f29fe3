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

// Codec turns an entity into its stored attributes and back. Keys are no part of it: they are derived from the entity
// (see [Spec]) and an entity is never read out of them.
type Codec[T any] interface {
	Encode(*T) (dynastay.Item, error)
	Decode(dynastay.Row, *T) error
}

// Declare makes a codec of one function that states the stored form for both directions: it is run over an entity to
// fill an item, and over a row to fill an entity. The first error sticks; the function need not look at it.
//
//	var messages = entity.Declare(func(f *entity.Fields, m *Message) {
//		f.String("MessageId", &m.ID)
//		f.Time("SentAt", &m.SentAt)
//	})
//
// A missing attribute and a stored NULL both read as the zero value. Empty text, the zero time, the zero date and an
// unset amount are written as absent; numbers and booleans always are written, unless declared with [Fields.IfSet].
//
// What cannot be stored is refused by the path of the variable that holds it, such as Guest.FirstName, whatever the
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

// names runs the declaration for nothing but the names in it.
func (d declared[T]) names(v *T) *names {
	n := &names{pointers: map[string]any{}}
	d(&Fields{state: &state{names: n}}, v)
	return n
}

// Tagged makes a codec of a struct with dynamodbav tags, by the rules of the SDK's attributevalue package. It is for
// types that a service already has. A [dynastay.Date] and a [dynastay.Money] are stored as the text of their String methods,
// or as NULL where they are zero.
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

// attributes follows the rules of attributevalue for the names of fields.
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
	// The SDK would read into the lists and maps that are there already, and they may be the caller's.
	if s := reflect.ValueOf(v).Elem(); s.Kind() == reflect.Struct {
		for i := range s.NumField() {
			if field := s.Type().Field(i); field.IsExported() && field.Tag.Get("dynamodbav") != "-" {
				s.Field(i).SetZero()
			}
		}
	}
	return attributevalue.UnmarshalMap(row.Item(), v)
}
