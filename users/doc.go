// Package users stores the users of a platform: their profiles, preferences, loyalty accounts and wishlists.
//
// If a method answers an access pattern of the design document, the last line of its comment names the pattern, the
// index that it reads and the number of requests.
//
// # Profiles
//
// An e-mail address belongs to only one user: it is guarded in the transaction that writes the profile, even when
// [Repository.Update] changes it. Keys contain the addresses in plain text, or hashed with a secret of the platform;
// see [Options]. Passwords, sessions and tokens are not part of a profile. [Repository.VerifyEmail] and
// [Repository.VerifyPhone] record that an address or a number is the user's own, [Repository.ReplaceEmail] replaces an
// address with one that is, and [Repository.RecordLogin] records the time of the last login.
//
// # What belongs to a user
//
//   - preferences: [Repository.Preferences], [Repository.UpdatePreferences]
//   - loyalty account: [Repository.Loyalty], [Repository.LoyaltyEntry], [Repository.LoyaltyEntries], [Repository.Earn],
//     [Repository.Redeem], [Repository.Reverse]
//   - wishlists: [Repository.CreateWishlist], [Repository.Wishlist], [Repository.Wishlists],
//     [Repository.UpdateWishlist], [Repository.AddToWishlist], [Repository.RemoveFromWishlist],
//     [Repository.DeleteWishlist]
//   - public wishlists: [Repository.PublicWishlist], [Repository.PublicWishlists]
//
// None of these needs a profile, so a platform can keep the profiles of its users elsewhere.
//
// # Erasure
//
// [Repository.Erase] deletes everything about a user, including what other packages and the platform itself store: each
// has an [Eraser] for it. [Repository.CheckErasure] says whether Erase would refuse, and [Repository.ErasedAt] when a
// user was erased. Afterwards this package refuses to create anything for the user. The other packages do not know who
// was erased: add [Repository.NotErasedOp] to writes that may race with an erasure.
package users
