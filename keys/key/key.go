package key

import (
	"errors"
	"reflect"

	"github.com/dynastay/dynastay"
)

// Layout is the constraint for types of key: a type, usually a struct, whose pointer has a Form method that declares
// the key's text.
type Layout[K any] interface {
	*K
	Form(*Form)
}

func formOf[K any, P Layout[K]](k *K) *Form {
	f := &Form{of: reflect.TypeFor[K]()}
	P(k).Form(f)
	if f.pk == nil {
		f.reject("Form must call PK")
	}
	return f
}

// Of returns the key as it is stored. It fails with a [*dynastay.InvalidError] that names the key's field.
func Of[K any, P Layout[K]](k K) (dynastay.Key, error) {
	return formOf[K, P](&k).build()
}

// Parse parses a stored key. It accepts only what [Of] writes: a different spelling of the same values, such as a price
// without its zeros, fails with [dynastay.ErrCorrupt] like any other text.
func Parse[K any, P Layout[K]](stored dynastay.Key) (K, error) {
	var k K
	if err := formOf[K, P](&k).parse(stored); err != nil {
		var none K
		return none, &dynastay.Error{
			Entity: reflect.TypeFor[K]().Name(), ID: stored.String(), Kind: dynastay.ErrCorrupt,
			// Only the text: the error of a stored key must not match ErrInvalid, which is about the caller's
			// arguments.
			Err: errors.New(err.Error()),
		}
	}
	return k, nil
}

// Is reports whether a stored key is one of K, written as [Of] writes it.
func Is[K any, P Layout[K]](stored dynastay.Key) bool {
	_, err := Parse[K, P](stored)
	return err == nil
}

// Partition returns the partition key alone, for a Query. The fields of the sort key may be empty. It fails with a
// [*dynastay.InvalidError] that names the key's field.
func Partition[K any, P Layout[K]](k K) (string, error) {
	return formOf[K, P](&k).pk.build()
}

// SortPrefix returns the sort key up to the value of its first field and the separator after it, such as
// RATING#08.0#PROPERTY#; the other fields may be empty. It can be used as a prefix, where the separator prevents it
// from matching a longer value (p1 does not find p10), and as either bound of a half-open range from one value to
// another, because no key equals it. If the key ends with the value, the result is the whole key, and BETWEEN includes
// it. It fails with a [*dynastay.InvalidError] that names the key's field.
func SortPrefix[K any, P Layout[K]](k K) (string, error) {
	return formOf[K, P](&k).sk.first().build()
}

// SortKind returns the literal that the sort keys of all K begin with, such as ROOM#: the prefix that finds one kind of
// item or row among the others of its partition. It is empty if the sort key begins with a value, or if there is no
// sort key.
func SortKind[K any, P Layout[K]]() string {
	if sk := formOf[K, P](new(K)).sk; len(sk) > 0 {
		kind, _ := sk[0].(string)
		return kind
	}
	return ""
}

// Template returns the key with the names of its fields in braces, such as ROOM#{RoomTypeID} / DATE#{Date}. It is for
// documentation, and for tests that keep the documentation correct.
func Template[K any, P Layout[K]]() string {
	f := formOf[K, P](new(K))
	if f.sk == nil {
		return f.pk.template()
	}
	return f.pk.template() + " / " + f.sk.template()
}
