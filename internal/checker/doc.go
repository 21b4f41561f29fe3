// Package checker drives the library from many workers at once, through every fault of the wire, and then compares each
// answer that a worker got with what is stored. It has tests only:
//
//	go test ./internal/checker -calls 20000
//
// What a call may answer, and what that promises, is in verdict_test.go: done once, certainly not done, or unknown. Each of
// the other files drives one kind of write on a few items that everybody wants, remembers what it was told, and knows what
// has to be stored then. Whether a refusal was true for some moment of its call is told from the times of all writes, see
// deeds_test.go.
//
// The "processes" of the workers are [dynastay.DB] values of one binary, each with gates, ids and a client of its own; some
// have no gates, some give up early. Real processes would prove less: a conflict is between transactions that one observer
// has under way, and so is the memory of who holds a lock, or of the message that was consumed and must not come back.
//
// Everything random is drawn from a seed. Which requests then race is not, so a repetition meets the same calls in another
// order.
package checker
