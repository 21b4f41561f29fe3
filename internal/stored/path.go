package stored

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// dotInName replaces a dot that is part of a name in a path.
const dotInName = "\x00"

// Path returns the path of an attribute within maps, such as "Card.Name"; names may contain dots.
func Path(names ...string) string {
	escaped := make([]string, len(names))
	for i, name := range names {
		escaped[i] = strings.ReplaceAll(name, ".", dotInName)
	}
	return strings.Join(escaped, ".")
}

// Step splits the first name off a path.
func Step(path string) (name, rest string, nested bool) {
	name, rest, nested = strings.Cut(path, ".")
	return strings.ReplaceAll(name, dotInName, "."), rest, nested
}

// At returns the value at a path, or nil if there is none.
func At(item Item, path string) types.AttributeValue {
	for {
		first, rest, nested := Step(path)
		v := item[first]
		if !nested {
			return v
		}
		m, ok := v.(*types.AttributeValueMemberM)
		if !ok {
			return nil
		}
		item, path = m.Value, rest
	}
}

// Place sets a value at a path, and creates the maps on the way.
func Place(item Item, path string, v types.AttributeValue) {
	for {
		first, rest, nested := Step(path)
		if !nested {
			item[first] = v
			return
		}
		m, ok := item[first].(*types.AttributeValueMemberM)
		if !ok {
			m = &types.AttributeValueMemberM{Value: Item{}}
			item[first] = m
		}
		item, path = m.Value, rest
	}
}

// CopyMaps returns a copy of an item and of all maps within it.
func CopyMaps(item Item) Item {
	copied := make(Item, len(item))
	for name, v := range item {
		if m, ok := v.(*types.AttributeValueMemberM); ok {
			v = &types.AttributeValueMemberM{Value: CopyMaps(m.Value)}
		}
		copied[name] = v
	}
	return copied
}
