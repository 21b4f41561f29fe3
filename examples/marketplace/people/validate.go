package people

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// maxPictures is the largest number of pictures in a portfolio.
const maxPictures = 50

// Validate returns a [*dynastay.InvalidError] for an invalid profile: without a name, a known role or a city, with an
// invalid e-mail address or phone number, with more than [MaxSkills] skills or a skill that is listed twice, or with
// fields of another role. Texts are limited to [entity.MaxName] bytes, the bio to [entity.MaxNote], URLs to
// [entity.MaxURL].
func (p *Profile) Validate() error {
	if err := p.Role.validate(); err != nil {
		return err
	}
	for _, text := range []struct {
		field, value string
		most         int
	}{
		{"Name", p.Name, entity.MaxName},
		{"Location.Address", p.Location.Address, entity.MaxName},
		{"Location.City", p.Location.City, entity.MaxName},
		{"Location.Province", p.Location.Province, entity.MaxName},
		{"Work.Bio", p.Work.Bio, entity.MaxNote},
		{"Work.IDNumber", p.Work.IDNumber, entity.MaxName},
		{"Shop.BusinessName", p.Shop.BusinessName, entity.MaxName},
		{"Shop.BusinessType", p.Shop.BusinessType, entity.MaxName},
		{"Shop.Contact", p.Shop.Contact, entity.MaxName},
		{"Shop.Registration", p.Shop.Registration, entity.MaxName},
	} {
		if err := entity.CheckText(text.value, text.most); err != nil {
			return dynastay.Within(text.field, err)
		}
	}
	switch {
	case p.Role == Seller && strings.TrimSpace(p.Shop.BusinessName) == "":
		return dynastay.Invalid("Shop.BusinessName", "is required")
	case p.Role != Seller && strings.TrimSpace(p.Name) == "":
		return dynastay.Invalid("Name", "is required")
	case p.Role != Worker && !p.Work.isZero():
		return dynastay.Invalid("Work", "is only for workers")
	case p.Role != Seller && p.Shop != (Shop{}):
		return dynastay.Invalid("Shop", "is only for sellers")
	}
	if _, err := key.SortPrefix(keys.ProfileByCity{City: p.Location.City}); err != nil {
		return dynastay.Within("Location", err)
	}
	if p.Subject != "" {
		if err := checkSubject(p.Subject); err != nil {
			return err
		}
	}
	if p.Email != "" {
		if _, err := key.NormalEmail(p.Email); err != nil {
			return err
		}
	}
	if p.Phone != "" {
		if err := checkPhone(p.Phone); err != nil {
			return err
		}
	}
	if _, err := key.PlaceOf(p.Location.Latitude, p.Location.Longitude); err != nil {
		return dynastay.Within("Location", err)
	}
	if err := p.Shop.validate(); err != nil {
		return dynastay.Within("Shop", err)
	}
	return dynastay.Within("Work", p.Work.validate())
}

func (r Role) validate() error {
	if r != Buyer && r != Worker && r != Seller {
		return dynastay.Invalid("Role", "must be BUYER, WORKER or SELLER")
	}
	return nil
}

func checkSubject(subject string) error {
	_, err := key.Of(keys.CognitoGuard{Sub: subject})
	return renamed("Subject", err)
}

func checkPhone(phone string) error {
	if !e164.MatchString(phone) {
		return dynastay.Invalid("Phone", "must be an E.164 number such as +27812345678")
	}
	return nil
}

// checkSkill returns an error without a field if a skill cannot be stored.
func checkSkill(name string) error {
	_, err := key.Of(keys.Skill{UserID: "any", Skill: name})
	return cmp.Or(entity.CheckText(name, entity.MaxName), renamed("", err))
}

// renamed replaces the field of an error from a key by the caller's name for it.
func renamed(field string, err error) error {
	var invalid *dynastay.InvalidError
	if !errors.As(err, &invalid) {
		return err
	}
	return dynastay.Invalid(field, "%s", invalid.Reason)
}

var e164 = regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`)

func (w *Work) isZero() bool {
	return len(w.Skills) == 0 && len(w.Portfolio) == 0 && w.Bio == "" && w.IDNumber == "" && !w.IDVerified && w.ResponseTime == 0
}

func (w *Work) validate() error {
	switch {
	case len(w.Skills) > MaxSkills:
		return dynastay.Invalid("Skills", "must be at most %d, got %d", MaxSkills, len(w.Skills))
	case len(w.Portfolio) > maxPictures:
		return dynastay.Invalid("Portfolio", "must be at most %d URLs, got %d", maxPictures, len(w.Portfolio))
	case w.ResponseTime < 0:
		return dynastay.Invalid("ResponseTime", "must not be negative")
	}
	seen := map[string]bool{}
	for i, name := range w.Skills {
		folded, field := key.Fold(name), "Skills["+strconv.Itoa(i)+"]"
		if err := checkSkill(name); err != nil {
			return dynastay.Within(field, err)
		}
		if seen[folded] {
			return dynastay.Invalid(field, "is listed twice: %q", name)
		}
		seen[folded] = true
	}
	for i, url := range w.Portfolio {
		if err := entity.CheckText(url, entity.MaxURL); err != nil {
			return dynastay.Within("Portfolio["+strconv.Itoa(i)+"]", err)
		}
	}
	return nil
}

func (s *Shop) validate() error {
	switch {
	case s.Radius < 0:
		return dynastay.Invalid("Radius", "must not be negative")
	case s.FreeOver.Sign() < 0:
		return dynastay.Invalid("FreeOver", "must not be negative")
	case s.FreeOver != (dynastay.Money{}) && s.FreeOver.Currency() != currency:
		return dynastay.Invalid("FreeOver", "must be in %s, got %s", currency, s.FreeOver.Currency())
	case s.FreeOver.IsSet():
		return dynastay.Within("FreeOver", s.FreeOver.Validate())
	}
	return nil
}

// HashIDNumber returns what [Work].IDNumber stores of an identity number: the HMAC-SHA-256 of its letters and digits
// with the secret, in hexadecimal. Someone who has the table but not the secret can neither read nor guess numbers. All
// processes must use the same secret. It fails with a [*dynastay.InvalidError] for the field "IDNumber" or "Secret".
func HashIDNumber(secret []byte, number string) (string, error) {
	folded := key.Fold(number)
	switch {
	case len(secret) == 0:
		return "", dynastay.Invalid("Secret", "is required")
	case folded == "":
		return "", dynastay.Invalid("IDNumber", "must contain letters or digits")
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(folded))
	return hex.EncodeToString(mac.Sum(nil)), nil
}

// checkIDNumber refuses a number that was not hashed. A hash of other software may have another form; it is kept until
// it is changed.
func checkIDNumber(number string) error {
	if sum, err := hex.DecodeString(number); number != "" && (err != nil || len(sum) != sha256.Size) {
		return dynastay.Invalid("Work.IDNumber", "must be a hash, see HashIDNumber")
	}
	return nil
}
