package bookings

import (
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/card"
	"github.com/dynastay/dynastay/internal/phone"
	"github.com/dynastay/dynastay/keys/key"
)

// Guest is the person whom the property expects. Its details must not contain card data, see [Guest.Validate].
type Guest struct {
	FirstName string
	LastName  string
	Email     string
	Phone     string // in E.164 form; spaces and hyphens are allowed; "" means none
	Country   string
}

func (g *Guest) declare(f *entity.Fields) {
	f.String("FirstName", &g.FirstName)
	f.String("LastName", &g.LastName)
	f.String("Email", &g.Email)
	f.String("Phone", &g.Phone)
	f.String("Country", &g.Country)
}

// Validate checks that the names are set, that the e-mail address is valid, and that the phone number, if any, is in
// E.164 form. The names, the e-mail address and the country have at most [entity.MaxName] bytes each, the phone number
// at most 64. None of them must contain a card number or a card verification code. A phone number of 13 digits is never
// taken for a card number. Its errors name the field.
func (g Guest) Validate() error {
	for _, text := range []struct{ field, value string }{
		{"FirstName", g.FirstName}, {"LastName", g.LastName}, {"Email", g.Email}, {"Country", g.Country},
	} {
		if err := checkText(text.value, entity.MaxName); err != nil {
			return dynastay.Within(text.field, err)
		}
	}
	if strings.TrimSpace(g.FirstName) == "" {
		return dynastay.Invalid("FirstName", "is required")
	}
	if strings.TrimSpace(g.LastName) == "" {
		return dynastay.Invalid("LastName", "is required")
	}
	if _, err := key.NormalEmail(g.Email); err != nil {
		return err
	}
	if err := phone.Validate(g.Phone); err != nil {
		return dynastay.Within("Phone", err)
	}
	return dynastay.Within("Phone", card.Check(g.Phone))
}

func (g Guest) agreed(in *dynastay.Input) {
	for _, text := range []string{g.FirstName, g.LastName, g.Email, g.Phone, g.Country} {
		in.Field("guest", text)
	}
}
