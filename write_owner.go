package dynastay

import "github.com/dynastay/dynastay/internal/condition"

// IfUser lets a write happen only if what it changes belongs to a user. A service that has the id of a user from a
// session, and that of a booking from the user, need not read the booking first, and tells nothing about the bookings of
// others: an operation on something that belongs to somebody else, or to nobody, fails exactly as if it did not
// exist, with [ErrNotFound]. Whom it belongs to is a condition of the write, as everything that an operation reads is.
//
// It applies to each operation of the write whose [OpSpec] says that it is Owned, such as those that change a booking or
// a review. The others, such as a message in an outbox, happen as they do without it; if there are only such, the write
// is refused with an [*InvalidError]. The methods of package users take the id of the user anyway.
//
// With an [IdempotencyKey], the user is part of the input that calls are compared by.
func IfUser(userID string) WriteOption { return owner{user: userID, option: "IfUser"} }

// IfProperty lets a write happen only if what it changes belongs to a property, as [IfUser] does for a user. It is for the
// staff of a property, whose session has the id of the property, and who may not change the bookings of another one. Both
// may be given.
func IfProperty(propertyID string) WriteOption {
	return owner{property: propertyID, option: "IfProperty"}
}

// owner is whom something must belong to, by one option; "" is anybody.
type owner struct{ user, property, option string }

func (o owner) Apply(s *condition.Set) { s.Whole = true }

func (o owner) join(w *write) {
	switch {
	case o.user == "" && o.property == "":
		w.invalid = Invalid(o.option, "is required")
	case o.user != "" && w.owner.user != "", o.property != "" && w.owner.property != "":
		w.invalid = Invalid(o.option, "is set more than once")
	}
	w.owner.user += o.user
	w.owner.property += o.property
	w.owner.option = o.option
}

// checkOwner returns an error if no operation of the write compares whom it belongs to.
func (w *write) checkOwner() error {
	if w.owner.option == "" {
		return nil
	}
	for _, op := range w.ops {
		if op.owned() {
			return nil
		}
	}
	return Invalid(w.owner.option, "cannot be used with %s, which does not compare whom it belongs to", w.name())
}

// OwnedBy reports whether [IfUser] and [IfProperty] allow a write of something that belongs to a user and to a property. An
// operation whose [OpSpec] is Owned calls it with what it has read, and otherwise goes on as if the item did not exist. It
// is true without these options.
func (tx *Tx) OwnedBy(userID, propertyID string) bool {
	o := tx.write.owner
	return (o.user == "" || o.user == userID) && (o.property == "" || o.property == propertyID)
}
