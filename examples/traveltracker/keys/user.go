package keys

import (
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
)

// Profile is the item of a user: USER#{UserID} / PROFILE.
type Profile struct{ UserID string }

func (k *Profile) Form(f *key.Form) {
	f.PK("USER#", key.ID("UserID", &k.UserID))
	f.SK("PROFILE")
}

// ProfileByAuth is the row of a [Profile] in [Index1]: AUTH#{Provider}#{ProviderID} / USER#{UserID}.
type ProfileByAuth struct{ Provider, ProviderID, UserID string }

func (k *ProfileByAuth) Form(f *key.Form) {
	f.PK("AUTH#", key.Word("Provider", &k.Provider), "#", key.Text("ProviderID", &k.ProviderID))
	f.SK("USER#", key.ID("UserID", &k.UserID))
}

// ProfileByEmail is the row of a [Profile] in [Index2]: EMAIL#{Email} / USER#{UserID}. Email is an address or its hash,
// see key.HashEmail.
type ProfileByEmail struct{ Email, UserID string }

func (k *ProfileByEmail) Form(f *key.Form) {
	f.PK("EMAIL#", key.Email("Email", &k.Email))
	f.SK("USER#", key.ID("UserID", &k.UserID))
}

// AuthGuard is the item that lets only one user have the id of a sign-in provider: AUTH#{Provider}#{ProviderID} / GUARD.
type AuthGuard struct{ Provider, ProviderID string }

func (k *AuthGuard) Form(f *key.Form) {
	f.PK("AUTH#", key.Word("Provider", &k.Provider), "#", key.Text("ProviderID", &k.ProviderID))
	f.SK("GUARD")
}

// EmailGuard is the item that lets only one user have an address: EMAIL#{Email} / GUARD.
type EmailGuard struct{ Email string }

func (k *EmailGuard) Form(f *key.Form) {
	f.PK("EMAIL#", key.Email("Email", &k.Email))
	f.SK("GUARD")
}

// Visit is the item of a visit: USER#{UserID} / VISIT#{RegionType}#{RegionCode}#{MarkedAt}.
type Visit struct {
	UserID, RegionType, RegionCode string
	MarkedAt                       time.Time
}

func (k *Visit) Form(f *key.Form) {
	f.PK("USER#", key.ID("UserID", &k.UserID))
	f.SK("VISIT#", key.Word("RegionType", &k.RegionType), "#", key.ID("RegionCode", &k.RegionCode), "#",
		key.Millis("MarkedAt", &k.MarkedAt))
}

// VisitsOfRegion is the prefix of the visits of one region: USER#{UserID} / VISIT#{RegionType}#{RegionCode}#.
func VisitsOfRegion(k Visit) (string, error) {
	k.MarkedAt = time.UnixMilli(0)
	full, err := key.Of(k)
	if err != nil {
		return "", err
	}
	return full.SK[:len(full.SK)-millisDigits], nil
}

const millisDigits = 13

// VisitByRegion is the row of a [Visit] in [Index1]: REGION#{RegionType}#{RegionCode} / USER#{UserID}#{MarkedAt}.
type VisitByRegion struct {
	RegionType, RegionCode string
	Shard                  int
	UserID                 string
	MarkedAt               time.Time
}

func (k *VisitByRegion) Form(f *key.Form) {
	f.PK("REGION#", key.Word("RegionType", &k.RegionType), "#", key.ID("RegionCode", &k.RegionCode),
		key.Shard("Shard", &k.Shard))
	f.SK("USER#", key.ID("UserID", &k.UserID), "#", key.Millis("MarkedAt", &k.MarkedAt))
}

// VisitByTime is the row of a [Visit] in [Index2]: USER#{UserID}#{RegionType} / VISIT#{MarkedAt}#{RegionCode}.
type VisitByTime struct {
	UserID, RegionType string
	MarkedAt           time.Time
	RegionCode         string
}

func (k *VisitByTime) Form(f *key.Form) {
	f.PK("USER#", key.ID("UserID", &k.UserID), "#", key.Word("RegionType", &k.RegionType))
	f.SK("VISIT#", key.Millis("MarkedAt", &k.MarkedAt), "#", key.ID("RegionCode", &k.RegionCode))
}

// RegionCount is the item that counts the visits of one region: USER#{UserID} / REGION#{RegionType}#{RegionCode}.
type RegionCount struct{ UserID, RegionType, RegionCode string }

func (k *RegionCount) Form(f *key.Form) {
	f.PK("USER#", key.ID("UserID", &k.UserID))
	f.SK("REGION#", key.Word("RegionType", &k.RegionType), "#", key.ID("RegionCode", &k.RegionCode))
}

// Stats is the item of a user's statistics of a day: USER#{UserID} / STATS#{Date}.
type Stats struct {
	UserID string
	Date   dynastay.Date
}

func (k *Stats) Form(f *key.Form) {
	f.PK("USER#", key.ID("UserID", &k.UserID))
	f.SK("STATS#", key.Date("Date", &k.Date))
}

// StatsByDate is the row of [Stats] in [Index1]: STATS_DATE#{Date} / USER#{UserID}.
type StatsByDate struct {
	Date   dynastay.Date
	Shard  int
	UserID string
}

func (k *StatsByDate) Form(f *key.Form) {
	f.PK("STATS_DATE#", key.Date("Date", &k.Date), key.Shard("Shard", &k.Shard))
	f.SK("USER#", key.ID("UserID", &k.UserID))
}
