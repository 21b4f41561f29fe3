package keys

import (
	"errors"
	"reflect"

	"github.com/dynastay/dynastay"
)

// layout is what every key of this package is: a struct whose pointer declares the key's text.
type layout[K any] interface {
	*K
	form(*form)
}

func formOf[K any, P layout[K]](k *K) *form {
	f := &form{}
	P(k).form(f)
	return f
}

// Of is the key as it is stored. It fails with an [*dynastay.InvalidError] that names the struct's field.
func Of[K any, P layout[K]](k K) (dynastay.Key, error) {
	return formOf[K, P](&k).build()
}

// Parse reads a stored key. It accepts what [Of] writes and nothing else: another spelling of the same values, such as
// a price without its zeros, is [dynastay.ErrCorrupt] like any other text.
func Parse[K any, P layout[K]](key dynastay.Key) (K, error) {
	var k K
	if err := formOf[K, P](&k).parse(key); err != nil {
		var none K
		return none, &dynastay.Error{
			Entity: reflect.TypeFor[K]().Name(), ID: key.String(), Kind: dynastay.ErrCorrupt,
			// The text alone: what is wrong with a stored key must not match ErrInvalid, which blames the caller.
			Err: errors.New(err.Error()),
		}
	}
	return k, nil
}

// Partition is the partition key alone, for a Query. The fields of the sort key may be empty.
func Partition[K any, P layout[K]](k K) (string, error) {
	return formOf[K, P](&k).pk.build()
}

// SortPrefix is the sort key up to the value of its first field and the separator after it, such as
// RATING#08.0#PROPERTY#; the other fields may be empty. It serves as a prefix, which the separator keeps from matching
// a longer value (p1 does not find p10), and as either bound of the half-open range from one value to another, since
// no key equals it. Where the key ends with the value, it is the whole key, and BETWEEN includes it.
func SortPrefix[K any, P layout[K]](k K) (string, error) {
	return formOf[K, P](&k).sk.first().build()
}

// SortKind is what the sort keys of all K begin with, such as ROOM#: the prefix that finds one kind of item or row
// among the others of its partition.
func SortKind[K any, P layout[K]]() string {
	return formOf[K, P](new(K)).sk[0].lit
}
