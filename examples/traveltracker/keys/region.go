package keys

import "github.com/dynastay/dynastay/keys/key"

// Region is the item of a region: GEO#{Type} / REGION#{Code}.
type Region struct{ Type, Code string }

func (k *Region) Form(f *key.Form) {
	f.PK("GEO#", key.Word("Type", &k.Type))
	f.SK("REGION#", key.ID("Code", &k.Code))
}

// RegionByName is the row of a [Region] or an [Alias] in [Index1]: SEARCH#{Type} / NAME#{Name}#REGION#{Code}.
type RegionByName struct{ Type, Name, Code string }

func (k *RegionByName) Form(f *key.Form) {
	f.PK("SEARCH#", key.Word("Type", &k.Type))
	f.SK("NAME#", key.Folded("Name", &k.Name), "#REGION#", key.ID("Code", &k.Code))
}

// RegionByCenter is the row of a [Region] in [Index2], by the cell of its centre: BOUNDS#{Cell} / REGION#{Code}.
type RegionByCenter struct{ Cell, Code string }

func (k *RegionByCenter) Form(f *key.Form) {
	f.PK("BOUNDS#", key.Geohash("Cell", &k.Cell, CellCharacters))
	f.SK("REGION#", key.ID("Code", &k.Code))
}

// CellCharacters is the length of the geohashes of cells: about 11° of longitude and 5.6° of latitude.
const CellCharacters = 2

// Alias is the item of another name of a region: ALIAS#{Type}#{Code} / NAME#{Name}.
type Alias struct{ Type, Code, Name string }

func (k *Alias) Form(f *key.Form) {
	f.PK("ALIAS#", key.Word("Type", &k.Type), "#", key.ID("Code", &k.Code))
	f.SK("NAME#", key.Folded("Name", &k.Name))
}

// Box is the item of a region in one cell of the map: BBOX#{Cell} / REGION#{Type}#{Code}. A cell is a geohash of
// [CellCharacters] or, for a large region, of one character.
type Box struct{ Cell, Type, Code string }

func (k *Box) Form(f *key.Form) {
	f.PK("BBOX#", key.Custom("Cell", k.cell, k.setCell))
	f.SK("REGION#", key.Word("Type", &k.Type), "#", key.ID("Code", &k.Code))
}
