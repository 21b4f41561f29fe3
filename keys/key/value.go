package key

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/keytext"
)

// ID is an id, stored unchanged. It must not be empty, must be valid UTF-8 of at most 128 bytes, and must not contain
// '#' or control characters.
func ID(name string, p *string) Value { return Value{field: name, kind: (*idValue)(p)} }

// Text is text from a person or another system, composed (NFC) and trimmed, with '%', '#' and control characters as
// %XX. It must be valid UTF-8, and 1 to 256 bytes in that form.
func Text(name string, p *string) Value { return Value{field: name, kind: (*textValue)(p)} }

// Email is an e-mail address in the form of [NormalEmail], or the address's [HashEmail].
func Email(name string, p *string) Value { return Value{field: name, kind: (*emailValue)(p)} }

// Word is a word of an enumeration, such as a status: lower-case ASCII letters, digits, '_' and '-', 1 to 64 bytes.
func Word(name string, p *string) Value { return Value{field: name, kind: (*wordValue)(p)} }

// Currency is an ISO 4217 code.
func Currency(name string, p *dynastay.Currency) Value {
	return Value{field: name, kind: (*currencyValue)(p)}
}

// Rating is a rating from 0.0 to 10.0, which sorts by value: 09.2.
func Rating(name string, p *dynastay.Rating) Value {
	return Value{field: name, kind: (*ratingValue)(p)}
}

// Date is a calendar day, which sorts by time: 2025-01-15. It must not be the zero date.
func Date(name string, p *dynastay.Date) Value { return Value{field: name, kind: (*dateValue)(p)} }

// Instant is a time in UTC, which sorts by time: 2024-11-10T09:15:00Z. It is truncated to seconds. It must not be the
// zero time, and must be within the years 1 to 9999.
func Instant(name string, p *time.Time) Value { return Value{field: name, kind: (*instantValue)(p)} }

// Millis is a time as Unix milliseconds with 13 digits, which sorts by time: 1731230100250. It is truncated to
// milliseconds, and must be within the years 1970 to 2286. The zero time is refused.
func Millis(name string, p *time.Time) Value { return Value{field: name, kind: (*millisValue)(p)} }

// Digits is a number with exactly width digits, 1 to 19, which sorts by value: 0000000095 for a width of 10. It must
// not be negative or have more digits.
func Digits(name string, p *int64, width int) Value {
	v := Value{field: name, kind: digitsValue{p, width}}
	if width < 1 || width > 19 {
		v.wrong = fmt.Sprintf("must have a width between 1 and 19, got %d", width)
	}
	return v
}

// Whole is a number from least, which is 0 or more, to most. It sorts by value, because it has as many digits as most.
func Whole(name string, p *int, least, most int) Value {
	v := Value{field: name, kind: wholeValue{p, least, most}}
	if least < 0 || least > most {
		v.wrong = fmt.Sprintf("must have limits with 0 <= least <= most, got %d and %d", least, most)
	}
	return v
}

// idValue is compared byte by byte and is therefore never changed.
type idValue string

func (v *idValue) encode() (string, error) { return string(*v), keytext.CheckID(string(*v)) }

func (v *idValue) decode(text string) error {
	*v = idValue(text)
	return nil
}

type textValue string

func (v *textValue) encode() (string, error) { return keytext.Escape(string(*v)) }

func (v *textValue) decode(text string) error {
	plain, err := keytext.Unescape(text)
	*v = textValue(plain)
	return err
}

// emailValue normalises an address, because an address that a caller forgot to normalise would lead to a second
// account.
type emailValue string

func (v *emailValue) encode() (string, error) {
	if isEmailHash(string(*v)) {
		return string(*v), nil
	}
	email, err := storedEmail(string(*v))
	if err != nil {
		return "", err
	}
	return keytext.Escape(email)
}

func (v *emailValue) decode(text string) error { return (*textValue)(v).decode(text) }

type wordValue string

func (v *wordValue) encode() (string, error) {
	const most = 64
	word := string(*v)
	switch {
	case word == "":
		return "", errors.New("is required")
	case len(word) > most:
		return "", fmt.Errorf("must be at most %d bytes", most)
	case strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "":
		return "", errors.New("must contain only lower-case letters, digits, '_' and '-'")
	}
	return word, nil
}

func (v *wordValue) decode(text string) error {
	*v = wordValue(text)
	return nil
}

type currencyValue dynastay.Currency

func (v *currencyValue) encode() (string, error) {
	currency := dynastay.Currency(*v)
	if !currency.Known() {
		return "", currency.Validate()
	}
	return string(currency), nil // also of a stored price whose currency has been withdrawn
}

func (v *currencyValue) decode(text string) error {
	*v = currencyValue(text)
	return nil
}

// ratingValue has two digits before the point, so that 10.0 sorts after 9.2.
type ratingValue dynastay.Rating

func (v *ratingValue) encode() (string, error) {
	return fmt.Sprintf("%02d.%d", *v/10, *v%10), dynastay.Rating(*v).Validate()
}

func (v *ratingValue) decode(text string) error {
	rating, err := dynastay.ParseRating(text)
	*v = ratingValue(rating)
	return err
}

type dateValue dynastay.Date

func (v *dateValue) encode() (string, error) {
	date := dynastay.Date(*v)
	if date.IsZero() {
		return "", errors.New("is required")
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

type millisValue time.Time

func (v *millisValue) encode() (string, error) {
	const width = 13
	at := time.Time(*v)
	text, err := keytext.Digits(at.UnixMilli(), width)
	switch {
	case at.IsZero():
		return "", errors.New("is required")
	case err != nil:
		return "", errors.New("must be within the years 1970 to 2286")
	}
	return text, nil
}

func (v *millisValue) decode(text string) error {
	n, err := keytext.ParseDigits(text)
	*v = millisValue(time.UnixMilli(n).UTC())
	return err
}

type digitsValue struct {
	v     *int64
	width int
}

func (v digitsValue) encode() (string, error) { return keytext.Digits(*v.v, v.width) }

func (v digitsValue) decode(text string) (err error) {
	*v.v, err = keytext.ParseDigits(text)
	return err
}

type wholeValue struct {
	v           *int
	least, most int
}

func (v wholeValue) encode() (string, error) {
	if *v.v < v.least || *v.v > v.most {
		return "", fmt.Errorf("must be between %d and %d", v.least, v.most)
	}
	return keytext.Digits(int64(*v.v), len(strconv.Itoa(v.most)))
}

func (v wholeValue) decode(text string) error {
	n, err := keytext.ParseDigits(text)
	*v.v = int(n)
	return err
}
