package regions

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Region is a country, a US state or a Canadian province. Type and Code identify it and cannot be changed.
type Region struct {
	Type Type
	Code string // "IT" for Italy, "CA" for Canada and, as a US state, for California
	Name string // the usual English name
	// DisplayName is shown to people. It is not searched.
	DisplayName string
	Aliases     []string  // other names by which the region is found, such as "USA", at most [MaxAliases]
	Continent   Continent // of a country; "" for none
	Parent      string    // the code of the country that a state or a province belongs to
	Capital     string
	Population  int     // 0 if unknown
	AreaKM2     float64 // 0 if unknown
	// Box contains the region on the map. A region without one is not found by [Repository.InView].
	Box *Box
	// Center is where a map shows the region's name, within the Box. If only the Box is given, a write stores the
	// middle of the Box.
	Center *key.Point

	BoundaryURL   string // of the exact border
	SimplifiedURL string // of the border for small maps
	DataVersion   string // of the reference data
	UpdatedAt     time.Time
	WriteID       dynastay.WriteID
}

// The attributes that are named more than once.
const (
	attrType        = "region_type"
	attrCode        = "region_code"
	attrName        = "name"
	attrDisplayName = "display_name"
	attrAlias       = "alias"
	attrSchema      = "schema_version"
	// attrShared is the number of bytes that a name, folded, shares at its beginning with the preceding name of the
	// same region. With it, a list by prefix returns the region only for the first of the names that begin with the
	// prefix.
	attrShared = "shared_prefix"
)

// schemaVersion is that of all items of this package. [Repository.Load] writes regions anew that have another one.
const schemaVersion = 1

func newRegions() *entity.Entity[Region] {
	return entity.New(entity.Spec[Region]{
		Name: "Region", Operations: "regions", Schema: keys.Table, Validate: (*Region).Validate, Follow: follow,
		Updated: "last_updated",
		Key: func(r *Region) (dynastay.Key, error) {
			return key.Of(keys.Region{Type: string(r.Type), Code: r.Code})
		},
		IDOf: func(at dynastay.Key) string {
			return strings.TrimPrefix(at.PK, "GEO#") + "/" + strings.TrimPrefix(at.SK, "REGION#")
		},
		Codec: entity.Declare(declare),
		Indexes: map[string]func(*Region) (dynastay.Key, error){
			keys.Index1: func(r *Region) (dynastay.Key, error) { return nameKey(r, r.Name) },
			keys.Index2: func(r *Region) (dynastay.Key, error) {
				if r.Center == nil {
					return dynastay.Key{}, nil
				}
				return key.Of(keys.RegionByCenter{Cell: cellOf(*r.Center), Code: r.Code})
			},
		},
		Derived: []entity.Derived[Region]{
			{Name: attrSchema, Value: func(*Region) (types.AttributeValue, error) { return dynastay.Number(schemaVersion), nil }},
			{Name: "normalized_name", Value: func(r *Region) (types.AttributeValue, error) {
				return dynastay.Text(key.Fold(r.Name)), nil
			}},
			{Name: attrShared, Value: func(r *Region) (types.AttributeValue, error) {
				return dynastay.Number(sharedPrefixes(r)[key.Fold(r.Name)]), nil
			}},
		},
	})
}

func declare(f *entity.Fields, r *Region) {
	entity.String(f, attrType, &r.Type)
	f.String(attrCode, &r.Code)
	f.String(attrName, &r.Name)
	f.String(attrDisplayName, &r.DisplayName)
	f.Strings("aliases", &r.Aliases)
	entity.String(f, "continent_code", &r.Continent)
	f.String("parent_region", &r.Parent)
	f.String("capital", &r.Capital)
	f.IfSet().Int("population", &r.Population)
	f.IfSet().Float("area_km2", &r.AreaKM2)
	declareBox(f, &r.Box)
	declareCenter(f, &r.Center)
	f.String("boundary_data_url", &r.BoundaryURL)
	f.String("boundary_simplified_url", &r.SimplifiedURL)
	f.String("data_version", &r.DataVersion)
	f.Time("last_updated", &r.UpdatedAt)
	f.WriteID(keys.AttrWriteID, &r.WriteID)
}

// nameKey returns the key of a row in the index by name.
func nameKey(r *Region, name string) (dynastay.Key, error) {
	return key.Of(keys.RegionByName{Type: string(r.Type), Name: name, Code: r.Code})
}

// complete sets what follows from the rest of a region.
func (r *Region) complete() {
	if r.Center == nil && r.Box != nil {
		center := r.Box.Center()
		r.Center = &center
	}
}

// take sets everything that reference data says about a region.
func (r *Region) take(data Region) {
	data.UpdatedAt = r.UpdatedAt
	*r = data
	r.complete()
}

// Validate checks a region before it is written. Name and every alias must contain a letter or a digit; a Center must
// be within the Box. Errors name the field, such as "Box.North" or "Aliases[1]".
func (r *Region) Validate() error {
	if err := r.Type.Validate(); err != nil {
		return err
	}
	if _, err := key.Of(keys.Region{Type: string(r.Type), Code: r.Code}); err != nil {
		return err
	}
	if err := dynastay.Within("Name", checkName(r.Name)); err != nil {
		return err
	}
	if len(r.Aliases) > MaxAliases {
		return dynastay.Invalid("Aliases", "must have at most %d entries, got %d", MaxAliases, len(r.Aliases))
	}
	for i, alias := range r.Aliases {
		if err := checkName(alias); err != nil {
			return dynastay.Within(fmt.Sprintf("Aliases[%d]", i), err)
		}
	}
	if err := r.Continent.Validate(); err != nil {
		return err
	}
	for _, text := range []struct {
		field, text string
		most        int
	}{
		{"DisplayName", r.DisplayName, entity.MaxName}, {"Parent", r.Parent, entity.MaxName},
		{"Capital", r.Capital, entity.MaxName}, {"DataVersion", r.DataVersion, entity.MaxName},
		{"BoundaryURL", r.BoundaryURL, entity.MaxURL}, {"SimplifiedURL", r.SimplifiedURL, entity.MaxURL},
	} {
		if err := entity.CheckText(text.text, text.most); err != nil {
			return dynastay.Within(text.field, err)
		}
	}
	if r.Population < 0 {
		return dynastay.Invalid("Population", "must not be negative")
	}
	if !(r.AreaKM2 >= 0 && r.AreaKM2 <= math.MaxInt32) { // false for NaN as well
		return dynastay.Invalid("AreaKM2", "must be between 0 and %d", math.MaxInt32)
	}
	return r.validatePlace()
}

func (r *Region) validatePlace() error {
	if r.Box != nil {
		if err := r.Box.Validate(); err != nil {
			return dynastay.Within("Box", err)
		}
	}
	if r.Center == nil {
		return nil
	}
	if _, err := key.PlaceOf(r.Center.Latitude, r.Center.Longitude); err != nil {
		return dynastay.Within("Center", err)
	}
	if r.Box != nil && !r.Box.Contains(*r.Center) {
		return dynastay.Invalid("Center", "must be within the Box")
	}
	return nil
}

// checkName returns an error without a field if a region cannot be found by a name: if the name contains neither a
// letter nor a digit, or is more than [entity.MaxName] bytes, or more than that when it is folded.
func checkName(name string) error {
	if err := entity.CheckText(name, entity.MaxName); err != nil {
		return err
	}
	_, err := key.SortPrefix(keys.Alias{Name: name})
	var invalid *dynastay.InvalidError
	if errors.As(err, &invalid) {
		return dynastay.Invalid("", "%s", invalid.Reason)
	}
	return err
}
