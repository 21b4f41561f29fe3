package properties

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// Featured lists the approved properties that are featured, highest score first. The list is eventually consistent:
// recent changes may not be visible yet. Each shard takes 1 request per page, see [Options.FeaturedShards]; the requests
// are sent in parallel.
//
// A row that other software wrote has no card. Featured then reads the property, with 1 more request for each such row.
// Until [Repository.Adopt], it may be in a different place in the list.
//
// Pattern P10: GSI5-FeaturedIndex, GSI5PK = FEATURED, 1 request
func (r *Repository) Featured() dynastay.List[*Card] {
	shards, err := keys.Partitions(keys.FeaturedProperty{}, r.opts.FeaturedShards.Read)
	if err != nil {
		return dynastay.NoList[*Card](err)
	}
	return r.cards(dynastay.Query{
		Name: "properties.Featured", Index: keys.FeaturedIndex, Partition: shards[0], Shards: shards[1:], Descending: true,
	}, func(*Card) bool { return true })
}
