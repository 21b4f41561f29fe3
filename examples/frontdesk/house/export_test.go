package house

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/bookings/offer"
)

// Kinds returns the statuses of the kinds that the library names.
func Kinds() map[string]int {
	names := map[error]string{
		offer.ErrExpired: "offer.ErrExpired", offer.ErrOtherUser: "offer.ErrOtherUser", bookings.ErrOldQuote: "bookings.ErrOldQuote",
		bookings.ErrAnonymised: "bookings.ErrAnonymised", dynastay.ErrOutcomeUnknown: "dynastay.ErrOutcomeUnknown",
		dynastay.ErrCommitted: "dynastay.ErrCommitted", dynastay.ErrContention: "dynastay.ErrContention", dynastay.ErrThrottled: "dynastay.ErrThrottled",
		dynastay.ErrUnavailable: "dynastay.ErrUnavailable", dynastay.ErrCorrupt: "dynastay.ErrCorrupt", dynastay.ErrRejected: "dynastay.ErrRejected",
		dynastay.ErrCursor: "dynastay.ErrCursor", dynastay.ErrInvalid: "dynastay.ErrInvalid", dynastay.ErrNotFound: "dynastay.ErrNotFound",
		dynastay.ErrAlreadyExists: "dynastay.ErrAlreadyExists", dynastay.ErrVersion: "dynastay.ErrVersion",
		dynastay.ErrIdempotencyMismatch: "dynastay.ErrIdempotencyMismatch", dynastay.ErrRefused: "dynastay.ErrRefused",
	}
	all := map[string]int{}
	for _, k := range kinds {
		if name := names[k.err]; name != "" {
			all[name] = k.status
		}
	}
	return all
}
