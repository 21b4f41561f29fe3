// Package provision says what tables must be, compares them with what they are, and changes them.
//
// A [Table] is a schema, which comes with the library, and the [Settings] that its operator chooses. [Look] reads how a
// table is and returns each [Difference]: both values, whether it can be changed in place, and what that does to readers
// and writers and costs. [Apply] creates the tables that do not exist and changes what it can change safely, one step at a
// time. It can be interrupted at any moment and run again, because what is left to do follows from the tables alone.
//
// Apply throttles nobody, and deletes nothing but items that have expired, unless [Options.Named] names the difference. It
// never deletes a table. What neither Apply nor any other program should do is a difference with [ByHand], whose text says why.
//
// No other package of the library calls DynamoDB's control plane, so the role of an application needs no permission for it.
package provision
