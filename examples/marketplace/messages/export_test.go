package messages

import "github.com/dynastay/dynastay"

// ItemOf returns the stored form of a message.
func ItemOf(db *dynastay.DB, m *Message) (dynastay.Item, error) { return New(db).message.Item(m) }
