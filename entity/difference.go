package entity

import (
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/stored"
)

// difference is what an update writes, by path.
// See docs/decisions/0004-derived-attributes.md for its condition.
type difference struct {
	stored dynastay.Item
	after  dynastay.Item // in the codec's form
	keyed  []string      // the maps whose keys are data
	set    map[string]types.AttributeValue
	remove map[string]bool
}

// derive adds the derived attributes that changed, and those that other software left stale.
func (e *core) derive(c *change) error {
	d := c.diff
	if !c.Changed() {
		return nil
	}
	whole := map[string]dynastay.Item{} // maps that are not stored yet, so a value inside them cannot be set
	for _, attribute := range e.derived {
		v, err := attribute.of(c.after, d.after)
		if err != nil {
			return err
		}
		missing := d.missingMap(attribute.Name)
		switch {
		case stored.Equal(stored.At(d.stored, attribute.Name), v):
		case v == nil:
			d.remove[attribute.Name] = true
		case missing != "":
			if whole[missing] == nil {
				whole[missing] = d.wholeMap(missing)
			}
			stored.Place(whole[missing], attribute.Name[len(missing)+1:], v)
		default:
			d.set[attribute.Name] = v
		}
	}
	for path, inner := range whole {
		d.set[path] = &types.AttributeValueMemberM{Value: inner}
	}
	return nil
}

// missingMap returns the outermost map on the path that is not stored, or "" if all are.
func (d *difference) missingMap(path string) string {
	for i := range path {
		if path[i] == '.' && !d.storedMap(path[:i]) {
			return path[:i]
		}
	}
	return ""
}

// wholeMap returns a copy of what the codec stores in the map, to which attributes can be added.
func (d *difference) wholeMap(path string) dynastay.Item {
	if declared, ok := d.set[path].(*types.AttributeValueMemberM); ok {
		return stored.CopyMaps(declared.Value)
	}
	return dynastay.Item{}
}

// compare compares two encoded forms. Maps are compared attribute by attribute, so that attributes of other software in
// them are preserved; a list is one value.
func (d *difference) compare(path string, before, after dynastay.Item) {
	for name, old := range before {
		now, there := after[name]
		at := path + dynastay.PathOf(name)
		oldMap, wasMap := old.(*types.AttributeValueMemberM)
		nowMap, isMap := now.(*types.AttributeValueMemberM)
		switch {
		case wasMap && (isMap || !there) && !d.storedMap(at):
			// The map is not stored but has an encoded form, because zero numbers and booleans are written.
			if isMap && !stored.Equal(old, now) {
				d.set[at] = now
			}
		case wasMap && !there && slices.Contains(d.keyed, strings.TrimSuffix(path, ".")):
			// An entry that was removed. Without its attributes, what other software stored in it has no meaning either.
			d.remove[at] = true
		case wasMap && (isMap || !there):
			inner := dynastay.Item{}
			if isMap {
				inner = nowMap.Value
			}
			d.compare(at+".", oldMap.Value, inner)
		case !there:
			d.remove[at] = true
		case !stored.Equal(old, now):
			d.set[at] = now
		}
	}
	for name, now := range after {
		if _, there := before[name]; there {
			continue
		}
		at := path + dynastay.PathOf(name)
		if nowMap, isMap := now.(*types.AttributeValueMemberM); isMap && d.storedMap(at) {
			d.compare(at+".", dynastay.Item{}, nowMap.Value)
			continue
		}
		d.set[at] = now
	}
}

func (d *difference) storedMap(path string) bool {
	_, ok := stored.At(d.stored, path).(*types.AttributeValueMemberM)
	return ok
}

func (d *difference) empty() bool { return len(d.set)+len(d.remove) == 0 }
