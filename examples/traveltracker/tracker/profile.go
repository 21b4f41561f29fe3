package tracker

import (
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Profile is a user.
type Profile struct {
	ID             string
	AuthProvider   string // apple, email or another word; with AuthProviderID it belongs to one user only
	AuthProviderID string
	Email          string // optional; it belongs to one user only
	DisplayName    string
	PictureURL     string
	Privacy        Settings
	Notifications  Settings

	// The numbers of regions with at least one visit. The library keeps them.
	Countries int
	USStates  int
	Provinces int

	CreatedAt   time.Time
	UpdatedAt   time.Time // of the user's own fields
	LastLoginAt time.Time
	LastSyncAt  time.Time
	Stamps      Stamps // who wrote which field; nil in a profile of other software
	Version     int    // 1 for a new profile, incremented by every operation that changes the user's own fields
	WriteID     dynastay.WriteID
}

const (
	attrCountries = "countries_visited"
	attrUSStates  = "us_states_visited"
	attrProvinces = "canadian_provinces_visited"
	attrLastLogin = "last_login_at"
	attrLastSync  = "last_sync_at"
)

// newProfiles declares the profile. emailKey returns what keys contain of an address: the address, or its hash.
func newProfiles(emailKey func(string) (string, error)) *entity.Entity[Profile] {
	return entity.New(entity.Spec[Profile]{
		Name: "User", Operations: "tracker", Schema: keys.Table,
		ID: "user_id", Prefix: "user_", Created: "created_at", Updated: "updated_at", Version: "sync_version",
		Counters: []string{attrCountries, attrUSStates, attrProvinces, attrLastLogin, attrLastSync},
		Key:      func(p *Profile) (dynastay.Key, error) { return key.Of(keys.Profile{UserID: p.ID}) },
		IDOf:     func(at dynastay.Key) string { return strings.TrimPrefix(at.PK, "USER#") },
		Codec: entity.Declare(func(f *entity.Fields, p *Profile) {
			f.String("user_id", &p.ID)
			f.String("auth_provider", &p.AuthProvider)
			f.String("auth_provider_id", &p.AuthProviderID)
			f.String(string(Email), &p.Email)
			f.String(string(DisplayName), &p.DisplayName)
			f.String(string(PictureURL), &p.PictureURL)
			declareSettings(f, string(Privacy), &p.Privacy)
			declareSettings(f, string(Notifications), &p.Notifications)
			f.Int(attrCountries, &p.Countries)
			f.Int(attrUSStates, &p.USStates)
			f.Int(attrProvinces, &p.Provinces)
			declareTime(f, "created_at", &p.CreatedAt)
			declareTime(f, "updated_at", &p.UpdatedAt)
			declareTime(f, attrLastLogin, &p.LastLoginAt)
			declareTime(f, attrLastSync, &p.LastSyncAt)
			declareStamps(f, &p.Stamps)
			f.IfSet().Int("sync_version", &p.Version)
			f.Const("schema_version", schemaVersion)
			f.WriteID(keys.AttrWriteID, &p.WriteID)
		}),
		Unique: []entity.Unique[Profile]{
			{
				Field: "AuthProviderID", Owner: []string{"user_id"}, Index: keys.Index1,
				Guard: func(p *Profile) (dynastay.Key, error) {
					return key.Of(keys.AuthGuard{Provider: p.AuthProvider, ProviderID: p.AuthProviderID})
				},
				Partition: func(p *Profile) (string, error) {
					return key.Partition(keys.ProfileByAuth{Provider: p.AuthProvider, ProviderID: p.AuthProviderID})
				},
			},
			{
				Field: "Email", Owner: []string{"user_id"}, Index: keys.Index2,
				Guard: func(p *Profile) (dynastay.Key, error) {
					email, err := emailKey(p.Email)
					if email == "" || err != nil {
						return dynastay.Key{}, err
					}
					return key.Of(keys.EmailGuard{Email: email})
				},
				Partition: func(p *Profile) (string, error) {
					email, err := emailKey(p.Email)
					if err != nil {
						return "", err
					}
					return key.Partition(keys.ProfileByEmail{Email: email})
				},
			},
		},
		Indexes: map[string]func(*Profile) (dynastay.Key, error){
			keys.Index1: func(p *Profile) (dynastay.Key, error) {
				return key.Of(keys.ProfileByAuth{Provider: p.AuthProvider, ProviderID: p.AuthProviderID, UserID: p.ID})
			},
			keys.Index2: func(p *Profile) (dynastay.Key, error) {
				email, err := emailKey(p.Email)
				if email == "" || err != nil {
					return dynastay.Key{}, err
				}
				return key.Of(keys.ProfileByEmail{Email: email, UserID: p.ID})
			},
		},
	})
}

// validate checks what a device may send.
func (p *Profile) validate() error {
	for field, v := range map[string]struct {
		text string
		most int
	}{
		"DisplayName": {p.DisplayName, entity.MaxName}, "PictureURL": {p.PictureURL, entity.MaxURL},
	} {
		if err := entity.CheckText(v.text, v.most); err != nil {
			return dynastay.Within(field, err)
		}
	}
	return nil
}

func (p *Profile) stamp(f Field) Stamp {
	if p.Stamps == nil { // other software has written it; nobody knows on which device
		return Stamp{Version: p.Version, At: p.UpdatedAt}
	}
	return p.Stamps[f]
}

func (p *Profile) stamps() Stamps {
	all := Stamps{}
	for _, f := range profileFields {
		all[f] = p.stamp(f)
	}
	return all
}
