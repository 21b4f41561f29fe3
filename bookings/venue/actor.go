package venue

import (
	"github.com/dynastay/dynastay"
)

// Role says what a user may do.
type Role string

// The roles.
const (
	Customer Role = "user"  // requests slots, and cancels bookings of their own
	Admin    Role = "admin" // decides about bookings, and manages events
)

// Actor is who makes a change, as the service has authenticated them. The role is trusted: take it from your session,
// not from the browser.
type Actor struct {
	UserID string
	Role   Role
}

// ErrNotAllowed: the actor must not do this. Nothing was written.
var ErrNotAllowed = dynastay.Refusal("not allowed for this user")

// validate checks the actor. Its errors name the field "By".
func (a Actor) validate() error {
	if err := checkID("By.UserID", a.UserID); err != nil {
		return err
	}
	return dynastay.Within("By", a.Role.validate())
}

func (r Role) validate() error {
	if r != Customer && r != Admin {
		return dynastay.Invalid("Role", "must be %s or %s", Customer, Admin)
	}
	return nil
}

// input adds who acts to the input of an operation: a key that somebody else has used is refused, and shows nothing of
// what they did. A nil agreed remains nil.
func (a Actor) input(agreed func(*dynastay.Input)) func(*dynastay.Input) {
	if agreed == nil {
		return nil
	}
	return func(in *dynastay.Input) {
		agreed(in)
		in.Field("by", a.UserID)
	}
}

// admin checks an actor of whom administration is required.
func (a Actor) admin() error {
	if err := a.validate(); err != nil {
		return err
	}
	if a.Role != Admin {
		return ErrNotAllowed
	}
	return nil
}

// mayActFor checks an actor who changes what belongs to a user.
func (a Actor) mayActFor(userID string) error {
	if a.Role != Admin && a.UserID != userID {
		return ErrNotAllowed
	}
	return nil
}
