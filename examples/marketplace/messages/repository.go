package messages

import (
	"errors"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Repository reads and writes the conversations of users.
type Repository struct {
	db *dynastay.DB

	message *entity.Entity[Message]
	side    *entity.Entity[Conversation]

	messages *entity.Table[Message]
	sides    *entity.Table[Conversation]
}

// New returns a repository. It sends no requests.
func New(db *dynastay.DB) *Repository {
	r := &Repository{db: db, message: newMessages(), side: newSides()}
	r.messages, r.sides = entity.NewTable(db, r.message), entity.NewTable(db, r.side)
	return r
}

// sideKey returns the key of one side of a conversation.
func sideKey(userID, otherID string) (dynastay.Key, error) {
	if userID == otherID {
		return dynastay.Key{}, dynastay.Invalid("OtherID", "must be another user")
	}
	return key.Of(keys.Conversation{UserID: userID, OtherID: otherID})
}

// sideKeys returns the keys of both sides of a conversation.
func sideKeys(a, b string) ([]dynastay.Key, error) {
	first, err := sideKey(a, b)
	if err != nil {
		return nil, err
	}
	second, err := sideKey(b, a)
	return []dynastay.Key{first, second}, err
}

// checkID returns the error for an id that cannot be part of a key, under the name of its field.
func checkID(field, id string) error {
	_, err := key.Of(keys.Profile{UserID: id})
	var invalid *dynastay.InvalidError
	if errors.As(err, &invalid) {
		return dynastay.Invalid(field, "%s", invalid.Reason)
	}
	return err
}
