package key

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/keytext"
)

// NormalEmail is the spelling of an address by which users are found: trimmed, composed, with ASCII letters in lower
// case, 256 bytes at the most. It asks for something on both sides of one '@', for visible characters only, and for a
// domain of letters, marks, digits and '-' between single dots; whether mail arrives there, only mail can tell.
//
// What looks like another address is refused and not folded into it: a zero-width space or a soft hyphen, a full-width
// letter, a dot at the end of the domain. Mail to the address as it was given would go elsewhere or nowhere, and the
// person who typed or pasted it can still mend it. A refusal also leaves every key that is stored what it is.
func NormalEmail(email string) (string, error) {
	email, err := keytext.Normal(email)
	if err == nil {
		// Once more, because a lower-case letter may have a composed form where its capital has none (ẖ).
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

// invisible is every white space, control, format and private character, every code point that Unicode tells renderers
// to ignore, and every one that has no character yet: what a later version makes of it cannot change a stored key.
func invisible(r rune) bool {
	return r == ' ' || !unicode.IsPrint(r) ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// lowerASCII leaves other letters alone: their case has rules that change with the language and the Unicode version,
// and a stored key cannot follow.
func lowerASCII(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}

// HashEmail stands for the address in the Email field of keys where no personal data may be in keys: HMAC-SHA-256 of
// the normal address under the secret, in hexadecimal. Whoever has the table but not the secret can neither read nor
// try addresses. All processes must share the secret, and it cannot change while there are users.
func HashEmail(secret []byte, email string) (string, error) {
	if len(secret) == 0 {
		return "", dynastay.Invalid("Secret", "is required")
	}
	email, err := NormalEmail(email)
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(email))
	return hex.EncodeToString(mac.Sum(nil)), nil
}

// isEmailHash tells a hash from an address, which has an '@'.
func isEmailHash(s string) bool {
	return len(s) == hex.EncodedLen(sha256.Size) && strings.Trim(s, "0123456789abcdef") == ""
}
