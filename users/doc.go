// Package users keeps the profiles of a platform's users. An e-mail address belongs to one user: it is guarded in the
// transaction that writes the profile.
//
//	| pattern | method | request |
//	|---|---|---|
//	| U1 | [Repository.ByEmail] | Query GSI1-EmailIndex |
//	| U2 | [Repository.Get]     | GetItem Users |
//
// Passwords, sessions and tokens are no part of a profile.
package users
