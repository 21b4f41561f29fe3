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

// field is the path, within *v, of the variable that holds the attribute: the input's own name for it.
func (n *names) field(v any, attribute string) (string, bool) {
	root := reflect.ValueOf(v).Elem()
	if p := n.pointers[attribute]; p != nil {
		return pathTo(root, reflect.ValueOf(p), 0)
	}
	// A map has no variable of its own; its attributes have, and what their paths share is the map's.
	var shared []string
	found := false
	for path, p := range n.pointers {
		if p == nil || !strings.HasPrefix(path, attribute+".") {
			continue
		}
		own, ok := pathTo(root, reflect.ValueOf(p), 0)
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

// pathTo finds a variable within another one by its address. It runs only once something was refused.
func pathTo(in, p reflect.Value, depth int) (string, bool) {
	const deepest = 16 // a type may hold pointers to itself
	if depth > deepest || !in.CanAddr() {
		return "", false
	}
	if in.Addr().Pointer() == p.Pointer() && in.Type() == p.Type().Elem() {
		return "", true
	}
	switch in.Kind() {
	case reflect.Pointer:
		if !in.IsNil() {
			return pathTo(in.Elem(), p, depth+1)
		}
	case reflect.Struct:
		for i := range in.NumField() {
			if rest, ok := pathTo(in.Field(i), p, depth+1); ok {
				if field := in.Type().Field(i); !field.Anonymous {
					rest = join(field.Name, rest)
				}
				return rest, true
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range in.Len() {
			if rest, ok := pathTo(in.Index(i), p, depth+1); ok {
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
