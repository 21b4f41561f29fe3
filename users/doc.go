// Package users stores the profiles of a platform's users. An e-mail address belongs to only one user: it is guarded in
// the transaction that writes the profile.
//
//	| access pattern | method | request |
//	|---|---|---|
//	| U1 | [Repository.ByEmail] | Query GSI1-EmailIndex; with [dynastay.Consistent] the address's guard, then the profile |
//	| U2 | [Repository.Get]     | GetItem Users |
//
// Keys contain the e-mail addresses in plain text, or hashed with a secret of the platform; see [Options].
//
// Passwords, sessions and tokens are not part of a profile.
package users
