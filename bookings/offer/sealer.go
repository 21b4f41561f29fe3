package offer

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
)

// MaxToken is the maximum length of a token, in bytes.
const MaxToken = 16 << 10

// The reasons for which [Sealer.Open] refuses a token. As for a cursor, which also comes back from a client, the error
// is a [*dynastay.InvalidError] for the field "Token" that matches the reason and [dynastay.ErrInvalid] with
// [errors.Is].
var (
	// ErrMalformed: the text is not a token, or it was cut off.
	ErrMalformed = errors.New("the text is not a token")
	// ErrUnknownVersion: the token has a form that this version of the package does not know.
	ErrUnknownVersion = errors.New("the version of the token is unknown")
	// ErrUnknownKey: the token was signed with a key that the Sealer does not have, perhaps one that has been removed.
	ErrUnknownKey = errors.New("the key of the token is unknown")
	// ErrForged: the token was altered, or the secret of its key is different.
	ErrForged = errors.New("the signature of the token is invalid")
	// ErrExpired: the token is genuine, but has expired. Quote again.
	ErrExpired = errors.New("the token has expired")
	// ErrOtherUser: the token is genuine, but belongs to a different user.
	ErrOtherUser = errors.New("the token belongs to a different user")
)

// Key signs tokens. Packages fmt, log/slog and encoding/json write it without its secret. Only if it is an unexported
// field of a struct, fmt prints the secret with the struct, because it cannot call the methods of such a field.
type Key struct {
	ID     string // part of every token: 1 to 32 letters, digits, '-' and '_'
	Secret []byte // at least 32 bytes, from crypto/rand or a secret store
}

// minSecret is the length of the signature: a shorter secret would be easier to guess than the signature.
const minSecret = sha256.Size

// Format writes the id of the key, such as offer.Key("2026-06"), for every verb.
func (k Key) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "offer.Key(%q)", k.ID) }

// MarshalText returns the text of Format, for packages log/slog and encoding/json.
func (k Key) MarshalText() ([]byte, error) { return fmt.Append(nil, k), nil }

func (k Key) validate() error {
	const most = 32
	switch {
	case k.ID == "":
		return dynastay.Invalid("ID", "is required")
	case len(k.ID) > most:
		return dynastay.Invalid("ID", "must be at most %d bytes", most)
	case strings.Trim(k.ID, alphabet) != "":
		return dynastay.Invalid("ID", "must contain only letters, digits, '-' and '_'")
	case len(k.Secret) < minSecret:
		return dynastay.Invalid("Secret", "must be at least %d bytes", minSecret)
	}
	return nil
}

// Sealer seals and opens offers. It is created by [NewSealer], and can be used by several goroutines at the same time.
type Sealer struct {
	// QuotesFor is [bookings.Options].QuotesFor, if you set it; set both before the first use. The Sealer does not seal an offer
	// that the booking would refuse before it expires. 0 means [bookings.DefaultQuotesFor].
	QuotesFor time.Duration

	signs string // the id of the key that signs
	// macs returns the signature of a text with each key. The secrets exist only in closures, which cannot be printed.
	macs map[string]func(text string) string
}

// NewSealer returns a Sealer that signs with the first key, and verifies with all of them. It copies the secrets. Its
// errors are [*dynastay.InvalidError]s that name the field, such as "Keys[1].Secret".
func NewSealer(keys ...Key) (*Sealer, error) {
	if len(keys) == 0 {
		return nil, dynastay.Invalid("Keys", "must not be empty")
	}
	s := &Sealer{signs: keys[0].ID, macs: map[string]func(string) string{}}
	for i, k := range keys {
		at := fmt.Sprintf("Keys[%d]", i)
		if err := k.validate(); err != nil {
			return nil, dynastay.Within(at, err)
		}
		if s.macs[k.ID] != nil {
			return nil, dynastay.Invalid(at+".ID", "appears more than once")
		}
		s.macs[k.ID] = macWith(bytes.Clone(k.Secret))
	}
	return s, nil
}

const (
	// domain precedes what is signed, so that nothing else that is signed with the same secret is a token. No text that
	// the library hashes contains a NUL byte.
	domain   = "dynastay/bookings/offer\x00"
	alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_" // of base64url, and of ids of keys
)

func macWith(secret []byte) func(text string) string {
	return func(text string) string {
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(domain + text))
		return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	}
}

