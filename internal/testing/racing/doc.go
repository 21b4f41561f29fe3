// Package racing makes two calls of the library interleave at every possible point, for the library's own tests.
//
// A [Way] is one such point: for example, between the read and the write of the first call, or after its write if the
// response is lost. [Attributes] picks two random fields of an entity, and makes two calls, each of which changes one
// of the fields, interleave in every way. Neither change may be lost, and everything derived must reflect both.
//
// Everything random is drawn from a seed, which is the name of a round. These flags repeat a single round:
//
//	go test ./properties -run TestNoChangeIsLost -racing.rounds 1 -racing.seed 42
package racing
