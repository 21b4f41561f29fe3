package key

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/dynastay/dynastay"
)

// Form is the text of one type of key, as the type's Form method declares it: PK once, then SK once unless the table
// has no sort key. The one declaration serves writing and reading, so that they cannot drift apart.
//
// A part of PK or SK is a literal, which is a constant string, or a [Value]. A literal behind a value begins with '#',
// and two values never touch; only a [Shard] follows a value directly. What breaks these rules is an error of the
// program: the method panics, and the message names the key's type.
type Form struct {
	of     reflect.Type
	pk, sk part
}

// part is the partition key or the sort key: strings, which are literals, and values.
type part []any

// Value is a field of a key together with the kind of text that it takes. The functions of this package make values:
// [ID], [Text] and the others, and [Custom]. Their name is the field's, for errors.
type Value struct {
	field string
	kind  kind
	wrong string // what is wrong with its declaration, if anything is
}

// kind writes a field as text and reads it back. Reading is not strict by itself: see [Form.parse].
type kind interface {
	encode() (string, error)
	decode(text string) error
}

// PK declares the partition key.
func (f *Form) PK(parts ...any) {
	if f.pk != nil {
		f.reject("PK is called twice")
	}
	f.check("PK", parts)
	f.pk = parts
}

// SK declares the sort key.
func (f *Form) SK(parts ...any) {
	switch {
	case f.pk == nil:
		f.reject("SK is called before PK")
	case f.sk != nil:
		f.reject("SK is called twice")
	}
	f.check("SK", parts)
	f.sk = parts
}

// reject ends a program that declares a key wrongly. Nothing can be stored under such a key, whatever its values are.
func (f *Form) reject(format string, args ...any) {
	panic(fmt.Sprintf("key: %v: %s", f.of, fmt.Sprintf(format, args...)))
}

func (f *Form) check(name string, parts part) {
	if len(parts) == 0 {
		f.reject("%s must have at least one part", name)
	}
	var before Value // the value directly before a part
	for i, p := range parts {
		switch p := p.(type) {
		case string:
			if p == "" {
				f.reject("%s must not contain an empty literal", name)
			}
			if before.kind != nil && p[0] != '#' {
				f.reject("the literal %q after the value %s must begin with '#'", p, before.field)
			}
			before = Value{}
		case Value:
			_, isShard := p.kind.(*shardValue)
			switch {
			case p.wrong != "":
				f.reject("%s %s", p.field, p.wrong)
			case isShard && (name != "PK" || i == 0 || i+1 < len(parts)):
				f.reject("the shard %s must follow all other parts of PK", p.field)
			case !isShard && before.kind != nil:
				f.reject("the value %s must be separated from the value %s by a literal", p.field, before.field)
			}
			before = p
		default:
			f.reject("a part of %s must be a string or a Value, got %T", name, p)
		}
	}
}

func (f *Form) build() (key dynastay.Key, err error) {
	if key.PK, err = f.pk.build(); err != nil {
		return dynastay.Key{}, err
	}
	if key.SK, err = f.sk.build(); err != nil {
		return dynastay.Key{}, err
	}
	return key, nil
}

// parse sets the fields, then builds the key from them again: equal text is what makes it strict.
func (f *Form) parse(key dynastay.Key) error {
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
		return errors.New("is not in canonical form")
	}
	return nil
}

func (p part) build() (string, error) {
	var text []byte
	for _, piece := range p {
		v, ok := piece.(Value)
		if !ok {
			text = append(text, piece.(string)...)
			continue
		}
		value, err := v.kind.encode()
		if err != nil {
			return "", refused(v.field, err)
		}
		text = append(text, value...)
	}
	return string(text), nil
}

// refused gives an error without a field, or with another one, the field of the key.
func refused(field string, err error) error {
	var invalid *dynastay.InvalidError
	if errors.As(err, &invalid) {
		return dynastay.Invalid(field, "%s", invalid.Reason)
	}
	return dynastay.Invalid(field, "%v", err)
}

// parse leaves what stands behind the last piece to [Form.parse], which sees it when it builds the key again.
func (p part) parse(text string) error {
	for i, piece := range p {
		v, ok := piece.(Value)
		if !ok {
			rest, ok := strings.CutPrefix(text, piece.(string))
			if !ok {
				return fmt.Errorf("%q is missing", piece)
			}
			text = rest
			continue
		}
		end := len(text)
		if next := strings.IndexByte(text, '#'); next >= 0 && i+1 < len(p) {
			end = next
		}
		if err := v.kind.decode(text[:end]); err != nil {
			return refused(v.field, err)
		}
		text = text[end:]
	}
	return nil
}

// first is the part up to its first value and the literal behind that.
func (p part) first() part {
	for i, piece := range p {
		if _, ok := piece.(Value); ok {
			return p[:min(i+2, len(p))]
		}
	}
	return p
}

// template is the part with the names of its fields in braces.
func (p part) template() (text string) {
	for _, piece := range p {
		if v, ok := piece.(Value); ok {
			text += "{" + v.field + "}"
		} else {
			text += piece.(string)
		}
	}
	return text
}
