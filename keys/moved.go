package keys

import "github.com/dynastay/dynastay/keys/key"

type (
	Price = key.Thousandths
	Place = key.Place
)

const (
	NorthCell     = key.NorthCell
	SouthCell     = key.SouthCell
	PolarLatitude = key.PolarLatitude
)

var (
	PriceOf     = key.PriceOf
	PlaceOf     = key.PlaceOf
	ShardOf     = key.ShardOf
	NormalEmail = key.NormalEmail
	HashEmail   = key.HashEmail
)
