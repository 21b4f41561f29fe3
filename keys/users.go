package keys

import "github.com/dynastay/dynastay"

// EmailIndex is the index of [UsersTable].
const EmailIndex = "GSI1-EmailIndex"

// UsersTable holds the users' profiles, loyalty accounts and preferences.
var UsersTable = &dynastay.Schema{
	Name:    "Users",
	Key:     primaryKey,
	Indexes: []dynastay.Index{index(EmailIndex, dynastay.ProjectAll)},
	Stream:  true,
}

// Profile is the item of a user: USER#{UserID} / PROFILE.
type Profile struct{ UserID string }

func (k *Profile) form(f *form) {
	f.lit("USER#")
	f.id("UserID", &k.UserID)
	f.sort()
	f.lit("PROFILE")
}

// Loyalty is the item of a user's points: USER#{UserID} / LOYALTY.
type Loyalty struct{ UserID string }

func (k *Loyalty) form(f *form) {
	f.lit("USER#")
	f.id("UserID", &k.UserID)
	f.sort()
	f.lit("LOYALTY")
}

// LoyaltyEntry is the item of one movement of points: USER#{UserID} / LOYALTYENTRY#{ReasonID}. What it is for is its
// key, so that nothing is credited twice.
type LoyaltyEntry struct{ UserID, ReasonID string }

func (k *LoyaltyEntry) form(f *form) {
	f.lit("USER#")
	f.id("UserID", &k.UserID)
	f.sort()
	f.lit("LOYALTYENTRY#")
	f.id("ReasonID", &k.ReasonID)
}

// Preference is the item of a user's preferences: USER#{UserID} / PREFERENCE.
type Preference struct{ UserID string }

func (k *Preference) form(f *form) {
	f.lit("USER#")
	f.id("UserID", &k.UserID)
	f.sort()
	f.lit("PREFERENCE")
}

// Erased is the item that stays of a user whose data were erased, and keeps new ones out: USER#{UserID} / ERASED.
type Erased struct{ UserID string }

func (k *Erased) form(f *form) {
	f.lit("USER#")
	f.id("UserID", &k.UserID)
	f.sort()
	f.lit("ERASED")
}

// EmailGuard keeps an address for one user: EMAIL#{Email} / GUARD. Email is an address, which the key takes in its
// normal form, or its [HashEmail].
type EmailGuard struct{ Email string }

func (k *EmailGuard) form(f *form) {
	f.lit("EMAIL#")
	f.email("Email", &k.Email)
	f.sort()
	f.lit("GUARD")
}

// EmailConfig is the item that says which form of address, and of which secret, the keys of the table have:
// CONFIG#email / GUARD.
type EmailConfig struct{}

func (k *EmailConfig) form(f *form) {
	f.lit("CONFIG#email")
	f.sort()
	f.lit("GUARD")
}

// ProfileByEmail is the row of a [Profile] in [EmailIndex]: EMAIL#{Email} / USER. Email is as in [EmailGuard].
type ProfileByEmail struct{ Email string }

func (k *ProfileByEmail) form(f *form) {
	f.lit("EMAIL#")
	f.email("Email", &k.Email)
	f.sort()
	f.lit("USER")
}
