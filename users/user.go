package users

import (
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/phone"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Role determines what a user may do on the platform. The platform may define its own roles.
type Role string

// The common roles.
const (
	Customer Role = "customer"
	Owner    Role = "owner"
	Admin    Role = "admin"
)

// User is a profile.
type User struct {
	ID            string
	Email         string // trimmed and in lower case once written
	EmailVerified bool
	FirstName     string
	LastName      string
	Phone         string // E.164, spaces and hyphens allowed; "" for none
	PhoneVerified bool
	PhotoURL      string
	Role          Role

	Country           string
	PreferredCurrency dynastay.Currency // "" for none
	PreferredLanguage string

	CreatedAt   time.Time `json:",omitzero"`
	UpdatedAt   time.Time `json:",omitzero"`
	LastLoginAt time.Time `json:",omitzero"`
	Version     int
}

func newEntity(emails *emailKeys) *entity.Entity[User] {
	return entity.New(entity.Spec[User]{
		Name: "User", Operations: "users", Schema: keys.UsersTable, Validate: (*User).Validate,
		ID: "UserId", Prefix: "user_", Created: "CreatedAt", Updated: "UpdatedAt", Version: keys.AttrVersion,
		Counters: []string{"LastLoginAt"},
		Key:      func(u *User) (dynastay.Key, error) { return keys.Of(keys.Profile{UserID: u.ID}) },
		IDOf:     func(k dynastay.Key) string { return strings.TrimPrefix(k.PK, "USER#") },
		Codec: entity.Declare(func(f *entity.Fields, u *User) {
			f.Const(keys.AttrEntityType, "User")
			f.String("UserId", &u.ID)
			f.String("Email", &u.Email)
			f.String("FirstName", &u.FirstName)
			f.String("LastName", &u.LastName)
			f.String("PhoneNumber", &u.Phone)
			f.String("ProfilePhotoUrl", &u.PhotoURL)
			entity.String(f, "Role", &u.Role)
			f.Bool("EmailVerified", &u.EmailVerified)
			f.Bool("PhoneVerified", &u.PhoneVerified)
			f.String("Country", &u.Country)
			entity.String(f, "PreferredCurrency", &u.PreferredCurrency)
			f.String("PreferredLanguage", &u.PreferredLanguage)
			f.Time("CreatedAt", &u.CreatedAt)
			f.Time("UpdatedAt", &u.UpdatedAt)
			f.Time("LastLoginAt", &u.LastLoginAt)
			f.IfSet().Int(keys.AttrVersion, &u.Version)
		}),
		Indexes: map[string]func(*User) (dynastay.Key, error){
			keys.EmailIndex: func(u *User) (dynastay.Key, error) {
				text, err := emails.text(u.Email)
				if err != nil {
					return dynastay.Key{}, err
				}
				return keys.Of(keys.ProfileByEmail{Email: text})
			},
		},
		Unique: []entity.Unique[User]{{
			Field: "Email", Owner: []string{"UserId"}, Mark: map[string]string{keys.AttrEntityType: "Guard"},
			Guard: func(u *User) (dynastay.Key, error) {
				text, err := emails.text(u.Email)
				if err != nil {
					return dynastay.Key{}, err
				}
				return keys.Of(keys.EmailGuard{Email: text})
			},
		}},
	})
}

// Validate requires a valid e-mail address, a first and last name, and a role. A phone number and a currency are
// optional, but must be valid. Each text must be at most [entity.MaxName] bytes, the photo's URL at most
// [entity.MaxURL]. Errors name the field.
func (u *User) Validate() error {
	for _, text := range []struct {
		field, value string
		most         int
	}{
		{"FirstName", u.FirstName, entity.MaxName},
		{"LastName", u.LastName, entity.MaxName},
		{"PhotoURL", u.PhotoURL, entity.MaxURL},
		{"Role", string(u.Role), entity.MaxName},
		{"Country", u.Country, entity.MaxName},
		{"PreferredLanguage", u.PreferredLanguage, entity.MaxName},
	} {
		if err := entity.CheckText(text.value, text.most); err != nil {
			return dynastay.Within(text.field, err)
		}
	}
	if _, err := key.NormalEmail(u.Email); err != nil {
		return err
	}
	switch {
	case strings.TrimSpace(u.FirstName) == "":
		return dynastay.Invalid("FirstName", "is required")
	case strings.TrimSpace(u.LastName) == "":
		return dynastay.Invalid("LastName", "is required")
	case u.Role == "":
		return dynastay.Invalid("Role", "is required")
	}
	// One that has been withdrawn since must not keep the rest of the profile from being changed.
	if u.PreferredCurrency != "" && !u.PreferredCurrency.Known() {
		return dynastay.Within("PreferredCurrency", u.PreferredCurrency.Validate())
	}
	return dynastay.Within("Phone", phone.Validate(u.Phone))
}
