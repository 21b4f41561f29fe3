package keys

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
)

// EmailIndex is the index of [UsersTable].
const EmailIndex = "GSI1-EmailIndex"

// UsersTable contains the users' profiles, loyalty accounts and preferences.
var UsersTable = &dynastay.Schema{
	Name:    "Users",
	Key:     primaryKey,
	Indexes: []dynastay.Index{index(EmailIndex, dynastay.ProjectAll)},
	Stream:  true,
}

// Profile is the item of a user: USER#{UserID} / PROFILE.
type Profile struct{ UserID string }

func (k *Profile) Form(f *key.Form) {
	f.PK("USER#", key.ID("UserID", &k.UserID))
	f.SK("PROFILE")
}

// Loyalty is the item of a user's points: USER#{UserID} / LOYALTY.
type Loyalty struct{ UserID string }

func (k *Loyalty) Form(f *key.Form) {
	f.PK("USER#", key.ID("UserID", &k.UserID))
	f.SK("LOYALTY")
}

// LoyaltyEntry is the item of one loyalty transaction: USER#{UserID} / LOYALTYENTRY#{ReasonID}. The reason is part of
// the key, so that points are not credited twice for the same reason.
type LoyaltyEntry struct{ UserID, ReasonID string }

func (k *LoyaltyEntry) Form(f *key.Form) {
	f.PK("USER#", key.ID("UserID", &k.UserID))
	f.SK("LOYALTYENTRY#", key.ID("ReasonID", &k.ReasonID))
}

// Preference is the item of a user's preferences: USER#{UserID} / PREFERENCE.
type Preference struct{ UserID string }

func (k *Preference) Form(f *key.Form) {
	f.PK("USER#", key.ID("UserID", &k.UserID))
	f.SK("PREFERENCE")
}

// Erased is the item that remains after a user's data was erased, and prevents new data of that user: USER#{UserID} /
// ERASED.
type Erased struct{ UserID string }

func (k *Erased) Form(f *key.Form) {
	f.PK("USER#", key.ID("UserID", &k.UserID))
	f.SK("ERASED")
}

// EmailGuard reserves an address for one user: EMAIL#{Email} / GUARD. Email is an address, which the key contains in
// its normal form, or the address's [key.HashEmail].
type EmailGuard struct{ Email string }

func (k *EmailGuard) Form(f *key.Form) {
	f.PK("EMAIL#", key.Email("Email", &k.Email))
	f.SK("GUARD")
}

// EmailConfig is the item that records whether the keys of the table contain addresses or hashes, and a fingerprint of
// the secret: CONFIG#email / GUARD.
type EmailConfig struct{}

func (k *EmailConfig) Form(f *key.Form) {
	f.PK("CONFIG#email")
	f.SK("GUARD")
}

// ProfileByEmail is the row of a [Profile] in [EmailIndex]: EMAIL#{Email} / USER. Email is as in [EmailGuard].
type ProfileByEmail struct{ Email string }

func (k *ProfileByEmail) Form(f *key.Form) {
	f.PK("EMAIL#", key.Email("Email", &k.Email))
	f.SK("USER")
}
