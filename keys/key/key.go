package key

import (
	"errors"
	"reflect"

	"github.com/dynastay/dynastay"
)

// Layout is what every type of key is: a type, mostly a struct, whose pointer declares the key's text.
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

// Of is the key as it is stored. It fails with an [*dynastay.InvalidError] that names the key's field.
func Of[K any, P Layout[K]](k K) (dynastay.Key, error) {
	return formOf[K, P](&k).build()
}

// Parse reads a stored key. It accepts what [Of] writes and nothing else: another spelling of the same values, such as
// a price without its zeros, is [dynastay.ErrCorrupt] like any other text.
func Parse[K any, P Layout[K]](stored dynastay.Key) (K, error) {
	var k K
	if err := formOf[K, P](&k).parse(stored); err != nil {
		var none K
		return none, &dynastay.Error{
			Entity: reflect.TypeFor[K]().Name(), ID: stored.String(), Kind: dynastay.ErrCorrupt,
			// The text alone: what is wrong with a stored key must not match ErrInvalid, which blames the caller.
			Err: errors.New(err.Error()),
		}
	}
	return k, nil
}

// Partition is the partition key alone, for a Query. The fields of the sort key may be empty. It fails with an
// [*dynastay.InvalidError] that names the key's field.
func Partition[K any, P Layout[K]](k K) (string, error) {
	return formOf[K, P](&k).pk.build()
}

// SortPrefix is the sort key up to the value of its first field and the separator after it, such as
// RATING#08.0#PROPERTY#; the other fields may be empty. It serves as a prefix, which the separator keeps from matching
// a longer value (p1 does not find p10), and as either bound of the half-open range from one value to another, since
// no key equals it. Where the key ends with the value, it is the whole key, and BETWEEN includes it. It fails with an
// [*dynastay.InvalidError] that names the key's field.
func SortPrefix[K any, P Layout[K]](k K) (string, error) {
	return formOf[K, P](&k).sk.first().build()
}

// SortKind is what the sort keys of all K begin with, such as ROOM#: the prefix that finds one kind of item or row
// among the others of its partition. It is empty where the sort key begins with a value, and without a sort key.
func SortKind[K any, P Layout[K]]() string {
	if sk := formOf[K, P](new(K)).sk; len(sk) > 0 {
		kind, _ := sk[0].(string)
		return kind
	}
	return ""
}

// Template is the key with the names of its fields in braces, such as ROOM#{RoomTypeID} / DATE#{Date}: for
// documentation, and for tests that keep it true.
func Template[K any, P Layout[K]]() string {
	f := formOf[K, P](new(K))
	if f.sk == nil {
		return f.pk.template()
	}
	return f.pk.template() + " / " + f.sk.template()
}
