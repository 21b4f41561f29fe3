package regions

import (
	"cmp"
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Match is a region that was found by one of its names. [Repository.GetAll] reads the rest of it.
type Match struct {
	Ref
	Name, DisplayName string
	Matched           string // the name or the alias by which it was found
}

// matchCodec reads rows of regions, whose Matched is missing, and those of aliases.
var matchCodec = entity.Declare(func(f *entity.Fields, m *Match) {
	entity.String(f, attrType, &m.Type)
	f.String(attrCode, &m.Code)
	f.String(attrName, &m.Name)
	f.String(attrDisplayName, &m.DisplayName)
	f.String(attrAlias, &m.Matched)
})

// ByName lists the regions of a type with a name or an alias that begins with what a person has typed, apart from case,
// accents, spaces and punctuation, in the order of these names. A region with several such names is listed once, at the
// first of them, even if the names are on different pages; if its names change while pages are read, it may be listed
// twice or not at all. The other names are read as well, but a page is still filled up to its limit. Text without
// letters and digits, or of more than [entity.MaxName] bytes, is a [*dynastay.InvalidError] for the field "Typed".
//
// The index lags behind the table: a region that has just been renamed may still be found by its old name.
//
// Pattern T12: GSI1, GSI1PK = SEARCH#{type}, GSI1SK begins with NAME#{name}, 1 request
func (r *Repository) ByName(t Type, typed string) dynastay.List[*Match] {
	partition, err := key.Partition(keys.RegionByName{Type: string(t)})
	if err := cmp.Or(t.Validate(), err, dynastay.Within("Typed", checkName(typed))); err != nil {
		return dynastay.NoList[*Match](err)
	}
	folded := key.Fold(typed)
	return dynastay.ListOf(r.db, keys.Table, dynastay.Query{
		Name: "regions.ByName", Index: keys.Index1, Partition: partition,
		Range: dynastay.Range{Prefix: key.SortKind[keys.RegionByName]() + folded},
	}, func(_ context.Context, row dynastay.Row) (*Match, error) {
		if row.Int(attrShared) >= len(folded) {
			return nil, nil // the preceding name begins with the text too
		}
		m, err := entity.Read("Region", row.Text(attrCode), matchCodec, row)
		if err != nil {
			return nil, err
		}
		m.Matched = cmp.Or(m.Matched, m.Name)
		return m, nil
	}).Filter(func(m *Match) bool { return m != nil })
}
