package entity

import (
	"reflect"
	"strconv"
	"strings"
)

// names are the attributes of a declaration, by path, with their variables.
type names struct {
	pointers   map[string]any
	currencies []string
	twice      []string
	keyed      []string // the maps whose keys are data
}

func (n *names) add(path string, p any) {
	if _, there := n.pointers[path]; there {
		n.twice = append(n.twice, path)
	}
	n.pointers[path] = p
}

// field returns the path within *v of the variable for the attribute, which is the caller's name for it. For a part of
// an attribute, such as one text of a list, the path includes the position: Tags[1].
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
	// A map has no variable of its own, but its attributes have. The part that their paths share is the map's path.
	var shared []string
	found := false
	for inner, p := range n.pointers {
		if p == nil || !strings.HasPrefix(inner, attribute+".") {
			continue
		}
		own, _ := path(p)
		parts := strings.Split(own, ".")
		if !found {
			shared, found = parts[:len(parts)-1], true
		}
		same := 0
		for same < len(shared) && same < len(parts) && shared[same] == parts[same] {
			same++
		}
		shared = shared[:same]
	}
	return strings.Join(shared, "."), len(shared) > 0
}

// pathTo finds a variable within another one by its address. It does not follow pointers to what it has already seen.
// It runs only after an error.
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
