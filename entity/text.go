package entity

import (
	"unicode/utf8"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/stored"
)

// The maximum sizes, in bytes, of texts from callers that the repositories store. They limit the cost that one write
// can cause for every later read; DynamoDB itself allows 400 KB per item.
const (
	// MaxName is for the name of a person or a thing, a line of an address, or a word such as a country. It is also the
	// maximum for a text in a key.
	MaxName = 256
	// MaxNote is for free text, such as special requests or a reason: about one page.
	MaxNote = 2048
	// MaxURL is a length of URL that browsers and proxies commonly accept.
	MaxURL = 2048
)

// CheckText returns a [*dynastay.InvalidError] if text has more than most bytes, or is not valid UTF-8, which DynamoDB
// would store differently. The error has no field, see [dynastay.Within].
func CheckText(text string, most int) error {
	switch {
	case len(text) > most:
		return dynastay.Invalid("", "must be at most %d bytes, got %d", most, len(text))
	case !utf8.ValidString(text):
		return dynastay.Invalid("", stored.NotUTF8)
	}
	return nil
}
