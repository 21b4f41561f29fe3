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

// The maximum sizes of texts in keys, in bytes. Two of MaxText and one of MaxID are well below DynamoDB's limit of 1024
// bytes for a sort key.
const (
	MaxID   = 128
	MaxText = 256 // escaped
)

// CheckID returns an error if id cannot be used in a key. An id is compared byte by byte and is therefore never
// changed.
func CheckID(id string) error {
	if len(id) > MaxID {
		return fmt.Errorf("must be at most %d bytes", MaxID)
	}
	return Check(id)
}

// Check returns an error if text cannot be used between the '#' separators of a key.
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

// maxRaw is checked before a text is processed. The composed form of a character has at least a quarter of its bytes,
// so a longer text can fit into MaxText only if it is padded with white space.
const maxRaw = 4 * MaxText

// Normal returns text in the form that keys and hashes compare: composed (Unicode NFC) and without surrounding white
// space. It fails if nothing is left, if text has more than 1,024 bytes, or if it is not valid UTF-8.
func Normal(text string) (string, error) {
	if len(text) > maxRaw {
		return "", fmt.Errorf("must be at most %d bytes after trimming", MaxText)
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

// Escape returns the normal form of text with '%', '#' and control characters as %XX, so that it can be used between
// the '#' separators of a key and remains readable.
func Escape(text string) (string, error) {
	text, err := Normal(text)
	if err != nil {
		return "", err
	}
	return escape(text, "trimming and percent-escaping")
}

// EscapeExactly is like [Escape] for a text that is compared byte by byte, as ids are: two texts that differ at all have
// different results.
func EscapeExactly(text string) (string, error) {
	switch {
	case text == "":
		return "", errors.New("is required")
	case !utf8.ValidString(text):
		return "", errors.New("must be valid UTF-8")
	}
	return escape(text, "percent-escaping")
}

// escape says in its error after which changes a text is too long.
func escape(text, after string) (string, error) {
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
		return "", fmt.Errorf("must be at most %d bytes after %s", MaxText, after)
	}
	return text, nil
}

func reserved(r rune) bool { return r == '%' || r == '#' || unicode.IsControl(r) }

// Unescape reverses [Escape].
func Unescape(text string) (string, error) { return url.PathUnescape(text) }
