package keys

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
)

// form is the text of one key, as a struct's form method declares it: literals and fields in their order. The one
// declaration serves writing and reading, so that they cannot drift apart.
//
// No value's text contains '#', and a literal behind a value begins with it: a value ends at the next '#'. That makes
// every form unambiguous, whatever strings the values are.
type form struct {
	pk, sk part
	inSort bool
}

// part is a partition key or a sort key.
type part []piece

// piece is a literal, or else a field.
type piece struct {
	lit   string
	field string
	value value
}

// value is a field of a key struct together with the kind of text that it takes.
type value interface {
	encode() (string, error)
	decode(text string) error
}

func (f *form) add(p piece) {
	if f.inSort {
		f.sk = append(f.sk, p)
	} else {
		f.pk = append(f.pk, p)
	}
}

// sort ends the partition key; what follows is the sort key.
func (f *form) sort() { f.inSort = true }

func (f *form) lit(text string) { f.add(piece{lit: text}) }

func (f *form) field(name string, v value) { f.add(piece{field: name, value: v}) }

func (f *form) id(name string, v *string)    { f.field(name, (*idValue)(v)) }
func (f *form) text(name string, v *string)  { f.field(name, (*textValue)(v)) }
func (f *form) email(name string, v *string) { f.field(name, (*emailValue)(v)) }
func (f *form) word(name string, v *string)  { f.field(name, (*wordValue)(v)) }
func (f *form) geohash(name string, v *string, characters int) {
	f.field(name, geohashValue{v, characters})
}
func (f *form) cell(name string, v *string)                { f.field(name, (*cellValue)(v)) }
func (f *form) currency(name string, v *dynastay.Currency) { f.field(name, (*currencyValue)(v)) }
func (f *form) rating(name string, v *dynastay.Rating)     { f.field(name, (*ratingValue)(v)) }
func (f *form) stars(name string, v *int)                  { f.field(name, (*starsValue)(v)) }
func (f *form) price(name string, v *Price)                { f.field(name, (*priceValue)(v)) }
func (f *form) score(name string, v *int64)                { f.field(name, (*scoreValue)(v)) }
func (f *form) date(name string, v *dynastay.Date)         { f.field(name, (*dateValue)(v)) }
func (f *form) instant(name string, v *time.Time)          { f.field(name, (*instantValue)(v)) }

// shard ends the partition key with a field that shard 0 leaves out.
func (f *form) shard(v *int) { f.field("Shard", (*shardValue)(v)) }

func (f *form) build() (key dynastay.Key, err error) {
	if key.PK, err = f.pk.build(); err != nil {
		return dynastay.Key{}, err
	}
	if key.SK, err = f.sk.build(); err != nil {
		return dynastay.Key{}, err
	}
	return key, nil
}

// parse sets the fields, then builds the key from them again: equal text is what makes it strict.
func (f *form) parse(key dynastay.Key) error {
	if err := f.pk.parse(key.PK); err != nil {
		return fmt.Errorf("partition key: %w", err)
	}
	if err := f.sk.parse(key.SK); err != nil {
		return fmt.Errorf("sort key: %w", err)
	}
	again, err := f.build()
	if err != nil {
		return err
	}
	if again != key {
		return errors.New("the same values are written differently")
	}
	return nil
}

func (p part) build() (string, error) {
	var text []byte
	for _, piece := range p {
		if piece.value == nil {
			text = append(text, piece.lit...)
			continue
		}
		value, err := piece.value.encode()
		if err != nil {
			return "", refused(piece.field, err)
		}
		text = append(text, value...)
	}
	return string(text), nil
}

// refused gives an error without a field, or with another one, the field of the key struct.
func refused(field string, err error) error {
	var invalid *dynastay.InvalidError
	if errors.As(err, &invalid) {
		return dynastay.Invalid(field, "%s", invalid.Reason)
	}
	return dynastay.Invalid(field, "%v", err)
}

// parse leaves what stands behind the last piece to [form.parse], which sees it when it builds the key again.
func (p part) parse(text string) error {
	for i, piece := range p {
		if piece.value == nil {
			rest, ok := strings.CutPrefix(text, piece.lit)
			if !ok {
				return fmt.Errorf("%q is missing", piece.lit)
			}
			text = rest
			continue
		}
		end := len(text)
		if next := strings.IndexByte(text, '#'); next >= 0 && i+1 < len(p) {
			end = next
		}
		if err := piece.value.decode(text[:end]); err != nil {
			return refused(piece.field, err)
		}
		text = text[end:]
	}
	return nil
}

// first is the part up to its first field and the literal behind that.
func (p part) first() part {
	for i, piece := range p {
		if piece.value != nil {
			return p[:min(i+2, len(p))]
		}
	}
	return p
}
