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
func IfUser(userID string) WriteOption { return ifUser(userID) }

type ifUser string

func (u ifUser) Apply(s *condition.Set) { s.Whole = true }

func (u ifUser) join(w *write) {
	switch {
	case u == "":
		w.invalid = Invalid("IfUser", "is required")
	case w.user != "":
		w.invalid = Invalid("IfUser", "is set more than once")
	}
	w.user = string(u)
}

// checkUser returns an error if no operation of the write compares the user.
func (w *write) checkUser() error {
	if w.user == "" {
		return nil
	}
	for _, op := range w.ops {
		if op.owned() {
			return nil
		}
	}
	return Invalid("IfUser", "cannot be used with %s, which does not compare the user", w.name())
}

// OwnedBy reports whether [IfUser] allows a write of something that belongs to a user. An operation whose [OpSpec] is
// Owned calls it with what it has read, and otherwise goes on as if the item did not exist. It is true without IfUser.
func (tx *Tx) OwnedBy(userID string) bool { return tx.write.user == "" || tx.write.user == userID }
