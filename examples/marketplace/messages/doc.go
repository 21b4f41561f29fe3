// Package messages has the conversations of the marketplace: two users, what they wrote to each other, and what each of
// them has read.
//
//	M8  Messages  the messages of a conversation
//
// Recent lists them in reverse, Conversation has the number of unread messages, and Inbox lists the conversations of a
// user.
//
// # Numbers and times
//
// A message has a number, which counts what its recipient has received in the conversation, and a time, which is its key.
// Both only grow: a message whose server has a clock behind that of the last message gets a time 1 ms after that message.
// So no message is overwritten, and the order of the keys is the order in which the messages were sent.
//
// Each user has a [Conversation], an item with the number of messages received and the number up to which they are
// read. [Repository.Send] writes the message and both items in one transaction; [Repository.MarkRead] only raises the
// second number of one of them. What is unread is therefore exact, and reading does not hold up writing. Whether a message
// was read is not stored in it, see [Message.ReadBy].
//
// The messages of one conversation are written one after the other: in one process they queue, processes retry.
// Conversations do not wait for each other, whoever they are with.
//
// # Messages of other software
//
// Other software that follows the marketplace document writes messages without numbers, and no conversations. The first
// Send or MarkRead counts such messages and puts both items; from then on, all messages must be sent by this package. A
// conversation that really is new costs the same extra request. Conversation counts too, but stores nothing: it is a read,
// and a user may look at a conversation that exists no more than that. Inbox does not have conversations that were not
// counted.
//
// Messages are found under the smaller id first, see keys.Message.
package messages
