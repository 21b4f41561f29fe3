// Package racing has two calls of the library meet at every point of each other's way, for the library's own tests.
//
// A [Way] is one such point: between the read and the write of the first call, say, or after its write, whose answer is lost.
// [Attributes] draws two fields of an entity, and has one call change the one and another call change the other, in every way.
// Neither change may be lost, and all that is derived has to follow from both.
//
// Everything is drawn from a seed, which is the name of a round. These flags repeat the round alone:
//
//	go test ./properties -run TestNoChangeIsLost -racing.rounds 1 -racing.seed 42
package racing
