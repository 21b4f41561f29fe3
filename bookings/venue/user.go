package venue

import (
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/phone"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

// User is somebody who requests slots, or an administrator.
type User struct {
	ID    string
	Email string // trimmed and in lower case once written
	Name  string
	Phone string // E.164, spaces and hyphens allowed; "" for none
	Role  Role   // see [Repository.SetRole]
	// RequestedCount is the number of bookings that the user has ever requested, and ApprovedCount the number of those
	// that are approved. Only the operations on bookings change them.
	RequestedCount, ApprovedCount int

	CreatedAt time.Time `json:",omitzero"`
	UpdatedAt time.Time `json:",omitzero"`
	Version   int       // 1 for a new user, incremented by every update of the profile

	moves int // how often the counts have changed
}

const (
	attrRequested = "requestedCount"
	attrApproved  = "approvedCount"
	attrMoves     = "countsMoved"
)

// newUsers declares users. emailKey returns what keys contain of an address: the address, or its hash.
func newUsers(emailKey func(string) (string, error)) *entity.Entity[User] {
	row := func(u *User) (venuekeys.UserByEmail, error) {
		email, err := emailKey(u.Email)
		return venuekeys.UserByEmail{Email: email}, err
	}
	return entity.New(entity.Spec[User]{
		Name: "User", Operations: "venue.User", Schema: venuekeys.Table, Validate: (*User).Validate,
		ID: "userId", Prefix: "user_", Created: "createdAt", Updated: "updatedAt", Version: "version",
		Kept:     []string{"role"},
		Counters: []string{attrRequested, attrApproved, attrMoves},
		Key:      func(u *User) (dynastay.Key, error) { return key.Of(venuekeys.User{UserID: u.ID}) },
		IDOf:     func(at dynastay.Key) string { return strings.TrimPrefix(at.PK, "USER#") },
		Codec: entity.Declare(func(f *entity.Fields, u *User) {
			f.Const("entityType", "User")
			f.String("userId", &u.ID)
			f.String("email", &u.Email)
			f.String("name", &u.Name)
			f.String("phone", &u.Phone)
			entity.String(f, "role", &u.Role)
			f.IfSet().Int(attrRequested, &u.RequestedCount)
			f.IfSet().Int(attrApproved, &u.ApprovedCount)
			f.IfSet().Int(attrMoves, &u.moves)
			f.Time("createdAt", &u.CreatedAt)
			f.Time("updatedAt", &u.UpdatedAt)
			f.IfSet().Int("version", &u.Version)
		}),
		Indexes: map[string]func(*User) (dynastay.Key, error){
			venuekeys.Index: func(u *User) (dynastay.Key, error) {
				k, err := row(u)
				if err != nil {
					return dynastay.Key{}, err
				}
				return key.Of(k)
			},
		},
		Unique: []entity.Unique[User]{{
			Field: "Email", Owner: []string{"userId"}, Mark: map[string]string{"entityType": "Guard"},
			Guard: func(u *User) (dynastay.Key, error) {
				email, err := emailKey(u.Email)
				if err != nil {
					return dynastay.Key{}, err
				}
				return key.Of(venuekeys.EmailGuard{Email: email})
			},
			Index: venuekeys.Index,
			Partition: func(u *User) (string, error) {
				k, err := row(u)
				if err != nil {
					return "", err
				}
				return key.Partition(k)
			},
		}},
	})
}

// Validate requires a valid e-mail address and a name. A phone number is optional, but must be valid. Errors name the
// field.
func (u *User) Validate() error {
	if err := entity.CheckText(u.Name, entity.MaxName); err != nil {
		return dynastay.Within("Name", err)
	}
	if strings.TrimSpace(u.Name) == "" {
		return dynastay.Invalid("Name", "is required")
	}
	if _, err := key.NormalEmail(u.Email); err != nil {
		return err
	}
	return dynastay.Within("Phone", phone.Validate(u.Phone))
}
