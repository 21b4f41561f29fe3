// Package itemjson reads items in DynamoDB JSON, as exports of tables to S3 have them.
package itemjson

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay/internal/stored"
)

// mostNested is more than the 32 levels that DynamoDB allows, and keeps the stack small for any text.
const mostNested = 64

// Line reads a line of an export: {"Item":{"PK":{"S":"USER#ada"},"Visits":{"N":"36"}}}. Numbers keep their text. What DynamoDB does
// not write is an error, which says where it is, but not what: a value may be that of a person.
func Line(text []byte) (stored.Item, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("must be UTF-8")
	}
	d := decoder{json.NewDecoder(bytes.NewReader(text))}
	var item stored.Item
	err := d.object(func(name string) (err error) {
		if name != "Item" {
			return errors.New("must have an Item, and nothing else")
		}
		item, err = d.attributes(1)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case item == nil:
		return nil, errors.New("must have an Item")
	}
	if _, err := d.in.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("must have nothing after the item")
	}
	return item, nil
}

// decoder reads one token after another, because a map of encoding/json would hide that a name is there twice.
type decoder struct{ in *json.Decoder }

// token returns the next token, which must be of the type T.
func token[T any](d decoder, what string) (T, error) {
	next, err := d.in.Token()
	is, ok := next.(T)
	switch {
	case errors.Is(err, io.EOF):
		return is, io.ErrUnexpectedEOF
	case err != nil:
		return is, err
	case !ok:
		return is, fmt.Errorf("must be %s", what)
	}
	return is, nil
}

func (d decoder) open(delim json.Delim, what string) error {
	got, err := token[json.Delim](d, what)
	if err == nil && got != delim {
		err = fmt.Errorf("must be %s", what)
	}
	return err
}

// object calls a function with each name, which reads the value.
func (d decoder) object(each func(name string) error) error {
	if err := d.open('{', "an object"); err != nil {
		return err
	}
	names := map[string]bool{}
	for d.in.More() {
		name, err := token[string](d, "a name")
		if err != nil {
			return err
		}
		if names[name] {
			return fmt.Errorf("%q is there twice", name)
		}
		names[name] = true
		if err := each(name); err != nil {
			return err
		}
	}
	_, err := token[json.Delim](d, "the end of an object")
	return err
}

// list calls a function for each element, which reads it.
func (d decoder) list(each func() error) error {
	if err := d.open('[', "a list"); err != nil {
		return err
	}
	for d.in.More() {
		if err := each(); err != nil {
			return err
		}
	}
	_, err := token[json.Delim](d, "the end of a list")
	return err
}

func (d decoder) attributes(depth int) (stored.Item, error) {
	item := stored.Item{}
	err := d.object(func(name string) (err error) {
		if item[name], err = d.value(depth); err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
		return nil
	})
	return item, err
}

// value reads a value under its type: {"S":"a text"}.
func (d decoder) value(depth int) (v types.AttributeValue, err error) {
	if depth > mostNested {
		return nil, errors.New("is nested too deeply")
	}
	err = d.object(func(tag string) (err error) {
		if v != nil {
			return errors.New("has two types")
		}
		if v, err = d.tagged(tag, depth); err != nil {
			return fmt.Errorf("%s: %w", tag, err)
		}
		return nil
	})
	if err == nil && v == nil {
		err = errors.New("has no type")
	}
	return v, err
}

func (d decoder) tagged(tag string, depth int) (types.AttributeValue, error) {
	switch tag {
	case "S":
		text, err := d.text()
		return &types.AttributeValueMemberS{Value: text}, err
	case "N":
		digits, err := d.number()
		return &types.AttributeValueMemberN{Value: digits}, err
	case "B":
		b, err := d.binary()
		return &types.AttributeValueMemberB{Value: b}, err
	case "BOOL":
		yes, err := token[bool](d, "true or false")
		return &types.AttributeValueMemberBOOL{Value: yes}, err
	case "NULL":
		yes, err := token[bool](d, "true")
		if err == nil && !yes {
			err = errors.New("must be true")
		}
		return &types.AttributeValueMemberNULL{Value: true}, err
	case "SS":
		all, err := set(d, d.text)
		return &types.AttributeValueMemberSS{Value: all}, err
	case "NS":
		all, err := set(d, d.number)
		return &types.AttributeValueMemberNS{Value: all}, err
	case "BS":
		all, err := set(d, d.binary)
		return &types.AttributeValueMemberBS{Value: all}, err
	case "M":
		inner, err := d.attributes(depth + 1)
		return &types.AttributeValueMemberM{Value: inner}, err
	case "L":
		all := []types.AttributeValue{}
		err := d.list(func() error {
			v, err := d.value(depth + 1)
			all = append(all, v)
			return err
		})
		return &types.AttributeValueMemberL{Value: all}, err
	}
	return nil, errors.New("is no type of DynamoDB")
}

// set reads a set, which is never empty.
func set[V any](d decoder, element func() (V, error)) (all []V, err error) {
	err = d.list(func() error {
		v, err := element()
		all = append(all, v)
		return err
	})
	if err == nil && len(all) == 0 {
		err = errors.New("must not be empty")
	}
	return all, err
}

func (d decoder) text() (string, error) { return token[string](d, "a string") }

func (d decoder) number() (string, error) {
	digits, err := d.text()
	if _, ok := stored.ReadNumeral(digits); err == nil && !ok {
		err = errors.New("must be a number")
	}
	return digits, err
}

func (d decoder) binary() ([]byte, error) {
	text, err := d.text()
	if err != nil {
		return nil, err
	}
	b, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil, errors.New("must be in base64")
	}
	return b, nil
}
