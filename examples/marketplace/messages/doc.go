// Package messages manages the conversations of the marketplace: two users, what they wrote to each other, and what
// each of them has read.
//
//	M8  Messages  the messages of a conversation
//
// Recent lists them in reverse, Conversation returns the number of unread messages, and Inbox lists the conversations
// of a user.
//
// # Numbers and times
//
// A message has a number, which counts what its recipient has received in the conversation, and a time, which is its
// key. Both only grow: if the clock of a server is behind the last message, the next one gets a time 1 ms after that
// message. So no message is overwritten, and the order of the keys is the order in which the messages were written.
//
// Each user has a [Conversation], an item with the number of messages received and the number up to which they are
// read. [Repository.Send] writes the message and both items in one transaction. [Repository.MarkRead] only raises the
// second number of one item, and never forces a concurrent Send to start again. Nothing that is unread gets
// lost. Whether a message was read is not stored in the message, see [Message.ReadBy].
//
// The messages of one conversation are written one after the other: in one process they queue, processes retry.
// Conversations do not wait for each other, not even those of one user.
//
// # Messages of other software
//
// Other software that follows the marketplace document writes messages without numbers, and no conversations. The first
// Send or MarkRead counts such messages and puts both items; from then on, all messages have to be sent by this
// package. A new conversation costs the same extra request, once. MarkRead counts because a user may read for a long
// time before answering. Conversation counts as well but does not write, because it is a read. Inbox does not have
// conversations that were not counted yet.
//
// Messages are found under the smaller id first, see keys.Message.
package messages
