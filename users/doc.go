// Package users stores the users of a platform: their profiles, preferences, loyalty accounts and wishlists.
//
//	| access pattern | method | request |
//	|---|---|---|
//	| U1 | [Repository.ByEmail]     | Query GSI1-EmailIndex; with [dynastay.Consistent] the address's guard, then the profile |
//	| U2 | [Repository.Get]         | GetItem Users |
//	| U3 | [Repository.Wishlists]   | Query Metadata |
//	| U4 | [Repository.Loyalty]     | GetItem Users |
//
// # Profiles
//
// An e-mail address belongs to only one user: it is guarded in the transaction that writes the profile, also when
// [Repository.Update] changes it. Keys contain the addresses in plain text, or hashed with a secret of the platform;
// see [Options]. Passwords, sessions and tokens are not part of a profile. [Repository.VerifyEmail] and
// [Repository.VerifyPhone] record that an address or a number is the user's own, [Repository.RecordLogin] the time of
// the last login.
//
// # What belongs to a user
//
//	| data | methods |
//	|---|---|
//	| preferences      | [Repository.Preferences], [Repository.UpdatePreferences] |
//	| loyalty account  | [Repository.Loyalty], [Repository.LoyaltyEntries], [Repository.Earn], [Repository.Redeem] |
//	| wishlists        | [Repository.CreateWishlist], [Repository.Wishlist], [Repository.Wishlists], [Repository.UpdateWishlist], [Repository.AddToWishlist], [Repository.RemoveFromWishlist], [Repository.DeleteWishlist] |
//	| public wishlists | [Repository.PublicWishlist], [Repository.PublicWishlists] |
//
// None of these needs a profile, so a platform can keep the profiles of its users elsewhere.
//
// # Erasure
//
// [Repository.Erase] deletes everything of a user, together with what other packages and the platform itself store, by
// their [Eraser]. Afterwards nothing can be created for the user any more.
package users
