// Package users keeps the profiles of a platform's users. An e-mail address belongs to one user: it is guarded in the
// transaction that writes the profile.
//
//	| pattern | method | request |
//	|---|---|---|
//	| U1 | [Repository.ByEmail] | Query GSI1-EmailIndex; with [dynastay.Consistent] the address's guard, then the profile |
//	| U2 | [Repository.Get]     | GetItem Users |
//
// Keys hold the addresses as they are, or hashed under a secret of the platform's own: see [Options].
//
// Passwords, sessions and tokens are no part of a profile.
package users
