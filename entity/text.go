package entity

import (
	"unicode/utf8"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/stored"
)

// The longest texts of a caller that the repositories store, in bytes. They bound what one call can make every reader
// pay for; DynamoDB itself takes 400 KB an item.
const (
	// MaxName is for the name of a person or a thing, a line of an address, a word such as a country: as much as a key
	// holds of a text.
	MaxName = 256
	// MaxNote is for what a person writes freely, such as special requests or a reason: a page.
	MaxNote = 2048
	// MaxURL is what browsers and proxies agree to take.
	MaxURL = 2048
)

// CheckText refuses text of more than most bytes, and text that is not UTF-8, which DynamoDB would store as another
// one. Its error has no field, see [dynastay.Within].
func CheckText(text string, most int) error {
	switch {
	case len(text) > most:
		return dynastay.Invalid("", "must be at most %d bytes, got %d", most, len(text))
	case !utf8.ValidString(text):
		return dynastay.Invalid("", stored.NotUTF8)
	}
	return nil
}
