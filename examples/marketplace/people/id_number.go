package people

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
)

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
