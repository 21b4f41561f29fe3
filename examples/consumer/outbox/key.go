package outbox

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
)

// ByID is the key of a message in the table.
type ByID struct{ ID string }

// Form is the id alone: the table has no sort key.
func (k *ByID) Form(f *key.Form) { f.PK(key.ID("ID", &k.ID)) }

// Pending is the key of a message in [PendingIndex]. Milliseconds since 1970 keep the order of messages of one second, which
// a [key.Instant] would lose; 13 digits last until the year 2286.
type Pending struct {
	Millis int64
	ID     string
}

// Form is one partition, in the order of the messages.
func (k *Pending) Form(f *key.Form) {
	f.PK("PENDING")
	f.SK(key.Digits("Millis", &k.Millis, 13), "#", key.ID("ID", &k.ID))
}

func keyOf(id string) (dynastay.Key, error) { return key.Of(ByID{id}) }
