package entity

import (
	"reflect"
	"strconv"
	"strings"
)

// names are the attributes of a declaration, by their paths, with the variables that hold them.
type names struct {
	pointers   map[string]any
	currencies []string
	twice      []string
}

func (n *names) add(path string, p any) {
	if _, there := n.pointers[path]; there {
		n.twice = append(n.twice, path)
	}
	n.pointers[path] = p
}

// field is the path, within *v, of the variable that holds the attribute: the input's own name for it. What is within the
// attribute of one variable, such as one of its texts, is found in it: Tags[1].
func (n *names) field(v any, attribute string) (string, bool) {
	path := func(p any) (string, bool) {
		root := reflect.ValueOf(v).Elem()
		return pathTo(root, reflect.ValueOf(p), map[uintptr]bool{root.Addr().Pointer(): true})
	}
	for end := len(attribute); end > 0; end = strings.LastIndexAny(attribute[:end], ".[") {
		if p := n.pointers[attribute[:end]]; p != nil {
			own, ok := path(p)
			return own + attribute[end:], ok
		}
	}
	// A map has no variable of its own; its attributes have, and what their paths share is the map's.
	var shared []string
	found := false
	for inner, p := range n.pointers {
		if p == nil || !strings.HasPrefix(inner, attribute+".") {
			continue
		}
		own, ok := path(p)
		if !ok {
			return "", false
		}
		parts := strings.Split(own, ".")
		if !found {
			shared, found = parts[:len(parts)-1], true
			continue
		}
		same := 0
		for same < len(shared) && same < len(parts) && shared[same] == parts[same] {
			same++
		}
		shared = shared[:same]
	}
	return strings.Join(shared, "."), len(shared) > 0
}

// pathTo finds a variable within another one by its address; pointers to what was seen lead nowhere new. It runs only once
// something was refused.
func pathTo(in, p reflect.Value, seen map[uintptr]bool) (string, bool) {
	if in.Addr().Pointer() == p.Pointer() && in.Type() == p.Type().Elem() {
		return "", true
	}
	switch in.Kind() {
	case reflect.Pointer:
		if !in.IsNil() && !seen[in.Pointer()] {
			seen[in.Pointer()] = true
			return pathTo(in.Elem(), p, seen)
		}
	case reflect.Struct:
		for i := range in.NumField() {
			if rest, ok := pathTo(in.Field(i), p, seen); ok {
				if field := in.Type().Field(i); !field.Anonymous || rest == "" {
					rest = join(field.Name, rest)
				}
				return rest, true
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range in.Len() {
			if rest, ok := pathTo(in.Index(i), p, seen); ok {
				return join("["+strconv.Itoa(i)+"]", rest), true
			}
		}
	}
	return "", false
}

func join(first, rest string) string {
	if rest == "" || strings.HasPrefix(rest, "[") {
		return first + rest
	}
	return first + "." + rest
}
