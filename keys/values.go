package keys

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/keytext"
)

// The kinds of text that a field takes. Reading is not strict by itself: see [form.parse].

// idValue is an id, as it is.
type idValue string

func (v *idValue) encode() (string, error) { return string(*v), keytext.CheckID(string(*v)) }

func (v *idValue) decode(text string) error {
	*v = idValue(text)
	return nil
}

// textValue is text of a person or of another system, escaped.
type textValue string

func (v *textValue) encode() (string, error) { return keytext.Escape(string(*v)) }

func (v *textValue) decode(text string) error {
	plain, err := keytext.Unescape(text)
	*v = textValue(plain)
	return err
}

// emailValue is an e-mail address, normalised here because an address that its caller forgot to normalise would be a
// second account; or else the hash of one.
type emailValue string

func (v *emailValue) encode() (string, error) {
	if isEmailHash(string(*v)) {
		return string(*v), nil
	}
	email, err := NormalEmail(string(*v))
	if err != nil {
		return "", err
	}
	return keytext.Escape(email)
}

func (v *emailValue) decode(text string) error { return (*textValue)(v).decode(text) }

// wordValue is a word of an enumeration, such as a status: lower-case letters, digits, '_' and '-'.
type wordValue string

func (v *wordValue) encode() (string, error) {
	const most = 64
	word := string(*v)
	switch {
	case word == "":
		return "", errors.New("is missing")
	case len(word) > most:
		return "", fmt.Errorf("is longer than %d bytes", most)
	case strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "":
		return "", errors.New("is not a lower-case word")
	}
	return word, nil
}

func (v *wordValue) decode(text string) error {
	*v = wordValue(text)
	return nil
}

// geohashValue is a geohash of one length.
type geohashValue struct {
	v          *string
	characters int
}

func (v geohashValue) encode() (string, error) {
	if len(*v.v) != v.characters || strings.Trim(*v.v, geohashAlphabet) != "" {
		return "", fmt.Errorf("is not a geohash of %d characters", v.characters)
	}
	return *v.v, nil
}

func (v geohashValue) decode(text string) error {
	*v.v = text
	return nil
}

// cellValue is a cell of [Place].
type cellValue string

func (v *cellValue) encode() (string, error) {
	cell := string(*v)
	if cell == NorthCell || cell == SouthCell {
		return cell, nil
	}
	return geohashValue{&cell, cellCharacters}.encode()
}

func (v *cellValue) decode(text string) error {
	*v = cellValue(text)
	return nil
}

type currencyValue dynastay.Currency

func (v *currencyValue) encode() (string, error) {
	return string(*v), dynastay.Currency(*v).Validate()
}

func (v *currencyValue) decode(text string) error {
	*v = currencyValue(text)
	return nil
}

// ratingValue has two digits before the point, so that 10.0 sorts behind 9.2.
type ratingValue dynastay.Rating

func (v *ratingValue) encode() (string, error) {
	return fmt.Sprintf("%02d.%d", *v/10, *v%10), dynastay.Rating(*v).Validate()
}

func (v *ratingValue) decode(text string) error {
	rating, err := dynastay.ParseRating(text)
	*v = ratingValue(rating)
	return err
}

// starsValue is 1 to 5. A property without stars has no row in the index.
type starsValue int

func (v *starsValue) encode() (string, error) {
	if *v < 1 || *v > 5 {
		return "", errors.New("is not between 1 and 5")
	}
	return strconv.Itoa(int(*v)), nil
}

func (v *starsValue) decode(text string) error {
	n, err := keytext.ParseDigits(text)
	*v = starsValue(n)
	return err
}

type priceValue Price

func (v *priceValue) encode() (string, error) { return keytext.Decimal(int64(*v)) }

func (v *priceValue) decode(text string) error {
	n, err := keytext.Thousandths(text)
	*v = priceValue(n)
	return err
}

// scoreValue is 0 to 9,999,999,999.
type scoreValue int64

func (v *scoreValue) encode() (string, error) { return keytext.Digits(int64(*v), 10) }

func (v *scoreValue) decode(text string) error {
	n, err := keytext.ParseDigits(text)
	*v = scoreValue(n)
	return err
}

type dateValue dynastay.Date

func (v *dateValue) encode() (string, error) {
	date := dynastay.Date(*v)
	if date.IsZero() {
		return "", errors.New("is missing")
	}
	return date.String(), nil
}

func (v *dateValue) decode(text string) error {
	date, err := dynastay.ParseDate(text)
	*v = dateValue(date)
	return err
}

type instantValue time.Time

func (v *instantValue) encode() (string, error) { return keytext.Instant(time.Time(*v)) }

func (v *instantValue) decode(text string) error {
	t, err := keytext.ParseInstant(text)
	*v = instantValue(t)
	return err
}
