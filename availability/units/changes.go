package units

import (
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/keys"
)

// Changes are decoders for the changes of units and of who has them.
type Changes struct {
	// Units is a unit as [Repository.Get] returns it, from the Properties table. Each call that writes a unit produces a change, and
	// so does a departure, which makes it dirty.
	Units stream.Decoder[Unit]
	// Months is who has a unit in a month, as [Repository.Plan] returns it, from the Availability table, whose stream must be
	// enabled for that. An assignment produces a change for each month of each unit, and so does a booking that gives units up.
	Months stream.Decoder[Month]
}

// Changes returns decoders for the changes of the repository's entities, see package entity/stream. It sends no requests.
func (r *Repository) Changes() Changes {
	return Changes{
		Units:  stream.NewDecoder(r.db, keys.PropertiesTable, keys.Is[keys.Unit], unitEntity.Value),
		Months: stream.NewDecoder(r.db, keys.AvailabilityTable, keys.Is[keys.UnitMonth], monthOf),
	}
}
