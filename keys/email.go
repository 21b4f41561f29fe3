package keys

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/keytext"
)

// NormalEmail is the spelling of an address by which users are found: trimmed, with ASCII letters in lower case. It
// asks for something on both sides of one '@' and for no white space between; whether mail arrives there, only mail
// can tell.
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
	if name == "" || host == "" || strings.Contains(host, "@") || strings.ContainsFunc(email, blank) {
		return "", dynastay.Invalid("Email", "is not an e-mail address")
	}
	return email, nil
}

// lowerASCII leaves other letters alone: their case has rules that change with the language and the Unicode version,
// and a stored key cannot follow.
func lowerASCII(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}

func blank(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// HashEmail stands for the address in the Email field of keys where no personal data may be in keys: HMAC-SHA-256 of
// the normal address under the secret, in hexadecimal. Whoever has the table but not the secret can neither read nor
// try addresses. All processes must share the secret, and it cannot change while there are users.
func HashEmail(secret []byte, email string) (string, error) {
	if len(secret) == 0 {
		return "", dynastay.Invalid("Secret", "is missing")
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
