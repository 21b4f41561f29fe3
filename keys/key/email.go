package key

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/keytext"
)

// NormalEmail returns the normal form of an e-mail address, by which users are found: trimmed, composed, with ASCII
// letters in lower case, at most 256 bytes. An international domain is in lower case and in Unicode, also if it was
// typed in capitals or as Punycode: ada@MÜNCHEN.example and ada@xn--mnchen-3ya.example are ada@münchen.example. The
// address must contain exactly one '@' with text on both sides, and only visible characters; the domain must consist of
// letters, marks, digits and '-', separated by single dots, and an international one must be valid according to UTS 46.
// Otherwise NormalEmail returns a [*dynastay.InvalidError] for the field "Email". Only sending mail can show whether the
// address exists.
//
// Call it for every address that comes from outside before it is stored, looked up or hashed: keys and hashes contain
// the address as it is stored, except that they trim it, compose it, and write ASCII letters in lower case. An address
// that was stored with another spelling of its domain therefore keeps its keys.
//
// An address that only looks like another one is rejected and not converted: one with a zero-width space or a soft
// hyphen, a full-width letter, or a dot at the end of the domain. Mail to the address as given would go elsewhere or
// nowhere, and the person who typed or pasted it can still correct it. Rejecting such addresses does not change any
// stored key either.
func NormalEmail(email string) (string, error) {
	stored, err := storedEmail(email)
	if err != nil {
		return "", err
	}
	name, host, _ := strings.Cut(stored, "@")
	if isASCII(host) && !strings.Contains("."+host, ".xn--") {
		return stored, nil // as it always was, also if it is not a valid domain
	}
	if strings.ContainsRune(host, 'ẞ') { // versions of Unicode differ on its lower case, and a stored key cannot follow
		return "", dynastay.Invalid("Email", "must have a domain in lower case")
	}
	host, err = idna.Lookup.ToUnicode(host)
	if err != nil {
		return "", dynastay.Invalid("Email", "must have a valid domain")
	}
	return storedEmail(name + "@" + host) // what Punycode hides must be visible, too
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
}

// storedEmail returns the form of an address in keys. It never changes, because stored keys cannot.
func storedEmail(email string) (string, error) {
	email, err := keytext.Normal(email)
	if err == nil {
		// Normalise again, because a lower-case letter may have a composed form although its capital has none (ẖ).
		email, err = keytext.Normal(strings.Map(lowerASCII, email))
	}
	if err != nil {
		return "", dynastay.Invalid("Email", "%v", err)
	}
	name, host, _ := strings.Cut(email, "@")
	switch {
	case len(email) > keytext.MaxText:
		return "", dynastay.Invalid("Email", "must be at most %d bytes", keytext.MaxText)
	case name == "" || !isDomain(host):
		return "", dynastay.Invalid("Email", "must be a valid e-mail address")
	case strings.ContainsFunc(email, invisible):
		return "", dynastay.Invalid("Email", "must not contain invisible characters")
	case !norm.NFKC.IsNormalString(email):
		return "", dynastay.Invalid("Email", "must not contain compatibility characters, such as full-width letters")
	}
	return email, nil
}

func isDomain(host string) bool {
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || strings.ContainsFunc(label, notOfDomains) {
			return false
		}
	}
	return true
}

func notOfDomains(r rune) bool { return r != '-' && !unicode.In(r, unicode.L, unicode.M, unicode.Nd) }

// invisible reports whether r is white space, a control, format or private-use character, a code point that renderers
// must ignore according to Unicode, or an unassigned code point, so that a later Unicode version cannot change a stored
// key.
func invisible(r rune) bool {
	return r == ' ' || !unicode.IsPrint(r) ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// lowerASCII does not change other letters: the rules for their case depend on the language and the Unicode version,
// and a stored key cannot follow such changes.
func lowerASCII(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}

// HashEmail returns a hash to use instead of the address in the Email field of keys, if keys must not contain personal
// data: the HMAC-SHA-256 of the address with the secret, in hexadecimal. For an address that comes from outside, call
// [NormalEmail] first. Someone who has the table but not the
// secret can neither read nor guess addresses. All processes must use the same secret, and it cannot be changed while
// there are users. HashEmail returns a [*dynastay.InvalidError] for the field "Email", or "Secret" if the secret is
// empty.
func HashEmail(secret []byte, email string) (string, error) {
	if len(secret) == 0 {
		return "", dynastay.Invalid("Secret", "is required")
	}
	email, err := storedEmail(email)
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(email))
	return hex.EncodeToString(mac.Sum(nil)), nil
}

// isEmailHash reports whether s is a hash. An address is not, because it contains '@'.
func isEmailHash(s string) bool {
	return len(s) == hex.EncodedLen(sha256.Size) && strings.Trim(s, "0123456789abcdef") == ""
}
