package availability

import "github.com/dynastay/dynastay"

// NightEntity is the stored form of a night.
var NightEntity = newEntity()

// Agreed adds what the hash of an update contains.
func Agreed(u UpdateRequest, in *dynastay.Input) { u.agreed(in) }
