package entity

import (
	"fmt"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

// Map declares a nested map, whose attributes inner declares. A map in which nothing is set is not written.
func (f *Fields) Map(name string, inner func(f *Fields)) {
	f.naming(name, nil)
	nested := f.within(name + ".")
	if f.decoding {
		v, _ := f.read(name, dynastay.KindMap)
		nested.row = v.Map()
	}
	inner(&Fields{state: nested})
	f.take(nested)
	if len(nested.item) > 0 {
		f.item[name] = &types.AttributeValueMemberM{Value: nested.item}
	}
}

// within returns the state for a nested map at the path.
func (f *Fields) within(path string) *state {
	nested := &state{decoding: f.decoding, names: f.names, path: f.path + path}
	if !f.decoding {
		nested.item = dynastay.Item{}
	}
	return nested
}

// take takes over the error of a nested map.
func (f *Fields) take(nested *state) {
	if f.err == nil {
		f.err = nested.err
	}
}

// List declares a list of maps; one declares the attributes of each map. A nil list is not written.
func List[V any](f *Fields, name string, p *[]V, one func(f *Fields, v *V)) {
	at := func(i int) *state { return f.within(fmt.Sprintf("%s[%d].", name, i)) }
	if f.decoding {
		*p = nil
		list, ok := f.readList(name)
		if !ok {
			return
		}
		*p = make([]V, len(list))
		for i, v := range list {
			if v.Kind() != dynastay.KindMap {
				f.wrongKind(fmt.Sprintf("%s[%d]", name, i), v.Kind(), dynastay.KindMap)
				return
			}
			element := at(i)
			element.row = v.Map()
			one(&Fields{state: element}, &(*p)[i])
			f.take(element)
		}
		return
	}
	if f.naming(name, p) {
		elements := *p
		if len(elements) == 0 {
			elements = make([]V, 1) // so that the names are collected
		}
		for i := range elements {
			one(&Fields{state: at(i)}, &elements[i])
		}
		return
	}
	if *p == nil {
		return
	}
	list := make([]types.AttributeValue, len(*p))
	for i := range *p {
		element := at(i)
		one(&Fields{state: element}, &(*p)[i])
		f.take(element)
		list[i] = &types.AttributeValueMemberM{Value: element.item}
	}
	f.item[name] = &types.AttributeValueMemberL{Value: list}
}

// Keyed declares a nested map whose keys are data, such as dates or ids; one declares the attribute with the given
// name. A nil or empty map is not written.
func Keyed[V any](f *Fields, name string, p *map[string]V, one func(f *Fields, name string, v *V)) {
	if f.names != nil {
		f.names.keyed = append(f.names.keyed, f.path+name)
	}
	if f.decoding {
		*p = nil
	}
	for key := range *p {
		if !utf8.ValidString(key) {
			f.Fail(name, dynastay.Invalid("", "must have keys that are valid UTF-8"))
			return
		}
	}
	f.Map(name, func(f *Fields) {
		if f.decoding {
			for key := range f.row.Names() {
				if *p == nil {
					*p = map[string]V{}
				}
				(*p)[key] = *new(V)
			}
		}
		for key, v := range *p {
			one(f, key, &v)
			if f.decoding {
				(*p)[key] = v
			}
		}
	})
}
