package key

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/dynastay/dynastay"
)

// Form is the text of one type of key, as the type's Form method declares it: PK once, then SK once unless the table
// has no sort key. The same declaration is used for writing and for parsing, so the two cannot contradict each other.
//
// A part of PK or SK is a literal, which is a constant string, or a [Value]. A literal after a value must begin with
// '#', and a literal must separate two values; only a [Shard] may directly follow a value. A violation of these rules
// is a programming error: the method panics with a message that names the key's type.
type Form struct {
	of     reflect.Type
	pk, sk part
}

// part is the partition key or the sort key: literals (strings) and values.
type part []any

// Value declares a field of a key and the kind of text that stores it. Functions such as [ID], [Text] and [Custom]
// return values. Their name argument is the name of the field, for errors.
type Value struct {
	field string
	kind  kind
	wrong string // what is wrong with its declaration, "" if nothing is
}

// kind converts a field to text and back. Decoding is not strict by itself: see [Form.parse].
type kind interface {
	encode() (string, error)
	decode(text string) error
}

// PK declares the partition key.
func (f *Form) PK(parts ...any) {
	if f.pk != nil {
		f.reject("PK must be called only once")
	}
	f.check("PK", parts)
	f.pk = parts
}

// SK declares the sort key.
func (f *Form) SK(parts ...any) {
	switch {
	case f.pk == nil:
		f.reject("SK must be called after PK")
	case f.sk != nil:
		f.reject("SK must be called only once")
	}
	f.check("SK", parts)
	f.sk = parts
}

// reject panics because a key is declared wrongly. Such a key is invalid whatever its values are.
func (f *Form) reject(format string, args ...any) {
	panic(fmt.Sprintf("key: %v: %s", f.of, fmt.Sprintf(format, args...)))
}

func (f *Form) check(name string, parts part) {
	if len(parts) == 0 {
		f.reject("%s must have at least one part", name)
	}
	var before Value // the value directly before p, if any
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
				f.reject("the Shard %s must be the last part of PK, after at least one other", p.field)
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

// parse sets the fields, then builds the key from them again. The comparison with the original text makes it strict.
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
		return errors.New("must be in canonical form")
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

// refused sets the field of an error to the field of the key.
func refused(field string, err error) error {
	var invalid *dynastay.InvalidError
	if errors.As(err, &invalid) {
		return dynastay.Invalid(field, "%s", invalid.Reason)
	}
	return dynastay.Invalid(field, "%v", err)
}

// parse does not check for text after the last piece; [Form.parse] detects it when it builds the key again.
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

// first returns the part up to its first value and the literal after that.
func (p part) first() part {
	for i, piece := range p {
		if _, ok := piece.(Value); ok {
			return p[:min(i+2, len(p))]
		}
	}
	return p
}

// template returns the part with the names of its fields in braces.
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
