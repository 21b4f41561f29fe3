package dynastay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// TableError says how an existing table differs from the schema with which [Schema.Create] was called. Create has
// changed nothing.
type TableError struct {
	Table       string
	Differences []Difference // at least one
}

// Difference is one setting of a table that is not as its schema says.
type Difference struct {
	// Setting is "Key", "Stream", "DeletionProtection", "TTL", or "Index " with the name of the index.
	Setting string
	// Want is what the schema or the options say, and Have what the table has, such as "PK, SK" and "Id". "none" means
	// that there is no such stream or index.
	Want, Have string
}

// Error names the table and each difference with both values.
func (e *TableError) Error() string {
	texts := make([]string, len(e.Differences))
	for i, d := range e.Differences {
		texts[i] = fmt.Sprintf("%s must be %s, but is %s", d.Setting, d.Want, d.Have)
	}
	return "table " + e.Table + " differs from its schema: " + strings.Join(texts, "; ")
}

const none = "none"

// differences compares an existing table with the schema. A further attribute in the projection of an index, a stream
// that the schema does not have, and protection that the options do not require are no differences: nothing that the
// schema needs is missing. A further index is one, because each write pays for it.
func (s *Schema) differences(table *types.TableDescription, opts *TableOptions) (all []Difference) {
	texts := map[string]bool{}
	for _, a := range table.AttributeDefinitions {
		texts[*a.AttributeName] = a.AttributeType == types.ScalarAttributeTypeS
	}
	keyText := func(elements []types.KeySchemaElement) string {
		names := make([]string, len(elements))
		for i, e := range elements {
			if names[i] = *e.AttributeName; !texts[names[i]] {
				names[i] += " (not a string)"
			}
		}
		return strings.Join(names, ", ")
	}
	add := func(setting, want, have string) {
		if want != have {
			all = append(all, Difference{setting, want, have})
		}
	}
	add("Key", s.Key.text(), keyText(table.KeySchema))
	if s.Stream {
		add("Stream", string(types.StreamViewTypeNewAndOldImages), streamText(table.StreamSpecification))
	}
	if !opts.Deletable && table.DeletionProtectionEnabled != nil && !*table.DeletionProtectionEnabled {
		add("DeletionProtection", "on", "off")
	}
	for _, index := range s.Indexes {
		want, have := index.Key.text()+"; "+projectionText(index.projection()), none
		for _, there := range table.GlobalSecondaryIndexes {
			if *there.IndexName != index.Name {
				continue
			}
			if key := keyText(there.KeySchema); key == index.Key.text() && index.isIn(there.Projection) {
				have = want
			} else {
				have = key + "; " + projectionText(there.Projection)
			}
		}
		add("Index "+index.Name, want, have)
	}
	for _, there := range table.GlobalSecondaryIndexes {
		if _, known := s.Index(*there.IndexName); !known {
			add("Index "+*there.IndexName, none, keyText(there.KeySchema)+"; "+projectionText(there.Projection))
		}
	}
	return all
}

func (n KeyNames) text() string {
	if n.Sort == "" {
		return n.Partition
	}
	return n.Partition + ", " + n.Sort
}

func streamText(s *types.StreamSpecification) string {
	if s == nil || !aws.ToBool(s.StreamEnabled) {
		return none
	}
	return string(s.StreamViewType)
}

func projectionText(p *types.Projection) string {
	text := string(p.ProjectionType)
	if p.ProjectionType == types.ProjectionTypeInclude {
		text += " " + strings.Join(slices.Sorted(slices.Values(p.NonKeyAttributes)), ", ")
	}
	return text
}

// isIn reports whether a projection contains what the index's readers need.
func (i Index) isIn(there *types.Projection) bool {
	wanted := i.projection()
	return there.ProjectionType == wanted.ProjectionType &&
		!slices.ContainsFunc(wanted.NonKeyAttributes, func(name string) bool { return !slices.Contains(there.NonKeyAttributes, name) })
}
