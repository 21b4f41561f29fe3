// Package entity is for the author of an entity: a kind of thing that a service stores, such as a booking, a review, or a
// message of its own. The repositories of this module are made of it.
//
// A [Spec] states an entity once. [New] checks it, and a [Table] reads and writes it:
//
//	var reviews = entity.New(entity.Spec[Review]{
//		Name: "Review", Schema: table,
//		ID: "ReviewId", Prefix: "rev_", Created: "CreatedAt", Updated: "UpdatedAt", Version: "Version",
//		Key:   func(r *Review) (dynastay.Key, error) { return key.Of(reviewKey{r.ID}) },
//		Codec: entity.Declare(func(f *entity.Fields, r *Review) {
//			f.String("ReviewId", &r.ID)
//			f.String("Text", &r.Text)
//			…
//		}),
//	})
//
//	table := entity.NewTable(db, reviews)
//	made, err := table.Create(ctx, &Review{Text: "Quiet rooms."})
//
// # What it keeps right
//
//   - An update writes the difference between the entity before and after its function, on condition that the item still is
//     the one that was read. Attributes that the entity does not know survive, and of two callers who change it at once both
//     do: the one who was overtaken reads again, and its function runs again.
//   - What is derived (the keys of its rows in the indexes, copies, the items that follow it) is computed anew with every
//     update, so it cannot be stale. It may follow from everything that the entity declares but the counters.
//   - A unique value is guarded by an item of its own, in the same transaction: see [Unique].
//   - What the library writes itself (the id, the times, the version, and what Spec.Kept names) is refused by name where an
//     update's function changes it.
//
// # Names
//
// Spec.ID, Created, Updated, Version, Kept, Counters and Unique.Owner are names of attributes, as the codec declares them;
// Derived.Name may be a path, such as Card.Name. Errors name the variable instead, for that is what the caller knows:
// Guest.FirstName, whatever the attribute is called.
//
// # Keys
//
// Package keys/key writes the text of keys, so that no value can forge another's key and numbers and times sort as they are.
// The text of an attribute does not: a time is stored with milliseconds only where it has some, and then text order is not
// time order.
package entity
