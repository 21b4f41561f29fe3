package bookings

import (
	"strings"
	"unicode"

	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/card"
)

// checkProviderID checks an id that a payment provider has generated. Of such ids, 1 in 33 with 16 digits looks like a
// card number, and a payment that could not be recorded would be lost. So an id with a letter in it is accepted.
func checkProviderID(id string, most int) error {
	if strings.ContainsFunc(id, unicode.IsLetter) {
		return entity.CheckText(id, most)
	}
	return checkText(id, most)
}

// checkText is [entity.CheckText] for texts that people write. It also refuses card data, which must not be stored:
// what is written here ends up in lists, logs of changes and backups.
func checkText(text string, most int) error {
	if err := entity.CheckText(text, most); err != nil {
		return err
	}
	return card.Check(text)
}