// Seal returns the token of an offer. It sends no request. It checks the offer as the booking will, with
// [availability.Quote.Validate], and that it fits into [MaxToken] bytes; its errors are [*dynastay.InvalidError]s that
// name the field, such as "Quote.Lines[0].Quantity".
//
// Nothing of the offer is lost. Times keep their nanoseconds, and are in UTC when the token is opened.
func (s *Sealer) Seal(o Offer) (token string, err error) {
	if err := o.validate(); err != nil {
		return "", err
	}
	if most := cmp.Or(s.QuotesFor, bookings.DefaultQuotesFor); o.Quote.Planned() && o.Expires.Sub(o.Quote.At) > most {
		return "", dynastay.Invalid("Expires", "must be at most %s after Quote.At: later, the quote cannot be booked", most)
	}
	raw, err := encode(o)
	if err != nil {
		return "", err
	}
	token = s.sign(versionOf(o.Quote), raw)
	if len(token) > MaxToken {
		return "", dynastay.Invalid("Quote", "must fit into a token of %d bytes, got %d", MaxToken, len(token))
	}
	return token, nil
}

func (s *Sealer) sign(version string, raw []byte) (token string) {
	text := version + "." + s.signs + "." + base64.RawURLEncoding.EncodeToString(raw)
	return text + "." + s.macs[s.signs](text)
}

// Open returns the offer of a token. It sends no request. userID is the user who is signed in, or "" for none; now is
// the current time, usually that of [dynastay.DB.Now]. The offer is again one that Seal accepts.
//
// A token of a user is refused for any other user and for "". A token without a user is accepted for every userID.
//
// The error is a [*dynastay.InvalidError] for the field "Token" that matches [ErrMalformed], [ErrUnknownVersion],
// [ErrUnknownKey], [ErrForged], [ErrOtherUser] or [ErrExpired]. The last two are only about genuine tokens. An expired
// token of a different user matches ErrOtherUser. The text of the error contains nothing of the token except the time
// of expiry.
func (s *Sealer) Open(token, userID string, now time.Time) (Offer, error) {
	version, raw, err := s.verify(token)
	if err != nil {
		return Offer{}, err
	}
	o, err := decode(version, raw)
	if err == nil {
		err = o.validate()
	}
	switch {
	case err != nil:
		return Offer{}, refuse(ErrMalformed, "has contents that are not an offer")
	case o.UserID != "" && o.UserID != userID:
		return Offer{}, refuse(ErrOtherUser, "belongs to a different user")
	case !now.Before(o.Expires):
		return Offer{}, refuse(ErrExpired, "expired at "+o.Expires.Format(time.RFC3339Nano))
	}
	return o, nil
}

// verify returns the version and the contents of a genuine token. They are decoded only once the signature is known to be
// valid.
func (s *Sealer) verify(token string) (version string, raw []byte, err error) {
	if len(token) > MaxToken {
		return "", nil, refuse(ErrMalformed, fmt.Sprintf("must be at most %d bytes", MaxToken))
	}
	parts := strings.Split(token, ".")
	version = parts[0]
	known := version == version1 || version == version2
	if !known && isVersion(version) {
		return "", nil, refuse(ErrUnknownVersion, "was created by a different version of the library")
	}
	if len(parts) != 4 || !known || strings.Trim(token, alphabet+".") != "" {
		return "", nil, refuse(ErrMalformed, "is not a token of this package")
	}
	mac := s.macs[parts[1]]
	if mac == nil {
		return "", nil, refuse(ErrUnknownKey, "was signed with an unknown key")
	}
	text, signature := token[:strings.LastIndexByte(token, '.')], parts[3]
	// The signatures are compared as text, so that each has only one spelling.
	if !hmac.Equal([]byte(mac(text)), []byte(signature)) {
		return "", nil, refuse(ErrForged, "was altered, or signed with a different secret")
	}
	raw, err = base64.RawURLEncoding.Strict().DecodeString(parts[2])
	if err != nil {
		return "", nil, refuse(ErrMalformed, "has contents that are not an offer")
	}
	return version, raw, nil
}

// isVersion reports whether text has the form of a version.
func isVersion(text string) bool {
	digits, ok := strings.CutPrefix(text, "v")
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}

func refuse(reason error, text string) error {
	return &dynastay.InvalidError{Field: "Token", Reason: text, Err: reason}
}
