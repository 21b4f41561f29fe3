package bookings

import (
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/card"
)

// checkText is [entity.CheckText] for texts that people write. It also refuses card data, which must not be stored:
// what is written here ends up in lists, logs of changes and backups.
func checkText(text string, most int) error {
	if err := entity.CheckText(text, most); err != nil {
		return err
	}
	return card.Check(text)
}
