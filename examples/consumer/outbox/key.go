package outbox

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
)

// byID is the key of a message in the table, which has no sort key.
type byID struct{ ID string }

func (k *byID) Form(f *key.Form) { f.PK(key.ID("ID", &k.ID)) }

// byAge is the key of a message in [PendingIndex]. Milliseconds since 1970 preserve the order of messages within one second,
// which a [key.Instant] would lose; 13 digits suffice until the year 2286.
type byAge struct {
	Millis int64
	ID     string
}

func (k *byAge) Form(f *key.Form) {
	f.PK("PENDING")
	f.SK(key.Digits("Millis", &k.Millis, 13), "#", key.ID("ID", &k.ID))
}

func keyOf(id string) (dynastay.Key, error) { return key.Of(byID{id}) }
