// Package regions stores the regions that a traveller can visit: the countries, the US states and the Canadian
// provinces. Package reference has their data, and [Repository.Load] stores it.
//
//   - a region by its code: [Repository.Get], GetItem
//   - regions by their codes: [Repository.GetAll], BatchGetItem
//   - all regions of a type: [Repository.All], Query PK = GEO#{type}
//   - regions by what a person types: [Repository.ByName], Query GSI1, SK begins with NAME#{name}
//   - regions on a part of the map: [Repository.InView], Query PK = BBOX#{cell}, at most 32 cells
//
// # Other items of a region
//
// A region is found by each of its names, and by each part of the map that its box touches. So there is an item for
// each alias, and an item for each cell of the map, see [Box]. Every create, update and delete keeps them in step with
// the region, in the same transaction. They cost write units: an update of a region takes 2 units for each of them,
// even if only the population changes. That suits data that is read often and changes once a year.
//
// Regions that other software wrote have no such items. They are returned by Get, GetAll and All, and are found by
// their names and on the map from the first update here that changes them, or from the first [Repository.Load].
package regions
