package keytext

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The longest texts that a key takes, in bytes. Two of MaxText and one of MaxID stay far below DynamoDB's 1024 bytes of
// a sort key.
const (
	MaxID   = 128
	MaxText = 256 // escaped
)

// CheckID refuses what may not stand in a key as an id. An id is compared byte by byte and therefore never altered.
func CheckID(id string) error {
	if len(id) > MaxID {
		return fmt.Errorf("must be at most %d bytes", MaxID)
	}
	return Check(id)
}

// Check refuses what may not stand between the '#' of a key.
func Check(text string) error {
	switch {
	case text == "":
		return errors.New("is required")
	case !utf8.ValidString(text):
		return errors.New("must be valid UTF-8")
	case strings.Contains(text, "#"):
		return errors.New("must not contain '#'")
	case strings.ContainsFunc(text, unicode.IsControl):
		return errors.New("must not contain control characters")
	}
	return nil
}

// maxRaw is looked at before any work is done on a text. The composed form of a character has at least a quarter of its
// bytes, so nothing but white space makes MaxText of more.
const maxRaw = 4 * MaxText

// Normal is text in the one spelling that keys and hashes compare: composed (Unicode NFC) and without white space
// around it. It fails where nothing is left, for more than 1,024 bytes, and for invalid UTF-8.
func Normal(text string) (string, error) {
	if len(text) > maxRaw {
		return "", fmt.Errorf("must be at most %d bytes", MaxText)
	}
	if !utf8.ValidString(text) {
		return "", errors.New("must be valid UTF-8")
	}
	text = strings.TrimSpace(norm.NFC.String(text))
	if text == "" {
		return "", errors.New("is required")
	}
	return text, nil
}

// Escape is the normal form of text with '%', '#' and control characters as %XX, so that it fits between the '#' of a
// key and stays readable.
func Escape(text string) (string, error) {
	text, err := Normal(text)
	if err != nil {
		return "", err
	}
	if strings.ContainsFunc(text, reserved) {
		var b strings.Builder
		for _, r := range text {
			if !reserved(r) {
				b.WriteRune(r)
				continue
			}
			for _, c := range []byte(string(r)) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		}
		text = b.String()
	}
	if len(text) > MaxText {
		return "", fmt.Errorf("must be at most %d bytes", MaxText)
	}
	return text, nil
}

func reserved(r rune) bool { return r == '%' || r == '#' || unicode.IsControl(r) }

// Unescape undoes [Escape].
func Unescape(text string) (string, error) { return url.PathUnescape(text) }
